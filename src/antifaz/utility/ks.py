"""Kolmogorov–Smirnov: does a numeric attribute keep its distribution?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from antifaz.core.errors import ParameterError
from antifaz.counting.generalization import Generalization
from antifaz.utility.kolmogorov import chance

if TYPE_CHECKING:
    from antifaz.utility.pairs_ks import KolmogorovSmirnov


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
def ks(table: Generalization) -> dict[str, float]: ...
@overload
def ks(table: Any, released: Any, columns: Sequence[str] | str | None = None) -> dict[str, KolmogorovSmirnov]: ...
def ks(table: Any, released: Any = None, columns: Sequence[str] | str | None = None) -> dict[str, Any]:
    """Return the p-value per numeric quasi-identifier, an interval being read as its middle.

    That is for a generalization, which holds both sides. Of two frames, the original and the released one, it returns
    statistic and p-value per numeric column, as `ks_columns` does.
    """
    if isinstance(table, Generalization):
        return _of_generalization(table)
    if released is None:
        raise ParameterError("ks.tables-missing")
    from antifaz.utility.pairs_ks import ks_columns  # here: it builds on this file

    return dict(ks_columns(table, released, columns))


def _of_generalization(table: Generalization) -> dict[str, float]:
    found = {}
    for a, ladder in enumerate(table.ladders):
        if ladder.spans is None:
            continue
        levels, counts = zip(*table.spread(a), strict=True)
        base = ladder.spans[0].mean(axis=1)
        span, kept = np.concatenate([ladder.spans[level].mean(axis=1) for level in levels]), np.concatenate(counts)
        known, told = ~np.isnan(base), ~np.isnan(span)
        original = table.originals[a]
        found[ladder.column] = ks_counts(base[known], original[known], span[told], kept[told])[1]
    return found
