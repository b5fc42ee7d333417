"""Kolmogorov–Smirnov: does a number keep its distribution?

SciPy has the distribution as `scipy.stats.kstwo`, but to import that, or `scipy.special`, takes long beside a small
run. As there (Simard and L'Ecuyer, *Computing the two-sided Kolmogorov-Smirnov distribution*, Journal of Statistical
Software 39, 2011), each formula is used where it is exact or good to ten digits and more.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, overload

import numpy as np

from antifaz.core.arrays import Floats, Ints
from antifaz.core.errors import ParameterError
from antifaz.counting.released_table import ReleasedTable


class KolmogorovSmirnov(NamedTuple):
    """The greatest distance between two distribution functions, and the chance of it in two samples of one."""

    statistic: float
    p: float


def ks_counts(values: Floats, before: Ints, points: Floats, after: Ints) -> tuple[float, float]:
    """Return the two-sample statistic and its p-value (asymptotic) from values with counts: no row is needed."""
    n, m = int(before.sum()), int(after.sum())
    if not n or not m:
        # Nothing that stays nothing is kept; all that becomes nothing is not.
        return (0.0, 1.0) if n == m else (1.0, 0.0)
    grid = np.unique(np.concatenate([values, points]))
    distance = float(np.abs(cumulated(grid, values, before) / n - cumulated(grid, points, after) / m).max())
    return distance, chance(distance, max(1.0, float(np.round(n * m / (n + m)))))


def cumulated(grid: Floats, values: Floats, counts: Ints) -> Floats:
    """Return how many records have a value up to each of a grid's."""
    return np.cumsum(np.bincount(np.searchsorted(grid, values), weights=counts, minlength=grid.size))


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
    from antifaz.sources.paired_frames import read_numbers  # here: it brings pyarrow

    results = {}
    for column in read_numbers(original, released, columns, what="ks", aligned=False):
        sides = (column.original, column.released)
        known = [side[~np.isnan(side)] if column.missing else side for side in sides]
        before, after = (np.unique(side, return_counts=True) for side in known)
        results[column.name] = KolmogorovSmirnov(*ks_counts(*before, *after))
    return results


#: Up to here the exact formula is quick, and for small distances beyond it; elsewhere the series is as good.
_SMALL = 140
_MOST_TERMS = 1e6


def chance(distance: float, size: float) -> float:
    """Return the chance that a sample of that size lies so far from its distribution, or farther."""
    scaled = size * distance**2
    if distance <= 0:
        return 1.0
    if scaled > 375:
        return 0.0  # about exp(−2 n d²), which no float can hold
    if scaled >= (2.2 if size > _SMALL else 4) and size <= _MOST_TERMS:
        return min(2 * _one_sided(distance, size), 1.0)  # here both tails together are twice one
    exact = size <= _SMALL or (size <= 100_000 and size * distance**1.5 <= 1.4)
    within = _within(distance, int(size)) if exact else _within_about(distance, size)
    return float(np.clip(1 - within, 0, 1))


def _one_sided(distance: float, size: float) -> float:
    """Return Smirnov's one-sided chance: d Σ_j C(n, j) (d + j/n)^(j − 1) (1 − d − j/n)^(n − j), j up to n (1 − d)."""
    j = np.arange(np.floor(size * (1 - distance)) + 1)
    place = distance + j / size
    with np.errstate(divide="ignore"):
        below = (size - j) * np.log1p(-np.minimum(place, 1.0))
    ways = _log_factorial(np.array(size)) - _log_factorial(j) - _log_factorial(size - j)
    return float(distance * np.exp(ways + (j - 1) * np.log(place) + below).sum())


def _log_factorial(numbers: Floats) -> Floats:
    """Return log n! of whole numbers: of small ones from a table, else by Stirling's series."""
    n = np.maximum(numbers, _TABLE.size).astype(float)
    series = (1 / 12 - (1 / 360 - (1 / 1260 - 1 / (1680 * n**2)) / n**2) / n**2) / n
    far = n * np.log(n) - n + np.log(2 * np.pi * n) / 2 + series
    near = _TABLE[np.minimum(numbers, _TABLE.size - 1).astype(int)]
    logarithms: Floats = np.where(numbers < _TABLE.size, near, far)
    return logarithms


#: log n! of the first numbers.
_TABLE = np.array([math.lgamma(n + 1) for n in range(32)])


def _within(distance: float, size: int) -> float:
    """Return the chance to stay nearer, exactly: an entry of a matrix's power (Durbin; Marsaglia, Tsang and Wang)."""
    if size * distance <= 0.5:
        return 0.0  # no sample of that size comes so near
    k = int(np.floor(size * distance)) + 1
    rest = k - size * distance
    width = 2 * k - 1
    apart = np.subtract.outer(np.arange(width), np.arange(width))
    matrix = (apart >= -1).astype(float)
    powers = rest ** np.arange(1, width + 1)
    matrix[:, 0] -= powers
    matrix[-1, :] -= powers[::-1]
    if 2 * rest > 1:
        matrix[-1, 0] += (2 * rest - 1) ** width
    matrix /= np.exp(_log_factorial(np.maximum(apart + 1, 0)))
    entry, logarithm = _power(matrix, size, k - 1)
    return float(entry * np.exp(logarithm + _log_factorial(np.array(size)) - size * np.log(size)))


def _power(matrix: Floats, power: int, place: int) -> tuple[float, float]:
    """Return an entry of a power's diagonal, as a number and the logarithm of a factor: it may be no float."""
    row, factor = np.zeros(matrix.shape[0]), 0.0
    row[place] = 1.0
    scale = 0.0
    while power:
        if power % 2:
            row = row @ matrix
            factor += scale + np.log(row.max())
            row /= row.max()
        matrix = matrix @ matrix
        scale = 2 * scale + np.log(matrix.max())
        matrix = matrix / matrix.max()
        power //= 2
    return float(row[place]), factor


def _within_about(distance: float, size: float) -> float:
    """Return the chance to stay nearer, by the series of Pelz and Good: four terms in powers of 1 / √n."""
    z2 = size * distance**2
    if z2 < 0.02:
        return 0.0  # less than 1e-26
    halves = (np.arange(-20, 20) + 0.5) ** 2 * np.pi**2
    wholes = np.arange(-20, 21) ** 2 * np.pi**2
    near, far = np.exp(-halves / (2 * z2)), np.exp(-wholes / (2 * z2))
    z4, z6, z8 = z2**2, z2**3, z2**4
    terms = (
        near.sum() / z2**0.5,
        ((halves - z2) * near).sum() / (6 * z4),
        ((6 * z6 + 2 * z4 + (2 * z4 - 5 * z2) * halves + (1 - 2 * z2) * halves**2) * near).sum() / (72 * z2**3.5)
        - (wholes * far).sum() / (36 * z2**1.5),
        (
            ((5 - 30 * z2) * halves**3 + (212 * z4 - 60 * z2) * halves**2 + (135 * z4 - 96 * z6) * halves) * near
            - (30 * z6 + 90 * z8) * near
        ).sum()
        / (6_480 * z2**5)
        + ((3 * z2 * wholes - wholes**2) * far).sum() / (216 * z6),
    )
    return float(np.sqrt(np.pi / 2) * sum(term / size ** (i / 2) for i, term in enumerate(terms)))
