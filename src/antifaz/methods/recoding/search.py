"""Searching the lattice for the proven optimum, or for everything that satisfies the models.

Three facts do the pruning. (1) Bounds: a node's score with nobody left out is the least it can have, and it never falls
when a level rises, so nothing above a node whose bound exceeds the best score needs a look. (2) For models under which
generalizing never makes more records fail, a node that fails excludes all below it, and one that holds vouches for all
above it. (3) Chains: the lowest node that holds on a way up is found by bisection, and each look settles whole corners
of the lattice by (2). What remains is looked at in the order of its bounds. (4) Where (2) holds, a record that fails at
a node fails at all below it, and is left out there: so a look also raises the bounds of all below.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from time import monotonic
from typing import Any, ClassVar

import numpy as np

from antifaz.core.arrays import Flags, Floats, Ints
from antifaz.core.messages import Message
from antifaz.core.progress import Progress
from antifaz.counting.generalization import Generalization
from antifaz.counting.lattice import Lattice
from antifaz.counting.rollup import Levels
from antifaz.methods.method import Task
from antifaz.methods.recoding.left_out_bounds import LeftOutBounds, left_out_bounds
from antifaz.privacy.model import PrivacyModel, in_order
from antifaz.privacy.people import people_staying
from antifaz.utility.quality import Quality, Score, outer

UNKNOWN, OUT, IN, DONE = 0, 1, 2, 3
#: How many nodes are sifted at once.
_BLOCK = 1024
#: Bounds and scores of one and the same node may differ in the last bits.
SLACK = 1e-12
#: How far a guess of where the models start to hold moves to where they did.
_LEARNING = 0.1


@dataclass(frozen=True, eq=False)
class Solution:
    """A node that satisfies the models: which of its classes are kept, and its score (less is better)."""

    levels: Levels
    kept: Flags
    table: Generalization
    score: Score

    @property
    def order(self) -> tuple[Score, int, Levels]:
        """Best first: by score, then the lowest sum of levels, then the levels: ties break the same way always."""
        return rounded(self.score), sum(self.levels), self.levels


class LatticeSearch:
    """One search of one lattice."""

    goes_through_all: ClassVar[bool] = True

    def __init__(
        self,
        lattice: Lattice,
        models: tuple[PrivacyModel, ...],
        quality: Quality,
        allowed: int,
        progress: Progress | None = None,
        *,
        within: tuple[Levels, Levels] | None = None,
        seconds: float | None = None,
        checks: int | None = None,
    ) -> None:
        """`allowed` is the number of records that may be left out; `within` the lowest and the highest levels."""
        self.lattice, self.models, self.quality, self.allowed = lattice, models, quality, allowed
        self.best: Solution | None = None
        self._progress = progress or Progress()
        self._bounds = quality.bounds(lattice, allowed)
        self._state = np.full(self._bounds.shape, OUT, np.uint8)
        self.low, self.high = within or (lattice.bottom, lattice.heights)
        self._state[tuple(slice(a, b + 1) for a, b in zip(self.low, self.high, strict=True))] = UNKNOWN
        self._deadline = None if seconds is None else monotonic() + seconds
        self._checks = checks
        self.timed_out = False
        self._looked: set[Levels] = set()
        #: Models for which fact (2) holds; with nobody left out more of them do. Cheap ones first.
        self._tagging, self._rest = by_monotony(lattice, models, allowed)
        #: Uses fact (4); None where it does not hold, or the quality does not say what leaving out costs.
        self._left_out: LeftOutBounds | None = None

    def find_best(self) -> Solution | None:
        """Return the proven optimum, or None where nothing satisfies the models."""
        if self._tagging and self.allowed and self.lattice.people_out is None:
            self._left_out = left_out_bounds(self.lattice, self.quality, self.allowed)
        if self._tagging:
            self._bisect(only_better=True)
        if self._left_out is not None:
            self._bisect(only_better=True, settled=(OUT, DONE))
        for levels in self._by_bound(only_better=True):
            self._look(levels)
        return self.best

    @property
    def checked(self) -> int:
        """How many nodes were counted."""
        return len(self._looked)

    @property
    def gap(self) -> float:
        """How much lower than the best score found the optimum may be; 0 when the optimum is proven."""
        if not self.timed_out or self.best is None:
            return 0.0
        left = self._bounds[(self._state == UNKNOWN) | (self._state == IN)]
        best = self.best.score if isinstance(self.best.score, float) else self.best.score[0]
        return max(0.0, best - float(left.min())) if left.size else 0.0

    def find_all(self) -> list[Solution]:
        """Return every node that satisfies the models, best first."""
        if self._tagging:
            self._bisect(only_better=False)
        found = (self._look(levels) for levels in self._by_bound(only_better=False, again=True))
        return sorted((solution for solution in found if solution is not None), key=lambda solution: solution.order)

    # -- looking at one node -------------------------------------------------------------------------------------

    def _look(self, levels: Levels) -> Solution | None:
        """Count a node, settle what follows for others, and return it if it satisfies the models."""
        self._looked.add(levels)
        if self.checked % 64 == 0:
            self._progress.tell(None, Message("progress.generalizations", checked=self.checked))
        kept = passing_classes(self.lattice, levels, self._tagging, self.allowed)
        if kept is None:
            self._state[tuple(slice(level + 1) for level in levels)] = OUT
            return None
        if self._tagging:
            above = self._state[tuple(slice(level, None) for level in levels)]
            above[above == UNKNOWN] = IN
        self._state[levels] = DONE
        self._raise_bounds(levels, kept)
        if self._left_out is not None and self._bounds[levels] > self._limit:
            return None
        if self._rest:
            kept = passing_classes(self.lattice, levels, self._rest, self.allowed, kept)
        if kept is None or not kept.any():
            return None
        table = generalized(self.lattice, levels, kept)
        solution = Solution(levels, kept, table, self.quality.score(table))
        if self.best is None or solution.order < self.best.order:
            self.best = solution
        if self.quality.monotone and not self.allowed and not self._rest:
            # Nobody is left out, so all above lose at least as much.
            above = self._state[tuple(slice(level, None) for level in levels)]
            above[above != OUT] = DONE
        return solution

    def _raise_bounds(self, levels: Levels, kept: Flags) -> None:
        """Raise the bounds above a node, and below it, by what was counted there."""
        # A class of which some people are left out may score less than the whole class.
        floor = None if self.lattice.people_out else self.quality.floor(self.lattice, levels, self.allowed)
        if floor is not None:
            bounds = self._bounds[tuple(slice(level, None) for level in levels)]
            np.maximum(bounds, floor, out=bounds)
        if self._left_out is not None and self.best is not None:
            self._left_out.raise_below(self._bounds, levels, kept, self._limit)

    # -- going through the lattice -------------------------------------------------------------------------------

    @property
    def _limit(self) -> float:
        """The bound above which a node can't be better than the best one found."""
        if self.best is None:
            return np.inf
        best = self.best.score if isinstance(self.best.score, float) else self.best.score[0]
        return best + SLACK * max(1.0, abs(best))

    def _by_bound(self, *, only_better: bool, again: bool = False) -> Iterator[Levels]:
        """Yield the nodes not settled yet, by what their bounds were at first."""
        bounds, state = self._bounds.reshape(-1), self._state.reshape(-1)
        order, first = self._order
        closed = np.array([False, True, False, not again])
        at = 0
        while at < order.size and not (only_better and first[at] > self._limit):
            # Settled nodes are passed over by the block: at Python's own pace they would take most of the time.
            block = order[at : at + _BLOCK]
            open_ = ~closed[state[block]]
            if only_better:
                open_ &= bounds[block] <= self._limit
            hit = int(open_.argmax())
            if not open_[hit]:
                at += _BLOCK
                continue
            if self._over_budget():
                self.timed_out = True
                return
            yield self._levels(int(block[hit]))
            at += hit + 1

    def _over_budget(self) -> bool:
        late = self._deadline is not None and monotonic() > self._deadline
        return late or (self._checks is not None and self.checked >= self._checks)

    def _levels(self, position: int) -> Levels:
        """The levels of a node by its place in the flat views."""
        levels = []
        for stride in self._flat[2]:
            level, position = divmod(position, stride)
            levels.append(level)
        return tuple(levels)

    @cached_property
    def _order(self) -> tuple[Ints, Floats]:
        """All nodes by bound, and their bounds in that order; of equal ones the lexicographically least comes first."""
        bounds = self._bounds.reshape(-1)
        order = np.argsort(bounds, kind="stable")
        return order, bounds[order]

    def _bisect(self, *, only_better: bool, settled: tuple[int, ...] = (OUT, IN, DONE)) -> None:
        """Find, way up by way up, where the models start to hold, or above what all is worse than the best.

        That is where about as many combinations of labels are left as on the ways before: it is looked for there first.
        """
        guess: float | None = None
        for start in self._by_bound(only_better=only_better):
            if self._state[start] in settled:
                continue
            chain = self._chain(start, settled)
            left = [float(self._combinations[levels]) for levels in chain]
            low, high = 0, len(chain)
            while low < high:
                near = (low + high) // 2 if guess is None else low + _nearest(left[low:high], guess)
                if self._state[chain[near]] not in settled:
                    self._look(chain[near])
                if self._goes_up(chain[low : near + 1], settled):
                    low = near + 1
                else:
                    high = near
            edge = (left[max(low - 1, 0)] + left[min(low, len(chain) - 1)]) / 2
            guess = edge if guess is None else guess + _LEARNING * (edge - guess)

    def _goes_up(self, way: list[Levels], settled: tuple[int, ...]) -> bool:
        """Whether nothing on a way is worth a look any more, its last node having been looked at."""
        if IN in settled:
            return bool(self._state[way[-1]] == OUT)
        return all(self._state[levels] in settled or self._bounds[levels] > self._limit for levels in way)

    @cached_property
    def _combinations(self) -> Floats:
        """How many combinations of labels each node has room for, as a logarithm."""
        sizes = [np.log([len(labels) or 1 for labels in ladder.labels]) for ladder in self.lattice.ladders]
        return outer(np.add, sizes).reshape(self._bounds.shape)

    def _chain(self, levels: Levels, settled: tuple[int, ...]) -> list[Levels]:
        """A way up from a node through nodes that are not settled, along the least bounds."""
        state, bounds, strides = self._flat
        at = sum(level * stride for level, stride in zip(levels, strides, strict=True))
        now, chain = list(levels), [levels]
        while True:
            best, least = -1, np.inf
            for a, stride in enumerate(strides):
                if now[a] < self.high[a] and state[at + stride] not in settled and bounds[at + stride] < least:
                    best, least = a, bounds[at + stride]
            if best < 0:
                return chain
            now[best] += 1
            at += strides[best]
            chain.append(tuple(now))

    @cached_property
    def _flat(self) -> tuple[Any, Any, list[int]]:
        """State and bounds as flat views, which Python reads faster than arrays, and the step of each attribute."""
        strides = [step // self._state.itemsize for step in self._state.strides]
        state: Any = self._state.reshape(-1)
        bounds: Any = self._bounds.reshape(-1)
        return memoryview(state), memoryview(bounds), strides


def _nearest(numbers: list[float], wanted: float) -> int:
    return min(range(len(numbers)), key=lambda n: abs(numbers[n] - wanted))


def rounded(score: Score) -> Score:
    """Return a score without its last bits, in which sums of equal parts may differ: ties must be ties."""
    return float(f"{score:.12g}") if isinstance(score, float) else tuple(float(f"{part:.12g}") for part in score)


def by_monotony(
    lattice: Lattice, models: Sequence[PrivacyModel], allowed: int
) -> tuple[list[PrivacyModel], list[PrivacyModel]]:
    """Return the models under which generalizing never makes more records fail, and the others; cheap ones first.

    Whoever may stay, with all rows, still may when classes merge, whatever rows are known: the people stay the same.
    """
    whole = not allowed or lattice.people_out is not None
    monotone = [m for m in models if (m.monotone_generalization if whole else m.monotone_suppression)]
    return in_order(monotone), in_order(m for m in models if m not in monotone)


def generalized(lattice: Lattice, levels: Levels, kept: Flags) -> Generalization:
    """Return what is released at a node where some classes are kept, or some people."""
    if lattice.people_out is None:
        return Generalization(lattice, levels, kept)
    own = lattice.without_people(~kept)
    return Generalization(own, levels, np.ones(own.sizes(levels).size, np.bool_))


def lattice_of(task: Task, suppression: float, lattice: Lattice | None = None) -> tuple[Lattice, int]:
    """Return the lattice of a task, and how many records may be left out: a share of the records or of the people."""
    lattice, people = lattice or Lattice(task.frequencies, task.ladders), task.frequencies.people
    # A share such as 0.07 of 100 must give 7, whatever its binary form says.
    if task.leave_out == "rows" or people is None:
        return lattice, int(suppression * lattice.rows + 1e-9)
    lattice.people_out = int(suppression * people.number + 1e-9) or None
    return lattice, people.most_rows(lattice.people_out or 0)


def passing_classes(
    lattice: Lattice, levels: Levels, models: Sequence[PrivacyModel], allowed: int, kept: Flags | None = None
) -> Flags | None:
    """Return the classes (of those kept so far) that satisfy the models, or None once more than `allowed` records fail.

    Models are judged in the given order; see `privacy.model.in_order`. Where people are left out with all their rows,
    it is said of each person.
    """
    if lattice.people_out is not None:
        names = sorted({name for model in models for name in model.sensitive()})
        table = lattice.class_table(levels, names, values=any(model.any_columns is not None for model in models))
        return people_staying(table, models, lattice.people_out, kept)
    k = 1 if kept is not None else max([model.least for model in models], default=1)
    if k > 1 and lattice.too_many_fail(levels, k, allowed):
        return None
    sizes = lattice.sizes(levels)
    if k > 1:
        # Who is in too small a class fails, whatever else is asked; often nothing else is.
        few = sizes < k
        if int(sizes[few].sum()) > allowed:
            return None
        if all(model.class_size is not None for model in models):
            return ~few
    for model in models:
        compares = model.any_columns is not None
        table = lattice.class_table(levels, model.sensitive(), values=compares)
        if kept is None and not (model.whole_table or compares or model.by_people):
            kept = model.passes(table)
        else:
            kept = model.keep_within(table, np.ones(sizes.size, np.bool_) if kept is None else kept, allowed)
        if not kept.all() and (not allowed or int(sizes[~kept].sum()) > allowed):
            return None
    return np.ones(sizes.size, np.bool_) if kept is None else kept
