"""Tables as an attacker has them: all at once, and what says the same in two of them is one unknown.

By code of its own, as all of the auditor: a label is known by the values below it, a cell by its labels but totals.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from antifaz.core.errors import CheckFailed
from antifaz.tabulation.audit_cells import CellTruth, Labels, TableTruth, Tree
from antifaz.tabulation.audit_intervals import Interval
from antifaz.tabulation.audit_reading import ReadCell

#: Pairs of a column and the values that a label of it stands for, and how many labels of the same values are above.
Cell = frozenset[tuple[str, frozenset[str | None], int]]
_NOBODY = CellTruth()


@dataclass(frozen=True, kw_only=True, eq=False)
class AuditedTable:
    """One table as it was read, with what is true of it, and what was asked for it."""

    columns: tuple[str, ...]
    cells: Mapping[Labels, ReadCell]
    truth: TableTruth
    rules: Sequence[Mapping[str, Any]]
    protection: Mapping[str, Any]
    #: Whether it was published before, by rules of its own.
    earlier: bool = False


class Linked:
    """All that is published, and what is true of it, by cells that are the same in all tables."""

    def __init__(self, tables: Sequence[AuditedTable], knowledge: Sequence[Mapping[Labels, Interval]]) -> None:
        """`knowledge` says of each table between which values its cells are known to lie by themselves."""
        self.names = [_cell_names(table) for table in tables]
        self.known: dict[Cell, Interval] = {}
        self.values: dict[Cell, int] = {}
        self.contributors: dict[Cell, int] = {}
        for table, names, known in zip(tables, self.names, knowledge, strict=True):
            for labels, (low, high) in known.items():
                cell = names[labels]
                least, most = self.known.get(cell, (low, high))
                self.known[cell] = max(low, least), min(high, most)
                value = table.truth.value(labels)
                if self.values.setdefault(cell, value) != value:
                    raise CheckFailed("tabulation.audit-value-differs")
                self.contributors[cell] = table.truth.cells.get(labels, _NOBODY).contributors
        self._tables = tables

    def relations(self) -> Iterator[tuple[Cell, list[Cell]]]:
        """Go through what adds up in any of the tables."""
        for table, names in zip(self._tables, self.names, strict=True):
            for total, parts in table.truth.relations():
                yield names[total], [names[part] for part in parts]


def _cell_names(table: AuditedTable) -> dict[Labels, Cell]:
    """Return the name of each cell, by its labels in the table."""
    truth = table.truth
    own = [_label_names(*each) for each in zip(table.columns, truth.trees, truth.totals, strict=True)]
    return {
        labels: frozenset(name for names, label in zip(own, labels, strict=True) if (name := names[label]) is not None)
        for labels in truth.all_labels()
    }


def _label_names(
    column: str, tree: Tree, top: str | None
) -> dict[str | None, tuple[str, frozenset[str | None], int] | None]:
    """Return the name of each label of a column: the values below it; None for the total."""
    below: dict[str | None, set[str | None]] = {label: set() for label in (top, *tree)}
    for leaf in tree.keys() - set(tree.values()):
        label: str | None = leaf
        below[label].add(leaf)
        while label in tree:
            label = tree[label]
            below[label].add(leaf)
    names: dict[str | None, tuple[str, frozenset[str | None], int] | None] = {top: None}
    for label, values in below.items():
        above, same = label, 0
        while above in tree and below[tree[above]] == values:
            above, same = tree[above], same + 1
        if label != top:
            names[label] = (column, frozenset(values), same)
    return names
