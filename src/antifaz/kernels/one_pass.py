"""One-pass k-means: every record joins the nearest group, and groups that became too large give records away."""

import numpy as np

from antifaz.kernels import Flags, Floats, Ints
from antifaz.kernels.clustering import RecordArrays, by_group
from antifaz.kernels.compiling import njit


@njit(cache=True, nogil=True)
def _apart(table: RecordArrays, centre: Floats, seed: int, row: int, limit: float) -> float:
    """How far a record is from a group: from the mean of its numbers, and from its first record in the rest.

    Once it is not below `limit`, any number that is not either.
    """
    apart = 0.0
    for c in range(table.codes.shape[1]):
        here, there = table.codes[seed, c], table.codes[row, c]
        if here != there:
            apart += table.whole[c] if table.blank[c] == here or table.blank[c] == there else table.unit[c]
            if apart >= limit:
                return float(apart)
    for a in range(table.numbers.shape[1]):
        number = table.numbers[row, a]
        if np.isnan(number) or np.isnan(centre[a]):
            apart += 0.0 if np.isnan(number) and np.isnan(centre[a]) else table.full[a]
        else:
            apart += abs(number - centre[a])
    for p in range(table.places.shape[1]):
        place, level = table.places[row, p], 0
        while table.up[p, level, place] != table.up[p, level, table.places[seed, p]]:
            level += 1
        apart += table.penalty[p, level, place]
    return float(apart)


@njit(cache=True, nogil=True)
def _nearest(table: RecordArrays, centres: Floats, seeds: Ints, allowed: Flags, row: int) -> int:
    """The nearest of the groups that are allowed; the first of several."""
    best, at = np.inf, -1
    for g in range(seeds.shape[0]):
        if allowed[g]:
            apart = _apart(table, centres[g], seeds[g], row, best)
            if apart < best:
                best, at = apart, g
    return at


@njit(cache=True, nogil=True)
def one_pass(table: RecordArrays, seeds: Ints, k: int) -> Ints:
    """Group all records around the seeds, of which there are as many as groups of k fit; none ends with fewer than k.

    First every record joins the nearest centre, which moves to the mean of its numbers. Then groups of more than k give
    away those farthest from their centre; these fill the groups of less than k, and the rest go where they are nearest.
    """
    rows, count = table.numbers.shape[0], seeds.shape[0]
    groups = np.full(rows, -1, np.int64)
    sizes = np.ones(count, np.int64)
    centres = np.empty((count, table.numbers.shape[1]))
    allowed = np.ones(count, np.bool_)
    for g in range(count):
        groups[seeds[g]] = g
        centres[g] = table.numbers[seeds[g]]
    for row in range(rows):
        if groups[row] < 0:
            g = _nearest(table, centres, seeds, allowed, row)
            groups[row] = g
            sizes[g] += 1
            for a in range(table.numbers.shape[1]):
                if not np.isnan(table.numbers[row, a]):
                    centres[g, a] += (table.numbers[row, a] - centres[g, a]) / sizes[g]
    # Who gives away keeps k, so that its size is not asked for any more.
    _give_away(table, centres, seeds, groups, k)
    for row in range(rows):
        if groups[row] < 0:
            for g in range(count):
                allowed[g] = sizes[g] < k
            if not allowed.any():
                allowed[:] = True
            g = _nearest(table, centres, seeds, allowed, row)
            groups[row] = g
            sizes[g] += 1
    return groups


@njit(cache=True, nogil=True)
def _give_away(table: RecordArrays, centres: Floats, seeds: Ints, groups: Ints, k: int) -> None:
    """Take the records farthest from their centre out of groups of more than k."""
    order, offsets = by_group(groups, seeds.shape[0])
    for g in range(seeds.shape[0]):
        members = order[offsets[g] : offsets[g + 1]]
        if members.shape[0] <= k:
            continue
        apart = np.empty(members.shape[0])
        for j in range(members.shape[0]):
            # The record that the group began with stays.
            apart[j] = -1.0 if members[j] == seeds[g] else _apart(table, centres[g], seeds[g], members[j], np.inf)
        for j in np.argsort(apart, kind="mergesort")[k:]:
            groups[members[j]] = -1
