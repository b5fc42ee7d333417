"""Released rows as a workbook (XLSX): one sheet, text as text and numbers as numbers, nothing that a program runs."""

# Names of columns are quoted.
# ruff: noqa: S608
from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import Any

from antifaz.core.errors import CheckFailed, InputError, MissingExtra
from antifaz.core.types import DataType
from antifaz.engines.local.data import LocalData
from antifaz.engines.local.duck import first_row, guard, quote
from antifaz.engines.local.exact import TEXT, checked_rows, plain, typed

#: What a sheet can hold: rows with the header, columns, characters in a cell, whole numbers.
MOST_ROWS, MOST_COLUMNS, _LONGEST, _WHOLE = 1_048_576, 16_384, 32_767, 2**53
#: What XML has no way to write.
_CONTROL = r"[\x00-\x08\x0b\x0c\x0e-\x1f]"


def write_workbook(data: LocalData, path: Path) -> None:
    """Write all rows to a workbook, read it back, and compare every cell."""
    openpyxl = _package()
    if data.rows >= MOST_ROWS or len(data.schema.names) > MOST_COLUMNS:
        raise InputError(
            f"A sheet has room for {MOST_ROWS - 1:,} rows and {MOST_COLUMNS:,} columns; take CSV or Parquet instead."
        )
    chosen = _chosen(data)
    _refuse(data)
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("release")
    for row in _rows(data, chosen):
        sheet.append([_cell(openpyxl, sheet, value) for value in row])
    book.save(path)
    _compare(openpyxl, data, chosen, path)


def _refuse(data: LocalData) -> None:
    """Say before anything is written that a cell does not fit; openpyxl would stop half-way."""
    for name, kind in data.native.items():
        if kind != TEXT:
            continue
        cell = quote(name)
        statement = (
            f"SELECT coalesce(max(length({cell})), 0), count(*) FILTER (regexp_matches({cell}, '{_CONTROL}')) "
            f"FROM {quote(data.table)}"
        )
        with guard("The rows could not be read"):
            longest, control = first_row(data.db, statement)
        if longest >= _LONGEST:
            raise InputError(f"A cell of {name!r} is longer than the {_LONGEST:,} characters of a sheet; take CSV.")
        if control:
            raise InputError(f"A cell of {name!r} has a control character, which a workbook can't hold; take CSV.")


def _package() -> Any:
    try:
        import openpyxl  # an extra: only people with spreadsheets need it
    except ImportError:
        raise MissingExtra("Writing a workbook needs the package openpyxl: pip install 'antifaz[excel]'.") from None
    return openpyxl


def _chosen(data: LocalData) -> dict[str, str]:
    """Return numbers and truth values in their type, and dates as text: a sheet has none before 1900."""
    kept = (DataType.INTEGER, DataType.DECIMAL, DataType.BOOLEAN)
    numbers = typed(data)
    typed_ones = {c.name: numbers[c.name] for c in data.schema if c.type in kept and "CAST" in numbers[c.name]}
    return plain(data) | typed_ones


def _rows(data: LocalData, chosen: dict[str, str]) -> Any:
    return chain([tuple(data.schema.names)], chain.from_iterable(checked_rows(data, chosen)))


def _cell(openpyxl: Any, sheet: Any, value: Any) -> Any:
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > _WHOLE:
        value = str(value)
    if not isinstance(value, str):
        return value
    cell = openpyxl.cell.WriteOnlyCell(sheet, value=value)
    cell.data_type = "s"  # whatever it looks like: it is text, and no formula, number or error
    return cell


def _compare(openpyxl: Any, data: LocalData, chosen: dict[str, str], path: Path) -> None:
    book = openpyxl.load_workbook(path, read_only=True)
    try:
        width = len(data.schema.names)
        written = iter(_rows(data, chosen))
        found = book["release"].iter_rows(max_col=width, values_only=True)
        same = all(_told(row) == _told(given) for row, given in zip(found, written, strict=True))
    except ValueError:  # of unequal length
        same = False
    finally:
        book.close()
    if not same:
        raise CheckFailed("The workbook does not hold the rows that were released; nothing was made.")


def _told(row: Any) -> list[Any]:
    """Return cells so that they can be compared: a sheet has no empty text and no whole doubles."""
    told = []
    for value in row:
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) > _WHOLE:
            value = str(value)
        told.append(None if value == "" else value)
    return told
