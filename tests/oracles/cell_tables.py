"""Small tables whose every consistent version can be listed, for suppression and its attack by brute force."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

import numpy as np
import pyarrow as pa

from antifaz.engines.registry import open_data
from antifaz.hierarchies import flat, parse
from antifaz.tabulation.cell_counts import count_cells
from antifaz.tabulation.contributions import contributions
from antifaz.tabulation.table import CellTable


def table_of(cells: dict[tuple[str, ...], int], hierarchies: dict[str, object] | None = None, sums: bool = False):
    """Return the table in which each combination of leaves has a count, or, as a sum, one contributor."""
    many = len(next(iter(cells)))
    names = [f"d{place}" for place in range(many)]
    rows = [labels for labels, count in cells.items() for _ in range(1 if sums else count)]
    columns = {name: [row[place] for row in rows] for place, name in enumerate(names)}
    amounts = {"amount": list(cells.values())} if sums else {}
    chosen = {name: parse((hierarchies or {}).get(name, flat())) for name in names}
    with open_data(pa.table(columns | amounts)) as data:
        return count_cells(contributions(data, chosen, measure="amount" if sums else None), 2 if sums else 0)


def every_table(table: CellTable, most: np.ndarray) -> np.ndarray:
    """Return, cell by cell, all tables of whole numbers that add up, with leaves up to `most`; empty ones stay so."""
    leaves = np.flatnonzero(table.leaves)
    ranges = [range(most[leaf] + 1) if table.values[leaf] else range(1) for leaf in leaves]
    found = np.zeros((table.size, math.prod(map(len, ranges))), np.int16)
    found[leaves] = np.array(list(product(*ranges)), np.int16).T
    # A total may have totals for its parts: as often as there are levels, all are added up again.
    relations = list(table.relations())
    for _ in range(len(table.dimensions) * 3):
        for total, parts in relations:
            found[total] = found[parts].sum(axis=0)
    return found


def consistent(every: np.ndarray, values: np.ndarray, shown: np.ndarray) -> np.ndarray:
    """Return the tables that agree with all shown cells."""
    left = np.arange(every.shape[1])
    for cell in np.flatnonzero(shown):
        left = left[every[cell, left] == values[cell]]
    return every[:, left]


def patterns(table: CellTable, primary: np.ndarray, costs: np.ndarray, below: float) -> Iterator[np.ndarray]:
    """Go through all sets of hidden cells that hold the sensitive ones and no empty one, and cost less than told."""
    others = sorted(np.flatnonzero((table.values > 0) & ~primary).tolist(), key=lambda cell: -costs[cell])

    def grow(hidden: np.ndarray, place: int, cost: float) -> Iterator[np.ndarray]:
        if place == len(others):
            yield hidden
            return
        yield from grow(hidden, place + 1, cost)
        if cost + costs[others[place]] < below:
            more = hidden.copy()
            more[others[place]] = True
            yield from grow(more, place + 1, cost + costs[others[place]])

    if costs[primary].sum() < below:
        yield from grow(primary.copy(), 0, float(costs[primary].sum()))
