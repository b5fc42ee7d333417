"""A proven bound on the best score of a lattice, from blocks of attributes.

Records that are in too small a class by some attributes are so by all of them (the subset property of Incognito): the
levels of a block must hold for the block alone. The attributes are divided into blocks; of each the cheapest levels
that hold are found exactly, and no node of the lattice can cost less than all these together.
"""

from collections.abc import Generator, Iterator

import numpy as np

from antifaz.core.arrays import Floats
from antifaz.counting.boxes import BoxCounter, Workspace
from antifaz.counting.rollup import Levels
from antifaz.methods.recoding.box_search import Box, NodeResult
from antifaz.methods.recoding.node_checks import NodeChecks

#: How many nodes the lattice of a block may have at first, how much more in each division, and at most.
_BLOCK, _GROWTH, _LARGEST = 250, 2, 32_000
#: In how many ways the attributes are divided, each at random but the first.
_DIVISIONS = 40


class SubsetBounds:
    """Raises the bound, division by division."""

    def __init__(self, checks: NodeChecks, random: np.random.Generator) -> None:
        """Begin with what the lowest levels cost."""
        self._checks, self._random = checks, random
        self._parts = checks.parts
        self.bound = self._least()
        #: How many nodes were counted.
        self.counted = 0

    def _least(self) -> float:
        checks = self._checks
        if self._parts is not None:
            return float(checks.bounds(checks.low, checks.low)[0])
        floor = checks.quality.floor(checks.lattice, checks.low, checks.allowed)
        return 0.0 if floor is None else floor

    def steps(self) -> Iterator[None]:
        """Go through the divisions, yielding after each look."""
        if self._parts is None:
            return
        space = Workspace(self._checks.table)
        for division in range(_DIVISIONS):
            cheapest = list(self._checks.low)
            for block in self._divide(division):
                levels = yield from self._cheapest(space, block, self._parts)
                for a in block:
                    cheapest[a] = levels[a]
            self.bound = max(self.bound, float(self._checks.bounds(cheapest, cheapest)[0]))

    def _divide(self, division: int) -> list[list[int]]:
        """Divide the attributes: those that must cost something together at first, then at random."""
        low, high = self._checks.low, self._checks.high
        order = self._random.permutation(len(low)).tolist()
        if not division:
            order = sorted(range(len(low)), key=lambda a: -self._checks.lattice.ladders[a].size(low[a]))
        blocks: list[list[int]] = [[]]
        size, most = 1, min(_BLOCK * _GROWTH**division, _LARGEST)
        for a in order:
            levels = high[a] - low[a] + 1
            if blocks[-1] and size * levels > most:
                blocks.append([])
                size = 1
            blocks[-1].append(a)
            size *= levels
        return [sorted(block) for block in blocks]

    def _cheapest(self, space: Workspace, block: list[int], parts: list[Floats]) -> Generator[None, None, Levels]:
        """Return the cheapest levels of a block that hold for its attributes alone."""
        checks = self._checks
        high = tuple(checks.high[a] if a in block else level for a, level in enumerate(checks.low))
        bounds = checks.bounds(checks.low, high)
        others = [a for a in range(len(high)) if a not in block]
        counter = BoxCounter(checks.table, space, checks.low, block, others)
        box = Box(checks.low, high, block, bounds)
        best: Levels = high
        least = np.inf

        def look(levels: Levels) -> NodeResult:
            nonlocal best, least
            self.counted += 1
            if counter.failing(levels, checks.k, checks.allowed) > checks.allowed:
                return NodeResult(excluded=True)
            score = float(checks.bounds(levels, levels)[0])
            if score < least:
                best, least = levels, score
                box.limit = np.nextafter(least, -np.inf)
            return NodeResult(excluded=False, score=score)

        yield from box.best_first(look, alone=True)
        return best
