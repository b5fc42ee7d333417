"""The class table: what a judge sees of a generalized table. No quasi-identifier, no row: sizes and counts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from antifaz.core.arrays import Codes, Ints


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

    @property
    def rows(self) -> int:
        """The number of records in all classes."""
        return int(self.sizes.sum())
