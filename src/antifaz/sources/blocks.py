"""Files that come in blocks of lines, as Spark's executors get them: cut by the same strict reading as whole files.

Spark's own CSV reader guesses: it takes the first file's header for all, pads short records, drops what follows a
closing quote, replaces bytes that are not UTF-8. So Spark only reads lines, as bytes; each run of lines from one file
(a block) goes through our scanner, which refuses what could be read in two ways. A file larger than a split is several
blocks; the scan of each must end with a complete record, so that the next one begins with one.
"""

import codecs
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antifaz.core.errors import DataError
from antifaz.core.messages import Message
from antifaz.kernels import csv_scan as scan
from antifaz.sources.csv_dialect import Dialect
from antifaz.sources.csv_file import DelimitedFile
from antifaz.sources.json_file import DATE, add_record, parse
from antifaz.sources.long_delimiters import is_long, shortened
from antifaz.sources.safe_errors import safe_errors

Batches = Iterator[pa.RecordBatch]
#: Stands in a message for the file's name, which the driver knows.
NAME = "«{}»"
#: Bytes cut at a time.
_CHUNK = 4 << 20


@dataclass(frozen=True)
class Block:
    """A run of lines from one file: the file's hash, the offset at which the run begins, and its bytes."""

    file: int
    start: int
    chunks: Iterable[bytes]

    @property
    def name(self) -> str:
        """What messages call the file."""
        return NAME.format(self.file)


def blocks(batches: Batches) -> Iterator[Block]:
    """Give the blocks of a partition: batches of lines (file, start, line) in order, or of whole files."""
    for (file, start), runs in groupby(_runs(batches), key=itemgetter(0)):
        yield Block(file, start, (chunk for _, chunk in runs))


def _runs(batches: Batches) -> Iterator[tuple[tuple[int, int], bytes]]:
    """Join the lines of each batch that come from one block, line ends included."""
    for batch in batches:
        if not batch.num_rows:
            continue
        files, starts = (np.asarray(batch.column(i)) for i in (0, 1))
        breaks = np.flatnonzero((files[1:] != files[:-1]) | (starts[1:] != starts[:-1])) + 1
        for begin, end in zip([0, *breaks], [*breaks, batch.num_rows], strict=True):
            lines = batch.column(2).slice(begin, end - begin)
            joined = bytes(lines[0].as_buffer()) if starts[begin] < 0 else _join(lines)
            yield (int(files[begin]), int(starts[begin])), joined


def _join(lines: pa.Array) -> bytes:
    """Return all lines, each with its end, one after the other."""
    ends = pa.scalar(b"\n", lines.type)
    joined = pc.binary_join_element_wise(lines, pa.scalar(b"", lines.type), ends)
    width = np.int64 if pa.types.is_large_binary(joined.type) else np.int32
    _, offsets, data = joined.buffers()
    places = np.frombuffer(offsets, width)[joined.offset : joined.offset + len(joined) + 1]
    return bytes(memoryview(data)[int(places[0]) : int(places[-1])])


class _Run(DelimitedFile):
    """A block read as a file is read; one that does not begin its file has no header."""

    def __init__(self, block: Block, dialect: Dialect, missing: Sequence[str], names: Sequence[str]) -> None:
        self._block = block
        self._expected = tuple(names)
        first = block.start <= 0
        super().__init__(Path(block.name), dialect if first else replace(dialect, header=False), missing)
        if first and dialect.header and tuple(self.names) != self._expected:
            raise DataError("spark.files-have-different-headers", file=block.name)
        if len(self.names) != len(self._expected):
            # In the middle of a file it may only have begun inside quotes, which the driver finds out by these words.
            lengths = {"names": len(self.names), "expected": len(self._expected)}
            if first:
                raise DataError("spark.records-of-different-lengths", file=block.name, **lengths)
            raise DataError(
                "spark.records-of-different-lengths-after-byte", file=block.name, start=block.start, **lengths
            )
        self.names = list(names)

    def _names(self) -> list[str]:
        if self._first[1] == 0:  # nothing but blank lines
            return list(self._expected)
        return super()._names()

    def _text(self) -> Iterator[bytes]:
        text, dialect = self._decoded(), self.dialect
        return shortened(text, dialect.delimiter, dialect.quote, self.path.name) if is_long(dialect.delimiter) else text

    def _decoded(self) -> Iterator[bytes]:
        if self.dialect.encoding in ("utf-8", "utf-8-sig", "ascii"):
            for i, chunk in enumerate(_gathered(self._block.chunks)):
                yield chunk.removeprefix(b"\xef\xbb\xbf") if i == 0 and self._block.start <= 0 else chunk
            return
        decoder = codecs.getincrementaldecoder(self.dialect.encoding)()
        for i, chunk in enumerate(chain(_gathered(self._block.chunks), [b""])):  # the empty one ends it
            try:
                text = decoder.decode(chunk, final=not chunk)
            except UnicodeError:
                raise DataError("spark.encoding-wrong", file=self._block.name, encoding=self.dialect.encoding) from None
            yield (text.removeprefix("\ufeff") if i == 0 else text).encode()

    def _refuse(self, wrong: int) -> None:
        # In the middle of a file, lines are counted from where the block begins; better no number than a wrong one.
        if wrong != scan.FINE and self._block.start > 0:
            raise DataError("spark.cannot-cut-records-after-byte", file=self._block.name, start=self._block.start)
        super()._refuse(wrong)


def _gathered(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Join small chunks."""
    waiting: list[bytes] = []
    size = 0
    for chunk in chunks:
        waiting.append(chunk)
        size += len(chunk)
        if size >= _CHUNK:
            yield b"".join(waiting)
            waiting, size = [], 0
    if waiting:
        yield b"".join(waiting)


def cut_records(names: tuple[str, ...], dialect: Dialect, missing: tuple[str, ...], batches: Batches) -> Batches:
    """Cut the delimited lines of a partition into columns of text."""
    for block in blocks(batches):
        with safe_errors(Message("source.not-read", address=block.name)):
            for table in _Run(block, dialect, missing, names)._tables():
                yield from table.to_batches()


def _objects(block: Block, encoding: str) -> Iterator[tuple[str, Any]]:
    """Give the JSON records of a block, each with the words for its place."""
    path = Path(block.name)
    if block.start < 0:  # a whole file is one array
        document = parse(path, _text(block, b"".join(block.chunks), encoding), None)
        if not isinstance(document, list):
            raise DataError("json.no-array-of-objects", file=block.name)
        for number, record in enumerate(document, start=1):
            yield Message("json.at-record", number=number), record
        return
    number = 0
    for chunk in block.chunks:
        for line in chunk.split(b"\n")[:-1]:
            number += 1
            text = _text(block, line, encoding) + "\n"
            if text.strip():
                after = Message("spark.after-byte", start=block.start)
                place = Message("json.at-line", line=number) if block.start == 0 else after
                yield place, parse(path, text, number if block.start == 0 else None)


def _text(block: Block, data: bytes, encoding: str) -> str:
    try:
        return data.decode("utf-8-sig" if encoding == "utf-8" else encoding)
    except UnicodeError:
        raise DataError("spark.encoding-wrong-of-json", file=block.name, encoding=encoding) from None


#: What `find_keys` gives: where a key was first met, the key, what its values are, and whether all look like dates.
KEYS = "file bigint, start bigint, place bigint, key string, kind string, dates boolean, records bigint"
_ARROW = {"bigint": pa.int64(), "string": pa.string(), "boolean": pa.bool_()}
_KEY_SCHEMA = pa.schema([(name, _ARROW[kind]) for name, kind in map(str.split, KEYS.split(", "))])


def find_keys(encoding: str, batches: Batches) -> Batches:
    """Give one row per key of the JSON records of each block, and one that says how many records the block has."""
    for block in blocks(batches):
        kinds: dict[str, str] = {}
        dates: dict[str, bool] = {}
        number = 0
        for place, record in _objects(block, encoding):
            number += 1
            cells: dict[str, list[str | None]] = {}
            add_record(Path(block.name), place, record, 0, cells, kinds)
            for key, values in cells.items():
                fits = not values or bool(DATE.match(values[0] or ""))
                dates[key] = dates.get(key, True) and fits
        rows: list[tuple[Any, ...]] = [(block.file, block.start, -1, None, None, None, number)]
        rows += [(block.file, block.start, i, key, kinds.get(key), dates[key], 0) for i, key in enumerate(dates)]
        columns = [pa.array(c, f.type) for c, f in zip(zip(*rows, strict=True), _KEY_SCHEMA, strict=True)]
        yield pa.RecordBatch.from_arrays(columns, schema=_KEY_SCHEMA)


def cut_objects(names: tuple[str, ...], encoding: str, missing: tuple[str, ...], batches: Batches) -> Batches:
    """Write the JSON records of a partition as columns of text."""
    words = set(missing)

    def cell(value: Any) -> str | None:
        if isinstance(value, str):
            return None if value in words else str(value)
        return None if value is None else json.dumps(value)  # a truth value

    for block in blocks(batches):
        records = _objects(block, encoding)
        while rows := [[cell(record.get(name)) for name in names] for _, record in islice(records, 10_000)]:
            columns = [pa.array(column, pa.string()) for column in zip(*rows, strict=True)]
            yield pa.RecordBatch.from_arrays(columns, names=list(names))
