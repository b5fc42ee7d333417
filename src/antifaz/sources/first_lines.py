"""The first lines of a file as they stand there, and those around a fault: what a person looks at who has to mend it.

Lines are split where they can be, each by itself, so that a quote that is never closed takes one line and not all.
"""

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from pathlib import Path

from antifaz.core.errors import DataError
from antifaz.sources import csv_opening, fixed_width, json_file, workbook_reader
from antifaz.sources.csv_dialect import HEAD, Dialect
from antifaz.sources.encodings import codec_name, detect_encoding, refuse_binary
from antifaz.sources.file_format import FileFormat, ReadOptions
from antifaz.sources.reading import located

#: So many lines are shown from the beginning, and so many before and behind a fault.
FIRST, AROUND = 12, 2
#: More cells of a line, and more characters of a cell, are not shown.
MOST_CELLS, MOST_CHARACTERS = 40, 120
#: So much of a line is looked at.
_LONGEST = 1 << 14
_TEXT = (csv_opening.CSV, fixed_width.FIXED, json_file.JSON, json_file.JSON_LINES)


@dataclass(frozen=True, kw_only=True)
class RawLine:
    """A line of a file, or a row of a sheet: its number from 1, its first cells, and whether there are more."""

    number: int
    cells: list[str]
    more: bool


def first_lines(path: Path, options: ReadOptions, fault: int | None = None) -> list[RawLine]:
    """Return the first lines and those around the line of a fault; none of a file that has no lines."""
    inner, format = located(path, options)
    if format is workbook_reader.WORKBOOK:
        return _rows(inner, options, fault)
    if format not in _TEXT:
        return []
    dialect = _dialect(inner, options) if format is csv_opening.CSV else None
    encoding = dialect.encoding if dialect else _encoding(inner, options)
    ends = [0, *accumulate((options.widths or {}).values())]
    return [
        _line(number, _cells(text, format, dialect, ends))
        for number, text in _texts(inner, encoding, _lines_wanted(fault))
    ]


def header_line(path: Path, options: ReadOptions) -> int:
    """Return the line on which the names of the columns stand, as far as the repairs that are asked for tell."""
    inner, format = located(path, options)
    return csv_opening.dialect_of(inner, options).above + 1 if format is csv_opening.CSV else 1


def sheets_of(path: Path, options: ReadOptions) -> dict[str, tuple[int, int]]:
    """Return the sheets of a workbook with their rows and columns; none of another file."""
    inner, format = located(path, options)
    return workbook_reader.sheet_sizes(inner, options.memory) if format is workbook_reader.WORKBOOK else {}


def _lines_wanted(fault: int | None) -> list[range]:
    around = [] if fault is None else [range(max(fault - AROUND, 1), fault + AROUND + 1)]
    return [range(1, FIRST + 1), *around]


def _dialect(path: Path, options: ReadOptions) -> Dialect:
    """Find what separates the cells, whatever stands above the header."""
    return csv_opening.dialect_of(path, replace(options, repair=options.repair | {"sep-line", "title-lines"}))


def _encoding(path: Path, options: ReadOptions) -> str:
    if options.encoding:
        return codec_name(options.encoding)
    with path.open("rb") as file:
        head = file.read(HEAD)
    refuse_binary(path, head)
    return detect_encoding(path, head)


def _texts(path: Path, encoding: str, wanted: list[range]) -> Iterator[tuple[int, str]]:
    """Give the lines that are wanted, as far as they are looked at, with their numbers; others are gone over."""
    last = max(numbers[-1] for numbers in wanted)
    with path.open("rb") as file, io.TextIOWrapper(file, encoding, "replace") as text:
        for number in range(1, last + 1):
            begun = line = text.readline(_LONGEST)
            while line and not line.endswith("\n"):
                line = text.readline(_LONGEST)
            if not begun:
                return
            if any(number in numbers for numbers in wanted):
                yield number, begun.removesuffix("\n").removeprefix("\ufeff" if number == 1 else "")


def _cells(text: str, format: FileFormat, dialect: Dialect | None, ends: list[int]) -> list[str]:
    if format is fixed_width.FIXED and len(ends) > 1:
        cells = [text[start:end] for start, end in pairwise(ends)]
        return [*cells, text[ends[-1] :]] if len(text) > ends[-1] else cells
    if dialect is None:
        return [text]
    if len(dialect.delimiter) > 1 or not dialect.quote:
        return text.split(dialect.delimiter)
    try:
        return next(csv.reader([text.replace("\0", "")], delimiter=dialect.delimiter, quotechar=dialect.quote), [])
    except csv.Error:
        return text.split(dialect.delimiter)


def _rows(path: Path, options: ReadOptions, fault: int | None) -> list[RawLine]:
    sizes = workbook_reader.sheet_sizes(path, options.memory)
    if isinstance(options.sheet, str) and options.sheet not in sizes:
        raise DataError("workbook.not-readable", file=path.name)
    place = list(sizes)[options.sheet] if isinstance(options.sheet, int) else options.sheet
    sheet = place or max(sizes, key=lambda name: sizes[name][0] * sizes[name][1])
    wanted = _lines_wanted(fault)
    rows = workbook_reader.top_rows(path, sheet, max(numbers[-1] for numbers in wanted), options.memory)
    return [_line(i, row) for i, row in enumerate(rows, start=1) if any(i in numbers for numbers in wanted)]


def _line(number: int, cells: list[str]) -> RawLine:
    shown = [cell if len(cell) <= MOST_CHARACTERS else f"{cell[:MOST_CHARACTERS]}…" for cell in cells[:MOST_CELLS]]
    return RawLine(number=number, cells=shown, more=len(cells) > MOST_CELLS)
