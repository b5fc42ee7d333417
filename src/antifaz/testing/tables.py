"""Class tables made by hand, at random, and by merging: what models are checked on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from antifaz.counting.classes import ClassTable, SensitiveTable
from antifaz.testing.examples import SENSITIVE

#: Labels of the sensitive values; the last is the missing one.
LABELS: tuple[str | None, ...] = ("asthma", "cold", "flu", "gout", None)
#: A tree over them: per level, the node above each value.
_UP = ((0, 1, 2, 3, 4), (0, 0, 0, 1, 2), (0, 0, 0, 0, 0))

Classes = Sequence[Mapping[int, int]]


def class_table(classes: Classes, labels: Sequence[str | None] = LABELS, *, attribute: str = SENSITIVE) -> ClassTable:
    """Make a class table from one mapping per class: from the place of a value in `labels` to its count."""
    offsets = np.concatenate([[0], np.cumsum([len(found) for found in classes])]).astype(np.int64)
    cells = [(value, count) for found in classes for value, count in sorted(found.items())]
    values = np.array([value for value, _ in cells], np.int32)
    counts = np.array([count for _, count in cells], np.int64)
    totals = np.zeros(len(labels), np.int64)
    np.add.at(totals, values, counts)
    table = SensitiveTable(
        offsets=offsets, values=values, counts=counts, totals=totals, labels=tuple(labels), up=_tree(labels)
    )
    sizes = np.array([sum(found.values()) for found in classes], np.int64)
    return ClassTable(sizes=sizes, sensitive={attribute: table})


def _tree(labels: Sequence[str | None]) -> tuple[NDArray[np.int32], ...] | None:
    return tuple(np.array(level, np.int32) for level in _UP) if tuple(labels) == LABELS else None


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
