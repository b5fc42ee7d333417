"""The search from a cut downwards: at every step the valid specialization with the largest score."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from antifaz.core.messages import Message
from antifaz.core.progress import Progress
from antifaz.counting.frequencies import FrequencySet, SensitiveCells
from antifaz.counting.lattice import Lattice
from antifaz.methods.specialization.forest import Cut, Forest
from antifaz.methods.specialization.partition import AnonymityRequirement, LocalPartition, Partition
from antifaz.methods.specialization.scores import (
    AttributeCounts,
    CutKind,
    NodeGains,
    ScoreName,
    SpecializationCandidates,
    attribute_counts,
    candidates,
    node_gains,
    score_candidates,
)
from antifaz.methods.specialization.two_phases import partition_records


@dataclass(frozen=True, eq=False)
class SpecializationStep:
    """One step: an attribute, those of its nodes that were replaced by their children, and the score of that."""

    attribute: int
    nodes: NDArray[np.int64]
    score: float


@dataclass(frozen=True, eq=False)
class Descent:
    """The cut at which a search ended, the steps to there, and whether the models hold there."""

    cut: Cut
    steps: tuple[SpecializationStep, ...]
    holds: bool


@dataclass(frozen=True, eq=False)
class TopDownSearch:
    """How to specialize: what must hold, by which cuts and by which score."""

    forest: Forest
    requirement: AnonymityRequirement
    kind: CutKind
    score: ScoreName

    def run(self, partition: Partition, gains: NodeGains, progress: Progress | None = None) -> Descent:
        """Apply the best valid specialization again and again until there is none; some records are needed."""
        required = self.requirement
        holds = partition.smallest >= required.k and (
            not required.others or all(partition.satisfies(required, [partition.cut]))
        )
        made: list[SpecializationStep] = []
        never = np.zeros(self.forest.size, np.bool_)
        while (found := candidates(self.forest, partition, gains, self.kind)) is not None:
            best = self._best(found, partition, never)
            if best is None:
                break
            partition.specialize(best.attribute, best.nodes)
            made.append(best)
            holds = True
            if progress is not None:
                classes = partition.classes
                progress.tell(None, Message("progress.specializations", steps=len(made), classes=classes))
        return Descent(partition.cut, tuple(made), holds)

    def _best(
        self, found: SpecializationCandidates, partition: Partition, never: NDArray[np.bool_]
    ) -> SpecializationStep | None:
        """Return the valid candidate with the largest score, of equal ones the first.

        `never`, by a candidate's first node, are those that can't be valid any more: further down there are more
        classes, and smaller ones.
        """
        scores = score_candidates(self.score, found.effects)
        first = found.nodes[found.starts]
        never[first[found.effects.after < self.requirement.k]] = True
        order = [i for i in np.argsort(-scores, kind="stable").tolist() if not never[first[i]]]
        for start in range(0, len(order), partition.batch):
            some = order[start : start + partition.batch]
            steps = [SpecializationStep(int(found.attributes[i]), found.of(i), float(scores[i])) for i in some]
            for i, step, good in zip(some, steps, self._satisfy(partition, steps), strict=True):
                if good:
                    return step
                never[first[i]] = self.requirement.monotone
        return None

    def _satisfy(self, partition: Partition, steps: list[SpecializationStep]) -> list[bool]:
        if not self.requirement.others:
            return [True] * len(steps)
        return partition.satisfies(self.requirement, [self._lower(partition.cut, step) for step in steps])

    def _lower(self, cut: Cut, step: SpecializationStep) -> Cut:
        a = step.attribute
        lower = cut[a] - np.isin(self.forest.nodes(a, cut[a]), step.nodes).astype(np.int32)
        return (*cut[:a], lower, *cut[a + 1 :])


class SpecializedTable(ABC):
    """The table that is specialized: the forest over it, and the counts of each of its attributes."""

    def __init__(self, forest: Forest, known: Sequence[AttributeCounts]) -> None:
        """Take the forest and what is known of every attribute by itself."""
        self.forest = forest
        self.counts = known

    @cached_property
    def gains(self) -> NodeGains:
        """What each specialization gains."""
        return node_gains(self.forest, self.counts)

    def descend(self, search: TopDownSearch, start: Cut, progress: Progress | None = None) -> Descent:
        """Search downwards from a cut."""
        return search.run(self.partition(search.requirement, start), self.gains, progress)

    @abstractmethod
    def partition(self, requirement: AnonymityRequirement, cut: Cut) -> Partition:
        """Return the classes at a cut, for which this is to hold."""

    @abstractmethod
    def first_phase(self, search: TopDownSearch, partitions: int, seed: int, progress: Progress) -> list[Cut]:
        """Assign the records to partitions, search in each, and return the cuts at which these end."""

    @abstractmethod
    def lattice(self, cut: Cut) -> Lattice:
        """Return the counts of the table, right at this cut and above it."""

    def close(self) -> None:
        """Give back what was needed on the way."""
        return


class LocalSpecializedTable(SpecializedTable):
    """A table whose distinct tuples are in memory."""

    def __init__(self, forest: Forest, frequencies: FrequencySet, cells: SensitiveCells | None) -> None:
        """Take the tuples and the cells of what steps gain information about."""
        super().__init__(forest, attribute_counts(frequencies, cells))
        self._frequencies, self._cells = frequencies, cells

    def partition(self, requirement: AnonymityRequirement, cut: Cut) -> Partition:
        """Group the tuples at a cut."""
        return LocalPartition(self.forest, self._frequencies, cut)

    def first_phase(self, search: TopDownSearch, partitions: int, seed: int, progress: Progress) -> list[Cut]:
        """Search in one partition after the other."""
        cuts: list[Cut] = []
        target = None if self._cells is None else self._cells.domain.column
        for part in partition_records(self._frequencies, target, partitions, seed):
            cells = None if target is None else part.cells[target]
            progress.tell(None, Message("progress.partition", partition=len(cuts) + 1, partitions=partitions))
            cuts.append(LocalSpecializedTable(self.forest, part, cells).descend(search, self.forest.roots()).cut)
        return cuts

    def lattice(self, cut: Cut) -> Lattice:
        """Return the counts of the table, right everywhere."""
        return Lattice(self._frequencies, self.forest.ladders)
