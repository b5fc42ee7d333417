"""The classes of a cut, refined step by step, and what every further step would do to the smallest of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from antifaz.counting.frequencies import FrequencySet, group_codes
from antifaz.methods.specialization.forest import Cut, Forest

#: Larger than any class: the smallest class of a node that no record has.
NONE = int(np.iinfo(np.int64).max)


class Partition:
    """The distinct tuples by class at a cut. A step down touches only the classes that hold what is specialized."""

    def __init__(self, forest: Forest, frequencies: FrequencySet, cut: Cut) -> None:
        """Group the tuples at a cut."""
        self._forest = forest
        self._counts = frequencies.counts
        self._codes = np.stack([codes.astype(np.int32) for codes in frequencies.codes])
        tuples, nodes = frequencies.counts.size, forest.size
        self.cut = tuple(levels.copy() for levels in cut)
        widest = max(levels.size for levels in cut)
        self._at, self._below = (np.zeros((len(cut), widest), np.int32) for _ in range(2))
        for a in range(len(cut)):
            self._place(a)
        held = [self._at[a][codes] for a, codes in enumerate(self._codes)]
        _, group, sizes = group_codes(held, [nodes] * len(held), frequencies.counts)
        self._order = np.argsort(group, kind="stable")
        self.classes = sizes.size
        bounds = np.searchsorted(group[self._order], np.arange(sizes.size + 1))
        self._begin, self._end, self._sizes = (np.zeros(tuples, np.int64) for _ in range(3))
        self._begin[: sizes.size], self._end[: sizes.size] = bounds[:-1], bounds[1:]
        self._sizes[: sizes.size] = sizes
        self._held = np.zeros((tuples, len(held)), np.int32)
        self._lowest = np.zeros((tuples, len(held)), np.int64)
        self._room, self._names = np.zeros(nodes, np.int64), np.zeros(nodes, np.int64)
        self._scratch, self._touched = np.zeros(tuples, np.int64), np.zeros(tuples, np.int64)
        self._weigh(np.arange(sizes.size))

    @property
    def smallest(self) -> int:
        """The size of the smallest class: the anonymity A."""
        return int(self._sizes[: self.classes].min())

    def outlook(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return per node the smallest part that its classes would fall into, and the smallest of its classes."""
        from antifaz.kernels.specialization import survey

        parts, wholes = np.full(self._forest.size, NONE), np.full(self._forest.size, NONE)
        survey(self.classes, self._held, self._lowest, self._sizes, parts, wholes)
        return parts, wholes

    def specialize(self, a: int, nodes: NDArray[np.int64]) -> None:
        """Replace nodes of one attribute by their children."""
        from antifaz.kernels.specialization import split

        chosen = np.zeros(self._forest.size, np.bool_)
        chosen[nodes] = True
        self.classes, touched = split(
            a, chosen, self.classes, self._order, self._begin, self._end, self._sizes, self._counts, self._codes,
            self._below, self._held, self._room, self._names, self._scratch, self._touched,
        )  # fmt: skip
        levels = self.cut[a]
        levels[chosen[self._at[a, : levels.size]]] -= 1
        self._place(a)
        self._weigh(self._touched[:touched])

    def _place(self, a: int) -> None:
        """Write down at which node each code of an attribute is, and which is next below."""
        levels = self.cut[a]
        self._at[a, : levels.size] = self._forest.nodes(a, levels)
        self._below[a, : levels.size] = self._forest.nodes(a, levels, 1)

    def _weigh(self, classes: NDArray[np.int64]) -> None:
        from antifaz.kernels.specialization import weigh

        weigh(
            classes, self._order, self._begin, self._end, self._counts, self._codes, self._at, self._below,
            self._room, self._held, self._lowest,
        )  # fmt: skip
