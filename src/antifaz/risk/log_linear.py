"""Log-linear model of risk: how many who are alone in a sample are alone in the population, and how surely found."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import prod
from typing import Any

import numpy as np

from antifaz.core.arrays import Floats, Ints
from antifaz.core.errors import DataError, ParameterError
from antifaz.risk.keys import Keys, arrow, read_keys, read_weights

#: The most cells of a table that is fitted; it is held in memory, and every turn goes through it some times.
MOST_CELLS = 2_000_000
#: Turns after which fitting is given up, and how close all margins must be, in records. Cells of a sparse table whose
#: fit is 0 come there ever more slowly; what is lost by not waiting is in the fourth digit of τ₁ and τ₂.
_TURNS, _CLOSE = 1_000, 0.01


@dataclass(frozen=True, kw_only=True, eq=False)
class LogLinearRisk:
    """The risk of every record after a log-linear model of the population, in the order of the table."""

    #: How likely a record is the only one of the population with its key; 0 where the table has another.
    alone: Floats = field(repr=False)
    #: How likely it is matched rightly: the mean of one over the people with its key.
    risks: Floats = field(repr=False)
    #: Records of the table with the same key.
    sample: Ints = field(repr=False)
    #: How many people the model expects with the record's key, those in the table included.
    people: Floats = field(repr=False)
    interactions: int
    #: Cells of the table that was fitted.
    cells: int
    #: How many records the model expects to be alone in a sample such as this one; far from `uniques`, it does not fit.
    uniques_expected: float

    @property
    def uniques(self) -> int:
        """How many records are alone in the table."""
        return int((self.sample == 1).sum())

    @property
    def population_uniques(self) -> float:
        """τ₁: how many of those are alone in the population, too."""
        return float(self.alone.sum())

    @property
    def unique_matches(self) -> float:
        """τ₂: how many of those are matched rightly by somebody who tries all of them."""
        return float(self.risks[self.sample == 1].sum())

    @property
    def expected(self) -> float:
        """How many of all records are matched rightly."""
        return float(self.risks.sum())

    @property
    def share(self) -> float:
        """The same as a share of all records."""
        return self.expected / self.risks.size if self.risks.size else 0.0


def log_linear_risk(
    frame: Any,
    columns: Sequence[str] | str,
    *,
    weights: Any = None,
    fraction: float | None = None,
    interactions: int = 2,
) -> LogLinearRisk:
    """Estimate from a sample who is alone in the population, by a log-linear model of how often keys occur there.

    After C. Skinner, N. Shlomo, Assessing identification risk in survey microdata using log-linear models, JASA
    103(483), 2008: the people with a key are Poisson with a mean that the effects of its values make, and those of some
    values together; so what is common elsewhere says how common a key is of which the sample has one record. With
    weights, the sums of weights are fitted (pseudo maximum likelihood) and a key is sampled at one over its weight.

    Args:
        frame: A pandas, polars or pyarrow table.
        columns: The key: columns whose values an intruder may know; a blank is a value of its own.
        weights: The name of a column, or one number per record: how many people it stands for, 1 or more.
        fraction: Instead of weights: the share of the population that is in the table.
        interactions: How many values have an effect together: 1 for independent columns, 2 for all pairs.
    """
    name = "log_linear_risk"
    if (weights is None) == (fraction is None):
        raise ParameterError("log-linear.weights-or-fraction")
    if fraction is not None and not 0 < fraction <= 1:
        raise ParameterError("log-linear.fraction-out-of-bounds", fraction=fraction)
    table = arrow(frame)
    keys = read_keys(table, columns, name)
    if isinstance(interactions, bool) or interactions not in range(1, len(keys.columns) + 1):
        raise ParameterError("log-linear.interactions-out-of-bounds", most=len(keys.columns), given=interactions)
    record_weights = read_weights(table, weights, name)
    each = np.full(table.num_rows, 1 / (fraction or 1)) if record_weights is None else record_weights
    if bad := int((each < 1).sum()):
        raise DataError("log-linear.weights-below-1", bad=bad)
    return _risk(keys, each, interactions)


def _risk(keys: Keys, weights: Floats, interactions: int) -> LogLinearRisk:
    codes = keys.codes.astype(np.int64)
    # Missing is -1: only columns that have it have cells for it.
    codes -= codes.min(axis=0, initial=0)
    shape = tuple(int(part.max(initial=0)) + 1 for part in codes.T)
    if prod(shape) > MOST_CELLS:
        raise ParameterError("log-linear.too-many-cells", cells=prod(shape), most=MOST_CELLS)
    place = np.ravel_multi_index(tuple(codes.T), shape)
    people = np.bincount(keys.tuple_of, weights=weights, minlength=keys.counts.size).astype(np.float64)
    counted = np.bincount(place, weights=people, minlength=prod(shape)).astype(np.float64).reshape(shape)
    close = _CLOSE * float(people.sum()) / max(keys.rows, 1)
    fitted = fit_log_linear(counted, interactions, close).reshape(-1)
    rate = keys.counts / np.maximum(people, keys.counts)
    # Of the mean of a key, so many people are expected beside those who are in the table.
    unseen = (1 - rate) * fitted[place]
    alone = np.where(keys.counts == 1, np.exp(-unseen), 0.0)
    risks, of = mean_reciprocal(keys.counts, unseen), keys.tuple_of
    overall = fitted * (keys.rows / max(float(people.sum()), 1.0))
    return LogLinearRisk(
        alone=alone[of], risks=risks[of], sample=keys.counts[of], people=(keys.counts + unseen)[of],
        interactions=interactions, cells=counted.size, uniques_expected=float(np.dot(overall, np.exp(-overall))),
    )  # fmt: skip


def fit_log_linear(counted: Floats, interactions: int, close: float) -> Floats:
    """Fit all effects of so many columns together, by iterative proportional fitting of a table of counts.

    The fit has the margins of the table for any so many columns, each to within `close`, which is what maximum
    likelihood asks for.
    W. Deming, F. Stephan, On a least squares adjustment of a sampled frequency table, 1940.
    """
    axes = range(counted.ndim)
    margins = [tuple(axis for axis in axes if axis not in kept) for kept in combinations(axes, interactions)]
    targets = [counted.sum(axis=gone, keepdims=True) for gone in margins]
    fitted = np.ones_like(counted)
    for _ in range(_TURNS):
        off = 0.0
        for gone, target in zip(margins, targets, strict=True):
            current = fitted.sum(axis=gone, keepdims=True)
            off = max(off, float(np.abs(current - target).max(initial=0.0)))
            # Of a margin of nobody nothing is left, and nothing comes back.
            fitted *= np.divide(target, current, out=np.zeros_like(target), where=current > 0)
        if off <= close:
            return fitted
    raise DataError("log-linear.not-fitted", turns=_TURNS)


def mean_reciprocal(sample: Ints, unseen: Floats) -> Floats:
    """Return E[1/(f + X)] for f people and Poisson many more: ₁F₁(1; f + 1; −mean)/f."""
    from scipy.special import hyp1f1

    f = np.maximum(sample, 1).astype(np.float64)
    single = np.where(unseen > 0, -np.expm1(-unseen) / np.where(unseen > 0, unseen, 1.0), 1.0)
    return np.where(f == 1, single, hyp1f1(1.0, f + 1, -unseen) / f)
