"""A table of counts or sums: dimensions that are trees of labels, and one cell per combination of their nodes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

import numpy as np

from antifaz.core.arrays import Flags, Ints


@dataclass(frozen=True, kw_only=True, eq=False)
class Dimension:
    """The nodes of one column's hierarchy, each once, parents before children; node 0 is the total."""

    column: str
    #: None is a missing value, which is a category of its own.
    labels: tuple[str | None, ...]
    #: The node above each node; -1 above the total.
    parents: tuple[int, ...]

    @property
    def size(self) -> int:
        """The number of nodes."""
        return len(self.labels)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The nodes right below each node; none below a leaf."""
        below: list[list[int]] = [[] for _ in self.labels]
        for node, parent in enumerate(self.parents):
            if parent >= 0:
                below[parent].append(node)
        return tuple(map(tuple, below))


@dataclass(frozen=True, kw_only=True, eq=False)
class CellTable:
    """The true cells of a table, in the order of `itertools.product` over the nodes of the dimensions.

    Amounts are whole numbers of units: a count is in ones, a sum with two decimals in hundredths.
    """

    dimensions: tuple[Dimension, ...]
    #: The column that is summed; None for a table of counts.
    measure: str | None
    #: How many decimals a unit stands for.
    decimals: int
    #: What each cell says: how many contributors it has, or the sum of what they contribute.
    values: Ints
    #: How many people, or records where there is no person key, are behind each cell.
    contributors: Ints
    #: The largest contributions to each cell, largest first, as many as the rules ask for; zeros where there are fewer.
    largest: Ints
    #: Whether people, not records, are counted.
    counts_people: bool
    #: Whether each total is the sum of its parts; not where somebody is counted in several parts.
    additive: bool
    #: The keyed hash of each cell's contributors, for noise that is the same wherever they are counted; else empty.
    keys: Ints = field(default_factory=lambda: np.zeros(0, np.int64), repr=False)

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of nodes of each dimension."""
        return tuple(dimension.size for dimension in self.dimensions)

    @property
    def size(self) -> int:
        """The number of cells, margins and empty ones included."""
        return int(self.values.size)

    def labels(self) -> Iterator[tuple[str | None, ...]]:
        """Go through the labels of all cells."""
        return product(*(dimension.labels for dimension in self.dimensions))

    def relations(self) -> Iterator[tuple[int, Ints]]:
        """Go through what adds up: the position of a total or subtotal, and the positions of its parts."""
        places = np.arange(self.size).reshape(self.shape)
        for axis, dimension in enumerate(self.dimensions):
            lines = np.moveaxis(places, axis, 0).reshape(dimension.size, -1)
            for node, below in enumerate(dimension.children):
                if below:
                    for total, parts in zip(lines[node], lines[list(below)].T, strict=True):
                        yield int(total), parts

    @cached_property
    def leaves(self) -> Flags:
        """Whether each cell is one that no other cell is a part of."""
        ends = (np.array([not below for below in dimension.children]) for dimension in self.dimensions)
        inner = np.ones(1, np.bool_)
        for own in ends:
            inner = np.logical_and.outer(inner, own).ravel()
        return inner
