"""A window of rows of a table in a database, to be looked at: as text, in the server's order or of one column."""

# Names of columns are c0, c1, … here; all that makes up a statement is ours.
# ruff: noqa: S608

from __future__ import annotations

from typing import TYPE_CHECKING

from antifaz.engines.database.faults import guard

if TYPE_CHECKING:
    from antifaz.engines.database.data import DatabaseData


def window(
    data: DatabaseData, start: int, count: int, *, sort: str | None = None, descending: bool = False
) -> list[list[str | None]]:
    """Return so many rows as text; in a column's order missing comes last.

    Without a column to sort by, rows come as the server gives them; it keeps to one order as long as nobody writes.
    """
    dialect, names = data.link.dialect, data.schema.names
    shown = ", ".join(f"{dialect.out(field, f'c{i}')} AS c{i}" for i, field in enumerate(data.fields))
    order = ""
    if sort is not None:
        data.schema.require([sort])
        key = data.ordered(sort) or data.place(sort)
        order = f" ORDER BY CASE WHEN {key} IS NULL THEN 1 ELSE 0 END, {key}{' DESC' if descending else ''}"
    rows = f"SELECT {shown} FROM {data.source} AS s{order} LIMIT {count} OFFSET {start}"
    with guard(f"{data.link.address.shown} could not be read"):
        found = data.link.table(rows, [field.arrow for field in data.fields])
    columns = [
        [None if value is None else data.spell(name, value) for value in column.to_pylist()]
        for name, column in zip(names, found.columns, strict=True)
    ]
    return [list(row) for row in zip(*columns, strict=True)]
