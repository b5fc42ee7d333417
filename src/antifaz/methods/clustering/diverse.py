"""Greedy grouping under any model: a group grows until all models pass it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.clustering import Table
from antifaz.kernels.search_tree import grow, shift, start
from antifaz.methods.clustering.greedy import GreedySearch, rest_rises
from antifaz.methods.clustering.limits import Limits

Ints = NDArray[np.int64]
#: So many groups are judged at once when a record looks for one that may take it in.
_BATCH = 64


def gather_diverse(
    table: Table, order: Ints, k: int, first: int, *, far: bool, near: bool, thrifty: bool, limits: Limits
) -> Ints | None:
    """Group greedily as `gather_many` does, each group until the limits are kept; None if no group keeps to them.

    What is left in the end, or can't be grouped any more, joins the group where it costs least of those that still keep
    to the limits then; where there is none, the one where it costs least. With `thrifty`, a kind of which less than one
    is left per group to come is taken only where the limits want it, so that it lasts.
    """
    maker = _Maker(table, order, k, limits, near, thrifty)
    maker.search.at[3] = first if far else 0
    while maker.search.at[1] >= k and maker.group(far):
        if maker.search.points.live[0] <= maker.search.enough and maker.search.at[1] >= k:
            maker.search.replant(far)
    count = int(maker.search.at[0])
    if not count:
        return None
    groups, kinds = maker.search.groups, maker.search.kinds
    counts = np.zeros((count, limits.many), np.int64)
    inside = groups >= 0
    np.add.at(counts, (groups[inside], kinds[inside]), 1)
    for place, losses in rest_rises(table, order, groups, count):
        g = _host(counts, limits, int(kinds[place]), losses)
        groups[place] = g
        counts[g, kinds[place]] += 1
    return groups


def _host(counts: Ints, limits: Limits, kind: int, losses: NDArray[np.float64]) -> int:
    """The group to take in a record: the cheapest that keeps to the limits with it, else the cheapest."""
    by = np.argsort(losses, kind="stable")
    for some in (by[i : i + _BATCH] for i in range(0, by.size, _BATCH)):
        trial = counts[some]
        trial[:, kind] += 1
        good = limits.passes(trial)
        if good.any():
            return int(some[np.argmax(good)])
    return int(by[0])


class _Maker:
    """Makes groups one by one from a search tree."""

    def __init__(self, table: Table, order: Ints, k: int, limits: Limits, near: bool, thrifty: bool) -> None:
        self.search = GreedySearch(table, order, limits.kinds[order])
        self.k = k
        self.limits = limits
        self.near = near
        self.thrifty = thrifty
        self.left = np.bincount(self.search.kinds, minlength=limits.many)
        self.counts = np.zeros(limits.many, np.int64)
        self.members = np.empty(order.size, np.int64)
        self.places = np.empty(order.size, np.int64)
        self.size = 0

    def group(self, far: bool) -> bool:
        """Make the next group; say whether that was possible. If not, its records stay without a group."""
        search = self.search
        seed = start(search.table, search.nodes, search.points, search.groups, search.point_of, search.at, far)
        self.members[0], self.places[0] = seed, shift(search.nodes, search.points, seed, 1)
        self.counts[:] = 0
        self.size = 0
        self._note(1)
        if self.thrifty:
            self._grow(self.left > search.at[1] // self.k, self.k)
        self._grow(self.left > 0, self.k)
        if not self._complete():
            return False
        search.groups[self.places[: self.size]] = search.at[0]
        search.at[:3] = search.at[0] + 1, search.at[1] - self.size, self.members[self.size - 1]
        return True

    def _complete(self) -> bool:
        """Exchange the last records for ones that the models want, first few, then more; then take in more than k."""
        cut = 1
        while not self._passes():
            if cut >= self.k:
                return self._grow_wanted(self.places.size) and self._passes()
            self._drop(self.k - cut)
            self._grow_wanted(self.k)
            cut = self.k if cut == self.k - 1 else min(2 * cut, self.k - 1)
        return True

    def _grow_wanted(self, many: int) -> bool:
        """Take in records of the kinds that are wanted, up to a size of `many` at least k, until all models pass."""
        while self.size < self.k or (self.size < many and not self._passes()):
            wanted = self.limits.wanted(self.counts, self.left)
            before = self.size
            if wanted.any():
                self._grow(wanted, self.size + 1)
            if self.size == before:
                return self._fill()
        return True

    def _fill(self) -> bool:
        """Nothing that is left is wanted: anything will do for the size."""
        self._grow(self.left > 0, max(self.k, self.size))
        return self.size >= self.k

    def _passes(self) -> bool:
        return self.size >= self.k and bool(self.limits.passes(self.counts[None, :])[0])

    def _grow(self, allowed: NDArray[np.bool_], many: int) -> None:
        s = self.search
        size = grow(s.table, s.state, s.nodes, s.points, self.members, self.places, self.size, many, self.near, allowed)
        self._note(size)

    def _note(self, size: int) -> None:
        """Take note of the records that came in."""
        kinds = self.search.kinds[self.places[self.size : size]]
        np.add.at(self.counts, kinds, 1)
        np.subtract.at(self.left, kinds, 1)
        self.size = size

    def _drop(self, size: int) -> None:
        """Put the last records back."""
        for j in range(self.size - 1, size - 1, -1):
            shift(self.search.nodes, self.search.points, int(self.members[j]), -1)
        kinds = self.search.kinds[self.places[size : self.size]]
        np.subtract.at(self.counts, kinds, 1)
        np.add.at(self.left, kinds, 1)
        self.size = size
