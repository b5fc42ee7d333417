"""The search for what to hide: an integer program whose constraints come from the attacker's linear programs."""

from __future__ import annotations

from collections.abc import Iterator
from time import monotonic

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_matrix

from antifaz.core.arrays import Flags, Floats
from antifaz.core.errors import PrivacyNotReached
from antifaz.tabulation.attack_program import TOLERANCE, AttackProgram, CellDeviation
from antifaz.tabulation.linked_cells import LinkedCells
from antifaz.tabulation.rules import Needs
from antifaz.tabulation.table import CellTable

#: What hiding each cell contributes to a constraint, whose sum must be at least 1.
_Cut = Floats


class _Moves:
    """How far each cell moved in the tables that were found so far, all of which agree with what is published."""

    def __init__(self, needs: Needs) -> None:
        self._needs = needs
        self._up, self._down = np.zeros(needs.lower.size), np.zeros(needs.lower.size)

    def add(self, witness: Floats) -> None:
        self._up, self._down = np.maximum(self._up, witness), np.maximum(self._down, -witness)

    def enough(self, cell: int) -> bool:
        """Say whether a cell is known to move as far as it must."""
        up, down = self._up[cell], self._down[cell]
        asked = (up, self._needs.upper), (down, self._needs.lower), (up + down, self._needs.width)
        return all(moved >= need[cell] * (1 - TOLERANCE) for moved, need in asked)


class SuppressionSearch:
    """The integer program of some tables, and the cuts that were found for it."""

    def __init__(
        self,
        cells: LinkedCells | CellTable,
        needs: Needs,
        costs: Floats,
        *,
        unpublished: Flags | None = None,
        published: Flags | None = None,
    ) -> None:
        """`costs` says what hiding each cell costs; what nobody publishes is hidden, what was published is not."""
        none = np.zeros(costs.size, np.bool_)
        unpublished, published = (none if each is None else each for each in (unpublished, published))
        self.program, self.needs, self.costs = AttackProgram(cells), needs, np.where(unpublished, 0.0, costs)
        self.primary: list[int] = np.flatnonzero(needs.sensitive).tolist()
        #: What is hidden in any case.
        self.always: Flags = needs.sensitive | unpublished
        #: An empty cell is no secret, unless a rule says so or nobody publishes it.
        self.may_hide: Flags = ((cells.contributors > 0) | self.always) & ~published
        self._published = bool(published.any())
        self.rounds = 0
        self._cuts: list[_Cut] = []
        #: Sensitive cells, each with a cell that the attacker knows beside what is published; -1 for none.
        self._attacks: list[tuple[int, int]] = [(-1, cell) for cell in self.primary]
        self._attacks += _insiders(cells, needs, unpublished)

    def solve(self, seconds: float) -> tuple[Flags, float]:
        """Return which cells to hide, and the gap to the least cost: 0 where it is reached."""
        hidden: Flags = self.always.copy()
        if not self.primary:
            return hidden, 0.0
        # What was published before can't be hidden any more, and all else may not be enough.
        if self._published and ((self.always & ~self.may_hide).any() or self._violated_cuts(self.may_hide)):
            raise PrivacyNotReached("tabulation.published-before")
        until, bound = monotonic() + seconds, float(self.costs[hidden].sum())
        self._cuts += self._one_more_per_total()
        while (left := until - monotonic()) > 0:
            self.rounds += 1
            chosen, bound, proved = self._pattern(left, bound)
            if chosen is None:
                break
            hidden = chosen
            violated = self._violated_cuts(hidden, until)
            if not violated:
                return hidden, 0.0 if proved else self._gap(hidden, bound)
            self._cuts += violated
        completed = self._complete_pattern(hidden)
        return completed, self._gap(completed, bound)

    def _gap(self, hidden: Flags, bound: float) -> float:
        cost = float(self.costs[hidden].sum())
        return max(0.0, (cost - bound) / cost)

    def _pattern(self, seconds: float, bound: float) -> tuple[Flags | None, float, bool]:
        """Solve the integer program with the cuts so far; return the pattern, the least cost, and if it is that."""
        low = np.where(self.always, 1.0, 0.0)
        high = np.where(self.may_hide, 1.0, 0.0)
        rules = LinearConstraint(csr_matrix(np.array(self._cuts)), np.ones(len(self._cuts)), np.inf)
        options = {"time_limit": max(seconds, 0.1), "mip_rel_gap": 0.0}
        whole = np.ones(low.size)
        solution = milp(self.costs, constraints=rules, bounds=Bounds(low, high), integrality=whole, options=options)
        if solution.x is None:
            return None, bound, False
        return solution.x > 0.5, max(bound, float(solution.mip_dual_bound)), solution.status == 0

    def _one_more_per_total(self) -> list[_Cut]:
        """A hidden part of a total, or a hidden total, needs a second hidden cell in the same sum."""
        cuts = []
        relations, columns = self.program.relations, self.program.relations.tocsc()
        for cell in self.primary:
            for row in columns[:, cell].indices:
                others = np.abs(relations[row].toarray().ravel())
                others[cell] = 0
                cuts.append(others)
        return cuts

    def _violated_cuts(self, hidden: Flags, until: float = np.inf) -> list[_Cut]:
        """Return cuts for the sensitive cells that the attacker finds too closely; for some where there is no time."""
        moves, whole = self._all_moves(), _Moves(self.needs)
        # Always true where something is amiss: a part of what is hidden now would not do either.
        more = (~hidden).astype(np.float64)
        cuts: list[_Cut] = []
        for known, cell in self._attacks:
            if monotonic() > until:
                return [*cuts, more]
            cuts += self._cuts_of(known, cell, hidden, moves, whole)
        if cuts:
            return [*cuts, more]
        # A count is a whole number: that may leave less room than the linear program says.
        for cell in self.primary if self.program.whole_numbers else ():
            if monotonic() > until or not self._whole_enough(cell, hidden, whole):
                return [more]
        return []

    def _all_moves(self) -> dict[int, _Moves]:
        return {known: _Moves(self.needs) for known, _ in self._attacks}

    def _cuts_of(self, known: int, cell: int, hidden: Flags, moves: dict[int, _Moves], whole: _Moves) -> Iterator[_Cut]:
        if moves[known].enough(cell):
            return
        upper, lower, width = (float(part[cell]) for part in (self.needs.upper, self.needs.lower, self.needs.width))
        unknown = _without(hidden, known)
        up, down = (
            self.program.reach(cell, direction, unknown, max(asked, width))
            for direction, asked in ((1, upper), (-1, lower))
        )
        for reach in (up, down):
            _add(moves, reach.witness)
            if np.abs(reach.witness - np.rint(reach.witness)).max() < TOLERANCE:
                whole.add(np.rint(reach.witness))
        if up.distance < upper * (1 - TOLERANCE):
            yield self._cut(cell, upper, ((up, 1),), known)
        if down.distance < lower * (1 - TOLERANCE):
            yield self._cut(cell, lower, ((down, -1),), known)
        if up.distance + down.distance < width * (1 - TOLERANCE):
            yield self._cut(cell, width, ((up, 1), (down, -1)), known)

    def _cut(self, cell: int, least: float, attacks: tuple[tuple[CellDeviation, int], ...], known: int) -> _Cut:
        """Return the capacity constraint: what hiding each cell lets the sensitive one move must reach `least`."""
        room = np.zeros(self.costs.size)
        for reach, direction in attacks:
            reduced = -(self.program.relations.T @ reach.prices)
            reduced[cell] += 1
            reduced *= direction
            # A cell that may rise may rise without bound; one that may fall, down to zero.
            room += np.where(reduced > TOLERANCE, np.inf, 0.0)
            room += np.where(reduced < -TOLERANCE, -reduced * self.program.values * self.program.unit, 0.0)
        if known >= 0:
            room[known] = 0
        fixed = float(np.minimum(room, least)[self.always].sum())
        rest = max(least - fixed, least * TOLERANCE)
        cut = np.minimum(room, rest) / rest
        cut[self.always] = 0
        return np.asarray(cut, np.float64)

    def _whole_enough(self, cell: int, hidden: Flags, whole: _Moves) -> bool:
        most = max(float(self.needs.upper[cell]), float(self.needs.width[cell]))
        for direction in (1, -1):
            if not whole.enough(cell):
                whole.add(self.program.whole_reach(cell, direction, hidden, most))
        return whole.enough(cell)

    def _complete_pattern(self, hidden: Flags) -> Flags:
        """Hide what it still takes, sensitive cell by sensitive cell, each time in the cheapest way to move it."""
        hidden, moves = hidden.copy(), self._all_moves()
        for known, cell in self._attacks:
            for distance in (max(self.needs.upper[cell], self.needs.width[cell]), -self.needs.lower[cell]):
                if distance and not moves[known].enough(cell):
                    costs = np.where(hidden, 0.0, self.costs)
                    allowed = _without(self.may_hide, known)
                    witness = self.program.cheapest_move(cell, float(distance), costs, allowed)
                    hidden |= np.abs(witness) > TOLERANCE * abs(distance)
                    _add(moves, witness)
        return hidden


def _insiders(cells: LinkedCells | CellTable, needs: Needs, unpublished: Flags) -> list[tuple[int, int]]:
    """Return, of sums, each sensitive cell with a cell of the same total that has one contributor, who knows it."""
    if cells.measure is None:
        return []
    pairs = set()
    for _, parts in cells.relations():
        if unpublished[parts].all():
            continue
        alone, sensitive = parts[cells.contributors[parts] == 1], parts[needs.sensitive[parts]]
        pairs |= {(own, cell) for own in alone.tolist() for cell in sensitive.tolist() if own != cell}
    return sorted(pairs)


def _without(cells: Flags, known: int) -> Flags:
    """Return which cells may move where one of them is known."""
    if known < 0:
        return cells
    others = cells.copy()
    others[known] = False
    return others


def _add(moves: dict[int, _Moves], witness: Floats) -> None:
    """Note how far cells moved, for everybody who knows of none that did."""
    for known, own in moves.items():
        if known < 0 or abs(witness[known]) < TOLERANCE:
            own.add(witness)
