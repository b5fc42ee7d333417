"""The archive that a workbook (XLSX) is: one sheet, whose rows come as XML from whoever has them."""

import re
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

#: What a sheet can hold: rows with the header, columns, characters in a cell, whole numbers.
MOST_ROWS, MOST_COLUMNS, LONGEST, WHOLE = 1_048_576, 16_384, 32_767, 2**53
#: The name of the sheet.
SHEET = "release"
_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_SHEET_PART = "xl/worksheets/sheet1.xml"
#: All that a workbook of one sheet needs beside the sheet (ECMA-376, parts 1 and 2).
_PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_KIND}.sheet.main+xml"/>'
    f'<Override PartName="/{_SHEET_PART}" ContentType="{_KIND}.worksheet+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="r1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="r1" Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}">'
    f'<sheets><sheet name="{SHEET}" sheetId="1" r:id="r1"/></sheets></workbook>',
}


def write_archive(path: Path, names: Sequence[str], rows: Iterable[Any], size: int) -> None:
    """Write a workbook: the names of its columns, and rows from the second on, as pieces of XML of `size` bytes."""
    head = "".join(
        f'<c r="{column_letters(i)}1" t="inlineStr"><is><t xml:space="preserve">{escaped(name)}</t></is></c>'
        for i, name in enumerate(names)
    )
    before = f'{_XML}<worksheet xmlns="{_MAIN}"><sheetData><row r="1">{head}</row>'.encode()
    # Spreadsheet programs warn of an archive that says it may be larger than it is.
    large = len(before) + size > zipfile.ZIP64_LIMIT // 2
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for part, content in _PARTS.items():
            archive.writestr(part, _XML + content)
        with archive.open(_SHEET_PART, "w", force_zip64=large) as sheet:
            sheet.write(before)
            for piece in rows:
                sheet.write(piece)
            sheet.write(b"</sheetData></worksheet>")


def escaped(name: str) -> str:
    """Escape for XML, which takes a return for a new line, and for workbooks, which take _x0041_ for a letter."""
    return re.sub("_(x[0-9A-Fa-f]{4}_)", r"_x005F_\1", escape(name)).replace("\r", "_x000D_")


def column_letters(place: int) -> str:
    """Return what a sheet calls a column: A to Z, AA, AB and so on."""
    place, last = divmod(place, 26)
    return (column_letters(place - 1) if place else "") + chr(ord("A") + last)


def is_large(cell: str) -> str:
    """Return the SQL that says whether a whole number is larger than a sheet holds exactly."""
    return f"abs({cell}::HUGEINT) > {WHOLE}"


def cell_markup(cell: str, kind: str, letters: str) -> str:
    """Return the statement that gives a cell's XML; whatever text looks like, it is no formula, number or error."""
    at = f"'<c r=\"{letters}', n, '\""
    text = f'concat({at} t="inlineStr"><is><t xml:space="preserve">\', {_escaping(cell)}, \'</t></is></c>\')'
    number = f"concat({at}><v>', {cell}, '</v></c>')"
    filled = {
        "string": text,
        "float": number,
        "mixed": f"CASE WHEN {is_large(cell)} THEN {text} ELSE {number} END",
        "boolean": f"concat({at} t=\"b\"><v>', CASE {cell} WHEN 'true' THEN 1 ELSE 0 END, '</v></c>')",
    }
    return f"CASE WHEN {cell} <> '' THEN {filled[kind]} END"


def _escaping(cell: str) -> str:
    """Return the statement that does what `escaped` does."""
    escaped = f"replace(replace(replace({cell}, '&', '&amp;'), '<', '&lt;'), '>', '&gt;')"
    return f"replace(regexp_replace({escaped}, '_(x[0-9A-Fa-f]{{4}}_)', '_x005F_\\1', 'g'), chr(13), '_x000D_')"
