"""Tuples that stay with the engine because they are too many to come out: the one contract that methods ask them by.

A tuple is a row of codes, one per column, and how often it occurs. `RemoteTuples` has the verbs that all share; what
a method needs beside them is in one of two extensions, and an engine offers those that it can.

- `RecodableTuples`, for specialization: count under a recoding, and run a function that can be pickled where the tuples
  are; it gives back a few numbers.
- `BoxedTuples`, for Mondrian: codes are *places*, 0, 1, …, in the order in which a column is cut, and a box is a range
  of places per column. Cuts that keep equal values together leave boxes behind, so that a part needs no mark on its
  records, only its ends. How often each place occurs in a box says where it is cut. An engine that can group, filter by
  ranges and insert can do all of it.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from antifaz.core.arrays import Codes, Flags, Floats, Ints
from antifaz.counting.frequencies import Tuples

#: Which sizes there are, in order, and how many tuples or classes are so large.
Sizes = tuple[Ints, Ints]


class RemoteTuples(ABC):
    """The distinct tuples of some columns, with the engine."""

    @abstractmethod
    def column_counts(self) -> list[Tuples]:
        """Count each column by itself."""

    @abstractmethod
    def encode(self, codes: Sequence[Mapping[str | None, int]], known: Sequence[int] = ()) -> None:
        """Say per column the code of each value, and for boxes how many codes are known; what follows is in codes."""

    @abstractmethod
    def sizes(self) -> Sizes:
        """Count how often tuples occur."""

    def close(self) -> None:
        """Give the memory back; whoever asks again waits again."""
        return


# -- under a recoding

#: Per column the code of each tuple, and how often each occurs.
Coded = tuple[Sequence[Codes], Ints]
#: Per column what each code becomes; None where codes stay as they are.
Recode = Sequence[Codes | None]
#: What is done with tuples where they are.
Work = Callable[[Coded], Ints]
#: Says which tuples go to which partitions: positions (one as often as it is in several), partitions, and how often.
Assign = Callable[[Coded], tuple[Ints, Ints, Ints]]


class GroupedTuples(ABC):
    """Tuples that lie together by class, some classes in each part."""

    @abstractmethod
    def map(self, work: Work) -> list[Ints]:
        """Do something with every part that has tuples."""

    @abstractmethod
    def close(self) -> None:
        """Give the memory back."""


class RecodableTuples(RemoteTuples):
    """Tuples that are asked for under recodings."""

    #: How many tuples may come out at a time.
    max_tuples: int

    @abstractmethod
    def column_counts(self, together_with: Sequence[str] = ()) -> list[Tuples]:
        """Count each column by itself, together with the others named."""

    @abstractmethod
    def sizes(self, recode: Recode | None = None) -> Sizes:
        """Count how often tuples occur under a recoding."""

    @abstractmethod
    def estimate(self, recodes: Sequence[Recode]) -> list[int]:
        """Say about how many distinct tuples there are under each of several recodings."""

    @abstractmethod
    def count(self, recode: Recode) -> Coded:
        """Bring out the distinct tuples under a recoding."""

    @abstractmethod
    def map_partitions(self, recode: Recode, assign: Assign, work: Work) -> list[Ints]:
        """Assign the distinct tuples under a recoding to partitions, and do something with each as a whole."""

    @abstractmethod
    def group_by(self, recode: Recode, by: Recode) -> GroupedTuples:
        """Lay the distinct tuples under a recoding together by what they become under `by`."""


# -- box by box

#: Per attribute the first place and the last one, both inside: (attributes, 2).
Box = Codes
#: Per attribute how often each place of a box occurs, from the box's first place to its last.
Margins = list[Ints]


@dataclass(frozen=True, kw_only=True, eq=False)
class FetchedTuples:
    """Tuples that were brought out: their places, one row each, and how many records each stands for."""

    places: Codes
    counts: Ints
    #: By what the engine knows each tuple again when it is stored.
    keys: Codes

    @property
    def records(self) -> int:
        """How many records these are."""
        return int(self.counts.sum())


@dataclass(frozen=True, kw_only=True, eq=False)
class StoredClasses:
    """Some classes of what was stored: their sizes, and of every attribute the ends of the places that are known."""

    sizes: Ints
    #: (classes, attributes); where a class has no known place, low is beyond all and high is -1.
    low: Ints
    high: Ints
    #: Whether some are missing: (classes, attributes).
    missing: Flags


@dataclass(frozen=True, kw_only=True, eq=False)
class LabelledTuples:
    """What became of tuples: the group of each, and the labels of the groups."""

    groups: Ints
    #: How many records each group has.
    sizes: Ints
    #: Per attribute the labels, None for missing, and which of them each group has.
    labels: tuple[tuple[str | None, ...], ...]
    released: tuple[Ints, ...]
    #: Per attribute the number that each group is released as; None for categories.
    points: tuple[Floats | None, ...]


#: What finishes parts that lie one after another: the tuples, and where each part ends. It can be pickled.
Finish = Callable[[FetchedTuples, Ints], LabelledTuples]


@dataclass(frozen=True, kw_only=True, eq=False)
class RemoteSummary:
    """What is known of boxes that were finished where they are."""

    #: How many groups they fell into.
    parts: int
    #: Per attribute the numbers that groups are released as, and how many records of them; NaN is none.
    points: tuple[tuple[Floats, Ints], ...]


class SortedBox(ABC):
    """The tuples of a box in the order of one attribute, so that ranges of it are quick to reach."""

    @abstractmethod
    def fetch(self, box: Box) -> FetchedTuples:
        """Bring out the tuples of a smaller box, in the order of the attribute."""

    @abstractmethod
    def margins(self, box: Box) -> Margins:
        """Count the places of a smaller box."""

    @abstractmethod
    def close(self) -> None:
        """Give the room back."""


class BoxedTuples(RemoteTuples):
    """Tuples that are asked for box by box, and the labels that are stored for them."""

    #: How many bytes may be held of them at a time.
    memory: int
    #: How many records may be held at a time, where somebody said so.
    max_records: int | None = None

    @abstractmethod
    def distinct_values(self) -> list[int]:
        """Count the distinct values of each column, before any of them come out."""

    @abstractmethod
    def margins(self, boxes: Sequence[Box]) -> Iterator[Margins]:
        """Count the places of some boxes that have no tuple in common, in their order."""

    @abstractmethod
    def fetch(self, boxes: Sequence[Box]) -> Iterator[FetchedTuples]:
        """Bring out boxes that have no tuple in common, one after another, in their order."""

    @abstractmethod
    def sort(self, box: Box, attribute: int) -> SortedBox:
        """Lay the tuples of a box in the order of an attribute."""

    @abstractmethod
    def store(self, tuples: FetchedTuples, labels: Ints) -> None:
        """Keep for every tuple the number of its label in every attribute: (tuples, attributes)."""

    @abstractmethod
    def store_box(self, box: Box, labels: Sequence[int]) -> None:
        """Keep the same labels for all tuples of a box, which need not come out for that."""

    def finish_remotely(
        self, parts: Sequence[Sequence[Box]], finish: Finish, numbers: Sequence[dict[str | None, int]]
    ) -> RemoteSummary | None:
        """Finish boxes where they are and keep their labels there; None where they must come out for it.

        Each list of boxes may be held at a time. `numbers` has per attribute the number of each label; new ones join.
        """
        return None

    @abstractmethod
    def classes(self) -> Iterator[StoredClasses]:
        """Describe all classes of what was stored, some at a time; a class has the same labels throughout."""

    @abstractmethod
    def pairs(self, attribute: int) -> Iterator[tuple[Ints, Ints, Ints]]:
        """Return every place that occurs in a class as (class, place, class size): whole classes, each time from 0."""
