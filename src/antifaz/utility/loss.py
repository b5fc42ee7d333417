"""Loss: how much of each attribute's domain a released value covers."""

from __future__ import annotations

import math
from functools import reduce
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from antifaz.counting.generalization import Generalization
from antifaz.counting.ladders import Ladder
from antifaz.counting.lattice import Lattice
from antifaz.utility.quality import Quality


def attribute_loss(ladder: Ladder, level: int, kept: NDArray[np.int64], rows: int) -> float:
    """Return the loss of one attribute: 0 when untouched, 1 when everything is released as 'anything'.

    A released value loses the share of the hierarchy's leaves under it, a suppressed record loses all, and the share
    that an untouched value has anyway is taken off. Cut to ten decimals, as ARX does, so that scores compare.
    """
    total = float(np.dot(kept, ladder.shares[level])) + (rows - int(kept.sum()))
    least = rows / ladder.leaves
    if rows == least:
        return 0.0
    return math.floor(max(0.0, (total - least) / (rows - least)) * 1e10) / 1e10


class Loss(Quality):
    """The share of its domain that a released value covers, as a geometric mean over attributes."""

    name: ClassVar[str] = "loss"
    summary: ClassVar[str] = "How much of its attribute's domain a released value covers, on average."
    details: ClassVar[str] = (
        "0: nothing is generalized; 1: everything is released as 'anything' or left out. The same figure as ARX's Loss "
        "with its default aggregate, so that results compare."
    )
    formula: ClassVar[str] = "(Π over attributes (1 + x))^(1/m) − 1, x = (Σ shares + suppressed − N/d) / (N − N/d)"
    source: ClassVar[str] = "V. Iyengar, Transforming data to satisfy privacy constraints, KDD 2002"

    def score(self, table: Generalization) -> float:
        """Return the geometric mean of 1 + loss over the attributes, minus 1."""
        parts = zip(table.ladders, table.levels, table.marginals, strict=True)
        losses = [attribute_loss(ladder, level, kept, table.rows) for ladder, level, kept in parts]
        return math.prod(1 + x for x in losses) ** (1 / len(losses)) - 1 if losses else 0.0

    def bounds(self, lattice: Lattice) -> NDArray[np.float64]:
        """Return the loss of every node with nobody left out, which is the least it can have."""
        rows, factors = lattice.frequencies.rows, []
        for ladder, base in zip(lattice.ladders, lattice.originals, strict=True):
            levels = range(ladder.height + 1)
            marginals = [_rolled(ladder, level, base) for level in levels]
            factors.append(np.array([1 + attribute_loss(ladder, h, marginals[h], rows) for h in levels]))
        product: NDArray[np.float64] = reduce(np.multiply.outer, factors)
        return product ** (1 / len(factors)) - 1


def _rolled(ladder: Ladder, level: int, base: NDArray[np.int64]) -> NDArray[np.int64]:
    """The records by label at a level, from the records by label at the lowest."""
    out = np.zeros(ladder.size(level), np.int64)
    upward = np.zeros(ladder.size(0), np.int64)
    upward[ladder.up[0]] = ladder.up[level]
    np.add.at(out, upward, base)
    return out


def loss(table: Generalization) -> float:
    """Return the loss of a generalization; see `Loss`."""
    return Loss().score(table)
