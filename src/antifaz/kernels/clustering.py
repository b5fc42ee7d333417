"""Clustering: groups that grow by the record that raises their loss least.

The loss of a group is the sum over attributes of its normalized certainty penalty, weights included. A group is known
by its state (spans of numbers, sets of codes, levels of hierarchies), so adding a record costs one look at each
attribute. A group's loss never falls as it grows, so the loss once found for a record stays a lower bound for the rest
of the group's growth: most records are passed over after one comparison.
"""

from typing import NamedTuple

import numpy as np

from antifaz.kernels import Codes, Flags, Floats, Ints
from antifaz.kernels.compiling import njit

#: Losses nearer than this are equal: sums of the same ninths must tie, whatever their rounding.
TINY = 1e-12


class RecordArrays(NamedTuple):
    """All records as arrays; penalties have the attributes' weights in them."""

    #: Numbers scaled to [0, weight]; NaN is missing. One column per numeric attribute.
    numbers: Floats
    #: The full penalty of each numeric attribute: its weight.
    full: Floats
    #: Codes of categories without a hierarchy; what one more distinct value costs; the code of missing, or -1.
    codes: Codes
    unit: Floats
    blank: Codes
    whole: Floats
    #: The largest number of codes.
    most: int
    #: Codes of categories with a hierarchy; per attribute, level and code: the label's number and its penalty.
    places: Codes
    up: Codes
    penalty: Floats


#: Its name in what Numba compiled and kept for an earlier version: it is looked up before that is found outdated.
Table = RecordArrays


class State(NamedTuple):
    """What is known of one group: all that its loss depends on."""

    low: Floats
    high: Floats
    #: Numeric attributes with a missing value in the group.
    gap: Flags
    #: The last token under which a code was seen; a new group takes a new token, so nothing need be cleared.
    seen: Ints
    token: Ints
    distinct: Ints
    #: The codes seen, as many as are distinct.
    held: Codes
    hole: Flags
    #: Level of the lowest common label, and a code under it (-1 for none yet).
    level: Ints
    under: Codes


def new_state(table: RecordArrays) -> State:
    """Return the state of a group without records."""
    numbers, codes, places = table.numbers.shape[1], table.codes.shape[1], table.places.shape[1]
    low, high, gap = np.full(numbers, np.inf), np.full(numbers, -np.inf), np.zeros(numbers, np.bool_)
    seen, token = np.zeros((codes, table.most), np.int64), np.ones(1, np.int64)
    distinct, held, hole = np.zeros(codes, np.int64), np.zeros((codes, table.most), np.int32), np.zeros(codes, np.bool_)
    level, under = np.zeros(places, np.int64), np.full(places, -1, np.int32)
    return State(low, high, gap, seen, token, distinct, held, hole, level, under)


@njit(cache=True, nogil=True)
def clear(state: State) -> None:
    """Make the group empty."""
    state.low[:] = np.inf
    state.high[:] = -np.inf
    state.gap[:] = False
    state.token[0] += 1
    state.distinct[:] = 0
    state.hole[:] = False
    state.level[:] = 0
    state.under[:] = -1


@njit(cache=True, nogil=True)
def add(table: RecordArrays, state: State, row: int) -> None:
    """Put a record into the group."""
    for a in range(table.numbers.shape[1]):
        number = table.numbers[row, a]
        if np.isnan(number):
            state.gap[a] = True
        else:
            state.low[a] = min(state.low[a], number)
            state.high[a] = max(state.high[a], number)
    for c in range(table.codes.shape[1]):
        code = table.codes[row, c]
        if state.seen[c, code] != state.token[0]:
            state.seen[c, code] = state.token[0]
            state.held[c, state.distinct[c]] = code
            state.distinct[c] += 1
            state.hole[c] |= code == table.blank[c]
    for p in range(table.places.shape[1]):
        state.level[p] = _level(table, state, p, table.places[row, p])
        state.under[p] = table.places[row, p]


@njit(cache=True, nogil=True, inline="always")
def _level(table: RecordArrays, state: State, p: int, place: int) -> int:
    """The lowest level at which a code and the group have the same label; the last level is beyond all labels."""
    level = state.level[p]
    under = state.under[p]
    if under >= 0:
        while table.up[p, level, place] != table.up[p, level, under]:
            level += 1
    return int(level)


@njit(cache=True, nogil=True)
def joined(table: RecordArrays, state: State, row: int, limit: float) -> float:
    """Return the loss of the group with one record more, or, once it is not below `limit`, a lower bound of it."""
    loss = 0.0
    for a in range(table.numbers.shape[1]):
        number = table.numbers[row, a]
        low = state.low[a]
        if np.isnan(number):
            loss += table.full[a] if low < np.inf else 0.0
        elif state.gap[a]:
            loss += table.full[a]
        else:
            loss += max(state.high[a], number) - min(low, number)
        if loss >= limit:
            return loss
    for c in range(table.codes.shape[1]):
        code = table.codes[row, c]
        more = 0 if state.seen[c, code] == state.token[0] else 1
        if state.distinct[c] + more > 1 and (state.hole[c] or code == table.blank[c]):
            loss += table.whole[c]
        else:
            loss += (state.distinct[c] + more - 1) * table.unit[c]
    for p in range(table.places.shape[1]):
        place = table.places[row, p]
        loss += table.penalty[p, _level(table, state, p, place), place]
    return loss


@njit(cache=True, nogil=True)
def fill(table: RecordArrays, state: State, rows: Ints) -> float:
    """Make the group hold these records; return its loss."""
    clear(state)
    for row in rows:
        add(table, state, row)
    return float(joined(table, state, rows[0], np.inf)) if rows.shape[0] else 0.0


@njit(cache=True, nogil=True)
def distance(table: RecordArrays, one: int, other: int, differ: Floats) -> float:
    """Return how far two records lie apart: what a group of the two would lose, where `differ` is the table's unit.

    `differ` is how far different codes of each category without a hierarchy lie apart.
    """
    apart = 0.0
    for a in range(table.numbers.shape[1]):
        gap = table.numbers[one, a] - table.numbers[other, a]
        if not np.isnan(gap):
            apart += abs(gap)
        elif np.isnan(table.numbers[one, a]) != np.isnan(table.numbers[other, a]):
            apart += table.full[a]
    for c in range(table.codes.shape[1]):
        here, there = table.codes[one, c], table.codes[other, c]
        if here != there:
            blank = table.blank[c] == here or table.blank[c] == there
            apart += table.whole[c] if blank else differ[c]
    for p in range(table.places.shape[1]):
        place, level = table.places[one, p], 0
        while table.up[p, level, place] != table.up[p, level, table.places[other, p]]:
            level += 1
        apart += table.penalty[p, level, place]
    return apart


@njit(cache=True, nogil=True)
def _farthest(table: RecordArrays, left: Ints, many: int, last: int) -> int:
    """The place of the record farthest from the last one; the first of several."""
    most, at = -1.0, 0
    for j in range(many):
        apart = distance(table, left[j], last, table.unit)
        if apart > most + TINY:
            most, at = apart, j
    return at


@njit(cache=True, nogil=True)
def _cheapest(table: RecordArrays, state: State, left: Ints, many: int, bound: Floats, now: float) -> int:
    """The place of the record that raises the loss least, the first of several; `bound` is kept up to date."""
    best, at = np.inf, -1
    for j in range(many):
        if bound[j] >= best - TINY:
            continue
        loss = joined(table, state, left[j], best)
        bound[j] = loss
        if loss < best - TINY:
            best, at = loss, j
            if loss <= now + TINY:
                break  # nothing costs less than nothing
    return at


@njit(cache=True, nogil=True)
def _take(left: Ints, ids: Ints, bound: Floats, many: int, at: int) -> None:
    """Close the gap that a record leaves behind; the rest stays in order, because the first of several is taken."""
    for j in range(at, many - 1):
        left[j] = left[j + 1]
        ids[j] = ids[j + 1]
        bound[j] = bound[j + 1]


@njit(cache=True, nogil=True)
def gather(table: RecordArrays, state: State, rows: Ints, k: int, first: int) -> Ints:
    """Group a few records greedily into groups of k by asking every record; return the group of each place in `rows`.

    Groups start with the record farthest from the last that was chosen (`first` is the place of the very first). Of
    records that cost the same, the first is taken. What is left in the end joins the groups where it costs least.
    """
    groups = np.full(rows.shape[0], -1, np.int64)
    left, ids, bound = np.arange(rows.shape[0]), rows.copy(), np.zeros(rows.shape[0])
    many, count, at, last = rows.shape[0], 0, first, rows[0]
    while many >= k:
        if count:
            at = _farthest(table, ids, many, last)
        clear(state)
        bound[:many] = 0.0
        now = 0.0
        for size in range(k):
            if size:
                at = _cheapest(table, state, ids, many, bound, now)
                now = joined(table, state, ids[at], np.inf)
            last = ids[at]
            add(table, state, last)
            groups[left[at]] = count
            _take(left, ids, bound, many, at)
            many -= 1
        count += 1
    for j in range(many):
        groups[left[j]] = _least_rise(table, state, rows, groups, count, ids[j])
    return groups


@njit(cache=True, nogil=True)
def _least_rise(table: RecordArrays, state: State, rows: Ints, groups: Ints, count: int, row: int) -> int:
    """The group whose total loss a record raises least."""
    order, offsets = by_group(groups, count)
    best, at = np.inf, 0
    for g in range(count):
        members = rows[order[offsets[g] : offsets[g + 1]]]
        now = fill(table, state, members)
        rise = (members.shape[0] + 1) * joined(table, state, row, np.inf) - members.shape[0] * now
        if rise < best:
            best, at = rise, g
    return at


@njit(cache=True, nogil=True)
def by_group(groups: Ints, count: int) -> tuple[Ints, Ints]:
    """Return the places of all records, group by group, and where each group begins; -1 is left out."""
    offsets = np.zeros(count + 1, np.int64)
    for g in groups:
        if g >= 0:
            offsets[g + 1] += 1
    for g in range(count):
        offsets[g + 1] += offsets[g]
    order = np.empty(offsets[count], np.int64)
    at = offsets.copy()
    for j in range(groups.shape[0]):
        g = groups[j]
        if g >= 0:
            order[at[g]] = j
            at[g] += 1
    return order, offsets


@njit(cache=True, nogil=True)
def total_loss(table: RecordArrays, state: State, groups: Ints, count: int) -> float:
    """Return the sum over records of the loss of their group."""
    order, offsets = by_group(groups, count)
    total = 0.0
    for g in range(count):
        members = order[offsets[g] : offsets[g + 1]]
        total += members.shape[0] * fill(table, state, members)
    return total


@njit(cache=True, nogil=True)
def nearest_group(table: RecordArrays, state: State, groups: Ints, count: int, of: int, free: Flags) -> int:
    """Return which of the free groups it costs least to unite with group `of`; -1 if none is free."""
    order, offsets = by_group(groups, count)
    mine = order[offsets[of] : offsets[of + 1]]
    best, at = np.inf, -1
    for g in range(count):
        if g == of or not free[g]:
            continue
        theirs = order[offsets[g] : offsets[g + 1]]
        now = theirs.shape[0] * fill(table, state, theirs)
        loss = now
        for row in mine:
            loss = joined(table, state, row, np.inf)
            add(table, state, row)
        rise = (mine.shape[0] + theirs.shape[0]) * loss - now
        if rise < best:
            best, at = rise, g
    return at
