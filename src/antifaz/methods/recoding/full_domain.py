"""Full-domain generalization: every value of an attribute is released at the same level of its hierarchy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.core.errors import PrivacyNotReached
from antifaz.counting.generalization import Generalization, generalization
from antifaz.counting.lattice import Lattice, Levels, Node
from antifaz.methods.method import Decision, Method, Task
from antifaz.methods.recoding.recode import recode
from antifaz.privacy.model import PrivacyModel
from antifaz.utility.loss import loss


@dataclass(frozen=True, eq=False)
class Solution:
    """A node that satisfies the models: which of its classes are kept, and its score (less is better)."""

    node: Node
    kept: NDArray[np.bool_]
    table: Generalization
    score: float

    @property
    def order(self) -> tuple[float, int, Levels]:
        """Best first: by score, then the lowest sum of levels, then the levels: ties break the same way always."""
        return self.score, sum(self.node.levels), self.node.levels


class FullDomain(Method):
    """Find the generalization levels that lose least among all that satisfy the models."""

    name: ClassVar[str] = "full-domain"
    summary: ClassVar[str] = "Every value of a column goes to the same level; the least lossy combination is found."
    details: ClassVar[str] = (
        "All combinations of levels form a lattice. Each is counted by rolling up the counts of a neighbour, so the rows "
        "are read once. Records in classes that fail a model may be left out, up to a limit. The result is easy to "
        "explain and to analyse, because a value is released in the same way everywhere; it loses more than local "
        "recoding does."
    )
    source: ClassVar[str] = "K. LeFevre et al., Incognito: efficient full-domain k-anonymity, SIGMOD 2005"
    needs_hierarchies: ClassVar[bool] = True

    quality: Literal["loss"] = Field(default="loss", description="What the best generalization has least of.")
    suppression: float = Field(
        default=0.0, ge=0, le=1, description="The largest share of records that may be left out of the release."
    )

    def decide(self, task: Task) -> Decision:
        """Search the whole lattice for the smallest loss."""
        lattice = Lattice(task.frequencies, task.ladders)
        best = self._search(lattice, task)
        return Decision(
            recoding=recode(lattice, best.node, best.kept),
            details={
                "levels": dict(zip(task.frequencies.columns, best.node.levels, strict=True)),
                "score": best.score,
                "lattice": {"size": lattice.size, "checked": lattice.size},
            },
            generalization=best.table,
        )

    def _search(self, lattice: Lattice, task: Task) -> Solution:
        allowed = int(self.suppression * lattice.frequencies.rows)
        best: Solution | None = None
        least: tuple[int, Levels] | None = None
        for checked, node in enumerate(lattice.sweep()):
            if checked % 512 == 0:
                task.progress.tell(checked / lattice.size, f"{checked:,} of {lattice.size:,} generalizations")
            kept = passing(lattice, node, task.models)
            lost = int(node.classes.counts[~kept].sum())
            least = min(least or (lost, node.levels), (lost, node.levels))
            if lost > allowed or (not kept.any() and lattice.frequencies.rows):
                continue
            table = generalization(lattice, node, kept)
            found = Solution(node, kept, table, loss(table))
            best = found if best is None else min(best, found, key=lambda solution: solution.order)
        if best is None:
            raise PrivacyNotReached(_nearest(lattice, task.models, least, allowed))
        return best


def passing(lattice: Lattice, node: Node, models: tuple[PrivacyModel, ...]) -> NDArray[np.bool_]:
    """Say of each class of a node whether it satisfies all models."""
    table = lattice.class_table(node)
    kept = np.ones(len(node.classes), np.bool_)
    for model in models:
        kept &= model.passes(table)
    return kept


def _nearest(
    lattice: Lattice, models: tuple[PrivacyModel, ...], least: tuple[int, Levels] | None, allowed: int
) -> str:
    """Say what can't be had, and the nearest that can: what the most general table achieves, or what must go."""
    top = lattice.class_table(lattice.roll(lattice.bottom, lattice.heights))
    verdicts = [model.judge(top) for model in models]
    rows = lattice.frequencies.rows
    failed = [v for v in verdicts if not v.holds]
    asked = " and ".join(
        f"{m.name} ({', '.join(f'{key}={value}' for key, value in m.parameters().items())})" for m in models
    )
    said = f"No generalization of these {rows:,} records satisfies {asked} with at most {allowed:,} left out"
    if failed:
        reached = "; ".join(f"{v.model} {v.achieved:g}" for v in failed if v.achieved is not None)
        said += f"; even with everything generalized to the top, the nearest is: {reached}"
    if least is not None and 0 < least[0] < rows:
        said += f"; with {least[0]:,} records left out (suppression {least[0] / rows:.4f}) it can be reached"
    return said + "."
