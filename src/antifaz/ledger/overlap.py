"""A new release beside earlier ones: which records are of the same people, and in which classes these are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from antifaz.ledger.entry import Entry, hashes_in

Places = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Overlap:
    """One earlier release seen from the new one."""

    new: Entry
    old: Entry
    #: For every record of the new release its place in the old one; -1 where that has no record of the person.
    places: Places

    @property
    def shared(self) -> int:
        """How many records are of people who are in both."""
        return int((self.places >= 0).sum())

    @cached_property
    def classes(self) -> NDArray[np.int64]:
        """For every record of the new release the class of the old one that the person is in; -1 where in none."""
        found = np.full(self.places.size, -1, np.int64)
        there = self.places >= 0
        found[there] = self.old.classes[self.places[there]]
        return found

    @cached_property
    def cells(self) -> tuple[Places, Places]:
        """Per record of the new release how many share both of its classes, and a number for that pair of classes.

        0 and -1 for people who are not in the old release.
        """
        there = self.places >= 0
        sizes, numbers = np.zeros(there.size, np.int64), np.full(there.size, -1, np.int64)
        if there.any():
            numbers[there] = number_combinations([self.new.classes[there].astype(np.int64), self.classes[there]])
            sizes[there] = np.bincount(numbers[there])[numbers[there]]
        return sizes, numbers

    @property
    def gone(self) -> NDArray[np.bool_]:
        """Which records of the old release are of people who are not in the new one."""
        left = np.ones(self.old.rows, np.bool_)
        left[self.places[self.places >= 0]] = False
        return left


def number_combinations(columns: Sequence[Places]) -> Places:
    """Number the combinations of several columns of numbers from 0; records that agree in all get the same one."""
    state = np.zeros(columns[0].size, np.int64)
    for column in columns:
        low, high = (int(column.min()), int(column.max())) if column.size else (0, 0)
        # Both factors are at most the number of records, so that their product fits.
        state = np.unique(state * (high - low + 1) + (column - low), return_inverse=True)[1].astype(np.int64)
    return state


def find_overlaps(new: Entry, earlier: Sequence[Entry]) -> list[Overlap]:
    """Find the people of the new release in each earlier one.

    They are known by their identifiers, where these tell everybody apart in both releases; else by the whole record,
    and of equal records the first is taken for the first, the second for the second.
    """
    by_record = [not (new.unique and old.unique) for old in earlier]
    return [
        Overlap(new=new, old=old, places=_places_among(new.keys(by), old.keys(by)))
        for old, by in zip(earlier, by_record, strict=True)
    ]


def shares_people(new: Entry, parts: Mapping[str, bytes]) -> bool:
    """Say whether anybody of a new release is in an earlier one, of which only the hashes of people are at hand."""
    own = (new.people, new.people if new.records is None else new.records)
    return any(bool((_places_among(*pair) >= 0).any()) for pair in zip(own, hashes_in(parts), strict=True))


def _places_among(wanted: NDArray[np.uint64], known: NDArray[np.uint64]) -> Places:
    """Return for every hash its place among the known ones, -1 where it is not there."""
    if not known.size:
        return np.full(wanted.size, -1, np.int64)
    order = np.argsort(known, kind="stable")
    near = np.minimum(np.searchsorted(known[order], wanted), known.size - 1)
    places: Places = order[near]
    return np.where(known[places] == wanted, places, -1)
