"""The forest: the nodes of all hierarchies, numbered through, and cuts through it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from antifaz.core.errors import HierarchyError
from antifaz.counting.ladders import Ladder

#: A cut: per attribute, the level at which each code is released.
Cut = tuple[NDArray[np.int32], ...]


class Forest:
    """The ladders of all attributes as trees. A node is a label at a level; `paths[a][h][code]` is its number."""

    def __init__(self, ladders: Sequence[Ladder]) -> None:
        """Number the nodes: attribute by attribute, in each from the lowest level up."""
        self.ladders = tuple(ladders)
        self.paths: list[list[NDArray[np.int32]]] = []
        attribute, level, start = [], [], 0
        for a, ladder in enumerate(self.ladders):
            own = []
            for h in range(ladder.height + 1):
                own.append((ladder.up[h] + start).astype(np.int32))
                attribute += [a] * ladder.size(h)
                level += [h] * ladder.size(h)
                start += ladder.size(h)
            self.paths.append(own)
        self.attribute = np.array(attribute, np.int64)
        self.level = np.array(level, np.int64)

    @property
    def size(self) -> int:
        """The number of nodes."""
        return self.level.size

    @cached_property
    def labels(self) -> list[str | None]:
        """The label of every node."""
        return [label for ladder in self.ladders for level in ladder.labels for label in level]

    @cached_property
    def first(self) -> NDArray[np.int64]:
        """The first code under every node: nodes of one cut are in the order of these."""
        found = np.full(self.size, np.iinfo(np.int64).max)
        for own in self.paths:
            for path in own:
                np.minimum.at(found, path, np.arange(path.size))
        return found

    def roots(self) -> Cut:
        """The cut at which everything is at its top."""
        return tuple(np.full(ladder.up[0].size, ladder.height, np.int32) for ladder in self.ladders)

    def nodes(self, a: int, levels: NDArray[np.int32], down: int = 0) -> NDArray[np.int32]:
        """Return the node of each code of an attribute at its level, or so many steps below it, at most the lowest."""
        return self._stacked[a][np.maximum(levels - down, 0), np.arange(levels.size)]

    @cached_property
    def _stacked(self) -> list[NDArray[np.int32]]:
        return [np.stack(own) for own in self.paths]

    def check_labels(self) -> None:
        """Raise where a label has two places of which neither is above the other: a cut could release both as one."""
        for a, ladder in enumerate(self.ladders):
            places: dict[str | None, list[int]] = {}
            for node in np.flatnonzero(self.attribute == a).tolist():
                places.setdefault(self.labels[node], []).append(node)
            twice = [label or "" for label, nodes in places.items() if not self._one_way_up(nodes)]
            if twice:
                raise HierarchyError(
                    "method.label-in-two-branches",
                    values=twice,
                    column=ladder.column,
                    count=len(twice),
                )

    def _one_way_up(self, nodes: Sequence[int]) -> bool:
        """Whether each node is below the next: as branches never meet again, one code tells."""
        return all(
            self.paths[int(self.attribute[upper])][int(self.level[upper])][self.first[lower]] == upper
            for lower, upper in pairwise(nodes)
        )


def most_general(cuts: Sequence[Cut]) -> Cut:
    """Return the lowest cut that is nowhere below any of these: code by code the highest level."""
    return tuple(np.maximum.reduce(levels) for levels in zip(*cuts, strict=True))
