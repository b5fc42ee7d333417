"""Searching one box of a lattice exactly: a few attributes' levels are free, the others' fixed or left out of account.

The facts are those of `search.py`: bounds, models that only get easier further up, and bisection of ways up. A box has
few enough nodes to hold a state and a bound of each.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from antifaz.core.arrays import Floats, Ints
from antifaz.counting.rollup import Levels
from antifaz.utility.quality import Score

#: Scores of one and the same node may differ in the last bits.
SLACK = 1e-12


@dataclass(frozen=True)
class NodeResult:
    """What a look at a node found: whether it and all below it are out, and its score where it may be released."""

    excluded: bool
    score: Score | None = None
    #: No node above it scores lower than this.
    floor: float = -np.inf


def leading(score: Score) -> float:
    """Return the number by which scores are compared first."""
    return score if isinstance(score, float) else score[0]


class Box:
    """The nodes between two corners that differ in the free attributes only, with a state and a bound of each."""

    def __init__(self, low: Levels, high: Levels, free: Sequence[int], bounds: Floats) -> None:
        """Take the bounds of the nodes as a flat array, the last free attribute's level changing fastest."""
        self.low, self.high, self.free = low, high, tuple(free)
        shape = [high[a] - low[a] + 1 for a in self.free]
        self._strides = np.array([int(np.prod(shape[f + 1 :])) for f in range(len(shape))], np.int64)
        places = np.arange(bounds.size)
        digits = [(places // stride) % size for stride, size in zip(self._strides, shape, strict=True)]
        self._digits = np.ascontiguousarray(np.array(digits, np.uint8).reshape(len(shape), bounds.size).T)
        self._highest = np.array(shape, np.uint8) - np.uint8(1)
        self.bounds = bounds
        #: Nodes with higher bounds are passed over; whoever looks may lower it.
        self.limit = np.inf
        self.state = np.zeros(bounds.size, np.uint8)

    def levels(self, place: int) -> Levels:
        """Return the levels of a node."""
        levels = list(self.low)
        for a, digit in zip(self.free, self._digits[place].tolist(), strict=True):
            levels[a] += digit
        return tuple(levels)

    def exclude(self, levels: NDArray[np.int16]) -> None:
        """Exclude what lies at or below any of some nodes, one per row, where too many records are known to fail."""
        from antifaz.kernels.level_search import settle_below

        fixed = [a for a in range(len(self.low)) if a not in self.free]
        low = np.array(self.low, levels.dtype)
        over = levels[(levels[:, fixed] >= low[fixed]).all(axis=1)][:, list(self.free)] - low[list(self.free)]
        for node in over[(over >= 0).all(axis=1)]:
            settle_below(self.state, self._digits, np.minimum(node, self._highest).astype(np.uint8))

    def best_first(self, look: Callable[[Levels], NodeResult], alone: bool) -> Iterator[None]:
        """Look at every node that may score at most the limit, yielding after each look.

        With `alone`, a node that may be released makes looking above it superfluous.
        """
        order = np.argsort(self.bounds, kind="stable")
        first = self.bounds[order]
        yield from self._bisect(order, first, look, alone)
        for place in self._open(order, first):
            self._look(place, look, alone)
            yield

    def _open(self, order: Ints, first: Floats, unknown_only: bool = False) -> Iterator[int]:
        """Yield the nodes that are not settled yet, by what their bounds were at first."""
        from antifaz.kernels.level_search import IN, UNKNOWN

        state, bounds = memoryview(self.state), memoryview(self.bounds)  # type: ignore[arg-type]
        for place, bound in zip(order.tolist(), first.tolist(), strict=True):
            if bound > self.limit:
                return
            now = state[place]
            if (now == UNKNOWN or (now == IN and not unknown_only)) and bounds[place] <= self.limit:
                yield place

    def _bisect(self, order: Ints, first: Floats, look: Callable[[Levels], NodeResult], alone: bool) -> Iterator[None]:
        from antifaz.kernels.level_search import OUT, UNKNOWN, chain_up

        way = np.empty(int(self._highest.sum()) + 1, np.int64)
        for start in self._open(order, first, unknown_only=True):
            length = chain_up(
                self.state, self.bounds, self._digits, self._strides, self._highest, start, self.limit, way
            )
            low, high = 0, length - 1
            while low <= high:
                middle = (low + high) // 2
                place = int(way[middle])
                if self.state[place] == UNKNOWN:
                    self._look(place, look, alone)
                    yield
                if self.state[place] == OUT:
                    low = middle + 1
                else:
                    high = middle - 1

    def _look(self, place: int, look: Callable[[Levels], NodeResult], alone: bool) -> None:
        from antifaz.kernels.level_search import DONE, IN, settle_above, settle_below

        found = look(self.levels(place))
        node = self._digits[place]
        if found.excluded:
            settle_below(self.state, self._digits, node)
            return
        settled = alone and found.score is not None
        settle_above(self.state, self.bounds, self._digits, node, DONE if settled else IN, found.floor)
        self.state[place] = DONE
