"""A window of rows, to be looked at: as text, in the order of the table or of one column; the others stay."""

# Names of columns go through `quote`; all else that makes up a statement is ours.
# ruff: noqa: S608

from __future__ import annotations

from typing import TYPE_CHECKING

from antifaz.core.types import DataType
from antifaz.engines.local.duck import as_text, duckdb_errors, quote

if TYPE_CHECKING:
    from antifaz.engines.local.table import LocalTable

#: By what a column is sorted; text by itself.
_KEYS = {
    DataType.INTEGER: "TRY_CAST({0} AS DECIMAL(38, 0))",
    DataType.DECIMAL: "TRY_CAST({0} AS DOUBLE)",
    DataType.DATE: "TRY_CAST({0} AS TIMESTAMP)",
    DataType.DATETIME: "TRY_CAST({0} AS TIMESTAMP)",
}


def window(
    data: LocalTable, start: int, count: int, *, sort: str | None = None, descending: bool = False
) -> list[list[str | None]]:
    """Return so many rows as text; in a column's order missing comes last, and equal cells keep the table's order."""
    shown = ", ".join(as_text(quote(column), kind) for column, kind in data.native.items())
    table = quote(data.table)
    if sort is not None:
        rows = _sorted(data, shown, sort, descending, start, count)
    elif has_own_rowid(data):
        rows = f"SELECT {shown} FROM {table} LIMIT {count} OFFSET {start}"
    else:
        # Nothing is ever deleted from the table, so the numbers of its rows are their places: no row is counted off.
        rows = f"SELECT {shown} FROM {table} WHERE rowid >= {start} AND rowid < {start + count} ORDER BY rowid"
    with duckdb_errors("The rows could not be read"):
        return [list(row) for row in data.db.execute(rows).fetchall()]


def has_own_rowid(data: LocalTable) -> bool:
    """Say whether a column has the name by which DuckDB numbers rows."""
    return any(name.casefold() == "rowid" for name in data.native)


def _sorted(data: LocalTable, shown: str, sort: str, descending: bool, start: int, count: int) -> str:
    """Return the statement that finds the rows by the one column, and only then reads the others."""
    data.schema.require([sort])
    value, table = quote(sort), quote(data.table)
    key = _KEYS.get(data.schema[sort].type, "{0}").format(value)
    way = "DESC" if descending else "ASC"
    order = f"{key} {way} NULLS LAST, {value} {way} NULLS LAST"
    if has_own_rowid(data):
        return f"SELECT {shown} FROM {table} ORDER BY {order} LIMIT {count} OFFSET {start}"
    chosen = f"SELECT rowid FROM {table} ORDER BY {order}, rowid LIMIT {count} OFFSET {start}"
    return f"SELECT {shown} FROM {table} WHERE rowid IN ({chosen}) ORDER BY {order}, rowid"
