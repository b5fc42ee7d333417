"""Greedy grouping: k records at a time, each the one that raises its group's loss least."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.clustering import TINY, State, Table, new_state
from antifaz.kernels.search_tree import PAIRS, Nodes, Points, build, grow_all, rise, rises, settle

Ints = NDArray[np.int64]
#: A tree of so few points is not built anew.
_SMALL = 64


class GreedySearch:
    """The records of `order` in a search tree, which is built anew whenever half of its points are used up.

    Places are places in `order`; of records that tie, the first place wins. `kinds` is what records have beside their
    attributes, one number per place: searches can be limited to some.
    """

    def __init__(self, table: Table, order: Ints, kinds: Ints | None = None) -> None:
        """Put all records into the tree."""
        self.whole = table
        self.order = order
        self.kinds = np.zeros(order.size, np.int64) if kinds is None else kinds
        self.groups = np.full(order.size, -1, np.int64)
        self.state: State = new_state(table)
        #: The number of groups, of records left, the point chosen last, and the place from which on records are left.
        self.at = np.array([0, order.size, -1, 0])
        self.plant(np.arange(order.size), -1)

    def plant(self, places: Ints, last: int) -> None:
        """Build the tree over the records at some places; `last` is the place of the record chosen last, or -1."""
        places, starts = _points(self.whole, self.order, self.kinds, places)
        rows = self.order[places[starts]]
        by, nodes = np.arange(rows.size), _empty_nodes(self.whole, 2 * rows.size + 1)
        used = build(take(self.whole, rows), self.kinds[places[starts]], nodes, by)
        self.nodes = Nodes._make(part[:used] for part in nodes)
        stops = np.append(starts[1:], places.size)
        # The record chosen last is not in the tree any more, but the next group starts far from it.
        self.table = take(self.whole, rows[by] if last < 0 else np.append(rows[by], self.order[last]))
        self.points = Points(
            queue=places,
            next=starts[by],
            stop=stops[by],
            kind=self.kinds[places[starts[by]]],
            leaf=np.zeros(by.size, np.int64),
            live=np.zeros(used, np.int64),
            first=np.zeros(used, np.int64),
            stack=np.zeros(used + 2, np.int64),
            bounds=np.zeros(used + 2),
        )
        settle(self.nodes, self.points)
        self.point_of = np.full(self.order.size, -1, np.int64)
        self.point_of[places] = np.repeat(np.argsort(by), stops - starts)
        self.at[2] = -1 if last < 0 else by.size
        #: With so few points left, a new tree pays; small ones are kept.
        self.enough = by.size // 2 if by.size > _SMALL else -1

    def replant(self, far: bool) -> None:
        """Build the tree anew over what is in no group."""
        last = int(self.points.queue[self.points.next[self.at[2]] - 1]) if far else -1
        self.plant(np.flatnonzero(self.groups < 0), last)


def _empty_nodes(table: Table, room: int) -> Nodes:
    numbers, codes, places = (part.shape[1] for part in (table.numbers, table.codes, table.places))
    return Nodes(
        start=np.zeros(room, np.int64),
        stop=np.zeros(room, np.int64),
        child=np.zeros(room, np.int64),
        parent=np.full(room, -1, np.int64),
        low=np.full((room, numbers), np.inf),
        high=np.full((room, numbers), -np.inf),
        gap=np.zeros((room, numbers), np.bool_),
        least=np.zeros((room, codes), np.int32),
        most=np.zeros((room, codes), np.int32),
        level=np.zeros((room, places), np.int32),
        place=np.zeros((room, places), np.int32),
        kinds=np.zeros(room, np.uint64),
    )


def _points(table: Table, order: Ints, kinds: Ints, places: Ints) -> tuple[Ints, Ints]:
    """Return the places with equal records side by side, in rising order, and where each of these begins."""
    rows = order[places]
    keys = [kinds[places]]
    keys += [column for part in (table.codes, table.places) for column in part[rows].T]
    # Bit by bit, so that missing is equal to missing.
    keys += [column.view(np.int64) for column in np.ascontiguousarray(table.numbers[rows].T)]
    by = np.lexsort([places, *keys])
    new = np.ones(by.size, np.bool_)
    new[1:] = np.any([key[by[1:]] != key[by[:-1]] for key in keys], axis=0)
    return places[by], np.flatnonzero(new)


def take(table: Table, rows: Ints) -> Table:
    """Return some of the records."""
    return table._replace(numbers=table.numbers[rows], codes=table.codes[rows], places=table.places[rows])


def gather_many(table: Table, order: Ints, k: int, first: int, *, far: bool, near: bool) -> Ints:
    """Group greedily into groups of k; return the group of each place in `order`.

    Groups start with the first record left, or, with `far`, with the one farthest from the last that was chosen
    (`first` is the place of the very first or of one like it, and matters only then). Of records that cost the same,
    the first is taken, or, with `near`, the one nearest to that which the group started with. What is left in the end
    joins the groups where it costs least.
    """
    search = GreedySearch(table, order)
    search.at[3] = first if far else 0
    while search.at[1] >= k:
        grow_all(
            search.table,
            search.state,
            search.nodes,
            search.points,
            search.groups,
            search.point_of,
            k,
            search.at,
            far,
            near,
            search.enough,
        )
        if search.at[1] >= k:
            search.replant(far)
    for place, losses in rest_rises(table, order, search.groups, int(search.at[0])):
        search.groups[place] = np.argmax(losses <= losses.min() + TINY)
    return search.groups


def rest_rises(table: Table, order: Ints, groups: Ints, count: int) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """Yield the place of each record that is in no group, and by how much it would raise every group's total loss.

    Whoever asks puts it into a group before the next is asked for.
    """
    rest = np.flatnonzero(groups < 0)
    part, state = take(table, order), new_state(table)
    step = max(PAIRS // max(count, 1), 1)
    for some in (rest[i : i + step] for i in range(0, rest.size, step)):
        out = np.empty((count, some.size))
        rises(part, state, groups, count, some, out)
        for j, place in enumerate(some):
            yield int(place), out[:, j]
            g = groups[place]
            rise(part, state, np.flatnonzero(groups == g), some[j + 1 :], out[g, j + 1 :])
