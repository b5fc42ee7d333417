"""Rank swapping: who changes places with whom."""

import numpy as np

from antifaz.kernels import Floats, Ints
from antifaz.kernels.compiling import njit


@njit(cache=True, nogil=True)
def _take_out(pool: Ints, places: Ints, size: int, rank: int) -> int:
    """Take a rank out of the pool by moving the last one to its place; return the new size."""
    last = pool[size - 1]
    pool[places[rank]] = last
    places[last] = places[rank]
    places[rank] = -1
    return size - 1


@njit(cache=True, nogil=True)
def swap_ranks(width: int, draws: Floats, partners: Ints) -> None:
    """Pair each rank with a random one of the unpaired at most `width` ahead; `partners` begins as 0, 1, 2, ….

    `draws` are uniform in [0, 1), one for each pair, n // 2 at most. The pool holds, in no order, the unpaired ranks of
    the window: one enters and one or two leave at every step, so each step takes the same time.
    """
    n = partners.size
    pool = np.empty(n, np.int64)
    places = np.full(n, -1, np.int64)
    size = entered = drawn = 0
    for rank in range(n):
        while entered < n - 1 and entered < rank + width:
            entered += 1
            pool[size] = entered
            places[entered] = size
            size += 1
        if places[rank] >= 0:
            size = _take_out(pool, places, size, rank)
        if partners[rank] != rank or size == 0:
            continue
        other = pool[min(int(draws[drawn] * size), size - 1)]
        drawn += 1
        size = _take_out(pool, places, size, other)
        partners[rank], partners[other] = other, rank


@njit(cache=True, nogil=True)
def swap_households(
    regions: Ints, groups: Ints, cells: Ints, seekers: Ints, order: Ints, least: Ints, partners: Ints
) -> None:
    """Pair each seeker with an unpaired household of its group and of another region; `partners` is -1 where unpaired.

    `groups` has a row for each profile of similarity, the closest first: a seeker looks in its group of the first, and
    in that of the next where no other region has anybody left. `cells` numbers the groups' regions. Among those who are
    left the first in `order` is taken. A seeker whose region has `least` pairs already is passed over.

    The unpaired of a group are a linked list in `order`, so those who are paired cost nothing any more.
    """
    profiles, n = groups.shape
    after = np.full((profiles, n), -1, np.int64)
    before = np.full((profiles, n), -1, np.int64)
    heads = np.full((profiles, n), -1, np.int64)
    in_group = np.zeros((profiles, n), np.int64)
    in_cell = np.zeros((profiles, n), np.int64)
    paired = np.zeros(least.size, np.int64)
    for home in order[::-1]:
        if partners[home] >= 0:
            paired[regions[home]] += 1
            continue
        for p in range(profiles):
            _link(after[p], before[p], heads[p], groups[p, home], home)
            in_group[p, groups[p, home]] += 1
            in_cell[p, cells[p, home]] += 1
    for home in seekers:
        if partners[home] >= 0 or paired[regions[home]] >= least[regions[home]]:
            continue
        other = _first_elsewhere(home, regions, groups, cells, after, heads, in_group, in_cell)
        if other < 0:
            continue
        partners[home], partners[other] = other, home
        for gone in (home, other):
            paired[regions[gone]] += 1
            for p in range(profiles):
                _unlink(after[p], before[p], heads[p], groups[p, gone], gone)
                in_group[p, groups[p, gone]] -= 1
                in_cell[p, cells[p, gone]] -= 1


@njit(cache=True, nogil=True)
def _first_elsewhere(
    home: int, regions: Ints, groups: Ints, cells: Ints, after: Ints, heads: Ints, in_group: Ints, in_cell: Ints
) -> int:
    """Find the first household of another region in the first of a household's groups that has one; -1 for none."""
    for p in range(groups.shape[0]):
        group = groups[p, home]
        if in_group[p, group] > in_cell[p, cells[p, home]]:
            other = heads[p, group]
            while regions[other] == regions[home]:
                other = after[p, other]
            return int(other)
    return -1


@njit(cache=True, nogil=True)
def _link(after: Ints, before: Ints, heads: Ints, group: int, home: int) -> None:
    """Put a household at the head of its group's list."""
    first = heads[group]
    after[home] = first
    if first >= 0:
        before[first] = home
    heads[group] = home


@njit(cache=True, nogil=True)
def _unlink(after: Ints, before: Ints, heads: Ints, group: int, gone: int) -> None:
    """Take a household out of its group's list."""
    if before[gone] >= 0:
        after[before[gone]] = after[gone]
    else:
        heads[group] = after[gone]
    if after[gone] >= 0:
        before[after[gone]] = before[gone]
