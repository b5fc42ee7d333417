"""The lattice of full-domain generalizations, counted by rolling nodes up from one another, never from the rows."""

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property, partial
from itertools import accumulate, groupby, product
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.core.arrays import Codes, Flags, Floats, Ints
from antifaz.counting.classes import ClassTable, Population, SensitiveTable
from antifaz.counting.frequencies import FrequencySet, KeyLayout, SensitiveCells, group_pairs, slots_for
from antifaz.counting.rollup import Ladder, LazyRollUp, Levels, layouts, share_lost

#: The least share of the records that is counted as a part, and how many times as many as may be left out; above the
#: largest share all are counted.
_PART, _PART_OF_ALLOWED, _LARGEST_PART = 0.02, 2.5, 0.5
#: A table so many times smaller than what it is rolled up from is counted for the nodes above it.
_WORTHWHILE = 6


class Lattice:
    """Counts any generalization of a frequency set by its levels."""

    def __init__(self, frequencies: FrequencySet, ladders: Sequence[Ladder]) -> None:
        """Take note of the distinct tuples, from which everything is rolled up."""
        self.ladders = tuple(ladders)
        values = max((cells.domain.size for cells in frequencies.cells.values()), default=1)
        self.layouts = layouts(self.ladders, values)
        self.rows = frequencies.rows
        #: How many people may be left out, each with all rows; None where it is records that are.
        self.people_out: int | None = None
        #: Who was left out, by person.
        self.left_out: Flags | None = None
        self._marginals: dict[tuple[int, int], Ints] = {}
        #: The labels of an attribute at a level, the rarest first, and how many records have these and all before.
        self._rarest: dict[tuple[int, int], tuple[Ints, Ints]] = {}
        self._start(frequencies)

    def _start(self, frequencies: FrequencySet) -> None:
        self.frequencies = frequencies
        self._classes = self._rolled(frequencies.codes, frequencies.counts)
        others = frequencies.population
        self._population = None if others is None else self._rolled(*others)
        self._cells = {
            name: self._rolled(frequencies.codes, frequencies.counts, cells)
            for name, cells in frequencies.cells.items()
        }

    def _rolled(self, codes: Sequence[Codes], counts: Ints, cells: SensitiveCells | None = None) -> LazyRollUp:
        """Count tuples, or the values of a sensitive attribute in each."""
        pack = partial(_pack, self.ladders, codes, counts.size if cells is None else cells)
        return LazyRollUp(pack, counts if cells is None else cells.counts, self.ladders, self.layouts)

    def keep_only(self, levels: Levels) -> None:
        """Forget what was counted of all other levels: once they are chosen, a release needs the memory more."""
        for rolled in (self._classes, self._population, *self._cells.values()):
            if rolled is not None:
                rolled.keep_only(levels)

    def without_people(self, gone: Flags) -> "Lattice":
        """Return the lattice of the others; originals stay those of all, and records are left out that it lacks."""
        everybody = self.frequencies.people
        if everybody is None:
            return self
        own = copy(self)
        # What is known of all records stays.
        own._marginals, own.__dict__["_lowest"] = self._marginals, self._lowest
        own.__dict__["tuple_information"], own.left_out = self.tuple_information, gone
        people, left = everybody.without(gone)
        cells = {}
        for name, each in people.values.items():
            before, sizes = self.frequencies.cells[name], (people.many, each.size)
            tuples, values, rows = group_pairs(each.owners, each.values.astype(np.int32), sizes, each.counts)
            cells[name] = replace(before, tuples=tuples, values=values, counts=rows, whole=before.totals)
        counts = np.bincount(people.owners, people.counts, people.many).astype(np.int64)
        codes = tuple(column[left] for column in self.frequencies.codes)
        own._start(replace(self.frequencies, codes=codes, counts=counts, cells=cells, people=people))
        return own

    @property
    def heights(self) -> Levels:
        """The highest level of every attribute."""
        return tuple(ladder.height for ladder in self.ladders)

    @property
    def bottom(self) -> Levels:
        """The levels at which nothing is generalized."""
        return (0,) * len(self.ladders)

    @property
    def size(self) -> int:
        """The number of nodes."""
        return prod(height + 1 for height in self.heights)

    def marginal(self, a: int, level: int) -> Ints:
        """Return how many records have each label of one attribute at a level, nobody being left out."""
        known = self._marginals.get((a, level))
        if known is None:
            ladder = self.ladders[a]
            upward = np.zeros(ladder.size(0), np.int64)
            upward[ladder.up[0]] = ladder.up[level]
            # Sums of whole numbers below 2^53 are exact in floating point.
            known = np.bincount(upward, weights=self._lowest[a], minlength=ladder.size(level)).astype(np.int64)
            self._marginals[a, level] = known
        return known

    @cached_property
    def _lowest(self) -> list[Ints]:
        """Per attribute, how many records have each label at the lowest level."""
        counts, columns = self.frequencies.counts, zip(self.ladders, self.frequencies.codes, strict=True)
        # Sums of whole numbers below 2^53 are exact in floating point.
        return [np.bincount(x.up[0][c], counts, x.size(0)).astype(np.int64) for x, c in columns]

    def ranks(self) -> Iterator[list[Levels]]:
        """Go through all level vectors by their sum; within one sum in lexicographic order."""
        nodes = product(*(range(height + 1) for height in self.heights))
        for _, rank in groupby(sorted(nodes, key=sum), key=sum):
            yield list(rank)

    def sizes(self, levels: Levels) -> Ints:
        """Return the sizes of all classes at these levels."""
        return self._classes.at(levels).counts

    def too_many_fail(self, levels: Levels, k: int, allowed: int) -> bool:
        """Whether more than `allowed` records are in classes of fewer than k, as far as a part of a large table shows.

        The part are all records with some labels of one attribute, the rarest first: their classes are whole. Where it
        does not show it, or the whole is of use for the nodes above because it is far smaller than what it is rolled
        up from, the answer is no, and the whole is to be counted.
        """
        if k <= 1 or not self._classes.is_large:
            return False
        share = max(_PART, _PART_OF_ALLOWED * allowed / self.rows)
        while share <= _LARGEST_PART:
            a, labels, records = self._some_labels(levels, share * self.rows)
            found = self._classes.part(levels, a, labels)
            if found is None:
                return False
            part, source = found
            failing = int((part.counts * (part.counts < k)).sum())
            if failing > allowed:
                return _WORTHWHILE * len(part) * self.rows > source * records
            if failing * self.rows <= 2 * allowed * records:
                return False
            share = max(2 * share, 1.5 * allowed * records / (failing * self.rows))
        return False

    def _some_labels(self, levels: Levels, records: float) -> tuple[int, Flags, int]:
        """Choose labels of one attribute that at least so many records have, but no more than need be."""
        best: tuple[int, Flags, int] | None = None
        for a, level in enumerate(levels):
            if (a, level) not in self._rarest:
                order = np.argsort(self.marginal(a, level), kind="stable")
                self._rarest[a, level] = order, np.cumsum(self.marginal(a, level)[order])
            order, so_far = self._rarest[a, level]
            last = int(np.searchsorted(so_far, records))
            if last < so_far.size and (best is None or so_far[last] < best[2]):
                chosen = np.zeros(order.size, np.bool_)
                chosen[order[: last + 1]] = True
                best = a, chosen, int(so_far[last])
        return best or (0, np.ones(self.marginal(0, levels[0]).size, np.bool_), self.rows)

    def class_table(
        self, levels: Levels, sensitive: Sequence[str] | None = None, *, values: bool = False
    ) -> ClassTable:
        """Return what the judges may see of a node: all sensitive attributes, or only those named.

        With `values`, also which classes share a label.
        """
        names, sizes = self._cells if sensitive is None else sensitive, self.sizes(levels)
        labels = tuple(c.astype(np.int32) for c in self.codes(levels, np.arange(sizes.size))) if values else None
        table = ClassTable(
            sizes=sizes,
            values=labels,
            sensitive={name: self._sensitive(levels, name) for name in names},
            population=self._people(levels),
            measure_lost=lambda: self.lost(levels),
        )
        people = self.frequencies.people
        if people is None:
            return table
        return replace(
            table,
            count_people=lambda: people.moved(self.owners(levels), sizes.size, tuple(names)),
            count_heads=lambda most: people.heads_up_to(most, self.owners(levels), sizes.size),
        )

    def owners(self, levels: Levels) -> Ints:
        """Return the class of every tuple at these levels."""
        from antifaz.kernels.grouping import locate_keys

        classes, tuples, layout = self._classes.at(levels), self.frequencies.counts.size, self.layouts.at(levels)
        keys = _pack(self.ladders, self.frequencies.codes, tuples, layout, levels)
        owner = np.empty(tuples, np.int64)
        locate_keys(classes.keys, keys, np.zeros_like(layout.value_mask), slots_for(len(classes)), owner)
        return owner

    def _people(self, levels: Levels) -> Population | None:
        from antifaz.kernels.grouping import locate_keys

        if self._population is None:
            return None
        classes, people = self._classes.at(levels), self._population.at(levels)
        owner = np.empty(len(people), np.int64)
        nothing = np.zeros_like(self.layouts.at(levels).value_mask)
        locate_keys(classes.keys, people.keys, nothing, slots_for(len(classes)), owner)
        inside = owner >= 0
        sizes = np.zeros(len(classes), np.int64)
        sizes[owner[inside]] = people.counts[inside]
        return Population(sizes=sizes, absent=int(people.counts[~inside].sum()))

    def _sensitive(self, levels: Levels, name: str) -> SensitiveTable:
        from antifaz.kernels.grouping import locate_keys, order_cells

        classes, cells, mask = (
            self._classes.at(levels),
            self._cells[name].at(levels),
            self.layouts.at(levels).value_mask,
        )
        owner = np.empty(len(cells), np.int64)
        locate_keys(classes.keys, cells.keys, mask, slots_for(len(classes)), owner)
        offsets = np.zeros(len(classes) + 1, np.int64)
        np.cumsum(np.bincount(owner, minlength=len(classes)), out=offsets[1:])
        order = np.empty(len(cells), np.int64)
        order_cells(owner, offsets, order)
        base = self.frequencies.cells[name]
        values = (cells.keys[order, 0] & mask[0, 0]).astype(np.int32)
        return SensitiveTable(
            offsets=offsets, values=values, counts=cells.counts[order], totals=base.totals, labels=base.domain.labels,
            up=base.up,
        )  # fmt: skip

    def marginals(self, levels: Levels, kept: Flags) -> list[Ints]:
        """Return, per attribute, how many records of the kept classes have each label at its level."""
        from antifaz.kernels.grouping import kept_marginals

        *labelled, start = self.labelled(levels, kept)
        out = np.zeros(int(start[-1]), np.int64)
        kept_marginals(*labelled, start, out)
        return [out[start[a] : start[a + 1]] for a in range(start.size - 1)]

    def labelled(self, levels: Levels, kept: Flags) -> tuple[NDArray[np.uint64], Ints, Flags, Ints, Any, Any, Ints]:
        """Return the keys, counts and flags of a node's classes, each attribute's field, and where its labels begin."""
        classes, layout = self._classes.at(levels), self.layouts.at(levels)
        sizes = accumulate((ladder.size(level) for ladder, level in zip(self.ladders, levels, strict=True)), initial=0)
        start = np.array(list(sizes), np.int64)
        return classes.keys, classes.counts, kept, layout.word, layout.shift, layout.field, start

    def volumes(self, levels: Levels) -> Floats:
        """Return for every class how many combinations of the hierarchies' leaves it may stand for."""
        which = np.arange(self._classes.at(levels).counts.size)
        volumes = np.ones(which.size)
        for ladder, level, codes in zip(self.ladders, levels, self.codes(levels, which), strict=True):
            volumes *= np.rint(ladder.shares[level] * ladder.leaves)[codes]
        return volumes

    def lost(self, levels: Levels) -> Floats:
        """Return for every class the share of a record's information that is lost: ln(volume) / ln(all leaves)."""
        which = np.arange(self._classes.at(levels).counts.size)
        parts = zip(self.ladders, levels, self.codes(levels, which), strict=True)
        return share_lost(self.ladders, [ladder.bits(level)[codes] for ladder, level, codes in parts], which.size)

    def majorities(self, levels: Levels, name: str) -> Ints:
        """Return for every class how many records have its most frequent value of a counted attribute."""
        return self._sensitive(levels, name).majorities

    @cached_property
    def tuple_information(self) -> float:
        """Σ n log₂ n over the distinct original tuples, n records each."""
        counts = self.frequencies.counts
        return float(np.dot(counts, np.log2(counts)))

    def codes(self, levels: Levels, which: Ints) -> list[Ints]:
        """Return, per attribute, the label position of some of a node's classes."""
        keys = self._classes.at(levels).keys[which]
        layout = self.layouts.at(levels)
        place = zip(layout.word, layout.shift, layout.field, strict=True)
        return [((keys[:, word] >> shift) & mask).astype(np.int64) for word, shift, mask in place]


def _pack(
    ladders: Sequence[Ladder], codes: Sequence[Codes], what: int | SensitiveCells, layout: KeyLayout, levels: Levels
) -> NDArray[np.uint64]:
    """Pack so many tuples at some levels, or the values that they have of a sensitive attribute."""
    from antifaz.kernels.grouping import repack

    tuples = what if isinstance(what, int) else codes[0].size if codes else 1
    keys = np.zeros((tuples, layout.words), np.uint64)
    for a, (ladder, level) in enumerate(zip(ladders, levels, strict=True)):
        repack(codes[a], ladder.up[level], layout.word[a], layout.shift[a], keys)
    if isinstance(what, int):
        return keys
    keys = keys[what.tuples]
    keys[:, 0] |= what.values.astype(np.uint64)
    return keys
