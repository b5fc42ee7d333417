"""Rounding: every cell is published as a multiple of a base."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_matrix, eye, hstack, vstack

from antifaz.core.arrays import Ints
from antifaz.core.errors import ParameterError, PrivacyNotReached
from antifaz.tabulation.attack_program import AttackProgram
from antifaz.tabulation.protection import Protected, Protection, ProtectionTask
from antifaz.tabulation.table import CellTable

#: How many bases away from its neighbours a cell may be rounded where no nearer table adds up.
_MOST_STEPS = 3


class CellRounding(Protection):
    """Publishes every cell as a multiple of a base."""

    name: ClassVar[str] = "rounding"
    summary: ClassVar[str] = "Every cell is published as a multiple of a base."
    details: ClassVar[str] = (
        "Nearest: each cell by itself, halves up; totals need not add up. Random: up or down by chance, so that the "
        "expected value is the true one; totals need not add up. Controlled: up or down so that all totals add up, as "
        "near to the truth as an integer program finds. A cell that is a multiple already stays."
    )
    formula: ClassVar[str] = "z = b·⌊a/b⌋ or b·⌈a/b⌉; random: up with probability (a mod b)/b"
    source: ClassVar[str] = "A. Hundepool et al., Statistical Disclosure Control, Wiley, 2012, sections 4.4 and 5.4"
    primary: ClassVar[str] = "base"
    needs_rules: ClassVar[bool] = False

    base: int = Field(ge=2, description="What every published cell is a multiple of.")
    kind: Literal["nearest", "random", "controlled"] = Field(
        default="controlled", description="To the nearest multiple, up or down by chance, or so that totals add up."
    )
    seconds: float = Field(default=60, gt=0, description="How long controlled rounding may look.")

    def protect(self, task: ProtectionTask) -> Protected:
        """Round all cells."""
        table = task.table
        base = self.base * 10**table.decimals
        rest = table.values % base
        floor = table.values - rest
        details: dict[str, Any] = {}
        if self.kind == "nearest":
            values = floor + np.where(2 * rest >= base, base, 0)
        elif self.kind == "random":
            values = floor + np.where(task.random.integers(0, base, table.size) < rest, base, 0)
        else:
            if not table.additive:
                raise ParameterError("tabulation.not-additive", protection="controlled rounding")
            values, details["steps"] = _controlled_rounding(table, base, self.seconds)
        adds_up = all(values[total] == values[parts].sum() for total, parts in table.relations())
        details |= {"changed": int((values != table.values).sum()), "adds_up": adds_up}
        return Protected(values=values, shown=np.ones(table.size, np.bool_), details=details)


def _controlled_rounding(table: CellTable, base: int, seconds: float) -> tuple[Ints, int]:
    """Return the rounded table that adds up and is nearest to the true one, and how many bases away it had to look."""
    for steps in range(_MOST_STEPS + 1):
        rounded = _nearest_additive(table, base, steps, seconds)
        if rounded is not None:
            return rounded, steps
    raise PrivacyNotReached("tabulation.no-controlled-rounding", base=base // 10**table.decimals, steps=_MOST_STEPS)


def _nearest_additive(table: CellTable, base: int, steps: int, seconds: float) -> Ints | None:
    """Solve for whole multiples t of the base and distances e ≥ |t - a/b|: totals add up, the sum of e is least."""
    many, share = table.size, table.values / base
    floor, ceiling = np.floor(share), np.ceil(share)
    # An empty cell stays empty, and a multiple of the base stays where all can.
    further = np.where(table.values > 0, steps, 0)
    low, high = np.maximum(floor - further, 0), ceiling + further
    relations = AttackProgram(table).relations
    one = eye(many, format="csr")
    nothing = csr_matrix(relations.shape)
    matrix = vstack([hstack([relations, nothing]), hstack([one, -one]), hstack([-one, -one])]).tocsr()
    zero = np.zeros(relations.shape[0])
    rules = LinearConstraint(
        matrix, np.concatenate([zero, np.full(2 * many, -np.inf)]), np.concatenate([zero, share, -share])
    )
    bounds = Bounds(np.concatenate([low, np.zeros(many)]), np.concatenate([high, np.full(many, np.inf)]))
    whole = np.concatenate([np.ones(many), np.zeros(many)])
    cost = np.concatenate([np.zeros(many), np.ones(many)])
    solution = milp(cost, constraints=rules, bounds=bounds, integrality=whole, options={"time_limit": seconds})
    return None if solution.x is None else np.rint(solution.x[:many]).astype(np.int64) * base
