"""What every sensitivity rule declares: which cells must not be known, and how far off a guess must stay."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from antifaz.core.arrays import Flags, Floats
from antifaz.core.declaration import Declared
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
        """Return what satisfies both."""
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
