"""Loss: how much of each attribute's domain a released value covers."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from antifaz.core.arrays import Floats, Ints
from antifaz.counting.generalization import Generalization
from antifaz.counting.ladders import Ladder
from antifaz.utility.quality import AttributeQuality, cut


class Loss(AttributeQuality):
    """The share of its domain that a released value covers, aggregated over attributes."""

    name: ClassVar[str] = "loss"
    summary: ClassVar[str] = "How much of its attribute's domain a released value covers, on average."
    details: ClassVar[str] = (
        "0: nothing is generalized; 1: everything is released as 'anything' or left out. A released value loses the "
        "share of the hierarchy's leaves under it, a record left out loses all, and the share that an untouched value "
        "has anyway is taken off. The same figure as ARX's Loss, so that results compare."
    )
    formula: ClassVar[str] = "(Π over attributes (1 + x))^(1/m) − 1, x = (Σ shares + suppressed − N/d) / (N − N/d)"
    source: ClassVar[str] = "V. Iyengar, Transforming data to satisfy privacy constraints, KDD 2002"

    aggregate: Literal["sum", "mean", "geometric-mean", "maximum", "rank"] = Field(
        default="geometric-mean", description="How the losses of the attributes become one."
    )

    def losses(self, table: Generalization) -> list[float]:
        """Return the loss of every attribute."""
        found = []
        for ladder, covered in zip(table.ladders, table.sums(_shares), strict=True):
            total = covered * self.generalized_weight + table.suppressed * self.suppressed_weight
            found.append(self._normalized(total, table.rows, ladder))
        return found

    def least(self, ladder: Ladder, level: int, records: Ints, allowed: int) -> float:
        """Return the loss with nobody left out, or where that costs less, with whoever would cost more left out."""
        shares = ladder.shares[level] * self.generalized_weight
        if allowed:
            shares = np.minimum(shares, self.suppressed_weight)
        return self._normalized(float(np.dot(records, shares)), int(records.sum()), ladder)

    def _normalized(self, total: float, rows: int, ladder: Ladder) -> float:
        least = rows / ladder.leaves * self.generalized_weight
        return 0.0 if rows == least else cut(max(0.0, (total - least) / (rows - least)))


def _shares(ladder: Ladder, level: int) -> Floats:
    return ladder.shares[level]
