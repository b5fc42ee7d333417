"""A table that was published before, read from its folder, and counted again from the data of today."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from antifaz.core.arrays import Flags
from antifaz.core.errors import AntifazError
from antifaz.engines.engine import Data
from antifaz.hierarchies import flat
from antifaz.ledger.drafts import sha256_unless_link
from antifaz.tabulation.audit_reading import ReadCell, read_cells
from antifaz.tabulation.cell_counts import CountedTable
from antifaz.tabulation.contributions import contributions
from antifaz.tabulation.dimensions import BoundDimension
from antifaz.tabulation.rules import Dominance, PPercent, SensitivityRule, Threshold
from antifaz.tabulation.table import CellTable, Dimension
from antifaz.tabulation.writing import STATUS, value_column

#: The rules that an earlier table may have been made by.
_RULES: dict[str, type[SensitivityRule]] = {rule.name: rule for rule in (Threshold, Dominance, PPercent)}


@dataclass(frozen=True, kw_only=True)
class EarlierTable:
    """What a published table says, and by which rules it was made."""

    release: str
    dimensions: tuple[Dimension, ...]
    measure: str | None
    person: tuple[str, ...]
    decimals: int
    rules: tuple[SensitivityRule, ...]
    protection: Mapping[str, Any]
    cells: Mapping[tuple[str | None, ...], ReadCell] = field(repr=False)

    @property
    def exact(self) -> bool:
        """Whether its cells are true or hidden."""
        return str(self.protection["name"]) == "suppression"

    def shown(self, table: CellTable) -> Flags:
        """Return which of its cells it shows."""
        return np.array([self.cells[labels].value is not None for labels in table.labels()], np.bool_)

    def count(self, data: Data) -> CountedTable | None:
        """Count its cells in the data of today; None where it has values that the table does not know."""
        builders = {dimension.column: flat() for dimension in self.dimensions}
        try:
            counted = contributions(data, builders, measure=self.measure, person=self.person)
        except AntifazError:
            return None  # columns that are no longer there, or no longer numbers
        bound = [
            _bind_published(own, dimension) for own, dimension in zip(counted.dimensions, self.dimensions, strict=True)
        ]
        known = tuple(own for own in bound if own is not None)
        if len(known) < len(bound) or counted.decimals != self.decimals:
            return None
        return CountedTable.count(replace(counted, dimensions=known), self.rules, np.random.default_rng(0))


def _bind_published(flat_dimension: BoundDimension, dimension: Dimension) -> BoundDimension | None:
    """Bind the values of a column to the labels of a published table, which says what is above what."""
    place = {label: node for node, label in enumerate(dimension.labels) if not dimension.children[node]}
    leaves = [flat_dimension.dimension.labels[node] for node in flat_dimension.nodes[-1].tolist()]
    if not all(leaf in place for leaf in leaves):
        return None
    paths = []
    for leaf in leaves:
        way = [place[leaf]]
        while dimension.parents[way[-1]] >= 0:
            way.append(dimension.parents[way[-1]])
        paths.append(way[::-1])
    depth = max(map(len, paths), default=1)
    nodes = tuple(np.array([way[min(level, len(way) - 1)] for way in paths], np.int64) for level in range(depth))
    return BoundDimension(dimension=dimension, domain=flat_dimension.domain, nodes=nodes)


def read_earlier(row: Mapping[str, Any]) -> EarlierTable | None:
    """Read a table of the ledger from its folder; None where it is not there, or not as it was handed out."""
    folder, files = Path(row["place"]) / row["part"], json.loads(row["files"] or "{}")
    try:
        evidence = json.loads((folder / "evidence.json").read_text(encoding="utf-8"))
        file = folder / evidence["released"]["file"]
        if sha256_unless_link(file) not in files.get((Path(row["part"]) / file.name).as_posix(), ()):
            return None
        about = evidence["table"]
        dimensions = tuple(_dimension(each) for each in about["dimensions"])
        rules = tuple(
            _RULES[each["rule"]](**{key: value for key, value in each.items() if key not in ("rule", "sensitive")})
            for each in evidence["rules"]
        )
        columns = [dimension.column for dimension in dimensions]
        cells = read_cells(file, columns, value_column(about["measure"]), STATUS, about["decimals"])
        return EarlierTable(
            release=row["id"], dimensions=dimensions, measure=about["measure"], person=tuple(about["person"]),
            decimals=about["decimals"], rules=rules, protection=evidence["protection"], cells=cells,
        )  # fmt: skip
    except (OSError, ValueError, KeyError, TypeError, AntifazError):
        return None


def _dimension(about: Mapping[str, Any]) -> Dimension:
    labels = [label for label, _ in about["tree"]]
    place = {label: node for node, label in enumerate(labels)}
    parents = [-1, *(place[above] for _, above in about["tree"][1:])]
    return Dimension(column=about["column"], labels=tuple(labels), parents=tuple(parents))
