"""Spark reads what one machine reads, to the last byte, or refuses it."""

from __future__ import annotations

import gzip
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from antifaz.core.errors import AntifazError, DataError, MissingExtra, ParameterError, SchemaError
from antifaz.engines.local.data import open_local
from antifaz.engines.registry import open_data
from antifaz.engines.spark import session as sessions
from antifaz.engines.spark.data import open_spark
from failing import Like, failing, like

#: PySpark leaves it to the collector to close the sockets through which it hands tables over.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")
TRICKY: dict[str, bytes] = {
    "plain": b"a,b\n1,x\n2,y\n",
    "no end of line": b"a,b\n1,x\n2,y",
    "empty is missing, quoted is not": b'a,b\n,""\n"",\n1,x\n',
    "blanks stay": b'a,b\n x , y\n" z "," "\n\t,\t\n',
    "quotes doubled": b'a,b\n"x ""y"" z","""q"""\n1,2\n',
    "quote in plain field": b'a,b\n5" disk,x"y\nz",w\n',
    "delimiter in quotes": b'a,b\n"x,y","z,"\n1,2\n',
    "line break in quotes": b'a,b\n"x\ny","z\r\nw"\n1,2\n',
    "CR in quotes": b'a,b\n"x\ry",2\n3,4\n',
    "CRLF": b"a,b\r\n1,x\r\n2,y\r\n",
    "LF and CRLF": b"a,b\r\n1,x\n2,y\r\n",
    "CR alone": b"a,b\r1,x\r2,y\r",
    "CR and LF": b"a,b\n1,x\r2,y\n",
    "byte order mark": b"\xef\xbb\xbfa,b\n1,\xc3\xa9\n",
    "mark inside": b"a,b\n\xef\xbb\xbf1,x\n",
    "UTF-16": "a,b\r\n1,é\r\n".encode("utf-16"),
    "emoji": "a,b\n1,👩\u200d🚀\n2,e\u0301\n".encode(),
    "wrong UTF-8": b"a,b\n1,\xc3\xa9\n2,\xff\n3,\xc3\xa9\n",
    "NUL": b"a,b\n1,x\x00y\n",
    "too many fields": b"a,b\n1,x\n2,y,z\n",
    "too few fields": b"a,b\n1,x\n2\n",
    "text after quote": b'a,b\n1,"x"y\n',
    "blank before quote": b'a,b\n1, "x"\n',
    "blank after quote": b'a,b\n1,"x" \n',
    "quote never closed": b'a,b\n1,"x\n2,y\n',
    "backslash": b'a,b\n"x\\",y\\"\n\\N,\\\n',
    "backslash quote": b'a,b\n"x\\"",y\n',
    "blank line inside": b"a,b\n1,x\n\n2,y\n",
    "blank lines at the end": b"a,b\n1,x\n\n\n",
    "blank line first": b"\na,b\n1,x\n",
    "one column with blanks": b"a\n1\n\n2\n",
    "one column": b'a\nx\n""\ny\n',
    "comment signs": b"a,b\n#1,x\n//,y\n",
    "null words": b"a,b\nNULL,NA\nnull,NaN\n?,None\n",
    "no rows": b"a,b\n",
    "same name twice": b"a,A\n1,2\n",
    "no name": b"a,\n1,2\n",
    "dots in names": b"a.b,c`d\n1,2\n",
    "semicolons": b"a;b\n1,5;x\n2,5;y\n",
    "tabs": b"a\tb\n1\tx\n",
    "no header": b"1,2\n3,4\n",
    "leading zeros": b"a,b\n007,+5\n1e3,.5\n",
    "control characters": b"a,b\n\x01,\x1f\n\x0b,\x0c\n",
    "separator characters": "a,b\n\u2028,\u0085\n\u00a0,\ufeff\n".encode(),
    "long field": b"a,b\n" + b"x" * 300_000 + b",y\n1,2\n",
}


def _tuples(data: Any) -> Counter[tuple[str | None, ...]]:
    found = data.count(data.schema.names)
    texts = [[values[c] for c in codes] for values, codes in zip(found.values, found.codes, strict=True)]
    return Counter(dict(zip(zip(*texts, strict=True), found.counts.tolist(), strict=True)))


def _opened(opening: Any, place: Any, **options: Any) -> tuple[Any, ...] | str:
    """What is in a place as read, or the error's sentence; one machine also offers repairs, and Spark has none."""
    try:
        with opening(place, **options) as data:
            types = [(column.name, column.type) for column in data.schema]
            return data.rows, types, _tuples(data)
    except AntifazError as error:
        message = error.message
        return str(message.values["error"] if message.code == "file.repairable" else message)


def _same_refusal(there: Any, here: Any) -> bool:
    """Whether both refuse, and name the same line; one machine looks at all bytes first, and words that otherwise."""
    lines = [re.findall(r"line (\d+)", said) if isinstance(said, str) else [] for said in (there, here)]
    return bool(lines[0]) and lines[0] == lines[1]


def test_check_22_tricky_text_is_read_as_on_one_machine_or_refused(spark: Any, tmp_path: Path) -> None:
    differing = {}
    for i, (case, content) in enumerate(TRICKY.items()):
        path = tmp_path / f"t{i}.csv"
        path.write_bytes(content)
        here, there = _opened(open_local, path), _opened(open_spark, path, session=spark)
        if there != here and not _same_refusal(there, here):
            differing[case] = (there, here)
    assert not differing


@pytest.fixture
def _small_splits(spark: Any) -> Iterator[None]:
    """Let Spark cut small files as it cuts large ones."""
    spark.conf.set("spark.sql.files.maxPartitionBytes", "64KB")
    yield
    spark.conf.unset("spark.sql.files.maxPartitionBytes")


def _splits(spark: Any, path: Path) -> int:
    return int(spark.read.text(str(path)).rdd.getNumPartitions())


@pytest.mark.usefixtures("_small_splits")
def test_line_breaks_in_quotes_across_splits(spark: Any, tmp_path: Path) -> None:
    """A file of several splits: Spark cuts it in the middle of records, which must not show."""
    path = tmp_path / "large.csv"
    rows = [f'{i},"first {i}\nsecond, ""{i % 7}""",{i % 3}\n' for i in range(20_000)]
    path.write_text("n,text,m\n" + "".join(rows), encoding="utf-8")
    assert _splits(spark, path) > 4
    here, there = open_local(path), open_spark(path, session=spark)
    assert there.rows == here.rows == 20_000
    assert _tuples_of(there, "m") == _tuples_of(here, "m")
    assert there.frame.where("text = concat('first ', n, '\\nsecond, \"', n % 7, '\"')").count() == 20_000
    here.close(), there.close()
    with path.open("a", encoding="utf-8") as file:
        file.write("1,2\n")
    assert _opened(open_spark, path, session=spark) == _opened(open_local, path)


@pytest.mark.usefixtures("_small_splits")
def test_a_split_that_begins_in_quotes_with_another_width(spark: Any, tmp_path: Path) -> None:
    """Cut in the middle, such a file looks like records of one field, whichever part is cut first."""
    path = tmp_path / "large.csv"
    text = "\n".join(["line"] * 1000)
    path.write_text("n,text,m\n" + "".join(f'{i},"{text}",{i % 3}\n' for i in range(250)), encoding="utf-8")
    assert _splits(spark, path) > 4
    with open_local(path) as here, open_spark(path, session=spark) as there:
        assert there.rows == here.rows == 250
        assert _tuples_of(there, "m") == _tuples_of(here, "m")


def _tuples_of(data: Any, name: str) -> dict[str | None, int]:
    found = data.count([name])
    return {found.values[0][c]: int(n) for c, n in zip(found.codes[0], found.counts, strict=True)}


@pytest.mark.usefixtures("_small_splits")
def test_large_plain_file_is_cut_in_parts(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "large.csv"
    path.write_text("n,m\n" + "".join(f"{i},{'x' * 30}{i % 5}\n" for i in range(10_000)), encoding="utf-8")
    with open_spark(path, session=spark) as data:
        assert data.frame.rdd.getNumPartitions() > 1
        assert data.rows == 10_000
        assert len(data.count(["n"]).counts) == 10_000


@pytest.mark.parametrize(
    "options", [{"missing": ["?", "NA"]}, {"header": False}, {"quote": ""}, {"types": {"a": "text"}}]
)
def test_options(spark: Any, tmp_path: Path, options: dict[str, Any]) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b'a,b\n1,?\n2,"?"\nNA,x\n3,"NA"\n')
    if options.get("header") is False:
        options = {**options, "types": None}
    assert _opened(open_spark, path, session=spark, **options) == _opened(open_local, path, **options)


def test_encodings(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes("a,b\n1,é\n2,ñ\n".encode("cp1252"))
    told = _opened(open_spark, path, session=spark, encoding="cp1252")
    assert told == _opened(open_local, path)
    assert "encoding=" in str(_opened(open_spark, path, session=spark))
    assert "There is no encoding" in str(_opened(open_spark, path, session=spark, encoding="klingon"))
    path.write_bytes(b"a,b\n1,\x81\n")
    assert "not valid cp1252" in str(_opened(open_spark, path, session=spark, encoding="cp1252"))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.jsonl", b'{"b": 1.10, "a": "007"}\n{"a": "x", "c": true}\n\n{"b": null, "a": null}\n'),
        ("t.jsonl", b'{"d": "2020-01-02"}\n{"d": "2021-01-02"}\n'),
        ("t.json", b'[{"a": 1, "b": "x"}, {"b": "y", "c": 1e5}]'),
        ("t.json", '[{"a": "é\\n\\u00e9"}]'.encode()),
        ("t.jsonl", b'{"a": 1}\n{"a": "x"}\n'),
        ("t.jsonl", b'{"a": 1}\n{"a": [1]}\n'),
        ("t.jsonl", b'{"a": 1}\n{"a": 1\n'),
        ("t.jsonl", b'{"a": 1, "a": 2}\n'),
        ("t.jsonl", b'{"a": NaN}\n'),
        ("t.jsonl", b"[1]\n"),
        ("t.json", b"[]"),
    ],
)
def test_json_as_on_one_machine(spark: Any, tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    path = tmp_path / name
    assert _opened(open_spark, path, session=spark) == _opened(open_local, path)


def test_json_lines_in_a_file_called_json(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "part-0.json").write_bytes(b'{"a": 1}\n{"a": 2}\n')
    (tmp_path / "part-1.json").write_bytes(b'{"b": "x"}\n')
    with open_spark(tmp_path, session=spark) as data:
        assert _tuples(data) == {("1", None): 1, ("2", None): 1, (None, "x"): 1}
    (tmp_path / "part-2.json").write_bytes(b'{"a": "x"}\n')
    assert "a text where earlier records have a number" in str(_opened(open_spark, tmp_path, session=spark))


def test_folders_patterns_and_addresses(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "a folder"
    folder.mkdir()
    (folder / "part-0.csv").write_bytes(b"a,b\n1,x\n")
    (folder / "part-1.csv").write_bytes(b"a,b\n2,y\n")
    (folder / "part-2.csv.gz").write_bytes(gzip.compress(b'a,b\n3,"z\nz"\n'))
    (folder / "part-3.csv").write_bytes(b"")
    (folder / "_SUCCESS").write_bytes(b"")
    whole = {("1", "x"): 1, ("2", "y"): 1, ("3", "z\nz"): 1}
    monkeypatch.chdir(tmp_path)
    for place in (folder, folder.as_uri().replace("%20", " "), "a folder", f"{folder}/part-*"):
        with open_spark(place, session=spark) as data:
            assert _tuples(data) == whole
    with open_data((folder / "part-0.csv").as_uri().replace("%20", " ")) as data:
        assert data.engine == "spark" and data.rows == 1


def test_files_that_differ_are_refused(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "0.csv").write_bytes(b"a,b\n1,x\n")
    for other in (b"b,a\ny,2\n", b"a,c\n2,y\n", b"a\n2\n", b"a,b,c\n2,y,z\n"):
        (tmp_path / "1.csv").write_bytes(other)
        assert "1.csv has other columns" in str(_opened(open_spark, tmp_path, session=spark))
    (tmp_path / "1.csv").write_bytes(b"a,b\n2,y,z\n")
    assert "1.csv, line 2" in str(_opened(open_spark, tmp_path, session=spark))
    (tmp_path / "1.parquet").write_bytes(b"x")
    assert "several formats" in str(_opened(open_spark, tmp_path, session=spark))


def test_parquet_that_differs_is_refused(spark: Any, tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1, 2], "b": ["x", None]}), tmp_path / "0.parquet")
    with open_spark(tmp_path, session=spark, missing=["x"]) as data:
        assert _tuples(data) == {("1", None): 1, ("2", None): 1}
    others = ({"a": [1]}, {"a": [1.0], "b": ["x"]}, {"a": [1], "b": ["x"], "c": [1]}, {"b": ["x"], "a": [1]})
    for other in others:
        pq.write_table(pa.table(other), tmp_path / "1.parquet")
        assert "1.parquet has other columns" in str(_opened(open_spark, tmp_path, session=spark))
    (tmp_path / "1.parquet").write_bytes(b"PAR1 no")
    assert "could not be read as Parquet" in str(_opened(open_spark, tmp_path, session=spark))
    pq.write_table(pa.table({"a": [[1]]}), tmp_path / "n.pq")
    assert "holds lists" in str(_opened(open_spark, tmp_path / "n.pq", session=spark))


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("/nowhere/at/all.csv", "file.not-found"),
        ("hdfs://127.0.0.1:9/x.csv", like("source.failed", what=like("spark.not-opened"))),
        ("klingon://x/y.csv", like("source.failed", what=like("spark.not-opened"))),
    ],
)
def test_places_that_do_not_exist(spark: Any, place: str, words: str | Like) -> None:
    with failing(words, DataError):
        open_spark(place, session=spark)


def test_told_types_are_checked(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(b"a,d\n1,2020-02-30\nx,2020-01-01\n")
    with failing("database.column-values-not-of-type", SchemaError, kind="integer", count=1):
        open_spark(tmp_path / "t.csv", session=spark, types={"a": "integer"})
    with failing("database.column-values-not-of-type", SchemaError, kind="date", count=1):
        open_spark(tmp_path / "t.csv", session=spark, types={"d": "date"})


def test_found_types_are_those_of_one_machine(spark: Any, tmp_path: Path) -> None:
    columns = {
        "int": ["1", " -20 ", "", "0"], "long": ["9" * 18, "1", "2", "3"], "longer": ["9" * 19, "1", "2", "3"],
        "zero": ["007", "1", "2", "3"], "plus": ["+5", "1", "2", "3"], "decimal": ["1.50", "2", "-0.1", ""],
        "exponent": ["1e3", "1", "2", "3"], "day": ["2020-02-29", "1999-12-31", "", " 2000-01-01"],
        "no day": ["2020-02-30", "2020-01-01", "", ""], "time": ["2020-01-01T10:00", "2020-01-01 23:59:59.5Z", "", ""],
        "no time": ["2020-01-01 25:00", "2020-01-01 23:59:59", "", ""],
        "mixed": ["2020-01-01", "2020-01-01 10:00", "", ""],
        "end": ["2020-01-01 24:00:00", "2020-01-01 10:00+0100", "", ""], "truth": ["true", "false", "", "true"],
        "TRUTH": ["TRUE", "FALSE", "", "TRUE"], "some truth": ["True", "false", "", ""], "blank": [" ", "", "\t", ""],
        "arabic": ["٣", "٤", "٥", "٦"],
    }  # fmt: skip
    columns["truth 2"] = columns.pop("TRUTH")
    lines = [",".join(columns), *(",".join(cells) for cells in zip(*columns.values(), strict=True))]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    with open_local(tmp_path / "t.csv") as here, open_spark(tmp_path / "t.csv", session=spark) as there:
        assert {c.name: c.type for c in there.schema} == {c.name: c.type for c in here.schema}


def test_session_is_refused_with_one_sentence(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with failing("spark.session-with-other-master", ParameterError):
        open_spark("x.csv", master="local[3]")
    for master in ("lokal", "sc://127.0.0.1:15002"):
        with failing("spark.unknown-master", ParameterError):
            sessions._checked(master, None)
    with failing("spark.master-does-not-answer", DataError):
        sessions._checked("spark://127.0.0.1:9", None)
    monkeypatch.delenv("HADOOP_CONF_DIR", raising=False)
    monkeypatch.delenv("YARN_CONF_DIR", raising=False)
    with failing("spark.yarn-needs-hadoop-conf-dir", ParameterError):
        sessions._checked("yarn", None)
    with failing("size.wrong", ParameterError, what="memory"):
        sessions._memory("much")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with failing("spark.java-missing", MissingExtra, wanted=like("spark.needs-java", java=17)):
        sessions._check_java()
    (tmp_path / "bin").mkdir()
    old = tmp_path / "bin" / "java"
    old.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\"' >&2\n", encoding="ascii")
    old.chmod(0o755)
    with failing("spark.java-too-old", MissingExtra, version="11"):
        sessions._check_java()


def test_classes_that_expressions_need_are_found_by_their_full_names(spark: Any) -> None:
    named = {name: part._fqn for name, part in vars(spark.sparkContext._jvm).items() if hasattr(part, "_fqn")}
    assert named == {
        "functions": "org.apache.spark.sql.functions",
        "PythonUtils": "org.apache.spark.api.python.PythonUtils",
        "PythonSQLUtils": "org.apache.spark.sql.api.python.PythonSQLUtils",
    }
