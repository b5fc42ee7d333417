"""Counting the nodes of a box: the part of a lattice in which some attributes' levels are free and the others' fixed.

Tuples that are equal at a box's lowest levels stay together at all its nodes, so they are grouped once, and a node is
counted from the groups. Nothing is remembered from box to box, so memory does not grow with the lattice.
"""

from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from antifaz.core.arrays import Codes, Flags, Floats, Ints
from antifaz.counting.frequencies import group_codes, slots_for
from antifaz.counting.generalization import Generalization
from antifaz.counting.lattice import Lattice
from antifaz.counting.rollup import Levels

Words = NDArray[np.uint64]

#: Bytes per tuple beside its codes: keys, counts, groups and slots of a box, and of the node that is being counted.
WORKSPACE = 120


def box_memory(tuples: int, attributes: int, workers: int) -> int:
    """Return how many bytes counting takes at most: the codes once, and a workspace and a box's codes per worker."""
    return tuples * (4 * attributes + 8) + workers * tuples * (WORKSPACE + 4 * attributes)


class TupleTable:
    """The distinct tuples at the lowest levels of a search, and a random-looking word for every label above them."""

    def __init__(self, lattice: Lattice, low: Levels) -> None:
        """Merge tuples that are equal at the levels `low`; nothing is counted below them."""
        self.lattice, self.low = lattice, low
        frequencies = lattice.frequencies
        columns = [
            ladder.up[level][codes]
            for ladder, level, codes in zip(lattice.ladders, low, frequencies.codes, strict=True)
        ]
        sizes = [ladder.size(level) for ladder, level in zip(lattice.ladders, low, strict=True)]
        first, _, self.counts = group_codes(columns, sizes, frequencies.counts)
        self.codes = np.ascontiguousarray([column[first] for column in columns], np.int32)
        self._start: dict[tuple[int, int], int] = {}
        words, labels, at = [], [], 0
        for a, ladder in enumerate(lattice.ladders):
            for level in range(low[a], ladder.height + 1):
                upward = ladder.step(low[a], level, 0).astype(np.int32)
                self._start[a, level] = at
                words.append(_words(a, upward))
                labels.append(upward)
                at += upward.size
        self.words: Words = np.concatenate(words)
        self.labels: Codes = np.concatenate(labels)

    @property
    def tuples(self) -> int:
        """The number of distinct tuples."""
        return self.counts.size

    def starts(self, levels: Sequence[int], attributes: Sequence[int] | None = None) -> Ints:
        """Return where the words of some attributes begin, by default of all, at the levels of a node."""
        which = range(len(levels)) if attributes is None else attributes
        return np.array([self._start[a, levels[a]] for a in which], np.int64)


def _words(attribute: int, labels: Codes) -> Words:
    """Mix the attribute and its label's place into a word (the finalizer of SplitMix64)."""
    word = labels.astype(np.uint64) + (np.uint64(attribute + 1) << np.uint64(40))
    with np.errstate(over="ignore"):
        word = word * np.uint64(0x9E3779B97F4A7C15)
        word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(word ^ (word >> np.uint64(31)))


class Workspace:
    """The arrays that one worker counts with, used again from box to box."""

    def __init__(self, table: TupleTable) -> None:
        """Take room for a table's tuples."""
        tuples = table.tuples
        self.slots = slots_for(max(tuples, 1))
        #: The keys of the tuples at the last box's lowest levels, and where the words in them begin.
        self.keys, self.starts = np.zeros(tuples, np.uint64), np.full(len(table.low), -1, np.int64)
        self.box_keys, self.node_keys, self.keys_of_runs = (np.empty(tuples, np.uint64) for _ in range(3))
        self.box_counts, self.sizes, self.first, self.firsts = (np.empty(tuples, np.int64) for _ in range(4))
        self.into = np.empty(tuples, np.int32)

    def slots_of(self, rows: int) -> Codes:
        """Return as many slots as so many keys need: a small table must not pay for clearing a large one's."""
        return self.slots[: 1 << max(4, (2 * rows - 1).bit_length())]


class BoxCounter:
    """Counts the nodes of one box. Only one box of a workspace may be in use at a time."""

    def __init__(
        self, table: TupleTable, space: Workspace, low: Levels, free: Sequence[int], dropped: Sequence[int] = ()
    ) -> None:
        """Group the tuples at the levels `low`; only those of the `free` attributes will rise.

        Attributes that are `dropped` count for nothing: what is counted is the table without them.
        """
        from antifaz.kernels.level_search import change_keys, fixed_keys, merge_equal, order_groups

        self._table, self._space, self._free = table, space, tuple(free)
        starts, which = table.starts(low), np.array(self._free, np.int64)
        starts[list(dropped)] = -1
        # From box to box few attributes change, so few are touched.
        change_keys(table.codes, space.starts, starts, table.words, space.keys)
        space.starts = starts
        slots = space.slots_of(table.tuples)
        box = (space.box_keys, space.box_counts, space.first, space.into)
        self.groups = groups = merge_equal(space.keys, table.counts, slots, *box)
        first, counts = space.first[:groups], space.box_counts[:groups]
        fixed = space.keys_of_runs[:groups]
        fixed_keys(table.codes, which, starts, table.words, first, space.box_keys[:groups], fixed)
        runs = (space.node_keys, space.sizes, space.firsts, space.into)
        many = merge_equal(fixed, np.ones(groups, np.int64), space.slots_of(groups), *runs)
        self._runs = space.sizes[:many].copy()
        self._first, self._counts = np.empty(groups, np.int64), np.empty(groups, np.int64)
        self._codes = np.empty((len(self._free), groups), np.int32)
        out = (self._codes, self._first, self._counts)
        order_groups(space.into[:groups], self._runs, table.codes, which, first, counts, *out)

    def failing(self, levels: Levels, k: int, allowed: int) -> int:
        """Count a node; return how many records are in classes of fewer than k, or some number over the allowed one."""
        from antifaz.kernels.level_search import count_node

        table, space = self._table, self._space
        starts = table.starts(levels, self._free)
        node = (space.slots, space.node_keys, space.sizes, space.into)
        self._classes, failing = count_node(
            self._runs, self._counts, self._codes, starts, table.words, *node, k, allowed
        )
        return int(failing)

    def node(self, levels: Levels, k: int) -> "CountedNode":
        """Return the node that was counted last, and to its end, classes below k being left out."""
        from antifaz.kernels.level_search import failing_marginals

        table, space, ladders = self._table, self._space, self._table.lattice.ladders
        sizes = space.sizes[: self._classes]
        places = list(
            accumulate((ladder.size(level) for ladder, level in zip(ladders, levels, strict=True)), initial=0)
        )
        out = np.zeros(places[-1], np.int64)
        if (sizes < k).any():
            failing_marginals(
                space.into[: self.groups], sizes, self._counts, self._first, table.codes, table.starts(levels),
                table.labels, np.array(places, np.int64), k, out,
            )  # fmt: skip
        failing = [out[start:stop] for start, stop in pairwise(places)]
        return CountedNode(table.lattice, levels, k, failing)


class CountedNode(Generalization):
    """A generalization in which classes below k are left out: a box counted who they are, by label.

    What measures ask of single classes is counted from the lattice, when they ask.
    """

    def __init__(self, lattice: Lattice, levels: Levels, k: int, failing: list[Ints]) -> None:
        """Take, per attribute, the records left out by label."""
        self.lattice, self.levels, self._k = lattice, levels, k
        self.rows, self.attributes = lattice.rows, len(lattice.ladders)
        self._failing = failing
        self.suppressed = int(failing[0].sum()) if failing else 0

    @cached_property
    def _kept(self) -> Flags:
        return self.lattice.sizes(self.levels) >= self._k

    @cached_property
    def sizes(self) -> Ints:
        """The sizes of the kept classes."""
        return self.lattice.sizes(self.levels)[self._kept]

    @cached_property
    def marginals(self) -> list[Ints]:
        """Per attribute, the kept records by label at its level."""
        everyone = (self.lattice.marginal(a, level) for a, level in enumerate(self.levels))
        return [all_ - out for all_, out in zip(everyone, self._failing, strict=True)]

    @cached_property
    def volumes(self) -> Floats:
        """For each kept class, how many combinations of leaves it may stand for."""
        return self.lattice.volumes(self.levels)[self._kept]

    @cached_property
    def lost(self) -> Floats:
        """For each kept class, the share of a record's information that is lost."""
        return self.lattice.lost(self.levels)[self._kept]

    def majorities(self, name: str) -> Ints:
        """For each kept class, how many records have its most frequent value of a counted attribute."""
        return self.lattice.majorities(self.levels, name)[self._kept]
