"""Released rows as a workbook (XLSX): one sheet, text as text and numbers as numbers, nothing that a program runs.

The database writes the sheet's XML and we put it into the archive as it comes: ten million cells are too many to go
through Python one by one. What was written is read back by another program's reader, and every cell is compared.
"""

# Names of columns are quoted.
# ruff: noqa: S608
from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from antifaz.core.errors import CheckFailed, InputError
from antifaz.core.messages import Message
from antifaz.core.types import DataType
from antifaz.engines.local.cell_expressions import TEXT, cells_as_they_are, row_hash_sum, typed_cells
from antifaz.engines.local.data import LocalData
from antifaz.engines.local.duck import close, connect, duckdb_errors, first_row, quote
from antifaz.sources.workbook_reader import read_cells, reader
from antifaz.sources.workbook_writer import (
    LONGEST,
    MOST_COLUMNS,
    MOST_ROWS,
    SHEET,
    WHOLE,
    column_letters,
    write_archive,
)  # fmt: skip

#: What XML has no way to write, as RE2 takes it.
_CONTROL = r"[\x00-\x08\x0b\x0c\x0e-\x1f\x{FFFE}\x{FFFF}]"
_INTEGERS = frozenset(f"{sign}{size}INT" for sign in ("", "U") for size in ("TINY", "SMALL", "", "BIG", "HUGE"))
_INTEGERS |= {"INTEGER", "UINTEGER"}
#: In what type cells are read back and compared, as the reader and as the database call it.
_READ = {
    "string": ("string", "VARCHAR"),
    "mixed": ("string", "VARCHAR"),
    "float": ("float", "DOUBLE"),
    "boolean": ("boolean", "BOOLEAN"),
}


def write_workbook(data: LocalData, path: Path) -> None:
    """Write all rows to a workbook, read it back, and compare every cell."""
    reader()  # before the work: it may not be installed
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
        if longest >= LONGEST:
            raise InputError("workbook.cell-too-long", name=name, longest=LONGEST)
        if control:
            raise InputError("workbook.cell-has-control-character", name=name)


def _cells(data: LocalData) -> dict[str, tuple[str, str]]:
    """Return for each column the statement that gives its cells, as text, and what a sheet takes them for."""
    kept = (DataType.INTEGER, DataType.DECIMAL, DataType.BOOLEAN)
    numbers = typed_cells(data)
    chosen = cells_as_they_are(data) | {c.name: numbers[c.name] for c in data.schema if c.type in kept}
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
    return f"abs({cell}::HUGEINT) > {WHOLE}"


def _write(data: LocalData, cells: dict[str, tuple[str, str]], path: Path) -> None:
    statement = _rows(data, cells)
    with duckdb_errors(Message("table.rows-not-readable")):
        (size,) = first_row(data.db, f"SELECT coalesce(sum(strlen(xml)), 0) FROM ({statement})")
    write_archive(path, list(cells), _pieces(data, statement), size)


def _rows(data: LocalData, cells: dict[str, tuple[str, str]]) -> str:
    """Return the statement that gives the XML of each row."""
    columns = ", ".join(f"{cell} AS c{i}" for i, (cell, _) in enumerate(cells.values()))
    numbered = f"SELECT row_number() OVER () + 1 AS n, {columns} FROM {quote(data.table)}"
    markup = [_markup(f"c{i}", kind, column_letters(i)) for i, (_, kind) in enumerate(cells.values())]
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
    """Return the statement that does what `sources.workbook_writer.escaped` does."""
    escaped = f"replace(replace(replace({cell}, '&', '&amp;'), '<', '&lt;'), '>', '&gt;')"
    return f"replace(regexp_replace({escaped}, '_(x[0-9A-Fa-f]{{4}}_)', '_x005F_\\1', 'g'), chr(13), '_x000D_')"


def _compare(data: LocalData, cells: dict[str, tuple[str, str]], path: Path) -> None:
    names, found = read_cells(path, SHEET, [_READ[kind][0] for _, kind in cells.values()], data.rows)
    given = [f"CAST(nullif({cell}, '') AS {_READ[kind][1]})" for cell, kind in cells.values()]
    other = connect(**data.limits)
    try:
        with duckdb_errors(Message("table.rows-not-readable")):
            other.register("found", found)
            read = row_hash_sum(other, [f"c{i}" for i in range(len(cells))], "found")
            same = read == row_hash_sum(data.db, given, quote(data.table))
    finally:
        close(other)
    if not same or names != list(cells):
        raise CheckFailed("workbook.rows-differ-from-release")
