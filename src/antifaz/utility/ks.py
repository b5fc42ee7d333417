"""Kolmogorov–Smirnov: does a numeric attribute keep its distribution?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from antifaz.core.errors import ParameterError
from antifaz.counting.released_table import ReleasedTable
from antifaz.utility.kolmogorov import chance


class KolmogorovSmirnov(NamedTuple):
    """The greatest distance between two distribution functions, and the chance of it in two samples of one."""

    statistic: float
    p: float


def ks_counts(
    values: NDArray[np.float64],
    before: NDArray[np.int64],
    points: NDArray[np.float64],
    after: NDArray[np.int64],
) -> tuple[float, float]:
    """Return the two-sample statistic and its p-value (asymptotic) from values with counts: no row is needed."""
    n, m = int(before.sum()), int(after.sum())
    if not n or not m:
        # Nothing that stays nothing is kept; all that becomes nothing is not.
        return (0.0, 1.0) if n == m else (1.0, 0.0)
    grid = np.unique(np.concatenate([values, points]))
    first = _cumulated(grid, values, before) / n
    second = _cumulated(grid, points, after) / m
    distance = float(np.abs(first - second).max())
    return distance, chance(distance, max(1.0, float(np.round(n * m / (n + m)))))


def _cumulated(
    grid: NDArray[np.float64], values: NDArray[np.float64], counts: NDArray[np.int64]
) -> NDArray[np.float64]:
    at = np.searchsorted(grid, values)
    return np.cumsum(np.bincount(at, weights=counts, minlength=grid.size))


@overload
def ks(table: ReleasedTable) -> dict[str, float]: ...
@overload
def ks(table: Any, released: Any, columns: Sequence[str] | str | None = None) -> dict[str, KolmogorovSmirnov]: ...
def ks(table: Any, released: Any = None, columns: Sequence[str] | str | None = None) -> dict[str, Any]:
    """Return the p-value per numeric quasi-identifier, an interval or group being read as its middle.

    That is for a released table, which holds both sides. Of two frames, the original and the released one, it returns
    statistic and p-value per numeric column, as `ks_columns` does.
    """
    if isinstance(table, ReleasedTable):
        return {
            each.column: ks_counts(each.values, each.counts, each.released_values, each.released_counts)[1]
            for each in table.distributions()
        }
    if released is None:
        raise ParameterError("ks.tables-missing")
    return dict(ks_columns(table, released, columns))


def ks_columns(
    original: Any, released: Any, columns: Sequence[str] | str | None = None
) -> dict[str, KolmogorovSmirnov]:
    """Return, by numeric column, the two-sample statistic and its p-value (asymptotic).

    Rows need not correspond, nor be as many. Missing values are left out. A column with values in one table only is as
    far as can be: statistic 1, p 0. The p-value supposes two independent samples; rows that were made from each other
    are nearer than such, so it is a yardstick and no test.

    Args:
        original: A pandas, polars or pyarrow table.
        released: Another.
        columns: Numeric columns; by default all that are numbers in both tables.
    """
    from antifaz.sources.paired_frames import read_numbers  # here: it brings pyarrow and DuckDB

    found = {}
    for column in read_numbers(original, released, columns, what="ks", aligned=False):
        before, after = (_counted(side, column.missing) for side in (column.original, column.released))
        found[column.name] = KolmogorovSmirnov(*ks_counts(*before, *after))
    return found


def _counted(values: NDArray[np.float64], missing: bool) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    known = values[~np.isnan(values)] if missing else values
    return np.unique(known, return_counts=True)
