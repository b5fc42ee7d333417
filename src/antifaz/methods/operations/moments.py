"""Means, deviations and covariances of columns, and what is made with them.

Sums go column by column in NumPy's fixed order, and the matrices are small: a product of large matrices adds up in an
order that depends on the number of threads, and its last digit would too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from antifaz.methods.microaggregation import normalized

Floats = NDArray[np.float64]

#: A column of which this share of its variance or less is its own follows from the columns before it.
_NOTHING = 1e-12


@dataclass(frozen=True)
class ColumnMoments:
    """The means and standard deviations of some columns, and the lower triangle L with L·Lᵀ = their correlations.

    Where a column is constant or follows from those before it, its place on the diagonal of L, and all below, are 0.
    """

    means: Floats
    deviations: Floats
    triangle: Floats
    #: The columns less their means, in units of their standard deviations; constant ones are 0.
    standardized: list[Floats]


def moments(columns: Sequence[Floats]) -> ColumnMoments:
    """Return the sample moments of columns of equal length; of fewer than two rows nothing varies."""
    means, deviations = np.array([mean_and_deviation(x) for x in columns]).T
    parts = zip(columns, means, deviations, strict=True)
    made = [np.zeros_like(x) if deviation == 0 else (x - mean) / deviation for x, mean, deviation in parts]
    return ColumnMoments(means, deviations, triangle(correlations(made, deviations > 0)), made)


def mean_and_deviation(values: Floats) -> tuple[float, float]:
    """Return the mean and the sample standard deviation; that is 0 for a constant column and for a single value."""
    n = values.size
    if n < 2 or (values[0] == values[-1] and (values == values[0]).all()):
        return float(values[0]) if n else 0.0, 0.0
    mean = float(np.add.reduce(values)) / n
    squares = values - mean
    squares *= squares
    deviation = math.sqrt(float(np.add.reduce(squares)) / (n - 1))
    if not 1e-140 < deviation < 1e300:
        # Squares of very large or small numbers are none.
        small, power = normalized(values)
        deviation = float(np.ldexp(small.std(ddof=1), power))
    return mean, deviation


def correlations(standardized: Sequence[Floats], varies: NDArray[np.bool_]) -> Floats:
    """Return the correlation matrix of standardized columns; that of a column that does not vary is 0."""
    found = np.diag(varies.astype(np.float64))
    for i, x in enumerate(standardized):
        for j in range(i):
            found[i, j] = found[j, i] = np.add.reduce(x * standardized[j]) / max(x.size - 1, 1)
    return found


def triangle(matrix: Floats) -> Floats:
    """Return the lower triangle L with L·Lᵀ = matrix (Cholesky), columns of 0 where there is nothing left."""
    width = len(matrix)
    found = np.zeros((width, width))
    for k in range(width):
        own = matrix[k, k] - (found[k, :k] ** 2).sum()
        if own > _NOTHING:
            found[k, k] = np.sqrt(own)
            for i in range(k + 1, width):
                found[i, k] = (matrix[i, k] - (found[i, :k] * found[k, :k]).sum()) / found[k, k]
    return found


def combined(weights: Floats, columns: Sequence[Floats], rows: int) -> Floats:
    """Return the sum of the columns, each times its weight."""
    total: Floats | None = None
    for weight, column in zip(weights, columns, strict=True):
        if weight and total is None:
            total = weight * column
        elif weight and total is not None:
            total += weight * column
    return np.zeros(rows) if total is None else total


def whitened(lower: Floats, standardized: Sequence[Floats]) -> list[Floats]:
    """Return the uncorrelated columns w from which the standardized ones are L·w; 0 where L has nothing."""
    found: list[Floats] = []
    for k, column in enumerate(standardized):
        rest = column - combined(lower[k, :k], found, column.size) if k else column
        found.append(rest / lower[k, k] if lower[k, k] else np.zeros_like(column))
    return found
