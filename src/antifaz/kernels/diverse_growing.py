"""Groups that grow until they have enough different sensitive values: distinct l-diversity, compiled.

Records with the same sensitive values are of one kind. A group takes the records that raise its loss least. Where it
lacks values, it grows until it has them, or exchanges its last records for ones that bring them, first few, then more.
"""

from typing import NamedTuple

import numpy as np

from antifaz.kernels import Codes, Flags, Ints
from antifaz.kernels.clustering import RecordArrays, State, add, clear
from antifaz.kernels.compiling import njit
from antifaz.kernels.growing import grow, start
from antifaz.kernels.search_tree import Nodes, Points, cheapest, shift

#: What to do for values that a group lacks: exchange its last records for ones that bring them; the same, and spare
#: those of which too few are left for all groups to come; or let it grow until it gets them by the way.
EXCHANGE, SPARE, GROW = 0, 1, 2
#: A group does not grow beyond so many times k for that.
LARGEST = 8


class DiversityState(NamedTuple):
    """What groups need of sensitive values, and what is left of these."""

    #: The kind of every place.
    kinds: Ints
    #: Per sensitive attribute, the value's code of every kind, and how many different ones a group needs.
    codes: Ints
    needs: Ints
    #: Per attribute and code: in which group it was seen last, and how many records with it are in no group.
    seen: Ints
    left: Ints
    #: How many records of every kind are in no group.
    rest: Ints
    #: The number of the group that is looked at, for `seen`.
    token: Ints
    #: The points and places of the group that is made.
    members: Ints
    places: Ints


def new_diversity(kinds: Ints, codes: Ints, needs: Ints) -> DiversityState:
    """Return what groups need where all records are left."""
    # One type and layout for all, or everything below is compiled for each.
    kinds, codes, needs = (np.ascontiguousarray(array, np.int64) for array in (kinds, codes, needs))
    left = np.zeros((codes.shape[0], int(codes.max(initial=0)) + 1), np.int64)
    for a in range(codes.shape[0]):
        np.add.at(left[a], codes[a][kinds], 1)
    members, places = np.empty(kinds.size, np.int64), np.empty(kinds.size, np.int64)
    token = np.zeros(1, np.int64)
    rest = np.bincount(kinds, minlength=codes.shape[1])
    return DiversityState(kinds, codes, needs, np.zeros_like(left), left, rest, token, members, places)


def few_codes(codes: Codes, most: int) -> Codes:
    """Return codes of which there are few: frequent values keep one of their own, rare ones share what is left.

    Where records have different ones, their values differ, too; and the fewer kinds of records, the faster the search.
    """
    ranks = np.empty(int(codes.max(initial=0)) + 1, np.int64)
    ranks[np.argsort(-np.bincount(codes), kind="stable")] = np.arange(ranks.size)
    return np.where(ranks < most, ranks, most // 2 + ranks % (most - most // 2))[codes].astype(np.int32)


@njit(cache=True, nogil=True)
def grow_diverse(
    table: RecordArrays, state: State, nodes: Nodes, points: Points, groups: Ints, point_of: Ints, k: int, at: Ints,
    far: bool, near: bool, enough: int, diversity: DiversityState, way: int,
) -> bool:  # fmt: skip
    """Make groups as `grow_all` does, each with enough values; say whether the last could be made.

    Of a group that can't be made the records stay in none. `way` is one of the ways below.
    """
    members, places = diversity.members, diversity.places
    everything = np.ones(diversity.codes.shape[1], np.bool_)
    while at[1] >= k and points.live[0] > enough:
        _join(table, state, nodes, points, diversity, 0, start(table, nodes, points, groups, point_of, at, far))
        size = 1
        for spare in range(1 if way == SPARE else 0, -1, -1):  # a loop: what is called twice is compiled twice
            allowed = _plenty(diversity, at[1], k) if spare else everything
            size = _take(table, state, nodes, points, diversity, size, k, near, allowed)
        if way == GROW:
            size = _grow_on(table, state, nodes, points, diversity, size, k, near, everything)
        size = _exchange(table, state, nodes, points, diversity, size, k, near, everything)
        if not size:
            return False
        groups[places[:size]] = at[0]
        at[0] += 1
        at[1] -= size
        at[2] = members[size - 1]
    return True


@njit(cache=True, nogil=True)
def _note(diversity: DiversityState, kind: int, by: int) -> None:
    diversity.rest[kind] += by
    for a in range(diversity.codes.shape[0]):
        diversity.left[a, diversity.codes[a, kind]] += by


@njit(cache=True, nogil=True)
def _take(
    table: RecordArrays, state: State, nodes: Nodes, points: Points, diversity: DiversityState, size: int, many: int,
    near: bool, allowed: Flags,
) -> int:  # fmt: skip
    """Let the group grow to `many` records of the kinds that are allowed; return how large it became."""
    members, places = diversity.members, diversity.places
    grown = grow(table, state, nodes, points, members, places, size, many, near, allowed)
    for j in range(size, grown):
        _note(diversity, diversity.kinds[places[j]], -1)
    return int(grown)


@njit(cache=True, nogil=True)
def _plenty(diversity: DiversityState, records: int, k: int) -> Flags:
    """Return the kinds whose values need not be spared.

    A group that needs l values always finds l - 1, the most frequent ones; the others are spared as soon as there is
    no more than one for every group to come.
    """
    plenty = np.ones(diversity.codes.shape[1], np.bool_)
    for a in range(diversity.codes.shape[0]):
        left = diversity.left[a].copy()
        frequent = np.zeros(left.size, np.bool_)
        others = left.sum()
        for _ in range(diversity.needs[a] - 1):
            top = left.argmax()
            others -= left[top]
            frequent[top] = True
            left[top] = -1
        if others <= records // k:
            for kind in range(plenty.size):
                plenty[kind] &= frequent[diversity.codes[a, kind]]
    return plenty


@njit(cache=True, nogil=True)
def _lacks(diversity: DiversityState, size: int, lack: Ints) -> int:
    """Note how many values the group lacks of every attribute, and return of how many attributes it lacks some."""
    diversity.token[0] += 1
    token, lacking = diversity.token[0], 0
    for a in range(lack.size):
        lack[a] = diversity.needs[a]
        for j in range(size):
            code = diversity.codes[a, diversity.kinds[diversity.places[j]]]
            if diversity.seen[a, code] != token:
                diversity.seen[a, code] = token
                lack[a] -= 1
        lacking += lack[a] > 0
    return lacking


@njit(cache=True, nogil=True)
def _wanted(diversity: DiversityState, lack: Ints, wanted: Flags) -> bool:
    """Note the kinds left that bring most of the values which the group lacks; say whether there are any.

    `_lacks` was asked just before: what it saw is in the group.
    """
    token, most = diversity.token[0], 1
    for kind in range(wanted.size):
        brings = 0
        if diversity.rest[kind]:
            for a in range(lack.size):
                brings += lack[a] > 0 and diversity.seen[a, diversity.codes[a, kind]] != token
        wanted[kind] = brings >= most
        if brings > most:
            most = brings
            wanted[:kind] = False
    return bool(wanted.any())


@njit(cache=True, nogil=True)
def _join(
    table: RecordArrays, state: State, nodes: Nodes, points: Points, diversity: DiversityState, size: int, point: int
) -> None:  # fmt: skip
    """Take the next record of a point into a group of `size` records, which the state is that of."""
    if not size:
        clear(state)
    diversity.members[size] = point
    diversity.places[size] = shift(nodes, points, point, 1)
    _note(diversity, diversity.kinds[diversity.places[size]], -1)
    add(table, state, point)


@njit(cache=True, nogil=True)
def _drop(
    table: RecordArrays, state: State, nodes: Nodes, points: Points, diversity: DiversityState, size: int, keep: int
) -> None:  # fmt: skip
    """Put all but the first records of a group back."""
    for j in range(size - 1, keep - 1, -1):
        shift(nodes, points, diversity.members[j], -1)
        _note(diversity, diversity.kinds[diversity.places[j]], 1)
    clear(state)
    for point in diversity.members[:keep]:
        add(table, state, point)


@njit(cache=True, nogil=True)
def _grow_on(
    table: RecordArrays, state: State, nodes: Nodes, points: Points, diversity: DiversityState, size: int, k: int,
    near: bool, everything: Flags,
) -> int:  # fmt: skip
    """Take in what costs least until the group lacks no value, or is too large for that; return its size."""
    lack = np.zeros(diversity.needs.size, np.int64)
    while size < LARGEST * k and _lacks(diversity, size, lack):
        point = cheapest(table, state, nodes, points, diversity.members[0], near, everything)
        if point < 0:
            break
        _join(table, state, nodes, points, diversity, size, point)
        size += 1
    return size


@njit(cache=True, nogil=True)
def _exchange(
    table: RecordArrays, state: State, nodes: Nodes, points: Points, diversity: DiversityState, size: int, k: int,
    near: bool, everything: Flags,
) -> int:  # fmt: skip
    """Exchange the last records for ones that bring values, then take in more than k; return the size, 0 for none."""
    lack, wanted = np.zeros(diversity.needs.size, np.int64), np.zeros(everything.size, np.bool_)
    cut = 1
    while _lacks(diversity, size, lack):
        most, keep = (k, k - cut) if cut < k else (diversity.members.size, size)
        _drop(table, state, nodes, points, diversity, size, keep)
        size = keep
        while size < most and _lacks(diversity, size, lack) and _wanted(diversity, lack, wanted):
            point = cheapest(table, state, nodes, points, diversity.members[0], near, wanted)
            _join(table, state, nodes, points, diversity, size, point)
            size += 1
        size = _take(table, state, nodes, points, diversity, size, max(k, size), near, everything)
        if cut >= k and _lacks(diversity, size, lack):
            return 0
        cut = k if cut >= k - 1 else min(2 * cut, k - 1)
    return size
