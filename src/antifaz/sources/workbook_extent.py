"""How far the cells of a sheet reach, found before any is read.

Readers hold a sheet as a rectangle. Two cells, the first and the last that a sheet can have, are a kilobyte in a file
and seventeen thousand million cells in memory, so the rectangle is measured first, from the cells' own places: what a
sheet says of its size may be a lie.
"""

import re
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from antifaz.core.errors import DataError
from antifaz.sources.other_extents import binary_reach, open_document_reaches
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
