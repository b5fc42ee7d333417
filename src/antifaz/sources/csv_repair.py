"""Repairs of delimited text, made while it is read: bytes in, bytes out that the strict scan accepts."""

import csv
import io
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import islice

import numpy as np

from antifaz.kernels import csv_mend as kernel
from antifaz.kernels.csv_scan import byte_kinds
from antifaz.sources.csv_dialect import Dialect
from antifaz.sources.csv_text import separating_byte
from antifaz.sources.repairs import Repair, is_total, joined_names

#: What the kernel mends, by the name of the repair; of those with several faults, the first is the one that is asked.
_FAULTS = {
    "several-tables": (kernel.SEVERAL,),
    "blank-lines": (kernel.BLANK,),
    "open-quote": (kernel.OPEN,),
    "quoted-rows": (kernel.WHOLE,),
    "short-rows": (kernel.SHORT,),
    "long-rows": (kernel.CUT, kernel.LEFT_OUT),
}
#: More bytes of one record than this are a file without line ends, or with a quote that is not closed.
LONGEST = 64 << 20
#: More bytes than this are no totals line.
LONGEST_TOTAL = 1 << 16
_LINE_END = re.compile(rb"\r\n|\n|\r")


class MendedText:
    """UTF-8 text of one delimited file with the repairs made that are wanted; what they did is known at the end."""

    def __init__(self, dialect: Dialect, wanted: Collection[str]) -> None:
        self.wanted, self._dialect = wanted, dialect
        self._above, self._quote = dialect.above, ord(dialect.quote) if dialect.quote else -1
        self._delimiter = ord(separating_byte(dialect))
        self._kinds = byte_kinds(self._delimiter, self._quote)
        self._bits = sum(1 << _FAULTS[name][0] for name in wanted if name in _FAULTS)
        self.state, self.tally = kernel.start_tally()
        self._totals_line: int | None = None

    def stream(self, chunks: Iterable[bytes], stop: int = 0) -> Iterator[bytes]:
        """Give the text mended; up to a line of it, if `stop` says so."""
        rest, tail = b"", b""
        pieces = self._below(chunks)
        data: bytes | None = next(pieces, b"")
        while data is not None:
            following = next(pieces, None)
            rest += data
            for piece in self._mended(rest, last=following is None, stop=stop):
                if isinstance(piece, int):
                    rest = rest[piece:]
                elif "totals-line" in self.wanted:
                    # Which record is the last is known at the end, so one is held back.
                    at = int(self.state[kernel.LAST_START])
                    yield tail + piece[:at]
                    tail = piece[at:]
                else:
                    yield piece
            if len(rest) > LONGEST:
                self.state[kernel.RAW] = 1
            if self.state[kernel.RAW]:  # what can't be read is refused by the scan
                yield tail + rest
                rest = tail = b""
            data = following
        if not self._sums_up(tail):
            yield tail
        yield rest

    def line_of(self, chunks: Iterable[bytes], line: int) -> int:
        """Return the line of the file that a line of the mended text was."""
        again = MendedText(self._dialect, self.wanted)
        for _ in again.stream(chunks, stop=line):
            pass
        return int(again.state[kernel.LINE] + line - again.state[kernel.OUT_LINE])

    def repairs(self) -> list[Repair]:
        """Return what was done, or what there is to do where nothing was wanted."""
        done = []
        for name, faults in _FAULTS.items():
            counts = [int(self.tally[fault, 0]) for fault in faults]
            lines = [int(self.tally[fault, 1]) for fault in faults if self.tally[fault, 0]]
            dropped = counts[-1] if name == "long-rows" else counts[0] if name == "several-tables" else 0
            done.append(Repair(name=name, count=sum(counts), line=min(lines, default=None), left_out=dropped))
        total = self._totals_line
        return [*done, Repair(name="totals-line", count=total is not None, line=total, left_out=total is not None)]

    def _mended(self, data: bytes, last: bool, stop: int) -> Iterator[bytes | int]:
        """Give pieces of mended text, each followed by how many bytes of the data it was made of."""
        view = np.frombuffer(data, np.uint8)
        out = np.empty(2 * view.size + (1 << 16), np.uint8)
        while view.size and not self.state[kernel.RAW]:
            self.state[kernel.LAST_START] = 0
            taken, written = kernel.mend(
                view, self._kinds, self._delimiter, self._quote, self._bits, last, stop, self.state, self.tally, out
            )
            if not taken:
                return
            yield out[:written].tobytes()
            yield taken
            view = view[taken:]

    def _below(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """Give the text below the lines above the header."""
        left, rest = self._above, b""
        pieces = iter(chunks)
        for chunk in pieces:
            rest += chunk
            at = 0
            while left and (end := _LINE_END.search(rest, at)) and end.end() < len(rest):
                at, left = end.end(), left - 1
            rest = rest[at:]
            if not left and (not self._dialect.second_header or len(_LINE_END.findall(rest[:-1])) >= 2):
                break
        self.state[kernel.LINE] += self._above
        if self._dialect.second_header:
            rest = self._with_one_header(rest)
            self.state[kernel.LINE] += 1
        if rest:
            yield (chr(self._delimiter).encode() if self._dialect.row_names else b"") + rest
        yield from pieces

    def _with_one_header(self, text: bytes) -> bytes:
        """Return a text whose first two lines are one, which has the names of both."""
        first, second = (end.span() for end in islice(_LINE_END.finditer(text), 2))
        names = joined_names(*map(self._cells, (text[: first[0]], text[first[1] : second[0]])))
        if self._quote < 0:
            line = chr(self._delimiter).join(names)
        else:
            made = io.StringIO()
            csv.writer(made, delimiter=chr(self._delimiter), quotechar=chr(self._quote), lineterminator="").writerow(
                names
            )
            line = made.getvalue()
        return line.encode() + text[second[0] :]

    def _cells(self, record: bytes) -> list[str]:
        """Return the cells of one record."""
        lines, sign = record.decode("utf-8", "replace").splitlines(keepends=True), chr(self._delimiter)
        if self._quote >= 0:
            return next(csv.reader(lines, delimiter=sign, quotechar=chr(self._quote)), [])
        return lines[0].split(sign)

    def _sums_up(self, record: bytes) -> bool:
        """Say whether a record is a totals line, and note its line."""
        if not 0 < len(record) <= LONGEST_TOTAL:
            return False
        if not is_total(self._cells(record)):
            return False
        self._totals_line = int(self.state[kernel.LINE]) - len(_LINE_END.findall(record))
        return True


def survey(text: Callable[[], Iterator[bytes]], dialect: Dialect) -> set[str]:
    """Return the names of the repairs that the records of a text need."""
    found, again = _faults(text(), dialect, {"open-quote", "totals-line"})
    if "several-tables" in found:
        if not again:
            return {"several-tables"} | _faults(text(), dialect, {"several-tables", "open-quote"})[0].keys()
        del found["several-tables"]
    total = found.pop("totals-line", None)
    ragged = [found[name] for name in ("short-rows", "long-rows") if name in found]
    if total and any(repair.line == total.line and repair.count == 1 for repair in ragged):
        found = {name: repair for name, repair in found.items() if repair not in ragged} | {total.name: total}
    return set(found)


def _faults(text: Iterator[bytes], dialect: Dialect, wanted: Collection[str]) -> tuple[dict[str, Repair], bool]:
    """Return what there is to repair, and whether records of the first table follow where another seems to begin."""
    mended = MendedText(dialect, wanted)
    for _ in mended.stream(text):
        pass
    return {repair.name: repair for repair in mended.repairs() if repair.count}, bool(mended.state[kernel.RIGHT])
