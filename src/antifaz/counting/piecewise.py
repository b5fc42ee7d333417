"""A grouping that was decided part by part: what is known of it when no record is held any more."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.counting.classes import ClassTable
from antifaz.counting.ladders import Ladder


@dataclass(frozen=True, kw_only=True, eq=False)
class Piecewise:
    """The sizes of the classes, and what was measured while they passed by."""

    rows: int
    sizes: NDArray[np.int64] = field(repr=False)
    #: What evidence says of a release in groups, by name.
    measures: dict[str, Any]

    @property
    def count(self) -> int:
        """The number of groups."""
        return int(self.sizes.size)

    @property
    def suppressed(self) -> int:
        """Nobody is left out."""
        return self.rows - int(self.sizes.sum())

    @property
    def ladders(self) -> tuple[Ladder, ...]:
        """No attribute is at a level: there is nothing to climb."""
        return ()

    @property
    def levels(self) -> tuple[int, ...]:
        """No attribute is at a level."""
        return ()

    def class_table(self) -> ClassTable:
        """Return what the judges may see of the groups."""
        return ClassTable(sizes=self.sizes, sensitive={})


@dataclass(frozen=True, kw_only=True, eq=False)
class Tally:
    """Sizes of classes, told by how many classes have each size: there may be as many classes as records."""

    #: In order.
    sizes: NDArray[np.int64]
    times: NDArray[np.int64]

    @classmethod
    def of(cls, sizes: NDArray[np.int64]) -> Tally:
        """Tally the sizes of classes."""
        distinct, times = np.unique(sizes, return_counts=True)
        return cls(sizes=distinct, times=times)

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return int(self.times.sum())

    @property
    def records(self) -> int:
        """How many records there are."""
        return int(np.dot(self.sizes, self.times))

    def below(self, k: int) -> int:
        """Return how many records are in classes of fewer than k."""
        small = self.sizes < k
        return int(np.dot(self.sizes[small], self.times[small]))
