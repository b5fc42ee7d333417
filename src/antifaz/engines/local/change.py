"""Changing columns on the local engine: the rows go by in pieces, in their order, into a new table."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from antifaz.core.messages import Message
from antifaz.core.types import DataType
from antifaz.engines.changes import MOST_VALUES, PIECE, ColumnChange, Sampling, stored
from antifaz.engines.local.duck import cursor, duckdb_errors, first_row, quote
from antifaz.sources.frames import forget_pandas_types

if TYPE_CHECKING:
    from antifaz.engines.local.table import LocalTable

#: What the columns of a table become, and what its rows do, piece by piece.
_Schemas = Callable[[pa.Schema], pa.Schema]
_Pieces = Callable[[pa.RecordBatchReader], Iterator[pa.Table]]


@dataclass(frozen=True)
class ChangedTable:
    """A new table of the same private database: its name, its rows, the types its columns are handed back in."""

    table: str
    rows: int
    arrow: pa.Schema
    #: How the columns that changed are understood now.
    types: dict[str, DataType | str]


def changed(data: LocalTable, changes: Sequence[ColumnChange], keep: Sampling | None = None) -> ChangedTable:
    """Return the table with some columns changed and some rows drawn; it lives in the same private database."""
    for change in changes:
        data.schema.require(change.needs)
    known = {change.column: _known(data, change) for change in changes}
    kept = None
    if keep is not None:
        kept = np.zeros(data.rows, np.bool_)
        kept[np.random.default_rng(keep.key).choice(data.rows, keep.number, replace=False, shuffle=False)] = True
    name, rows = _stored(data, lambda schema: _schema(schema, known), lambda source: _pieces(source, known, kept))
    types: dict[str, DataType | str] = {c.column: c.result for c in changes if c.result is not None}
    return ChangedTable(name, rows, _returned(data, _schema(data.arrow, known), known), types)


def replaced(data: LocalTable, new: pa.Table, types: Mapping[str, DataType]) -> ChangedTable:
    """Return the table with whole columns replaced; it lives in the same private database."""
    data.schema.require(new.column_names)
    before = data.db.table(data.table).limit(0).to_arrow_table().schema
    name, rows = _stored(data, lambda old: _with_types(old, new.schema), lambda source: _with_columns(source, new))
    # What is stored as it was is handed back as it came, such as a category.
    other = [field for field in new.schema if field.type != before.field(field.name).type]
    arrow = _returned(data, _with_types(data.arrow, pa.schema(other)), [field.name for field in other])
    return ChangedTable(name, rows, arrow, dict(types))


def _returned(data: LocalTable, arrow: pa.Schema, changed: Iterable[str]) -> pa.Schema:
    """Return the types in which columns are handed back; pandas' description of those that changed is gone."""
    return forget_pandas_types(arrow.with_metadata(data.arrow.metadata).empty_table(), list(changed)).schema


def _stored(data: LocalTable, schema: _Schemas, pieces: _Pieces) -> tuple[str, int]:
    """Make a new table of what becomes of the pieces of the old one; return its name and its number of rows."""
    name = f"changed_{secrets.token_hex(4)}"
    reader, writer = cursor(data.db), cursor(data.db)
    rows = 0
    try:
        with duckdb_errors(Message("engine.columns-not-changed")):
            source = reader.sql(f"SELECT * FROM {quote(data.table)}").to_arrow_reader(PIECE)  # noqa: S608
            writer.execute("BEGIN")
            for table in pieces(source):
                view = writer.from_arrow(table)
                view.insert_into(name) if rows else view.create(name)
                rows += table.num_rows
            if not rows:
                writer.execute(f"DROP TABLE IF EXISTS {quote(name)}")
                writer.from_arrow(schema(source.schema).empty_table()).create(name)
            writer.execute("COMMIT")
    finally:
        reader.close()
        writer.close()
    return name, rows


def _with_columns(source: pa.RecordBatchReader, new: pa.Table) -> Iterator[pa.Table]:
    """The pieces of a table with columns of another in the place of their own."""
    schema, at = _with_types(source.schema, new.schema), 0
    for batch in source:
        columns = [
            new.column(name).slice(at, batch.num_rows) if name in new.column_names else batch.column(i)
            for i, name in enumerate(batch.schema.names)
        ]
        at += batch.num_rows
        if batch.num_rows:
            yield pa.Table.from_arrays(columns, schema=schema)


def _with_types(schema: pa.Schema, new: pa.Schema) -> pa.Schema:
    return pa.schema([pa.field(f.name, new.field(f.name).type) if f.name in new.names else f for f in schema])


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


def _pieces(source: pa.RecordBatchReader, known: dict[str, ColumnChange], kept: Any) -> Iterator[pa.Table]:
    schema, at = _schema(source.schema, known), 0
    for batch in source:
        arrays = [
            known[name].of([batch.column(needed) for needed in known[name].needs]) if name in known else batch.column(i)
            for i, name in enumerate(batch.schema.names)
        ]
        table = pa.Table.from_arrays(arrays, schema=schema)
        if kept is not None:
            table = table.filter(pa.array(kept[at : at + batch.num_rows]))
        at += batch.num_rows
        if table.num_rows:
            yield table


def _schema(schema: pa.Schema, known: dict[str, ColumnChange]) -> pa.Schema:
    changed = [pa.field(f.name, stored(f.type, known[f.name].result)) for f in schema if f.name in known]
    return _with_types(schema, pa.schema(changed))
