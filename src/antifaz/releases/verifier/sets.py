"""Judge the items of a table's sets: every choice of at most m of a person's items is gone through, one by one.

What somebody may know of a person are some items, each with the class of the row that has it. A cell has an item once;
several rows of a person may have it several times.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

#: An item that somebody may know: the class of its row, its column, and what it is.
Item = tuple[Any, str, str]


@dataclass(frozen=True)
class FoundInSets:
    """What was found: the fewest people who share what may be known of anybody, and how many fewer than k share."""

    fewest: int | None
    failing: int


def judge_sets(people: Iterable[tuple[Sequence[Item], int]], k: int, m: int) -> FoundInSets:
    """Judge by the items of each person, those that are in several rows several times; and how many people have these.

    `fewest` is None where nobody has an item.
    """
    shared: Counter[tuple[Item, ...]] = Counter()
    everybody = [(_choices(items, m), number) for items, number in people]
    for choices, number in everybody:
        for choice in choices:
            shared[choice] += number
    rare = {choice for choice, number in shared.items() if number < k}
    failing = sum(number for choices, number in everybody if not rare.isdisjoint(choices))
    return FoundInSets(min(shared.values(), default=None), failing)


def _choices(items: Sequence[Item], m: int) -> set[tuple[Item, ...]]:
    own = sorted(items)
    return {choice for number in range(1, m + 1) for choice in combinations(own, number)}


def items_of(cell: str | None, separator: str) -> set[str]:
    """Return the items of a cell as a reader takes them; an apostrophe keeps a spreadsheet from running the first."""
    parts = (cell or "").split(separator)
    if len(parts[0]) > 1 and parts[0][0] == "'" and parts[0].lstrip("'").lstrip()[:1] in tuple("=+-@＝＋－＠"):
        parts[0] = parts[0][1:]
    return {part.strip() for part in parts} - {""}


def items_of_people(
    classes: Sequence[tuple[Any, Mapping[str, set[str]]]],
    sizes: Sequence[int],
    people: Iterable[tuple[int, int, int]] | None,
) -> Iterable[tuple[list[Item], int]]:
    """Return the items of everybody, and how many people have them.

    `classes` are the groups of rows that are alike, each with its class and the items of its cells; `sizes` how many
    rows each has; `people`, where rows are not people, triples of a group, a person and how many rows are theirs.
    """
    tokens = [[(one, column, item) for column in cells for item in cells[column]] for one, cells in classes]
    if people is None:
        return zip(tokens, sizes, strict=True)
    own: dict[int, list[Item]] = {}
    for group, person, rows in people:
        own.setdefault(person, []).extend(tokens[group] * rows)
    return ((items, 1) for items in own.values())
