"""Ladders: a hierarchy bound to the codes of one column of the data."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from antifaz.core.arrays import Codes, Floats


@dataclass(frozen=True, kw_only=True, eq=False)
class Ladder:
    """What each code of a column becomes, level by level.

    `labels[h]` are the labels that occur at level h (None is missing); `up[h][code]` is the position in `labels[h]` of
    what the base code becomes; `shares[h]` the share of the hierarchy's leaves under each label, which is what a
    loss is made of. Only labels that the data has are listed: fewer bits to pack.
    """

    column: str
    labels: tuple[tuple[str | None, ...], ...]
    up: tuple[Codes, ...]
    shares: tuple[Floats, ...]
    #: Number of leaves in the hierarchy (the data may have fewer).
    leaves: int
    #: Lower and upper end of the numbers under each label, per level; None for a column that is not numeric.
    spans: tuple[Floats, ...] | None = None
    _steps: dict[tuple[int, int, int], NDArray[np.uint64]] = field(default_factory=dict, repr=False)

    @property
    def height(self) -> int:
        """The highest level."""
        return len(self.labels) - 1

    def size(self, level: int) -> int:
        """The number of labels that occur at a level."""
        return len(self.labels[level])

    def step(self, low: int, high: int, shift: int) -> NDArray[np.uint64]:
        """Return for each label position at level `low` its position at level `high`, shifted into its field."""
        known = self._steps.get((low, high, shift))
        if known is None:
            known = np.zeros(self.size(low), np.uint64)
            known[self.up[low]] = self.up[high].astype(np.uint64) << np.uint64(shift)
            self._steps[low, high, shift] = known
        return known
