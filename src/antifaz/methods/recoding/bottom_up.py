"""Bottom-up generalization: climb the level that costs least of what tells the target apart."""

from collections.abc import Sequence
from functools import cache
from math import fsum
from typing import ClassVar

import numpy as np
from pydantic import Field

from antifaz.core.arrays import Ints
from antifaz.core.errors import ParameterError, hint
from antifaz.counting.frequencies import group_codes
from antifaz.counting.generalization import Generalization
from antifaz.counting.lattice import Lattice
from antifaz.counting.rollup import Levels
from antifaz.methods.recoding.ascent import Ascent, Choice, raised
from antifaz.utility import loss

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
    surest_of_six: ClassVar[int | None] = 100

    target: str | None = Field(
        default=None, description="The column that the released data should still predict; without one, loss counts."
    )

    def needs(self) -> tuple[str, ...]:
        """The target's counts, where there is one."""
        return () if self.target is None else (self.target,)

    def chooser(self, lattice: Lattice) -> Choice:
        """Return what finds the attribute with the least information lost per anonymity gained: I(G)/P(G)."""
        target, counted = self.target, lattice.frequencies.cells
        if target is not None and target not in counted:
            raise ParameterError("method.target-not-counted", method=self.name, name=target, hint=hint(target, counted))
        unsaid = cache(lambda a, level: _unsaid(lattice, target or "", a, level))

        def lost(levels: Levels) -> float:
            """How much information was lost on the way, up to a constant: only differences matter."""
            if target is None:
                return loss(Generalization(lattice, levels, np.ones(lattice.sizes(levels).size, np.bool_)))
            # What the attributes, one by one, leave unsaid of the target: raising one changes only its own part.
            return fsum(unsaid(a, level) for a, level in enumerate(levels))

        def smallest(levels: Levels) -> int:
            return int(lattice.sizes(levels).min(initial=lattice.rows))

        def cheapest(levels: Levels, below_top: Sequence[int]) -> int:
            before, size = lost(levels), smallest(levels)
            nodes = [raised(levels, a) for a in below_top]
            # A step that gains nothing is judged by its loss alone, as in the paper.
            steps = [(lost(node) - before, max(1, smallest(node) - size)) for node in nodes]
            least = min(information / gain for information, gain in steps)
            # Of those that are equal but for rounding, the first.
            at = next(i for i, (information, gain) in enumerate(steps) if (information - SLACK) / gain <= least)
            return below_top[at]

        return cheapest


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


def _n_log_n(counts: Ints) -> float:
    """Σ n log₂ n, rounded once at the end: the order of the counts decides nothing."""
    some = counts[counts > 0]
    return fsum(some * np.log2(some))
