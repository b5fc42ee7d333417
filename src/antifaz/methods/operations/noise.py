"""Noise: a random number is added to every value, or multiplies it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import pyarrow as pa
from pydantic import Field, ValidationInfo, field_validator

from antifaz.core.arrays import Flags, Floats
from antifaz.core.errors import DataError, ParameterError
from antifaz.core.messages import Message
from antifaz.counting.microaggregation import normalized
from antifaz.methods.operations.grouped import GroupedPerturbation
from antifaz.methods.operations.operation import NumberPerturbation
from antifaz.sources.column_values import NumberColumn, read_numbers, write_numbers

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


def correlations(standardized: Sequence[Floats], varies: Flags) -> Floats:
    """Return the correlation matrix of standardized columns; that of a column that does not vary is 0."""
    correlations = np.diag(varies.astype(np.float64))
    for i, x in enumerate(standardized):
        for j in range(i):
            correlations[i, j] = correlations[j, i] = np.add.reduce(x * standardized[j]) / max(x.size - 1, 1)
    return correlations


def triangle(matrix: Floats) -> Floats:
    """Return the lower triangle L with L·Lᵀ = matrix (Cholesky), columns of 0 where there is nothing left."""
    lower = np.zeros_like(matrix)
    for k in range(len(matrix)):
        own = matrix[k, k] - (lower[k, :k] ** 2).sum()
        if own > _NOTHING:
            lower[k, k] = np.sqrt(own)
            for i in range(k + 1, len(matrix)):
                lower[i, k] = (matrix[i, k] - (lower[i, :k] * lower[k, :k]).sum()) / lower[k, k]
    return lower


def combined(weights: Floats, columns: Sequence[Floats], rows: int) -> Floats:
    """Return the sum of the columns, each times its weight."""
    total: Floats | None = None
    for weight, column in zip(weights, columns, strict=True):
        if weight:
            total = weight * column if total is None else np.add(total, weight * column, out=total)
    return np.zeros(rows) if total is None else total


def whitened(lower: Floats, standardized: Sequence[Floats]) -> list[Floats]:
    """Return the uncorrelated columns w from which the standardized ones are L·w; 0 where L has nothing."""
    whitened_columns: list[Floats] = []
    for k, column in enumerate(standardized):
        rest = column - combined(lower[k, :k], whitened_columns, column.size) if k else column
        whitened_columns.append(rest / lower[k, k] if lower[k, k] else np.zeros_like(column))
    return whitened_columns


class BoundedNoise(NumberPerturbation, GroupedPerturbation):
    """A perturbation whose results may be kept within bounds; strata and households have noise of their own."""

    low: float | None = Field(
        default=None, allow_inf_nan=False, description="The least number that may come out, such as 0 for ages."
    )
    high: float | None = Field(default=None, allow_inf_nan=False, description="The greatest number that may come out.")
    at_bounds: Literal["reflect", "clip"] = Field(
        default="reflect",
        description="What lies beyond a bound is reflected at it, as often as needed, so that no pile of equal values "
        "gives the bound away; 'clip' puts it on the bound.",
    )

    @field_validator("high")
    @classmethod
    def _above_low(cls, high: float | None, info: ValidationInfo) -> float | None:
        low = info.data.get("low")
        if high is not None and low is not None and high <= low:
            raise ValueError(Message("expected.above-low"))
        return high

    def _finish(self, table: pa.Table, column: NumberColumn, values: Floats) -> pa.Table:
        """The table with these numbers, brought within the bounds, in the place of the column's."""
        if self.low is not None or self.high is not None:
            low = -math.inf if self.low is None else self.low
            high = math.inf if self.high is None else self.high
            if self.keep_type and column.whole:
                low, high = float(np.ceil(low)), float(np.floor(high))
                if low > high:
                    raise ParameterError("operation.no-number-from-low-to-high", name=self.name, column=column.name)
            values = within(values, low, high, self.at_bounds == "reflect")
        return write_numbers(self.name, table, column, values, self.keep_type)


def within(values: Floats, low: float, high: float, reflect: bool) -> Floats:
    """Return the values reflected at the bounds, or moved onto them."""
    if reflect and math.isfinite(low) and math.isfinite(high) and high > low:
        width = high - low
        values = low + (width - np.abs(np.mod(values - low, 2 * width) - width))
    elif reflect and math.isfinite(low):
        values = low + np.abs(values - low)
    elif reflect and math.isfinite(high):
        values = high - np.abs(high - values)
    # Also after reflecting: the last digit of a sum may lie beyond.
    return np.clip(values, low, high)


class AdditiveNoise(BoundedNoise):
    """Adds normal noise to every value, in proportion to the column's standard deviation."""

    name: ClassVar[str] = "additive-noise"
    summary: ClassVar[str] = "Every number gets normal noise of p standard deviations of its column added."
    details: ClassVar[str] = (
        "Means stay what they are on average, variances grow by the factor 1 + p², and correlations with other columns "
        "shrink: take correlated noise where those matter. Missing values stay missing, and the standard deviation is "
        "of those that are there. A constant column, and a table or stratum of one row, have no spread and stay as "
        "they are. Infinite values and NaN are refused."
    )
    formula: ClassVar[str] = "x' = x + ε, ε ~ N(0, (p·sd(x))²), sd over n − 1"
    source: ClassVar[str] = "R. Brand, Microdata protection through noise addition, LNCS 2316, 2002"
    primary: ClassVar[str] = "p"
    by_cell: ClassVar[bool] = True

    p: float = Field(
        default=0.2,
        ge=0,
        allow_inf_nan=False,
        description="The noise's standard deviation, as a share of the column's.",
    )

    def change(self, table: pa.Table, columns: Sequence[str], random: np.random.Generator) -> pa.Table:
        """Add noise to each column by itself."""
        for name in columns:
            column = read_numbers(self.name, table, name, missing=True)
            noise = random.standard_normal(column.values.size)
            # What is not finite is found when it is written.
            with np.errstate(over="ignore", invalid="ignore"):
                noise *= self.p * mean_and_deviation(column.values)[1]
                noise += column.values
            table = self._finish(table, column, noise)
        return table

    def cells(self, table: pa.Table, column: str, draws: Floats, deviation: float) -> pa.Table:
        """Add noise to some rows of a column with this standard deviation."""
        from scipy.special import ndtri

        read = read_numbers(self.name, table, column, missing=True)
        with np.errstate(over="ignore", invalid="ignore"):
            noise = self.p * deviation * ndtri(read.there(draws)) + read.values
        return self._finish(table, read, noise)


class CorrelatedNoise(BoundedNoise):
    """Adds noise that is correlated as the data are."""

    name: ClassVar[str] = "correlated-noise"
    summary: ClassVar[str] = "Numbers get normal noise added whose covariance is p² times the data's."
    details: ClassVar[str] = (
        "Correlations stay what they are on average, and variances grow by the factor 1 + p². With 'restore', a linear "
        "map gives the result exactly the means and covariances of the data; bounds and whole numbers come after it "
        "and disturb them a little. Missing values stay missing, the covariance is of the rows that have all values; "
        "with 'restore' they are refused. Constant columns stay as they are. Infinite values and NaN are refused."
    )
    formula: ClassVar[str] = (
        "X' = X + E, E ~ N(0, p²·Σ); restored: mean(X) + (X' − mean(X'))·L'⁻ᵀ·Lᵀ, Σ = L·Lᵀ, Σ' = L'·L'ᵀ"
    )
    source: ClassVar[str] = (
        "J. Kim, A method for limiting disclosure in microdata based on random noise and transformation, ASA 1986; "
        "P. Tendick, N. Matloff, A modified random perturbation method for database security, ACM TODS 19(1), 1994"
    )
    primary: ClassVar[str] = "p"

    p: float = Field(
        default=0.2, ge=0, allow_inf_nan=False, description="The noise's standard deviations, as a share of the data's."
    )
    restore: bool = Field(
        default=False, description="Whether the result has exactly the means and covariances of the data."
    )

    def change(self, table: pa.Table, columns: Sequence[str], random: np.random.Generator) -> pa.Table:
        """Add noise to all columns together."""
        read = [read_numbers(self.name, table, name, missing=not self.restore) for name in columns]
        before = [column.per_row(column.values) for column in read]
        gaps = np.logical_or.reduce([np.isnan(x) for x in before])
        if gaps.any() and gaps.size - gaps.sum() < 2:
            raise DataError("operation.too-few-rows-to-correlate", name=self.name)
        complete = [x[~gaps] for x in before] if gaps.any() else before
        draws = [random.standard_normal(table.num_rows) for _ in read]
        with np.errstate(over="ignore", invalid="ignore"):
            shape = moments(complete)
            weights = self.p * shape.deviations[:, None] * shape.triangle
            after = [x + combined(row, draws, table.num_rows) for x, row in zip(before, weights, strict=True)]
            if self.restore:
                after = _restored(before, shape, moments(after))
        for column, values in zip(read, after, strict=True):
            table = self._finish(table, column, column.there(values))
        return table


def _restored(before: Sequence[Floats], target: ColumnMoments, current: ColumnMoments) -> list[Floats]:
    """The columns after, given the means and covariances of those before by a linear map."""
    loose = whitened(current.triangle, current.standardized)
    made = []
    for j, x in enumerate(before):
        part = combined(target.deviations[j] * target.triangle[j], loose, x.size)
        made.append(target.means[j] + part if target.deviations[j] else x)
    return made


class MultiplicativeNoise(BoundedNoise):
    """Multiplies every value by a positive random factor of mean 1."""

    name: ClassVar[str] = "multiplicative-noise"
    summary: ClassVar[str] = "Every number is multiplied by a positive random factor of mean 1."
    details: ClassVar[str] = (
        "The factor's standard deviation is p itself, relative to the factor's mean of 1 and not to the spread of the "
        "column: with p = 0.1 a value typically moves by a tenth of itself, so large values move far and small ones "
        "little. 'normal' draws again whatever is not between 0 and 2, so that no factor is negative and their mean "
        "stays 1; for p above 0.3 the standard deviation is then below p. 'lognormal' has neither "
        "limit. Zero stays zero and signs stay; missing values stay missing; infinite values and NaN are refused."
    )
    formula: ClassVar[str] = "x' = x·ε, ε ~ N(1, p²) with 0 < ε < 2, or ln ε ~ N(−s²/2, s²), s² = ln(1 + p²)"
    source: ClassVar[str] = (
        "J. Kim, W. Winkler, Multiplicative noise for masking continuous data, US Census Bureau, 2003"
    )
    primary: ClassVar[str] = "p"
    by_cell: ClassVar[bool] = True

    kind: Literal["normal", "lognormal"] = Field(default="normal", description="The distribution of the factor.")
    p: float = Field(
        default=0.2,
        ge=0,
        allow_inf_nan=False,
        description="The factor's standard deviation: a share of each value. At most 1 for 'normal'.",
    )

    @field_validator("p")
    @classmethod
    def _not_too_wide(cls, p: float, info: ValidationInfo) -> float:
        if p > 1 and info.data.get("kind") == "normal":
            raise ValueError(Message("expected.normal-factor"))
        return p

    def change(self, table: pa.Table, columns: Sequence[str], random: np.random.Generator) -> pa.Table:
        """Multiply each column by factors of its own."""
        for name in columns:
            column = read_numbers(self.name, table, name, missing=True)
            factors = self._factors(column.values.size, random)
            with np.errstate(over="ignore"):
                factors *= column.values
            table = self._finish(table, column, factors)
        return table

    def cells(self, table: pa.Table, column: str, draws: Floats, deviation: float) -> pa.Table:
        """Multiply some rows of a column."""
        read = read_numbers(self.name, table, column, missing=True)
        with np.errstate(over="ignore"):
            return self._finish(table, read, self._factors_of(read.there(draws)) * read.values)

    def _factors_of(self, draws: Floats) -> Floats:
        """The factors at these places, from 0 to 1, of their distribution."""
        from scipy.special import ndtr, ndtri

        if self.kind == "lognormal":
            variance = math.log1p(self.p**2)
            return np.asarray(np.exp(math.sqrt(variance) * ndtri(draws) - variance / 2))
        beyond = float(ndtr(-1 / self.p)) if self.p else 0.0
        return np.asarray(1 + self.p * ndtri(beyond + draws * (1 - 2 * beyond)))

    def _factors(self, n: int, random: np.random.Generator) -> Floats:
        factors = random.standard_normal(n)
        if self.kind == "lognormal":
            variance = math.log1p(self.p**2)
            factors *= math.sqrt(variance)
            factors -= variance / 2
            return np.asarray(np.exp(factors, out=factors))
        factors *= self.p
        # Beyond 2 as well as below 0: to cut off one side only would move the mean away from 1.
        beyond = np.flatnonzero(np.abs(factors) >= 1)
        while beyond.size:
            factors[beyond] = self.p * random.standard_normal(beyond.size)
            beyond = beyond[np.abs(factors[beyond]) >= 1]
        factors += 1
        return factors
