"""Propensity: can a classifier tell the released records from the original ones?

Both tables are put on top of each other, a logistic regression predicts which table a row comes from, and pMSE is the
mean squared distance of its predictions from a blind guess. Numbers enter as they are, squared and multiplied with each
other (so that a changed spread or correlation is seen, not only a changed mean), categories as one column per value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Any

import numpy as np

from antifaz.core.arrays import Flags, Floats, Ints
from antifaz.core.errors import ParameterError
from antifaz.core.randomness import fresh_seed, generator

if TYPE_CHECKING:
    from antifaz.sources.paired_frames import PairedColumn


#: The most rows of each table that are looked at, and the most values of a category that are told apart.
MOST_ROWS, MOST_VALUES = 100_000, 50
#: More features than this need more memory and time than such a measure is worth.
MOST_FEATURES = 1_000
#: A little ridge, per row: keeps the coefficients finite where a feature tells the tables apart for certain.
_RIDGE = 1e-7
_STEPS = 60


@dataclass(frozen=True, kw_only=True)
class Propensity:
    """How well the tables can be told apart."""

    #: The mean squared distance between the predicted and the blind probability: 0 cannot be told apart, 0.25 always.
    pmse: float
    #: The pMSE that chance alone gives two tables drawn from one distribution, and the ratio to it.
    expected: float
    ratio: float
    #: The share of rows that the classifier puts into the right table; for tables of one size a coin reaches a half.
    accuracy: float
    #: How many features the classifier could use, without the constant.
    features: int
    rows: int

    def __float__(self) -> float:
        return self.pmse


def propensity(
    original: Any,
    released: Any,
    columns: Sequence[str] | str | None = None,
    *,
    degree: int = 2,
    seed: int | None = None,
) -> Propensity:
    """Say how well a logistic regression tells released records from original ones (pMSE).

    Rows need not correspond, nor be as many. A missing value is a value of its own. Constant columns tell nothing.
    Values of a category beyond the 50 most frequent count as one.

    Args:
        original: A pandas, polars or pyarrow table.
        released: Another.
        columns: Numbers and categories; by default all columns that both tables have.
        degree: 2 for squares and products of numbers too, 1 for the numbers alone, which sees changed means only.
        seed: Beyond 100,000 rows so many are drawn from each table, by this seed.
    """
    from antifaz.sources.paired_frames import read_mixed  # here: it brings pyarrow

    if degree not in (1, 2):
        raise ParameterError("propensity.degree-not-1-or-2")
    pairs = read_mixed(original, released, columns, what="propensity", aligned=False)
    rows = _drawn(pairs[0].original.size, pairs[0].released.size, seed)
    features, which = _features(pairs, rows, degree), np.repeat([0.0, 1.0], [len(side) for side in rows])
    chances = _fit_logistic(features, which)
    total, share = which.size, float(which.mean())
    pmse = float(((chances - share) ** 2).mean())
    # How many features there are that don't follow from others, without the constant.
    values = np.linalg.eigvalsh(features.T @ features)
    used = int(np.count_nonzero(values > 1e-10 * values[-1])) - 1
    # An undecided row counts half.
    lean = np.where(np.abs(chances - share) < 1e-9, 0.0, np.sign(chances - share))
    expected = used * share * (1 - share) / total
    return Propensity(
        pmse=pmse, expected=expected, ratio=pmse / expected if expected else 0.0,
        accuracy=float((0.5 + 0.5 * lean * np.where(which == 1, 1.0, -1.0)).mean()), features=used, rows=total,
    )  # fmt: skip


def _drawn(before: int, after: int, seed: int | None) -> tuple[Ints, Ints]:
    """The rows of each table that are looked at; the same of both where they are as many."""
    random = generator(fresh_seed() if seed is None else seed)

    def some(size: int) -> Ints:
        return np.arange(size) if size <= MOST_ROWS else np.sort(random.choice(size, MOST_ROWS, replace=False))

    first = some(before)
    return first, first if before == after else some(after)


def _features(pairs: Sequence[PairedColumn], rows: tuple[Ints, Ints], degree: int) -> Floats:
    """What the classifier sees: a constant, standardized numbers and their products, categories, what is missing."""
    numbers: list[Floats] = []
    marks: list[Floats] = []
    for column in pairs:
        both = np.concatenate([column.original[rows[0]], column.released[rows[1]]])
        missing = np.isnan(both)
        if missing.any():
            marks.append(missing.astype(np.float64))
        if column.categories:
            counts = np.bincount(both[~missing].astype(np.int64), minlength=column.categories)
            # The most frequent is what the others are compared with, so it has no column.
            others = np.argsort(-counts, kind="stable")[1 : MOST_VALUES + 1]
            marks += [(both == code).astype(np.float64) for code in others]
        else:
            numbers.append(np.where(missing, 0.0, _standard(both, missing)))
        if len(numbers) * (len(numbers) + 3) // 2 * (degree - 1) + len(numbers) + len(marks) > MOST_FEATURES:
            raise ParameterError("propensity.too-many-features", most=MOST_FEATURES)
    if degree == 2:
        products = [one * other for one, other in combinations_with_replacement(numbers, 2)]
        numbers += [_standard(product, np.zeros(product.size, np.bool_)) for product in products]
    constant = np.ones(sum(len(side) for side in rows))
    return np.column_stack([constant, *numbers, *marks])


def _standard(values: Floats, missing: Flags) -> Floats:
    """With mean 0 and standard deviation 1; 0 throughout for a constant."""
    known = values[~missing]
    if not known.size:
        return np.zeros(values.size)
    centred = values - known.mean()
    width = float(known.std())
    return centred / width if width > 1e-12 * max(float(np.abs(known).max()), 1e-300) else np.zeros(values.size)


def _fit_logistic(features: Floats, which: Floats) -> Floats:
    """Fit a logistic regression by Newton's method; return the chance of each row to be released."""
    ridge = np.full(features.shape[1], _RIDGE * which.size)
    ridge[0] = 0.0
    share = float(which.mean())
    beta = np.zeros(features.shape[1])
    beta[0] = np.log(share / (1 - share))
    best = _misfit(features, which, beta, ridge)
    for _ in range(_STEPS):
        chances = _logistic(features @ beta)
        weights = np.maximum(chances * (1 - chances), 1e-12)
        slope = features.T @ (which - chances) - ridge * beta
        curve = (features.T * weights) @ features + np.diag(ridge)
        # A constant or repeated column leaves a direction without curvature; least squares does not move along it.
        step = np.linalg.lstsq(curve, slope, rcond=1e-13)[0]
        # What a full step would gain; below this it is rounding that decides.
        if slope @ step <= 1e-9:
            break
        size = 1.0
        while (misfit := _misfit(features, which, beta + size * step, ridge)) > best and size > 1e-4:
            size /= 2
        if misfit > best:
            break
        beta, best = beta + size * step, misfit
    return _logistic(features @ beta)


def _misfit(features: Floats, which: Floats, beta: Floats, ridge: Floats) -> float:
    scores = features @ beta
    return float(np.logaddexp(0.0, scores).sum() - which @ scores + (ridge * beta * beta).sum() / 2)


def _logistic(scores: Floats) -> Floats:
    return 1 / (1 + np.exp(-np.clip(scores, -500, 500)))
