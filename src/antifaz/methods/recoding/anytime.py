"""Searching a lattice that is too large to hold: an answer soon, a better one until the budget ends, and the gap.

Nothing is held of nodes that were not met. Two walkers search from different sides; a third part raises a proven bound.
They take turns of a fixed number of looks and then tell each other what they found, so that a seed and a number of
looks repeat a search exactly, on any number of processors.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from time import monotonic
from typing import ClassVar

import numpy as np

from antifaz.core.errors import ParameterError
from antifaz.core.machine import available_memory
from antifaz.core.messages import Message
from antifaz.core.progress import Progress
from antifaz.counting.boxes import box_memory
from antifaz.counting.lattice import Lattice
from antifaz.counting.rollup import Levels
from antifaz.methods.recoding.box_search import SLACK, leading
from antifaz.methods.recoding.local_search import Walker
from antifaz.methods.recoding.node_checks import NodeChecks, ScoredNode
from antifaz.methods.recoding.search import Solution, generalized, passing_classes
from antifaz.methods.recoding.subset_bounds import SubsetBounds
from antifaz.privacy.model import PrivacyModel, in_order
from antifaz.utility.quality import Quality

#: Without a budget: the longest search, and how many looks end it, with three times those until the best node.
SECONDS, PATIENCE = 30.0, 10_000
_WALKERS = 2
#: Every so many turns the bound gets the turn of the last walker.
_BOUND_TURN = 4
#: In a turn about so many tuples are counted: a fraction of a second, so that a cancelled search ends soon.
_TURN = 4_000_000
#: How many of the best nodes are told as candidates.
CANDIDATES = 200


@dataclass(frozen=True)
class Budget:
    """How long to search: seconds, looks at nodes, or both; without either, until nothing better turns up."""

    seconds: float | None = None
    checks: int | None = None

    @property
    def open(self) -> bool:
        """Whether nothing was said."""
        return self.seconds is None and self.checks is None


class AnytimeSearch:
    """One search of one lattice, with the same answers as a `LatticeSearch`."""

    goes_through_all: ClassVar[bool] = False

    def __init__(
        self,
        lattice: Lattice,
        models: tuple[PrivacyModel, ...],
        quality: Quality,
        allowed: int,
        progress: Progress | None = None,
        *,
        within: tuple[Levels, Levels] | None = None,
        budget: Budget | None = None,
        seed: int = 0,
    ) -> None:
        """`allowed` is the number of records that may be left out; `within` the lowest and the highest levels."""
        self.lattice, self.models, self.quality, self.allowed = lattice, models, quality, allowed
        self.low, self.high = within or (lattice.bottom, lattice.heights)
        self.best: Solution | None = None
        self.timed_out = False
        self.bound = -np.inf
        self._progress = progress or Progress()
        self._budget = budget or Budget()
        self._seed = seed
        self._counted = 0
        self._found: list[ScoredNode] = []

    # -- what it says --------------------------------------------------------------------------------------------

    @property
    def checked(self) -> int:
        """How many nodes were counted, those of blocks included."""
        return self._counted

    @property
    def gap(self) -> float:
        """How much lower than the best score found the optimum may be; 0 when the optimum is proven."""
        if not self.timed_out or self.best is None:
            return 0.0
        return max(0.0, leading(self.best.score) - self.bound)

    def find_best(self) -> Solution | None:
        """Return the best node found, or None where none was."""
        self._search()
        self.best = next(self._solutions(), None)
        return self.best

    def find_all(self) -> list[Solution]:
        """Return the best of the nodes that were found to satisfy the models, best first."""
        self._search()
        solutions = [solution for solution, _ in zip(self._solutions(), range(CANDIDATES), strict=False)]
        self.best = solutions[0] if solutions else None
        return solutions

    def _solutions(self) -> Iterator[Solution]:
        """Count the nodes that were found again, in the ordinary way, best first."""
        for node in self._found:
            kept = passing_classes(self.lattice, node.levels, in_order(self.models), self.allowed)
            if kept is not None and kept.any():
                table = generalized(self.lattice, node.levels, kept)
                yield Solution(node.levels, kept, table, self.quality.score(table))

    # -- searching -----------------------------------------------------------------------------------------------

    def _search(self) -> None:
        if not self.lattice.rows:
            return
        self._estimate()
        checks = NodeChecks(self.lattice, self.models, self.quality, self.allowed, (self.low, self.high))
        seeds = np.random.SeedSequence(self._seed).spawn(_WALKERS + 1)
        walkers = [Walker(checks, np.random.default_rng(seed)) for seed in seeds[:_WALKERS]]
        bounds = SubsetBounds(checks, np.random.default_rng(seeds[-1]))
        with ThreadPoolExecutor(_WALKERS) as pool:
            self._take_turns(walkers, bounds, pool)
        met = {node.levels: node for walker in walkers for node in walker.found.values()}
        self._found = sorted(met.values(), key=lambda node: node.order)
        self.bound = bounds.bound

    def _estimate(self) -> None:
        """Say how long it may take and what memory; refuse what does not fit, before any of it is taken."""
        needed = box_memory(self.lattice.frequencies.counts.size, len(self.high), _WALKERS + 1)
        free = available_memory()
        if free and needed > free:
            raise ParameterError("method.search-needs-memory", needed=needed / 1e9, free=free / 1e9)
        estimate = {"size": self.lattice.size, "megabytes": needed / 1e6}
        if self._seconds is None:
            self._progress.tell(None, Message("progress.search-by-checks", checks=self._budget.checks, **estimate))
        else:
            self._progress.tell(None, Message("progress.search-by-seconds", seconds=self._seconds, **estimate))

    @property
    def _seconds(self) -> float | None:
        """The longest that the search may take."""
        return SECONDS if self._budget.open else self._budget.seconds

    def _take_turns(self, walkers: list[Walker], bounds: SubsetBounds, pool: ThreadPoolExecutor) -> None:
        checks = walkers[0].checks
        looks = max(8, min(400, _TURN // max(1, checks.table.tuples) // (1 if checks.sizes_only else 4)))
        ways, proof = [walker.steps() for walker in walkers], bounds.steps()
        began, last, best, turn = monotonic(), 0, None, 0
        deadline = None if self._seconds is None else began + self._seconds
        while True:
            turn += 1
            ways_now = [*ways[:-1], proof] if turn % _BOUND_TURN == 0 else ways
            list(pool.map(lambda way: _advance(way, looks, deadline if turn > 1 else None), ways_now))  # noqa: B023
            self._counted = sum(walker.counted for walker in walkers) + bounds.counted
            met = [walker.best for walker in walkers if walker.best is not None]
            better = min(met, key=lambda node: node.order, default=None)
            if better is not None and (best is None or better.order < best.order):
                best, last = better, self._counted
                for walker in walkers:
                    walker.take(better)
            self._tell(monotonic() - began, best)
            if any(walker.exhausted for walker in walkers) or _proven(best, bounds.bound):
                return
            if self._ends(deadline, last):
                self.timed_out = True
                return

    def _ends(self, deadline: float | None, last: int) -> bool:
        """Whether the budget is used up; `last` is when a better node was found, in looks."""
        if deadline is not None and monotonic() > deadline:
            return True
        checks = PATIENCE + 3 * last if self._budget.open else self._budget.checks
        return checks is not None and self._counted >= checks

    def _tell(self, seconds: float, best: ScoredNode | None) -> None:
        budget = self._budget
        shares = [seconds / self._seconds] if self._seconds else []
        shares += [self._counted / budget.checks] if budget.checks else []
        if best is None:
            message = Message("progress.generalizations", checked=self._counted)
        else:
            message = Message("progress.best-so-far", checked=self._counted, score=leading(best.score))
        self._progress.tell(min(1.0, max(shares)), message)


def _advance(way: Iterator[None], looks: int, deadline: float | None) -> None:
    """Take a turn."""
    for _ in range(looks):
        if next(way, way) is way or (deadline is not None and monotonic() > deadline):
            return


def _proven(best: ScoredNode | None, bound: float) -> bool:
    """Whether nothing can be better, ties apart."""
    return best is not None and leading(best.score) <= bound + SLACK * max(1.0, abs(bound))
