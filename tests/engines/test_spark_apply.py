"""The same recoding gives the same rows on Spark as on this machine, and written parts hold exactly those rows."""

from __future__ import annotations

import csv
import datetime
from array import array
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from antifaz.core.errors import AntifazError, DataError, InputError, ParameterError, SchemaError
from antifaz.core.recoding import ColumnRecoding, Recoding, RowRecoding, TupleRecoding
from antifaz.engines.local.data import open_local
from failing import failing, like, near

#: PySpark leaves it to the collector to close the sockets through which it hands tables over.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")


@pytest.fixture
def spark_data(spark):
    """Open a table on Spark."""
    from antifaz.engines.spark.data import open_spark

    def opened(table: pa.Table, parts: int = 2) -> Any:
        return open_spark(spark.createDataFrame(table).repartition(parts), session=spark)

    return opened


FORMATS = ("csv", "tsv", "parquet")
ODD = ["plain", 'quo"te', "com,ma", "tab\tin", "line\nbreak", "CR\rhere", "both\r\n", " blank ", "", "ñ€😀", "'", "a;b"]
ODD += ["\\", "NULL", '"', '""', 'a"\n"b', "\n", "#note", "\u2028", "x\x00y"]
FORMULAS = ["=1+1", "=cmd|' /C calc'!A0", "+SUM(A1)", "-2+3", "@now", "\t=1", "\r=1", "\n=1", " =1", "＝1", "+1 2"]
HARMLESS = ["-5", "+5", "-1.5", "-.5", "-1,5", "-1e-9", "-12%", "a=b", "5", "", "[-5, 5)", "-", "--", "−5"]


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def rows(table: Any) -> Counter[tuple[Any, ...]]:
    found = table if isinstance(table, pa.Table) else table.toArrow()
    return Counter(tuple(row.values()) for row in found.to_pylist())


def column(name: str, mapping: dict[str | None, str | None], *, keeps: bool = False) -> ColumnRecoding:
    return ColumnRecoding(column=name, values=tuple(mapping), labels=tuple(mapping.values()), keeps_type=keeps)


def same(*values: str | None) -> dict[str | None, str | None]:
    return {value: value for value in values}


PEOPLE = pa.table(
    {
        "name": [f"n{i}" for i in range(8)],
        "age": pa.array([31, 31, 32, 45, 46, None, 31, 45], pa.int32()),
        "town": ["Wien", " wien", "Graz", "Graz", None, "Linz", "Wien", ""],
        "size": [1.5, 2.5, 1e10, -0.0, 1e-7, None, 0.1, 0.0],
        "day": [datetime.date(2020, 1, i + 1) for i in range(8)],
        "note": ["a", "b", None, "d", "e", "f", "g", "h"],
    }
)
AGES = {"31": "[30, 40)", "32": "[30, 40)", "45": "[40, 50)", "46": "[40, 50)", None: None}
TOWNS = {"Wien": "Wien", " wien": "Wien", "Graz": "Graz", "Linz": "Linz", "": "", None: None}
SIZES = {
    "1.5": "small",
    "2.5": "small",
    "10000000000.0": "large",
    "0.0": "none",
    "1e-07": "small",
    None: "*",
    "0.1": "x",
}
CASES = {
    "generalized": Recoding(columns=(column("age", AGES), column("town", TOWNS)), dropped=("name",)),
    "left out": Recoding(
        columns=(column("age", AGES), column("town", TOWNS)),
        dropped=("name", "note"),
        suppressed=(("[30, 40)", "Wien"), ("[40, 50)", None), (None, "Linz")),
    ),
    "kept as they are": Recoding(
        columns=(
            column("age", same("31", "32", "45", "46", None), keeps=True),
            column("town", TOWNS, keeps=True),
            column("day", {f"2020-01-{i:02d}": f"2020-01-{i:02d}" for i in range(1, 9)}, keeps=True),
        ),
        suppressed=(("31", "Wien", "2020-01-01"), (None, "Linz", "2020-01-06")),
    ),
    "floating-point numbers": Recoding(columns=(column("size", SIZES),), dropped=("day",)),
    "nothing is decided": Recoding(columns=()),
    "combinations": Recoding(
        columns=(column("age", same("31", "32", "45", "46", None)), column("town", TOWNS)),
        dropped=("name",),
        tuples=TupleRecoding(
            codes=(array("i", [0, 1, 2, 3, 4]), array("i", [0, 0, 1, 2, 3, 4])),
            tuples=(array("i", [0, 1, 2, 4]), array("i", [0, 1, 1, 2])),
            labels=(("31-32", "45", None), ("Wien", "{Graz, Wien}", None)),
            released=(array("i", [0, 0, 1, 2]), array("i", [0, 1, 1, 2])),
        ),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_same_rows_as_on_this_machine(spark_data, case):
    with open_local(PEOPLE) as data:
        local = data.apply(CASES[case], key=7)
        expected = local.collect()
    applied = spark_data(PEOPLE).apply(CASES[case], 7)
    frame = applied.collect()
    assert applied.columns == tuple(frame.columns) == local.columns
    assert rows(applied.to_source_kind(frame)) == rows(expected)
    assert sum(rows(expected).values()) > 0
    assert frame.schema.simpleString().replace("string", "text") == _types(expected)
    frame.unpersist()


def _types(table: pa.Table) -> str:
    words = {"int32": "int", "double": "double", "string": "text", "date32[day]": "date"}
    return "struct<" + ",".join(f"{field.name}:{words[str(field.type)]}" for field in table.schema) + ">"


@pytest.mark.parametrize("unknown", ["generalized", "kept as they are", "combinations"])
def test_a_value_that_was_not_counted_fails_the_run_and_is_not_quoted(spark_data, unknown):
    changed = PEOPLE.set_column(2, "town", pa.array(["Wien"] * 7 + ["Salzburg"]))
    applied = spark_data(changed).apply(CASES[unknown], 7)
    with pytest.raises(DataError, match="The column 'town' has a value that was not there") as raised:
        applied.collect()
    assert "Salzburg" not in repr(raised.value)


def test_rows_of_their_own_are_refused(spark_data):
    decided = RowRecoding(groups=array("i", [0] * 8), labels=(("x",),), released=(array("i", [0]),))
    with failing("spark.rows-have-no-order", ParameterError):
        spark_data(PEOPLE).apply(Recoding(columns=(column("age", AGES),), rows=decided), 7)


def test_check_06_the_order_is_secret_and_unrelated_to_the_source(spark_data):
    n = 4000
    table = pa.table({"i": range(n), "same": ["x"] * n})
    data = spark_data(table, parts=8)
    first, again, other = (data.apply(Recoding(columns=()), key).rows() for key in (7, 7, 8))
    order = [row.i for row in first.collect()]
    assert sorted(order) == list(range(n))
    assert order == [row.i for row in again.collect()] != [row.i for row in other.collect()]
    # In a random order two neighbours are neighbours of the source about twice in all.
    assert sum(abs(a - b) == 1 for a, b in pairwise(order)) < 15
    # Every part has rows from all over the source.
    from pyspark.sql import functions as fn

    ends = data.apply(Recoding(columns=()), 7).rows().withColumn("part", fn.spark_partition_id()).groupBy("part")
    for row in ends.agg(fn.min("i").alias("low"), fn.max("i").alias("high"), fn.count("i").alias("n")).collect():
        assert row.n < 50 or (row.low < n / 5 and row.high > n * 4 / 5)


def test_a_description_of_values_does_not_go_along(spark_data, spark):
    from pyspark.sql import functions as fn

    data = spark_data(PEOPLE)
    data.frame = data.frame.withColumn("town", fn.col("town").alias("town", metadata={"values": ["Wien", "Linz"]}))
    assert all(not field.metadata for field in data.apply(Recoding(columns=()), 7).rows().schema.fields)


def _written(data: Any, folder: Path, format: str, key: int = 3) -> Any:
    from antifaz.engines.spark.auditor import SparkAuditor

    applied = data.apply(Recoding(columns=()), key)
    written = applied.write(folder, format)
    assert written.path == folder / f"release.{format}"
    assert SparkAuditor(data.session).recount(written.path, (), fingerprint=True).fingerprint == written.fingerprint
    return written


def _read(folder: Path, format: str) -> list[tuple[str | None, ...]]:
    """Read parts with a reader that is not Spark's."""
    found: list[tuple[str | None, ...]] = []
    for part in sorted(folder.iterdir()):
        assert part.name.startswith("part-")
        assert part.suffix == f".{format}"
        assert part.stat().st_mode & 0o077 == 0
        if format == "parquet":
            found += [tuple(row.values()) for row in pq.read_table(part).to_pylist()]
            continue
        with part.open(encoding="utf-8", newline="") as file:
            header, *lines = list(csv.reader(file, delimiter="\t" if format == "tsv" else ","))
        assert header == ["q", "te,x\tt"]
        found += [tuple(line) for line in lines]
    return found


@pytest.mark.parametrize("format", FORMATS)
def test_odd_text_is_written_exactly(spark_data, tmp_path, format):
    table = pa.table({"q": [f"q{i}" for i in range(len(ODD))], "te,x\tt": ODD})
    written = _written(spark_data(table), tmp_path, format)
    expected = {("'" + cell if format != "parquet" and cell == "\n" else cell) for cell in ODD}
    assert Counter(cell for _, cell in _read(written.path, format)) == Counter(expected)
    assert _names(tmp_path) == [f"release.{format}"]


@pytest.mark.parametrize("format", ["csv", "tsv"])
def test_check_37_formulas_get_an_apostrophe_and_numbers_don_t(spark_data, tmp_path, format):
    texts = [*FORMULAS, *HARMLESS]
    table = pa.table({"q": [str(i) for i in range(len(texts))], "te,x\tt": texts})
    written = _written(spark_data(table), tmp_path, format)
    expected = {(str(i), text if text in HARMLESS else f"'{text}") for i, text in enumerate(texts)}
    assert set(_read(written.path, format)) == expected


def test_missing_and_empty_are_different(spark_data, tmp_path):
    table = pa.table({"q": ["x", "x"], "text": ["", None]})
    written = _written(spark_data(table), tmp_path, "csv")
    lines = [line for part in written.path.iterdir() for line in part.read_bytes().splitlines()]
    assert sorted(set(lines)) == [b"q,text", b"x,", b'x,""']


@pytest.mark.parametrize("format", FORMATS)
def test_types_are_written_as_on_this_machine(spark_data, tmp_path, format):
    table = PEOPLE.drop_columns(["note"])
    written = _written(spark_data(table), tmp_path, format)
    (tmp_path / "local").mkdir()
    with open_local(table) as data:
        local = data.apply(Recoding(columns=()), key=3).write(tmp_path / "local", format).path
    if format == "parquet":
        assert rows(pq.read_table(written.path)) == rows(pq.read_table(local))
        assert all(pq.read_metadata(p).row_group(0).column(0).compression == "ZSTD" for p in written.path.iterdir())
        return
    lines = Counter(line for part in written.path.iterdir() for line in part.read_text("utf-8").splitlines()[1:])
    expected = Counter(local.read_text("utf-8").replace("-0.0", "0.0").splitlines()[1:])
    assert lines == expected


def test_a_release_without_rows_has_its_names(spark_data, tmp_path):
    written = _written(spark_data(PEOPLE.slice(0, 0).drop_columns(["note"])), tmp_path, "csv")
    assert [part.read_text("utf-8") for part in written.path.iterdir()] == ["name,age,town,size,day\n"]


def test_one_column_with_missing_values_is_refused_as_text(spark_data, tmp_path):
    data = spark_data(pa.table({"q": ["x", None, "y"]}))
    with failing("spark.one-text-column-with-missing-values", DataError):
        data.apply(Recoding(columns=()), 1).write(tmp_path, "csv")
    _written(data, tmp_path, "parquet")


@pytest.mark.parametrize(
    ("name", "format", "error", "expected"),
    [
        ("=cmd()", "csv", SchemaError, "release.column-name-is-a-formula"),
        ("q", "cvs", ParameterError, like("release.unknown-format", hint=near("csv"))),
    ],
)
def test_what_can_t_be_written_is_refused_at_once(spark_data, tmp_path, name, format, error, expected):
    with failing(expected, error):
        spark_data(pa.table({name: ["y"]})).apply(Recoding(columns=()), 1).write(tmp_path, format)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("folder", ["with 'quote % 20 #:é", "star*[set]{a,b} what?"])
def test_odd_folders(spark_data, tmp_path, folder):
    (tmp_path / folder).mkdir()
    _written(spark_data(pa.table({"q": ["x", "y"]})), tmp_path / folder, "csv")
    _written(spark_data(pa.table({"q": ["x", "y"]})), tmp_path / folder, "parquet")


def _stage(data: Any, folder: Any) -> Any:
    from antifaz.engines.spark.store import stage

    return stage(data, folder)


def test_a_path_of_this_machine_needs_no_stage_of_spark(spark_data, tmp_path):
    data = spark_data(PEOPLE)
    assert _stage(data, tmp_path) is None
    assert _stage(data, str(tmp_path)) is None


def test_a_release_on_a_store_is_published_whole_and_replaced(spark_data, tmp_path):
    data, target = spark_data(PEOPLE.drop_columns(["note"])), tmp_path / "deep" / "out"
    for key in (1, 2):
        with _stage(data, f"file://{target}") as stage:
            written = data.apply(Recoding(columns=()), key).write(stage.folder, "csv")
            stage.write_text("evidence.json", f"ñ{key}")
            assert target.exists() == (key == 2)
            private = next(target.parent.glob(".out.antifaz-partial-*"))
            assert private.stat().st_mode & 0o777 == 0o700
            assert data.auditor().recount(written.path, (), fingerprint=True).fingerprint == written.fingerprint
            stage.publish()
            stage.publish()
        assert sorted(path.name for path in target.iterdir()) == ["evidence.json", "release.csv"]
        assert (target / "evidence.json").read_text("utf-8") == f"ñ{key}"
        assert _names(target.parent) == ["out"]


def test_a_folder_with_something_else_is_never_replaced(spark_data, tmp_path):
    (tmp_path / "evidence.json").mkdir()
    (tmp_path / "thesis.doc").write_text("x")
    with (
        failing("release.target-not-free", InputError, what=like("release.holds-strange-files", count=2)),
        _stage(spark_data(PEOPLE), f"file://{tmp_path}"),
    ):
        pytest.fail("a stage was given")
    assert _names(tmp_path) == ["evidence.json", "thesis.doc"]
    with failing("release.target-is-a-file", InputError), _stage(spark_data(PEOPLE), f"file://{tmp_path}/thesis.doc"):
        pytest.fail("a stage was given")


def test_a_write_that_ends_half_way_leaves_nothing(spark_data, tmp_path):
    data, target = spark_data(PEOPLE), tmp_path / "out"
    towns = same("Wien", " wien", "Graz", "Linz", None)  # the empty text is missing
    broken = data.apply(Recoding(columns=(column("town", towns),), dropped=("note",)), 1)
    with pytest.raises(AntifazError, match="'town' has a value"), _stage(data, f"file://{target}") as stage:
        stage.write_text("evidence.json", "{}")
        broken.write(stage.folder, "csv")
    assert _names(tmp_path) == []


def test_check_19_a_killed_write_leaves_nothing_at_the_target(spark_data, tmp_path):
    data, target = spark_data(PEOPLE), tmp_path / "out"
    decided = Recoding(columns=(), dropped=("note",))
    with pytest.raises(KeyboardInterrupt), _stage(data, f"file://{target}") as stage:
        data.apply(decided, 1).write(stage.folder, "csv")
        raise KeyboardInterrupt
    assert _names(tmp_path) == []


def test_a_store_that_can_t_be_written_is_said_in_words(spark_data):
    with failing("spark.store-makes-no-folder"), _stage(spark_data(PEOPLE), "file:///proc/x/out"):
        pytest.fail("a stage was given")
