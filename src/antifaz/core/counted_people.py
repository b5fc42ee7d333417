"""Who is in which class of a release, as it was counted again from the written rows."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from antifaz.core.arrays import Ints


@dataclass(frozen=True, eq=False)
class CountedPeople:
    """Who is in which class: pairs, each once, with the number of rows; and per sensitive attribute the values.

    Persons are numbers that stand for no key.
    """

    classes: Ints
    persons: Ints
    rows: Ints
    #: Per sensitive attribute, triples of class, person and value, each once; and what the values stand for.
    values: Mapping[str, tuple[Ints, Ints, Ints, tuple[str | None, ...]]]

    @cached_property
    def heads(self) -> Ints:
        """How many people each class has."""
        return np.bincount(self.classes)

    @cached_property
    def number(self) -> int:
        """How many people there are."""
        return int(np.unique(self.persons).size)

    def below(self, k: int) -> int:
        """Count the people who are in some class with fewer than k."""
        return int(np.unique(self.persons[self.heads[self.classes] < k]).size)
