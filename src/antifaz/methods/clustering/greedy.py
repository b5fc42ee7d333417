"""Greedy grouping: each record joins where it raises the loss least, for groups of k or until all models pass."""

from collections.abc import Iterator

import numpy as np

from antifaz.core.arrays import Flags, Floats, Ints
from antifaz.kernels.clustering import TINY, RecordArrays, State, new_state
from antifaz.kernels.diverse_growing import SPARE, grow_diverse, new_diversity
from antifaz.kernels.growing import PAIRS, grow, grow_all, rise, rises, start
from antifaz.kernels.search_tree import Nodes, Points, build, settle, shift
from antifaz.methods.clustering.limits import Limits

#: A tree of so few points is not built anew.
_SMALL = 64


class GreedySearch:
    """The records of `order` in a search tree, which is built anew whenever half of its points are used up.

    Places are places in `order`; of records that tie, the first place wins. `kinds` is what records have beside their
    attributes, one number per place: searches can be limited to some.
    """

    def __init__(self, table: RecordArrays, order: Ints, kinds: Ints | None = None) -> None:
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


def _empty_nodes(table: RecordArrays, room: int) -> Nodes:
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


def _points(table: RecordArrays, order: Ints, kinds: Ints, places: Ints) -> tuple[Ints, Ints]:
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


def take(table: RecordArrays, rows: Ints) -> RecordArrays:
    """Return some of the records."""
    return table._replace(numbers=table.numbers[rows], codes=table.codes[rows], places=table.places[rows])


def gather_many(table: RecordArrays, order: Ints, k: int, first: int, *, far: bool, near: bool) -> Ints:
    """Group greedily into groups of k; return the group of each place in `order`.

    Groups start with the first record left, or, with `far`, with the one farthest from the last that was chosen
    (`first` is the place of the very first or of one like it, and matters only then). Of records that cost the same,
    the first is taken, or, with `near`, the one nearest to that which the group started with. What is left in the end
    joins the groups where it costs least.
    """
    search = GreedySearch(table, order)
    search.at[3] = first if far else 0
    while search.at[1] >= k:
        s = search
        grow_all(s.table, s.state, s.nodes, s.points, s.groups, s.point_of, k, s.at, far, near, s.enough)
        if search.at[1] >= k:
            search.replant(far)
    for place, losses in rest_rises(table, order, search.groups, int(search.at[0])):
        search.groups[place] = np.argmax(losses <= losses.min() + TINY)
    return search.groups


def rest_rises(table: RecordArrays, order: Ints, groups: Ints, count: int) -> Iterator[tuple[int, Floats]]:
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


#: So many groups are judged at once when a record looks for one that may take it in.
_BATCH = 64


def gather_diverse(
    table: RecordArrays, order: Ints, k: int, first: int, *, far: bool, near: bool, way: int, limits: Limits
) -> Ints | None:
    """Group greedily as `gather_many` does, each group until the limits are kept; None if no group keeps to them.

    What is left in the end, or can't be grouped any more, joins the group where it costs least of those that still keep
    to the limits then; where there is none, the one where it costs least. `way` is one of `limits.ways`.
    """
    search = GreedySearch(table, order, limits.kinds[order])
    search.at[3] = first if far else 0
    needs = limits.needs
    if needs is None:
        _Maker(search, k, limits, near, way == SPARE).make_all(far)
    else:
        diversity = new_diversity(search.kinds, np.stack([*limits.codes.values()]).astype(np.int64), needs)
        s = search
        while s.at[1] >= k and grow_diverse(
            s.table, s.state, s.nodes, s.points, s.groups, s.point_of, k, s.at, far, near, s.enough, diversity, way
        ):
            if s.at[1] >= k:
                s.replant(far)
    count = int(search.at[0])
    if not count:
        return None
    groups, kinds = search.groups, search.kinds
    # A group that keeps to monotone limits does so with any record more.
    inside = None if limits.monotone else [list(kinds[groups == g]) for g in range(count)]
    for place, losses in rest_rises(table, order, groups, count):
        kind = int(kinds[place])
        groups[place] = g = int(np.argmin(losses)) if inside is None else _host(inside, limits, kind, losses)
        if inside is not None:
            inside[g].append(kind)
    return groups


def _host(inside: list[list[int]], limits: Limits, kind: int, losses: Floats) -> int:
    """The group to take in a record: the cheapest that keeps to the limits with it, else the cheapest."""
    by = np.argsort(losses, kind="stable")
    for some in (by[i : i + _BATCH] for i in range(0, by.size, _BATCH)):
        trial = [[*inside[g], kind] for g in some]
        owners = np.repeat(np.arange(some.size), [len(kinds) for kinds in trial])
        good = limits.passes(owners, np.concatenate(trial), some.size)
        if good.any():
            return int(some[np.argmax(good)])
    return int(by[0])


class _Maker:
    """Makes groups one by one, and asks the models about each."""

    def __init__(self, search: GreedySearch, k: int, limits: Limits, near: bool, thrifty: bool) -> None:
        self.search, self.k, self.limits, self.near, self.thrifty = search, k, limits, near, thrifty
        self.left = np.bincount(self.search.kinds, minlength=limits.many)
        self.size, many = 0, search.order.size
        self.members, self.places = np.empty(many, np.int64), np.empty(many, np.int64)

    def make_all(self, far: bool) -> None:
        """Make groups until fewer than k records are left, or none can be made of them."""
        search = self.search
        while search.at[1] >= self.k and self.group(far):
            if search.points.live[0] <= search.enough and search.at[1] >= self.k:
                search.replant(far)

    def group(self, far: bool) -> bool:
        """Make the next group; say whether that was possible. If not, its records stay without a group."""
        search = self.search
        seed = start(search.table, search.nodes, search.points, search.groups, search.point_of, search.at, far)
        self.members[0], self.places[0] = seed, shift(search.nodes, search.points, seed, 1)
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
            wanted = self.limits.wanted(self._kinds, self.left)
            before = self.size
            if wanted.any():
                self._grow(wanted, self.size + 1)
            if self.size == before:
                # Nothing that is left is wanted: anything will do for the size.
                self._grow(self.left > 0, max(self.k, self.size))
                return self.size >= self.k
        return True

    def _passes(self) -> bool:
        return self.size >= self.k and self.limits.passed(self._kinds)

    @property
    def _kinds(self) -> Ints:
        """The kinds of the records that the group has."""
        return self.search.kinds[self.places[: self.size]]

    def _grow(self, allowed: Flags, many: int) -> None:
        s = self.search
        size = grow(s.table, s.state, s.nodes, s.points, self.members, self.places, self.size, many, self.near, allowed)
        self._note(size)

    def _note(self, size: int) -> None:
        kinds = self.search.kinds[self.places[self.size : size]]
        np.subtract.at(self.left, kinds, 1)
        self.size = size

    def _drop(self, size: int) -> None:
        for j in range(self.size - 1, size - 1, -1):
            shift(self.search.nodes, self.search.points, int(self.members[j]), -1)
        kinds = self.search.kinds[self.places[size : self.size]]
        np.add.at(self.left, kinds, 1)
        self.size = size
