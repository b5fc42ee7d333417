"""The descent: from a cut downwards, at every step the valid specialization with the largest score."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from antifaz.core.progress import Progress
from antifaz.counting.frequencies import Cells, FrequencySet
from antifaz.methods.specialization.candidates import Candidates, CutKind, candidates
from antifaz.methods.specialization.forest import Cut, Forest
from antifaz.methods.specialization.judging import Rules
from antifaz.methods.specialization.partition import Partition
from antifaz.methods.specialization.scores import ScoreName, scored
from antifaz.methods.specialization.worth import worth


@dataclass(frozen=True, eq=False)
class Specialized:
    """One step: an attribute, those of its nodes that were replaced by their children, and the score of that."""

    attribute: int
    nodes: NDArray[np.int64]
    score: float


@dataclass(frozen=True, eq=False)
class Descent:
    """Where a descent ended, the steps to there, and whether the models hold where it ended."""

    cut: Cut
    steps: tuple[Specialized, ...]
    holds: bool


@dataclass(frozen=True, eq=False)
class Guide:
    """How to go down: what must hold, by which cuts and by which score."""

    forest: Forest
    rules: Rules
    kind: CutKind
    score: ScoreName

    def descend(
        self, frequencies: FrequencySet, cells: Cells | None, start: Cut, progress: Progress | None = None
    ) -> Descent:
        """Apply the best valid specialization again and again until there is none; some records are needed."""
        partition = Partition(self.forest, frequencies, start)
        known, rows = worth(self.forest, frequencies, cells), frequencies.rows
        holds = partition.smallest >= self.rules.k and self.rules.hold(self.forest, frequencies, start)
        made: list[Specialized] = []
        never = np.zeros(self.forest.size, np.bool_)
        while (found := candidates(self.forest, partition, known, self.kind, rows)) is not None:
            best = self._best(found, partition, frequencies, never)
            if best is None:
                break
            partition.specialize(best.attribute, best.nodes)
            made.append(best)
            holds = True
            if progress is not None:
                progress.tell(None, f"{len(made):,} specializations, {partition.classes:,} classes")
        return Descent(partition.cut, tuple(made), holds)

    def _best(
        self, found: Candidates, partition: Partition, frequencies: FrequencySet, never: NDArray[np.bool_]
    ) -> Specialized | None:
        """Return the valid candidate with the largest score, of equal ones the first.

        `never`, by a candidate's first node, are those that can't be valid any more: further down there are more
        classes, and smaller ones.
        """
        scores = scored(self.score, found.steps)
        never[found.nodes[found.starts[found.steps.after < self.rules.k]]] = True
        for i in np.argsort(-scores, kind="stable").tolist():
            first = found.nodes[found.starts[i]]
            if never[first]:
                continue
            each = Specialized(int(found.attributes[i]), found.of(i), float(scores[i]))
            if self._holds(partition, frequencies, each):
                return each
            never[first] = self.rules.monotone
        return None

    def _holds(self, partition: Partition, frequencies: FrequencySet, each: Specialized) -> bool:
        if not self.rules.others:
            return True
        a, cut = each.attribute, partition.cut
        lower = cut[a] - np.isin(self.forest.nodes(a, cut[a]), each.nodes).astype(np.int32)
        return self.rules.hold(self.forest, frequencies, (*cut[:a], lower, *cut[a + 1 :]))
