"""Tables of the same data that are published together, or after others: protected as one, and attacked as one.

Those that count the same, records or people, or sum the same column, say something of each other; others do not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from antifaz.core.messages import Message
from antifaz.engines.engine import Data
from antifaz.hierarchies import flat
from antifaz.tabulation import audit as auditor
from antifaz.tabulation.audit_linked import AuditedTable
from antifaz.tabulation.audit_reading import ReadCell
from antifaz.tabulation.cell_counts import CountedTable
from antifaz.tabulation.contributions import contributions
from antifaz.tabulation.earlier_tables import EarlierTable
from antifaz.tabulation.linked_cells import in_circle
from antifaz.tabulation.protection import Protected, Protection

#: A table that ties others together in a circle has at most so many cells: an attack takes seconds then.
MOST_JOINT_CELLS = 5_000
Cells = Mapping[tuple[str | None, ...], ReadCell]


@dataclass(kw_only=True, eq=False)
class LinkedTables:
    """Tables that count the same of the same data: new ones, those published before, and what ties them together."""

    protection: Protection
    new: list[CountedTable]
    names: list[str]
    earlier: list[tuple[CountedTable, EarlierTable]] = field(default_factory=list)
    joint: CountedTable | None = None
    notes: list[str] = field(default_factory=list)
    #: Of each new table, what is published, by the account of the protection and as it was last read.
    protected: list[Protected] = field(default_factory=list)
    cells: list[Cells] = field(default_factory=list)
    _judged: tuple[list[Cells], list[auditor.AuditResult]] | None = None

    def protect(self) -> None:
        """Find what may be published of each new table."""
        tasks = [table.task() for table in self.new]
        tasks += [table.task(before=old.shown(table.table)) for table, old in self.earlier if old.exact]
        tasks += [] if self.joint is None else [self.joint.task(published=False)]
        self.protected = self.protection.protect_together(tasks)

    def judge(self, at: int, cells: Cells) -> auditor.AuditResult:
        """Attack all tables, one of them as it was read now; the same cells are not attacked twice."""
        self.cells[at] = cells
        if self._judged is None or self._judged[0] != self.cells:
            self._judged = list(self.cells), auditor.audit_together(list(self._audited()))
        return self._judged[1][at]

    def _audited(self) -> list[AuditedTable]:
        tables = []
        for table, cells, protected in zip(self.new, self.cells, self.protected, strict=True):
            protection = {**self.protection.parameters(), **protected.details, "name": self.protection.name}
            tables.append(table.audited(cells, protection))
        tables += [table.audited(old.cells, old.protection, earlier=True) for table, old in self.earlier]
        if self.joint is not None:
            nothing = dict.fromkeys(self.joint.table.labels(), ReadCell(None))
            tables.append(self.joint.audited(nothing, {"name": auditor.UNPUBLISHED}))
        return tables

    def account(self, at: int) -> dict[str, Any]:
        """Return what the evidence says of the other tables that one was attacked with."""
        others = [name for place, name in enumerate(self.names) if place != at]
        return {"tables": others, "earlier": [old.release for _, old in self.earlier], "circle": self.joint is not None}


def add_earlier(linked: LinkedTables, data: Data, earlier: Sequence[EarlierTable], person: tuple[str, ...]) -> None:
    """Take in the tables published before that count the same, as far as what they say is true of this data."""
    for old in earlier:
        if (old.measure, old.person) != (linked.new[0].table.measure, person):
            continue
        counted = old.count(data)
        if counted is not None and auditor.still_true(counted.audited(old.cells, old.protection, earlier=True)):
            linked.earlier.append((counted, old))


def add_joint(linked: LinkedTables, data: Data, person: tuple[str, ...]) -> None:
    """Take in the table by all columns where the others share theirs in a circle; or note that it is too large."""
    every = [*linked.new, *(table for table, _ in linked.earlier)]
    columns = [frozenset(table.columns) for table in every]
    if not in_circle(columns):
        return
    names = sorted(frozenset().union(*columns))
    leaves = {
        name: dimension
        for table in every
        for name, dimension in zip(table.columns, table.table.dimensions, strict=True)
    }
    size = float(np.prod([1.0 + sum(not below for below in leaves[name].children) for name in names]))
    if size <= MOST_JOINT_CELLS:
        counted = contributions(data, {name: flat() for name in names}, measure=every[0].table.measure, person=person)
        joint = CountedTable.count(counted, (), every[0].random)
        if joint.table.additive:
            linked.joint = joint
            return
    linked.notes.append(Message("tabulation.circle-not-attacked", columns=names))
