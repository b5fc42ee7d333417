"""How a delimited file is written: its delimiter, quote, encoding, header and line ends, given or found."""

import csv
import io
import re
from collections import Counter
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from statistics import median

from antifaz.core.errors import DataError, ParameterError
from antifaz.core.messages import Message
from antifaz.sources.encodings import codec_name, detect_encoding, refuse_binary
from antifaz.sources.long_delimiters import MARK, is_long, shortened

#: In order of preference when two would do equally well; a colon only where nothing else fits (times have colons).
DELIMITERS = ("\t", ";", "|", ",")
#: How many bytes are looked at to find how a file is written.
HEAD = 1 << 18
_RECORDS = 200
#: A first line that tells spreadsheet programs the separator.
_SEP_LINE = re.compile(r'"?sep=(?P<sign>[^"\r\n])"?[ \t]*(\r\n|\n|\r|$)', re.IGNORECASE)
#: Among so many records the header is looked for.
_ABOVE = 40
_VALUE = re.compile(
    r"\s*([-+]?(\d+([.,]\d*)?|[.,]\d+)([eE][-+]?\d+)?|\d{4}-\d\d-\d\d([T ].*)?|\d{1,2}[/.]\d{1,2}[/.]\d{2,4})\s*"
)


#: What stands for a number that is not known, and is no unit.
_NO_UNITS = {"na", "n/a", "nan", "null", "none", "nd", "n/d", "ns", "nc", "missing", "unknown", "?", "-", ".", "--"}


@dataclass(frozen=True)
class Dialect:
    """How a delimited file is written."""

    delimiter: str
    #: The quote character, or "" for a file in which quotes mean nothing.
    quote: str
    encoding: str
    #: Whether the first record holds the names of the columns.
    header: bool
    newline: str
    #: What is left out above the header: a line that tells the separator, and title lines.
    sep_line: bool = False
    titles: int = 0
    #: Whether records begin with a name for which the header has no field, as R writes them.
    row_names: bool = False
    #: Whether the header has a second line, of units or of names below groups, that is joined to the first.
    second_header: bool = False
    #: Whether it seems to have one, which nobody asked to join.
    seems_second: bool = False
    #: Whether it seems to be no delimited text, but text of fixed width.
    seems_fixed: bool = False

    @property
    def above(self) -> int:
        """How many lines above the header are left out."""
        return self.sep_line + self.titles

    def note(self, file: str) -> Message:
        """Say how a file is written, to be shown to the person who gave it."""
        marks = {"\t": Message("note.tab"), " ": Message("note.blank")}
        return Message(
            "note.csv-with-header" if self.header else "note.csv-without-header",
            file=file,
            delimiter=marks.get(self.delimiter, self.delimiter),
            quote=self.quote or Message("note.no-quote"),
            encoding=self.encoding,
            newline={"\n": "LF", "\r\n": "CRLF", "\r": "CR"}[self.newline],
        )


def sniff(
    path: Path,
    *,
    delimiter: str | None = None,
    quote: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    repair: Collection[str] = (),
) -> Dialect:
    """Find how a file is written; what is given is not guessed. Lines above the header are left out if asked for."""
    check_signs(delimiter, quote)
    with path.open("rb") as file:
        head = file.read(HEAD)
    if not head:
        raise DataError("file.empty", file=path.name)
    refuse_binary(path, head)
    name = codec_name(encoding) if encoding else detect_encoding(path, head)
    if name == "utf-8" and head.startswith(b"\xef\xbb\xbf"):
        name = "utf-8-sig"
    return sniff_head(head, name, delimiter=delimiter, quote=quote, header=header, repair=repair)[0]


def sniff_head(
    head: bytes,
    encoding: str,
    *,
    delimiter: str | None,
    quote: str | None,
    header: bool | None,
    repair: Collection[str] = (),
) -> tuple[Dialect, list[list[str]]]:
    """Find how a file is written from its first `HEAD` bytes, or from all if it has fewer; return its first records."""
    text = head.decode(encoding, "ignore").removeprefix("\ufeff")
    whole = len(head) < HEAD
    mark = '"' if quote is None else quote
    line = _SEP_LINE.match(text) if "sep-line" in repair else None
    if line:
        delimiter, text = delimiter or line["sign"], text[line.end() :]
    sign = delimiter or find_delimiter(text, mark, whole)
    titles = title_lines(text, sign, mark, whole) if "title-lines" in repair else 0
    text = "".join(text.splitlines(keepends=True)[titles:]) if titles else text
    records = first_records(text, sign, mark, whole)
    row_names = "unnamed-column" in repair and header is not False and has_row_names(records)
    second = header is not False and not row_names and has_second_header(records)
    asked = "second-header" in repair
    header = row_names or second or has_header(records) if header is None else header
    above = line is not None, titles, row_names, second and asked, second and not asked, _seems_fixed(records)
    return Dialect(sign, mark, encoding, header, find_newline(text, mark), *above), records


def _seems_fixed(records: list[list[str]]) -> bool:
    """Say whether records of one cell are all as long, and all have a blank at some place within them."""
    lines = [record[0] for record in records if record]
    if len(lines) < 4 or any(len(record) > 1 for record in records) or len({len(line) for line in lines}) > 1:
        return False
    return any("  " in line.strip() for line in lines)


def has_second_header(records: list[list[str]]) -> bool:
    """Say whether the second record is a part of the header.

    It is one if it has words where all records below have numbers or dates; or if the first has few names, each for
    several columns, and the second one for every column.
    """
    if len(records) < 4:
        return False
    first, second, below = records[0], records[1], records[2:]
    if len(first) != len(second) or any(_VALUE.fullmatch(cell) for cell in (*first, *second)):
        return False
    columns = ([record[i] for record in below if i < len(record) and record[i].strip()] for i in range(len(second)))
    numbers = [bool(cells) and all(_VALUE.fullmatch(cell) for cell in cells) for cells in columns]
    if any(numbers):
        units = {cell.strip().casefold() for cell, number in zip(second, numbers, strict=True) if number}
        return bool(units - {""}) and not units & _NO_UNITS
    groups, names = ([cell.strip().casefold() for cell in record] for record in (first, second))
    return len(groups) - len({*groups} - {""}) >= 2 and len({*names} - {""}) == len(names)


def has_row_names(records: list[list[str]]) -> bool:
    """Say whether every record has one field more than the first, as in what R writes."""
    return len(records) > 1 and all(len(record) == len(records[0]) + 1 for record in records[1:])


def has_sep_line(text: str) -> bool:
    """Say whether the first line tells the separator."""
    return _SEP_LINE.match(text) is not None


def title_lines(text: str, delimiter: str, quote: str, whole: bool) -> int:
    """Return how many lines of a text stand above the header."""
    return lines_above(_numbered_records(text, delimiter, quote, whole))


def lines_above(numbered: list[tuple[int, list[str]]]) -> int:
    """Return how many lines stand above the header: the first record about as full as most records are.

    Each record comes with the number of lines above it.
    """
    widths = Counter(len(record) for _, record in numbered if len(record) > 1)
    if not widths:
        return 0
    width = max(widths, key=lambda width: (widths[width], width))
    filled = [sum(bool(cell.strip()) for cell in record) for _, record in numbered]
    typical = median(n for n, (_, record) in zip(filled, numbered, strict=True) if len(record) == width)
    for n, (line, record) in list(zip(filled, numbered, strict=True))[:_ABOVE]:
        # With row names, as R and pandas write them, only the first column has no name.
        named = n >= max(2, typical / 3) or (0 < n == len(record) - 1 and not record[0].strip())
        if len(record) in (width, width - (line == 0)) and named:
            return line
    return 0


def check_signs(delimiter: str | None, quote: str | None) -> None:
    """Refuse a delimiter or a quote character that can't be one."""
    if delimiter is not None and (not delimiter or set(delimiter) & {*"\r\n\0", quote or '"'}):
        raise ParameterError("csv.delimiter-wrong", delimiter=delimiter)
    if quote and (len(quote) != 1 or not quote.isascii() or quote in "\r\n\0"):
        raise ParameterError("csv.quote-not-one-character", quote=quote)


def first_records(text: str, delimiter: str, quote: str, whole: bool) -> list[list[str]]:
    """Return the first records, without the last one if the text may stop in the middle of it."""
    return [record for _, record in _numbered_records(text, delimiter, quote, whole) if record]


def _numbered_records(text: str, delimiter: str, quote: str, whole: bool) -> list[tuple[int, list[str]]]:
    """Return the first records, each with the number of lines above it."""
    if is_long(delimiter):
        plain = text.replace(MARK, "").encode()  # one that stands there is refused where the file is read
        text = b"".join(shortened([plain], delimiter, quote, "")).decode()
        delimiter = MARK
    reader = csv.reader(
        io.StringIO(text.replace("\0", ""), newline=""),
        delimiter=delimiter,
        quotechar=quote or None,
        quoting=csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE,
    )
    records: list[tuple[int, list[str]]] = []
    above = 0
    with suppress(csv.Error):  # a field beyond csv's limit: the records before it are enough
        for record in islice(reader, _RECORDS + 1):
            records.append((above, record))
            above = reader.line_num
    if (not whole or len(records) > _RECORDS) and len(records) > 1:
        records.pop()
    return records


def find_delimiter(text: str, quote: str, whole: bool) -> str:
    """Choose the delimiter that splits most of the first records into the same number of fields, more than one."""
    best, merit = ",", (0.0, 0)
    for sign in (*DELIMITERS, ":"):
        if sign not in text:
            continue
        widths = Counter(len(record) for record in first_records(text, sign, quote, whole))
        width, count = max(widths.items(), key=lambda item: (item[1], item[0]), default=(1, 0))
        share = round(count / max(widths.total(), 1), 2)
        if sign == ":" and (merit != (0.0, 0) or share < 1):
            continue
        if width > 1 and share >= 0.5 and (share, width) > merit:
            best, merit = sign, (share, width)
    return best


def has_header(records: list[list[str]]) -> bool:
    """Say whether the first record holds names.

    It does when some column holds numbers or dates below something that is neither, and when nothing speaks against it;
    it does not when numbers or dates stand on top of numbers or dates only.
    """
    against = False
    for i, first in enumerate(records[0] if records else []):
        below = [record[i] for record in records[1:] if i < len(record) and record[i].strip()]
        if not below or not all(_VALUE.fullmatch(cell) for cell in below):
            continue
        if first.strip() and not _VALUE.fullmatch(first):
            return True
        against = against or bool(first.strip())
    return not against


def find_newline(text: str, quote: str) -> str:
    """Return how the first line ends that is not within quotes."""
    inside = False
    for i, character in enumerate(text):
        if quote and character == quote:
            inside = not inside
        elif character == "\n" and not inside:
            return "\n"
        elif character == "\r" and not inside:
            return "\r\n" if text[i + 1 : i + 2] == "\n" else "\r"
    return "\n"
