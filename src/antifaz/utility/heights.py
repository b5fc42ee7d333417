"""Height and precision: how far up its hierarchy each released value is."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from antifaz.core.arrays import Floats, Ints
from antifaz.counting.generalization import Generalization
from antifaz.counting.ladders import Ladder
from antifaz.counting.lattice import Lattice
from antifaz.utility.quality import AttributeQuality, Quality


def height(table: Generalization) -> float:
    """Return the mean over records of the summed share of each hierarchy that was climbed (0 to the number of QIs)."""
    return sum(Climb().losses(table))


def precision(table: Generalization) -> float:
    """Return 1 minus the mean share of each hierarchy that was climbed: 1 is untouched (Sweeney 2002)."""
    return 1 - height(table) / len(table.ladders) if table.ladders else 1.0


class LevelSum(Quality):
    """The sum of the levels."""

    name: ClassVar[str] = "height"
    summary: ClassVar[str] = "The sum of the levels: the plainest measure, blind to the data."
    details: ClassVar[str] = "What Incognito minimizes. Two generalizations of one sum may lose very differently."
    formula: ClassVar[str] = "Σ over attributes of its level"
    source: ClassVar[str] = "K. LeFevre et al., Incognito: efficient full-domain k-anonymity, SIGMOD 2005"

    def score(self, table: Generalization) -> float:
        """Return the sum of the levels: of their means where records are at different ones."""
        return float(sum(table.mean_levels))

    def bounds(self, lattice: Lattice, allowed: int) -> Floats:
        """Return the sums themselves: they don't depend on who is left out."""
        sums = np.indices([height + 1 for height in lattice.heights]).sum(axis=0)
        return np.asarray(sums, np.float64)


class Climb(AttributeQuality):
    """The mean share of its hierarchy that a released value has climbed."""

    name: ClassVar[str] = "precision"
    summary: ClassVar[str] = "How far up its hierarchy a released value is, on average."
    details: ClassVar[str] = (
        "0: everything at its lowest level, 1: everything at the top or left out (what Sweeney calls precision is 1 "
        "minus this). Blind to how much a level covers: prefer loss where hierarchies are uneven."
    )
    formula: ClassVar[str] = "mean over attributes of ((N − s)·level/height + s)/N"
    source: ClassVar[str] = "L. Sweeney, Achieving k-anonymity privacy protection, IJUFKS 10(5), 2002"

    def losses(self, table: Generalization) -> list[float]:
        """Return per attribute the mean over records of level over height; left out counts as the top."""
        out = table.suppressed / table.rows if table.rows else 0.0
        return [
            (1 - out) * _share(ladder, level) * self.generalized_weight + out * self.suppressed_weight
            for ladder, level in zip(table.ladders, table.mean_levels, strict=True)
        ]

    def least(self, ladder: Ladder, level: int, records: Ints, allowed: int) -> float:
        """Return level over height, or less where leaving out costs less."""
        share = _share(ladder, level) * self.generalized_weight
        return min(share, self.suppressed_weight) if allowed else share


def _share(ladder: Ladder, level: float) -> float:
    return level / ladder.height if ladder.height else 0.0
