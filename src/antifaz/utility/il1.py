"""IL1 and IL1s: how far, in all, numbers were moved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from antifaz.core.errors import DataError


def il1s(original: Any, released: Any, columns: Sequence[str] | str | None = None, *, mean: bool = False) -> float:
    """Return the sum over all cells of |x − x'| / (√2·sd(x)), the distance in units that all columns share.

    sd(x) is the sample standard deviation of the original column. A sum grows with the table; `mean=True` divides it
    by the number of cells. Cells missing in either table are left out. A constant column adds nothing if it stayed as
    it was, and is refused if it changed: it has no unit.

    Args:
        original: A pandas, polars or pyarrow table.
        released: The same rows in the same order, after protection.
        columns: Numeric columns; by default all that are numbers in both tables.
        mean: Return the mean per cell instead of the sum.
    """
    found = _scaled_by_deviation(original, released, columns)
    return _total(found, mean)


def il1s_by_column(
    original: Any, released: Any, columns: Sequence[str] | str | None = None, *, mean: bool = False
) -> dict[str, float]:
    """Return what each column adds to `il1s`, or its own mean per cell."""
    found = _scaled_by_deviation(original, released, columns)
    return {name: total / max(cells, 1) if mean else total for name, (total, cells) in found.items()}


def il1(original: Any, released: Any, columns: Sequence[str] | str | None = None, *, mean: bool = False) -> float:
    """Return the sum over all cells of 100·|x − x'| / |x|, the change in percent of each number itself.

    Cells that are 0 in the original, where no percentage exists, and cells missing in either table are left out; for
    values near 0 the figure explodes, so prefer `il1s`. `mean=True` divides by the number of cells counted.
    """
    from antifaz.sources.paired_frames import read_numbers  # here: it brings pyarrow

    found = {}
    for column in read_numbers(original, released, columns, what="il1"):
        before, after = column.known()
        some = before != 0
        before, after = before[some], after[some]
        with np.errstate(over="ignore"):
            found[column.name] = float((100 * np.abs(before - after) / np.abs(before)).sum()), before.size
    return _total(found, mean)


def _scaled_by_deviation(
    original: Any, released: Any, columns: Sequence[str] | str | None
) -> dict[str, tuple[float, int]]:
    """By column: the sum of the scaled distances, and of how many cells."""
    from antifaz.sources.paired_frames import read_numbers, standard_deviation

    found = {}
    for column in read_numbers(original, released, columns, what="il1s"):
        before, after = column.known()
        gaps = before - after
        np.abs(gaps, out=gaps)
        moved = float(gaps.sum())
        width = standard_deviation(column.original)
        if moved and not width:
            raise DataError("il1s.column-constant", column=column.name)
        found[column.name] = (moved / (np.sqrt(2.0) * width) if moved else 0.0), before.size
    return found


def _total(found: dict[str, tuple[float, int]], mean: bool) -> float:
    total = float(sum(part for part, _ in found.values()))
    return total / max(sum(cells for _, cells in found.values()), 1) if mean else total
