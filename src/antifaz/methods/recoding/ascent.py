"""What greedy ways up the lattice share; the ways are `datafly.py` and `bottom_up.py`."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar

from pydantic import Field

from antifaz.core.errors import PrivacyNotReached
from antifaz.core.messages import Message
from antifaz.counting.lattice import Lattice
from antifaz.counting.rollup import Levels
from antifaz.methods.method import Decision, Method, Task, why_not
from antifaz.methods.recode import recode
from antifaz.methods.recoding.search import generalized, lattice_of, passing_classes
from antifaz.privacy.model import in_order
from antifaz.utility import loss

#: Says which attribute is generalized next: from the present levels and those attributes that are not at their top.
Choice = Callable[[Levels, Sequence[int]], int]


class Ascent(Method):
    """A greedy way up the lattice: one attribute, one level at a time, until the models hold.

    What sets such methods apart is only which attribute they take next.
    """

    needs_hierarchies: ClassVar[bool] = True
    compares_classes: ClassVar[bool] = True
    counts_people: ClassVar[bool] = True

    suppression: float = Field(
        default=0.0, ge=0, le=1, description="The largest share of records that may be left out of the release."
    )

    @abstractmethod
    def chooser(self, lattice: Lattice) -> Choice:
        """Return what says which attribute of this lattice is generalized next."""

    def decide(self, task: Task) -> Decision:
        """Go up until at most the allowed records fail, and leave those out."""
        lattice, allowed = lattice_of(task, self.suppression)
        choose, levels = self.chooser(lattice), lattice.bottom
        while (kept := passing_classes(lattice, levels, in_order(task.models), allowed)) is None or not kept.any():
            below_top = [a for a, top in enumerate(lattice.heights) if levels[a] < top]
            if not below_top:
                monotone = "monotone_suppression" if allowed else "monotone_generalization"
                raise PrivacyNotReached(why_not(self.name, lattice, task.models, allowed, monotone))
            levels = raised(levels, choose(levels, below_top))
            task.progress.tell(None, Message("progress.steps-up", steps=sum(levels)))
        table = generalized(lattice, levels, kept)
        return Decision(
            recoding=recode(table.lattice, levels, table.kept),
            left_out=table.lattice.left_out,
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
