"""The second verifier: it reads a written table back, and attacks it as somebody would who knows what adds up.

Nothing here is shared with what made the table. Cells are counted again from what rows contribute, by other means; the
rules are written a second time; and for every cell that is not published exactly a linear program finds the least and
the largest value that all published cells allow. Counts are whole numbers in that program, too.

| protection | what the attacker knows of a cell                                       |
|------------|-------------------------------------------------------------------------|
| suppression| its value where it is shown; of the others, that they are not negative  |
| rounding   | that it is less than a base away (nearest: at most half a base)         |
| cell-key   | that it is at most the largest noise away, and not 0 unless 0 is shown  |
| laplace, gaussian | nothing for certain: what is promised is not an interval         |

Tables of the same data are attacked together: what says the same in two of them is one unknown (`audit_linked`).

Of sums, whoever is the only contributor to a hidden cell knows it, and attacks the cells beside it.

A sensitive cell of value a holds where low ≤ a - lower, high ≥ a + upper and high - low ≥ width, as the rules ask.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import pairwise, product
from typing import Any

from antifaz.core.errors import CheckFailed
from antifaz.tabulation.audit_cells import CellTruth, Labels, TableTruth
from antifaz.tabulation.audit_intervals import Interval, intervals
from antifaz.tabulation.audit_linked import AuditedTable, Cell, Linked
from antifaz.tabulation.audit_reading import ReadCell

#: What is less than this, in shares of what is asked for, is taken for the solver's own error.
_SLACK = 1e-6
#: Between which values each cell is known to lie from its own entry alone.
Knowledge = dict[Labels, Interval]
#: What stands for the protection of a table that is not published at all.
UNPUBLISHED = "unpublished"
#: How far low and high must be off a value, and how far apart.
_Need = tuple[float, float, float]


@dataclass(frozen=True, kw_only=True)
class AuditResult:
    """What the attack found, without any hidden value."""

    #: How many cells a rule finds sensitive.
    sensitive: int
    #: How many cells were attacked.
    attacked: int
    #: Between which values each attacked cell lies, as anybody can compute it; in units of the measure.
    intervals: Mapping[Labels, Interval] = field(repr=False)
    #: The narrowest of the intervals, and the one in the middle.
    narrowest: float | None
    median: float | None

    def as_dict(self) -> dict[str, Any]:
        """Return the account for the evidence."""
        width = {"narrowest_interval": self.narrowest, "median_interval": self.median}
        return {"holds": True, "sensitive": self.sensitive, "attacked": self.attacked, **width}


_NOTHING = AuditResult(sensitive=0, attacked=0, intervals={}, narrowest=None, median=None)


def audit(
    cells: Mapping[Labels, ReadCell],
    truth: TableTruth,
    rules: Sequence[Mapping[str, Any]],
    protection: Mapping[str, Any],
) -> AuditResult:
    """Check what was read back against the truth, attack it, and raise `CheckFailed` unless every cell holds."""
    columns = tuple(str(place) for place in range(len(truth.trees)))
    table = AuditedTable(columns=columns, cells=cells, truth=truth, rules=rules, protection=protection)
    return audit_together([table])[0]


def audit_together(tables: Sequence[AuditedTable]) -> list[AuditResult]:
    """Attack tables of the same data with all that they say together; return the account of each that is not earlier.

    A table by the protection `UNPUBLISHED` is one that nobody has: its cells only tie those of the others together.
    """
    knowledge = [_knowledge(table) for table in tables]
    # Of what is promised by probabilities there is no interval, and nothing is known for certain.
    open_tables = [(table, known) for table, known in zip(tables, knowledge, strict=True) if known is not None]
    attacked = iter(_attack([table for table, _ in open_tables], [known for _, known in open_tables]))
    results = [_NOTHING if known is None else next(attacked) for known in knowledge]
    return [
        result
        for table, result in zip(tables, results, strict=True)
        if not table.earlier and table.protection["name"] != UNPUBLISHED
    ]


def _knowledge(table: AuditedTable) -> Knowledge | None:
    """Check a table's cells against the truth, and return what is known of each; None where no interval is."""
    protection, rules, cells = table.protection, table.rules, table.cells
    unknown = [each["name"] for each in (protection, *rules) if each["name"] not in CHECKS | _NEEDS]
    if unknown:
        raise CheckFailed("tabulation.audit-has-no-check", name=unknown[0])
    every = set(table.truth.all_labels())
    if not (cells.keys() <= every if protection["name"] in OMITTING else cells.keys() == every):
        raise CheckFailed("tabulation.audit-cells-differ")
    return CHECKS[protection["name"]](cells, table.truth, protection)


def still_true(table: AuditedTable) -> bool:
    """Say whether what a table says is true of the data of today, as far as its protection lets it be seen."""
    try:
        return _knowledge(table) is not None
    except CheckFailed:
        return False


def _sensitive(table: AuditedTable) -> dict[Labels, _Need]:
    """Return the cells that a rule finds, and what it asks of each."""
    truth, rules = table.truth, table.rules
    needs = {labels: _needs(cell, rules, truth) for labels, cell in truth.cells.items()}
    if any(rule.get("zeros") for rule in rules if rule["name"] == "threshold"):
        needs |= {labels: _needs(CellTruth(), rules, truth) for labels in table.cells if labels not in truth.cells}
    return {labels: need for labels, need in needs.items() if need is not None}


def _attack(tables: Sequence[AuditedTable], knowledge: Sequence[Knowledge]) -> list[AuditResult]:
    linked = Linked(tables, knowledge)
    own = [_sensitive(table) for table in tables]
    sensitive: dict[Cell, _Need] = {}
    for names, needs in zip(linked.names, own, strict=True):
        for labels, need in needs.items():
            asked = sensitive.get(names[labels], need)
            sensitive[names[labels]] = (max(need[0], asked[0]), max(need[1], asked[1]), max(need[2], asked[2]))
    # Where even the totals are hidden there is no largest value; the program is given one that is more than enough.
    total = max((table.truth.value(table.truth.totals) for table in tables), default=0)
    most = 2.0 * total + 2.0 * max((max(need) for need in sensitive.values()), default=0.0) + 1
    known = {cell: (low, min(high, most)) for cell, (low, high) in linked.known.items()}
    exact = all(table.protection["name"] in ("suppression", UNPUBLISHED) for table in tables)
    counts = all(table.truth.counts for table in tables)
    published = {names[labels] for table, names in zip(tables, linked.names, strict=True) for labels in table.cells
                 if table.protection["name"] != UNPUBLISHED}  # fmt: skip
    hidden = [cell for cell, (low, high) in known.items() if high > low and cell in published]
    attacked = hidden if exact else [cell for cell in hidden if cell in sensitive]
    relations = list(linked.relations())
    bounds = intervals(known, relations, attacked, whole=counts and exact)
    open_to = {
        cell for cell, need in sensitive.items() if not _holds(bounds.get(cell, known[cell]), linked.values[cell], need)
    }
    if exact and not counts and not open_to:
        open_to = _open_to_insiders(known, linked, published, relations, sensitive)
    if open_to:
        raise CheckFailed("tabulation.audit-cells-found", cells=len(open_to), sensitive=len(sensitive))
    bounds = {cell: (low, math.inf if high >= most else high) for cell, (low, high) in bounds.items()}
    return [
        _account(table, names, needs, bounds) for table, names, needs in zip(tables, linked.names, own, strict=True)
    ]


def _account(
    table: AuditedTable, names: Mapping[Labels, Cell], needs: Mapping[Labels, _Need], bounds: Mapping[Cell, Interval]
) -> AuditResult:
    ends = {labels: bounds[names[labels]] for labels in table.cells if names[labels] in bounds}
    widths = sorted(high - low for low, high in ends.values())
    scale = 10**table.truth.decimals
    return AuditResult(
        sensitive=len(needs), attacked=len(ends),
        intervals={labels: (low / scale, high / scale) for labels, (low, high) in ends.items()},
        narrowest=_finite(widths[0] / scale) if widths else None,
        median=_finite(widths[len(widths) // 2] / scale) if widths else None,
    )  # fmt: skip


def _open_to_insiders(
    known: Mapping[Cell, Interval],
    linked: Linked,
    published: Set[Cell],
    relations: Sequence[tuple[Cell, list[Cell]]],
    sensitive: Mapping[Cell, _Need],
) -> set[Cell]:
    """Return the sensitive cells that the one contributor to a cell beside them, who knows it, finds too closely."""
    siblings: dict[Cell, set[Cell]] = {}
    for _, parts in relations:
        for own in parts:
            if linked.contributors[own] == 1 and known[own][0] < known[own][1] and own in published:
                siblings.setdefault(own, set()).update(part for part in parts if part != own and part in sensitive)
    failing: set[Cell] = set()
    for own, cells in siblings.items():
        value = linked.values[own]
        bounds = intervals({**known, own: (value, value)}, relations, sorted(cells, key=str), whole=False)
        failing |= {cell for cell in cells if not _holds(bounds[cell], linked.values[cell], sensitive[cell])}
    return failing


def _finite(width: float) -> float | None:
    return width if math.isfinite(width) else None


def _holds(interval: Interval, value: int, need: _Need) -> bool:
    (low, high), (lower, upper, width) = interval, need
    reached = (value - low, lower), (high - value, upper), (high - low, width)
    return all(distance >= asked * (1 - _SLACK) for distance, asked in reached)


# -- the rules, a second time: how far off low and high must be, and how far apart; None where nothing is asked


def _needs(cell: CellTruth, rules: Sequence[Mapping[str, Any]], truth: TableTruth) -> _Need | None:
    needs = [need for rule in rules if (need := _NEEDS[rule["name"]](cell, rule, truth.counts)) is not None]
    return (max(n[0] for n in needs), max(n[1] for n in needs), max(n[2] for n in needs)) if needs else None


def _threshold(cell: CellTruth, rule: Mapping[str, Any], counts: bool) -> _Need | None:
    if cell.contributors >= rule["k"] or (cell.contributors == 0 and not (counts and rule.get("zeros"))):
        return None
    if counts:
        return 0.0, 0.0, rule["k"] - 1.0
    off = max(cell.total * rule["within"], 1.0)
    return min(off, cell.total), off, 0.0


def _dominance(cell: CellTruth, rule: Mapping[str, Any], counts: bool) -> _Need | None:
    largest = sum(cell.amounts(rule["n"]))
    if largest * 100 <= cell.total * rule["k"]:
        return None
    off = largest * 100 / rule["k"] - cell.total
    return min(off, cell.total), off, 0.0


def _p_percent(cell: CellTruth, rule: Mapping[str, Any], counts: bool) -> _Need | None:
    first, second = (*cell.amounts(2), 0, 0)[:2]
    rest = cell.total - first - second
    if rest * 100 >= first * rule["p"]:
        return None
    off = first * rule["p"] / 100 - rest
    return min(off, cell.total), off, 0.0


_NEEDS: dict[str, Callable[[CellTruth, Mapping[str, Any], bool], _Need | None]] = {
    "threshold": _threshold,
    "dominance": _dominance,
    "p-percent": _p_percent,
}


# -- what each protection promises of every cell, and what an attacker knows of it


def _suppression(cells: Mapping[Labels, ReadCell], truth: TableTruth, protection: Mapping[str, Any]) -> Knowledge:
    known: Knowledge = {}
    for labels, cell in cells.items():
        if cell.value is not None and cell.value != truth.value(labels):
            raise CheckFailed("tabulation.audit-value-differs")
        known[labels] = (0, math.inf) if cell.value is None else (cell.value, cell.value)
    return known


def _rounding(cells: Mapping[Labels, ReadCell], truth: TableTruth, protection: Mapping[str, Any]) -> Knowledge:
    base = protection["base"] * 10**truth.decimals
    known: Knowledge = {}
    for labels, cell in cells.items():
        far = base // 2 if protection["kind"] == "nearest" else base - 1
        if protection["kind"] == "controlled":
            far += protection.get("steps", 0) * base
        value = _shown(cell)
        if value % base or abs(value - truth.value(labels)) > far:
            raise CheckFailed("tabulation.audit-value-differs")
        known[labels] = (max(0, value - far), value + far)
    if protection["kind"] == "controlled":
        for total, parts in truth.relations():
            if _shown(cells[total]) != sum(_shown(cells[part]) for part in parts):
                raise CheckFailed("tabulation.audit-value-differs")
    return known


def _cell_key(cells: Mapping[Labels, ReadCell], truth: TableTruth, protection: Mapping[str, Any]) -> Knowledge:
    known: Knowledge = {}
    drawn: dict[int, list[tuple[int, int]]] = {}
    far, smallest = protection["noise"], protection["smallest"]
    for labels, cell in cells.items():
        value, true = _shown(cell), truth.value(labels)
        if abs(value - true) > far or 0 < value <= smallest or (value and not true):
            raise CheckFailed("tabulation.audit-value-differs")
        # Of one count the noise depends on the key alone, and does not fall where the key rises.
        drawn.setdefault(min(true, far + smallest), []).append((truth.key(labels), value - true))
        known[labels] = (max(int(value > 0), value - far), value + far)
    for pairs in drawn.values():
        ordered = sorted(pairs)
        if any(b[1] < a[1] or (a[0] == b[0] and a[1] != b[1]) for a, b in pairwise(ordered)):
            raise CheckFailed("tabulation.audit-noise-not-by-key")
    return known


def _private(cells: Mapping[Labels, ReadCell], truth: TableTruth, protection: Mapping[str, Any]) -> None:
    """Check what can be seen of noise: no cell of values is below the threshold, and totals are sums of what is there.

    That the noise was drawn as it must be no file can show.
    """
    sums: dict[Labels, int] = dict.fromkeys([truth.totals], 0)
    for labels, cell in cells.items():
        value = _shown(cell)
        if any(label == top for label, top in zip(labels, truth.totals, strict=True)):
            continue
        if value < protection["threshold"]:
            raise CheckFailed("tabulation.audit-value-differs")
        for above in product(*zip(labels, truth.totals, strict=True)):
            sums[above] = sums.get(above, 0) + value
    if sums != {labels: cell.value for labels, cell in cells.items()}:
        raise CheckFailed("tabulation.audit-value-differs")


def _unpublished(cells: Mapping[Labels, ReadCell], truth: TableTruth, protection: Mapping[str, Any]) -> Knowledge:
    return dict.fromkeys(cells, (0, math.inf))


def _shown(cell: ReadCell) -> int:
    if cell.value is None:
        raise CheckFailed("tabulation.audit-value-differs")
    return cell.value


#: Per protection: check every cell against the truth, and return what is known of each; None where no interval is.
CHECKS: dict[str, Callable[[Mapping[Labels, ReadCell], TableTruth, Mapping[str, Any]], Knowledge | None]] = {
    "suppression": _suppression,
    "rounding": _rounding,
    "cell-key": _cell_key,
    "laplace": _private,
    "gaussian": _private,
    UNPUBLISHED: _unpublished,
}
#: The protections that leave cells out with their labels.
OMITTING = ("laplace", "gaussian")
