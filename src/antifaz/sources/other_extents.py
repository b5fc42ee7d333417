"""How far the cells of OpenDocument sheets (.ods) and binary workbooks (.xlsb) reach, found before any is read.

As in `workbook_extent`: a reader holds a rectangle, and what repeats a cell a million times is a line in the file. The
reader of .ods holds all sheets as soon as it opens the file.
"""

import re
from collections.abc import Iterator

#: The last row and the last column of a sheet that hold something; the first is 1.
Reach = tuple[int, int]

_TAG = re.compile(
    rb"<(/?)table:(table|table-row|table-cell|covered-table-cell)((?:\s(?:[^<>\"']|\"[^\"]*\"|'[^']*')*)?)(?<!/)(/?)>"
)
_REPEATED = re.compile(rb"table:number-(?:rows|columns)-repeated\s*=\s*[\"']\s*(\d+)")
#: Of the records of a binary sheet: that of a row, and those of cells with a value.
_ROW_RECORD, _CELL_RECORDS = 0, (*range(2, 12), 62)


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
        kind, at = _number(part, at, 2)
        length, at = _number(part, at, 4)
        if kind == _ROW_RECORD:
            row = int.from_bytes(part[at : at + 4], "little") + 1
        elif kind in _CELL_RECORDS:
            rows, columns = max(rows, row), max(columns, int.from_bytes(part[at : at + 4], "little") + 1)
        at += length
    return rows, columns


def _number(part: bytes, at: int, most: int) -> tuple[int, int]:
    """Return a number of seven bits a byte, as many as begin with a one, and where it ends."""
    number = 0
    for i in range(most):
        byte = part[at + i] if at + i < len(part) else 0
        number |= (byte & 0x7F) << (7 * i)
        if byte < 0x80:
            return number, at + i + 1
    return number, at + most
