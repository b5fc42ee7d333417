"""Writing a protected table: one row per cell, with its labels, what it says and whether that is shown."""

from __future__ import annotations

import csv
import re
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from antifaz.core.errors import ParameterError
from antifaz.sources.formulas import FORMULA, NUMBER, refuse_formulas
from antifaz.tabulation.protection import Protected
from antifaz.tabulation.table import CellTable

#: The column that says whether a cell is shown, and what it says.
STATUS, SHOWN, SUPPRESSED = "status", "shown", "suppressed"
#: What the cells of a table of counts are called.
COUNT = "count"
FORMATS = ("csv", "parquet")


def value_column(measure: str | None) -> str:
    """Return the name of the column with what the cells say."""
    return COUNT if measure is None else measure


def column_names(columns: tuple[str, ...], measure: str | None) -> list[str]:
    """Return the names of all columns; refuse two of one name, and those that a spreadsheet would run."""
    names = [*columns, value_column(measure), STATUS]
    taken = next((name for name in names if names.count(name) > 1), None)
    if taken is not None:
        raise ParameterError("tabulation.column-name-taken", column=taken)
    refuse_formulas(names)
    return names


def as_arrow(table: CellTable, protected: Protected, *, omits_hidden: bool = False) -> pa.Table:
    """Return the rows of a protected table; a cell that is not shown says nothing, or is not there at all."""
    labels = list(zip(*table.labels(), strict=True))
    scale = 10**table.decimals
    pairs = zip(protected.values.tolist(), protected.shown.tolist(), strict=True)
    if table.decimals:
        numbers = pa.array([value / scale if shown else None for value, shown in pairs], pa.float64())
    else:
        numbers = pa.array([value if shown else None for value, shown in pairs], pa.int64())
    status = pa.array([SHOWN if shown else SUPPRESSED for shown in protected.shown.tolist()])
    names = column_names(tuple(dimension.column for dimension in table.dimensions), table.measure)
    rows = pa.table([*(pa.array(own, pa.string()) for own in labels), numbers, status], names=names)
    return rows.filter(pa.array(protected.shown)) if omits_hidden else rows


def write(rows: pa.Table, path: Path, decimals: int) -> None:
    """Write the rows to a file: CSV, or Parquet by the ending of its name."""
    if path.suffix == ".parquet":
        pq.write_table(rows, path)
        return
    *labels, numbers, status = (column.to_pylist() for column in rows.columns)
    texts = [["" if value is None else _decimal(value, decimals) for value in numbers]]
    columns = [[_label(label) for label in own] for own in labels] + texts + [status]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(rows.column_names)
        writer.writerows(zip(*columns, strict=True))


def _decimal(value: int | float, decimals: int) -> str:
    return str(value) if isinstance(value, int) else f"{Decimal(repr(value)):.{decimals}f}"


def _label(label: str | None) -> str:
    """Return a label as text; one that a spreadsheet would run gets an apostrophe."""
    if label is None:
        return ""
    return f"'{label}" if re.search(FORMULA, label) and not re.search(NUMBER, label) else label
