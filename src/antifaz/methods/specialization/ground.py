"""The ground on which a descent goes down: what is known of a cut and of every step down from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from antifaz.counting.frequencies import FrequencySet
from antifaz.methods.specialization.forest import Cut, Forest
from antifaz.methods.specialization.judging import Rules
from antifaz.methods.specialization.partition import Partition


class Ground(Protocol):
    """A cut, its classes, and what further steps would do to them."""

    @property
    def cut(self) -> Cut:
        """Where it is now."""

    @property
    def classes(self) -> int:
        """The number of classes."""

    @property
    def smallest(self) -> int:
        """The size of the smallest class."""

    @property
    def batch(self) -> int:
        """How many cuts are best judged at a time."""

    def outlook(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return per node the smallest part that its classes would fall into, and the smallest of its classes."""

    def specialize(self, a: int, nodes: NDArray[np.int64]) -> None:
        """Replace nodes of one attribute by their children."""

    def hold(self, rules: Rules, cuts: Sequence[Cut]) -> list[bool]:
        """Say whether the models other than k-anonymity hold at each of some cuts, at most a step down."""


class Near(Partition):
    """The ground where the tuples are at hand."""

    #: One at a time: the first that holds is taken.
    batch: ClassVar[int] = 1

    def __init__(self, forest: Forest, frequencies: FrequencySet, cut: Cut) -> None:
        """Group the tuples at a cut."""
        super().__init__(forest, frequencies, cut)
        self._frequencies = frequencies

    def hold(self, rules: Rules, cuts: Sequence[Cut]) -> list[bool]:
        """Say whether the models other than k-anonymity hold at each of some cuts."""
        return [rules.hold(self._forest, self._frequencies, cut) for cut in cuts]
