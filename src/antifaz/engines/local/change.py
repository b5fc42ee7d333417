"""Changing columns on the local engine: the rows go by in pieces, in their order, into a new table."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from antifaz.core.types import DataType
from antifaz.engines.changes import MOST_VALUES, PIECE, Change, Sampling, stored
from antifaz.engines.local.duck import first_row, guard, quote
from antifaz.engines.local.types import native_types

if TYPE_CHECKING:
    from antifaz.engines.local.data import LocalData


def changed(data: LocalData, changes: Sequence[Change], keep: Sampling | None = None) -> LocalData:
    """Return the table with some columns changed and some rows drawn; it lives in the same private database."""
    for change in changes:
        data.schema.require(change.needs)
    known = {change.column: _known(data, change) for change in changes}
    name = f"changed_{secrets.token_hex(4)}"
    reader, writer = data.db.cursor(), data.db.cursor()
    rows = 0
    try:
        with guard("Changing the columns failed"):
            source = reader.sql(f"SELECT * FROM {quote(data.table)}").to_arrow_reader(PIECE)  # noqa: S608
            writer.execute("BEGIN")
            for table in _pieces(source, known, _drawn(data, keep)):
                view = writer.from_arrow(table)
                view.insert_into(name) if rows else view.create(name)
                rows += table.num_rows
            if not rows:
                writer.execute(f"DROP TABLE IF EXISTS {quote(name)}")
                writer.from_arrow(_schema(source.schema, known).empty_table()).create(name)
            writer.execute("COMMIT")
    finally:
        reader.close()
        writer.close()
    return _described(data, name, known, rows)


def _known(data: LocalData, change: Change) -> Change:
    """Work a costly change out for the distinct values first, where they are fewer than the rows and few enough."""
    if not (change.costly and change.by_value and len(change.needs) == 1):
        return change
    column = quote(change.column)
    with guard("Counting failed"):
        about = first_row(data.db, f"SELECT approx_count_distinct({column}) FROM {quote(data.table)}")[0]  # noqa: S608
        if about > MOST_VALUES or 2 * about > data.rows:
            return change
        values = data.db.sql(f"SELECT DISTINCT {column} FROM {quote(data.table)}").to_arrow_table()  # noqa: S608
    return change.known(values.column(0).combine_chunks())


def _drawn(data: LocalData, keep: Sampling | None) -> Any:
    """Return for every row whether it is kept, or None where all are."""
    if keep is None:
        return None
    chosen = np.zeros(data.rows, np.bool_)
    chosen[np.random.default_rng(keep.key).choice(data.rows, keep.number, replace=False, shuffle=False)] = True
    return chosen


def _pieces(source: pa.RecordBatchReader, known: dict[str, Change], drawn: Any) -> Iterator[pa.Table]:
    schema, at = _schema(source.schema, known), 0
    for batch in source:
        arrays = [
            known[name].of([batch.column(needed) for needed in known[name].needs]) if name in known else batch.column(i)
            for i, name in enumerate(batch.schema.names)
        ]
        table = pa.Table.from_arrays(arrays, schema=schema)
        if drawn is not None:
            table = table.filter(pa.array(drawn[at : at + batch.num_rows]))
        at += batch.num_rows
        if table.num_rows:
            yield table


def _schema(schema: pa.Schema, known: dict[str, Change]) -> pa.Schema:
    return pa.schema(
        [
            pa.field(field.name, stored(field.type, known[field.name].result)) if field.name in known else field
            for field in schema
        ]
    )


def _described(data: LocalData, name: str, known: dict[str, Change], rows: int) -> LocalData:
    types: dict[str, DataType | str] = {
        change.column: change.result for change in known.values() if change.result is not None
    }
    arrow = forget(_schema(data.arrow, known).with_metadata(data.arrow.metadata).empty_table(), list(known)).schema
    return type(data)(
        data.db, schema=data.schema.with_types(types), rows=rows, kind=data.kind, arrow=arrow,
        native=native_types(data.db, name), notes=data.notes, place=data.place, limits=data.limits, memory=data.memory,
        table=name,
    )  # fmt: skip


def forget(table: pa.Table, names: Sequence[str]) -> pa.Table:
    """Take columns out of the description that pandas attached: it would turn new values into the old type again."""
    metadata = dict(table.schema.metadata or {})
    if b"pandas" not in metadata:
        return table
    described = json.loads(metadata[b"pandas"])
    kept = [c for c in described.get("columns", []) if c.get("field_name", c.get("name")) not in names]
    return table.replace_schema_metadata({**metadata, b"pandas": json.dumps({**described, "columns": kept}).encode()})
