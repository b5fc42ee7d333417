"""Counting cells: every combination of labels, from the leaves to the totals, with its largest contributors."""

from __future__ import annotations

from itertools import product

import numpy as np

from antifaz.core.arrays import Ints
from antifaz.core.errors import ParameterError
from antifaz.tabulation.contributions import KEYS, Contributions
from antifaz.tabulation.table import CellTable

#: A table has at most so many cells, empty ones included.
MOST_CELLS = 1_000_000


def count_cells(found: Contributions, largest: int = 0) -> CellTable:
    """Return all cells of the table, with so many of the largest contributions to each."""
    shape = tuple(bound.dimension.size for bound in found.dimensions)
    size = int(np.prod([float(one) for one in shape]))
    if size > MOST_CELLS:
        raise ParameterError("tabulation.too-many-cells", cells=size, most=MOST_CELLS)
    values, contributors = np.zeros(size, np.int64), np.zeros(size, np.int64)
    top, keys = np.zeros((size, largest), np.int64), np.zeros(size if found.keys.size else 0, np.int64)
    for levels in product(*(range(len(bound.nodes)) for bound in found.dimensions)):
        chosen = zip(found.dimensions, levels, found.codes, strict=True)
        places = np.ravel_multi_index([bound.nodes[level][codes] for bound, level, codes in chosen], shape)
        cells, amounts, records, persons = _per_contributor(found, places)
        # A cell that is at several levels is counted again, and to the same effect.
        there = np.unique(cells)
        contributors[there] = np.bincount(cells, records, size)[there]
        if found.measure is None:
            values[there] = contributors[there]
        else:
            values[there] = _exact_sums(cells, amounts * records, size)[there]
        if largest:
            top[there] = _largest(cells, amounts, records, largest, size)[there]
        if found.keys.size:
            keys[there] = _exact_sums(cells, found.keys[persons], size)[there] % KEYS
    table = CellTable(
        dimensions=tuple(bound.dimension for bound in found.dimensions), measure=found.measure,
        decimals=found.decimals, values=values, contributors=contributors, largest=top,
        counts_people=found.persons is not None, additive=True, keys=keys,
    )  # fmt: skip
    return _checked(table)


def _checked(table: CellTable) -> CellTable:
    """Find out whether totals are the sums of their parts; sums always are, counts of people need not be."""
    additive = all(table.values[total] == table.values[parts].sum() for total, parts in table.relations())
    return table if additive else CellTable(**{**vars(table), "additive": False})


def _per_contributor(found: Contributions, places: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """Return cell, amount, number and person of all contributors; somebody's amounts in a cell are added up."""
    if found.persons is None:
        return places, found.amounts, found.records, np.zeros(0, np.int64)
    people = int(found.persons.max(initial=-1)) + 1
    pairs, which = np.unique(places * people + found.persons, return_inverse=True)
    ones = np.ones(pairs.size, np.int64)
    own = ones if found.measure is None else _exact_sums(which, found.amounts * found.records, pairs.size)
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
