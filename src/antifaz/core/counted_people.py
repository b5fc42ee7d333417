"""Who is in which class of a release, as it was counted again from the written rows."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from antifaz.core.arrays import Ints


@dataclass(frozen=True, eq=False)
class CountedPeople:
    """Who is in which class: pairs, each once, with the number of rows; and per sensitive attribute the values.

    Persons are numbers from 0 on that stand for no key.
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
        return int(np.count_nonzero(np.bincount(self.persons)))

    def below(self, k: int) -> int:
        """Count the people who are in some class with fewer than k."""
        return int(np.count_nonzero(np.bincount(self.persons[self.heads[self.classes] < k])))


@dataclass(frozen=True)
class KeyedRows:
    """The rows of a release as they were written, with their person keys, where written rows have no order.

    `keys` are columns of the rows, or a table beside them.
    """

    rows: Any
    keys: Any
