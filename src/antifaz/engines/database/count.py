"""Counting in a database: one GROUP BY on the server; only the distinct tuples come out.

Each value is counted under the same text as on the local engine. The server spells what it spells alike; numbers come
out as numbers and are spelled here.
"""

# Names of columns are c0, c1, …; no name of the data is in these statements.
# ruff: noqa: S608
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from antifaz.counting.tuples import Tuples
from antifaz.engines.database.faults import guard
from antifaz.engines.database.fields import Field, spelled
from antifaz.engines.local.count import dictionary

if TYPE_CHECKING:
    from antifaz.engines.database.data import DatabaseData


def count(data: DatabaseData, columns: Sequence[str]) -> Tuples:
    """Count the distinct tuples of some columns. Rows stay in the database; only the tuples come out."""
    data.schema.require(columns)
    if not columns:
        return Tuples(columns=(), values=(), codes=(), counts=np.array([data.rows], np.int64))
    fields = [data.field(name) for name in columns]
    places = [data.place(name) for name in columns]
    dialect = data.link.dialect
    # Grouping on the stored type and spelling the few distinct tuples is cheaper than spelling every row.
    grouped = f"SELECT {', '.join(places)}, count(*) AS n FROM {data.source} AS s GROUP BY {', '.join(places)}"
    texts = ", ".join(dialect.fetched(field, place) for field, place in zip(fields, places, strict=True))
    with guard("Counting failed"):
        table = data.link.table(f"SELECT {texts}, n FROM ({grouped}) AS g", [*map(fetched_type, fields), pa.int64()])
    encoded = [_encoded(field, table.column(i)) for i, field in enumerate(fields)]
    return Tuples(
        columns=tuple(columns),
        values=tuple(values for values, _ in encoded),
        codes=tuple(codes for _, codes in encoded),
        counts=table.column(len(fields)).to_numpy().astype(np.int64),
    )


def fetched_type(field: Field) -> pa.DataType:
    """The Arrow type in which what is counted of a column comes out."""
    if field.kind in ("float", "single"):
        return pa.float64()
    return pa.int64() if field.kind == "integer" and not getattr(field.type, "unsigned", False) else pa.string()


def _encoded(field: Field, column: pa.ChunkedArray) -> tuple[tuple[str | None, ...], Any]:
    if pa.types.is_string(column.type):
        return dictionary(column)
    coded = column.combine_chunks().dictionary_encode(null_encoding="encode")
    if isinstance(coded, pa.ChunkedArray):
        coded = coded.combine_chunks()
    texts = [spelled(field, value) for value in coded.dictionary.to_pylist()]
    # Sorted as texts are elsewhere; minus zero is zero.
    values = sorted(set(texts), key=lambda text: (text is None, (text or "").encode()))
    ids = {text: i for i, text in enumerate(values)}
    place = np.array([ids[text] for text in texts], np.int32)
    return tuple(values), place[coded.indices.to_numpy(zero_copy_only=False)]


def digest(data: DatabaseData) -> bytes:
    """Return a digest of all rows, whatever their order."""
    places = [f"c{i}" for i in range(len(data.fields))]
    with guard("Reading the rows failed"):
        (total,) = data.link.one(f"SELECT {data.link.dialect.total(places)} FROM {data.source} AS s")
    return f"{data.rows}:{_plain(total)}".encode()


def _plain(total: Any) -> str:
    return total.decode() if isinstance(total, bytes) else str(total)
