"""Specialization of a table whose distinct tuples are too many to come out: they are counted where they are.

Every figure that the search asks for is the same as with all tuples in memory. What a step gains follows from each
attribute by itself. What steps do to classes is seen from the tuples one step further down, or lower: where these are
few enough they come out, and the search goes on here until it comes to where they were cut; else the classes are laid
together where they are, each part is looked at there, and only the smallest sizes per node come out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from antifaz.core.arrays import Codes, Ints
from antifaz.core.messages import Message
from antifaz.core.progress import Progress
from antifaz.counting.frequencies import FrequencySet, SensitiveCells
from antifaz.counting.lattice import Lattice
from antifaz.counting.remote import Coded, GroupedTuples, RecodableTuples, Recode
from antifaz.methods.method import Task
from antifaz.methods.specialization.descent import (
    LocalSpecializedTable,
    SpecializedTable,
    TopDownSearch,
    attribute_counts,
)
from antifaz.methods.specialization.partition import AnonymityRequirement, Cut, Forest, LocalPartition, Partition
from antifaz.methods.specialization.two_phases import AssignRecords, FrequencyTemplate
from antifaz.privacy.model import PrivacyModel


@dataclass(frozen=True, kw_only=True, eq=False)
class RemoteFrequencies:
    """Tuples that stay with the engine, and what is known of them here."""

    tuples: RecodableTuples
    #: For each quasi-identifier, its values and their counts with all that was counted, missing values dealt with.
    sets: tuple[FrequencySet, ...]
    #: Per quasi-identifier what each code becomes where missing values are filled; None where nothing does.
    fills: tuple[Codes | None, ...]

    @cached_property
    def template(self) -> FrequencyTemplate:
        """What a frequency set of the tuples has beside them."""
        return FrequencyTemplate.of([own.domains[0] for own in self.sets], self.sets[0].cells)

    def recode(self, own: Sequence[Codes | None], counted: Sequence[str] = ()) -> Recode:
        """Say what codes become: those of the quasi-identifiers as given; of the sensitive, some stay and others go."""
        own_codes = [
            new if fill is None else fill if new is None else new[fill]
            for new, fill in zip(own, self.fills, strict=True)
        ]
        sizes = ((name, self.sets[0].cells[name].domain.size) for name in self.template.counted)
        return [*own_codes, *(None if name in counted else np.zeros(size, np.int32) for name, size in sizes)]

    def at(self, forest: Forest, cut: Cut, names: Sequence[str], down: int = 0) -> FrequencySet:
        """Bring out the tuples at a cut, or so many steps below it; each node under its first code."""
        return self.template.only(names).frequencies(self.tuples.count(self.recode(_codes(forest, cut, down), names)))


@dataclass(frozen=True, kw_only=True, eq=False)
class RemoteTask(Task):
    """A task whose tuples are remote; its frequencies are those of the roots."""

    remote: RemoteFrequencies


def can_specialize_remotely(models: Sequence[PrivacyModel]) -> bool:
    """Whether tuples may stay away: each model must be one that looks at single classes of the table alone."""
    return not any(model.whole_table or model.population_path is not None for model in models)


def specialized_table(task: Task, forest: Forest, cells: SensitiveCells | None) -> SpecializedTable:
    """Return the table of a task, local or remote; `cells` are those of what steps gain information about."""
    if isinstance(task, RemoteTask):
        return RemoteSpecializedTable(forest, task.remote, None if cells is None else cells.domain.column)
    return LocalSpecializedTable(forest, task.frequencies, cells)


class RemoteSpecializedTable(SpecializedTable):
    """A table whose tuples stay where they are."""

    def __init__(self, forest: Forest, remote: RemoteFrequencies, target: str | None) -> None:
        """Take what is known of each attribute; `target` names the cells that steps gain information about."""
        known = [attribute_counts(own, None if target is None else own.cells[target])[0] for own in remote.sets]
        super().__init__(forest, known)
        self._remote, self._target = remote, target

    def partition(self, requirement: AnonymityRequirement, cut: Cut) -> Partition:
        """Return the classes at a cut."""
        names = sorted({name for model in requirement.others for name in model.sensitive()})
        return RemotePartition(self.forest, self._remote, cut, names)

    def first_phase(self, search: TopDownSearch, partitions: int, seed: int, progress: Progress) -> list[Cut]:
        """Search in all partitions where the tuples are."""
        progress.tell(None, Message("progress.partitions", partitions=partitions))
        template, target = self._remote.template.part(self._target), self._target
        assign = AssignRecords.of(template, target, partitions, seed)
        work = SpecializePartition(search, template, target)
        recode = self._remote.recode([None] * len(template.domains), template.combined(target))
        return [work.cut(levels) for levels in self._remote.tuples.map_partitions(recode, assign, work)]

    def lattice(self, cut: Cut) -> Lattice:
        """Return the counts of the table at this cut, and of each attribute everywhere."""
        return _RemoteLattice(self, self._remote, cut)

    def close(self) -> None:
        """Give back the memory where the tuples are."""
        self._remote.tuples.close()


class RemotePartition:
    """The classes of remote tuples: looked at here as long as there are few enough, else where they are."""

    #: Judging several cuts there takes hardly longer than judging one.
    batch: ClassVar[int] = 16

    def __init__(self, forest: Forest, remote: RemoteFrequencies, cut: Cut, names: Sequence[str]) -> None:
        """Start at a cut; `names` are the sensitive attributes that will be asked about."""
        self._forest, self._remote, self._names = forest, remote, names
        self.cut = tuple(levels.copy() for levels in cut)
        self._local: LocalPartition | None = None
        self._floor = self.cut
        self._grouped: GroupedTuples | None = None
        self._seen: Ints | None = None
        self._too_many = False

    @property
    def classes(self) -> int:
        """The number of classes, as it was when they were last looked at."""
        if self._local is not None:
            return self._local.classes
        return int(self._survey()[-1])

    @property
    def smallest(self) -> int:
        """The size of the smallest class."""
        self._fetch()
        if self._local is not None:
            return self._local.smallest
        nodes = self._forest.size
        return int(self._survey()[nodes : 2 * nodes].min())

    def smallest_sizes(self) -> tuple[Ints, Ints]:
        """Return per node the smallest part that its classes would fall into, and the smallest of its classes."""
        self._fetch()
        if self._local is not None:
            return self._local.smallest_sizes()
        nodes = self._forest.size
        seen = self._survey()
        return seen[:nodes], seen[nodes : 2 * nodes]

    def specialize(self, a: int, nodes: Ints) -> None:
        """Replace nodes of one attribute by their children."""
        self._seen = None
        if self._grouped is not None:
            self._grouped.close()
            self._grouped = None
        self.cut[a][np.isin(self._forest.nodes(a, self.cut[a]), nodes)] -= 1
        if self._local is None:
            return
        self._local.specialize(a, nodes)
        lower = np.maximum(self.cut[a] - 1, 0)
        if (lower < self._floor[a]).any():
            self._local = None

    def satisfies(self, requirement: AnonymityRequirement, cuts: Sequence[Cut], *, held: bool = False) -> list[bool]:
        """Say whether the models other than k-anonymity hold at each of some cuts, at most a step down."""
        self._fetch()
        if self._local is not None:
            return self._local.satisfies(requirement, cuts)
        work = CheckCuts(self._forest, self._remote.template.only(self._names), requirement, tuple(cuts))
        satisfied: list[bool] = np.minimum.reduce(self._groups().map(work)).astype(np.bool_).tolist()
        return satisfied

    def _fetch(self) -> None:
        """Bring out the tuples of the lowest cut at which they are few enough, if that is a step down at least."""
        if self._local is not None or self._too_many:
            return
        deepest = max(1, *(int(levels.max(initial=0)) for levels in self.cut))
        downs = range(1, deepest + 1)
        recodes = [self._remote.recode(_codes(self._forest, self.cut, down), self._names) for down in downs]
        few = [
            down
            for down, number in zip(downs, self._remote.tuples.estimate(recodes), strict=True)
            if number <= self._remote.tuples.max_tuples
        ]
        if not few:  # and further down there are even more
            self._too_many = True
            return
        frequencies = self._remote.at(self._forest, self.cut, self._names, max(few))
        self._floor = tuple(np.maximum(levels - max(few), 0) for levels in self.cut)
        self._local = LocalPartition(self._forest, frequencies, self.cut)

    def _groups(self) -> GroupedTuples:
        """The tuples one step down, laid together by class."""
        if self._grouped is None:
            recode = self._remote.recode(_codes(self._forest, self.cut, 1), self._names)
            by = self._remote.recode(_codes(self._forest, self.cut))
            self._grouped = self._remote.tuples.group_by(recode, by)
        return self._grouped

    def _survey(self) -> Ints:
        """The smallest sizes and the number of classes, from all parts."""
        if self._seen is None:
            each = np.stack(self._groups().map(SmallestSizes(self._forest, self._remote.template.only(()), self.cut)))
            self._seen = np.append(each[:, :-1].min(axis=0), each[:, -1].sum())
        return self._seen


def _codes(forest: Forest, cut: Cut, down: int = 0) -> list[Codes]:
    """Per attribute, for each code the first code under its node at a cut, or so many steps below it."""
    return [forest.first[forest.nodes(a, levels, down)].astype(np.int32) for a, levels in enumerate(cut)]


class _RemoteLattice(Lattice):
    """Counts of tuples at a cut; what they were below it is known of each attribute by itself."""

    def __init__(self, table: RemoteSpecializedTable, remote: RemoteFrequencies, cut: Cut) -> None:
        super().__init__(remote.at(table.forest, cut, ()), table.forest.ladders)
        self._remote, self._known = remote, table.counts

    @cached_property
    def _lowest(self) -> list[Ints]:
        return [
            np.bincount(ladder.up[0], weights=own.counts, minlength=ladder.size(0)).astype(np.int64)
            for ladder, own in zip(self.ladders, self._known, strict=True)
        ]

    @cached_property
    def tuple_information(self) -> float:
        """Σ n log₂ n over the distinct original tuples, n records each."""
        sizes, times = self._remote.tuples.sizes(self._remote.recode([None] * len(self.ladders)))
        self._remote.tuples.close()
        return float(np.dot(sizes * times, np.log2(sizes)))


# -- what is done with tuples where they are: pickled with the forest, run there; a few numbers come back


@dataclass(frozen=True, eq=False)
class SpecializePartition:
    """Searches in one partition, and says where that ends: the levels of all codes."""

    search: TopDownSearch
    template: FrequencyTemplate
    target: str | None

    def __call__(self, coded: Coded) -> Ints:
        """Return the levels, attribute after attribute."""
        part = self.template.frequencies(coded)
        cells = None if self.target is None else part.cells[self.target]
        forest = self.search.forest
        end = LocalSpecializedTable(forest, part, cells).descend(self.search, forest.roots())
        return np.concatenate(end.cut).astype(np.int64)

    def cut(self, levels: Ints) -> Cut:
        """Return the cut that these levels are."""
        ends = np.cumsum([ladder.up[0].size for ladder in self.search.forest.ladders])
        return tuple(np.split(levels.astype(np.int32), ends[:-1]))


@dataclass(frozen=True, eq=False)
class SmallestSizes:
    """Finds the smallest class of every node, and what each step down would leave of it."""

    forest: Forest
    template: FrequencyTemplate
    cut: Cut

    def __call__(self, coded: Coded) -> Ints:
        """Return the smallest sizes, per node two numbers, then the number of classes."""
        partition = LocalPartition(self.forest, self.template.frequencies(coded), self.cut)
        return np.concatenate([*partition.smallest_sizes(), [partition.classes]])


@dataclass(frozen=True, eq=False)
class CheckCuts:
    """Judges some tuples, whole classes of them, at several cuts."""

    forest: Forest
    template: FrequencyTemplate
    requirement: AnonymityRequirement
    cuts: tuple[Cut, ...]

    def __call__(self, coded: Coded) -> Ints:
        """Return for each cut 1 where the models hold, else 0."""
        frequencies = self.template.frequencies(coded)
        return np.array([self.requirement.holds(self.forest, frequencies, cut) for cut in self.cuts], np.int64)
