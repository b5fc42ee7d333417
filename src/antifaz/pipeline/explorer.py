"""The explorer: what a k, a share of records left out, or levels chosen by hand would cost, answered from the counts.

The rows are counted once. From then on every answer is a search in one lattice, whose nodes stay counted, so that it
can follow a slider.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from antifaz.core.arrays import Flags, Ints
from antifaz.core.errors import ParameterError, hint
from antifaz.core.progress import Progress
from antifaz.counting.generalization import Generalization
from antifaz.counting.lattice import Lattice
from antifaz.counting.rollup import Levels
from antifaz.engines.engine import Data
from antifaz.hierarchies.level_words import level_words
from antifaz.methods.method import Task, nearest
from antifaz.methods.recoding.full_domain import FullDomain
from antifaz.methods.recoding.search import passing_classes
from antifaz.pipeline.candidates import smallest_class
from antifaz.pipeline.plan import Plan
from antifaz.pipeline.prepare import make_task
from antifaz.privacy.model import PrivacyModel, in_order, largest_class_size
from antifaz.proposals.frontier import models_with_k
from antifaz.utility import Loss
from antifaz.utility.quality import Score

#: How long one search may take, in seconds: whoever moves a slider waits for it.
SECONDS = 1.0
#: How many distinct tuples are shown before and after.
SHOWN = 40


@dataclass(frozen=True, eq=False)
class _Seen:
    """A node as it was judged: which classes are kept, and whether it may be released."""

    table: Generalization
    holds: bool
    score: Score


class Explorer:
    """Counts a table once, and says from then on what every choice would cost; no row is read again."""

    def __init__(self, plan: Plan, data: Data, progress: Progress | None = None) -> None:
        """Take a plan and its data; nothing is counted yet."""
        if plan.hardening.hardened:
            raise ParameterError("explorer.hardened")
        if plan.leave_out != "rows":
            raise ParameterError("explorer.leaves-out-people")
        if not plan.method.chooses_levels:
            plan = plan.with_method(plan.method.level_search())
        if not isinstance(plan.method, FullDomain):
            raise ParameterError("plan.candidates-need-full-domain", method=plan.method.name)
        self._method: FullDomain = plan.method
        with data.snapshot():
            self._task: Task = make_task(plan, data, progress)
        self._lattice = Lattice(self._task.frequencies, self._task.ladders)
        self._shown = _drawn(self._task.frequencies.counts)

    @property
    def columns(self) -> tuple[str, ...]:
        """The quasi-identifiers."""
        return self._task.frequencies.columns

    def describe(self) -> dict[str, Any]:
        """Return what does not change: the columns with their levels in words, and what the project asks for now."""
        return {
            "rows": self._lattice.rows,
            "tuples": int(self._task.frequencies.counts.size),
            "size": self._lattice.size,
            "columns": {
                ladder.column: [
                    {"words": level_words(labels, level), "labels": len(labels)}
                    for level, labels in enumerate(ladder.labels)
                ]
                for ladder in self._lattice.ladders
            },
            "quality": self._method.quality,
            "weighted": self._method.measure().per_attribute,
            "asked": {
                "k": largest_class_size(self._task.models, default=2),
                "suppression": self._method.suppression,
                "levels": dict(self._method.levels),
                "weights": dict(self._method.weights),
            },
            "models": [
                str(model.parameters().get("model", model.name))
                for model in models_with_k(self._task.models, 2)
                if model.class_size is None
            ],
            "before": [self._values(a) for a in range(len(self.columns))],
            "counts": self._task.frequencies.counts[self._shown].tolist(),
        }

    def evaluate(
        self,
        k: int,
        suppression: float = 0.0,
        levels: Mapping[str, int] | None = None,
        weights: Mapping[str, float] | None = None,
    ) -> dict[str, Any]:
        """Return the best generalization for this k and share, or that of the levels, with what each column costs.

        Beside it stand, column by column, what every other level would do if only that one were changed.
        """
        models = models_with_k(self._task.models, k)
        method = self._asked(suppression, weights)
        search = method.search(replace(self._task, models=models), seconds=SECONDS, lattice=self._lattice)
        wanted = None if levels is None else self._levels(levels)
        best = None
        if wanted is None:
            best = search.find_best()
            if best is None:
                reached = nearest(self._lattice, models, search.allowed, search.high)
                wanted = search.high
        at = best.levels if best is not None else (wanted or search.high)
        seen = self._judge(at, models, search.allowed, method)
        smallest = smallest_class(self._lattice, at, seen.table.sizes, seen.table.kept) if seen.table.sizes.size else 0
        sizes = seen.table.sizes
        return {
            "k": k, "suppression": suppression, "levels": dict(zip(self.columns, at, strict=True)),
            "holds": seen.holds, "chosen": "hand" if levels is not None else "best",
            "problem": reached if levels is None and best is None else None,
            # Nearer to the optimum than this it could not be shown in time; 0 where it is the optimum.
            "gap": search.gap if best is not None else 0.0,
            "suppressed": seen.table.suppressed, "allowed": search.allowed, "rows": self._lattice.rows,
            "smallest": smallest, "classes": int(sizes.size), "average": float(sizes.mean()) if sizes.size else 0.0,
            "risk": 1 / smallest if smallest else None, "score": seen.score, "loss": _loss(seen.table),
            "columns": self._moves(at, seen, models, search.allowed, method),
            **self._after(at, seen.table.kept),
        }  # fmt: skip

    def _asked(self, suppression: float, weights: Mapping[str, float] | None) -> FullDomain:
        given = self._method.parameters() | {"suppression": suppression, "levels": {}}
        if weights is not None:
            given["weights"] = dict(weights)
        return FullDomain(**given)

    def _levels(self, levels: Mapping[str, int]) -> Levels:
        for column in levels:
            if column not in self.columns:
                raise ParameterError("explorer.no-such-column", column=column, hint=hint(column, self.columns))
        heights = dict(zip(self.columns, self._lattice.heights, strict=True))
        return tuple(min(max(int(levels.get(column, 0)), 0), heights[column]) for column in self.columns)

    def _judge(self, levels: Levels, models: Sequence[PrivacyModel], allowed: int, method: FullDomain) -> _Seen:
        """Leave out whoever fails, however many they are, and say whether so many may be."""
        kept: Flags | None = None
        for most in (allowed, self._lattice.rows):
            if kept is None:
                kept = passing_classes(self._lattice, levels, in_order(models), most)
        if kept is None:
            kept = np.zeros(self._lattice.sizes(levels).size, np.bool_)
        table = Generalization(self._lattice, levels, kept)
        return _Seen(table, bool(kept.any()) and table.suppressed <= allowed, method.measure().score(table))

    def _moves(
        self, levels: Levels, seen: _Seen, models: Sequence[PrivacyModel], allowed: int, method: FullDomain
    ) -> dict[str, Any]:
        """Return per column what it has lost, and what each of its levels would do while the others stay.

        `seen` is how the levels themselves were judged.
        """
        lost = Loss().losses(seen.table)
        moves = {}
        for a, column in enumerate(self.columns):
            ways = []
            for level in range(self._lattice.heights[a] + 1):
                there = (*levels[:a], level, *levels[a + 1 :])
                own = seen if there == levels else self._judge(there, models, allowed, method)
                ways.append({"holds": own.holds, "suppressed": own.table.suppressed, "loss": _loss(own.table)})
            moves[column] = {"loss": lost[a], "levels": ways}
        return moves

    # -- the same people before and after

    def _values(self, a: int, level: int = 0) -> list[str | None]:
        """Return what the shown tuples have in a column at a level."""
        ladder, codes = self._lattice.ladders[a], self._task.frequencies.codes[a][self._shown]
        return [ladder.labels[level][place] for place in ladder.up[level][codes].tolist()]

    def _after(self, levels: Levels, kept: Flags) -> dict[str, Any]:
        """Return what the shown tuples become, and among how many records each then is; None where it is left out."""
        owners = self._lattice.owners(levels)[self._shown]
        sizes = self._lattice.sizes(levels)[owners].tolist()
        return {
            "after": [self._values(a, level) for a, level in enumerate(levels)],
            "among": [size if there else None for size, there in zip(sizes, kept[owners].tolist(), strict=True)],
        }


def _drawn(counts: Ints) -> Ints:
    """Return which tuples are shown: drawn by their counts, the same ones each time, so that one can follow them."""
    if counts.size <= SHOWN:
        return np.arange(counts.size)
    return np.random.default_rng(0).choice(counts.size, SHOWN, replace=False, p=counts / counts.sum())


def _loss(table: Generalization) -> float:
    score = Loss().score(table)
    return score if isinstance(score, float) else score[0]
