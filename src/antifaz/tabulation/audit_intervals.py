"""The interval attack: the least and the largest value of a cell that all that is published allows."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from antifaz.core.arrays import Floats, Ints
from antifaz.core.errors import CheckFailed

#: The least and the largest value.
Interval = tuple[float, float]
Cell = TypeVar("Cell", bound=Hashable)
#: What is nearer to a whole number is one.
_WHOLE = 1e-6
#: Cells by their numbers with their signs, and what they add up to.
_Equation = tuple[Sequence[tuple[int, float]], float]


def intervals(
    known: Mapping[Cell, Interval],
    relations: Iterable[tuple[Cell, Sequence[Cell]]],
    attacked: Sequence[Cell],
    *,
    whole: bool,
) -> dict[Cell, Interval]:
    """Return between which values each attacked cell lies.

    `known` says of all cells what is known of each by itself, with bounds that are finite; `relations` which cells add
    up to which. With `whole`, cells are whole numbers.
    """
    open_cells = [cell for cell, (low, high) in known.items() if high > low]
    place = {cell: i for i, cell in enumerate(open_cells)}
    equations = []
    for total, parts in relations:
        own = [(place[total], -1.0)] if total in place else []
        own += [(place[part], 1.0) for part in parts if part in place]
        fixed = sum(known[part][0] for part in parts if part not in place)
        rest = (0.0 if total in place else known[total][0]) - fixed
        if own:
            equations.append((own, rest))
        elif rest:
            raise CheckFailed("tabulation.audit-does-not-add-up")
    systems = _separate(equations, np.array([known[cell] for cell in open_cells]).reshape(-1, 2), whole)
    return {cell: systems[place[cell]].range_of(place[cell]) if cell in place else known[cell] for cell in attacked}


def _separate(equations: Sequence[_Equation], bounds: Floats, whole: bool) -> list[_System]:
    """Return the system of each cell: cells that no chain of sums ties together are attacked apart."""
    many, first = len(bounds), [own[0][0] for own, _ in equations]
    links = [(first[row], cell) for row, (own, _) in enumerate(equations) for cell, _ in own]
    ends = np.array(links, np.int64).reshape(-1, 2).T
    graph = coo_matrix((np.ones(ends.shape[1]), (ends[0], ends[1])), shape=(many, many))
    _, group = connected_components(graph, directed=False)
    rows: dict[int, list[_Equation]] = {}
    for row, equation in enumerate(equations):
        rows.setdefault(int(group[first[row]]), []).append(equation)
    order = np.argsort(group, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(group[order])) + 1) if many else []
    made = {int(group[part[0]]): _System(part, rows.get(int(group[part[0]]), []), bounds, whole) for part in parts}
    return [made[int(own)] for own in group]


class _System:
    """Cells that are tied together, and what ties them."""

    def __init__(self, cells: Ints, equations: Sequence[_Equation], bounds: Floats, whole: bool) -> None:
        self._at = {int(cell): i for i, cell in enumerate(cells)}
        entries = [(row, self._at[cell], sign) for row, (own, _) in enumerate(equations) for cell, sign in own]
        rows, columns, signs = zip(*entries, strict=True) if entries else ((), (), ())
        rest = np.array([rest for _, rest in equations])
        own = bounds[cells]
        # Solvers compare with fixed tolerances, so amounts should not be of any size.
        finite = np.abs(np.concatenate([rest, own[np.isfinite(own)]]))
        self._unit = 1.0 if whole else max(1.0, float(finite.max(initial=0)) / 1e6)
        matrix = coo_matrix((signs, (rows, columns)), shape=(len(equations), len(cells))).tocsr()
        self._rules = LinearConstraint(matrix, rest / self._unit, rest / self._unit) if len(equations) else ()
        self._bounds = Bounds(own[:, 0] / self._unit, own[:, 1] / self._unit)
        self._whole = np.full(len(cells), int(whole))

    def range_of(self, cell: int) -> Interval:
        """Return the least and the largest value of a cell."""
        return self._end(self._at[cell], 1), self._end(self._at[cell], -1)

    def _end(self, place: int, sign: int) -> float:
        cost = np.zeros(self._whole.size)
        cost[place] = sign
        solution = milp(cost, constraints=self._rules, bounds=self._bounds)
        # Mostly the best of all solutions is of whole numbers, and then it is also the best of those; found sooner.
        if self._whole[0] and solution.x is not None and np.abs(solution.x - np.rint(solution.x)).max() > _WHOLE:
            solution = milp(cost, constraints=self._rules, bounds=self._bounds, integrality=self._whole)
        if solution.status != 0:  # the true table is a solution, and every cell has a bound
            raise CheckFailed("tabulation.audit-does-not-add-up")
        value = float(solution.fun) * sign * self._unit
        return float(round(value)) if self._whole[0] else value
