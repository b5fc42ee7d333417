"""Looking at nodes of a lattice that is too large to hold: from a box's counts, and from the lattice where needed."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Lock

import numpy as np

from antifaz.core.arrays import Floats
from antifaz.counting.boxes import BoxCounter, TupleTable
from antifaz.counting.lattice import Lattice
from antifaz.counting.rollup import Levels
from antifaz.methods.recoding.box_search import NodeResult
from antifaz.methods.recoding.search import by_monotony, generalized, passing_classes, rounded
from antifaz.privacy.model import PrivacyModel
from antifaz.utility.quality import Quality, Score

Order = tuple[Score, int, Levels]


@dataclass(frozen=True)
class ScoredNode:
    """A node that may be released, by what a search knows of it."""

    levels: Levels
    score: Score

    @cached_property
    def order(self) -> Order:
        """Best first, ties breaking as in `search.Solution`."""
        return rounded(self.score), sum(self.levels), self.levels


class NodeChecks:
    """What is asked of a node, and the answers; used by several threads."""

    def __init__(
        self,
        lattice: Lattice,
        models: tuple[PrivacyModel, ...],
        quality: Quality,
        allowed: int,
        within: tuple[Levels, Levels],
    ) -> None:
        """`allowed` is the number of records that may be left out; `within` the lowest and the highest levels."""
        self.lattice, self.quality, self.allowed = lattice, quality, allowed
        #: No class with fewer records passes, whatever else is asked of it.
        self.k = max((model.least for model in models), default=1)
        #: No value of a single attribute is shared by fewer records.
        self._alone = max([self.k, *(model.any_columns[1] for model in models if model.any_columns is not None)])
        #: Whether the sizes of classes are all that is asked.
        self.sizes_only = all(model.class_size is not None for model in models)
        self._monotone, self._rest = by_monotony(lattice, models, allowed)
        #: Whether all above a node that may be released lose at least as much.
        self.settles_above = quality.monotone and not allowed and not self._rest
        self.high = within[1]
        self.low = self._lowest(*within)
        self.parts = quality.parts(lattice, allowed) or None
        #: The lattice remembers what it counted, and only one thread may ask it at a time.
        self._lattice_lock = Lock()

    def _lowest(self, low: Levels, high: Levels) -> Levels:
        """Raise the lowest levels to those at which an attribute alone leaves few enough records in small classes.

        The records that fail by one attribute fail by all of them together (the subset property of Incognito).
        """
        levels = []
        for a, (level, top) in enumerate(zip(low, high, strict=True)):
            while level < top and self._failing_alone(a, level) > self.allowed:
                level += 1
            levels.append(level)
        return tuple(levels)

    def _failing_alone(self, a: int, level: int) -> int:
        sizes = self.lattice.marginal(a, level)
        return int(sizes[sizes < self._alone].sum())

    @cached_property
    def table(self) -> TupleTable:
        """The distinct tuples at the lowest levels."""
        return TupleTable(self.lattice, self.low)

    @cached_property
    def costs(self) -> list[Floats]:
        """Per attribute and level, what it costs: parts of the bound, or the share of its hierarchy climbed."""
        if self.parts is not None:
            return self.parts
        return [np.arange(height + 1) / max(height, 1) for height in self.lattice.heights]

    def bounds(self, low: Sequence[int], high: Sequence[int]) -> Floats:
        """Return the bounds of all nodes between two corners, flat, the last attribute's level changing fastest."""
        if self.parts is None:
            return np.full(int(np.prod([b - a + 1 for a, b in zip(low, high, strict=True)], dtype=np.int64)), -np.inf)
        ranges = zip(self.parts, low, high, strict=True)
        return self.quality.join([part[a : b + 1] for part, a, b in ranges])

    def look(self, counter: BoxCounter, levels: Levels) -> NodeResult:
        """Count a node and judge it."""
        failing = counter.failing(levels, self.k, self.allowed)
        if failing > self.allowed:
            return NodeResult(excluded=True)
        if not self.sizes_only:
            with self._lattice_lock:
                return self._judge(levels)
        if failing == self.lattice.rows:
            return NodeResult(excluded=False)
        node = counter.node(levels, self.k)
        with self._lattice_lock:
            return NodeResult(excluded=False, score=self.quality.score(node), floor=self._floor(levels))

    def _judge(self, levels: Levels) -> NodeResult:
        """Judge a node by all models, as `LatticeSearch` does."""
        kept = passing_classes(self.lattice, levels, self._monotone, self.allowed)
        if kept is None:
            return NodeResult(excluded=True)
        floor = self._floor(levels)
        kept = passing_classes(self.lattice, levels, self._rest, self.allowed, kept)
        if kept is None or not kept.any():
            return NodeResult(excluded=False, floor=floor)
        score = self.quality.score(generalized(self.lattice, levels, kept))
        return NodeResult(excluded=False, score=score, floor=floor)

    def _floor(self, levels: Levels) -> float:
        floor = None if self.lattice.people_out else self.quality.floor(self.lattice, levels, self.allowed)
        return -np.inf if floor is None else floor
