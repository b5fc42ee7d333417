"""Full-domain generalization: every value of an attribute is released at the same level of its hierarchy."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field, field_validator

from antifaz.core.errors import PrivacyNotReached
from antifaz.counting.lattice import Lattice
from antifaz.methods.method import Decision, Method, Task
from antifaz.methods.recoding.nearest import nearest
from antifaz.methods.recoding.recode import recode
from antifaz.methods.recoding.search import Search
from antifaz.utility import QUALITIES


class FullDomain(Method):
    """Find the generalization levels that lose least among all that satisfy the models."""

    name: ClassVar[str] = "full-domain"
    summary: ClassVar[str] = "Every value of a column goes to the same level; the least lossy combination is found."
    details: ClassVar[str] = (
        "All combinations of levels form a lattice. Each is counted by rolling up the counts of a neighbour, so the "
        "rows are read once. Records in classes that fail a model may be left out, up to a limit. The result is easy "
        "to explain and to analyse, because a value is released in the same way everywhere; it loses more than local "
        "recoding does."
    )
    source: ClassVar[str] = "K. LeFevre et al., Incognito: efficient full-domain k-anonymity, SIGMOD 2005"
    needs_hierarchies: ClassVar[bool] = True

    quality: str = Field(default="loss", description="What the best generalization has least of.")
    suppression: float = Field(
        default=0.0, ge=0, le=1, description="The largest share of records that may be left out of the release."
    )

    @field_validator("quality")
    @classmethod
    def _known(cls, name: str) -> str:
        return QUALITIES[name].name

    def decide(self, task: Task) -> Decision:
        """Find the proven optimum."""
        lattice = Lattice(task.frequencies, task.ladders)
        search = Search(lattice, task.models, QUALITIES[self.quality](), self.allowed(lattice), task.progress)
        best = search.find_best()
        if best is None:
            raise PrivacyNotReached(nearest(lattice, task.models, search.allowed))
        return Decision(
            recoding=recode(lattice, best.levels, best.kept),
            details={
                "levels": dict(zip(task.frequencies.columns, best.levels, strict=True)),
                "score": best.score,
                "lattice": {"size": lattice.size, "checked": search.checked},
            },
            generalization=best.table,
        )

    def allowed(self, lattice: Lattice) -> int:
        """Return how many records may be left out."""
        # A share such as 0.07 of 100 must give 7, whatever its binary form says.
        return int(self.suppression * lattice.rows + 1e-9)
