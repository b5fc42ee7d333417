"""Tables released at levels of hierarchies: all records at the same levels, or groups of them at their own."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from antifaz.core.arrays import Codes, Flags, Floats, Ints
from antifaz.core.errors import ParameterError
from antifaz.counting.classes import ClassTable, SensitiveTable
from antifaz.counting.frequencies import FrequencySet, SensitiveCells, group_codes, group_pairs
from antifaz.counting.lattice import Lattice
from antifaz.counting.released_table import Distribution, Extents, ReleasedTable
from antifaz.counting.rollup import Ladder, Levels, share_lost

#: Says a number for every label of a ladder at a level.
PerLabel = Callable[[Ladder, int], Floats]


class Generalization(ReleasedTable):
    """What became of the records at some levels when only some classes are kept.

    Each figure is counted when it is first asked for: a search asks few figures of many generalizations. Measures that
    ask for `sums`, `mean_levels` or `records_by_level` instead of `levels` and `marginals` hold for a
    `LocalGeneralization` too, where records are at different levels.
    """

    has_levels: ClassVar[bool] = True

    def __init__(self, lattice: Lattice, levels: Levels, kept: Flags) -> None:
        """Take note of the node; nothing is counted yet."""
        self.lattice = lattice
        self.levels = levels
        self.kept = kept
        self.rows, self.attributes = lattice.rows, len(lattice.ladders)

    @property
    def ladders(self) -> tuple[Ladder, ...]:
        """The attributes and what their values become."""
        return self.lattice.ladders

    @cached_property
    def sizes(self) -> Ints:
        """The sizes of the kept classes."""
        sizes = self.lattice.sizes(self.levels)
        return sizes if self.kept.all() else sizes[self.kept]

    @cached_property
    def suppressed(self) -> int:
        """The number of records left out; counted once, because measures ask often."""
        return self.rows - int(self.sizes.sum())

    @cached_property
    def marginals(self) -> list[Ints]:
        """Per attribute, the kept records by label at its level."""
        if not self.suppressed:
            return [self.lattice.marginal(a, level) for a, level in enumerate(self.levels)]
        return self.lattice.marginals(self.levels, self.kept)

    @property
    def mean_levels(self) -> tuple[float, ...]:
        """Per attribute, the mean level of the kept records."""
        return self.levels

    def sums(self, value_of: PerLabel) -> list[float]:
        """Per attribute, add up over the kept records a number that each of its labels has."""
        return [
            sum(float(np.dot(counts, value_of(ladder, level))) for level, counts in self.records_by_level(a))
            for a, ladder in enumerate(self.ladders)
        ]

    def extents(self, a: int) -> Iterator[Extents]:
        """Yield what the labels cover, level by level."""
        for level, counts in self.records_by_level(a):
            yield replace(label_extents(self.ladders[a], level), records=counts)

    def distributions(self) -> Iterator[Distribution]:
        """Yield the attributes that are numbers, an interval being read as its middle."""
        for a, ladder in enumerate(self.ladders):
            if ladder.spans is None:
                continue
            levels, counts = zip(*self.records_by_level(a), strict=True)
            middles = np.concatenate([ladder.spans[level].mean(axis=1) for level in levels])
            before, after = (ladder.spans[0].mean(axis=1), self.originals[a]), (middles, np.concatenate(counts))
            yield Distribution.of_known(ladder.column, *before, *after)

    def records_by_level(self, a: int) -> list[tuple[int, Ints]]:
        """Return the levels at which an attribute is released, each with the kept records by label."""
        return [(self.levels[a], self.marginals[a])]

    @property
    def originals(self) -> list[Ints]:
        """Per attribute, all records by label at the lowest level."""
        return [self.lattice.marginal(a, 0) for a in range(len(self.levels))]

    @cached_property
    def volumes(self) -> Floats:
        """For each kept class, how many combinations of leaves it may stand for."""
        return self.lattice.volumes(self.levels)[self.kept]

    @cached_property
    def lost(self) -> Floats:
        """For each kept class, the share of a record's information that is lost."""
        return self.lattice.lost(self.levels)[self.kept]

    @property
    def tuple_information(self) -> float:
        """Σ n log₂ n over the distinct original tuples."""
        return self.lattice.tuple_information

    def majorities(self, name: str) -> Ints:
        """For each kept class, how many records have its most frequent value of a counted attribute."""
        return self.lattice.majorities(self.levels, name)[self.kept]


def label_extents(ladder: Ladder, level: int) -> Extents:
    """Return what each label of a ladder covers at a level, of no records yet."""
    none = np.zeros(ladder.size(level), np.int64)
    if ladder.spans is None:
        covered = ladder.shares[level] * ladder.leaves
        return Extents(records=none, covered=covered, whole=ladder.leaves, is_number=False)
    low, high = ladder.spans[level].T
    whole = np.nanmax(ladder.spans[0][:, 1]) - np.nanmin(ladder.spans[0][:, 0]) if low.size else 0.0
    return Extents(records=none, covered=high - low, whole=float(whole), is_number=True)


@dataclass(frozen=True, eq=False)
class LevelGroup:
    """Tuples of a frequency set, by their positions, and the levels at which they are released."""

    levels: Levels
    tuples: Ints


def part_of(frequencies: FrequencySet, which: Ints) -> FrequencySet:
    """Return some tuples of a frequency set; what is known of the whole table's sensitive values stays known."""
    place = np.full(frequencies.counts.size, -1, np.int64)
    place[which] = np.arange(which.size)
    codes = tuple(codes[which] for codes in frequencies.codes)
    cells = {name: _cells_of(cells, place) for name, cells in frequencies.cells.items()}
    people = frequencies.people and frequencies.people.moved(place, which.size)
    return replace(frequencies, codes=codes, counts=frequencies.counts[which], cells=cells, people=people)


def _cells_of(cells: SensitiveCells, place: Ints) -> SensitiveCells:
    inside = place[cells.tuples] >= 0
    tuples, values = place[cells.tuples[inside]], cells.values[inside]
    return replace(cells, tuples=tuples, values=values, counts=cells.counts[inside], whole=cells.totals)


def tuples_within(lattice: Lattice, levels: Levels, kept: Flags) -> Flags:
    """Say of each tuple of a lattice's frequency set whether it is in one of the kept classes."""
    codes, classes = [], lattice.codes(levels, np.arange(kept.size))
    for a, (ladder, level) in enumerate(zip(lattice.ladders, levels, strict=True)):
        own = ladder.up[level][lattice.frequencies.codes[a]]
        codes.append(np.concatenate([classes[a].astype(np.int32), own]))
    sizes = [ladder.size(level) for ladder, level in zip(lattice.ladders, levels, strict=True)]
    _, group, _ = group_codes(codes, sizes, np.ones(codes[0].size, np.int64))
    inside = np.zeros(group.size, np.bool_)
    inside[group[: kept.size]] = kept
    return inside[group[kept.size :]]


class LocalGeneralization(Generalization):
    """What became of the records when groups of them are released at levels of their own.

    Classes are those that a reader sees: records with the same labels are one class, whichever group they are from.
    `levels` are those of the first group.
    """

    def __init__(self, lattice: Lattice, groups: Sequence[LevelGroup]) -> None:
        """Take the lattice of the whole table and at least one group; no tuple may be in two."""
        self.groups = tuple(groups)
        self._where = np.concatenate([group.tuples for group in groups])
        counts = lattice.frequencies.counts[self._where]
        self.labels, self.released = self._labelled(lattice)
        _, self._class, self.sizes = group_codes(self.released, [len(labels) for labels in self.labels], counts)
        super().__init__(lattice, self.groups[0].levels, np.ones(self.sizes.size, np.bool_))

    def _labelled(self, lattice: Lattice) -> tuple[tuple[tuple[str | None, ...], ...], tuple[Codes, ...]]:
        """Per attribute, all labels of the groups, each once, and which of them each released tuple has."""
        labels, released = [], []
        for a, ladder in enumerate(lattice.ladders):
            place: dict[str | None, int] = {}
            parts = []
            for group in self.groups:
                names = ladder.labels[group.levels[a]]
                ids = np.array([place.setdefault(name, len(place)) for name in names], np.int32)
                parts.append(ids[ladder.up[group.levels[a]][lattice.frequencies.codes[a][group.tuples]]])
            labels.append(tuple(place))
            released.append(np.concatenate(parts))
        return tuple(labels), tuple(released)

    @property
    def codes(self) -> tuple[Codes, ...]:
        """Per attribute, the codes of the released tuples, in the order of `released`."""
        return tuple(codes[self._where] for codes in self.lattice.frequencies.codes)

    @cached_property
    def marginals(self) -> list[Ints]:
        """Refuse: records of an attribute are not all at one level; see `records_by_level`."""
        raise ParameterError("measure.needs-one-level-per-attribute")

    @cached_property
    def mean_levels(self) -> tuple[float, ...]:
        """Per attribute, the mean level of the released records."""
        records = [int(self.lattice.frequencies.counts[group.tuples].sum()) for group in self.groups]
        levels = zip(*(group.levels for group in self.groups), strict=True)
        return tuple(sum(n * level for n, level in zip(records, each, strict=True)) / sum(records) for each in levels)

    def records_by_level(self, a: int) -> list[tuple[int, Ints]]:
        """Return group by group the level of an attribute, with the records by label."""
        return self._by_level[a]

    @cached_property
    def _by_level(self) -> list[list[tuple[int, Ints]]]:
        return [[self._of_group(a, group) for group in self.groups] for a in range(self.attributes)]

    def _of_group(self, a: int, group: LevelGroup) -> tuple[int, Ints]:
        ladder, base, level = self.ladders[a], self.lattice.frequencies, group.levels[a]
        at = ladder.up[level][base.codes[a][group.tuples]]
        # Sums of whole numbers below 2^53 are exact in floating point.
        counts = np.bincount(at, weights=base.counts[group.tuples], minlength=ladder.size(level))
        return level, counts.astype(np.int64)

    @cached_property
    def volumes(self) -> Floats:
        """For each class, how many combinations of leaves it may stand for: the most, where groups differ."""
        each = []
        for group in self.groups:
            volume = np.ones(group.tuples.size)
            for a, ladder in enumerate(self.ladders):
                at = ladder.up[group.levels[a]][self.lattice.frequencies.codes[a][group.tuples]]
                volume *= np.rint(ladder.shares[group.levels[a]] * ladder.leaves)[at]
            each.append(volume)
        largest = np.ones(self.sizes.size)
        np.maximum.at(largest, self._class, np.concatenate(each))
        return largest

    @cached_property
    def lost(self) -> Floats:
        """For each class, the share of a record's information that is lost: the most, where groups differ."""
        each = []
        for group in self.groups:
            codes = [self.lattice.frequencies.codes[a][group.tuples] for a in range(self.attributes)]
            own = zip(self.ladders, group.levels, codes, strict=True)
            bits = [ladder.bits(level)[ladder.up[level][column]] for ladder, level, column in own]
            each.append(share_lost(self.ladders, bits, group.tuples.size))
        largest = np.zeros(self.sizes.size)
        np.maximum.at(largest, self._class, np.concatenate(each))
        return largest

    def majorities(self, name: str) -> Ints:
        """For each class, how many records have its most frequent value of a counted attribute."""
        return self._sensitive(name).majorities

    def class_table(self) -> ClassTable:
        """Return what the judges may see of the released table."""
        names, people = self.lattice.frequencies.cells, self.lattice.frequencies.people
        return ClassTable(
            sizes=self.sizes, sensitive={name: self._sensitive(name) for name in names},
            count_people=None if people is None else lambda: people.moved(self._owners(), self.sizes.size),
            measure_lost=lambda: self.lost,
        )  # fmt: skip

    def _owners(self) -> Ints:
        """The class of every tuple, -1 where it is left out."""
        owner = np.full(self.lattice.frequencies.counts.size, -1, np.int64)
        owner[self._where] = self._class
        return owner

    def _sensitive(self, name: str) -> SensitiveTable:
        cells = self.lattice.frequencies.cells[name]
        owner = self._owners()
        inside = np.flatnonzero(owner[cells.tuples] >= 0)
        sizes, owners = (self.sizes.size, cells.domain.size), owner[cells.tuples[inside]]
        classes, values, counts = group_pairs(owners, cells.values[inside], sizes, cells.counts[inside])
        order = np.lexsort((values, classes))
        offsets = np.searchsorted(classes[order], np.arange(self.sizes.size + 1)).astype(np.int64)
        return SensitiveTable(
            offsets=offsets, values=values[order], counts=counts[order], totals=cells.totals,
            labels=cells.domain.labels, up=cells.up,
        )  # fmt: skip
