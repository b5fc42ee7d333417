"""What several rows of a person give away: how many people have the same rows.

Rows are known by their classes. Somebody *has* a multiset of classes if that many of the person's rows are in them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from antifaz.core.arrays import Flags, Ints
from antifaz.core.errors import ParameterError
from antifaz.counting.people import People

#: More combinations than this don't fit in memory.
_MOST = 100_000_000


@dataclass(frozen=True, eq=False)
class RowMultisets:
    """Multisets that people have: who, the classes of each, one column per row known, and how many people have it."""

    persons: Ints
    classes: Ints
    people: Ints


def fewest_sharing(people: People, kept: Flags, rows: int | Literal["all"]) -> Ints:
    """Return for each kept class the fewest people who share what is known of somebody with a row in it."""
    fewest = np.full(people.many, people.number + 1, np.int64)
    for known in known_rows(people, kept, rows):
        for column in known.classes.T:
            inside = column >= 0
            np.minimum.at(fewest, column[inside], known.people[inside])
    return fewest


def rare_people(people: People, rows: int | Literal["all"], k: int) -> Ints:
    """Return everybody of whom something may be known that fewer than k people share."""
    known = known_rows(people, np.ones(people.many, np.bool_), rows)
    found = [some.persons[some.people < k] for some in known]
    return np.unique(np.concatenate(found)) if found else np.zeros(0, np.int64)


def rarest_classes(people: People, kept: Flags, rows: int | Literal["all"], k: int, sizes: Ints) -> Ints:
    """Return of everything that fewer than k people share the class with the fewest records: those to leave out."""
    found = []
    # Of equally small classes the first, so that it does not depend on the order of people.
    rank = np.empty(sizes.size + 1, np.int64)
    rank[np.lexsort((np.arange(sizes.size), sizes))] = np.arange(sizes.size)
    rank[-1] = sizes.size
    for known in known_rows(people, kept, rows):
        few = known.classes[known.people < k]
        if few.size:
            smallest = rank[few].argmin(axis=1)
            found.append(few[np.arange(few.shape[0]), smallest])
    return np.unique(np.concatenate(found)) if found else np.zeros(0, np.int64)


def known_rows(people: People, kept: Flags, rows: int | Literal["all"]) -> Iterator[RowMultisets]:
    """Go through what may be known of people by so many of their rows, one entry for each person."""
    inside = kept[people.owners]
    order = np.lexsort((people.owners[inside], people.persons[inside]))
    classes, persons = people.owners[inside][order], people.persons[inside][order]
    counts = people.counts[inside][order]
    if rows == "all":
        yield from _everything(classes, persons, counts)
    else:
        many = np.minimum(counts, rows)
        yield from _some(np.repeat(classes, many), np.repeat(persons, many), rows)


def _some(classes: Ints, persons: Ints, rows: int) -> Iterator[RowMultisets]:
    """Go through the multisets of one class, of two, and so on, that somebody has; each once per person."""
    many = classes.size
    at = np.arange(many)
    new_person = np.concatenate([[True], persons[1:] != persons[:-1]]) if many else np.zeros(0, np.bool_)
    new_class = new_person | np.concatenate([[True], classes[1:] != classes[:-1]]) if many else new_person
    end = np.append(np.flatnonzero(new_person), many)[np.cumsum(new_person)]
    # Of equal rows of a person the first are taken first, so that no multiset comes twice.
    last = at[new_class]
    chain = classes[last][:, None]
    _, known = np.unique(classes[last], return_inverse=True)
    for size in range(1, rows + 1):
        yield RowMultisets(persons[last], chain, np.bincount(known, minlength=1)[known])
        if size == rows:
            return
        further = end[last] - last - 1
        if int(further.sum()) > _MOST:
            raise ParameterError("people.too-many-combinations", rows=rows)
        before = np.repeat(np.arange(last.size), further)
        step = np.arange(before.size) - np.repeat(np.cumsum(further) - further, further)
        there = last[before] + 1 + step
        fits = new_class[there] | (step == 0)
        before, last = before[fits], there[fits]
        if not last.size:
            return
        chain = np.concatenate([chain[before], classes[last][:, None]], axis=1)
        _, known = np.unique(known[before] * (int(classes.max()) + 1) + classes[last], return_inverse=True)


def _everything(classes: Ints, persons: Ints, counts: Ints) -> Iterator[RowMultisets]:
    """Yield every class that somebody is in, with how many people have all the same rows as that person."""
    if not classes.size:
        return
    new_person = np.concatenate([[True], persons[1:] != persons[:-1]])
    person, start = np.cumsum(new_person) - 1, np.flatnonzero(new_person)
    lengths = np.diff(np.append(start, classes.size))
    _, item = np.unique(classes * (int(counts.max()) + 1) + counts, return_inverse=True)
    # People are told apart step by step; those with fewer rows keep the number they had, and their length.
    same = np.unique(lengths, return_inverse=True)[1]
    for step in range(int(lengths.max())):
        longer = np.flatnonzero(lengths > step)
        key = same * (classes.size + 1)
        key[longer] += 1 + item[start[longer] + step]
        same = np.unique(key, return_inverse=True)[1]
    yield RowMultisets(persons, classes[:, None], np.bincount(same)[same][person])
