"""Groups that grow record by record, by what raises their loss least; a tree over the records finds it.

The groups are those that asking every record would make.
"""

import numpy as np

from antifaz.kernels import Flags, Floats, Ints
from antifaz.kernels.clustering import RecordArrays, State, add, by_group, clear, fill, joined
from antifaz.kernels.compiling import njit
from antifaz.kernels.search_tree import Nodes, Points, cheapest, farthest, shift

#: Of so many pairs of records and groups the losses are in memory at once.
PAIRS = 4_000_000


@njit(cache=True, nogil=True)
def grow(
    table: RecordArrays,
    state: State,
    nodes: Nodes,
    points: Points,
    members: Ints,
    places: Ints,
    size: int,
    many: int,
    near: bool,
    allowed: Flags,
) -> int:
    """Let a group grow from `size` to `many` records by what raises its loss least; return how large it became.

    `members` and `places` begin with the points and places that it has; a kind that is not allowed is passed over.
    """
    clear(state)
    for point in members[:size]:
        add(table, state, point)
    while size < many:
        point = cheapest(table, state, nodes, points, members[0], near, allowed)
        if point < 0:
            break
        members[size] = point
        places[size] = shift(nodes, points, point, 1)
        size += 1
        add(table, state, point)
    return size


@njit(cache=True, nogil=True)
def grow_all(
    table: RecordArrays,
    state: State,
    nodes: Nodes,
    points: Points,
    groups: Ints,
    point_of: Ints,
    k: int,
    at: Ints,
    far: bool,
    near: bool,
    enough: int,
) -> None:
    """Make groups of k, and note them by place in `groups`, until fewer than k records or `enough` points are left.

    `at` says where the last stop was, and is kept up to date: the number of groups, of records left, the point that was
    chosen last (-1 for none yet), and the place from which on records may be left.
    """
    allowed = np.ones(1, np.bool_)
    while at[1] >= k and points.live[0] > enough:
        seed = start(table, nodes, points, groups, point_of, at, far)
        groups[shift(nodes, points, seed, 1)] = at[0]
        clear(state)
        add(table, state, seed)
        at[2] = seed
        for _ in range(1, k):
            point = cheapest(table, state, nodes, points, seed, near, allowed)
            groups[shift(nodes, points, point, 1)] = at[0]
            add(table, state, point)
            at[2] = point
        at[0] += 1
        at[1] -= k


@njit(cache=True, nogil=True)
def start(table: RecordArrays, nodes: Nodes, points: Points, groups: Ints, point_of: Ints, at: Ints, far: bool) -> int:
    """Return the point that the next group starts with: the first left, or the one farthest from the last chosen."""
    if far and at[2] >= 0:
        return int(farthest(table, nodes, points, at[2]))
    while groups[at[3]] >= 0:
        at[3] += 1
    return int(point_of[at[3]])


@njit(cache=True, nogil=True)
def rises(table: RecordArrays, state: State, groups: Ints, count: int, rows: Ints, out: Floats) -> None:
    """Note by how much each of the rows would raise the total loss of each group: a line of `out` per group."""
    order, offsets = by_group(groups, count)
    for g in range(count):
        rise(table, state, order[offsets[g] : offsets[g + 1]], rows, out[g])


@njit(cache=True, nogil=True)
def rise(table: RecordArrays, state: State, members: Ints, rows: Ints, out: Floats) -> None:
    """Note by how much each of the rows would raise the total loss of a group."""
    size = members.shape[0]
    now = size * fill(table, state, members)
    for j in range(rows.shape[0]):
        out[j] = (size + 1) * joined(table, state, rows[j], np.inf) - now
