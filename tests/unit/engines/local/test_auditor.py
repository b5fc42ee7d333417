"""Counting released rows again on the local engine: what the auditor hands on, and what it says of a file."""

from __future__ import annotations

import hashlib
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from antifaz.core.errors import DataError
from antifaz.core.recoding import ColumnRecoding, Recoding
from antifaz.engines.local.apply import LocalApplied
from antifaz.engines.local.auditor import LocalAuditor
from antifaz.engines.local.data import open_local
from antifaz.engines.local.recount import recount
from antifaz.engines.local.write import Fingerprint
from antifaz.sources.duckdb_connection import close, connect
from failing import failing


def fingerprint(path: Path) -> int | None:
    return LocalAuditor().recount(path, (), fingerprint=True).fingerprint


def test_the_values_of_classes_are_counted_only_where_that_is_asked_for() -> None:
    table = pa.table({"a": ["x", "x", "y"], "s": ["p", "q", "p"]})
    plain = LocalAuditor().recount(table, ["a"], ["s"])
    assert (plain.rows, plain.sizes.tolist(), plain.classes) == (3, [2, 1], None)
    asked = LocalAuditor(threads=1, memory="200MB").recount(table, ["a"], classes=True)
    assert asked.classes is not None
    assert asked.classes["a"].tolist() == [1, 2]
    assert dict(asked.cells) == {}


def test_released_rows_are_counted_beside_people_generalized_alike() -> None:
    released = pa.table({"a": ["*", "*"]})
    star = ColumnRecoding(column="a", values=("x", "y"), labels=("*", "*"))
    with open_local(pa.table({"a": ["x", "y", "y"]})) as people:
        applied = LocalApplied(data=people, recoding=Recoding(columns=(star,)), key=1)
        found = LocalAuditor().recount(released, ["a"], population=applied).population
    assert found is not None
    (cells,) = found.cells.values()
    assert (found.sizes.tolist(), cells.labels, cells.counts.tolist()) == ([5], ("person", "released"), [3, 2])


def test_a_file_is_described_by_its_name_its_format_and_its_hash(tmp_path: Path) -> None:
    path = tmp_path / "release.csv"
    path.write_bytes(b"a\nx\n")
    expected = {"file": "release.csv", "format": "csv", "sha256": hashlib.sha256(b"a\nx\n").hexdigest()}
    assert LocalAuditor().describe(path) == expected


def test_a_fingerprint_is_that_of_the_rows_and_none_is_zero(tmp_path: Path) -> None:
    path = tmp_path / "release.csv"
    path.write_bytes(b"a,b\n")
    assert fingerprint(path) == 0
    path.write_bytes(b"a,b\nx,\ny,1\n")
    found = fingerprint(path)
    assert found != 0
    assert recount(path, ["a"], ["b"], fingerprint=True).fingerprint == found
    assert recount(path, ["a"], ["b"], fingerprint=True, memory="200MB").fingerprint == found
    assert recount(path, ["a"]).fingerprint is None
    path.write_bytes(b'a,b\nx,""\ny,1\n')
    assert fingerprint(path) != found
    parquet = tmp_path / "release.parquet"
    pq.write_table(pa.table({"a": ["y", "x"], "b": [1, None]}), parquet)
    assert fingerprint(parquet) == found


def test_values_are_numbers_only_if_all_are() -> None:
    def numeric(*values: str | None) -> bool:
        return recount(pa.table({"s": pa.array(values, pa.string())}), [], ["s"]).cells["s"].numeric

    assert numeric("1", "2.5", None)
    assert not numeric("1", "x")
    assert not numeric(None, "")


def test_a_table_without_columns_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "release.csv"
    path.write_bytes(b"")
    with failing("table.checked-no-columns", DataError):
        recount(path, [])
    with failing("table.checked-has-column-twice", DataError):
        recount(pa.table([pa.array([1]), pa.array([2])], names=["a", "a"]), [])


def test_what_arrow_says_of_a_table_that_it_can_not_take_is_not_kept() -> None:
    with failing("table.checked-not-arrow", DataError) as caught:
        recount({"a": [1, "a cell of the data"]}, ["a"])
    context = caught.value.__context__
    assert context is not None
    assert "a cell of the data" not in str(context)


def test_rows_that_pass_by_have_the_fingerprint_of_the_file_they_become(tmp_path: Path) -> None:
    rows = pa.table({"a": ["x", "y", None], "b": ["1", "2", "3"]})
    connection = connect()
    try:
        passing = Fingerprint(connection, "*")
        assert passing.value == 0
        assert passing.passing(rows.to_reader(max_chunksize=1)).read_all() == rows
        with pytest.raises(duckdb.CatalogException, match="batch"):
            connection.execute("FROM batch")
    finally:
        close(connection)
    path = tmp_path / "release.csv"
    path.write_bytes(b"a,b\n,3\ny,2\nx,1\n")
    assert passing.value == fingerprint(path)
