"""The descent: from a cut downwards, at every step the valid specialization with the largest score."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from antifaz.core.progress import Progress
from antifaz.methods.specialization.candidates import Candidates, CutKind, candidates
from antifaz.methods.specialization.forest import Cut, Forest
from antifaz.methods.specialization.ground import Ground
from antifaz.methods.specialization.judging import Rules
from antifaz.methods.specialization.scores import ScoreName, scored
from antifaz.methods.specialization.worth import Worth


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

    def descend(self, ground: Ground, known: Worth, progress: Progress | None = None) -> Descent:
        """Apply the best valid specialization again and again until there is none; some records are needed."""
        holds = ground.smallest >= self.rules.k and (
            not self.rules.others or all(ground.hold(self.rules, [ground.cut]))
        )
        made: list[Specialized] = []
        never = np.zeros(self.forest.size, np.bool_)
        while (found := candidates(self.forest, ground, known, self.kind)) is not None:
            best = self._best(found, ground, never)
            if best is None:
                break
            ground.specialize(best.attribute, best.nodes)
            made.append(best)
            holds = True
            if progress is not None:
                progress.tell(None, f"{len(made):,} specializations, {ground.classes:,} classes")
        return Descent(ground.cut, tuple(made), holds)

    def _best(self, found: Candidates, ground: Ground, never: NDArray[np.bool_]) -> Specialized | None:
        """Return the valid candidate with the largest score, of equal ones the first.

        `never`, by a candidate's first node, are those that can't be valid any more: further down there are more
        classes, and smaller ones.
        """
        scores = scored(self.score, found.steps)
        first = found.nodes[found.starts]
        never[first[found.steps.after < self.rules.k]] = True
        order = [i for i in np.argsort(-scores, kind="stable").tolist() if not never[first[i]]]
        for start in range(0, len(order), ground.batch):
            some = order[start : start + ground.batch]
            steps = [Specialized(int(found.attributes[i]), found.of(i), float(scores[i])) for i in some]
            for i, step, good in zip(some, steps, self._hold(ground, steps), strict=True):
                if good:
                    return step
                never[first[i]] = self.rules.monotone
        return None

    def _hold(self, ground: Ground, steps: list[Specialized]) -> list[bool]:
        if not self.rules.others:
            return [True] * len(steps)
        return ground.hold(self.rules, [self._lower(ground.cut, step) for step in steps])

    def _lower(self, cut: Cut, step: Specialized) -> Cut:
        a = step.attribute
        lower = cut[a] - np.isin(self.forest.nodes(a, cut[a]), step.nodes).astype(np.int32)
        return (*cut[:a], lower, *cut[a + 1 :])
