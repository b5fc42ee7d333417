"""Types are an interpretation of all values; text stays text."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from antifaz.core.errors import SchemaError
from antifaz.core.types import DataType
from antifaz.engines.dialects.duckdb import DuckDB
from antifaz.engines.local.data import open_local
from engines.type_spellings import SPELLINGS
from failing import failing


@pytest.mark.parametrize(("values", "kind"), SPELLINGS)
def test_inferred(values: list[str | None], kind: DataType) -> None:
    with open_local(pa.table({"odd \"name'": pa.array(values, pa.string())})) as data:
        assert data.schema.columns[0].type is kind


@pytest.mark.parametrize(
    ("usual", "last", "kind"),
    [
        ("7", "08", DataType.TEXT),
        ("7", "7.5", DataType.DECIMAL),
        ("2020-01-01", "x", DataType.TEXT),
        ("true", "1", DataType.TEXT),
        ("", "5", DataType.INTEGER),
    ],
)
def test_every_row_counts(usual: str, last: str, kind: DataType) -> None:
    """What the first rows suggest is not believed."""
    with open_local(pa.table({"a": [usual] * 5000 + [last]})) as data:
        assert data.schema["a"].type is kind


@pytest.mark.parametrize(
    ("last", "kind"),
    [("2020-02-29", DataType.DATE), ("2021-02-29", DataType.TEXT), (" ", DataType.DATE), (None, DataType.DATE),
     ("2020-02-29T10:00", DataType.TEXT), ("0000-01-01", DataType.TEXT)],
)  # fmt: skip
def test_of_many_days_all_that_differ_are_read(
    last: str | None, kind: DataType, monkeypatch: pytest.MonkeyPatch
) -> None:
    days = pa.array(["2020-01-01", "1999-12-31"] * 300 + [last], pa.string())
    table = pa.table({"odd \"name'": days, "s": pa.array(["7"] * 601)})
    with open_local(table) as data:
        before = {c.name: c.type for c in data.schema}
    monkeypatch.setattr(DuckDB, "many_days", 600)
    with open_local(table) as data:
        assert {c.name: c.type for c in data.schema} == before == {"odd \"name'": kind, "s": DataType.INTEGER}


def test_told_types_are_checked() -> None:
    frame = pa.table({"a": ["1", "2", "Kanarienvogel"], "d": ["1/2/2020", None, ""]})
    with failing("column.values-not-of-type", SchemaError, name="a", kind="integer", count=1, first=3) as e:
        open_local(frame, types={"a": "integer"})
    assert "Kanarienvogel" not in str(e.value)
    with failing("column.unknown-type", SchemaError, kind="intger"):
        open_local(frame, types={"a": "intger"})
    with open_local(pa.table({"a": ["007", "+5"]}), types={"a": DataType.INTEGER}) as data:
        assert data.schema["a"].type is DataType.INTEGER
        assert data.to_arrow().column("a").to_pylist() == ["007", "+5"]


def test_a_column_called_rowid_does_not_hide_where_a_value_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("rowid,age\n9,1\n9,2\n9,three\n")
    with failing("column.values-not-of-type", SchemaError, first=3):
        open_local(tmp_path / "people.csv", types={"age": "integer"})
