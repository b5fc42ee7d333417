"""Counting a table, and what it says for the auditor; the same for tables that are asked for and for earlier ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from typing import Any

import numpy as np
import pyarrow as pa

from antifaz.core.errors import ParameterError
from antifaz.core.randomness import check_seed
from antifaz.hierarchies import HierarchyBuilder
from antifaz.tabulation.audit_cells import TableTruth, recount
from antifaz.tabulation.audit_linked import AuditedTable
from antifaz.tabulation.audit_reading import ReadCell
from antifaz.tabulation.cells import count_cells
from antifaz.tabulation.contributions import Contributions
from antifaz.tabulation.protection import Protection, ProtectionTask
from antifaz.tabulation.rule import Needs, SensitivityRule
from antifaz.tabulation.table import CellTable
from antifaz.tabulation.writing import column_names


@dataclass(frozen=True, kw_only=True)
class TabulationRequest:
    """What is asked for, before any row is counted."""

    dimensions: Mapping[str, HierarchyBuilder]
    measure: str | None = None
    person: tuple[str, ...] = ()
    rules: tuple[SensitivityRule, ...] = ()
    protection: Protection
    seed: int | None = None
    name: str = "table"

    def check(self) -> None:
        """Refuse what can't be meant."""
        protection = self.protection
        check_seed("tabulate", self.seed)
        column_names(tuple(self.dimensions), self.measure)
        if protection.needs_rules and not self.rules:
            raise ParameterError("tabulation.no-rules", protection=protection.name)
        if self.measure is not None and not protection.sums:
            raise ParameterError("tabulation.protection-of-counts-only", protection=protection.name)
        if protection.privacy_spent is not None and self.rules:
            raise ParameterError("tabulation.private-without-rules", protection=protection.name)
        if protection.needs_keys and not self.person:
            raise ParameterError("tabulation.protection-needs-person", protection=protection.name)


@dataclass(frozen=True, kw_only=True, eq=False)
class CountedTable:
    """The true cells of a table, and which of them are sensitive."""

    found: Contributions
    rules: tuple[SensitivityRule, ...]
    random: np.random.Generator = field(repr=False)
    table: CellTable
    needs: Needs

    @classmethod
    def count(
        cls, found: Contributions, rules: tuple[SensitivityRule, ...], random: np.random.Generator
    ) -> CountedTable:
        """Count all cells, and find those that are sensitive."""
        table = count_cells(found, max((rule.largest for rule in rules), default=0))
        needs = reduce(or_, (rule.needs(table) for rule in rules), Needs.nothing(table.size))
        return cls(found=found, rules=rules, random=random, table=table, needs=needs)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it counts by."""
        return tuple(dimension.column for dimension in self.table.dimensions)

    def task(self, **more: Any) -> ProtectionTask:
        """Return what a protection gets."""
        return ProtectionTask(table=self.table, needs=self.needs, random=self.random, **more)

    def audited(
        self, cells: Mapping[tuple[str | None, ...], ReadCell], protection: Mapping[str, Any], *, earlier: bool = False
    ) -> AuditedTable:
        """Return it for the auditor, with the cells that were read."""
        rules = [{**rule.parameters(), "name": rule.name} for rule in self.rules]
        return AuditedTable(
            columns=self.columns, cells=cells, truth=truth_of(self.found), rules=rules, protection=protection,
            earlier=earlier,
        )  # fmt: skip


def truth_of(found: Contributions) -> TableTruth:
    """Hand the auditor what was counted, as plain entries and trees of labels."""
    columns: dict[str, pa.Array] = {}
    trees, totals = [], []
    for place, (bound, codes) in enumerate(zip(found.dimensions, found.codes, strict=True)):
        dimension = bound.dimension
        leaves = pa.array([dimension.labels[node] for node in bound.nodes[-1].tolist()], pa.string())
        columns[str(place)] = leaves.take(pa.array(codes))
        labels, parents = dimension.labels, dimension.parents
        trees.append({labels[node]: labels[parents[node]] for node in range(1, dimension.size)})
        totals.append(labels[0])
    persons, keys = found.persons, found.keys
    many = found.amounts.size
    columns["person"] = pa.nulls(many, pa.int64()) if persons is None else pa.array(persons)
    columns["amount"], columns["records"] = pa.array(found.amounts), pa.array(found.records)
    columns["key"] = pa.array(keys[persons] if persons is not None and keys.size else np.zeros(many, np.int64))
    entries, counts = pa.table(columns), found.measure is None
    return recount(entries, trees, tuple(totals), counts=counts, decimals=found.decimals)
