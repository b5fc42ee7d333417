"""Counting every combination of a few columns: how many records share what is rarest about each class."""

import numpy as np

from antifaz.kernels import Codes, Flags, Ints
from antifaz.kernels.compiling import njit


@njit(cache=True, nogil=True)
def _extend(
    before: Codes, groups: int, column: Codes, labels: int, rows: Ints, slots: Codes, keys: Ints, after: Codes
) -> int:
    """Divide the groups of some columns by one more column; return how many there are then."""
    room = groups * labels
    found = 0
    if room <= slots.shape[0]:
        slots[:room] = -1
        for i in rows:
            key = np.int64(before[i]) * labels + column[i]
            if slots[key] < 0:
                slots[key] = found
                found += 1
            after[i] = slots[key]
        return found
    mask = slots.shape[0] - 1
    slots[:] = -1
    for i in rows:
        key = np.int64(before[i]) * labels + column[i]
        at = np.int64((np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(33)) & mask
        while slots[at] >= 0 and keys[slots[at]] != key:
            at = (at + 1) & mask
        if slots[at] < 0:
            slots[at] = found
            keys[found] = key
            found += 1
        after[i] = slots[at]
    return found


@njit(cache=True, nogil=True)
def _compare(own: Codes, rows: Ints, sizes: Ints, sums: Ints, k: int, rarest: Ints, chosen: Ints, blame: Codes) -> int:
    """Count the records of each group of one set of columns; return how many are in fewer than k for the first time."""
    failing = 0
    for i in rows:
        sums[own[i]] += sizes[i]
    for i in rows:
        shared = sums[own[i]]
        if shared < k and blame.shape[0]:
            for a in chosen:
                blame[a, i] += 1
        if shared < rarest[i]:
            if shared < k <= rarest[i]:
                failing += sizes[i]
            rarest[i] = shared
    return failing


@njit(cache=True, nogil=True)
def rarest_shared(
    columns: Codes,
    labels: Ints,
    sizes: Ints,
    kept: Flags,
    known: int,
    k: int,
    allowed: int,
    slots: Codes,
    rarest: Ints,
    first: bool,
    blame: Codes,
) -> int:
    """Write, for every kept class, the fewest records that share its values in any `known` of the columns.

    `columns` has one row per column. `slots` has a power of two of places, at least twice the number of classes.
    Columns are taken in order, so that sets with the same beginning share its groups. With `first` only sets with the
    first column are counted. `blame`, empty or with a row per column, counts for every class the combinations of fewer
    than k that a column is in. It stops once more than
    `allowed` records of kept classes are in combinations of fewer than k; return how many were found to be.
    """
    rows = np.flatnonzero(kept)
    rarest[:] = sizes.sum()
    many, failing = columns.shape[0], 0
    groups = np.zeros((known + 1, sizes.shape[0]), np.int32)
    count = np.ones(known + 1, np.int64)
    chosen = np.full(known + 1, -1, np.int64)
    keys, sums = np.empty(sizes.shape[0], np.int64), np.zeros(sizes.shape[0], np.int64)
    depth = 1
    while depth:
        chosen[depth] += 1
        if chosen[depth] > many - (known - depth) - 1:
            depth -= 1
            continue
        a = chosen[depth]
        if first and depth == 1 and a:
            break
        count[depth] = _extend(
            groups[depth - 1], count[depth - 1], columns[a], labels[a], rows, slots, keys, groups[depth]
        )
        if depth < known:
            chosen[depth + 1] = a
            depth += 1
            continue
        sums[: count[depth]] = 0
        failing += int(_compare(groups[depth], rows, sizes, sums, k, rarest, chosen[1:], blame))
        if failing > allowed:
            return failing
    return failing
