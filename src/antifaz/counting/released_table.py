"""The interface of a released table: all that measures of utility need to know of it, whatever method made it."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from antifaz.core.arrays import Flags, Floats, Ints
from antifaz.counting.rollup import Ladder


@dataclass(frozen=True, kw_only=True, eq=False)
class Extents:
    """How much of an attribute's domain each of its released values may stand for."""

    #: How many records have each released value.
    records: Ints
    #: The width of the numbers that it covers (NaN for none), or how many categories.
    covered: Floats | Ints
    #: The width of all numbers of the data, or the number of all categories.
    whole: float
    is_number: bool
    #: Which released values say nothing, although something was there.
    unknown: Flags | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class Distribution:
    """The numbers of an attribute before, and what they are released as: values, and how many records have each."""

    column: str
    values: Floats
    counts: Ints
    released_values: Floats
    released_counts: Ints

    @classmethod
    def of_known(
        cls,
        column: str,
        values: Floats,
        counts: Ints,
        after: Floats,
        counts_after: Ints,
    ) -> Self:
        """Leave out what is no number, before and after."""
        known, released = ~np.isnan(values), ~np.isnan(after)
        return cls(
            column=column, values=values[known], counts=counts[known], released_values=after[released],
            released_counts=counts_after[released],
        )  # fmt: skip


class ReleasedTable(ABC):
    """What became of the records. Measures ask this and nothing else; judges are handed its class table."""

    #: Whether every record is released at levels of the attributes' hierarchies.
    has_levels: ClassVar[bool] = False
    #: Whether its records are in memory, so that more than what was counted can be asked.
    in_memory: ClassVar[bool] = True

    #: The number of records, those left out included.
    rows: int
    #: The number of quasi-identifiers.
    attributes: int
    #: The level of each attribute, where there are levels; where records are at several, one that can be told.
    levels: tuple[int, ...] = ()

    @property
    @abstractmethod
    def sizes(self) -> Ints:
        """The sizes of the released classes."""

    @property
    def suppressed(self) -> int:
        """The number of records left out."""
        return self.rows - int(self.sizes.sum())

    @property
    def ladders(self) -> tuple[Ladder, ...]:
        """The hierarchies, where attributes are released at levels of them."""
        return ()

    @abstractmethod
    def extents(self, a: int) -> Iterable[Extents]:
        """Return what the released values of an attribute cover, in one part or several."""

    @abstractmethod
    def distributions(self) -> Iterable[Distribution]:
        """Return the attributes that are numbers, before and after."""

    def penalty_sums(self, penalty: Callable[[Extents], Floats]) -> list[float]:
        """Per attribute, add up over the released records the penalty that its released value has."""
        return [
            sum(float(np.dot(part.records, penalty(part))) for part in self.extents(a)) for a in range(self.attributes)
        ]
