"""Sensitivity rules: which cells must not be known (few or dominant contributors), and how far a guess must be off."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from pydantic import Field

from antifaz.core.arrays import Flags, Floats
from antifaz.core.declaration import Declared
from antifaz.core.errors import ParameterError
from antifaz.tabulation.table import CellTable


@dataclass(frozen=True, kw_only=True, eq=False)
class Needs:
    """Which cells are sensitive, and the interval in which each must stay possible, in units of the table.

    Whoever knows all published cells may conclude that a cell of value `a` lies between `low` and `high`. It is
    protected where low ≤ a - lower, high ≥ a + upper and high - low ≥ width.
    """

    sensitive: Flags
    lower: Floats
    upper: Floats
    width: Floats

    @classmethod
    def nothing(cls, cells: int) -> Needs:
        """Return the needs of so many cells of which none is sensitive."""
        zero = np.zeros(cells)
        return cls(sensitive=np.zeros(cells, np.bool_), lower=zero, upper=zero, width=zero)

    def __or__(self, other: Needs) -> Needs:
        return Needs(
            sensitive=self.sensitive | other.sensitive,
            lower=np.maximum(self.lower, other.lower),
            upper=np.maximum(self.upper, other.upper),
            width=np.maximum(self.width, other.width),
        )


class SensitivityRule(Declared):
    """Says of each cell of a table whether it gives somebody away."""

    @property
    def largest(self) -> int:
        """How many of the largest contributions to each cell the rule looks at."""
        return 0

    @abstractmethod
    def needs(self, table: CellTable) -> Needs:
        """Return which cells are sensitive, and how well each must be hidden."""


class Threshold(SensitivityRule):
    """A cell with fewer than k contributors is sensitive."""

    name: ClassVar[str] = "threshold"
    summary: ClassVar[str] = "A cell with fewer than k contributors is sensitive."
    details: ClassVar[str] = (
        "Contributors are people where there is a person key, else records. An empty cell is not sensitive unless "
        "`zeros` says so: that nobody is there is published. Of a hidden count at least k whole numbers must stay "
        "possible; of a hidden sum, an interval of `within` times the sum on either side."
    )
    formula: ClassVar[str] = "0 < n < k; counts: high - low ≥ k - 1; sums: low ≤ (1 - w)·X and high ≥ (1 + w)·X"
    source: ClassVar[str] = "A. Hundepool et al., Statistical Disclosure Control, Wiley, 2012, section 4.2"
    primary: ClassVar[str] = "k"

    k: int = Field(ge=2, description="The smallest number of contributors of a cell that may be published.")
    zeros: bool = Field(default=False, description="Whether an empty cell is sensitive, too; in tables of counts.")
    within: float = Field(
        default=0.1, gt=0, le=1, description="Of a sum: the share of it by which a guess must be off on either side."
    )

    def needs(self, table: CellTable) -> Needs:
        """Return the cells with few contributors."""
        few = (table.contributors < self.k) & ((table.contributors > 0) | (self.zeros and table.measure is None))
        zero = np.zeros(table.size)
        if table.measure is None:
            return Needs(sensitive=few, lower=zero, upper=zero, width=np.where(few, self.k - 1.0, 0.0))
        # A cell of zeros has nothing to be off by; one unit keeps it from being known.
        off = np.where(few, np.maximum(self.within * table.values, 1.0), 0.0)
        return Needs(sensitive=few, lower=np.minimum(off, table.values), upper=off, width=zero)


class Dominance(SensitivityRule):
    """A cell in which the n largest contributors have more than k % of the sum is sensitive."""

    name: ClassVar[str] = "dominance"
    summary: ClassVar[str] = "A cell in which the n largest contributors have more than k % of the sum is sensitive."
    details: ClassVar[str] = (
        "For sums. The rest of such a cell is so small that the sum is a good guess of the largest contributions. What "
        "stays possible must reach the sum at which the n largest would have k %."
    )
    formula: ClassVar[str] = "x₁ + … + xₙ > k/100 · X; upper protection 100/k · (x₁ + … + xₙ) - X, lower the same"
    source: ClassVar[str] = "A. Hundepool et al., Statistical Disclosure Control, Wiley, 2012, tables 4.2 and 4.4"

    n: int = Field(default=1, ge=1, le=20, description="How many of the largest contributors are looked at.")
    k: float = Field(gt=0, lt=100, description="The largest share of the sum that they may have, in percent.")

    @property
    def largest(self) -> int:
        """The n of the rule."""
        return self.n

    def needs(self, table: CellTable) -> Needs:
        """Return the cells that few dominate."""
        _require_sums(self, table)
        share = Fraction(str(self.k)) / 100
        top = table.largest[:, : self.n].sum(axis=1).tolist()
        off = [Fraction(own) / share - total for own, total in zip(top, table.values.tolist(), strict=True)]
        return _symmetric(off, table)


class PPercent(SensitivityRule):
    """A cell whose second largest contributor can estimate the largest within p % is sensitive."""

    name: ClassVar[str] = "p-percent"
    summary: ClassVar[str] = "A cell whose second largest contributor can estimate the largest within p % is sensitive."
    details: ClassVar[str] = (
        "For sums. The second largest takes the own contribution off the sum, and what is left is the largest and a "
        "remainder. Where the remainder is less than p % of the largest, that is too good an estimate."
    )
    formula: ClassVar[str] = "X - x₁ - x₂ < p/100 · x₁; upper protection p/100 · x₁ - (X - x₁ - x₂), lower the same"
    source: ClassVar[str] = "A. Hundepool et al., Statistical Disclosure Control, Wiley, 2012, tables 4.2 and 4.4"
    primary: ClassVar[str] = "p"

    p: float = Field(gt=0, le=100, description="How far off the estimate must be, in percent of the contribution.")

    @property
    def largest(self) -> int:
        """The largest contributor, and the one that estimates."""
        return 2

    def needs(self, table: CellTable) -> Needs:
        """Return the cells in which the largest can be estimated."""
        _require_sums(self, table)
        share = Fraction(str(self.p)) / 100
        cells = zip(*table.largest[:, :2].T.tolist(), table.values.tolist(), strict=True)
        return _symmetric([share * first - (total - first - second) for first, second, total in cells], table)


def _require_sums(rule: SensitivityRule, table: CellTable) -> None:
    if table.measure is None:
        raise ParameterError("tabulation.rule-needs-sums", rule=rule.name)


def _symmetric(off: list[Fraction], table: CellTable) -> Needs:
    """Return the cells that must be off by more than nothing, with the same distance on either side."""
    sensitive: Flags = np.array([own > 0 for own in off], np.bool_) & (table.values > 0)
    distance: Floats = np.where(sensitive, np.array([float(own) for own in off]), 0.0)
    return Needs(
        sensitive=sensitive, lower=np.minimum(distance, table.values), upper=distance, width=np.zeros(table.size)
    )
