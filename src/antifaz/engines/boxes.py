"""Records that do not fit in memory: they stay where they are, and are asked for and brought out box by box.

Every quasi-identifier's values have *places*, 0, 1, …, in the order in which a method cuts them, and a record is a
tuple of places. A box is, per attribute, a range of places: cuts that keep equal values together leave boxes behind, so
that a part needs no mark on its records, only its ends. How often each place occurs in a box says where it is cut.

An engine that can group, filter by ranges and insert can do all of it; nothing here is of any one of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from antifaz.counting.tuples import Tuples

#: Per attribute the first place and the last one, both inside: (attributes, 2).
Box = NDArray[np.int32]
#: Per attribute how often each place of a box occurs, from the box's first place to its last.
Margins = list[NDArray[np.int64]]


@dataclass(frozen=True, kw_only=True, eq=False)
class Held:
    """Tuples that were brought out: their places, one row each, and how many records each stands for."""

    places: NDArray[np.int32]
    counts: NDArray[np.int64]
    #: By what the engine knows each tuple again when it is stored.
    keys: NDArray[np.int32]

    @property
    def records(self) -> int:
        """How many records these are."""
        return int(self.counts.sum())


@dataclass(frozen=True, kw_only=True, eq=False)
class Classes:
    """Some classes of what was stored: their sizes, and of every attribute the ends of the places that are known."""

    sizes: NDArray[np.int64]
    #: (classes, attributes); where a class has no known place, low is beyond all and high is -1.
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    #: Whether some are missing: (classes, attributes).
    missing: NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True, eq=False)
class Finished:
    """What became of tuples: the group of each, and the labels of the groups."""

    groups: NDArray[np.int64]
    #: How many records each group has.
    sizes: NDArray[np.int64]
    #: Per attribute the labels, None for missing, and which of them each group has.
    labels: tuple[tuple[str | None, ...], ...]
    released: tuple[NDArray[np.int64], ...]
    #: Per attribute the number that each group is released as; None for categories.
    points: tuple[NDArray[np.float64] | None, ...]


#: What finishes parts that lie one after another: the tuples, and where each part ends. It can be pickled.
Finish = Callable[[Held, NDArray[np.int64]], Finished]


@dataclass(frozen=True, kw_only=True, eq=False)
class Apart:
    """What is told of boxes that were finished where they are."""

    #: How many groups they fell into.
    parts: int
    #: Per attribute the numbers that groups are released as, and how many records of them; NaN is none.
    points: tuple[tuple[NDArray[np.float64], NDArray[np.int64]], ...]


class Ordered(ABC):
    """The tuples of a box in the order of one attribute, so that ranges of it are quick to reach."""

    @abstractmethod
    def fetch(self, box: Box) -> Held:
        """Bring out the tuples of a smaller box, in the order of the attribute."""

    @abstractmethod
    def margins(self, box: Box) -> Margins:
        """Count the places of a smaller box."""

    @abstractmethod
    def close(self) -> None:
        """Give the room back."""


class Boxes(ABC):
    """The quasi-identifiers of all records, where they are, and what becomes of them."""

    #: How many bytes may be held of them at a time.
    room: int
    #: How many records may be held at a time, where somebody said so.
    most: int | None = None

    @abstractmethod
    def distinct(self) -> list[int]:
        """Count the distinct values of each column, before any of them come out."""

    @abstractmethod
    def alone(self) -> list[Tuples]:
        """Count each column by itself."""

    @abstractmethod
    def encode(self, places: Sequence[Mapping[str | None, int]], known: Sequence[int]) -> None:
        """Say per column the place of each value, and how many places are known; what follows is asked in places."""

    @abstractmethod
    def sizes(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return how often tuples occur, in order, and how many occur so often."""

    @abstractmethod
    def margins(self, boxes: Sequence[Box]) -> Iterator[Margins]:
        """Count the places of some boxes that have no tuple in common, in their order."""

    @abstractmethod
    def each(self, boxes: Sequence[Box]) -> Iterator[Held]:
        """Bring out boxes that have no tuple in common, one after another, in their order."""

    @abstractmethod
    def ordered(self, box: Box, attribute: int) -> Ordered:
        """Lay the tuples of a box in the order of an attribute."""

    @abstractmethod
    def store(self, held: Held, labels: NDArray[np.int64]) -> None:
        """Keep for every tuple the number of its label in every attribute: (tuples, attributes)."""

    @abstractmethod
    def store_box(self, box: Box, labels: Sequence[int]) -> None:
        """Keep the same labels for all tuples of a box, which need not come out for that."""

    def finish_apart(
        self, parts: Sequence[Sequence[Box]], finish: Finish, numbers: Sequence[dict[str | None, int]]
    ) -> Apart | None:
        """Finish boxes where they are and keep their labels there; None where they must come out for it.

        Boxes come in lists of which each may be held at a time. `numbers` has per attribute the number of each label;
        labels that are new to it are added.
        """
        return None

    @abstractmethod
    def classes(self) -> Iterator[Classes]:
        """Describe all classes of what was stored, some at a time; a class has the same labels throughout."""

    @abstractmethod
    def pairs(self, attribute: int) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]:
        """Return every place that occurs in a class: whole classes at a time, as (class, place, size of the class).

        Classes are numbered from 0 each time, and lie together.
        """
