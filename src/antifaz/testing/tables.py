"""Class tables made by hand, at random, and by merging: what models are checked on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from antifaz.counting.classes import ClassTable, Population, SensitiveTable
from antifaz.testing.examples import SENSITIVE

#: Sensitive values, by number; the last is the missing one.
LABELS: tuple[str | None, ...] = ("asthma", "cold", "flu", "gout", None)
#: A tree over them: per level, the node above each value.
_UP = ((0, 1, 2, 3, 4), (0, 0, 0, 1, 2), (0, 0, 0, 0, 0))

Classes = Sequence[Mapping[int, int]]


def class_table(classes: Classes, *, attribute: str = SENSITIVE) -> ClassTable:
    """Make a class table from one mapping per class, from the number of a value (0 to 4; 4 is missing) to its count.

    As in a table that was counted, only values that occur are listed.
    """
    present = sorted({value for found in classes for value in found})
    place = {value: i for i, value in enumerate(present)}
    cells = [(place[value], count) for found in classes for value, count in sorted(found.items())]
    values, counts = np.array([v for v, _ in cells], np.int32), np.array([n for _, n in cells], np.int64)
    totals = np.zeros(len(present), np.int64)
    np.add.at(totals, values, counts)
    table = SensitiveTable(
        offsets=np.concatenate([[0], np.cumsum([len(found) for found in classes])]).astype(np.int64),
        values=values,
        counts=counts,
        totals=totals,
        labels=tuple(LABELS[value] for value in present),
        up=tuple(np.unique([level[v] for v in present], return_inverse=True)[1].astype(np.int32) for level in _UP),
    )
    sizes = np.array([sum(found.values()) for found in classes], np.int64)
    return ClassTable(sizes=sizes, population=_population(classes), sensitive={attribute: table})


def _population(classes: Classes) -> Population:
    """For each record one to five people of the population, by its value, so that merging classes adds them up."""
    people = [sum(count * (value + 1) for value, count in found.items()) for found in classes]
    return Population(sizes=np.array(people, np.int64), absent=0)


def paths() -> dict[str | None, tuple[str, ...]]:
    """Return the tree over the values as text: from each label to the labels above it."""
    return {label: tuple(f"{h}.{level[i]}" for h, level in enumerate(_UP[1:])) for i, label in enumerate(LABELS)}


def random_classes(random: np.random.Generator, classes: int, most: int = 6) -> list[Counter[int]]:
    """Make so many classes of up to `most` records per value, each with some of the values; none is empty."""
    made = []
    for _ in range(classes):
        counts = random.integers(0, most + 1, len(LABELS)) * (random.random(len(LABELS)) < random.random())
        if not counts.any():
            counts[random.integers(len(LABELS))] = random.integers(1, most + 1)
        made.append(Counter({value: int(count) for value, count in enumerate(counts) if count}))
    return made


def merged(classes: Classes, groups: Sequence[int]) -> list[Counter[int]]:
    """Put classes together that have the same group, as generalizing does."""
    into: dict[int, Counter[int]] = {}
    for found, group in zip(classes, groups, strict=True):
        into.setdefault(int(group), Counter()).update(found)
    return list(into.values())
