"""Greedy ways up the lattice: Datafly and bottom-up generalization."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import cache
from math import fsum
from typing import ClassVar

import numpy as np
from pydantic import Field

from antifaz.core.errors import ParameterError, PrivacyNotReached, hint
from antifaz.core.messages import Message
from antifaz.counting.frequencies import group_codes
from antifaz.counting.generalization import Generalization
from antifaz.counting.lattice import Lattice
from antifaz.counting.rollup import Levels
from antifaz.methods.arrays import Ints
from antifaz.methods.method import Decision, Method, Task, why_not
from antifaz.methods.recode import recode
from antifaz.methods.recoding.search import passing_classes
from antifaz.privacy.model import in_order
from antifaz.utility import loss

#: Says which attribute is generalized next: from the present levels and those attributes that are not at their top.
Choice = Callable[[Levels, Sequence[int]], int]


class Ascent(Method):
    """A greedy way up the lattice: one attribute, one level at a time, until the models hold.

    What sets such methods apart is only which attribute they take next.
    """

    needs_hierarchies: ClassVar[bool] = True

    suppression: float = Field(
        default=0.0, ge=0, le=1, description="The largest share of records that may be left out of the release."
    )

    @abstractmethod
    def chooser(self, lattice: Lattice) -> Choice:
        """Return what says which attribute of this lattice is generalized next."""

    def decide(self, task: Task) -> Decision:
        """Go up until at most the allowed records fail, and leave those out."""
        lattice = Lattice(task.frequencies, task.ladders)
        # A share such as 0.07 of 100 must give 7, whatever its binary form says.
        allowed = int(self.suppression * lattice.rows + 1e-9)
        choose, levels = self.chooser(lattice), lattice.bottom
        while (kept := passing_classes(lattice, levels, in_order(task.models), allowed)) is None or not kept.any():
            below_top = [a for a, top in enumerate(lattice.heights) if levels[a] < top]
            if not below_top:
                monotone = "monotone_suppression" if allowed else "monotone_generalization"
                raise PrivacyNotReached(why_not(self.name, lattice, task.models, allowed, monotone))
            levels = raised(levels, choose(levels, below_top))
            task.progress.tell(None, Message("progress.steps-up", steps=sum(levels)))
        table = Generalization(lattice, levels, kept)
        return Decision(
            recoding=recode(lattice, levels, kept),
            details={
                "levels": dict(zip(task.frequencies.columns, levels, strict=True)),
                "score": loss(table),
                "steps": sum(levels),
            },
            table=table,
        )


def raised(levels: Levels, a: int) -> Levels:
    """Return the levels with one attribute a level higher."""
    return (*levels[:a], levels[a] + 1, *levels[a + 1 :])


class Datafly(Ascent):
    """Generalize the attribute with the most distinct values, again and again, until few enough records fail."""

    name: ClassVar[str] = "datafly"
    summary: ClassVar[str] = "The column with the most distinct values goes up a level until the models hold."
    details: ClassVar[str] = (
        "Greedy: fast, easy to retrace by hand, and not optimal; full-domain finds levels that lose no more, and often "
        "much less. It stops as soon as at most the allowed share of records lies in classes that fail, and leaves "
        "these out. Of several columns with equally many values the first is taken. Because it looks only at how many "
        "values a column has, it may flatten a column that protects nobody. Under models that generalizing can break "
        "it may miss a solution beside its way, and says so. The score is the loss."
    )
    formula: ClassVar[str] = (
        "while failing records > suppression · N: raise the attribute with the most distinct values"
    )
    source: ClassVar[str] = (
        "L. Sweeney, Datafly: a system for providing anonymity in medical data, 1997; Achieving k-anonymity privacy "
        "protection using generalization and suppression, IJUFKS 10(5), 2002"
    )

    def chooser(self, lattice: Lattice) -> Choice:
        """Return what finds the attribute with the most distinct values in the table as it is; the first of equals."""
        # A ladder lists the labels that occur, and only those.
        return lambda levels, below_top: max(below_top, key=lambda a: lattice.ladders[a].size(levels[a]))


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
