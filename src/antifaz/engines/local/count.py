"""Counting on the local engine: one GROUP BY, and the distinct tuples come back as dictionaries and codes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from antifaz.counting.tuples import Tuples
from antifaz.engines.local.duck import as_text, duckdb_errors, quote

if TYPE_CHECKING:
    from antifaz.engines.local.table import LocalTable


def count(data: LocalTable, columns: Sequence[str]) -> Tuples:
    """Count the distinct tuples of some columns. Rows stay in the database; only the tuples come out."""
    data.schema.require(columns)
    if not columns:
        return Tuples(columns=(), values=(), codes=(), counts=np.array([data.rows], np.int64))
    names = [quote(name) for name in columns]
    chosen = ", ".join(f"{name} AS c{i}" for i, name in enumerate(names))
    kinds = (data.native.get(name, "") for name in columns)
    texts = ", ".join(f"{as_text(f'c{i}', kind)} AS c{i}" for i, kind in enumerate(kinds))
    # Grouping on the stored type and casting the few distinct tuples is cheaper than casting every row.
    grouped = f"SELECT {chosen}, count(*) AS n FROM {data.table} GROUP BY ALL"  # noqa: S608 - names are quoted
    with duckdb_errors("Counting failed"):
        table = data.db.sql(f"SELECT {texts}, n FROM ({grouped})").to_arrow_table().combine_chunks()  # noqa: S608
    encoded = [dictionary(table.column(f"c{i}")) for i in range(len(names))]
    return Tuples(
        columns=tuple(columns),
        values=tuple(values for values, _ in encoded),
        codes=tuple(codes for _, codes in encoded),
        counts=table.column("n").to_numpy().astype(np.int64),
    )


def dictionary(column: Any) -> tuple[tuple[str | None, ...], Any]:
    """Return the distinct values of an Arrow column, sorted, and the position of each entry's value among them."""
    import pyarrow as pa
    import pyarrow.compute as pc

    chunk = column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
    coded = chunk.dictionary_encode(null_encoding="encode")
    if isinstance(coded, pa.ChunkedArray):
        coded = coded.combine_chunks()
    # Sorted, because the order in which threads meet the values is any; missing comes last.
    order = np.asarray(pc.sort_indices(coded.dictionary))
    place = np.empty(order.size, np.int32)
    place[order] = np.arange(order.size, dtype=np.int32)
    values = tuple(coded.dictionary.take(pa.array(order)).to_pylist())
    return values, place[coded.indices.to_numpy(zero_copy_only=False)]
