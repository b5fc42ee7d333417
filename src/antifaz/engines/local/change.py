"""Changing columns on the local engine: the rows go by in pieces, in their order, into a new table."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from antifaz.core.changes import MOST_VALUES, PIECE, ColumnChange, Sampling, stored
from antifaz.core.messages import Message
from antifaz.core.types import DataType
from antifaz.sources.duckdb_connection import cursor, duckdb_errors, first_row, quote
from antifaz.sources.frames import forget_pandas_types

if TYPE_CHECKING:
    from antifaz.engines.local.table import LocalTable


def changed(data: LocalTable, changes: Sequence[ColumnChange], keep: Sampling | None = None) -> dict[str, Any]:
    """Make the table with some columns changed and some rows drawn; return what is new of a `LocalTable` then."""
    for change in changes:
        data.schema.require(change.needs)
    known = {change.column: _known(data, change) for change in changes}
    kept = None
    if keep is not None and keep.kept is not None:
        kept = keep.kept
    elif keep is not None:
        kept = np.zeros(data.rows, np.bool_)
        kept[np.random.default_rng(keep.key).choice(data.rows, keep.number, replace=False, shuffle=False)] = True

    def retype(schema: pa.Schema) -> pa.Schema:
        kinds = {field.name: field.type for field in schema if field.name in known}
        return _with_types(schema, {name: stored(kind, known[name].result) for name, kind in kinds.items()})

    def cells(batch: pa.RecordBatch, name: str, at: int) -> Any:
        return known[name].of([batch.column(n) for n in known[name].needs]) if name in known else batch.column(name)

    table, rows = _stored(data, retype, cells, kept)
    schema = data.schema.with_types({c.column: c.result for c in changes if c.result is not None})
    return {"table": table, "rows": rows, "arrow": _returned(data, retype(data.arrow), known), "schema": schema}


def replaced(data: LocalTable, new: pa.Table, types: Mapping[str, DataType]) -> dict[str, Any]:
    """Make the table with whole columns replaced; return what is new of a `LocalTable` then."""
    data.schema.require(new.column_names)
    kinds = {field.name: field.type for field in new.schema}

    def cells(batch: pa.RecordBatch, name: str, at: int) -> Any:
        return new.column(name).slice(at, batch.num_rows) if name in kinds else batch.column(name)

    before = data.db.table(data.table).limit(0).to_arrow_table().schema
    table, rows = _stored(data, lambda schema: _with_types(schema, kinds), cells)
    # What is stored as it was is handed back as it came, such as a category.
    other = {name: kind for name, kind in kinds.items() if kind != before.field(name).type}
    arrow = _returned(data, _with_types(data.arrow, other), other)
    return {"table": table, "rows": rows, "arrow": arrow, "schema": data.schema.with_types(types)}


def _stored(
    data: LocalTable,
    retype: Callable[[pa.Schema], pa.Schema],
    cells: Callable[[pa.RecordBatch, str, int], Any],
    kept: Any = None,
) -> tuple[str, int]:
    """Make a new table of what becomes of the pieces of the old one; return its name and its number of rows.

    `cells` gives the new cells of a column from a piece and its place; `kept` says of every row whether it stays.
    """
    name = f"changed_{secrets.token_hex(4)}"
    reader, writer = cursor(data.db), cursor(data.db)
    rows = at = 0
    try:
        with duckdb_errors(Message("engine.columns-not-changed")):
            source = reader.sql(f"SELECT * FROM {quote(data.table)}").to_arrow_reader(PIECE)  # noqa: S608
            schema = retype(source.schema)
            writer.execute("BEGIN")
            for batch in source:
                table = pa.Table.from_arrays([cells(batch, column, at) for column in schema.names], schema=schema)
                if kept is not None:
                    table = table.filter(pa.array(kept[at : at + batch.num_rows]))
                at += batch.num_rows
                if table.num_rows:
                    view = writer.from_arrow(table)
                    view.insert_into(name) if rows else view.create(name)
                    rows += table.num_rows
            if not rows:
                writer.from_arrow(schema.empty_table()).create(name)
            writer.execute("COMMIT")
    finally:
        reader.close()
        writer.close()
    return name, rows


def _with_types(schema: pa.Schema, kinds: Mapping[str, pa.DataType]) -> pa.Schema:
    return pa.schema([pa.field(f.name, kinds[f.name]) if f.name in kinds else f for f in schema])


def _returned(data: LocalTable, arrow: pa.Schema, changed: Iterable[str]) -> pa.Schema:
    """Return the types in which columns are handed back; pandas' description of those that changed is gone."""
    return forget_pandas_types(arrow.with_metadata(data.arrow.metadata).empty_table(), list(changed)).schema


def _known(data: LocalTable, change: ColumnChange) -> ColumnChange:
    """Work a costly change out for the distinct values first, where they are fewer than the rows and few enough."""
    if not (change.costly and change.by_value and len(change.needs) == 1):
        return change
    column = quote(change.column)
    with duckdb_errors(Message("table.counting-failed")):
        about = first_row(data.db, f"SELECT approx_count_distinct({column}) FROM {quote(data.table)}")[0]  # noqa: S608
        if about > MOST_VALUES or 2 * about > data.rows:
            return change
        values = data.db.sql(f"SELECT DISTINCT {column} FROM {quote(data.table)}").to_arrow_table()  # noqa: S608
    return change.known(values.column(0).combine_chunks())
