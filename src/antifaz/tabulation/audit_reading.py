"""Reading a written table of cells back, for the auditor: from the bytes of the file, by code of its own."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from antifaz.core.errors import CheckFailed

_KEPT_FROM_RUNNING = re.compile(r"'(?:[\s\x00]*[=+\-@＝＋－＠]|[\t\r\n])")
#: What the status of a cell says: its value is there, or it is not.
SHOWN, HIDDEN = "shown", "suppressed"


@dataclass(frozen=True)
class ReadCell:
    """One cell as it was read: whole units, or None where it is not shown."""

    value: int | None


def read_cells(
    place: Path | pa.Table, columns: Sequence[str], value: str, status: str, decimals: int
) -> dict[tuple[str | None, ...], ReadCell]:
    """Return all cells of a file, or of a table in memory, by their labels; a cell that says two things fails."""
    cells: dict[tuple[str | None, ...], ReadCell] = {}
    for row in _rows(place, [*columns, value, status]):
        labels, number = tuple(row[: len(columns)]), row[-2]
        if labels in cells or row[-1] not in (SHOWN, HIDDEN) or (number is None) != (row[-1] == HIDDEN):
            raise CheckFailed("tabulation.audit-file-unclear")
        cells[labels] = ReadCell(None if number is None else _units(number, decimals))
    return cells


def _rows(place: Path | pa.Table, names: Sequence[str]) -> list[list[Any]]:
    if isinstance(place, Path) and place.suffix != ".parquet":
        with place.open(encoding="utf-8", newline="") as file:
            head, *rows = [[_field(text) for text in row] for row in csv.reader(file)]
        if head != list(names) or any(len(row) != len(names) for row in rows):
            raise CheckFailed("tabulation.audit-file-unclear")
        return rows
    table = pq.read_table(place) if isinstance(place, Path) else place
    if table.column_names != list(names):
        raise CheckFailed("tabulation.audit-file-unclear")
    return [list(row) for row in zip(*(column.to_pylist() for column in table.columns), strict=True)]


def _field(text: str) -> str | None:
    """Return what a field of text says: nothing is missing, and an apostrophe keeps a formula from being run."""
    return (text[1:] if _KEPT_FROM_RUNNING.match(text) else text) or None


def _units(number: object, decimals: int) -> int:
    try:
        units = Decimal(str(number)).scaleb(decimals)
    except InvalidOperation:
        raise CheckFailed("tabulation.audit-file-unclear") from None
    if units != units.to_integral_value():
        raise CheckFailed("tabulation.audit-file-unclear")
    return int(units)
