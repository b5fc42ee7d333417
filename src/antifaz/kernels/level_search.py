"""Counting and settling nodes of a box: the part of a lattice in which a few attributes' levels are free.

A tuple's key at a node is the exclusive or of one random-looking word per attribute and label, so that a level changed
in one attribute changes the key by one word. Two different tuples get the same key with a probability of about 2⁻⁶⁴:
a search may rely on that, a release may not, so what a search finds is counted again from the codes themselves.
"""

import numpy as np

from antifaz.kernels import Bytes, Codes, Floats, Ints, Words
from antifaz.kernels.compiling import njit

#: What is known of a node: nothing; that too many records fail; that few enough do; all there is to know.
UNKNOWN, OUT, IN, DONE = 0, 1, 2, 3


@njit(cache=True, nogil=True)
def change_keys(codes: Codes, old: Ints, new: Ints, words: Words, keys: Words) -> None:
    """Change the key of every tuple from one node to another.

    `old` and `new` say per attribute where its words begin, -1 where it is left out; only what differs is touched.
    """
    for a in range(new.shape[0]):
        before, after = old[a], new[a]
        if before == after:
            continue
        for i in range(keys.shape[0]):
            code = codes[a, i]
            if before >= 0:
                keys[i] ^= words[before + code]
            if after >= 0:
                keys[i] ^= words[after + code]


@njit(cache=True, nogil=True)
def merge_equal(
    keys: Words, counts: Ints, slots: Codes, out_keys: Words, out_counts: Ints, first: Ints, into: Codes
) -> int:
    """Group equal keys; note the first tuple of each group, and the group of each tuple; return how many there are."""
    mask = np.uint64(slots.shape[0] - 1)
    slots[:] = -1
    groups = 0
    for i in range(keys.shape[0]):
        key = keys[i]
        at = key & mask
        while True:
            g = slots[at]
            if g < 0:
                slots[at] = groups
                out_keys[groups] = key
                out_counts[groups] = counts[i]
                first[groups] = i
                into[i] = groups
                groups += 1
                break
            if out_keys[g] == key:
                out_counts[g] += counts[i]
                into[i] = g
                break
            at = (at + np.uint64(1)) & mask
    return groups


@njit(cache=True, nogil=True)
def fixed_keys(codes: Codes, free: Ints, starts: Ints, words: Words, first: Ints, keys: Words, out: Words) -> None:
    """Write the keys of a box's groups without the words of the free attributes."""
    out[:] = keys
    for f in range(free.shape[0]):
        a = free[f]
        for g in range(first.shape[0]):
            out[g] ^= words[starts[a] + codes[a, first[g]]]


@njit(cache=True, nogil=True)
def order_groups(
    run: Codes, runs: Ints, codes: Codes, free: Ints, first: Ints, counts: Ints, out: Codes, firsts: Ints, sizes: Ints
) -> None:
    """Put the groups of one run together: those that the fixed attributes don't tell apart.

    `runs` comes with the number of groups in each run, and becomes where each ends.
    """
    at = 0
    for r in range(runs.shape[0]):
        many = runs[r]
        runs[r] = at
        at += many
    for g in range(run.shape[0]):
        place = runs[run[g]]
        runs[run[g]] += 1
        firsts[place], sizes[place] = first[g], counts[g]
        for f in range(free.shape[0]):
            out[f, place] = codes[free[f], first[g]]


@njit(cache=True, nogil=True)
def count_node(  # noqa: C901 - a kernel: parts of it would be compiled anew in each
    runs: Ints,
    counts: Ints,
    codes: Codes,
    starts: Ints,
    words: Words,
    slots: Codes,
    keys: Words,
    sizes: Ints,
    into: Codes,
    k: int,
    allowed: int,
) -> tuple[int, int]:
    """Count the classes of a node from a box's groups; return how many there are, and the records in classes below k.

    Groups of two runs are never in one class, so it stops as soon as a run brings more than the allowed records, and
    the hash table is never larger than a run.
    """
    classes, failing, start = 0, 0, 0
    for r in range(runs.shape[0]):
        stop = runs[r]
        begin, room = classes, 1
        while room < 2 * (stop - start):
            room *= 2
        mask = np.uint64(room - 1)
        slots[:room] = -1
        for i in range(start, stop):
            key = np.uint64(0)
            for f in range(starts.shape[0]):
                key ^= words[starts[f] + codes[f, i]]
            at = key & mask
            while True:
                c = slots[at]
                if c < 0:
                    slots[at] = classes
                    keys[classes] = key
                    sizes[classes] = counts[i]
                    into[i] = classes
                    classes += 1
                    break
                if keys[c] == key:
                    sizes[c] += counts[i]
                    into[i] = c
                    break
                at = (at + np.uint64(1)) & mask
        for c in range(begin, classes):
            if sizes[c] < k:
                failing += sizes[c]
        if failing > allowed:
            break
        start = stop
    return classes, failing


@njit(cache=True, nogil=True)
def failing_marginals(
    into: Codes,
    sizes: Ints,
    counts: Ints,
    first: Ints,
    codes: Codes,
    starts: Ints,
    labels: Codes,
    places: Ints,
    k: int,
    out: Ints,
) -> None:
    """Per attribute and label, count the records in classes below k; whole numbers, so no order matters."""
    for i in range(into.shape[0]):
        if sizes[into[i]] < k:
            for a in range(starts.shape[0]):
                out[places[a] + labels[starts[a] + codes[a, first[i]]]] += counts[i]


@njit(cache=True, nogil=True)
def settle_below(state: Bytes, digits: Bytes, node: Bytes) -> None:
    """Exclude a node and all below it that are not settled."""
    for n in range(state.shape[0]):
        if state[n] == UNKNOWN or state[n] == IN:
            below = True
            for f in range(node.shape[0]):
                if digits[n, f] > node[f]:
                    below = False
                    break
            if below:
                state[n] = OUT


@njit(cache=True, nogil=True)
def settle_above(state: Bytes, bounds: Floats, digits: Bytes, node: Bytes, what: int, floor: float) -> None:
    """Note of a node and all above it what they are now, where nothing is known of them, and raise their bounds."""
    for n in range(state.shape[0]):
        above = True
        for f in range(node.shape[0]):
            if digits[n, f] < node[f]:
                above = False
                break
        if above:
            if state[n] == UNKNOWN or (state[n] == IN and what == DONE):
                state[n] = what
            bounds[n] = max(bounds[n], floor)


@njit(cache=True, nogil=True)
def chain_up(
    state: Bytes, bounds: Floats, digits: Bytes, strides: Ints, highest: Bytes, start: int, limit: float, out: Ints
) -> int:
    """Write a way up from a node through nodes of which nothing is known, along the least bounds; return its length."""
    at, length = start, 0
    while True:
        out[length] = at
        length += 1
        best, least = -1, np.inf
        for f in range(strides.shape[0]):
            if digits[at, f] < highest[f]:
                n = at + strides[f]
                if state[n] == UNKNOWN and bounds[n] < least and bounds[n] <= limit:
                    best, least = n, bounds[n]
        if best < 0:
            return length
        at = best
