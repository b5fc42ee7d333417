"""Items of sets: who has which of them, and which sets of them fewer than k people have.

An item is known together with the class of its row, so what is counted are tokens: pairs of a class and a label.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from antifaz.core.arrays import Flags, Floats, Ints
from antifaz.counting.people import people_of
from antifaz.counting.person_rows import RowMultisets, known_rows


@dataclass(frozen=True, kw_only=True, eq=False)
class ItemTask:
    """Items in cells: whose each is, in which row and class; and what it may become, level by level."""

    persons: Ints
    rows: Ints
    classes: Ints
    items: Ints
    #: Per level and item, the label that it becomes, and the share of all items of its column under that label.
    labels: Ints
    shares: Floats
    k: int
    m: int
    #: How many items may be left out of their cells.
    allowed: int

    @property
    def number(self) -> int:
        """How many labels there are."""
        return int(self.labels.max(initial=-1)) + 1

    def at(self, levels: Ints) -> Ints:
        """Return the label of each item at its level."""
        return self.labels[levels, np.arange(levels.size)]

    def loss(self, levels: Ints) -> Floats:
        """Return what each item loses at its level, between 0 and 1."""
        least = self.shares[0]
        with np.errstate(invalid="ignore"):
            lost = (self.shares[levels, np.arange(levels.size)] - least) / (1 - least)
            return np.asarray(np.nan_to_num(lost), np.float64)

    def lost(self, levels: Ints, kept: Flags | None) -> float:
        """Return what is lost in all, in items: what is left out counts as one; `kept` says what is not."""
        own = self.loss(levels)
        if kept is None:
            return float(own @ self._often)
        return float(np.where(kept, own[self.items], 1.0).sum())

    @cached_property
    def _often(self) -> Ints:
        return np.bincount(self.items, minlength=self.labels.shape[1])

    def raised(self, levels: Ints, label: int) -> Ints:
        """Return the levels with all items below a label raised to it."""
        return self._first(self.labels == label, levels)

    def above(self, levels: Ints) -> Ints:
        """Return for each item the next level at which it becomes something else; its own where there is none."""
        return self._first(self.labels != self.at(levels), levels)

    def _first(self, there: Flags, levels: Ints) -> Ints:
        higher = there & (np.arange(self.labels.shape[0])[:, None] > levels)
        return np.where(higher.any(axis=0), higher.argmax(axis=0), levels)

    def rare(self) -> list[int]:
        """Return how many sets of one item, of two, … fewer than k people have, as the data came."""
        tokens, found = Tokens(self, np.zeros(self.labels.shape[1], np.int64)), [0] * self.m
        for size, known in enumerate(tokens.known(tokens.counts, self.m)):
            # A set that n people have comes n times.
            found[size] = round(float((1 / known.people[known.people < self.k]).sum()))
        return found


@dataclass(frozen=True, kw_only=True, eq=False)
class ItemDecision:
    """The label and the level of every item, which entries stay, and how many are left out of their cells."""

    labels: Ints
    levels: Ints
    kept: Flags
    left_out: int
    #: What is lost, in items.
    lost: float


class Tokens:
    """Who has which label in which class, the items being at some levels."""

    def __init__(self, task: ItemTask, levels: Ints) -> None:
        """Count; a label that a cell has twice is there once."""
        found, self.token = np.unique(task.classes * task.number + task.at(levels)[task.items], return_inverse=True)
        #: The label behind each token.
        self.label = found % max(task.number, 1)
        self.many = max(found.size, 1)
        self._cells = task.rows * self.many + self.token
        _, self._first = np.unique(self._cells, return_index=True)
        self._task, each = task, np.ones(self._first.size, np.int64)
        self._people = people_of(self.token[self._first], task.persons[self._first], each, self.many, {})
        keys = self._people.persons * self.many + self._people.owners
        self._order = np.argsort(keys)
        self._sorted = keys[self._order]

    @property
    def counts(self) -> Ints:
        """How often each person has each token, as cells."""
        return self._people.counts

    def heads(self, counts: Ints) -> Ints:
        """Return how many people have each token where each person has it so often."""
        return np.bincount(self._people.owners[counts > 0], minlength=self.many)

    def known(self, counts: Ints, size: int) -> Iterator[RowMultisets]:
        """Go through what may be known of people who have each token so often: sets of one item, of two, …."""
        inside, all_of = counts > 0, self._people
        owners, persons = all_of.owners[inside], all_of.persons[inside]
        left = replace(all_of, owners=owners, persons=persons, counts=counts[inside])
        return known_rows(left, np.ones(self.many, np.bool_), size)

    def places(self, persons: Ints, tokens: Ints) -> Ints:
        """Return where it is counted how often these people have these tokens."""
        found: Ints = self._order[np.searchsorted(self._sorted, persons * self.many + tokens)]
        return found

    def kept(self, counts: Ints) -> Flags:
        """Return which entries stay where each person keeps a token so often: in the first rows that have it."""
        task, first = self._task, self._first
        place = self.places(task.persons[first], self.token[first])
        order = np.lexsort((task.rows[first], place))
        turn = np.arange(order.size) - np.searchsorted(place[order], place[order])
        stays = np.zeros(first.size, np.bool_)
        stays[order] = turn < counts[place[order]]
        return np.isin(self._cells, self._cells[first[stays]])
