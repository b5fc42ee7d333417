"""Local search in a lattice: boxes around the present node are searched exactly; where none is better, it moves away.

Every step is one look at a node. All randomness is the walker's own, so equal seeds take equal steps.
"""

from collections.abc import Generator, Iterator

import numpy as np

from antifaz.core.arrays import Floats, Ints
from antifaz.counting.boxes import BoxCounter, Workspace
from antifaz.counting.rollup import Levels
from antifaz.methods.recoding.box_search import SLACK, Box, NodeResult, leading
from antifaz.methods.recoding.node_checks import NodeChecks, ScoredNode

#: How many nodes that fail, looks, and nodes that may be released a walker remembers.
_FAILED, _LOOKS, _FOUND = 1024, 50_000, 2_000
#: How many nodes the boxes have at first, and by how much they grow where small ones bring nothing.
_BOX, _GROWTH = 64, 4
#: The largest box at first, and at all.
_LARGE_BOX, LARGEST_BOX = 1024, 65_536


class Walker:
    """One local search."""

    def __init__(self, checks: NodeChecks, random: np.random.Generator) -> None:
        """Take what is asked of nodes; nothing is looked at yet."""
        self.checks, self._random = checks, random
        self._space = Workspace(checks.table)
        self.best: ScoredNode | None = None
        self._current: ScoredNode | None = None
        #: How many nodes were counted.
        self.counted = 0
        #: Whether every node that may be better was looked at.
        self.exhausted = False
        self.found: dict[Levels, ScoredNode] = {}
        self._known: dict[Levels, NodeResult] = {}
        self._failed = np.full((_FAILED, len(checks.low)), -1, np.int16)
        self._failures, self._oldest = 0, -1
        self._largest = _LARGE_BOX
        self._steepness = _steepness(checks)

    def steps(self) -> Iterator[None]:
        """Go on for ever, or until no better node can exist, yielding after each look."""
        yield from self._climb(self.checks.low, noise=0.0)
        while not self.exhausted:
            yield from self._descend()
            if not self.exhausted:
                yield from self._kick()

    def take(self, best: ScoredNode) -> None:
        """Take the best that any walker has found."""
        if self.best is None or best.order < self.best.order:
            self.best = best

    # -- looking -------------------------------------------------------------------------------------------------

    def _look(self, counter: BoxCounter, levels: Levels) -> NodeResult:
        known = self._known.get(levels)
        if known is not None:
            return known
        found = self.checks.look(counter, levels)
        self.counted += 1
        if len(self._known) >= _LOOKS:
            self._known.clear()
        self._known[levels] = found
        if found.excluded:
            self._exclude(levels)
        elif found.score is not None:
            self._note(ScoredNode(levels, found.score))
        return found

    def _exclude(self, levels: Levels) -> None:
        """Remember a node that fails, in the place of one that it covers, or of the oldest."""
        known = self._failed[: self._failures]
        covered = (known <= np.array(levels, np.int16)).all(axis=1)
        at = int(covered.argmax()) if covered.any() else self._failures
        if at == _FAILED:
            at = self._oldest = (self._oldest + 1) % _FAILED
        self._failed[at] = levels
        self._failures = max(self._failures, at + 1)

    def _note(self, node: ScoredNode) -> None:
        if len(self.found) >= _FOUND:
            best = sorted(self.found.values(), key=lambda found: found.order)[: _FOUND // 2]
            self.found = {found.levels: found for found in best}
        self.found[node.levels] = node
        if self.best is None or node.order < self.best.order:
            self.best = node

    # -- moving --------------------------------------------------------------------------------------------------

    def _descend(self) -> Iterator[None]:
        """Search boxes around the present node until several in turn bring nothing, also larger ones."""
        stale, nodes = 0, _BOX
        attributes = len(self.checks.low)
        while True:
            before = self._current
            whole = yield from self._search_box(nodes)
            if whole:
                self.exhausted = True
                return
            if self._current is not before:
                stale, nodes = 0, _BOX
                continue
            stale += 1
            if stale > attributes:
                stale, nodes = 0, nodes * _GROWTH
                if nodes > self._largest:
                    # Larger ones from now on, so that in the end the whole of a small lattice is one.
                    self._largest = min(2 * self._largest, LARGEST_BOX)
                    return

    def _search_box(self, nodes: int) -> Generator[None, None, bool]:
        """Search one box of at most so many nodes; return whether it was the whole lattice."""
        low, high, free = self._choose_box(nodes)
        bounds = self.checks.bounds(low, high)
        box = Box(low, high, free, bounds)
        box.exclude(self._failed[: self._failures])
        counter = BoxCounter(self.checks.table, self._space, low, free)

        def look(levels: Levels) -> NodeResult:
            found = self._look(counter, levels)
            if found.score is not None:
                node = ScoredNode(levels, found.score)
                if self._current is None or node.order < self._current.order:
                    self._current = node
                    box.limit = self._limit()
            return found

        box.limit = self._limit()
        yield from box.best_first(look, self.checks.settles_above)
        # Also where nothing was left to look at: the box itself took time.
        yield
        return low == self.checks.low and high == self.checks.high

    def _limit(self) -> float:
        """The bound above which a node can't be better than the present one."""
        if self._current is None:
            return np.inf
        score = leading(self._current.score)
        return score + SLACK * max(1.0, abs(score))

    def _choose_box(self, nodes: int) -> tuple[Levels, Levels, list[int]]:
        """Choose some attributes at random, and how far their levels may go: near the present ones, or anywhere."""
        start = self._current.levels if self._current is not None else self.checks.high
        low, high = list(start), list(start)
        reach = 1 if self._random.random() < 0.5 else max(self.checks.high)
        size, free = 1, []
        for a in self._random.permutation(len(start)).tolist():
            below, above = max(self.checks.low[a], start[a] - reach), min(self.checks.high[a], start[a] + reach)
            if below == above:
                continue
            if size * (above - below + 1) > nodes:
                break
            size *= above - below + 1
            low[a], high[a] = below, above
            free.append(a)
        return tuple(low), tuple(high), sorted(free)

    def _kick(self) -> Iterator[None]:
        """Move away: lower a few attributes of the best node, and raise others until the models hold again."""
        start = list(self.checks.low)
        if self.best is not None and self._random.random() < 0.8:
            start = list(self.best.levels)
            many = int(self._random.integers(1, 5))
            for a in self._random.permutation(len(start))[:many].tolist():
                start[a] = int(self._random.integers(self.checks.low[a], start[a] + 1))
        yield from self._climb(tuple(start), noise=0.7)

    def _climb(self, start: Levels, noise: float) -> Iterator[None]:
        """Go up from a node, cheap attributes for what they hide first, to where the models hold."""
        way = self._way(start, noise)
        free = [a for a, level in enumerate(start) if level < self.checks.high[a]]
        counter = BoxCounter(self.checks.table, self._space, start, free)
        low, high, self._current = 0, len(way) - 1, None
        while low <= high:
            middle = (low + high) // 2
            found = self._look(counter, way[middle])
            yield
            if found.excluded and way[middle] == self.checks.high:
                # All others lie below it.
                self.exhausted = True
            if found.score is None:
                low = middle + 1
            else:
                self._current = ScoredNode(way[middle], found.score)
                high = middle - 1

    def _way(self, start: Levels, noise: float) -> list[Levels]:
        """Return the nodes on the way, from the start to the highest levels."""
        steps = []
        factors = np.exp(noise * self._random.standard_normal(len(start)))
        for a, level in enumerate(start):
            steep = self._steepness[a][level : self.checks.high[a]] * factors[a]
            steps += [(float(price), a) for price in np.maximum.accumulate(steep)]
        way, levels = [start], list(start)
        for _, a in sorted(steps, key=lambda step: step[0]):
            levels[a] += 1
            way.append(tuple(levels))
        return way


def _steepness(checks: NodeChecks) -> list[Floats]:
    """Per attribute and level, what the next level costs for each bit by which it makes records more alike."""
    result = []
    for a, costs in enumerate(checks.costs):
        bits = np.array([_entropy(checks.lattice.marginal(a, level)) for level in range(costs.size)])
        result.append((np.diff(costs) + 1e-9) / (np.maximum(-np.diff(bits), 0) + 1e-9))
    return result


def _entropy(counts: Ints) -> float:
    shares = counts[counts > 0] / max(int(counts.sum()), 1)
    return float(-np.dot(shares, np.log2(shares)))
