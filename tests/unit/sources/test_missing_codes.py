"""Codes that mean missing, by column."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import antifaz as az
from antifaz.core.errors import DataError, SchemaError
from antifaz.sources.missing_codes import missing_words
from failing import failing, near


def test_codes_of_one_column_are_values_in_another(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text('age,code\n99,99\n"99",?\n31,1\n', "utf-8")
    with az.open(tmp_path / "t.csv", missing={"age": ["99"], "code": "?"}) as data:
        assert data.to_arrow().to_pydict() == {"age": [None, None, "31"], "code": ["99", None, "1"]}
        assert [str(c.type) for c in data.schema] == ["integer", "integer"]
        counted = {note.values["name"]: note.values["count"] for note in data.notes if "count" in note.values}
    assert counted == {"age": 2, "code": 1}


def test_codes_fit_the_types_of_frames() -> None:
    table = pa.table({"age": [34, -9, None], "town": pa.array(["?", "Vigo", "?"]).dictionary_encode()})
    with az.open(table, missing={"age": ["-9"], "town": ["?"]}) as data:
        assert data.to_arrow().column("age").to_pylist() == [34, None, None]
        assert data.to_arrow().column("town").to_pylist() == [None, "Vigo", None]
    with failing("missing.code-not-of-type", DataError, name="age"):
        az.open(table, missing={"age": ["?"]})


def test_an_unknown_column_is_refused_with_the_nearest() -> None:
    with failing("column.unknown", SchemaError, name="agee", hint=near("age")):
        az.open(pa.table({"age": ["1"]}), missing={"agee": ["1"]})


def test_a_database_takes_them_too(tmp_path: Path) -> None:
    pytest.importorskip("sqlalchemy")
    (tmp_path / "t.csv").write_text("age,code\nx,x\n31,1\n", "utf-8")
    url = f"sqlite:///{tmp_path / 'd.db'}"
    az.import_table(tmp_path / "t.csv", url, "t")
    with az.open(url, table="t", missing={"age": ["x"]}) as data:
        assert {c.name: c.missing for c in data.profile()} == {"age": 1, "code": 0}


def test_where_codes_can_not_be_told_by_column_they_are_refused() -> None:
    assert missing_words(["?"]) == ("?",)
    with failing("missing.not-by-column-here", DataError):
        missing_words({"age": ["?"]})
