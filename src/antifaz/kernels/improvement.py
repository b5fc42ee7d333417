"""Local search on a grouping: moves, exchanges, and pairs of groups grouped anew.

What counts is the sum over groups of records times loss. All bounds rest on one fact: a group never loses more when a
record leaves it.
"""

import numpy as np

from antifaz.kernels import Floats, Ints
from antifaz.kernels.clustering import TINY, RecordArrays, State, add, by_group, clear, fill, gather, joined, total_loss
from antifaz.kernels.compiling import njit


@njit(cache=True, nogil=True)
def neighbours(table: RecordArrays, state: State, groups: Ints, count: int, many: int) -> Ints:
    """Return, per group, the groups whose first record would raise its loss least, nearest first."""
    order, offsets = by_group(groups, count)
    near = np.zeros((count, many), np.int64)
    rise = np.empty(count, np.float64)
    for g in range(count):
        fill(table, state, order[offsets[g] : offsets[g + 1]])
        for h in range(count):
            rise[h] = joined(table, state, order[offsets[h]], np.inf)
        # The few that matter are kept in order as they come; ties by number, so that no rule of sorting decides.
        held = 0
        for h in range(count):
            if h == g or (held == many and rise[h] >= rise[near[g, held - 1]]):
                continue
            at = min(held, many - 1)
            while at > 0 and rise[near[g, at - 1]] > rise[h]:
                near[g, at] = near[g, at - 1]
                at -= 1
            near[g, at] = h
            held = min(held + 1, many)
    return near


@njit(cache=True, nogil=True)
def _lists(groups: Ints, count: int, k: int) -> tuple[Ints, Ints]:
    """The members of every group in a row of a matrix with room for 2k at least, and how many there are."""
    sizes = np.zeros(count, np.int64)
    for g in groups:
        sizes[g] += 1
    members = np.full((count, max(2 * k, sizes.max() + 1)), -1, np.int64)
    sizes[:] = 0
    for row in range(groups.shape[0]):
        g = groups[row]
        members[g, sizes[g]] = row
        sizes[g] += 1
    return members, sizes


@njit(cache=True, nogil=True)
def _refresh(table: RecordArrays, state: State, rows: Ints, losses: Floats, without: Floats, g: int) -> None:
    """Note the loss of a group, and what it would lose without each of its records."""
    losses[g] = fill(table, state, rows)
    for row in rows:
        without[row] = _lacking(table, state, rows, row)


@njit(cache=True, nogil=True)
def _lacking(table: RecordArrays, state: State, rows: Ints, gone: int) -> float:
    """Make the state that of the group without one record; return its loss."""
    clear(state)
    for row in rows:
        if row != gone:
            add(table, state, row)
    if rows.shape[0] < 2:
        return 0.0
    return float(joined(table, state, rows[1] if rows[0] == gone else rows[0], np.inf))


@njit(cache=True, nogil=True)
def _best_partner(
    table: RecordArrays,
    state: State,
    spare: State,
    row: int,
    rows: Ints,
    others: Ints,
    losses: tuple[float, float],
    without: Floats,
    least: float,
    kinds: Ints,
) -> tuple[float, int]:
    """The record of another group to exchange with, and the gain, if above `least`; `state` is the group without `row`.

    Where kinds are given, only records of the same kind are exchanged. The two exact losses are looked at one after the
    other, and only while the bound says it may pay.
    """
    best, partner = least, -1
    here, there = rows.shape[0], others.shape[0]
    old = here * losses[0] + there * losses[1]
    for other in others:
        if kinds.shape[0] and kinds[row] != kinds[other]:
            continue
        if old - here * without[row] - there * without[other] <= best:
            continue
        mine = here * joined(table, state, other, np.inf)
        if old - mine - there * without[other] <= best:
            continue
        _lacking(table, spare, others, other)
        gain = old - mine - there * joined(table, spare, row, np.inf)
        if gain > best:
            best, partner = gain, other
    return best, partner


@njit(cache=True, nogil=True)
def _replace(members: Ints, sizes: Ints, g: int, gone: int, come: int) -> None:
    """Put one record in the place of another; -1 comes for none, and takes the place of none."""
    for j in range(sizes[g]):
        if members[g, j] == gone:
            if come >= 0:
                members[g, j] = come
            else:
                sizes[g] -= 1
                members[g, j] = members[g, sizes[g]]
            return
    members[g, sizes[g]] = come
    sizes[g] += 1


@njit(cache=True, nogil=True)
def exchange(
    table: RecordArrays, state: State, spare: State, groups: Ints, count: int, k: int, near: Ints, kinds: Ints
) -> float:
    """Move or exchange each record once where that gains most; change `groups`, return the gain in all.

    Where kinds are given (one per record), groups keep what they have of each: none moves, and like is exchanged for
    like.
    """
    members, sizes = _lists(groups, count, k)
    losses, without = np.zeros(count), np.zeros(groups.shape[0])
    for g in range(count):
        _refresh(table, state, members[g, : sizes[g]], losses, without, g)
    total = 0.0
    for row in range(groups.shape[0]):
        g = groups[row]
        rows = members[g, : sizes[g]]
        _lacking(table, state, rows, row)
        best, target, partner = TINY, -1, -1
        for h in near[g]:
            others = members[h, : sizes[h]]
            if not kinds.shape[0] and sizes[g] > k and sizes[h] < 2 * k - 1:
                fill(table, spare, others)
                old = sizes[g] * losses[g] + sizes[h] * losses[h]
                grown = (sizes[h] + 1) * joined(table, spare, row, np.inf)
                gain = old - (sizes[g] - 1) * without[row] - grown
                if gain > best:
                    best, target, partner = gain, h, -1
            both = (losses[g], losses[h])
            gain, other = _best_partner(table, state, spare, row, rows, others, both, without, best, kinds)
            if other >= 0:
                best, target, partner = gain, h, other
        if target >= 0:
            _replace(members, sizes, g, row, partner)
            _replace(members, sizes, target, partner, row)
            groups[row] = target
            if partner >= 0:
                groups[partner] = g
            _refresh(table, state, members[g, : sizes[g]], losses, without, g)
            _refresh(table, state, members[target, : sizes[target]], losses, without, target)
            total += best
    return total


@njit(cache=True, nogil=True)
def _anew(table: RecordArrays, state: State, spare: State, k: int, first: int) -> Ints:
    """Group a few groups' records anew: greedily from some record on, then exchanging until nothing gains."""
    parts: Ints = gather(table, state, np.arange(table.numbers.shape[0]), k, first)
    count = parts.max() + 1
    near = np.empty((count, count - 1), np.int64)
    for g in range(count):
        for h in range(count - 1):
            near[g, h] = h if h < g else h + 1
    for _ in range(10):
        if exchange(table, state, spare, parts, count, k, near, np.zeros(0, np.int64)) <= TINY:
            break
    return parts


@njit(cache=True, nogil=True)
def regroup(
    table: RecordArrays, state: State, spare: State, groups: Ints, count: int, k: int, near: Ints, turn: int
) -> float:
    """Unite each group with some of its nearest and split them anew where that gains; change `groups`, return the gain.

    The parts are at least as many as the groups were, and more where there are records enough. `near` has as many
    columns as groups to unite with; `turn` varies the record that the new grouping starts from.
    """
    total = 0.0
    members, sizes = _lists(groups, count + groups.shape[0] // k + 1, k)
    owners = np.empty(2 * near.shape[1] + 4, np.int64)
    for g in range(near.shape[0]):
        pool = near.shape[1] + 1
        owners[0] = g
        owners[1:pool] = near[g]
        many = sizes[owners[:pool]].sum()
        rows = np.empty(many, np.int64)
        old, at = 0.0, 0
        for h in owners[:pool]:
            old += sizes[h] * fill(table, state, members[h, : sizes[h]])
            rows[at : at + sizes[h]] = members[h, : sizes[h]]
            at += sizes[h]
        part = RecordArrays(
            table.numbers[rows], table.full, table.codes[rows], table.unit, table.blank, table.whole, table.most,
            table.places[rows], table.up, table.penalty,
        )  # fmt: skip
        parts = _anew(part, state, spare, k, (turn * 7919 + g) % many)
        gain = old - total_loss(part, state, parts, parts.max() + 1)
        if gain <= TINY:
            continue
        total += gain
        for more in range(pool, parts.max() + 1):
            owners[more] = count
            count += 1
        sizes[owners[: parts.max() + 1]] = 0
        for j in range(many):
            owner = owners[parts[j]]
            groups[rows[j]] = owner
            members[owner, sizes[owner]] = rows[j]
            sizes[owner] += 1
    return total
