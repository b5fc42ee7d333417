"""Spreadsheets: the cells of one sheet in their own types.

A spreadsheet holds numbers as doubles, and dates as numbers with a format. A column of whole numbers is taken as
integers, one of dates at midnight as dates; a column that mixes text with numbers or dates is taken as text, and a note
says so. Cells that hold an error (#DIV/0!) are refused with their place: they would silently become missing.
"""

import zipfile
import zlib
from collections.abc import Sequence
from copy import copy
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from antifaz.core.errors import DataError, MissingExtra, hint
from antifaz.core.machine import available_memory
from antifaz.core.messages import Message
from antifaz.sources.column_names import check_names
from antifaz.sources.file_format import FileFormat, FileReader, ReadOptions, blank_missing

#: How many times the cells of a workbook are held while it is read, about.
_COPIES = 2
#: Up to here a double holds every whole number.
_WHOLE = 2**53


def read_sheet(
    path: Path, *, sheet: str | int | None = None, header: bool = True, memory: int | None = None
) -> tuple[pa.Table, list[str]]:
    """Return one sheet as an Arrow table, and notes on it; `memory` is the most that it may take."""
    fastexcel = reader()
    _refuse_bomb(path, memory)
    try:
        book = fastexcel.read_excel(str(path))
        name = _choose(path, book.sheet_names, sheet)
        return _read(path, book, name, header, fastexcel.FastExcelError)
    except fastexcel.FastExcelError:  # its message may quote a cell
        raise DataError("workbook.not-readable", file=path.name) from None


def reader() -> Any:
    """Return the package that reads spreadsheets."""
    try:
        import fastexcel  # an extra: only people with spreadsheets need it
    except ImportError:
        raise MissingExtra("workbook.fastexcel-missing") from None
    return fastexcel


def read_cells(path: Path, sheet: str, types: Sequence[str], rows: int) -> tuple[list[str], pa.Table]:
    """Return the first row, and `rows` more in given types, as columns c0, c1 and so on; empty cells are missing."""
    book = reader().read_excel(str(path))
    first = book.load_sheet(sheet, header_row=None, n_rows=1, dtypes="string").to_arrow()
    options: dict[str, Any] = {"header_row": None, "skip_rows": 1, "dtypes": dict(enumerate(types))}
    found = pa.Table.from_batches([book.load_sheet(sheet, **options).to_arrow()])
    found = found.rename_columns([f"c{i}" for i in range(found.num_columns)])
    missing = rows - found.num_rows  # the reader ends with the last row that holds something
    if missing > 0:
        empty = [pa.nulls(missing, field.type) for field in found.schema]
        found = pa.concat_tables([found, pa.table(empty, schema=found.schema)])
    return [str(column[0].as_py()) for column in first.columns], found


def _refuse_bomb(path: Path, memory: int | None) -> None:
    """Refuse a workbook, which is an archive, that would unpack to more than fits in memory."""
    limit = min((bytes for bytes in (available_memory(), memory) if bytes), default=0) // _COPIES
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
            unpacked = sum(entry.file_size for entry in entries)
            # What an archive says of itself may be a lie, so what it says to be little is unpacked, into nothing.
            if limit and unpacked <= limit:
                unpacked = _unpacked(archive, entries, limit)
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, OSError, ValueError, NotImplementedError):
        return  # an older kind of workbook, or none: the reader says which
    if limit and unpacked > limit:
        raise DataError("workbook.too-large-for-memory", file=path.name, unpacked=unpacked / 1e9)


def _unpacked(archive: zipfile.ZipFile, entries: Sequence[zipfile.ZipInfo], most: int) -> int:
    """Return how many bytes an archive really unpacks to, as far as that is not too many."""
    found = 0
    for entry in entries:
        endless = copy(entry)
        endless.file_size, endless.CRC = 1 << 62, None  # type: ignore[assignment]  # nothing to compare it with
        with archive.open(endless) as part:
            while piece := part.read(1 << 20):
                found += len(piece)
                if found > most:
                    return found
    return found


def _choose(path: Path, names: list[str], sheet: str | int | None) -> str:
    if isinstance(sheet, str):
        if sheet not in names:
            raise DataError("workbook.unknown-sheet", file=path.name, sheet=sheet, hint=hint(sheet, names))
        return sheet
    place = sheet or 0
    if not 0 <= place < len(names):
        raise DataError("workbook.no-such-sheet", file=path.name, names=len(names), place=place)
    return names[place]


def _read(path: Path, book: Any, name: str, header: bool, error: type[Exception]) -> tuple[pa.Table, list[str]]:
    what = f"{path.name}, sheet {name!r}"
    first = book.load_sheet(name, header_row=None, n_rows=1, dtypes="string").to_arrow()
    if first.num_columns == 0:
        raise DataError("workbook.sheet-empty", file=path.name, sheet=name)
    cells = [column[0].as_py() or "" if first.num_rows else "" for column in first.columns]
    names = check_names(what, cells if header else [f"column_{i + 1}" for i in range(len(cells))])
    options: dict[str, Any] = {
        "header_row": 0 if header else None,
        "schema_sample_rows": None,  # all of them: the types must hold for every row
        "skip_whitespace_tail_rows": True,
    }
    batch, wrong = book.load_sheet(name, **options).to_arrow_with_errors()
    if wrong is not None and wrong.errors:
        row, column = wrong.errors[0].position
        raise DataError("workbook.cell-holds-error", what=what, row=row + 1, column=column + 1)
    table = pa.Table.from_batches([batch]).rename_columns(names)
    notes = [f"{what}."]
    for i, title in enumerate(names):
        if pa.types.is_string(table.schema.field(i).type) and _mixed(book, name, i, options, error):
            notes.append(Message("note.column-taken-as-text", title=title))
        table = table.set_column(i, title, _narrow(table.column(i)))
    return table, notes


def _mixed(book: Any, name: str, place: int, options: dict[str, Any], error: type[Exception]) -> bool:
    try:
        book.load_sheet(name, use_columns=[place], dtype_coercion="strict", **options)
    except error:
        return True
    return False


def _narrow(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return whole numbers as integers, and times at midnight as dates, where all values are."""
    if pa.types.is_null(column.type):
        return column.cast(pa.string())
    if pa.types.is_floating(column.type):
        whole = pc.and_(pc.equal(pc.floor(column), column), pc.less_equal(pc.abs(column), float(_WHOLE)))
        return column.cast(pa.int64()) if pc.all(whole).as_py() else column
    if pa.types.is_timestamp(column.type):
        days = column.cast(pa.date32(), safe=False)
        return days if pc.all(pc.equal(days.cast(column.type), column)).as_py() else column
    return column


def open_workbook(path: Path, options: ReadOptions) -> FileReader:
    """Open one sheet of a workbook."""
    header = options.header is not False
    table, notes = read_sheet(path, sheet=options.sheet, header=header, memory=options.memory)
    table = blank_missing(table, options.missing)
    return FileReader(schema=table.schema, tables=[table], understood={"format": WORKBOOK.name}, notes=notes)


WORKBOOK = FileFormat("xlsx", (".xlsx", ".xlsm", ".xls", ".xlsb", ".ods"), open_workbook)
