"""The classes of a cut, refined step by step, and whether the models hold for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from antifaz.counting.classes import ClassTable, Population, SensitiveTable
from antifaz.counting.frequencies import FrequencySet, SensitiveCells, group_codes
from antifaz.methods.specialization.forest import Cut, Forest
from antifaz.privacy.model import PrivacyModel, in_order, largest_class_size

#: Larger than any class: the smallest class of a node that no record has.
_NO_CLASS = int(np.iinfo(np.int64).max)


@dataclass(frozen=True, eq=False)
class AnonymityRequirement:
    """What must hold at a cut: classes of at least k records, and what the other models say."""

    k: int
    others: tuple[PrivacyModel, ...]

    @classmethod
    def of(cls, models: Sequence[PrivacyModel]) -> AnonymityRequirement:
        """Take the strictest k of the models; the sizes of classes are known at every step, so it is never judged."""
        return cls(largest_class_size(models), tuple(in_order(m for m in models if m.class_size is None)))

    @property
    def monotone(self) -> bool:
        """Whether what fails once fails for good, further down."""
        return all(model.monotone_generalization for model in self.others)

    def holds(self, forest: Forest, frequencies: FrequencySet, cut: Cut) -> bool:
        """Whether the models other than k-anonymity hold at a cut, nobody being left out."""
        if not self.others:
            return True
        names = sorted({name for model in self.others for name in model.sensitive()})
        table = class_table(forest, frequencies, cut, names)
        return all(bool(model.passes(table).all()) for model in self.others)


def class_table(forest: Forest, frequencies: FrequencySet, cut: Cut, sensitive: Sequence[str]) -> ClassTable:
    """Count the classes at a cut, with what they hold of the sensitive attributes named."""
    nodes = [forest.nodes(a, levels) for a, levels in enumerate(cut)]
    codes = [own[column] for own, column in zip(nodes, frequencies.codes, strict=True)]
    counts, tuples = frequencies.counts, frequencies.counts.size
    if frequencies.population is not None:
        others, people = frequencies.population
        codes = [np.concatenate([c, own[o]]) for c, own, o in zip(codes, nodes, others, strict=True)]
        counts = np.concatenate([counts, people])
    _, group, _ = group_codes(codes, [forest.size] * len(codes), counts)
    # Classes that only the population has are none of the table's.
    own_groups, owner = np.unique(group[:tuples], return_inverse=True)
    sizes = np.bincount(owner, weights=frequencies.counts).astype(np.int64)
    return ClassTable(
        sizes=sizes,
        sensitive={name: _sensitive(frequencies.cells[name], owner, sizes.size) for name in sensitive},
        population=_population(group[tuples:], counts[tuples:], own_groups) if counts.size > tuples else None,
    )


def _population(group: NDArray[np.int64], people: NDArray[np.int64], own: NDArray[np.int64]) -> Population:
    place = np.minimum(np.searchsorted(own, group), own.size - 1)
    inside = own[place] == group
    sizes = np.bincount(place[inside], weights=people[inside], minlength=own.size).astype(np.int64)
    return Population(sizes=sizes, absent=int(people[~inside].sum()))


def _sensitive(cells: SensitiveCells, owner: NDArray[np.int64], classes: int) -> SensitiveTable:
    keys, place = np.unique(owner[cells.tuples] * cells.domain.size + cells.values, return_inverse=True)
    return SensitiveTable(
        offsets=np.searchsorted(keys, np.arange(classes + 1) * cells.domain.size).astype(np.int64),
        values=(keys % cells.domain.size).astype(np.int32),
        counts=np.bincount(place, weights=cells.counts, minlength=keys.size).astype(np.int64),
        totals=cells.totals,
        labels=cells.domain.labels,
        up=cells.up,
    )


class Partition(Protocol):
    """The classes of a table at a cut, and what further steps would do to them."""

    @property
    def cut(self) -> Cut:
        """Where it is now."""

    @property
    def classes(self) -> int:
        """The number of classes."""

    @property
    def smallest(self) -> int:
        """The size of the smallest class."""

    @property
    def batch(self) -> int:
        """How many cuts are best judged at a time."""

    def smallest_sizes(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return per node the smallest part that its classes would fall into, and the smallest of its classes."""

    def specialize(self, a: int, nodes: NDArray[np.int64]) -> None:
        """Replace nodes of one attribute by their children."""

    def satisfies(self, requirement: AnonymityRequirement, cuts: Sequence[Cut]) -> list[bool]:
        """Say whether the models other than k-anonymity hold at each of some cuts, at most a step down."""


class LocalPartition:
    """The classes of distinct tuples in memory. A step touches only the classes that hold what is specialized."""

    #: One at a time: the first that holds is taken.
    batch: ClassVar[int] = 1

    def __init__(self, forest: Forest, frequencies: FrequencySet, cut: Cut) -> None:
        """Group the tuples at a cut."""
        self._forest, self._frequencies = forest, frequencies
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

    def smallest_sizes(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return per node the smallest part that its classes would fall into, and the smallest of its classes."""
        from antifaz.kernels.specialization import survey

        parts, wholes = np.full(self._forest.size, _NO_CLASS), np.full(self._forest.size, _NO_CLASS)
        survey(self.classes, self._held, self._lowest, self._sizes, parts, wholes)
        return parts, wholes

    def satisfies(self, requirement: AnonymityRequirement, cuts: Sequence[Cut]) -> list[bool]:
        """Say whether the models other than k-anonymity hold at each of some cuts."""
        return [requirement.holds(self._forest, self._frequencies, cut) for cut in cuts]

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
