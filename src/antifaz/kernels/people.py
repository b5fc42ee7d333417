"""Counting people: distinct pairs of a class and a person."""

import numpy as np
from numba import njit

from antifaz.kernels import Codes, Flags, Ints, Words


@njit(cache=True, nogil=True)
def group_first(keys: Words, counts: Ints, slots: Codes, first: Ints, sums: Ints) -> int:
    """Group equal keys; write where each first is and the sum of their counts, and return how many groups there are.

    `slots` is a workspace whose length is a power of two and at least twice the number of keys. Groups are in the order
    of their first keys.
    """
    mask = np.uint64(slots.shape[0] - 1)
    slots[:] = -1
    groups = 0
    for i in range(keys.shape[0]):
        key = keys[i]
        mixed = key ^ (key >> np.uint64(32))
        mixed *= np.uint64(0x9E3779B97F4A7C15)
        at = (mixed >> np.uint64(32)) & mask
        while True:
            g = slots[at]
            if g < 0:
                slots[at] = groups
                first[groups] = i
                sums[groups] = counts[i]
                groups += 1
                break
            if keys[first[g]] == key:
                sums[g] += counts[i]
                break
            at = (at + np.uint64(1)) & mask
    return groups


@njit(cache=True, nogil=True)
def keep_few(owners: Ints, many: int, few: int, kept: Flags) -> None:
    """Keep the first so many of every owner's entries."""
    seen = np.zeros(many, np.int64)
    for i in range(owners.shape[0]):
        kept[i] = seen[owners[i]] < few
        seen[owners[i]] += 1
