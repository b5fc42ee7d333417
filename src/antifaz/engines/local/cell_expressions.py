"""SQL for the cells of a table: as they are, or in a type where all of them keep their exact value."""

# Names of columns are quoted.
# ruff: noqa: S608
from __future__ import annotations

from collections.abc import Sequence

import duckdb

from antifaz.core.messages import Message
from antifaz.core.types import DataType
from antifaz.engines.local.data import LocalData
from antifaz.engines.local.duck import duckdb_errors, first_row, quote
from antifaz.engines.local.write import without_formulas

TEXT = "VARCHAR"
_TYPES = {DataType.INTEGER: "BIGINT", DataType.DECIMAL: "DOUBLE", DataType.DATE: "DATE", DataType.BOOLEAN: "BOOLEAN"}


def cells_as_they_are(data: LocalData) -> dict[str, str]:
    """Return for each column what gives its cells as they are, text made harmless for spreadsheets."""
    own = data.native
    return {name: without_formulas(name) if own.get(name, TEXT) == TEXT else quote(name) for name in data.schema.names}


def typed_cells(data: LocalData) -> dict[str, str]:
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
        with duckdb_errors(Message("table.rows-not-readable")):
            (changed,) = first_row(data.db, f"SELECT count(*) FILTER (NOT ({kept})) FROM {quote(data.table)}")
        chosen[column.name] = name if changed else f"CAST({name} AS {wanted})"
    return chosen


def row_hash_sum(db: duckdb.DuckDBPyConnection, cells: Sequence[str], rows: str) -> tuple[int, str]:
    """Return how many rows there are and a sum over their cells, in which each row's place counts."""
    statement = f"SELECT hash(row_number() OVER (), {', '.join(cells)}) AS one FROM {rows}"
    many, total = first_row(db, f"SELECT count(*), coalesce(sum(one), 0)::VARCHAR FROM ({statement})")
    return int(many), str(total)
