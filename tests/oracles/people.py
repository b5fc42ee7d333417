"""People and their rows by brute force, from the definitions: every attacker's choice is tried.

A table is a list of (person, class) or, with a sensitive value, of (person, class, value).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from fractions import Fraction
from itertools import combinations

Rows = Sequence[tuple[Hashable, ...]]


def fewest_people(rows: Rows, known: int | str) -> int:
    """Return the fewest people whom an attacker finds who knows any `known` rows of somebody, or all of them."""
    bags: dict[Hashable, Counter[Hashable]] = {}
    for person, of_class, *_ in rows:
        bags.setdefault(person, Counter())[of_class] += 1
    fewest = len(bags)
    for bag in bags.values():
        if known == "all":
            fewest = min(fewest, sum(other == bag for other in bags.values()))
            continue
        for number in range(1, int(known) + 1):
            for choice in combinations(sorted(bag.elements(), key=str), number):
                wanted = Counter(choice)
                fewest = min(fewest, sum(wanted <= other for other in bags.values()))
    return fewest


def fewest_by_columns(rows: Rows, columns: int, known: int | str) -> int:
    """Return the same where an attacker knows at most so many of the columns: a class is the tuple of their values."""
    width = len(rows[0][1]) if rows else 0  # type: ignore[arg-type]
    found = [
        fewest_people([(person, tuple(of_class[a] for a in chosen)) for person, of_class, *_ in rows], known)  # type: ignore[index]
        for number in range(1, min(columns, width) + 1)
        for chosen in combinations(range(width), number)
    ]
    return min(found, default=0)


def shares(rows: Rows) -> dict[Hashable, Fraction]:
    """Return for each value the share of people who have it."""
    people = {row[0] for row in rows}
    pairs = {(row[0], row[2]) for row in rows}
    return {value: Fraction(sum(v == value for _, v in pairs), len(people)) for value in {row[2] for row in rows}}


def distribution(rows: Rows) -> dict[Hashable, Fraction]:
    """Return the distribution of values where everybody weighs one, divided among the person's different values."""
    values: dict[Hashable, set[Hashable]] = {}
    for person, _, value in rows:
        values.setdefault(person, set()).add(value)
    found: Counter[Hashable] = Counter()
    for own in values.values():
        for value in own:
            found[value] += Fraction(1, len(own))  # type: ignore[assignment]
    return {value: Fraction(weight) / len(values) for value, weight in found.items()}


def by_class(rows: Rows) -> dict[Hashable, Rows]:
    """Return the rows of each class."""
    found: dict[Hashable, list[tuple[Hashable, ...]]] = {}
    for row in rows:
        found.setdefault(row[1], []).append(row)
    return dict(found)
