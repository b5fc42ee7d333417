"""Spreadsheets: the cells of one sheet in their own types.

A spreadsheet holds numbers as doubles, and dates as numbers with a format. A column of whole numbers is taken as
integers, one of dates at midnight as dates; a column that mixes text with numbers or dates is taken as text, and a note
says so. Cells that hold an error (#DIV/0!) are refused with their place: they would silently become missing.
"""

import zipfile
import zlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from antifaz.core.errors import DataError, MissingExtra, hint
from antifaz.core.machine import available_memory
from antifaz.core.messages import Message
from antifaz.sources.column_names import check_names
from antifaz.sources.csv_dialect import has_second_header, lines_above
from antifaz.sources.file_format import FileFormat, FileReader, ReadOptions, blank_missing
from antifaz.sources.repairs import Repair, joined_names, mended_names, mended_rows, offering, repair_notes

#: How many times the cells of a workbook are held while it is read, about.
_COPIES = 2
#: Rows among which the header is looked for.
_TOP = 200
#: Repairs that a sheet may need to be read.
_REPAIRS = ("largest-sheet", "title-lines", "second-header", "unnamed-column", "duplicate-names", "blank-lines")
#: Up to here a double holds every whole number.
_WHOLE = 2**53


@dataclass(frozen=True)
class SheetTable:
    """One sheet as an Arrow table, with notes on it and what was repaired in it."""

    table: pa.Table
    notes: list[str]
    repairs: list[Repair]


def read_sheet(
    path: Path,
    *,
    sheet: str | int | None = None,
    header: bool = True,
    memory: int | None = None,
    repair: Collection[str] = (),
) -> SheetTable:
    """Return one sheet; `memory` is the most that it may take, `repair` names what may be repaired."""
    with _opened_book(path, memory) as (book, error):
        name = _choose(path, book, sheet, repair, error)
        made = _read(path, book, name, header, repair, error)
    if "largest-sheet" in repair:
        made.repairs.insert(0, Repair(name="largest-sheet", count=int(sheet is None and name != book.sheet_names[0])))
    made.notes.extend(repair_notes(made.repairs))
    return made


def sheet_sizes(path: Path, memory: int | None = None) -> dict[str, tuple[int, int]]:
    """Return how many rows and columns each sheet has; one that is no table, such as a chart, has none."""
    with _opened_book(path, memory) as (book, error):
        return {name: _size(book, name, error) for name in book.sheet_names}


def top_rows(path: Path, sheet: str, rows: int, memory: int | None = None) -> list[list[str]]:
    """Return the first rows of a sheet as they stand there, as text."""
    with _opened_book(path, memory) as (book, _):
        top = book.load_sheet(sheet, header_row=None, n_rows=rows, dtypes="string").to_arrow()
    return [list(row) for row in zip(*([cell or "" for cell in c.to_pylist()] for c in top.columns), strict=True)]


@contextmanager
def _opened_book(path: Path, memory: int | None) -> Iterator[tuple[Any, type[Exception]]]:
    """Give an opened workbook that takes no more than `memory`, and the error of whoever reads it."""
    from antifaz.sources.workbook_extent import check_extent, check_other_extents  # here: it brings XML

    fastexcel = reader()
    limit = min((bytes for bytes in (available_memory(), memory) if bytes), default=0) // _COPIES
    _refuse_bomb(path, limit)
    check_other_extents(path, limit)  # opening some of these reads all cells
    try:
        book = fastexcel.read_excel(str(path))
        for place in range(len(book.sheet_names)):
            check_extent(path, place, limit)
        yield book, fastexcel.FastExcelError
    except fastexcel.FastExcelError:  # its message may quote a cell
        raise DataError("workbook.not-readable", file=path.name) from None
    except BaseException as error:
        if not _is_panic(error):
            raise
        raise DataError("workbook.not-readable", file=path.name) from None


def _is_panic(error: BaseException) -> bool:
    """Say whether a library in Rust gave up; its error is no `Exception`, and has no public name."""
    return type(error).__name__ == "PanicException"


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


def _refuse_bomb(path: Path, limit: int) -> None:
    """Refuse a workbook, which is an archive, that would unpack to more than fits in memory."""
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


def _choose(path: Path, book: Any, sheet: str | int | None, repair: Collection[str], error: type[Exception]) -> str:
    """Return the sheet that is asked for; the first, if no other one is larger."""
    names: list[str] = book.sheet_names
    if isinstance(sheet, str):
        if sheet not in names:
            raise DataError("workbook.unknown-sheet", file=path.name, sheet=sheet, hint=hint(sheet, names))
        return sheet
    place = sheet or 0
    if not 0 <= place < len(names):
        raise DataError("workbook.no-such-sheet", file=path.name, names=len(names), place=place)
    if sheet is not None or len(names) == 1:
        return names[place]
    sizes = {name: _size(book, name, error) for name in names}
    largest = max(names, key=lambda name: sizes[name][0] * sizes[name][1])
    if largest == names[0] or "largest-sheet" in repair:
        return largest
    listed = [Message("workbook.sheet-size", name=name, rows=rows, columns=n) for name, (rows, n) in sizes.items()]
    raise DataError("workbook.which-sheet", file=path.name, sheets=listed)


def _size(book: Any, name: str, error: type[Exception]) -> tuple[int, int]:
    """Return how many rows and columns a sheet has; one that is no table, such as a chart, has none."""
    try:
        sheet = book.load_sheet(name, header_row=None, dtypes="string")
    except error:
        return 0, 0
    return int(sheet.total_height), int(sheet.width)


def _read(
    path: Path, book: Any, name: str, header: bool, repair: Collection[str], error: type[Exception]
) -> SheetTable:
    what = f"{path.name}, sheet {name!r}"
    top = book.load_sheet(name, header_row=None, n_rows=_TOP, dtypes="string").to_arrow()
    if top.num_columns == 0:
        raise DataError("workbook.sheet-empty", file=path.name, sheet=name)
    rows = list(zip(*([cell or "" for cell in column.to_pylist()] for column in top.columns), strict=True))
    titles = lines_above(list(enumerate(map(list, rows)))) if header and "title-lines" in repair else 0
    cells = list(rows[titles]) if rows else [""] * top.num_columns
    second = header and has_second_header(list(map(list, rows[titles:])))
    joined = int(second and "second-header" in repair)
    cells = joined_names(cells, rows[titles + 1]) if joined else cells
    given, named = mended_names(cells if header else [f"column_{i + 1}" for i in range(len(cells))], repair)
    names = check_names(what, given)
    options: dict[str, Any] = {
        "header_row": titles + joined if header else None,
        "schema_sample_rows": None,  # all of them: the types must hold for every row
        "skip_whitespace_tail_rows": True,
    }
    batch, wrong = book.load_sheet(name, **options).to_arrow_with_errors()
    if wrong is not None and wrong.errors:
        row, column = wrong.errors[0].position
        raise DataError("workbook.cell-holds-error", what=what, row=row + titles + joined + 1, column=column + 1)
    table = pa.Table.from_batches([batch]).rename_columns(names)
    notes = [f"{what}.", *([Message("note.sheets", names=book.sheet_names)] if len(book.sheet_names) > 1 else [])]
    for i, title in enumerate(names):
        if pa.types.is_string(table.schema.field(i).type) and _mixed(book, name, i, options, error):
            notes.append(Message("note.column-taken-as-text", title=title))
        table = table.set_column(i, title, _narrow(table.column(i)))
    if second and not joined:
        notes.append(Message("note.second-header", line=titles + 2, name="second-header"))
    above = Repair(name="title-lines", count=titles, line=1 if titles else None)
    both = Repair(name="second-header", count=joined, line=titles + 2 if joined else None)
    table, rest = mended_rows(table, titles + joined + 1 + header, repair)
    done = [one for one in (above, both, *named, *rest) if one.name in repair]
    return SheetTable(table, notes, done)


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
    try:
        made = _opened(path, options, options.repair)
    except DataError as error:
        raise _offering(error, path, options) from None
    table = blank_missing(made.table, options.missing)
    return FileReader(
        schema=table.schema, tables=[table], understood={"format": WORKBOOK.name}, notes=made.notes,
        repairs=made.repairs,
    )  # fmt: skip


def _opened(path: Path, options: ReadOptions, repair: Collection[str]) -> SheetTable:
    header = options.header is not False
    return read_sheet(path, sheet=options.sheet, header=header, memory=options.memory, repair=repair)


def _offering(error: DataError, path: Path, options: ReadOptions) -> DataError:
    """Name the repairs with which a sheet can be read: those that find something to do."""
    if error.code not in ("workbook.which-sheet", "header.column-without-name", "header.column-name-twice"):
        return error
    try:
        made = _opened(path, options, {*options.repair, *_REPAIRS})
    except DataError:
        return error
    return offering(error, [repair for repair in made.repairs if repair.count])


WORKBOOK = FileFormat("xlsx", (".xlsx", ".xlsm", ".xls", ".xlsb", ".ods"), open_workbook)
