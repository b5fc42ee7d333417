"""The source where the distinct tuples are too many to be at hand: they are counted, and descended on, where they are.

Every figure that a descent asks for is the same as with all tuples at hand. What a step is worth follows from each
attribute by itself. What steps do to classes is seen from the tuples one step further down, or lower: where these are
few enough they come out, and the descent goes on here until it is too near to where they were cut; else the classes are
laid together where they are, each part is looked at there, and only the smallest sizes per node come out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from antifaz.core.messages import Message
from antifaz.core.progress import Progress
from antifaz.counting.frequencies import FrequencySet, SensitiveCells
from antifaz.counting.lattice import Lattice
from antifaz.counting.targets import TupleCells
from antifaz.engines.remote import GroupedTuples, RecodableTuples, Recode
from antifaz.methods.method import Task
from antifaz.methods.specialization.descent import Guide
from antifaz.methods.specialization.forest import Cut, Forest
from antifaz.methods.specialization.ground import Ground, Near
from antifaz.methods.specialization.judging import Rules
from antifaz.methods.specialization.phases import hashes
from antifaz.methods.specialization.remote import Deal, First, Holds, Outlook, Shell
from antifaz.methods.specialization.source import AtHand, Source
from antifaz.methods.specialization.worth import margins
from antifaz.privacy.model import PrivacyModel


@dataclass(frozen=True, kw_only=True, eq=False)
class Distant:
    """Tuples in place, and what is known of them here."""

    place: RecodableTuples
    #: For each quasi-identifier, its values and their counts with all that was counted, missing values dealt with.
    sets: tuple[FrequencySet, ...]
    #: Per quasi-identifier what each code becomes where missing values are filled; None where nothing does.
    fills: tuple[NDArray[np.int32] | None, ...]

    @cached_property
    def shell(self) -> Shell:
        """What a frequency set of the tuples has beside them."""
        return Shell.of([own.domains[0] for own in self.sets], self.sets[0].cells)

    def recode(self, own: Sequence[NDArray[np.int32] | None], counted: Sequence[str] = ()) -> Recode:
        """Say what codes become: those of the quasi-identifiers as told; of the sensitive, some stay and others go."""
        told = [
            new if fill is None else fill if new is None else new[fill]
            for new, fill in zip(own, self.fills, strict=True)
        ]
        sizes = ((name, self.sets[0].cells[name].domain.size) for name in self.shell.counted)
        return [*told, *(None if name in counted else np.zeros(size, np.int32) for name, size in sizes)]

    def at(self, forest: Forest, cut: Cut, names: Sequence[str], down: int = 0) -> FrequencySet:
        """Bring out the tuples at a cut, or so many steps below it; each node under its first code."""
        return self.shell.only(names).filled(self.place.count(self.recode(_codes(forest, cut, down), names)))


@dataclass(frozen=True, kw_only=True, eq=False)
class DistantTask(Task):
    """A task whose tuples are far away; its frequencies are those of the roots."""

    distant: Distant


def can_be_distant(models: Sequence[PrivacyModel]) -> bool:
    """Whether tuples may stay away: each model must be one that looks at single classes of the table alone."""
    return not any(model.whole_table or model.population_path is not None for model in models)


def source_of(task: Task, forest: Forest, cells: SensitiveCells | None) -> Source:
    """Return the source of a task; `cells` are those of what steps gain information about."""
    if isinstance(task, DistantTask):
        return Afar(forest, task.distant, None if cells is None else cells.domain.column)
    return AtHand(forest, task.frequencies, cells)


class Afar(Source):
    """A table whose tuples stay where they are."""

    def __init__(self, forest: Forest, distant: Distant, target: str | None) -> None:
        """Take what is known of each attribute; `target` names the cells that steps gain information about."""
        known = [margins(own, None if target is None else own.cells[target])[0] for own in distant.sets]
        super().__init__(forest, known)
        self._distant, self._target = distant, target

    def ground(self, rules: Rules, cut: Cut) -> Ground:
        """Return the ground at a cut."""
        return Far(self.forest, self._distant, cut, sorted({n for model in rules.others for n in model.sensitive()}))

    def first(self, guide: Guide, partitions: int, seed: int, progress: Progress) -> list[Cut]:
        """Go down with all partitions where the tuples are."""
        progress.tell(None, Message("progress.partitions", partitions=partitions))
        shell, target = self._distant.shell, self._target
        domains, names, cells = [*shell.domains], [], []
        if target is not None:
            template = shell.cells[target]
            domains.append(template.domain)
            names = [*template.names] if isinstance(template, TupleCells) else [target]
            cells = list(dict.fromkeys([target, *names]))
        own = shell.only(cells, part=True)
        spread = Deal(own, target, tuple(hashes(domain, seed) for domain in domains), partitions)
        work = First(guide, own, target)
        recode = self._distant.recode([None] * len(shell.domains), names)
        return [work.cut(levels) for levels in self._distant.place.map_partitions(recode, spread, work)]

    def lattice(self, cut: Cut) -> Lattice:
        """Return the counts of the table at this cut, and of each attribute everywhere."""
        return _FarLattice(self, self._distant, cut)

    def close(self) -> None:
        """Give back the memory where the tuples are."""
        self._distant.place.close()


class Far:
    """The ground where tuples are far away: looked at here as long as there are few enough, else there."""

    #: Judging several cuts there takes hardly longer than judging one.
    batch: ClassVar[int] = 16

    def __init__(self, forest: Forest, distant: Distant, cut: Cut, names: Sequence[str]) -> None:
        """Start at a cut; `names` are the sensitive attributes that will be asked about."""
        self._forest, self._distant, self._names = forest, distant, names
        self.cut = tuple(levels.copy() for levels in cut)
        self._near: Near | None = None
        self._floor = self.cut
        self._gathered: GroupedTuples | None = None
        self._seen: NDArray[np.int64] | None = None
        self._too_many = False

    @property
    def classes(self) -> int:
        """The number of classes, as it was when they were last looked at."""
        if self._near is not None:
            return self._near.classes
        return int(self._look()[-1])

    @property
    def smallest(self) -> int:
        """The size of the smallest class."""
        self._come_near()
        if self._near is not None:
            return self._near.smallest
        nodes = self._forest.size
        return int(self._look()[nodes : 2 * nodes].min())

    def outlook(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return per node the smallest part that its classes would fall into, and the smallest of its classes."""
        self._come_near()
        if self._near is not None:
            return self._near.outlook()
        nodes = self._forest.size
        seen = self._look()
        return seen[:nodes], seen[nodes : 2 * nodes]

    def specialize(self, a: int, nodes: NDArray[np.int64]) -> None:
        """Replace nodes of one attribute by their children."""
        self._forget()
        self.cut[a][np.isin(self._forest.nodes(a, self.cut[a]), nodes)] -= 1
        if self._near is None:
            return
        self._near.specialize(a, nodes)
        lower = np.maximum(self.cut[a] - 1, 0)
        if (lower < self._floor[a]).any():
            self._near = None

    def hold(self, rules: Rules, cuts: Sequence[Cut]) -> list[bool]:
        """Say whether the models other than k-anonymity hold at each of some cuts, at most a step down."""
        self._come_near()
        if self._near is not None:
            return self._near.hold(rules, cuts)
        work = Holds(self._forest, self._distant.shell.only(self._names), rules, tuple(cuts))
        found: list[bool] = np.minimum.reduce(self._lie().map(work)).astype(np.bool_).tolist()
        return found

    def _come_near(self) -> None:
        """Bring out the tuples of the lowest cut at which they are few enough, if that is a step down at least."""
        if self._near is not None or self._too_many:
            return
        deepest = max(1, *(int(levels.max(initial=0)) for levels in self.cut))
        downs = range(1, deepest + 1)
        recodes = [self._distant.recode(_codes(self._forest, self.cut, down), self._names) for down in downs]
        few = [
            down
            for down, number in zip(downs, self._distant.place.estimate(recodes), strict=True)
            if number <= self._distant.place.max_tuples
        ]
        if not few:  # and further down there are even more
            self._too_many = True
            return
        frequencies = self._distant.at(self._forest, self.cut, self._names, max(few))
        self._floor = tuple(np.maximum(levels - max(few), 0) for levels in self.cut)
        self._near = Near(self._forest, frequencies, self.cut)

    def _lie(self) -> GroupedTuples:
        """The tuples one step down, laid together by class."""
        if self._gathered is None:
            recode = self._distant.recode(_codes(self._forest, self.cut, 1), self._names)
            by = self._distant.recode(_codes(self._forest, self.cut))
            self._gathered = self._distant.place.group_by(recode, by)
        return self._gathered

    def _look(self) -> NDArray[np.int64]:
        """Outlook and number of classes, from all parts."""
        if self._seen is None:
            each = np.stack(self._lie().map(Outlook(self._forest, self._distant.shell.only(()), self.cut)))
            self._seen = np.append(each[:, :-1].min(axis=0), each[:, -1].sum())
        return self._seen

    def _forget(self) -> None:
        self._seen = None
        if self._gathered is not None:
            self._gathered.close()
            self._gathered = None


def _codes(forest: Forest, cut: Cut, down: int = 0) -> list[NDArray[np.int32]]:
    """Per attribute, for each code the first code under its node at a cut, or so many steps below it."""
    return [forest.first[forest.nodes(a, levels, down)].astype(np.int32) for a, levels in enumerate(cut)]


class _FarLattice(Lattice):
    """Counts of tuples at a cut; what they were below it is known of each attribute by itself."""

    def __init__(self, source: Afar, distant: Distant, cut: Cut) -> None:
        super().__init__(distant.at(source.forest, cut, ()), source.forest.ladders)
        self._distant, self._known = distant, source.margins

    @cached_property
    def _lowest(self) -> list[NDArray[np.int64]]:
        return [
            np.bincount(ladder.up[0], weights=margin.counts, minlength=ladder.size(0)).astype(np.int64)
            for ladder, margin in zip(self.ladders, self._known, strict=True)
        ]

    @cached_property
    def tuple_information(self) -> float:
        """Σ n log₂ n over the distinct original tuples, n records each."""
        sizes, times = self._distant.place.sizes(self._distant.recode([None] * len(self.ladders)))
        self._distant.place.close()
        return float(np.dot(sizes * times, np.log2(sizes)))
