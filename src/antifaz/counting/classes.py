"""The class table: what a judge sees of a generalized table. No quasi-identifier, no row: sizes and counts."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from antifaz.core.arrays import Codes, Flags, Floats, Ints
from antifaz.counting.people import People


@dataclass(frozen=True, kw_only=True, eq=False)
class SensitiveTable:
    """The counts of one sensitive attribute's values in every class.

    The cells of class c are `offsets[c]` to `offsets[c + 1]`; a value that a class lacks has no cell. `totals` is the
    distribution over the whole table, suppressed records included: what was known before the release.
    """

    offsets: Ints
    values: Codes
    counts: Ints
    totals: Ints
    labels: tuple[str | None, ...]
    #: Where the attribute has a hierarchy: per level, the node above each value (the values themselves at level 0).
    up: tuple[Codes, ...] | None = None
    #: Where people are counted, who may have several values: how many there are, in the unit of the counts.
    of_people: int | None = None

    @property
    def whole(self) -> int:
        """The number of records of the whole table, or of its people."""
        return int(self.totals.sum()) if self.of_people is None else self.of_people

    @cached_property
    def classes(self) -> Ints:
        """The class of every cell."""
        return np.repeat(np.arange(self.offsets.size - 1), np.diff(self.offsets))

    @property
    def majorities(self) -> Ints:
        """For each class, how many records have its most frequent value."""
        return np.maximum.reduceat(self.counts, self.offsets[:-1]) if self.counts.size else np.zeros(0, np.int64)


@dataclass(frozen=True, kw_only=True, eq=False)
class Population:
    """How the population falls into the classes of a table."""

    #: People per class, in the order of the table's classes.
    sizes: Ints
    #: People who fall into none of them.
    absent: int


@dataclass(frozen=True, kw_only=True, eq=False)
class ClassTable:
    """The sizes of all classes, what each holds of the sensitive attributes, and of the population where known."""

    sizes: Ints
    population: Population | None = None
    sensitive: Mapping[str, SensitiveTable] = field(default_factory=dict)
    #: Per quasi-identifier, a number for each class, the same where its label is; only where they were asked for.
    values: tuple[Codes, ...] | None = None
    #: Counts the people of the classes, where there is a person key; see `people`.
    count_people: Callable[[], People] | None = None
    #: Counts how many people each class has, up to a number, where that is quicker.
    count_heads: Callable[[int], Ints] | None = None
    #: Measures what the classes have lost, where they are at levels of hierarchies; see `lost`.
    measure_lost: Callable[[], Floats] | None = None

    @cached_property
    def people(self) -> People | None:
        """Who is in the classes, counted when first asked for; None where only records are counted."""
        return None if self.count_people is None else self.count_people()

    @cached_property
    def lost(self) -> Floats | None:
        """Per class, the share of a record's information that is lost; None where no levels tell."""
        return None if self.measure_lost is None else self.measure_lost()

    def without(self, gone: Flags) -> "ClassTable":
        """Return the classes of the people who stay; what is counted of records only is that of all."""
        if self.people is None:
            return self
        people, left = self.people.without(gone)
        sizes = np.bincount(people.owners, people.counts, people.many).astype(np.int64)
        values = None if self.values is None else tuple(codes[left] for codes in self.values)
        return ClassTable(sizes=sizes, sensitive=self.sensitive, values=values, count_people=lambda: people)

    @property
    def rows(self) -> int:
        """The number of records in all classes."""
        return int(self.sizes.sum())
