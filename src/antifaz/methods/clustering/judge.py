"""Cutting records into parts under any privacy model: every side of a cut is judged before the cut is made.

The way for k-anonymity alone is in the kernels and far faster; where both apply they cut alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from antifaz.counting.classes import ClassTable, SensitiveTable
from antifaz.counting.records import Records
from antifaz.kernels.mondrian import Space
from antifaz.privacy.model import PrivacyModel, in_order

#: How many places to cut at are judged at once at first; each further time twice as many.
_BATCH = 16


class Judge:
    """Says where a part can be cut so that both sides satisfy all models, each as a class of its own.

    A model of the whole table is asked of every side as if it were the table: a table of parts that each keep to a
    threshold keeps to it too.
    """

    def __init__(self, records: Records, models: Sequence[PrivacyModel], k: int) -> None:
        """`k` is the least size of a side; smaller ones are not even judged."""
        self.models = in_order(models)
        self.k = k
        self._held = records.sensitive
        # The distribution of the whole table is what sides are compared with.
        self._totals = {
            name: np.bincount(held.codes, minlength=held.domain.size) for name, held in records.sensitive.items()
        }

    def first(self, rows: NDArray[np.int64], places: NDArray[np.int64]) -> int:
        """Return the first of the places (how many of the rows go left) at which both sides pass, or -1."""
        places = places[(places >= self.k) & (rows.size - places >= self.k)]
        start, many = 0, _BATCH
        while start < places.size:
            batch = places[start : start + many]
            upward = np.argsort(batch)
            good = np.empty(batch.size, np.bool_)
            good[upward] = self._passes(rows, batch[upward])
            if good.any():
                return int(batch[np.argmax(good)])
            start, many = start + many, many * 2
        return -1

    def _passes(self, rows: NDArray[np.int64], places: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Say of every place, given in rising order, whether both sides pass."""
        table = self._table(rows, places)
        good = np.ones(places.size, np.bool_)
        for model in self.models:
            if model.whole_table:
                alone = [ClassTable(sizes=table.sizes[i : i + 1]) for i in range(table.sizes.size)]
                sides = np.array([bool(model.passes(one)[0]) for one in alone])
            else:
                sides = model.passes(table)
            good &= sides[: places.size] & sides[places.size :]
            if not good.any():
                break
        return good

    def _table(self, rows: NDArray[np.int64], places: NDArray[np.int64]) -> ClassTable:
        """Make a table of which the classes are all left sides and then all right sides."""
        stretch = np.searchsorted(places, np.arange(rows.size), side="right")
        tables = {}
        for name, held in self._held.items():
            size = held.domain.size
            cells = np.bincount(stretch * size + held.codes[rows], minlength=(places.size + 1) * size)
            left = np.cumsum(cells.reshape(-1, size), axis=0)
            counts = np.concatenate([left[:-1], left[-1] - left[:-1]])
            owner, values = np.nonzero(counts)
            tables[name] = SensitiveTable(
                offsets=np.searchsorted(owner, np.arange(counts.shape[0] + 1)),
                values=values.astype(np.int32),
                counts=counts[owner, values],
                totals=self._totals[name],
                labels=held.domain.labels,
                up=held.up,
            )
        return ClassTable(sizes=np.concatenate([places, rows.size - places]), sensitive=tables)


@dataclass(frozen=True, kw_only=True, eq=False)
class Cutter:
    """Cuts parts as the kernels do, asking a judge instead of only counting to k."""

    ranks: NDArray[np.int32]
    space: Space
    judge: Judge
    split: str
    relaxed: bool

    def parts(self, order: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
        """Return the part of every record, and how many parts there are; parts keep the given order of records."""
        out = np.empty(order.size, np.int64)
        stack, found = [order], 0
        while stack:
            rows = stack.pop()
            sides = self._cut(rows)
            if sides is None:
                out[rows] = found
                found += 1
            else:
                stack.extend(reversed(sides))
        return out, found

    def _cut(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
        if rows.size < 2 * self.judge.k:
            return None
        for a, places in self._ways(rows):
            order = np.argsort(self.ranks[rows, a], kind="stable")
            place = self.judge.first(rows[order], places)
            if place >= 0:
                # Both sides in the order they had, whatever they were cut by: a relaxed cut goes by it.
                return rows[np.sort(order[:place])], rows[np.sort(order[place:])]
        return None

    def _ways(self, rows: NDArray[np.int64]) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """Yield the attributes to try, best first, each with the places where it may be cut, best first."""
        widths = []
        for a in range(self.ranks.shape[1]):
            ranks = self.ranks[rows, a]
            missing = int(np.count_nonzero(ranks >= self.space.known[a]))
            if 0 < missing < rows.size:
                yield a, np.array([rows.size - missing])
            widths.append(self._width(a, ranks[ranks < self.space.known[a]]))
        for a in sorted(range(len(widths)), key=lambda a: -widths[a]):
            if widths[a] > 0:
                yield a, self._places(np.sort(self.ranks[rows, a]))

    def _width(self, a: int, ranks: NDArray[np.int32]) -> float:
        space = self.space
        if not ranks.size or ranks.min() == ranks.max():
            return 0.0
        if space.category[a]:
            return float((np.unique(ranks).size - 1) / space.ranges[a])
        ends = space.places[space.starts[a] + np.array([ranks.min(), ranks.max()])]
        return float((ends[1] - ends[0]) / space.ranges[a])

    def _places(self, ranks: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return how many records go left: at the median, or at every value from the least."""
        if self.split == "distribution":
            return np.flatnonzero(np.diff(ranks)) + 1
        if self.relaxed:
            return np.array([(ranks.size + 1) // 2])
        middle = ranks[(ranks.size - 1) // 2]
        return np.array([np.searchsorted(ranks, middle, "right"), np.searchsorted(ranks, middle, "left")])
