"""What groups of records hold of one attribute: their ends, their values and how often, the middle of these.

Whatever is counted goes over the records a fixed number of times, however many groups there are and however large; no
records are sorted. A group of -1 is left out.
"""

import numpy as np

from antifaz.kernels import Codes, Flags, Floats, Ints
from antifaz.kernels.compiling import njit


@njit(cache=True, nogil=True)
def group_ends(groups: Ints, codes: Codes, rank: Codes, known: int, low: Codes, high: Codes, some: Flags) -> None:
    """Find the least and the greatest rank in every group, and whether some are unknown (of rank `known` or more).

    `low`, `high` and `some` come as `known`, -1 and False, and stay so where there is nothing.
    """
    for i in range(groups.shape[0]):
        group = groups[i]
        if group < 0:
            continue
        here = rank[codes[i]]
        if here >= known:
            some[group] = True
        else:
            low[group] = min(low[group], here)
            high[group] = max(high[group], here)


@njit(cache=True, nogil=True)
def group_sets(groups: Ints, codes: Codes, sets: Ints) -> None:
    """Set the bit of every code that a group has; `sets` comes as 0, and there are at most 63 codes."""
    for i in range(groups.shape[0]):
        if groups[i] >= 0:
            sets[groups[i]] |= np.int64(1) << np.int64(codes[i])


@njit(cache=True, nogil=True)
def _close_up(state: Ints, offsets: Ints, codes: Codes, counts: Codes) -> None:
    """Bring what was written of every group together, and write where each begins."""
    to = 0
    for group in range(state.shape[0]):
        start = offsets[group]
        offsets[group] = to
        for at in range(start, state[group, 0]):
            codes[to], counts[to] = codes[at], counts[at]
            to += 1
    offsets[state.shape[0]] = to


@njit(cache=True, nogil=True)
def group_members(
    groups: Ints, codes: Codes, order: Codes, offsets: Ints, by_code: Codes, out_codes: Codes, out_counts: Codes
) -> None:
    """Write the distinct codes of every group and how often each occurs, each group's codes in the given order.

    `order` lists all codes. `offsets[g + 1]` comes as the number of records in group g; in the end `offsets[g]` is
    where the group's codes begin. `by_code` is a workspace as long as the outputs: one place per record in a group.
    """
    # Of every group where its next code goes, and its last one: side by side, because groups are met in any order.
    state = np.empty((offsets.shape[0] - 1, 2), np.int64)
    for group in range(state.shape[0]):
        offsets[group + 1] += offsets[group]
        state[group, 0], state[group, 1] = offsets[group], -1
    ends = np.zeros(order.shape[0] + 1, np.int64)
    for i in range(groups.shape[0]):
        if groups[i] >= 0:
            ends[codes[i] + 1] += 1
    for c in range(order.shape[0]):
        ends[c + 1] += ends[c]
    for i in range(groups.shape[0]):
        if groups[i] >= 0:
            by_code[ends[codes[i]]] = groups[i]
            ends[codes[i]] += 1
    # Code by code, so that every group meets its codes in order, and the same one in one go.
    for code in order:
        for p in range(ends[code - 1] if code else 0, ends[code]):
            group = by_code[p]
            at = state[group, 0]
            if state[group, 1] == code:
                out_counts[at - 1] += 1
            else:
                out_codes[at], out_counts[at] = code, 1
                state[group, 0], state[group, 1] = at + 1, code
    _close_up(state, offsets, out_codes, out_counts)


@njit(cache=True, nogil=True)
def number_keys(keys: Ints, slots: Codes, firsts: Ints, into: Ints) -> int:
    """Number the distinct keys as they first occur, and return how many there are.

    `firsts[n]` becomes where number n first occurs, and `into[i]` the number of key i. `slots` is a workspace
    whose length is a power of two and at least twice the number of keys.
    """
    mask = np.uint64(slots.shape[0] - 1)
    slots[:] = -1
    found = 0
    for i in range(keys.shape[0]):
        mixed = np.uint64(keys[i])
        mixed = (mixed ^ (mixed >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)
        at = (mixed >> np.uint64(32)) & mask
        while slots[at] >= 0 and keys[firsts[slots[at]]] != keys[i]:
            at = (at + np.uint64(1)) & mask
        if slots[at] < 0:
            slots[at] = found
            firsts[found] = i
            found += 1
        into[i] = slots[at]
    return found


@njit(cache=True, nogil=True)
def number_lists(offsets: Ints, codes: Codes, slots: Codes, firsts: Ints, into: Ints) -> int:
    """Number the distinct lists of codes, list i being `codes[offsets[i] : offsets[i + 1]]`, as `number_keys` does."""
    mask = np.uint64(slots.shape[0] - 1)
    slots[:] = -1
    found = 0
    for i in range(into.shape[0]):
        mixed = np.uint64(0)
        for p in range(offsets[i], offsets[i + 1]):
            mixed = (mixed ^ np.uint64(codes[p] + 1)) * np.uint64(0x9E3779B97F4A7C15)
            mixed ^= mixed >> np.uint64(32)
        at = mixed & mask
        while slots[at] >= 0:
            other, same = firsts[slots[at]], True
            many = offsets[i + 1] - offsets[i]
            if offsets[other + 1] - offsets[other] != many:
                same = False
            else:
                for p in range(many):
                    if codes[offsets[other] + p] != codes[offsets[i] + p]:
                        same = False
                        break
            if same:
                break
            at = (at + np.uint64(1)) & mask
        if slots[at] < 0:
            slots[at] = found
            firsts[found] = i
            found += 1
        into[i] = slots[at]
    return found


@njit(cache=True, nogil=True)
def covering_levels(offsets: Ints, codes: Codes, up: Codes, out: Ints) -> None:
    """Write the lowest level at which all of a group's codes become the same, `up[level, code]`; one more for none."""
    for group in range(out.shape[0]):
        level, start = 0, offsets[group]
        while level < up.shape[0]:
            same = True
            for p in range(start + 1, offsets[group + 1]):
                if up[level, codes[p]] != up[level, codes[start]]:
                    same = False
                    break
            if same:
                break
            level += 1
        out[group] = level


@njit(cache=True, nogil=True)
def group_modes(offsets: Ints, codes: Codes, counts: Codes, out: Ints, alone: Flags) -> None:
    """Write the most frequent code of every group, the least of several, and whether it is the only one."""
    for group in range(out.shape[0]):
        best, most, only = np.int64(-1), np.int64(0), True
        for p in range(offsets[group], offsets[group + 1]):
            if counts[p] > most:
                best, most, only = np.int64(codes[p]), np.int64(counts[p]), True
            elif counts[p] == most:
                best, only = min(best, np.int64(codes[p])), False
        out[group], alone[group] = best, only


@njit(cache=True, nogil=True)
def group_middles(offsets: Ints, codes: Codes, counts: Codes, scale: Floats, mean: bool, out: Floats) -> None:
    """Write the mean of every group's numbers, or their median (of two the mean); NaN where none is known.

    Codes are in the order of their numbers, what is unknown (NaN) last.
    """
    for group in range(out.shape[0]):
        known, total = 0, 0.0
        for p in range(offsets[group], offsets[group + 1]):
            if not np.isnan(scale[codes[p]]):
                known += counts[p]
                total += counts[p] * scale[codes[p]]
        if known == 0:
            out[group] = np.nan
        elif mean:
            out[group] = total / known
        else:
            p, before = offsets[group], 0
            while before + counts[p] <= (known - 1) // 2:
                before += counts[p]
                p += 1
            low = scale[codes[p]]
            if before + counts[p] <= known // 2:
                p += 1
            out[group] = (low + scale[codes[p]]) / 2


@njit(cache=True, nogil=True)
def merge_groups(groups: Ints, alike: Ints, rank: Ints, out: Ints, one_of: Ints) -> int:
    """Write what every record's group is merged into, numbered as they occur; return how many.

    `alike[group]` is the same for groups to merge; `rank` comes as -1 for each of these. `one_of` becomes one group of
    those merged: the last that occurs.
    """
    found = 0
    for i in range(groups.shape[0]):
        group = groups[i]
        if group < 0:
            out[i] = -1
            continue
        place = alike[group]
        if rank[place] < 0:
            rank[place] = found
            found += 1
        out[i] = rank[place]
        one_of[rank[place]] = group
    return found
