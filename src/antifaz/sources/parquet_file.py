"""Parquet as tables of bounded size: a few bytes of it may stand for any number of rows and any length of text.

A column is often a list of its values, and for each row which one it is. Text is taken in that form and unfolded a
little at a time, and all that is unfolded is counted: a file that would fill the machine is refused, not tried.
"""

import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antifaz.core.errors import DataError
from antifaz.core.machine import available_memory
from antifaz.core.messages import Message
from antifaz.sources.column_names import check_names
from antifaz.sources.file_format import FileFormat, FileReader, ReadOptions, blank_missing

if TYPE_CHECKING:
    from pyarrow.parquet import ParquetFile

#: The most rows, and about the most bytes, of one table.
ROWS, BYTES = 1 << 17, 64 << 20
#: A file that unfolds to so many times its size, and to more than so many bytes, holds nothing but repetition.
TIMES, HARMLESS = 1000, 1 << 30
#: The share of the free space that rows may take.
_SHARE = 0.5
#: The rows of a group in a file that is written.
GROUP = 122_880


class ParquetRows:
    """The rows of an opened Parquet file, of which nobody knows yet how much they unfold to."""

    def __init__(self, file: "ParquetFile", path: Path, *, spilled: bool) -> None:
        """`spilled` says that rows go to the disk; else they stay in memory."""
        self.rows = file.metadata.num_rows
        self._file, self._path = file, path
        self._folded = path.stat().st_size
        self._free_bytes = _free_bytes(spilled)
        self._taken = 0
        self._take(_fixed(file.schema_arrow) * self.rows)

    def tables(self, schema: pa.Schema | None = None) -> Iterator[pa.Table]:
        """Yield all rows, in their order, in tables of this schema, or folded; raise once they are too many bytes."""
        meta = self._file.metadata
        groups = [meta.row_group(i) for i in range(meta.num_row_groups)]
        # So many rows at a time, by what the file says that they are without compression.
        each = max((group.total_byte_size // max(group.num_rows, 1) for group in groups), default=1)
        for batch in self._file.iter_batches(batch_size=max(min(BYTES // max(each, 1), ROWS), 1)):
            for part in self._parts(batch):
                table = pa.Table.from_batches([part])
                yield table if schema is None else table.cast(schema)

    def _parts(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Cut a batch into parts that are small when they are unfolded."""
        lengths = [_lengths(column) for column in batch.columns if _is_folded_text(column.type)]
        unfolded = sum(pc.sum(each).as_py() or 0 for each in lengths)
        self._take(unfolded)
        if unfolded <= BYTES:
            yield batch
            return
        ends = np.cumsum(sum(each.fill_null(0).to_numpy().astype(np.int64) for each in lengths))
        start = done = 0
        while start < batch.num_rows:
            # The first row that is too much ends a part, if it is not alone in it.
            end = max(int(np.searchsorted(ends, done + BYTES, side="right")), start + 1)
            yield batch.slice(start, end - start)
            start, done = end, int(ends[end - 1])

    def _take(self, unfolded: int) -> None:
        self._taken += unfolded
        much = Message("parquet.unfolds-to", file=self._path.name, taken=self._taken / 1e9)
        if self._taken > HARMLESS and self._taken > TIMES * self._folded:
            raise DataError("parquet.mostly-repetition", much=much, times=TIMES)
        if self._free_bytes and self._taken > self._free_bytes:
            raise DataError("parquet.no-room", much=much)


def open_parquet(path: Path, options: ReadOptions) -> FileReader:
    """Open a Parquet file; with a limit of memory its rows may go to the disk."""
    from pyarrow.parquet import ParquetFile  # here: it brings file systems and TLS

    with ParquetFile(path) as file:
        schema = file.schema_arrow
    check_names(path.name, schema.names)
    understood, notes = {"format": PARQUET.name}, [f"{path.name}: Parquet."]
    return FileReader(schema=schema, tables=_tables(path, schema, options), understood=understood, notes=notes)


def _tables(path: Path, schema: pa.Schema, options: ReadOptions) -> Iterator[pa.Table]:
    from pyarrow.parquet import ParquetFile

    texts = [field.name for field in schema if _is_text(field.type)]
    with ParquetFile(path, read_dictionary=texts) as file:
        content = ParquetRows(file, path, spilled=options.memory is not None)
        rows = 0
        for table in content.tables(None if options.folded and not options.missing else schema):
            yield blank_missing(table, options.missing)
            rows += table.num_rows
        if rows != content.rows:
            raise DataError("file.own-count-of-rows-differs", file=path.name)


def is_plain(schema: pa.Schema) -> bool:
    """Whether all columns are of types that every program reads as they were written by Arrow."""
    kinds = pa.types
    wide = (pa.timestamp("us"), pa.date32(), pa.bool_(), pa.string(), pa.large_string())
    return all(kinds.is_integer(kind) or kinds.is_floating(kind) or kind in wide for kind in schema.types)


def write_parquet(path: Path, rows: pa.RecordBatchReader) -> None:
    """Write rows, each batch as a group."""
    from pyarrow.parquet import ParquetWriter

    with ParquetWriter(path, rows.schema, compression="zstd", store_schema=False) as writer:
        for batch in rows:
            writer.write_batch(batch)


def even_batches(batches: Iterable[pa.RecordBatch], rows: int) -> Iterator[pa.RecordBatch]:
    """Yield the same rows in batches of `rows` rows, the last one aside."""
    waiting: list[pa.RecordBatch] = []
    for batch in batches:
        waiting.append(batch)
        if sum(each.num_rows for each in waiting) >= rows:
            # A batch that comes alone is not copied; texts of more than 2 GB stay apart.
            *full, last = pa.Table.from_batches(waiting).combine_chunks().to_batches(max_chunksize=rows)
            waiting = [last] if last.num_rows < rows else []
            yield from full if waiting else [*full, last]
    if waiting:
        yield from pa.Table.from_batches(waiting).combine_chunks().to_batches()


PARQUET = FileFormat("parquet", (".parquet", ".pq"), open_parquet)


def _free_bytes(spilled: bool) -> int:
    if not spilled:
        return available_memory()
    try:
        return int(shutil.disk_usage(tempfile.gettempdir()).free * _SHARE)
    except OSError:
        return 0


def _fixed(schema: pa.Schema) -> int:
    """Return how many bytes a row has beside its text."""
    widths = 0
    for field in schema:
        kind = field.type.index_type if pa.types.is_dictionary(field.type) else field.type
        try:
            widths += max(kind.bit_width // 8, 1)
        except ValueError:
            widths += 4  # at least where the text is
    return widths


def _is_folded_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_dictionary(kind) and _is_text(kind.value_type))


def _lengths(column: pa.DictionaryArray) -> pa.Array:
    """Return the bytes of text of each row; of what is missing, nothing."""
    return pc.take(pc.binary_length(column.dictionary), column.indices)


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))
