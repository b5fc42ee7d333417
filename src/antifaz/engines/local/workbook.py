"""Released rows as a workbook (XLSX): one sheet, text as text and numbers as numbers, nothing that a program runs.

The database writes the sheet's XML and we put it into the archive as it comes: ten million cells are too many to go
through Python one by one. What was written is read back by another program's reader, and every cell is compared.
"""

# Names of columns are quoted.
# ruff: noqa: S608
from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from antifaz.core.errors import CheckFailed, InputError
from antifaz.core.messages import Message
from antifaz.core.types import DataType
from antifaz.engines.local.data import LocalData
from antifaz.engines.local.duck import close, connect, duckdb_errors, first_row, quote
from antifaz.engines.local.exact import TEXT, plain, sum_of_rows, typed
from antifaz.sources.workbook_reader import read_cells, reader

#: What a sheet can hold: rows with the header, columns, characters in a cell, whole numbers.
MOST_ROWS, MOST_COLUMNS, _LONGEST, _WHOLE = 1_048_576, 16_384, 32_767, 2**53
#: What XML has no way to write.
_CONTROL = r"[\x00-\x08\x0b\x0c\x0e-\x1f\x{FFFE}\x{FFFF}]"
_SHEET = "release"
_INTEGERS = frozenset(f"{sign}{size}INT" for sign in ("", "U") for size in ("TINY", "SMALL", "", "BIG", "HUGE"))
_INTEGERS |= {"INTEGER", "UINTEGER"}

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
    f'<sheets><sheet name="{_SHEET}" sheetId="1" r:id="r1"/></sheets></workbook>',
}
#: In what type cells are read back and compared, as the reader and as the database call it.
_READ = {
    "string": ("string", "VARCHAR"),
    "mixed": ("string", "VARCHAR"),
    "float": ("float", "DOUBLE"),
    "boolean": ("boolean", "BOOLEAN"),
}
_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'


def write_workbook(data: LocalData, path: Path) -> None:
    """Write all rows to a workbook, read it back, and compare every cell."""
    reader()  # said before the work, not after it
    if data.rows >= MOST_ROWS or len(data.schema.names) > MOST_COLUMNS:
        raise InputError("workbook.too-many-rows-or-columns", most=MOST_ROWS - 1, most_columns=MOST_COLUMNS)
    _refuse(data)
    cells = _cells(data)
    _write(data, cells, path)
    _compare(data, cells, path)


def _refuse(data: LocalData) -> None:
    """Say before anything is written that a cell does not fit."""
    for name, kind in data.native.items():
        if kind != TEXT:
            continue
        cell = quote(name)
        statement = (
            f"SELECT coalesce(max(length({cell})), 0), count(*) FILTER (regexp_matches({cell}, '{_CONTROL}')) "
            f"FROM {quote(data.table)}"
        )
        with duckdb_errors(Message("table.rows-not-readable")):
            longest, control = first_row(data.db, statement)
        if longest >= _LONGEST:
            raise InputError("workbook.cell-too-long", name=name, longest=_LONGEST)
        if control:
            raise InputError("workbook.cell-has-control-character", name=name)


def _cells(data: LocalData) -> dict[str, tuple[str, str]]:
    """Return for each column the statement that gives its cells, as text, and what a sheet takes them for."""
    kept = (DataType.INTEGER, DataType.DECIMAL, DataType.BOOLEAN)
    numbers = typed(data)
    chosen = plain(data) | {c.name: numbers[c.name] for c in data.schema if c.type in kept}
    return {name: (f"CAST({cell} AS VARCHAR)", _kind(data, cell)) for name, cell in chosen.items()}


def _kind(data: LocalData, cell: str) -> str:
    """Return "float", "boolean", "string", or "mixed": whole numbers of which some must be text.

    Dates are text, because a sheet has none before 1900.
    """
    table = quote(data.table)
    with duckdb_errors(Message("table.rows-not-readable")):
        kind = str(data.db.sql(f"SELECT {cell} AS cell FROM {table} LIMIT 0").types[0])
        if kind == "BOOLEAN":
            return "boolean"
        if kind in _INTEGERS:
            lost, instead = _large(cell), "mixed"
        elif kind in ("DOUBLE", "FLOAT"):
            lost, instead = f"NOT isfinite({cell})", "string"
        elif kind.startswith("DECIMAL"):
            lost, instead = f"length(regexp_replace({cell}::VARCHAR, '[^0-9]', '', 'g')) > 15", "string"
        else:
            return "string"
        return instead if first_row(data.db, f"SELECT coalesce(bool_or({lost}), false) FROM {table}")[0] else "float"


def _large(cell: str) -> str:
    return f"abs({cell}::HUGEINT) > {_WHOLE}"


def _write(data: LocalData, cells: dict[str, tuple[str, str]], path: Path) -> None:
    statement = _rows(data, cells)
    head = "".join(
        f'<c r="{_letters(i)}1" t="inlineStr"><is><t xml:space="preserve">{_escaped(name)}</t></is></c>'
        for i, name in enumerate(cells)
    )
    before = f'{_XML}<worksheet xmlns="{_MAIN}"><sheetData><row r="1">{head}</row>'.encode()
    with duckdb_errors(Message("table.rows-not-readable")):
        (size,) = first_row(data.db, f"SELECT coalesce(sum(strlen(xml)), 0) FROM ({statement})")
    # Spreadsheet programs warn of an archive that says it may be larger than it is.
    large = len(before) + size > zipfile.ZIP64_LIMIT // 2
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for part, content in _PARTS.items():
            archive.writestr(part, _XML + content)
        with archive.open(_SHEET_PART, "w", force_zip64=large) as sheet:
            sheet.write(before)
            for piece in _pieces(data, statement):
                sheet.write(piece)
            sheet.write(b"</sheetData></worksheet>")


def _rows(data: LocalData, cells: dict[str, tuple[str, str]]) -> str:
    """Return the statement that gives the XML of each row."""
    columns = ", ".join(f"{cell} AS c{i}" for i, (cell, _) in enumerate(cells.values()))
    numbered = f"SELECT row_number() OVER () + 1 AS n, {columns} FROM {quote(data.table)}"
    markup = [_markup(f"c{i}", kind, _letters(i)) for i, (_, kind) in enumerate(cells.values())]
    return f"SELECT concat('<row r=\"', n, '\">', {', '.join(markup)}, '</row>') AS xml FROM ({numbered})"


def _pieces(data: LocalData, statement: str) -> Iterator[Any]:
    """Give the text of a column as bytes, thousands of rows in one piece: Arrow holds them behind each other."""
    with duckdb_errors(Message("table.rows-not-readable")):
        for batch in data.db.sql(statement).to_arrow_reader(20_000):
            column = batch.column(0).cast("large_string")
            places = memoryview(column.buffers()[1]).cast("q")
            first, last = places[column.offset], places[column.offset + len(column)]
            yield memoryview(column.buffers()[2])[first:last] if last > first else b""


def _markup(cell: str, kind: str, letters: str) -> str:
    """Return the statement that gives a cell's XML; whatever text looks like, it is no formula, number or error."""
    at = f"'<c r=\"{letters}', n, '\""
    text = f'concat({at} t="inlineStr"><is><t xml:space="preserve">\', {_escaping(cell)}, \'</t></is></c>\')'
    number = f"concat({at}><v>', {cell}, '</v></c>')"
    filled = {
        "string": text,
        "float": number,
        "mixed": f"CASE WHEN {_large(cell)} THEN {text} ELSE {number} END",
        "boolean": f"concat({at} t=\"b\"><v>', CASE {cell} WHEN 'true' THEN 1 ELSE 0 END, '</v></c>')",
    }
    return f"CASE WHEN {cell} <> '' THEN {filled[kind]} END"


def _escaping(cell: str) -> str:
    """Return the statement that does what `_escaped` does."""
    escaped = f"replace(replace(replace({cell}, '&', '&amp;'), '<', '&lt;'), '>', '&gt;')"
    return f"replace(regexp_replace({escaped}, '_(x[0-9A-Fa-f]{{4}}_)', '_x005F_\\1', 'g'), chr(13), '_x000D_')"


def _escaped(name: str) -> str:
    """Escape for XML, which takes a return for a new line, and for workbooks, which take _x0041_ for a letter."""
    return re.sub("_(x[0-9A-Fa-f]{4}_)", r"_x005F_\1", escape(name)).replace("\r", "_x000D_")


def _letters(place: int) -> str:
    """Return what a sheet calls a column: A to Z, AA, AB and so on."""
    place, last = divmod(place, 26)
    return (_letters(place - 1) if place else "") + chr(ord("A") + last)


def _compare(data: LocalData, cells: dict[str, tuple[str, str]], path: Path) -> None:
    names, found = read_cells(path, _SHEET, [_READ[kind][0] for _, kind in cells.values()], data.rows)
    given = [f"CAST(nullif({cell}, '') AS {_READ[kind][1]})" for cell, kind in cells.values()]
    other = connect(**data.limits)
    try:
        with duckdb_errors(Message("table.rows-not-readable")):
            other.register("found", found)
            read = sum_of_rows(other, [f"c{i}" for i in range(len(cells))], "found")
            same = read == sum_of_rows(data.db, given, quote(data.table))
    finally:
        close(other)
    if not same or names != list(cells):
        raise CheckFailed("workbook.rows-differ-from-release")
