"""Quality models: what a search for the best generalization minimizes."""

import math
from abc import abstractmethod
from collections.abc import Sequence
from functools import reduce
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from antifaz.core.arrays import Floats, Ints
from antifaz.core.declaration import Declared
from antifaz.counting.generalization import Generalization
from antifaz.counting.lattice import Lattice
from antifaz.counting.rollup import Ladder, Levels

#: A score is a number, or for the aggregate 'rank' the losses of the attributes from the largest down.
Score = float | tuple[float, ...]
Aggregate = Literal["sum", "mean", "geometric-mean", "maximum", "rank"]


class Quality(Declared):
    """A measure of what a generalization loses: less is better."""

    #: Whether `aggregate`, `weights` and `balance` mean something here.
    per_attribute: ClassVar[bool] = False
    #: Whether a score never falls with a level where nobody is left out: a search stops above what holds by this.
    monotone: ClassVar[bool] = True

    def needs(self) -> tuple[str, ...]:
        """The columns, beside the quasi-identifiers, whose counts the measure needs."""
        return ()

    @abstractmethod
    def score(self, table: Generalization) -> Score:
        """Return the score of a generalization, records left out included."""

    def bounds(self, lattice: Lattice, allowed: int) -> Floats:
        """Return for every node of the lattice (one axis per attribute) a score that it can't be better than.

        Bounds must not fall when a level rises: that is what lets a search stop. Without better knowledge, zero.
        """
        shape = [height + 1 for height in lattice.heights]
        parts = self.parts(lattice, allowed)
        return self.join(parts).reshape(shape) if parts else np.zeros(shape)

    def parts(self, lattice: Lattice, allowed: int) -> list[Floats] | None:
        """Return, per attribute and level, what it adds to a bound at least; None where bounds are not made of parts.

        They must not fall with the level, and `join` must not fall with them.
        """
        return None

    def join(self, parts: Sequence[Floats]) -> Floats:
        """Return the bounds of all combinations of parts, one of each attribute, in the order of a flat array."""
        raise NotImplementedError

    def floor(self, lattice: Lattice, levels: Levels, allowed: int) -> float | None:
        """Return a score that no node at or above these levels can be better than, from what was counted there."""
        return None

    def added(self, ladder: Ladder, level: int, rows: int) -> Floats | None:
        """Return what a record left out at a level adds at least to the parts of that level and of those below it.

        Who is left out at a node is so at all nodes below, with one of the labels under the own. One row per level
        from 0, one column per label of `level`; `rows` are all records. None where it is not known, or where `join`
        is not one of the ways of `Aggregate`, which `joined_by` says.
        """
        return None

    @property
    def joined_by(self) -> Aggregate:
        """How `join` makes one number of the parts."""
        return "sum"


class AttributeQuality(Quality):
    """A quality that is first measured per attribute and then aggregated."""

    per_attribute: ClassVar[bool] = True

    aggregate: Aggregate = Field(default="mean", description="How the losses of the attributes become one.")
    weights: dict[str, float] = Field(
        default_factory=dict, description="How much attributes matter; 1 for those not named, 0 for not at all."
    )
    balance: float = Field(
        default=0.5, ge=0, le=1, description="Below 0.5 leaving records out costs less, above it generalizing does."
    )

    @property
    def joined_by(self) -> Aggregate:
        """As told."""
        return self.aggregate

    @abstractmethod
    def losses(self, table: Generalization) -> list[float]:
        """Return the loss of every attribute."""

    @abstractmethod
    def least(self, ladder: Ladder, level: int, records: Ints, allowed: int) -> float:
        """Return the least loss that one attribute can have at a level; it must not fall with the level.

        `records` are all records by label at that level.
        """

    @property
    def suppressed_weight(self) -> float:
        """How much a record left out counts."""
        return min(1.0, 2 * self.balance)

    @property
    def generalized_weight(self) -> float:
        """How much generalizing counts."""
        return min(1.0, 2 - 2 * self.balance)

    def weight(self, column: str) -> float:
        """How much an attribute matters."""
        return self.weights.get(column, 1.0)

    def score(self, table: Generalization) -> Score:
        """Return the aggregated loss."""
        pairs = zip(table.ladders, self.losses(table), strict=True)
        weighted = [self.weight(ladder.column) * loss for ladder, loss in pairs]
        if self.aggregate == "rank":
            return tuple(sorted(weighted, reverse=True))
        if not weighted:
            return 0.0
        # The same as in `bounds`, for one node: a search scores thousands of them.
        if self.aggregate == "geometric-mean":
            return math.prod(1 + loss for loss in weighted) ** (1 / len(weighted)) - 1
        if self.aggregate == "maximum":
            return max(weighted)
        return sum(weighted) / (len(weighted) if self.aggregate == "mean" else 1)

    def parts(self, lattice: Lattice, allowed: int) -> list[Floats]:
        """Return the least losses of every attribute, level by level, times its weight."""
        parts = []
        for a, ladder in enumerate(lattice.ladders):
            levels = range(ladder.height + 1)
            least = [self.least(ladder, level, lattice.marginal(a, level), allowed) for level in levels]
            parts.append(self.weight(ladder.column) * self._scaled(np.array(least)))
        return parts

    def join(self, parts: Sequence[Floats]) -> Floats:
        """Return the aggregate of the least losses, for every combination of levels."""
        if self.aggregate == "geometric-mean":
            product = outer(np.multiply, [1 + part for part in parts])
            return np.asarray(product ** (1 / len(parts)) - 1)
        if self.aggregate in ("maximum", "rank"):
            return outer(np.maximum, parts)
        total = outer(np.add, parts)
        return total / len(parts) if self.aggregate == "mean" else total

    def _scaled(self, least: Floats) -> Floats:
        return least


def widest_below(ladder: Ladder, level: int) -> Floats:
    """Return, for each level from 0 to this and each label of this, the largest share of the labels under it."""
    widest = np.zeros((level + 1, ladder.size(level)))
    for below in range(level + 1):
        np.maximum.at(widest[below], ladder.up[level], ladder.shares[below][ladder.up[below]])
    return widest


def outer(combine: np.ufunc, parts: Sequence[Floats]) -> Floats:
    """Combine one number of each part with one of every other: a flat array, the last part's place changing fastest."""
    flat: Floats = reduce(lambda left, right: combine.outer(left, right).reshape(-1), parts)
    return flat


def cut(value: float) -> float:
    """Cut to ten decimals, as ARX does, so that scores compare."""
    # What is exact but for the last bits of a division must not fall to the number below.
    return math.floor(value * 1e10 + 1e-4) / 1e10
