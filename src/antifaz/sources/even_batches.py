"""Batches of one size, whatever the sizes in which rows come."""

from collections.abc import Iterable, Iterator

import pyarrow as pa


def even_batches(batches: Iterable[pa.RecordBatch], rows: int) -> Iterator[pa.RecordBatch]:
    """Yield the same rows in batches of `rows` rows, the last one aside.

    A Parquet file shows in which batches its rows were written. By these, rows that were sorted in several ranges show
    nothing of the ranges; one range has the batches that DuckDB makes, which may be others.
    """
    waiting: list[pa.RecordBatch] = []
    for batch in batches:
        waiting.append(batch)
        if sum(each.num_rows for each in waiting) >= rows:
            # A batch alone, as nearly all come, is not copied; texts of more than 2 GB stay apart.
            *full, last = pa.Table.from_batches(waiting).combine_chunks().to_batches(max_chunksize=rows)
            waiting = [last] if last.num_rows < rows else []
            yield from full if waiting else [*full, last]
    if waiting:
        yield from pa.Table.from_batches(waiting).combine_chunks().to_batches()
