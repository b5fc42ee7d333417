"""Distances between people and released records, column by column: who is nearest, and second nearest.

A column costs 0 where the label covers the value, 1 where it names another category, and on a scale the gap between
the value and the label in ranges of the column, at most 1. A label that says nothing costs 0 for everybody.
"""

import numpy as np

from antifaz.kernels import Codes, Flags, Floats, Ints
from antifaz.kernels.compiling import njit

#: States of a cell, as in kernels/attacks.py: a stretch; anything; missing in a person; blank in a release.
SOME, ALL, MISSING, BLANK = 0, 1, 2, 3


@njit(cache=True, nogil=True)
def _cell(value: float, label: int, scaled: bool, labels: Floats, covers: Ints, members: Ints) -> float:
    """Return what a person's value (a place on the scale, or a code) and a label of the same column cost.

    A row of `labels` has the ends of the stretch, in ranges of the column, and the state; `covers` says from where to
    where the codes are in `members` that the label covers.
    """
    state = int(labels[label, 2])
    if state == ALL:
        return 0.0
    if scaled:
        if np.isnan(value) or state == BLANK:
            return 0.0 if np.isnan(value) and state == BLANK else 1.0
        return float(min(max(labels[label, 0] - value, value - labels[label, 1], 0.0), 1.0))
    for at in range(covers[label], covers[label + 1]):
        if members[at] == int(value):
            return 0.0
    return 1.0


@njit(cache=True, nogil=True)
def _distance(
    person: Floats, record: Codes, most: float, scaled: Flags, base: Ints, labels: Floats, covers: Ints, members: Ints
) -> float:
    """Return the sum over the columns; beyond `most` only that it is more."""
    total = 0.0
    for c in range(person.size):
        total += _cell(person[c], base[c] + record[c], scaled[c], labels, covers, members)
        if total > most:
            break
    return total


@njit(cache=True, nogil=True)
def nearest_records(
    people: Floats, records: Codes, scaled: Flags, base: Ints, labels: Floats, covers: Ints, members: Ints
) -> Floats:
    """Return for each person the distances of the nearest and the second nearest record, infinite where none is."""
    found = np.full((people.shape[0], 2), np.inf)
    for i in range(people.shape[0]):
        for j in range(records.shape[0]):
            far = _distance(people[i], records[j], found[i, 1], scaled, base, labels, covers, members)
            if far < found[i, 0]:
                found[i, 1] = found[i, 0]
                found[i, 0] = far
            elif far < found[i, 1]:
                found[i, 1] = far
            if found[i, 1] == 0.0:
                break
    return found


@njit(cache=True, nogil=True)
def nearest_people(
    people: Floats, records: Codes, scaled: Flags, base: Ints, labels: Floats, covers: Ints, members: Ints
) -> tuple[Floats, Floats]:
    """Return the nearest and second nearest person's distance of each record, and how many records each person has.

    A record belongs to its nearest person; among t who are equally near, to each with one t-th.
    """
    found = np.full((records.shape[0], 2), np.inf)
    owned = np.zeros(people.shape[0])
    tied = np.empty(people.shape[0], np.int64)
    for j in range(records.shape[0]):
        many = 0
        for i in range(people.shape[0]):
            far = _distance(people[i], records[j], found[j, 1], scaled, base, labels, covers, members)
            if far < found[j, 0]:
                found[j, 1] = found[j, 0]
                found[j, 0] = far
                tied[0] = i
                many = 1
            elif far == found[j, 0]:
                found[j, 1] = far
                tied[many] = i
                many += 1
            elif far < found[j, 1]:
                found[j, 1] = far
        for at in range(many):
            owned[tied[at]] += 1.0 / many
    return found, owned
