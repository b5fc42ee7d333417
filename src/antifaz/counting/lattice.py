"""The lattice of full-domain generalizations, counted by rolling nodes up from one another, never from the rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray

from antifaz.counting.classes import ClassTable, SensitiveTable
from antifaz.counting.frequencies import Cells, FrequencySet, slots_for
from antifaz.counting.ladders import Ladder
from antifaz.counting.packing import Layout, layout

Levels = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Packed:
    """Distinct keys and how many records each stands for."""

    keys: NDArray[np.uint64]
    counts: NDArray[np.int64]

    def __len__(self) -> int:
        """The number of distinct keys."""
        return self.counts.size


@dataclass(frozen=True, kw_only=True, eq=False)
class Node:
    """One generalization, counted: its classes, and per sensitive attribute its (class, value) cells."""

    levels: Levels
    classes: Packed
    cells: Mapping[str, Packed] = field(default_factory=dict)


class Lattice:
    """Counts any generalization of a frequency set by its levels."""

    def __init__(self, frequencies: FrequencySet, ladders: Sequence[Ladder]) -> None:
        """Pack the distinct tuples once; everything else is rolled up from there."""
        self.frequencies = frequencies
        self.ladders = tuple(ladders)
        values = max((cells.domain.size for cells in frequencies.cells.values()), default=1)
        self.layout: Layout = layout([ladder.size(0) for ladder in ladders], values)
        place = (self.layout.word.tolist(), self.layout.shift.tolist(), self.layout.field.tolist())
        self._fields: list[tuple[int, int, int]] = list(zip(*place, strict=True))
        self.bottom = self._pack_bottom()
        self._scratch = _Scratch(self.layout.words)

    @property
    def heights(self) -> Levels:
        """The highest level of every attribute."""
        return tuple(ladder.height for ladder in self.ladders)

    @property
    def size(self) -> int:
        """The number of nodes."""
        return prod(height + 1 for height in self.heights)

    def _pack_bottom(self) -> Node:
        from antifaz.kernels.grouping import repack

        codes = self.frequencies.codes
        keys = np.zeros((self.frequencies.counts.size, self.layout.words), np.uint64)
        for a, ladder in enumerate(self.ladders):
            repack(codes[a], ladder.up[0], self.layout.word[a], self.layout.shift[a], keys)
        cells = {name: _with_values(keys, part) for name, part in self.frequencies.cells.items()}
        return Node(levels=(0,) * len(self.ladders), classes=Packed(keys, self.frequencies.counts), cells=cells)

    def roll(self, node: Node, levels: Levels) -> Node:
        """Count the generalization at `levels`, which must be above the node's, from that node's classes."""
        while node.levels != levels:
            a = next(i for i, (low, high) in enumerate(zip(node.levels, levels, strict=True)) if low != high)
            node = self._raise(node, a, levels[a])
        return node

    def _raise(self, node: Node, a: int, level: int) -> Node:
        upward = self.ladders[a].step(node.levels[a], level)
        raised = node.levels[:a] + (level,) + node.levels[a + 1 :]
        word, shift, field_ = self._fields[a]
        return Node(
            levels=raised,
            classes=self._scratch.roll_up(node.classes, word, shift, field_, upward),
            cells={name: self._scratch.roll_up(part, word, shift, field_, upward) for name, part in node.cells.items()},
        )

    def sweep(self) -> Iterator[Node]:
        """Count every node, each from its smallest neighbour below; hold only two ranks in memory."""
        below: dict[Levels, Node] = {}
        for rank in ranks(self.heights):
            here: dict[Levels, Node] = {}
            for levels in rank:
                node = self._smallest_below(levels, below)
                here[levels] = self.bottom if node is None else self.roll(node, levels)
                yield here[levels]
            below = here

    @staticmethod
    def _smallest_below(levels: Levels, below: Mapping[Levels, Node]) -> Node | None:
        best: Node | None = None
        for a, level in enumerate(levels):
            if level:
                node = below[levels[:a] + (level - 1,) + levels[a + 1 :]]
                if best is None or len(node.classes) < len(best.classes):
                    best = node
        return best

    def class_table(self, node: Node) -> ClassTable:
        """Return what the judges may see of a node."""
        return ClassTable(
            sizes=node.classes.counts,
            sensitive={name: self._sensitive(node, name) for name in node.cells},
        )

    def _sensitive(self, node: Node, name: str) -> SensitiveTable:
        from antifaz.kernels.classes import order_cells
        from antifaz.kernels.grouping import locate_keys

        cells, domain = node.cells[name], self.frequencies.cells[name].domain
        owner = np.empty(len(cells), np.int64)
        table, mask = node.classes.keys, self.layout.value_mask
        locate_keys(table, cells.keys, mask, slots_for(len(node.classes)), owner)
        values = (cells.keys[:, 0] & mask[0, 0]).astype(np.int32)
        offsets = np.zeros(len(node.classes) + 1, np.int64)
        np.cumsum(np.bincount(owner, minlength=len(node.classes)), out=offsets[1:])
        order = np.empty(len(cells), np.int64)
        order_cells(owner, offsets, order)
        totals = np.zeros(domain.size, np.int64)
        base = self.frequencies.cells[name]
        np.add.at(totals, base.values, base.counts)
        return SensitiveTable(
            offsets=offsets,
            values=values[order],
            counts=cells.counts[order],
            totals=totals,
            labels=(*domain.spellings, *([None] if domain.has_missing else [])),
        )

    def marginals(self, node: Node, kept: NDArray[np.bool_]) -> list[NDArray[np.int64]]:
        """Return, per attribute, how many kept records have each label at the node's level."""
        from antifaz.kernels.classes import kept_marginals

        sizes = [ladder.size(level) for ladder, level in zip(self.ladders, node.levels, strict=True)]
        start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        out = np.zeros(int(start[-1]), np.int64)
        place = (self.layout.word, self.layout.shift, self.layout.field)
        kept_marginals(node.classes.keys, node.classes.counts, kept, *place, start, out)
        return [out[start[a] : start[a + 1]] for a in range(len(sizes))]

    def codes(self, node: Node, which: NDArray[np.int64]) -> list[NDArray[np.int64]]:
        """Return, per attribute, the label position of some of the node's classes."""
        keys = node.classes.keys[which]
        place = zip(self.layout.word, self.layout.shift, self.layout.field, strict=True)
        return [((keys[:, word] >> shift) & mask).astype(np.int64) for word, shift, mask in place]


def ranks(heights: Levels) -> Iterator[list[Levels]]:
    """Go through all level vectors by their sum; within one sum in lexicographic order."""
    by_sum: dict[int, list[Levels]] = {}
    for levels in product(*(range(height + 1) for height in heights)):
        by_sum.setdefault(sum(levels), []).append(levels)
    for total in sorted(by_sum):
        yield by_sum[total]


def _with_values(keys: NDArray[np.uint64], cells: Cells) -> Packed:
    packed = keys[cells.tuples]
    packed[:, 0] |= cells.values.astype(np.uint64)
    return Packed(packed, cells.counts)


class _Scratch:
    """Workspaces that are used again from node to node: allocating them would cost more than the roll-up."""

    def __init__(self, words: int) -> None:
        self._words = words
        self._grow(1024)

    def _grow(self, rows: int) -> None:
        self._slots = slots_for(rows)
        self._keys = np.empty((rows, self._words), np.uint64)
        self._counts = np.empty(rows, np.int64)

    def roll_up(self, table: Packed, word: int, shift: int, field_: int, upward: NDArray[np.int32]) -> Packed:
        from antifaz.kernels.grouping import roll_up, roll_up_wide

        rows = len(table)
        if rows > self._counts.size:
            self._grow(2 * rows)
        # A small table must not pay for clearing a large one's slots.
        slots = self._slots[: 1 << max(4, (2 * rows - 1).bit_length())]
        if self._words == 1:
            flat, out = table.keys.reshape(-1), self._keys.reshape(-1)
            groups = roll_up(flat, table.counts, shift, field_, upward, slots, out, self._counts)
        else:
            groups = roll_up_wide(
                table.keys, table.counts, word, shift, field_, upward, slots, self._keys, self._counts
            )
        return Packed(self._keys[:groups].copy(), self._counts[:groups].copy())
