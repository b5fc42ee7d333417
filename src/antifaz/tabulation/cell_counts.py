"""Count the cells of a table, from the leaves to the totals, and say it to the auditor; earlier tables likewise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import reduce
from itertools import product
from operator import or_
from typing import Any

import numpy as np
import pyarrow as pa

from antifaz.core.arrays import Ints
from antifaz.core.errors import ParameterError
from antifaz.core.randomness import check_seed
from antifaz.hierarchies import HierarchyBuilder
from antifaz.tabulation.audit_cells import TableTruth, recount
from antifaz.tabulation.audit_linked import AuditedTable
from antifaz.tabulation.audit_reading import ReadCell
from antifaz.tabulation.contributions import KEYS, Contributions
from antifaz.tabulation.protection import Protection, ProtectionTask
from antifaz.tabulation.rules import Needs, SensitivityRule
from antifaz.tabulation.table import CellTable
from antifaz.tabulation.writing import column_names

#: A table has at most so many cells, empty ones included.
MOST_CELLS = 1_000_000


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

    contributions: Contributions
    rules: tuple[SensitivityRule, ...]
    random: np.random.Generator = field(repr=False)
    table: CellTable
    needs: Needs

    @classmethod
    def count(
        cls, contributions: Contributions, rules: tuple[SensitivityRule, ...], random: np.random.Generator
    ) -> CountedTable:
        """Count all cells, and find those that are sensitive."""
        table = count_cells(contributions, max((rule.largest for rule in rules), default=0))
        needs = reduce(or_, (rule.needs(table) for rule in rules), Needs.nothing(table.size))
        return cls(contributions=contributions, rules=rules, random=random, table=table, needs=needs)

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
            columns=self.columns, cells=cells, truth=truth_of(self.contributions), rules=rules, protection=protection,
            earlier=earlier,
        )  # fmt: skip


def truth_of(contributions: Contributions) -> TableTruth:
    """Hand the auditor what was counted, as plain entries and trees of labels."""
    columns: dict[str, pa.Array] = {}
    trees, totals = [], []
    for place, (bound, codes) in enumerate(zip(contributions.dimensions, contributions.codes, strict=True)):
        dimension = bound.dimension
        leaves = pa.array([dimension.labels[node] for node in bound.nodes[-1].tolist()], pa.string())
        columns[str(place)] = leaves.take(pa.array(codes))
        labels, parents = dimension.labels, dimension.parents
        trees.append({labels[node]: labels[parents[node]] for node in range(1, dimension.size)})
        totals.append(labels[0])
    persons, keys = contributions.persons, contributions.keys
    many = contributions.amounts.size
    columns["person"] = pa.nulls(many, pa.int64()) if persons is None else pa.array(persons)
    columns["amount"], columns["records"] = pa.array(contributions.amounts), pa.array(contributions.records)
    columns["key"] = pa.array(keys[persons] if persons is not None and keys.size else np.zeros(many, np.int64))
    entries, counts = pa.table(columns), contributions.measure is None
    return recount(entries, trees, tuple(totals), counts=counts, decimals=contributions.decimals)


def count_cells(contributions: Contributions, largest: int = 0) -> CellTable:
    """Return all cells of the table, with so many of the largest contributions to each."""
    shape = tuple(bound.dimension.size for bound in contributions.dimensions)
    size = int(np.prod([float(one) for one in shape]))
    if size > MOST_CELLS:
        raise ParameterError("tabulation.too-many-cells", cells=size, most=MOST_CELLS)
    values, contributors = np.zeros(size, np.int64), np.zeros(size, np.int64)
    top, keys = np.zeros((size, largest), np.int64), np.zeros(size if contributions.keys.size else 0, np.int64)
    for levels in product(*(range(len(bound.nodes)) for bound in contributions.dimensions)):
        chosen = zip(contributions.dimensions, levels, contributions.codes, strict=True)
        places = np.ravel_multi_index([bound.nodes[level][codes] for bound, level, codes in chosen], shape)
        cells, amounts, records, persons = _per_contributor(contributions, places)
        # A cell that is at several levels is counted again, and to the same effect.
        there = np.unique(cells)
        contributors[there] = np.bincount(cells, records, size)[there]
        if contributions.measure is None:
            values[there] = contributors[there]
        else:
            values[there] = _exact_sums(cells, amounts * records, size)[there]
        if largest:
            top[there] = _largest(cells, amounts, records, largest, size)[there]
        if contributions.keys.size:
            keys[there] = _exact_sums(cells, contributions.keys[persons], size)[there] % KEYS
    table = CellTable(
        dimensions=tuple(bound.dimension for bound in contributions.dimensions), measure=contributions.measure,
        decimals=contributions.decimals, values=values, contributors=contributors, largest=top,
        counts_people=contributions.persons is not None, additive=True, keys=keys,
    )  # fmt: skip
    return _with_additivity(table)


def _with_additivity(table: CellTable) -> CellTable:
    """Find out whether totals are the sums of their parts; sums always are, counts of people need not be."""
    additive = all(table.values[total] == table.values[parts].sum() for total, parts in table.relations())
    return table if additive else CellTable(**{**vars(table), "additive": False})


def _per_contributor(contributions: Contributions, places: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """Return cell, amount, number and person of all contributors; somebody's amounts in a cell are added up."""
    if contributions.persons is None:
        return places, contributions.amounts, contributions.records, np.zeros(0, np.int64)
    people = int(contributions.persons.max(initial=-1)) + 1
    pairs, which = np.unique(places * people + contributions.persons, return_inverse=True)
    ones = np.ones(pairs.size, np.int64)
    own = (
        ones
        if contributions.measure is None
        else _exact_sums(which, contributions.amounts * contributions.records, pairs.size)
    )
    return pairs // max(people, 1), own, ones, pairs % max(people, 1)


def _exact_sums(places: Ints, amounts: Ints, size: int) -> Ints:
    """Add up whole numbers as whole numbers; `bincount` would take them for binary fractions."""
    sums = np.zeros(size, np.int64)
    np.add.at(sums, places, amounts)
    return sums


def _largest(cells: Ints, amounts: Ints, records: Ints, many: int, size: int) -> Ints:
    """Return the largest amounts in each cell, largest first; an entry counts as often as it has records."""
    # More than `many` records of one entry can't be among the largest.
    times = np.minimum(records, many)
    cells, amounts = np.repeat(cells, times), np.repeat(amounts, times)
    order = np.lexsort((-amounts, cells))
    cells, amounts = cells[order], amounts[order]
    starts = np.searchsorted(cells, cells)
    rank = np.arange(cells.size) - starts
    top, kept = np.zeros((size, many), np.int64), rank < many
    top[cells[kept], rank[kept]] = amounts[kept]
    return top
