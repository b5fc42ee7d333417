"""A grouping that was decided part by part: what is known of it when no record is held any more."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import ClassVar, Self

import numpy as np

from antifaz.core.arrays import Floats, Ints
from antifaz.counting.classes import ClassTable
from antifaz.counting.released_table import Distribution, Extents, ReleasedTable


@dataclass(frozen=True, kw_only=True, eq=False)
class OutOfCoreTable(ReleasedTable):
    """The sizes of the classes, and what was counted while they passed by."""

    in_memory: ClassVar[bool] = False

    rows: int
    class_sizes: Ints = field(repr=False)
    attributes: int
    #: The penalties of all records and attributes, added up.
    penalties: float
    numbers: tuple[Distribution, ...] = field(default=(), repr=False)

    @property
    def sizes(self) -> Ints:
        """The number of records in every group."""
        return self.class_sizes

    @property
    def count(self) -> int:
        """The number of groups."""
        return int(self.sizes.size)

    def extents(self, a: int) -> Iterable[Extents]:
        """Refuse: what the groups cover was added up, and is not held any more."""
        raise NotImplementedError

    def penalty_sums(self, penalty: Callable[[Extents], Floats]) -> list[float]:
        """Return the one sum that was taken."""
        return [self.penalties]

    def distributions(self) -> tuple[Distribution, ...]:
        """Return the attributes that are numbers, before and after."""
        return self.numbers

    def class_table(self) -> ClassTable:
        """Return what the judges may see of the groups."""
        return ClassTable(sizes=self.sizes, sensitive={})


@dataclass(frozen=True, kw_only=True, eq=False)
class Tally:
    """Sizes of classes, told by how many classes have each size: there may be as many classes as records."""

    #: In order.
    sizes: Ints
    times: Ints

    @classmethod
    def of(cls, sizes: Ints) -> Self:
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
