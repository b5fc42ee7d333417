"""The cells of a table of text in types, where all of them keep their exact value there."""

# Names of columns are quoted.
# ruff: noqa: S608
from __future__ import annotations

from collections.abc import Iterator

from antifaz.core.types import DataType
from antifaz.engines.local.data import LocalData
from antifaz.engines.local.duck import cursor, first_row, guard, quote
from antifaz.engines.local.write import harmless

TEXT = "VARCHAR"
_TYPES = {DataType.INTEGER: "BIGINT", DataType.DECIMAL: "DOUBLE", DataType.DATE: "DATE", DataType.BOOLEAN: "BOOLEAN"}


def plain(data: LocalData) -> dict[str, str]:
    """Return for each column what gives its cells as they are, text made harmless for spreadsheets."""
    own = data.native
    return {name: harmless(name) if own.get(name, TEXT) == TEXT else quote(name) for name in data.schema.names}


def typed(data: LocalData) -> dict[str, str]:
    """Return for each column the statement that gives its cells, in a type where all of them keep their value."""
    chosen = {}
    for column in data.schema:
        name, own = quote(column.name), data.native.get(column.name, TEXT)
        wanted = _TYPES.get(column.type)
        if own != TEXT or wanted is None:
            chosen[column.name] = name
            continue
        kept = f"CAST(TRY_CAST({name} AS {wanted}) AS VARCHAR) IS NOT DISTINCT FROM {name}"
        if wanted == "DOUBLE":  # 0.10 is 0.1, as long as no digit that counts is lost
            through = f"TRY_CAST({name} AS DOUBLE)::VARCHAR"
            exact, double = (f"TRY_CAST({part} AS DECIMAL(38, 15))" for part in (name, through))
            digits = f"length(regexp_replace({name}, '[^0-9]', '', 'g')) <= 15"
            kept = f"({name} IS NULL OR ({digits} AND {exact} = {double}))"
        with guard("The rows could not be read"):
            (changed,) = first_row(data.db, f"SELECT count(*) FILTER (NOT ({kept})) FROM {quote(data.table)}")
        chosen[column.name] = name if changed else f"CAST({name} AS {wanted})"
    return chosen


def checked_rows(data: LocalData, chosen: dict[str, str]) -> Iterator[list[tuple[object, ...]]]:
    """Give all rows in their order, some thousand at a time."""
    statement = ", ".join(chosen[name] for name in data.schema.names)
    with guard("The rows could not be read"):
        found = cursor(data.db).execute(f"SELECT {statement} FROM {quote(data.table)}")
        while rows := found.fetchmany(5_000):
            yield rows
