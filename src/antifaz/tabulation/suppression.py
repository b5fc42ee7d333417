"""Cell suppression: sensitive cells are hidden, and further cells so that nobody can compute them from the totals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from antifaz.core.arrays import Flags, Floats
from antifaz.core.errors import PrivacyNotReached
from antifaz.core.messages import Message
from antifaz.tabulation.linked_cells import link
from antifaz.tabulation.protection import Protected, Protection, ProtectionTask
from antifaz.tabulation.rules import Needs
from antifaz.tabulation.suppression_search import SuppressionSearch
from antifaz.tabulation.table import CellTable

#: What a cell costs by itself in a program that minimizes sizes: of two patterns of one size, that of fewer cells.
_ONE_CELL = 1e-3


class CellSuppression(Protection):
    """Hides sensitive cells, and others with them, so that no sensitive one can be computed closely."""

    name: ClassVar[str] = "suppression"
    summary: ClassVar[str] = "Sensitive cells are hidden, and as few others as it takes; what is shown is exact."
    details: ClassVar[str] = (
        "An integer program chooses what else is hidden. Its constraints come from the attacker's linear programs: as "
        "long as one of them finds a sensitive cell too closely, the dual solution says which cells would have to be "
        "hidden, and the program is solved again. Within the time limit the result is the best there is; beyond it, a "
        "greedy completion of the last one, and the gap to the best is in the evidence. Empty cells are shown."
    )
    formula: ClassVar[str] = "min Σ wᵢ xᵢ so that for every sensitive cell p: min yₚ ≤ aₚ - lₚ and max yₚ ≥ aₚ + uₚ"
    source: ClassVar[str] = (
        "M. Fischetti, J. J. Salazar, Models and algorithms for optimizing cell suppression in tabular data with "
        "linear constraints, JASA 95, 2000"
    )
    needs_additive: ClassVar[bool] = True

    minimize: Literal["size", "cells"] = Field(
        default="size", description="What is to be small: what the hidden cells add up to, or their number."
    )
    seconds: float = Field(default=60, ge=0, description="How long to look for the best pattern.")

    def protect(self, task: ProtectionTask) -> Protected:
        """Find what to hide."""
        return self.protect_together([task])[0]

    def protect_together(self, tasks: Sequence[ProtectionTask]) -> list[Protected]:
        """Find what to hide in all tables, so that not even all together tell a sensitive cell closely."""
        linked = link([task.table for task in tasks])
        shown = linked.gather(
            [np.full(task.table.size, False) if task.before is None else task.before for task in tasks]
        )
        kept = linked.gather(
            [
                ~task.before if task.before is not None else np.full(task.table.size, not task.published)
                for task in tasks
            ],
            every=True,
        )
        needs = linked.needs([task.needs for task in tasks])
        costs = linked.costs([self._costs(task.table) for task in tasks])
        search = SuppressionSearch(linked, needs, costs, unpublished=kept, published=shown)
        hidden, gap = search.solve(self.seconds)
        pairs = zip(tasks, linked.places, strict=True)
        return [
            self._protected(task.table, task.needs, hidden[places], gap, search.rounds)
            for task, places in pairs
            if task.published and task.before is None
        ]

    def _protected(self, table: CellTable, needs: Needs, hidden: Flags, gap: float, rounds: int) -> Protected:
        if hidden[table.values > 0].all() and needs.sensitive.any():
            raise PrivacyNotReached("tabulation.everything-hidden", cells=int(hidden.sum()))
        primary = int(needs.sensitive.sum())
        details: dict[str, Any] = {
            "primary": primary,
            "secondary": int(hidden.sum()) - primary,
            "optimal": gap == 0,
            "gap": round(gap, 4),
            "rounds": rounds,
        }
        warnings = () if gap == 0 else (Message("tabulation.not-optimal", gap=gap, seconds=self.seconds),)
        return Protected(values=table.values, shown=~hidden, details=details, warnings=warnings)

    def _costs(self, table: CellTable) -> Floats:
        size = table.values / max(1, int(table.values.max(initial=1)))
        return size + _ONE_CELL if self.minimize == "size" else 1 + size * _ONE_CELL
