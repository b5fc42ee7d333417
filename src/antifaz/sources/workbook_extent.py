"""How far the cells of a sheet reach (.xlsx, .xlsm, .ods, .xlsb), found before any is read.

Readers hold a sheet as a rectangle. Two cells, the first and the last that a sheet can have, are a kilobyte in a file
and seventeen thousand million cells in memory, so the rectangle is measured first, from the cells' own places: what a
sheet says of its size may be a lie. What repeats a cell a million times is a line in an OpenDocument file, whose
reader holds all sheets as soon as it opens it.
"""

import re
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from antifaz.core.errors import DataError
from antifaz.sources.workbook_writer import MOST_COLUMNS, MOST_ROWS

#: What reading an archive raises where it is none, or damaged.
_UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, OSError, KeyError, NotImplementedError)
#: Bytes of a cell while it is read, about.
_CELL = 32
_SHEET = re.compile(rb"<(?:\w+:)?sheet\s[^>]*?\w+:id\s*=\s*[\"']([^\"']+)")
_RELATION = re.compile(rb"<(?:\w+:)?Relationship\s([^>]*)>")
_ATTRIBUTE = re.compile(rb"\b(Id|Target)\s*=\s*[\"']([^\"']+)")
_COLUMN = re.compile(rb"<(?:\w+:)?c\s(?:[^<>]*?\s)?r\s*=\s*[\"']([A-Za-z]+)(?=\d)")
_BINARY_SHEET = re.compile(r"xl/worksheets/.+\.bin", re.IGNORECASE)
#: The last rows of a sheet, and those beyond.
_LAST_ROWS = re.compile(rb"<(?:\w+:)?c\s(?:[^<>]*?\s)?r\s*=\s*[\"'][A-Za-z]+(\d{7,})")
_ROW = re.compile(rb"<(?:\w+:)?c\s(?:[^<>]*?\s)?r\s*=\s*[\"'][A-Za-z]+(\d+)")
#: The last row and the last column of a sheet that hold something; the first is 1.
Reach = tuple[int, int]

_TAG = re.compile(
    rb"<(/?)table:(table|table-row|table-cell|covered-table-cell)((?:\s(?:[^<>\"']|\"[^\"]*\"|'[^']*')*)?)(?<!/)(/?)>"
)
_REPEATED = re.compile(rb"table:number-(?:rows|columns)-repeated\s*=\s*[\"']\s*(\d+)")
#: Of the records of a binary sheet: that of a row, and those of cells with a value.
_ROW_RECORD, _CELL_RECORDS = 0, (*range(2, 12), 62)


def check_extent(path: Path, sheet: int, most: int) -> None:
    """Refuse a sheet, by its place, whose cells reach beyond a sheet or make a rectangle of more than `most` bytes.

    Only workbooks of XML are looked at here (.xlsx, .xlsm); `check_other_extents` looks at others.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            part = _part(archive, sheet)
            if part is None:
                return
            letters, last = _places(archive, part, _COLUMN, _LAST_ROWS)
            columns = _span([_number(own) for own in letters])
            if columns[1] > MOST_COLUMNS or any(int(own[:20]) > MOST_ROWS for own in last):
                raise DataError("workbook.cell-outside-sheet", file=path.name)
            if most and (columns[1] - columns[0] + 1) * MOST_ROWS * _CELL <= most:
                return  # however far down it reaches
            (digits,) = _places(archive, part, _ROW)
            rows = _span([int(own) for own in digits])
    except _UNREADABLE:
        return  # the reader says what it is
    size = (columns[1] - columns[0] + 1) * (rows[1] - rows[0] + 1) * _CELL
    if most and size > most:
        raise DataError("workbook.too-large-for-memory", file=path.name, unpacked=size / 1e9)


def check_other_extents(path: Path, most: int) -> None:
    """Refuse an OpenDocument sheet or a binary workbook as `check_extent` does, all of its sheets at once.

    A sheet of the older .xls has at most 65,536 rows of 256 cells, and is left to the reader.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            if "content.xml" in names:
                found = [*open_document_reaches(_pieces(archive, "content.xml"))]
            else:
                sheets = [name for name in names if _BINARY_SHEET.fullmatch(name)]
                found = [binary_reach(archive.read(name)) for name in sheets]
    except _UNREADABLE:
        return  # the reader says what it is
    if any(rows > MOST_ROWS or columns > MOST_COLUMNS for rows, columns in found):
        raise DataError("workbook.cell-outside-sheet", file=path.name)
    size = sum(rows * columns for rows, columns in found) * _CELL
    if most and size > most:
        raise DataError("workbook.too-large-for-memory", file=path.name, unpacked=size / 1e9)


def _part(archive: zipfile.ZipFile, sheet: int) -> str | None:
    """Return the part of the archive that holds a sheet."""
    if "xl/workbook.xml" not in archive.namelist():
        return None
    ids = _SHEET.findall(archive.read("xl/workbook.xml"))
    relations = [dict(_ATTRIBUTE.findall(own)) for own in _RELATION.findall(archive.read("xl/_rels/workbook.xml.rels"))]
    targets = {own.get(b"Id"): own.get(b"Target", b"").decode("utf-8", "replace") for own in relations}
    target = targets.get(ids[sheet]) if sheet < len(ids) else None
    if target is None:
        return None
    part = target.lstrip("/") if target.startswith("/") else f"xl/{target}"
    return part if part in archive.namelist() else None


def _places(archive: zipfile.ZipFile, part: str, *patterns: re.Pattern[bytes]) -> list[set[bytes]]:
    """Return the letters or the digits of all cells' places, as patterns find them."""
    found: list[set[bytes]] = [set() for _ in patterns]
    for piece in _pieces(archive, part):
        for own, pattern in zip(found, patterns, strict=True):
            own.update(pattern.findall(piece))
    return found


def _pieces(archive: zipfile.ZipFile, part: str) -> Iterator[bytes]:
    """Give a part in pieces that end before a tag."""
    rest = b""
    with archive.open(part) as file:
        while more := file.read(1 << 22):
            piece, tag, rest = (rest + more).rpartition(b"<")
            rest = tag + rest
            yield piece
    yield rest


def _number(letters: bytes) -> int:
    """Return the number of a column: A is 1, Z is 26, AA is 27."""
    number = 0
    for sign in letters[:20].upper():
        number = number * 26 + sign - ord("A") + 1
    return number


def _span(numbers: list[int]) -> tuple[int, int]:
    return (min(numbers), max(numbers)) if numbers else (1, 0)


def open_document_reaches(pieces: Iterator[bytes]) -> Iterator[Reach]:
    """Give the reach of every table of an OpenDocument sheet, from its XML in pieces that end before a tag."""
    row = column = repeated = reached = 0
    reach = (0, 0)
    for piece in pieces:
        for closes, name, attributes, alone in _TAG.findall(piece):
            if name == b"table" and closes:
                yield reach
            if name == b"table":
                row, reach = 0, (0, 0)
            elif name == b"table-row" and not closes:
                repeated, column, reached = _repeated(attributes), 0, 0
                row += repeated
            elif not closes and name != b"table-row":
                column += _repeated(attributes)
                # What has no value and nothing inside is empty, and does not count unless something follows.
                if not alone or b"office:" in attributes:
                    reached = column
            if name != b"table" and reached:
                reach = (row, max(reach[1], reached))


def _repeated(attributes: bytes) -> int:
    found = _REPEATED.search(attributes)
    return int(found[1][:20]) if found else 1


def binary_reach(part: bytes) -> Reach:
    """Return the reach of a sheet of a binary workbook, from its records: the kind, the length, and the content."""
    row = rows = columns = at = 0
    while at < len(part):
        kind, at = _packed_number(part, at, 2)
        length, at = _packed_number(part, at, 4)
        if kind == _ROW_RECORD:
            row = int.from_bytes(part[at : at + 4], "little") + 1
        elif kind in _CELL_RECORDS:
            rows, columns = max(rows, row), max(columns, int.from_bytes(part[at : at + 4], "little") + 1)
        at += length
    return rows, columns


def _packed_number(part: bytes, at: int, most: int) -> tuple[int, int]:
    """Return a number of seven bits a byte, as many as begin with a one, and where it ends."""
    number = 0
    for i in range(most):
        byte = part[at + i] if at + i < len(part) else 0
        number |= (byte & 0x7F) << (7 * i)
        if byte < 0x80:
            return number, at + i + 1
    return number, at + most
