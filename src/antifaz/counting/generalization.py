"""A generalization, counted: all that measures of utility and risk need to know of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from antifaz.counting.ladders import Ladder
from antifaz.counting.lattice import Lattice
from antifaz.counting.rollup import Levels

#: Says a number for every label of a ladder at a level.
PerLabel = Callable[[Ladder, int], NDArray[np.float64]]


class Generalization:
    """What became of the records at some levels when only some classes are kept.

    Each figure is counted when it is first asked for: a search asks few figures of many generalizations. Measures that
    ask for `sums`, `mean_levels` or `spread` instead of `levels` and `marginals` hold for a `Patchwork` too, where
    records are at different levels.
    """

    def __init__(self, lattice: Lattice, levels: Levels, kept: NDArray[np.bool_]) -> None:
        """Take note of the node; nothing is counted yet."""
        self._lattice = lattice
        self.levels = levels
        self.kept = kept

    @property
    def ladders(self) -> tuple[Ladder, ...]:
        """The attributes and what their values become."""
        return self._lattice.ladders

    @property
    def rows(self) -> int:
        """The number of records, those left out included."""
        return self._lattice.rows

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """The sizes of the kept classes."""
        sizes = self._lattice.sizes(self.levels)
        return sizes if self.kept.all() else sizes[self.kept]

    @cached_property
    def suppressed(self) -> int:
        """The number of records left out."""
        return self.rows - int(self.sizes.sum())

    @cached_property
    def marginals(self) -> list[NDArray[np.int64]]:
        """Per attribute, the kept records by label at its level."""
        if not self.suppressed:
            return [self._lattice.marginal(a, level) for a, level in enumerate(self.levels)]
        return self._lattice.marginals(self.levels, self.kept)

    @property
    def mean_levels(self) -> tuple[float, ...]:
        """Per attribute, the mean level of the kept records."""
        return self.levels

    def sums(self, value_of: PerLabel) -> list[float]:
        """Per attribute, add up over the kept records a number that each of its labels has."""
        labelled = zip(self.ladders, self.levels, self.marginals, strict=True)
        return [float(np.dot(kept, value_of(ladder, level))) for ladder, level, kept in labelled]

    def spread(self, a: int) -> list[tuple[int, NDArray[np.int64]]]:
        """Return the levels at which an attribute is released, each with the kept records by label."""
        return [(self.levels[a], self.marginals[a])]

    @property
    def originals(self) -> list[NDArray[np.int64]]:
        """Per attribute, all records by label at the lowest level."""
        return [self._lattice.marginal(a, 0) for a in range(len(self.levels))]

    @cached_property
    def volumes(self) -> NDArray[np.float64]:
        """For each kept class, how many combinations of leaves it may stand for."""
        return self._lattice.volumes(self.levels)[self.kept]

    @property
    def tuple_information(self) -> float:
        """Σ n log₂ n over the distinct original tuples."""
        return self._lattice.tuple_information

    def majorities(self, name: str) -> NDArray[np.int64]:
        """For each kept class, how many records have its most frequent value of a counted attribute."""
        return self._lattice.majorities(self.levels, name)[self.kept]
