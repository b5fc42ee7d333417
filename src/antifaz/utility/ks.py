"""Kolmogorov–Smirnov: does a numeric attribute keep its distribution?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from antifaz.core.errors import ParameterError
from antifaz.counting.generalization import Generalization

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
    return distance, _chance(distance, max(1.0, float(np.round(n * m / (n + m)))))


def _chance(distance: float, size: float) -> float:
    """Return the chance that a sample of that size lies so far from its distribution, or farther."""
    if size * distance**2 > 375:
        return 0.0  # about exp(−2 n d²), which no float can hold
    if 20_000 <= size <= 1e6 and size * distance**2 >= 2.2:
        # Here both tails together are twice one, up to 1e-10; scipy adds that one up term by term, in seconds.
        return min(2 * _one_sided(distance, size), 1.0)
    from scipy.stats import kstwo  # here: the import alone costs more than the rest of a small run

    return float(np.clip(kstwo.sf(distance, size), 0, 1))


def _one_sided(distance: float, size: float) -> float:
    """Return Smirnov's one-sided chance: d Σ_j C(n, j) (d + j/n)^(j − 1) (1 − d − j/n)^(n − j), j up to n (1 − d)."""
    from scipy.special import gammaln

    j = np.arange(np.floor(size * (1 - distance)) + 1)
    place = distance + j / size
    with np.errstate(divide="ignore"):
        below = (size - j) * np.log1p(-np.minimum(place, 1.0))
    ways = gammaln(size + 1) - gammaln(j + 1) - gammaln(size - j + 1)
    return float(distance * np.exp(ways + (j - 1) * np.log(place) + below).sum())


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
        raise ParameterError("ks: give the original and the released table.")
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
