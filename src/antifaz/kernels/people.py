"""Counting people: as many of a class as decide, and those on both sides of a cut."""

import numpy as np

from antifaz.kernels import Flags, Ints
from antifaz.kernels.compiling import njit


@njit(cache=True, nogil=True)
def keep_few(owners: Ints, many: int, few: int, kept: Flags) -> None:
    """Keep the first so many of every owner's entries."""
    seen = np.zeros(many, np.int64)
    for i in range(owners.shape[0]):
        kept[i] = seen[owners[i]] < few
        seen[owners[i]] += 1


@njit(cache=True, nogil=True)
def count_heads(owners: Ints, persons: Ints, place: Ints, found: Ints, heads: Ints) -> None:
    """Count the different persons of every place, up to as many as `found` has room for in a line.

    `place` says where each owner is, -1 for nowhere. A place that is full is not looked at again.
    """
    most = found.shape[1]
    for i in range(owners.shape[0]):
        at = place[owners[i]]
        if at < 0 or heads[at] == most:
            continue
        person, many = persons[i], heads[at]
        new = True
        for j in range(many):
            if found[at, j] == person:
                new = False
                break
        if new:
            found[at, many] = person
            heads[at] = many + 1


@njit(cache=True, nogil=True)
def heads_on_sides(persons: Ints, places: Ints, seen: Ints, mark: int, left: Ints, right: Ints) -> None:
    """Count the different persons of the rows before each place, given in any order, and from it on.

    `seen` has a number for every person, less than `mark`; those of the rows become `mark` + 1.
    """
    rows = persons.shape[0]
    before, after = np.zeros(rows + 1, np.int64), np.zeros(rows + 1, np.int64)
    for i in range(rows):
        new = seen[persons[i]] < mark
        seen[persons[i]] = mark
        before[i + 1] = before[i] + new
    for i in range(rows - 1, -1, -1):
        new = seen[persons[i]] == mark
        seen[persons[i]] = mark + 1
        after[i] = after[i + 1] + new
    for i in range(places.shape[0]):
        left[i], right[i] = before[places[i]], after[places[i]]
