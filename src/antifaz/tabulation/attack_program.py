"""The attacker's linear programs, as the suppressor sees them: how far a hidden cell can move from its value.

With all published cells fixed, a hidden cell may be anything that the totals allow. Deviations δ from the true table
satisfy M δ = 0, where M has one row per total. Of cells that are not hidden δ is 0; no cell goes below zero.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, linprog, milp
from scipy.sparse import csr_matrix, hstack

from antifaz.core.arrays import Flags, Floats
from antifaz.tabulation.linked_cells import LinkedCells
from antifaz.tabulation.table import CellTable

#: What is less than this, in shares of what is asked for, is taken for the solver's own error.
TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False)
class CellDeviation:
    """How far a cell can move in one direction, at most as far as asked; and the prices of the totals that bound it."""

    distance: float
    prices: Floats
    #: The deviations of all cells that go with it.
    witness: Floats


class AttackProgram:
    """The linear programs over the cells of some tables."""

    def __init__(self, table: LinkedCells | CellTable) -> None:
        rows, columns, signs = [], [], []
        for row, (total, parts) in enumerate(table.relations()):
            rows += [row] * (parts.size + 1)
            columns += [total, *parts.tolist()]
            signs += [-1.0, *[1.0] * parts.size]
        many = rows[-1] + 1 if rows else 0
        self.relations = csr_matrix((signs, (rows, columns)), shape=(many, table.size))
        self._columns = self.relations.tocsc()
        self.whole_numbers = table.measure is None
        # Solvers compare with fixed tolerances, so amounts should not be of any size.
        self.unit = 1.0 if self.whole_numbers else max(1.0, float(table.values.max(initial=0)) / 1e6)
        self.values: Floats = table.values / self.unit

    def reach(self, cell: int, direction: int, hidden: Flags, most: float) -> CellDeviation:
        """Return how far up (1) or down (-1) a hidden cell can move, at most so far, in units of the table."""
        places, used, matrix = self._part(hidden)
        own = int(np.searchsorted(places, cell))
        low, high = -self.values[places], np.full(places.size, np.inf)
        if direction > 0:
            high[own] = most / self.unit
        else:
            low[own] = max(low[own], -most / self.unit)
        cost = np.zeros(places.size)
        cost[own] = -direction
        solution = linprog(cost, A_eq=matrix, b_eq=np.zeros(used.size), bounds=np.column_stack([low, high]))
        prices = np.zeros(self.relations.shape[0])
        prices[used] = -solution.eqlin.marginals * direction
        return CellDeviation(-float(solution.fun) * self.unit, prices, self._per_cell(places, solution.x))

    def whole_reach(self, cell: int, direction: int, hidden: Flags, most: float) -> Floats:
        """Return the deviations with which a hidden count moves farthest if all counts are whole numbers."""
        places, used, matrix = self._part(hidden)
        own = int(np.searchsorted(places, cell))
        low, high = -self.values[places], np.full(places.size, np.inf)
        if direction > 0:
            high[own] = np.ceil(most)
        cost = np.zeros(places.size)
        cost[own] = -direction
        rules = LinearConstraint(matrix, np.zeros(used.size), np.zeros(used.size))
        solution = milp(cost, constraints=rules, bounds=Bounds(low, high), integrality=np.ones(places.size))
        return np.rint(self._per_cell(places, solution.x))

    def cheapest_move(self, cell: int, distance: float, costs: Floats, allowed: Flags) -> Floats:
        """Return the deviations of the cheapest way to move a cell by a distance, where moving a unit costs as told."""
        places, used, matrix = self._part(allowed)
        own, many = int(np.searchsorted(places, cell)), places.size
        # What rises and what falls are two variables, so that either costs.
        high = np.concatenate([np.full(many, np.inf), self.values[places]])
        low = np.zeros(2 * many)
        target = distance / self.unit
        if target > 0:
            low[own] = high[own] = np.ceil(target - TOLERANCE) if self.whole_numbers else target
            high[many + own] = 0
        else:
            fall = np.ceil(-target - TOLERANCE) if self.whole_numbers else -target
            low[many + own] = high[many + own] = min(fall, self.values[cell])
            high[own] = 0
        both = hstack([matrix, -matrix]).tocsr()
        price = np.concatenate([costs[places], costs[places]])
        rules = LinearConstraint(both, np.zeros(used.size), np.zeros(used.size))
        solution = milp(price, constraints=rules, bounds=Bounds(low, high))
        # Mostly the cheapest way of all is one of whole numbers, and found sooner.
        if self.whole_numbers and solution.x is not None and np.abs(solution.x - np.rint(solution.x)).max() > TOLERANCE:
            solution = milp(price, constraints=rules, bounds=Bounds(low, high), integrality=np.ones(2 * many))
        return self._per_cell(places, solution.x[:many] - solution.x[many:])

    def _part(self, hidden: Flags) -> tuple[np.ndarray, np.ndarray, csr_matrix]:
        """Return the hidden cells, the totals that bind them, and the matrix of these."""
        places = np.flatnonzero(hidden)
        part = self._columns[:, places].tocsr()
        used = np.flatnonzero(np.diff(part.indptr))
        return places, used, part[used]

    def _per_cell(self, places: np.ndarray, moves: Floats) -> Floats:
        witness = np.zeros(self.values.size)
        witness[places] = moves * self.unit
        return witness
