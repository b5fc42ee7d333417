"""How far numbers were moved (IL1, IL1s), and differences in means, variances, correlations and eigenvalues."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from antifaz.core.arrays import Floats
from antifaz.core.errors import DataError


@dataclass(frozen=True, kw_only=True, eq=False)
class Compared:
    """One statistic of both tables: a number per column, or per pair of columns."""

    original: Floats
    released: Floats

    @property
    def difference(self) -> Floats:
        """Released less original."""
        return np.asarray(self.released - self.original)

    @property
    def mean_absolute(self) -> float:
        """The mean of |difference|; of pairs of columns each counts once."""
        return float(_once(np.abs(self.difference)).mean())

    @property
    def mean_relative(self) -> float:
        """The mean of |difference| / |original| over what is not 0 in the original; NaN if all is."""
        base, gaps = _once(np.abs(self.original)), _once(np.abs(self.difference))
        some = base != 0
        return float((gaps[some] / base[some]).mean()) if some.any() else float("nan")


@dataclass(frozen=True, kw_only=True, eq=False)
class Differences:
    """What `differences` found; arrays are in the order of `columns`, eigenvalues from the greatest down."""

    columns: tuple[str, ...]
    #: How many rows had all values in both tables.
    rows: int
    means: Compared
    variances: Compared
    covariances: Compared
    correlations: Compared
    #: Of the correlation matrices.
    eigenvalues: Compared

    @property
    def eigen(self) -> float:
        """Σ |e − f| / e over the eigenvalues e (original) and f (released); NaN if an e is 0 but for rounding."""
        before, after = self.eigenvalues.original, self.eigenvalues.released
        # One column that follows from the others makes an e of about ±1e-16, and any sum of ratios meaningless.
        if not np.isfinite(before).all() or before[-1] <= before.size * 1e-14 * before[0]:
            return float("nan")
        return float((np.abs(before - after) / before).sum())

    @property
    def il_correl(self) -> float:
        """‖a/‖a‖ − b/‖b‖‖ / √2, a and b the diagonals of the inverse correlation matrices; NaN if one has none."""
        sides = []
        for side in (self.correlations.original, self.correlations.released):
            values = np.linalg.eigvalsh(side) if np.isfinite(side).all() else np.zeros(1)
            if values[0] <= values.size * 1e-14 * values[-1]:
                return float("nan")
            diagonal = np.diag(np.linalg.inv(side))
            sides.append(diagonal / np.linalg.norm(diagonal))
        return float(np.linalg.norm(sides[0] - sides[1]) / np.sqrt(2))


def differences(original: Any, released: Any, columns: Sequence[str] | str | None = None) -> Differences:
    """Compare means, variances, covariances, correlations and eigenvalues of two tables.

    Rows that miss a value in any of the columns, in either table, are left out of both. Variances and covariances
    divide by n − 1. A constant column has no correlation: NaN stands there, and the eigenvalues are NaN.

    Args:
        original: A pandas, polars or pyarrow table.
        released: The same rows in the same order, after protection.
        columns: Numeric columns; by default all that are numbers in both tables.
    """
    from antifaz.sources.paired_frames import read_numbers  # here: it brings pyarrow

    pairs = read_numbers(original, released, columns, what="differences")
    before = np.stack([column.original for column in pairs])
    after = np.stack([column.released for column in pairs])
    if any(column.missing for column in pairs):
        known = ~(np.isnan(before).any(axis=0) | np.isnan(after).any(axis=0))
        before, after = before[:, known], after[:, known]
    if before.shape[1] < 2:
        raise DataError("differences.too-few-whole-rows")
    sides = zip(_moments(before), _moments(after), strict=True)
    means, covariances, correlations, eigenvalues = (Compared(original=one, released=two) for one, two in sides)
    return Differences(
        columns=tuple(column.name for column in pairs), rows=before.shape[1], means=means,
        variances=Compared(original=np.diag(covariances.original), released=np.diag(covariances.released)),
        covariances=covariances, correlations=correlations, eigenvalues=eigenvalues,
    )  # fmt: skip


def _moments(values: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Means, covariances, correlations and the eigenvalues of these, of the lines of an array."""
    # From the first row, so that equal fractions have a variance of exactly 0.
    gaps = values - values[:, :1]
    shift = gaps.mean(axis=1)
    means = values[:, 0] + shift
    gaps -= shift[:, None]
    covariances = gaps @ gaps.T / (values.shape[1] - 1)
    widths = np.sqrt(np.diag(covariances))
    widths = np.where(widths > 0, widths, np.nan)
    correlations = covariances / np.outer(widths, widths)
    if np.isnan(widths).any():
        return means, covariances, correlations, np.full(len(means), np.nan)
    np.fill_diagonal(correlations, 1.0)
    return means, covariances, correlations, np.linalg.eigvalsh(correlations)[::-1]


def _once(values: Floats) -> Floats:
    """A vector as it is; of a symmetric matrix one half with the diagonal."""
    return values if values.ndim == 1 else values[np.triu_indices(len(values))]


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
    return _total(_scaled_by_deviation(original, released, columns), mean)


def il1s_by_column(
    original: Any, released: Any, columns: Sequence[str] | str | None = None, *, mean: bool = False
) -> dict[str, float]:
    """Return what each column adds to `il1s`, or its own mean per cell."""
    sums = _scaled_by_deviation(original, released, columns)
    return {name: total / max(cells, 1) if mean else total for name, (total, cells) in sums.items()}


def il1(original: Any, released: Any, columns: Sequence[str] | str | None = None, *, mean: bool = False) -> float:
    """Return the sum over all cells of 100·|x − x'| / |x|, the change in percent of each number itself.

    Cells that are 0 in the original, where no percentage exists, and cells missing in either table are left out; for
    values near 0 the figure explodes, so prefer `il1s`. `mean=True` divides by the number of cells counted.
    """
    from antifaz.sources.paired_frames import read_numbers  # here: it brings pyarrow

    sums = {}
    for column in read_numbers(original, released, columns, what="il1"):
        before, after = column.known()
        some = before != 0
        before, after = before[some], after[some]
        with np.errstate(over="ignore"):
            sums[column.name] = float((100 * np.abs(before - after) / np.abs(before)).sum()), before.size
    return _total(sums, mean)


def _scaled_by_deviation(
    original: Any, released: Any, columns: Sequence[str] | str | None
) -> dict[str, tuple[float, int]]:
    """By column: the sum of the scaled distances, and of how many cells."""
    from antifaz.sources.paired_frames import read_numbers, standard_deviation

    sums = {}
    for column in read_numbers(original, released, columns, what="il1s"):
        before, after = column.known()
        gaps = before - after
        np.abs(gaps, out=gaps)
        moved = float(gaps.sum())
        width = standard_deviation(column.original)
        if moved and not width:
            raise DataError("il1s.column-constant", column=column.name)
        sums[column.name] = (moved / (np.sqrt(2.0) * width) if moved else 0.0), before.size
    return sums


def _total(sums: dict[str, tuple[float, int]], mean: bool) -> float:
    total = float(sum(part for part, _ in sums.values()))
    return total / max(sum(cells for _, cells in sums.values()), 1) if mean else total
