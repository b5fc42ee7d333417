"""Delimited text, read exactly: scanned strictly, taken as text, counted twice.

The file is read once, in chunks. Each chunk is scanned by `kernels.csv_scan`, which refuses what could be read in two
ways; the complete records of the chunk are then split by Arrow, whose count must agree with the scan's. (DuckDB's own
reader is not used: it drops blanks before a quoted field without a word.) Other encodings are decoded on the way; no
copy of the file is written.
"""

import codecs
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
from numpy.typing import NDArray

from antifaz.core.errors import DataError
from antifaz.core.messages import Message
from antifaz.kernels import csv_scan as scan
from antifaz.sources.column_names import check_names
from antifaz.sources.csv_dialect import Dialect
from antifaz.sources.csv_repair import LONGEST, MendedText
from antifaz.sources.csv_text import separating_byte, utf8_text
from antifaz.sources.file_format import CHUNK
from antifaz.sources.repairs import Repair, mended_names


class DelimitedFile:
    """One delimited file: the names of its columns, and its records as Arrow tables of text."""

    def __init__(
        self,
        path: Path,
        dialect: Dialect,
        missing: Sequence[str] = (),
        chunk: int = CHUNK,
        repair: Collection[str] = (),
    ) -> None:
        """Read the first record; the others are read by `tables`, so many bytes at a time."""
        self._chunk = chunk
        self.path = path
        self.dialect = dialect
        self.missing = ["", *missing]
        self.records = 0
        self.mixed_newlines = False
        self._state = scan.start_state(0, LONGEST)
        self._delimiter = separating_byte(dialect)
        self._kinds = scan.byte_kinds(ord(self._delimiter), ord(dialect.quote) if dialect.quote else -1)
        self._wanted = repair
        self._mended = MendedText(dialect, repair) if repair else None
        self._named: list[Repair] = []
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

    def scan(self) -> None:
        """Go through all records and raise where one can't be read; nothing is split."""
        for _ in self._chunks:
            pass

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
        names, self._named = mended_names([column[0].as_py() or "" for column in first.columns], self._wanted)
        return check_names(self.path.name, names)

    def repairs(self) -> list[Repair]:
        """Return what was repaired, in the order of the file; complete once all tables were taken."""
        if self._mended is None:
            return []
        above = {"sep-line": int(self.dialect.sep_line), "title-lines": self.dialect.titles}
        lines = [Repair(name=name, count=count, line=1 if count else None) for name, count in above.items()]
        second = self.dialect.second_header
        lines.append(Repair(name="second-header", count=int(second), line=self.dialect.above + 2 if second else None))
        return [one for one in (*lines, *self._named, *self._mended.repairs()) if one.name in self._wanted]

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
        for data in self._text():
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

    def _text(self) -> Iterator[bytes]:
        """Give the file as UTF-8 in which one byte separates columns, with the repairs that are wanted."""
        text = utf8_text(self.path, self.dialect, self._chunk)
        return self._mended.stream(text) if self._mended else text

    def _refuse(self, wrong: int) -> None:
        if wrong == scan.FINE:
            return
        if self._mended:  # lines were left out: say the file's
            for at in (scan.LINE, scan.START_LINE, scan.OPEN_LINE, scan.BLANK):
                if self._state[at]:
                    self._state[at] = self._mended.line_of(
                        utf8_text(self.path, self.dialect, self._chunk), int(self._state[at])
                    )
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
