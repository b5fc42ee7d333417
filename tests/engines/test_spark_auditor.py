"""The auditor on Spark counts what the one on this machine counts, and finds every cell that changed."""

from __future__ import annotations

import datetime
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from antifaz.core.errors import AntifazError, DataError, ParameterError, SchemaError
from antifaz.core.recoding import ColumnRecoding, Recoding
from antifaz.core.recount import Recount
from antifaz.engines.local.auditor import LocalAuditor
from antifaz.engines.local.data import open_local
from failing import failing, like

#: PySpark leaves it to the collector to close the sockets through which it hands tables over.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")
FORMATS = ("csv", "tsv", "parquet")
ALL = Recoding(columns=())


@pytest.fixture
def auditor(spark):
    from antifaz.engines.spark.auditor import SparkAuditor

    return SparkAuditor(spark)


def _open(spark: Any, table: pa.Table) -> Any:
    from antifaz.engines.spark.data import open_spark

    return open_spark(spark.createDataFrame(table).repartition(3), session=spark)


def _same(one: Recount, other: Recount) -> None:
    assert (one.rows, one.columns) == (other.rows, other.columns)
    assert one.sizes.dtype == other.sizes.dtype == np.int64
    assert one.sizes.tolist() == other.sizes.tolist()
    assert list(one.cells) == list(other.cells)
    for name, cells in one.cells.items():
        wanted = other.cells[name]
        assert (cells.labels, cells.numeric) == (wanted.labels, wanted.numeric)
        for part in ("classes", "values", "counts"):
            assert getattr(cells, part).tolist() == getattr(wanted, part).tolist(), part


def test_rows_that_no_other_is_like_are_counted_in_one_pass(spark, auditor, table):
    combinations = [("income",), ("sex",), ("age", "postcode", "diagnosis"), ("age", "sex", "diagnosis")]
    with _open(spark, table) as data:
        rows = data.apply(ALL, key=1).collect()
        counts = auditor.count_unique(rows, combinations)
        rows.unpersist()
    assert counts == LocalAuditor().count_unique(table, combinations)
    assert counts[0] > counts[1] and counts[2] > 0


words = st.none() | st.sampled_from(["", "a", "A", " a", "é", "e\u0301", "Ω", "😀", "1", "1.0", "01", 'x"', "x,\n"])
numbers = st.none() | st.sampled_from([0.0, -0.0, 1.0, 1.5, 1e10, 1e-7, -3.0, float("nan"), float("inf")])
records = st.tuples(words, st.none() | st.integers(-2, 2), numbers, words, numbers)
NAMES = ("word", "whole", "number", "ill", "pay")
KINDS = (pa.string(), pa.int32(), pa.float64(), pa.string(), pa.float64())


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(records, max_size=25), st.integers(0, 3), st.integers(0, 2))
def test_any_small_table_is_counted_as_on_this_machine(spark, auditor, rows, qis, sensitive):
    columns = zip(*rows, strict=True) if rows else [()] * len(NAMES)
    arrays = [pa.array(column, kind) for column, kind in zip(columns, KINDS, strict=True)]
    table = pa.table(dict(zip(NAMES, arrays, strict=True)))
    asked = (NAMES[:qis], ("ill", "pay")[:sensitive])
    _same(auditor.recount(spark.createDataFrame(table), *asked), LocalAuditor().recount(table, *asked))


PEOPLE = pa.table(
    {
        "age": pa.array([31, 31, 32, 45, None, None, 31], pa.int32()),
        "town": ["Wien", " wien", "Graz", "", None, None, "Wien"],
        "day": [datetime.date(2020, 1, 1 + i % 3) for i in range(7)],
        "ill": ["Flu", "flu ", None, "1.0", "01", "", "FLU"],
    }
)
QIS = ("town", "age", "day")


def _fingerprint(auditor: Any, place: Any) -> int:
    return auditor.recount(place, (), fingerprint=True).fingerprint


@pytest.mark.parametrize("format", FORMATS)
def test_written_parts_are_counted_as_the_local_file(spark, auditor, tmp_path, format):
    (tmp_path / "local").mkdir()
    with open_local(PEOPLE) as data:
        local = data.apply(ALL, key=3).write(tmp_path / "local", format).path
    written = _open(spark, PEOPLE).apply(ALL, 3).write(tmp_path, format)
    for qis in (QIS, ("town",), ()):
        _same(auditor.recount(written.path, qis, ["ill"]), LocalAuditor().recount(local, qis, ["ill"]))
    assert _fingerprint(auditor, written.path) == written.fingerprint
    parts = len(list(written.path.iterdir()))
    told = {"file": f"release.{format}", "format": format, "parts": parts, "fingerprint": f"{written.fingerprint:016x}"}
    assert auditor.describe(written.path) == told
    assert auditor.describe(f"file://{written.path}") == told


def test_text_is_compared_byte_by_byte_whatever_its_collation(spark, auditor):
    from pyspark.sql import functions as fn

    frame = spark.createDataFrame(pa.table({"town": ["Wien", "wien", "Graz"]}))
    frame = frame.withColumn("town", fn.col("town").cast("string collate UTF8_LCASE"))
    assert frame.groupBy("town").count().count() == 2
    assert auditor.recount(frame, ["town"]).sizes.tolist() == [1, 1, 1]


@pytest.fixture
def release(spark, tmp_path):
    """A written release of which a test may change a part."""
    rows = 300
    table = pa.table({"q": [f"q{i % 7}" for i in range(rows)], "text": [f"t{i:04d}" for i in range(rows)]})
    return _open(spark, table).apply(ALL, 5).write(tmp_path, "csv")


def _change(folder: Path, old: bytes, new: bytes) -> None:
    part = next(part for part in sorted(folder.iterdir()) if old in part.read_bytes())
    part.write_bytes(part.read_bytes().replace(old, new, 1))


@pytest.mark.parametrize(
    ("old", "new"),
    [(b"t0123", b"t0124"), (b",t0123", b","), (b",t0123", b',""'), (b"\nq", b"\nr")],
    ids=["another value", "missing", "empty", "another class"],
)
def test_check_01_a_cell_that_changed_is_found(auditor, release, old, new):
    assert _fingerprint(auditor, release.path) == release.fingerprint
    _change(release.path, old, new)
    assert _fingerprint(auditor, release.path) != release.fingerprint


def test_missing_and_empty_have_different_fingerprints(auditor, release):
    _change(release.path, b",t0123", b",")
    missing = _fingerprint(auditor, release.path)
    _change(release.path, b",\n", b',""\n')
    assert _fingerprint(auditor, release.path) != missing


def test_a_part_that_is_gone_or_twice_there_is_found(auditor, release):
    part = sorted(release.path.iterdir())[0]
    shutil.copy(part, part.with_name("part-99999.csv"))
    assert _fingerprint(auditor, release.path) != release.fingerprint
    assert auditor.recount(release.path, ["q"]).rows > 300
    part.with_name("part-99999.csv").unlink()
    part.unlink()
    with suppress(DataError):  # where it was the only one
        assert _fingerprint(auditor, release.path) != release.fingerprint


@pytest.mark.parametrize(
    ("old", "new"),
    [(b"t0123", b"t0123,secret"), (b",t0123", b""), (b"q,text\n", b"q,test\n"), (b"t0123", b't0"secret\n')],
    ids=["a cell too many", "a cell too few", "another name", "a broken quote"],
)
def test_what_is_not_our_dialect_is_never_taken_for_the_release(auditor, release, old, new):
    _change(release.path, old, new)
    try:
        counted, found = auditor.recount(release.path, ["q"]), _fingerprint(auditor, release.path)
    except AntifazError as error:
        assert "secret" not in str(error)
    else:
        assert found != release.fingerprint or counted.columns != ("q", "text")


def test_a_header_that_differs_between_parts_is_found(auditor, release):
    part = sorted(release.path.iterdir())[0]
    part.with_name("part-99999.csv").write_bytes(b"q,other\nq1,t1\n")
    with failing("source.failed", DataError, what=like("table.checked-not-readable")):
        auditor.recount(release.path, ["q"])


def test_what_can_t_be_checked_is_said(spark, auditor, release, tmp_path):
    with failing("table.checked-lacks-column", SchemaError, name="p"):
        auditor.recount(release.path, ["p"])
    with failing("table.no-file-to-check", DataError, file="release.tsv"):
        auditor.recount(tmp_path / "release.tsv", ["q"])
    with failing("spark.unknown-format-of-folder", ParameterError):
        auditor.recount(tmp_path, ["q"])
    (tmp_path / "release.parquet").mkdir()
    with failing("spark.no-rows-to-check", DataError):
        auditor.recount(tmp_path / "release.parquet", ["q"])


@pytest.mark.parametrize("format", ["csv", "parquet", None])
def test_released_rows_and_people_are_counted_together(spark, auditor, tmp_path, format):
    """Also where a number is spelled in two ways, and a person is in no released class."""
    values = ("1", "2", None)
    ages = ColumnRecoding(column="age", values=values, labels=("*", "*", None))
    decided = Recoding(columns=(ages,))
    table = pa.table({"age": pa.array([1, 2, None, 1], pa.int32()), "pay": [1e10, 1e10, 0.5, 0.5]})
    people = pa.table({"pay": [1e10, 0.5, 7.0, None, 1e10], "age": pa.array([2, None, 1, 1, 1], pa.int32())})
    with open_local(table) as data, open_local(people) as others:
        released, persons = data.apply(decided, 1).collect(), others.apply(decided, 0)
        local = LocalAuditor().recount(released, ["age", "pay"], population=persons).population
    applied = _open(spark, table).apply(decided, 1)
    place = applied.write(tmp_path, format).path if format else applied.collect()
    found = auditor.recount(place, ["age", "pay"], population=_open(spark, people).apply(decided, 0)).population
    sides = found.cells["antifaz side"]
    assert (found.rows, found.columns, sides.labels) == (9, local.columns, local.cells["antifaz side"].labels)
    assert sorted(found.sizes.tolist()) == sorted(local.sizes.tolist()) == [1, 1, 1, 2, 4]
    assert sides.totals == {"person": 5, "released": 4}
