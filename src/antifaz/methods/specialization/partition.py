"""The forest of all hierarchies, the classes of a cut through it, and whether the models hold for them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from typing import ClassVar, Protocol

import numpy as np

from antifaz.core.arrays import Codes, Ints
from antifaz.core.errors import HierarchyError
from antifaz.counting.classes import ClassTable, Population, SensitiveTable
from antifaz.counting.frequencies import FrequencySet, group_codes
from antifaz.counting.rollup import Ladder
from antifaz.privacy.model import PrivacyModel, in_order, largest_class_size

#: A cut: per attribute, the level at which each code is released.
Cut = tuple[Codes, ...]


class Forest:
    """The ladders of all attributes as trees. A node is a label at a level; `paths[a][h][code]` is its number."""

    def __init__(self, ladders: Sequence[Ladder]) -> None:
        """Number the nodes: attribute by attribute, in each from the lowest level up."""
        self.ladders = tuple(ladders)
        self.paths: list[list[Codes]] = []
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
    def first(self) -> Ints:
        """The first code under every node: nodes of one cut are in the order of these."""
        found = np.full(self.size, np.iinfo(np.int64).max)
        for own in self.paths:
            for path in own:
                np.minimum.at(found, path, np.arange(path.size))
        return found

    def roots(self) -> Cut:
        """The cut at which everything is at its top."""
        return tuple(np.full(ladder.up[0].size, ladder.height, np.int32) for ladder in self.ladders)

    def nodes(self, a: int, levels: Codes, down: int = 0) -> Codes:
        """Return the node of each code of an attribute at its level, or so many steps below it, at most the lowest."""
        return self._stacked[a][np.maximum(levels - down, 0), np.arange(levels.size)]

    @cached_property
    def _stacked(self) -> list[Codes]:
        return [np.stack(own) for own in self.paths]

    def check_labels(self) -> None:
        """Raise where a label has two places of which neither is above the other: a cut could release both as one."""
        for a, ladder in enumerate(self.ladders):
            places: dict[str | None, list[int]] = {}
            for node in np.flatnonzero(self.attribute == a).tolist():
                places.setdefault(self.labels[node], []).append(node)
            # Each node must be below the next: as branches never meet again, one code tells.
            paths, level = self.paths[a], self.level.tolist()
            twice = [
                label or ""
                for label, nodes in places.items()
                if any(paths[level[upper]][self.first[lower]] != upper for lower, upper in pairwise(nodes))
            ]
            if twice:
                raise HierarchyError(
                    "method.label-in-two-branches", values=twice, column=ladder.column, count=len(twice)
                )


def most_general(cuts: Sequence[Cut]) -> Cut:
    """Return the lowest cut that is nowhere below any of these: code by code the highest level."""
    return tuple(np.maximum.reduce(levels) for levels in zip(*cuts, strict=True))


#: Larger than any class: the smallest class of a node that no record has.
_NO_CLASS = int(np.iinfo(np.int64).max)


@dataclass(frozen=True, eq=False)
class AnonymityRequirement:
    """What must hold at a cut: classes of at least k records, and what the other models say."""

    k: int
    others: tuple[PrivacyModel, ...]

    @classmethod
    def of(cls, models: Sequence[PrivacyModel]) -> "AnonymityRequirement":
        """Take the strictest k of the models; the sizes of classes are known at every step, so it is never judged."""
        return cls(largest_class_size(models), tuple(in_order(m for m in models if m.class_size is None)))

    @property
    def monotone(self) -> bool:
        """Whether what fails once fails for good, further down."""
        return all(model.monotone_generalization for model in self.others)

    def holds(self, forest: Forest, frequencies: FrequencySet, cut: Cut, changed: int | None = None) -> bool:
        """Whether the models other than k-anonymity hold at a cut, nobody being left out.

        `changed` is the only attribute in which a cut where they held differs.
        """
        if not self.others:
            return True
        names = sorted({name for model in self.others for name in model.sensitive()})
        compares = any(model.any_columns is not None for model in self.others)
        table = class_table(forest, frequencies, cut, names, values=compares)
        if changed is not None:
            return all(model.holds_after(table, changed) for model in self.others)
        return all(bool(model.passes(table).all()) for model in self.others)


def class_table(
    forest: Forest, frequencies: FrequencySet, cut: Cut, sensitive: Sequence[str], *, values: bool = False
) -> ClassTable:
    """Count the classes at a cut, with what they hold of the sensitive attributes named, and their nodes if asked."""
    nodes = [forest.nodes(a, levels) for a, levels in enumerate(cut)]
    codes = [own[column] for own, column in zip(nodes, frequencies.codes, strict=True)]
    counts, tuples, population = frequencies.counts, frequencies.counts.size, None
    if frequencies.population is not None:
        others, people = frequencies.population
        codes = [np.concatenate([c, own[o]]) for c, own, o in zip(codes, nodes, others, strict=True)]
        counts = np.concatenate([counts, people])
    _, group, _ = group_codes(codes, [forest.size] * len(codes), counts)
    # Classes that only the population has are none of the table's.
    own_groups, first, owner = np.unique(group[:tuples], return_index=True, return_inverse=True)
    sizes = np.bincount(owner, weights=frequencies.counts).astype(np.int64)
    if counts.size > tuples:
        place = np.minimum(np.searchsorted(own_groups, group[tuples:]), own_groups.size - 1)
        inside, many = own_groups[place] == group[tuples:], counts[tuples:]
        there = np.bincount(place[inside], weights=many[inside], minlength=own_groups.size).astype(np.int64)
        population = Population(sizes=there, absent=int(many[~inside].sum()))
    labels = None
    if values:
        lowest = [own.min() if own.size else 0 for own in nodes]
        labels = tuple((column[first] - low).astype(np.int32) for column, low in zip(codes, lowest, strict=True))
    tables = {}
    for name in sensitive:
        cells = frequencies.cells[name]
        size = cells.domain.size
        keys, place = np.unique(owner[cells.tuples] * size + cells.values, return_inverse=True)
        tables[name] = SensitiveTable(
            offsets=np.searchsorted(keys, np.arange(sizes.size + 1) * size).astype(np.int64),
            values=(keys % size).astype(np.int32),
            counts=np.bincount(place, weights=cells.counts, minlength=keys.size).astype(np.int64),
            totals=cells.totals,
            labels=cells.domain.labels,
            up=cells.up,
        )
    count = None if frequencies.people is None else partial(frequencies.people.moved, owner, sizes.size, sensitive)
    return ClassTable(sizes=sizes, sensitive=tables, population=population, values=labels, count_people=count)


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

    def smallest_sizes(self) -> tuple[Ints, Ints]:
        """Return per node the smallest part that its classes would fall into, and the smallest of its classes."""

    def specialize(self, a: int, nodes: Ints) -> None:
        """Replace nodes of one attribute by their children."""

    def satisfies(self, requirement: AnonymityRequirement, cuts: Sequence[Cut], *, held: bool = False) -> list[bool]:
        """Say whether the models other than k-anonymity hold at each of some cuts, at most a step down.

        `held` says that they hold where it is now.
        """


class LocalPartition:
    """The classes of distinct tuples in memory. A step touches only the classes that hold what is specialized."""

    #: One at a time: the first that holds is taken.
    batch: ClassVar[int] = 1

    def __init__(self, forest: Forest, frequencies: FrequencySet, cut: Cut) -> None:
        self._forest, self._frequencies = forest, frequencies
        self._counts = frequencies.counts
        self._codes = np.stack([codes.astype(np.int32) for codes in frequencies.codes])
        tuples, nodes = frequencies.counts.size, forest.size
        self.cut = tuple(levels.copy() for levels in cut)
        widest = max(levels.size for levels in cut)
        self._at, self._below = (np.zeros((len(cut), widest), np.int32) for _ in range(2))
        for a in range(len(cut)):
            self._place(a)
        at = [self._at[a][codes] for a, codes in enumerate(self._codes)]
        _, group, sizes = group_codes(at, [nodes] * len(at), frequencies.counts)
        self._order = np.argsort(group, kind="stable")
        self.classes = sizes.size
        bounds = np.searchsorted(group[self._order], np.arange(sizes.size + 1))
        self._begin, self._end, self._sizes = (np.zeros(tuples, np.int64) for _ in range(3))
        self._begin[: sizes.size], self._end[: sizes.size] = bounds[:-1], bounds[1:]
        self._sizes[: sizes.size] = sizes
        self._class_nodes = np.zeros((tuples, len(at)), np.int32)
        self._lowest = np.zeros((tuples, len(at)), np.int64)
        self._room, self._names = np.zeros(nodes, np.int64), np.zeros(nodes, np.int64)
        self._scratch, self._touched = np.zeros(tuples, np.int64), np.zeros(tuples, np.int64)
        self._weigh(np.arange(sizes.size))

    @property
    def smallest(self) -> int:
        """The size of the smallest class: the anonymity A."""
        return int(self._sizes[: self.classes].min())

    def smallest_sizes(self) -> tuple[Ints, Ints]:
        """Return per node the smallest part that its classes would fall into, and the smallest of its classes."""
        from antifaz.kernels.specialization import survey

        parts, wholes = np.full(self._forest.size, _NO_CLASS), np.full(self._forest.size, _NO_CLASS)
        survey(self.classes, self._class_nodes, self._lowest, self._sizes, parts, wholes)
        return parts, wholes

    def satisfies(self, requirement: AnonymityRequirement, cuts: Sequence[Cut], *, held: bool = False) -> list[bool]:
        """Say whether the models other than k-anonymity hold at each of some cuts."""
        found = []
        for cut in cuts:
            changed = [a for a, own in enumerate(cut) if not np.array_equal(own, self.cut[a])]
            only = changed[0] if held and len(changed) == 1 else None
            found.append(requirement.holds(self._forest, self._frequencies, cut, only))
        return found

    def specialize(self, a: int, nodes: Ints) -> None:
        """Replace nodes of one attribute by their children."""
        from antifaz.kernels.specialization import split

        chosen = np.zeros(self._forest.size, np.bool_)
        chosen[nodes] = True
        self.classes, touched = split(
            a, chosen, self.classes, self._order, self._begin, self._end, self._sizes, self._counts, self._codes,
            self._below, self._class_nodes, self._room, self._names, self._scratch, self._touched,
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

    def _weigh(self, classes: Ints) -> None:
        from antifaz.kernels.specialization import weigh

        weigh(
            classes, self._order, self._begin, self._end, self._counts, self._codes, self._at, self._below,
            self._room, self._class_nodes, self._lowest,
        )  # fmt: skip
