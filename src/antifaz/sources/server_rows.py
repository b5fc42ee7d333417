"""Rows as servers and their drivers hand them out, as Arrow: CSV, or cells of Python."""

import io
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pyarrow as pa
import pyarrow.csv as pacsv

_Bytes = bytes | bytearray | memoryview
#: How many bytes are read at a time, about.
_PIECE = 1 << 24


def csv_batches(pieces: Iterable[_Bytes], types: Sequence[pa.DataType]) -> Iterator[pa.RecordBatch]:
    """Read pieces of CSV, each of which ends with a row, as batches with columns c0, c1, ….

    A missing value is nothing, the empty text is two quotes.
    """
    names = [f"c{i}" for i in range(len(types))]
    options: dict[str, Any] = {
        "parse_options": pacsv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
        "convert_options": pacsv.ConvertOptions(
            column_types=dict(zip(names, types, strict=True)),
            strings_can_be_null=True, quoted_strings_can_be_null=False, null_values=[""],
            true_values=["t", "true"], false_values=["f", "false"],
        ),
        "read_options": pacsv.ReadOptions(column_names=names, block_size=1 << 22),
    }  # fmt: skip
    # Each part is read while the next one comes; two are held at most.
    with ThreadPoolExecutor(1) as worker:
        reading: Future[pa.Table] | None = None
        for text in _larger(pieces):
            before, reading = reading, worker.submit(pacsv.read_csv, io.BytesIO(text), **options)
            yield from before.result().to_batches() if before else ()
        yield from reading.result().to_batches() if reading else ()


def _larger(pieces: Iterable[_Bytes]) -> Iterator[bytes]:
    """Put pieces together to a few megabytes."""
    rows = bytearray()
    for piece in pieces:
        rows += piece
        if len(rows) > _PIECE:
            yield bytes(rows)
            rows.clear()
    if rows:
        yield bytes(rows)


def driver_array(cells: list[Any], kind: pa.DataType) -> pa.Array:
    """Return cells as the driver gives them in an Arrow type; text may come as its bytes."""
    if pa.types.is_string(kind):
        raw = any(isinstance(cell, bytes) for cell in cells)
        return pa.array(cells, pa.binary()).cast(pa.string()) if raw else pa.array(cells, pa.string())
    if any(isinstance(cell, (str, bytes)) for cell in cells):
        texts = [cell.decode() if isinstance(cell, bytes) else cell for cell in cells]
        return pa.array(texts, pa.string()).cast(kind)
    return pa.array(cells, kind)
