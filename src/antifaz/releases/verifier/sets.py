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
    everybody = [(sorted(items), number) for items, number in people]
    holders: dict[Item, list[int]] = {}
    for i, (own, _) in enumerate(everybody):
        for item in dict.fromkeys(own):
            holders.setdefault(item, []).append(i)
    fewest, failing = None, set[int]()
    # The choices that begin with one item are gone through at a time: all at once would not fit in memory.
    for first, who in holders.items():
        choices = {i: _choices(first, everybody[i][0], m) for i in who}
        shared: Counter[tuple[Item, ...]] = Counter()
        for i, own_choices in choices.items():
            for choice in own_choices:
                shared[choice] += everybody[i][1]
        rarest = min(shared.values())
        fewest = rarest if fewest is None else min(fewest, rarest)
        if rarest < k:
            rare = {choice for choice, number in shared.items() if number < k}
            failing.update(i for i, own_choices in choices.items() if not rare.isdisjoint(own_choices))
    return FoundInSets(fewest, sum(everybody[i][1] for i in failing))


def _choices(first: Item, own: Sequence[Item], m: int) -> set[tuple[Item, ...]]:
    """Return what may be known beside the first item: at most m - 1 of those that come after it."""
    others = own[own.index(first) + 1 :]
    return {choice for number in range(m) for choice in combinations(others, number)}


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
