"""Datafly: generalize what has the most distinct values until few enough records stand out."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.core.errors import PrivacyNotReached
from antifaz.counting.generalization import Generalization
from antifaz.counting.lattice import Lattice
from antifaz.counting.rollup import Levels
from antifaz.methods.method import Decision, Method, Task
from antifaz.methods.recoding.nearest import nearest
from antifaz.methods.recoding.recode import recode
from antifaz.privacy.model import PrivacyModel
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
        while (kept := _passing(lattice, levels, task.models, allowed)) is None:
            below_top = [a for a, top in enumerate(lattice.heights) if levels[a] < top]
            if not below_top:
                raise PrivacyNotReached(self._why_not(lattice, task.models, allowed))
            levels = raised(levels, choose(levels, below_top))
            task.progress.tell(None, f"{sum(levels):,} steps up")
        table = Generalization(lattice, levels, kept)
        return Decision(
            recoding=recode(lattice, levels, kept),
            details={
                "levels": dict(zip(task.frequencies.columns, levels, strict=True)),
                "score": loss(table),
                "steps": sum(levels),
            },
            generalization=table,
        )

    def _why_not(self, lattice: Lattice, models: tuple[PrivacyModel, ...], allowed: int) -> str:
        said = nearest(lattice, models, allowed)
        if all(model.monotone_suppression if allowed else model.monotone_generalization for model in models):
            return said
        # The top failing says nothing of the nodes beside the way when generalizing can make more records fail.
        return f"Of those that {self.name} looked at (full-domain looks at all), {said[:1].lower()}{said[1:]}"


def raised(levels: Levels, a: int) -> Levels:
    """Return the levels with one attribute a level higher."""
    return (*levels[:a], levels[a] + 1, *levels[a + 1 :])


def _passing(
    lattice: Lattice, levels: Levels, models: tuple[PrivacyModel, ...], allowed: int
) -> NDArray[np.bool_] | None:
    """Return the classes that satisfy all models, or None where too many records fail, or all of them."""
    sizes = lattice.sizes(levels)
    kept = np.ones(sizes.size, np.bool_)
    for model in sorted(models, key=_cost):
        kept = model.keep(lattice.class_table(levels, model.sensitive()), kept)
        if int(sizes[~kept].sum()) > allowed:
            return None
    return kept if kept.any() else None


def _cost(model: PrivacyModel) -> tuple[bool, bool]:
    """Cheap models first; but those that choose what to keep by the whole table come after all that judge a class.

    If a class went after they had their say, the table that they approved of would not be the one released.
    """
    return type(model).keep is not PrivacyModel.keep, model.needs_sensitive


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

        def most_distinct(levels: Levels, below_top: Sequence[int]) -> int:
            # A ladder lists the labels that occur, and only those.
            return max(below_top, key=lambda a: lattice.ladders[a].size(levels[a]))

        return most_distinct
