"""Tables of the same data as one: cells that say the same are one cell, and what adds up in any of them adds up.

Of one column every table has the same values at the bottom, so a label is known by the values below it. A cell is known
by its labels other than totals: the women of the north are the same in a table by sex and region as in one by sex,
region and age. Tables that share cells in a circle, such as by (a, b), (b, c) and (a, c), say more together than what
they share: then the table by all of their columns is part of it, though nobody publishes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass

import numpy as np

from antifaz.core.arrays import Flags, Floats, Ints
from antifaz.tabulation.rules import Needs
from antifaz.tabulation.table import CellTable, Dimension


@dataclass(frozen=True, kw_only=True, eq=False)
class LinkedCells:
    """The cells of some tables, each once."""

    #: Per table, the number of each of its cells.
    places: tuple[Ints, ...]
    values: Ints
    contributors: Ints
    measure: str | None
    _relations: tuple[tuple[int, Ints], ...]

    @property
    def size(self) -> int:
        """The number of cells."""
        return int(self.values.size)

    def relations(self) -> Iterator[tuple[int, Ints]]:
        """Go through what adds up: a total and its parts."""
        return iter(self._relations)

    def gather(self, each: Sequence[Flags], *, every: bool = False) -> Flags:
        """Return which cells are marked in one of the tables; or in every one that has them."""
        result = np.full(self.size, every)
        for places, marks in zip(self.places, each, strict=True):
            if every:
                result[places] &= marks
            else:
                result[places] |= marks
        return result

    def needs(self, each: Sequence[Needs]) -> Needs:
        """Return what satisfies the needs of all tables."""
        total = Needs.nothing(self.size)
        for places, own in zip(self.places, each, strict=True):
            total |= Needs(
                sensitive=_scatter(own.sensitive, places, self.size), lower=_scatter(own.lower, places, self.size),
                upper=_scatter(own.upper, places, self.size), width=_scatter(own.width, places, self.size),
            )  # fmt: skip
        return total

    def costs(self, each: Sequence[Floats]) -> Floats:
        """Return what hiding each cell costs: the most that it does in a table."""
        result = np.zeros(self.size)
        for places, own in zip(self.places, each, strict=True):
            result[places] = np.maximum(result[places], own)
        return result


def link(tables: Sequence[CellTable]) -> LinkedCells:
    """Return the cells of tables that say the same thing of the same data; those of one table keep their order."""
    columns = list(dict.fromkeys(dimension.column for table in tables for dimension in table.dimensions))
    known: dict[str, dict[tuple[frozenset[str | None], int], int]] = {column: {} for column in columns}
    rows = []
    for table in tables:
        own = {dimension.column: _numbers(dimension, known[dimension.column]) for dimension in table.dimensions}
        labels = np.zeros((table.size, len(columns)), np.int64)
        nodes = np.indices(table.shape).reshape(len(table.shape), -1)
        for dimension, codes in zip(table.dimensions, nodes, strict=True):
            labels[:, columns.index(dimension.column)] = own[dimension.column][codes]
        rows.append(labels)
    _, first, which = np.unique(np.concatenate(rows), axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    rank = np.empty(order.size, np.int64)
    rank[order] = np.arange(order.size)
    places = np.split(rank[which.ravel()], np.cumsum([table.size for table in tables])[:-1])
    values, contributors = np.zeros(order.size, np.int64), np.zeros(order.size, np.int64)
    for table, own_places in zip(tables, places, strict=True):
        values[own_places], contributors[own_places] = table.values, table.contributors
    return LinkedCells(
        places=tuple(places), values=values, contributors=contributors, measure=tables[0].measure,
        _relations=tuple(_relations(tables, places)),
    )  # fmt: skip


def in_circle(columns: Iterable[Set[str]]) -> bool:
    """Say whether tables by these columns say more together than what each two of them share.

    They do not where all can be taken away by these two steps: a column that one table alone has, and a table whose
    columns another one has (Graham's reduction: the hypergraph is acyclic).
    """
    left = [set(own) for own in columns]
    while True:
        seen = [name for own in left for name in own]
        less = [own - {name for name in own if seen.count(name) == 1} for own in left]
        less = [own for at, own in enumerate(less) if not any(
            own < other or (own == other and at > place) for place, other in enumerate(less) if place != at
        )]  # fmt: skip
        if less == left:
            return any(left)
        left = less


def _numbers(dimension: Dimension, known: dict[tuple[frozenset[str | None], int], int]) -> Ints:
    """Return the number of each node: 0 for the total, else one for the values below it.

    A node with a single one below it is another, though both have the same values: it is told by how many are above.
    """
    below: list[set[str | None]] = [set() for _ in dimension.labels]
    for node in range(dimension.size - 1, -1, -1):
        if not dimension.children[node]:
            below[node].add(dimension.labels[node])
        if node:
            below[dimension.parents[node]] |= below[node]
    numbers, rank = np.zeros(dimension.size, np.int64), [0] * dimension.size
    for node in range(1, dimension.size):
        above = dimension.parents[node]
        rank[node] = rank[above] + 1 if below[node] == below[above] else 0
        numbers[node] = known.setdefault((frozenset(below[node]), rank[node]), len(known) + 1)
    return numbers


def _relations(tables: Sequence[CellTable], places: Sequence[Ints]) -> Iterator[tuple[int, Ints]]:
    seen: set[tuple[int, ...]] = set()
    for table, own in zip(tables, places, strict=True):
        for total, parts in table.relations():
            row = own[parts]
            key = (int(own[total]), *sorted(row.tolist()))
            if key not in seen:
                seen.add(key)
                yield key[0], row


def _scatter(own: np.ndarray, places: Ints, size: int) -> np.ndarray:
    result = np.zeros(size, own.dtype)
    result[places] = own
    return result
