"""Datafly: generalize the attribute with the most distinct values until few enough records are left over."""

from typing import ClassVar

from antifaz.counting.lattice import Lattice
from antifaz.methods.recoding.ascent import Ascent, Choice


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
    surest_of_six: ClassVar[int | None] = 100

    def chooser(self, lattice: Lattice) -> Choice:
        """Return what finds the attribute with the most distinct values in the table as it is; the first of equals."""
        # A ladder lists the labels that occur, and only those.
        return lambda levels, below_top: max(below_top, key=lambda a: lattice.ladders[a].size(levels[a]))
