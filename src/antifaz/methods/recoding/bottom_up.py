"""Bottom-up generalization: at every step the one that loses the least information per anonymity gained."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from math import fsum
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.core.errors import ParameterError, hint
from antifaz.counting.frequencies import group_codes
from antifaz.counting.generalization import Generalization
from antifaz.counting.lattice import Lattice
from antifaz.counting.rollup import Levels
from antifaz.methods.recoding.ascent import Ascent, Choice, raised
from antifaz.utility import loss

#: Says how much information was lost on the way to some levels, up to a constant: only differences matter.
Lost = Callable[[Levels], float]

#: The loss is cut to ten decimals, so equal losses may differ by a little more than that.
SLACK = 1e-9


class BottomUp(Ascent):
    """Raise the attribute that loses the least information per anonymity gained, until few enough records fail."""

    name: ClassVar[str] = "bottom-up"
    summary: ClassVar[str] = "Step by step, the column goes up that loses the least information per anonymity gained."
    details: ClassVar[str] = (
        "Greedy: every step is the best one, the way as a whole need not be; full-domain finds the optimum. With a "
        "target, information is what a column tells of it (entropy), for data released to train classifiers; without, "
        "it is the loss. Anonymity is the size of the smallest class; a step that gains none is judged by what it "
        "loses. Of equal steps the first column's is taken. All values of a column go up together, while the paper "
        "raises one family of values at a time. Under models that generalizing can break it may miss a solution "
        "beside its way, and says so. The score is the loss."
    )
    formula: ClassVar[str] = (
        "least I(G)/P(G), or I(G) where P(G) = 0; I(G) = Σ over merged values p of |R_p|/N · (Info(R_p) − "
        "Σ_c |R_c|/|R_p| · Info(R_c)), P(G) = smallest class after − before"
    )
    source: ClassVar[str] = (
        "K. Wang, P. S. Yu, S. Chakraborty, Bottom-up generalization: a data mining solution to privacy protection, "
        "ICDM 2004"
    )

    target: str | None = Field(
        default=None, description="The column that the released data should still predict; without one, loss counts."
    )

    def needs(self) -> tuple[str, ...]:
        """The target's counts, where there is one."""
        return () if self.target is None else (self.target,)

    def chooser(self, lattice: Lattice) -> Choice:
        """Return what finds the attribute with the least information lost per anonymity gained."""
        lost = _by_loss(lattice) if self.target is None else self._by_target(lattice, self.target)

        def cheapest(levels: Levels, below_top: Sequence[int]) -> int:
            return _cheapest(lattice, lost, levels, below_top)

        return cheapest

    def _by_target(self, lattice: Lattice, target: str) -> Lost:
        """What the attributes, one by one, leave unsaid of the target: raising one changes only its own part."""
        counted = lattice.frequencies.cells
        if target not in counted:
            raise ParameterError("method.target-not-counted", method=self.name, name=target, hint=hint(target, counted))
        unsaid = cache(lambda a, level: _unsaid(lattice, target, a, level))
        return lambda levels: fsum(unsaid(a, level) for a, level in enumerate(levels))


def _by_loss(lattice: Lattice) -> Lost:
    """The loss with nobody left out."""
    return lambda levels: loss(Generalization(lattice, levels, np.ones(lattice.sizes(levels).size, np.bool_)))


def _cheapest(lattice: Lattice, lost: Lost, levels: Levels, below_top: Sequence[int]) -> int:
    """Return the attribute with the least I(G)/P(G): of those that are equal but for rounding, the first."""
    before, smallest = lost(levels), _smallest(lattice, levels)
    steps = []
    for a in below_top:
        node = raised(levels, a)
        # A step that gains nothing is judged by its loss alone, as in the paper.
        steps.append((a, lost(node) - before, max(1, _smallest(lattice, node) - smallest)))
    least = min(information / gain for _, information, gain in steps)
    return next(a for a, information, gain in steps if (information - SLACK) / gain <= least)


def _smallest(lattice: Lattice, levels: Levels) -> int:
    """The size of the smallest class; 0 for a table without records."""
    sizes = lattice.sizes(levels)
    return int(sizes.min()) if sizes.size else 0


def _unsaid(lattice: Lattice, target: str, a: int, level: int) -> float:
    """The entropy of the target, in bits, that is left when one attribute is known at a level: Σ |R_v|/N · Info(R_v).

    The difference between two levels is the paper's I(G), summed over the merged values by their shares.
    """
    rows = lattice.rows
    if not rows:
        return 0.0
    cells, ladder = lattice.frequencies.cells[target], lattice.ladders[a]
    labels = ladder.up[level][lattice.frequencies.codes[a][cells.tuples]]
    *_, both = group_codes([labels, cells.values], [ladder.size(level), cells.domain.size], cells.counts)
    return (_n_log_n(lattice.marginal(a, level)) - _n_log_n(both)) / rows


def _n_log_n(counts: NDArray[np.int64]) -> float:
    """Σ n log₂ n, rounded once at the end: the order of the counts decides nothing."""
    some = counts[counts > 0]
    return fsum(some * np.log2(some))
