"""Delimited text, read exactly: scanned strictly, taken as text, counted twice.

The file is read once, in chunks. Each chunk is scanned by `kernels.csv_scan`, which refuses what could be read in two
ways; the complete records of the chunk are then split by Arrow, whose count must agree with the scan's. (DuckDB's own
reader is not used: it drops blanks before a quoted field without a word.) Other encodings are decoded on the way; no
copy of the file is written.
"""

import codecs
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
from numpy.typing import NDArray

from antifaz.core.errors import DataError
from antifaz.core.messages import Message
from antifaz.kernels import csv_scan as scan
from antifaz.sources.column_names import check_names
from antifaz.sources.csv_dialect import Dialect, sniff
from antifaz.sources.encodings import line_of
from antifaz.sources.file_format import CHUNK, FileFormat, FileReader, ReadOptions
from antifaz.sources.long_delimiters import MARK, is_long, shortened

#: The longest record that is read, in bytes: more is a file with a lost quote or no line ends.
LONGEST = 64 << 20
_UTF8 = ("utf-8", "utf-8-sig", "ascii")


class DelimitedFile:
    """One delimited file: the names of its columns, and its records as Arrow tables of text."""

    def __init__(self, path: Path, dialect: Dialect, missing: Sequence[str] = (), chunk: int = CHUNK) -> None:
        """Read the first record; the others are read by `tables`, so many bytes at a time."""
        self._chunk = chunk
        self.path = path
        self.dialect = dialect
        self.missing = ["", *missing]
        self.records = 0
        self.mixed_newlines = False
        self._state = scan.start_state(0, LONGEST)
        self._long = is_long(dialect.delimiter)
        self._delimiter = MARK if self._long else dialect.delimiter
        self._kinds = scan.byte_kinds(ord(self._delimiter), ord(dialect.quote) if dialect.quote else -1)
        self._chunks = self._complete()
        self._first = next(self._chunks, (b"", 0))
        self.names = self._names()

    def tables(self) -> Iterator[pa.Table]:
        """Give the records in order, all columns as text, an unquoted empty field as missing.

        The next chunk is scanned and split in a thread while the caller works on the one it got.
        """
        tables = self._tables()
        with ThreadPoolExecutor(1) as worker:
            coming = worker.submit(next, tables, None)
            while (table := coming.result()) is not None:
                coming = worker.submit(next, tables, None)
                yield table

    def _tables(self) -> Iterator[pa.Table]:
        skip = 1 if self.dialect.header else 0
        data, count = self._first
        yield self._table(data, count, skip)
        for data, count in self._chunks:
            yield self._table(data, count, 0)
        self.records = int(self._state[scan.RECORDS]) - skip
        self.mixed_newlines = int(self._state[scan.NEWLINES]) == scan.SEEN_LF | scan.SEEN_CRLF

    def _names(self) -> list[str]:
        width = int(self._state[scan.WIDTH])
        if not self.dialect.header:
            return check_names(self.path.name, [f"column_{i + 1}" for i in range(width)])
        if not width:
            return check_names(self.path.name, [])
        first = self._split(self._first[0], [f"{i}" for i in range(width)], 0, only_first=True)
        return check_names(self.path.name, [column[0].as_py() or "" for column in first.columns])

    def _table(self, data: bytes | memoryview, count: int, skip: int) -> pa.Table:
        if count == skip:  # the header alone, or blank lines
            return pa.table({name: pa.array([], pa.string()) for name in self.names})
        table = self._split(data, self.names, skip)
        if table.num_rows != count - skip:
            raise DataError("csv.not-all-records-read", file=self.path.name, count=count - skip, rows=table.num_rows)
        return table

    def _split(self, data: bytes | memoryview, names: list[str], skip: int, *, only_first: bool = False) -> pa.Table:
        # Arrow wants a record to fit in a block, and names that are all different.
        keys = [str(i) for i in range(len(names))]
        block = max(1 << 20, 2 * int(self._state[scan.LONGEST]) + 64)
        read = pacsv.ReadOptions(block_size=block, column_names=keys, skip_rows_after_names=skip)
        parse = pacsv.ParseOptions(
            delimiter=self._delimiter,
            quote_char=self.dialect.quote or False,
            newlines_in_values=bool(self.dialect.quote),
            ignore_empty_lines=len(names) > 1,
        )
        convert = pacsv.ConvertOptions(
            check_utf8=False,
            column_types={key: pa.string() for key in keys},
            null_values=[] if only_first else self.missing,
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        )
        # Arrow drops a byte order mark at the beginning of what it gets; one that stands in the data is kept this way.
        source = pa.BufferReader(codecs.BOM_UTF8 + data if data[:3] == codecs.BOM_UTF8 else data)
        if only_first:
            with pacsv.open_csv(source, read, parse, convert) as reader:
                return pa.Table.from_batches([reader.read_next_batch()]).slice(0, 1)
        return pacsv.read_csv(source, read, parse, convert).rename_columns(names)

    def _complete(self) -> Iterator[tuple[memoryview, int]]:
        """Scan the file and give, chunk by chunk, the bytes of complete records and how many they are."""
        rest, begin, counted = b"", 0, 0
        for data in self._single():
            self._refuse(scan.scan(np.frombuffer(data, np.uint8), self._kinds, self._state))
            whole = rest + data if rest else data
            done = int(self._state[scan.DONE])
            cut = done - begin
            if cut > 0:
                ready = int(self._state[scan.DONE_RECORDS])
                yield memoryview(whole)[:cut], ready - counted
                counted, begin = ready, done
            rest = bytes(whole[cut:]) if cut > 0 else whole
        self._refuse(scan.finish(self._state))
        if rest:
            yield memoryview(rest), int(self._state[scan.RECORDS]) - counted

    def _single(self) -> Iterator[bytes]:
        """Give the file as UTF-8 in which one byte separates columns."""
        decoded, dialect = self._decoded(), self.dialect
        return shortened(decoded, dialect.delimiter, dialect.quote, self.path.name) if self._long else decoded

    def _decoded(self) -> Iterator[bytes]:
        """Give the file as UTF-8 without a mark, in chunks."""
        plain = self.dialect.encoding in _UTF8 and not self._long
        decoder = None if plain else codecs.getincrementaldecoder(self.dialect.encoding)()
        read = 0
        with self.path.open("rb") as file:
            if plain and file.read(3) != codecs.BOM_UTF8:
                file.seek(0)
            while data := file.read(self._chunk):
                if decoder is None:
                    yield data
                    continue
                yield self._decode(decoder, data, read, last=False)
                read += len(data)
            if decoder is not None:
                yield self._decode(decoder, b"", read, last=True)

    def _decode(self, decoder: codecs.IncrementalDecoder, data: bytes, read: int, *, last: bool) -> bytes:
        pending = len(decoder.getstate()[0])
        try:
            text = decoder.decode(data, last)
        except UnicodeError as error:
            at = max(read - pending + getattr(error, "start", 0), 0)
        else:
            return (text.removeprefix("\ufeff") if read == 0 else text).encode("utf-8")
        line, encoding = line_of(self.path, at), self.dialect.encoding
        raise DataError("csv.encoding-wrong", file=self.path.name, encoding=encoding, at=at, line=line)

    def _refuse(self, wrong: int) -> None:
        if wrong != scan.FINE:
            raise DataError("csv.record-wrong", file=self.path.name, words=_words(wrong, self._state, self.dialect))


def _words(wrong: int, state: NDArray[np.int64], dialect: Dialect) -> Message:
    """Say what is wrong, on which line and in which field, and what would be right."""
    line, start, field, width = (int(state[at]) for at in (scan.LINE, scan.START_LINE, scan.FIELDS, scan.WIDTH))
    place = {"line": line, "column": field}
    ragged = {"line": start, "column": min(field, width + 1), "fields": field, "width": width}
    opened = {"line": int(state[scan.OPEN_LINE]), "column": int(state[scan.OPEN_FIELD])}
    messages = {
        scan.E_NUL: Message("csv.nul-byte", **place),
        scan.E_STRAY: Message("csv.text-after-closing-quote", quote=dialect.quote * 2, **place),
        scan.E_WIDTH: Message("csv.ragged-record", delimiter=dialect.delimiter, **ragged),
        scan.E_BLANK: Message("csv.blank-line", line=int(state[scan.BLANK])),
        scan.E_UNCLOSED: Message("csv.quote-never-closed", **opened),
        scan.E_NEWLINE: Message("csv.mixed-line-ends", line=max(line - 1, 1)),
        scan.E_LONG: Message("csv.record-too-long", line=start, longest=LONGEST >> 20),
    }
    return messages.get(wrong) or Message("csv.byte-not-utf-8", offset=int(state[scan.OFFSET]), **place)


def open_csv(path: Path, options: ReadOptions) -> FileReader:
    """Open delimited text; how it is written is found out where the options don't say."""
    delimiter = options.delimiter or ("\t" if path.suffix.lower() in (".tsv", ".tab") else None)
    dialect = sniff(path, delimiter=delimiter, quote=options.quote, encoding=options.encoding, header=options.header)
    file = DelimitedFile(path, dialect, options.missing, options.chunk)
    notes = [f"{path.name}: {dialect.describe()}."]
    return FileReader(
        schema=pa.schema([(name, pa.string()) for name in file.names]),
        tables=_counted(file, notes),
        understood={"format": CSV.name, **asdict(dialect)},
        notes=notes,
    )


def _counted(file: DelimitedFile, notes: list[str]) -> Iterator[pa.Table]:
    rows = 0
    for table in file.tables():
        yield table
        rows += table.num_rows
    if rows != file.records:
        raise DataError("csv.not-all-records-read", file=file.path.name, count=file.records, rows=rows)
    if file.mixed_newlines:
        notes.append(Message("note.mixed-line-ends", file=file.path.name))


CSV = FileFormat("csv", (".csv", ".txt", ".tsv", ".tab", ".data", ".dat"), open_csv)
