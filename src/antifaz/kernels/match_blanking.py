"""Local suppression where a blank matches anything: which cells to blank so that every tuple matches k records.

Blanking never takes a match away, so tuples can be dealt with one after the other, and what was done for one helps the
others. For one tuple, the set of attributes in which each other tuple differs from it says all: blanking the set S
makes those match that differ within S.
"""

import numpy as np

from antifaz.kernels import Codes, Floats, Ints
from antifaz.kernels.compiling import njit


@njit(cache=True, nogil=True)
def _differences(codes: Codes, t: int, masks: Ints) -> None:
    """Write for every tuple in which attributes it differs from tuple t, blanks aside; bit a is attribute a."""
    tuples, width = codes.shape
    own = codes[t]
    for u in range(tuples):
        mask = 0
        for a in range(width):
            x = codes[u, a]
            mask |= ((x != own[a]) & (x >= 0) & (own[a] >= 0)) << a
        masks[u] = mask


@njit(cache=True, nogil=True)
def _sum_within(sums: Ints, width: int) -> None:
    """Replace a number for every set by the sum over all sets within it."""
    for a in range(width):
        bit = 1 << a
        for mask in range(sums.shape[0]):
            if mask & bit:
                sums[mask] += sums[mask ^ bit]


@njit(cache=True, nogil=True)
def _best_set(width: int, counts: Ints, found: Ints, k: int, masks: Ints, sets: Ints, size: Ints, first: bool) -> int:
    """Return the set to blank: of the smallest that are enough, the one that helps most others below k, or the first.

    `sets` lists all sets, smaller ones first, then those to be preferred; `size` is how many attributes each has.
    """
    matched, helped = np.zeros(sets.shape[0], np.int64), np.zeros(sets.shape[0], np.int64)
    for u in range(masks.shape[0]):
        matched[masks[u]] += counts[u]
        if found[u] < k:
            helped[masks[u]] += counts[u]
    _sum_within(matched, width)
    _sum_within(helped, width)
    best, most, small = sets.shape[0] - 1, -1, -1
    for i in range(sets.shape[0]):
        s = sets[i]
        if small >= 0 and size[i] > small:
            break
        if matched[s] >= k and helped[s] > most:
            best, most, small = s, helped[s], size[i]
            if first:
                break
    return int(best)


@njit(cache=True, nogil=True)
def _union_set(counts: Ints, k: int, masks: Ints) -> int:
    """Return a set to blank where there are too many sets to try: nearest tuples first, until enough."""
    chosen = 0
    while True:
        matched, nearest, least = 0, -1, 64
        for u in range(masks.shape[0]):
            left = masks[u] & ~chosen
            if left == 0:
                matched += counts[u]
                continue
            many = 0
            while left:
                left &= left - 1
                many += 1
            if many < least:
                nearest, least = u, many
        if matched >= k or nearest < 0:
            return chosen
        chosen |= masks[nearest]


@njit(cache=True, nogil=True)
def blank_matching(
    codes: Codes, counts: Ints, found: Ints, k: int, order: Ints, sets: Ints, size: Ints, first: bool
) -> None:
    """Blank cells of `codes` until every tuple matches k records; `found`, how many each matches, is kept up to date.

    Only tuples in `order` are blanked. With `sets` empty, they are too many to be tried.
    """
    tuples, width = codes.shape
    masks = np.empty(tuples, np.int64)
    for i in range(order.shape[0]):
        t = order[i]
        if found[t] >= k:
            continue
        _differences(codes, t, masks)
        few = sets.shape[0] > 0
        chosen = _best_set(width, counts, found, k, masks, sets, size, first) if few else _union_set(counts, k, masks)
        for a in range(width):
            if chosen >> a & 1:
                codes[t, a] = -1
        for u in range(tuples):
            if masks[u] and masks[u] & ~chosen == 0:
                found[u] += counts[t]
                found[t] += counts[u]


@njit(cache=True, nogil=True)
def restore_matching(codes: Codes, original: Codes, counts: Ints, found: Ints, k: int, order: Ints, first: Ints) -> int:
    """Give cells back that are not needed: without them every tuple still matches k records. Return how many records.

    Tuples are tried in `order`, their attributes in that of `first`.
    """
    tuples, width = codes.shape
    masks = np.empty(tuples, np.int64)
    restored = 0
    for i in range(order.shape[0]):
        t = order[i]
        for j in range(width):
            a = first[j]
            if codes[t, a] >= 0 or original[t, a] < 0:
                continue
            _differences(codes, t, masks)
            lost, fine = 0, True
            for u in range(tuples):
                if masks[u] == 0 and codes[u, a] >= 0 and codes[u, a] != original[t, a]:
                    lost += counts[u]
                    if found[u] - counts[t] < k:
                        fine = False
                        break
            if not fine or found[t] - lost < k:
                continue
            for u in range(tuples):
                if masks[u] == 0 and codes[u, a] >= 0 and codes[u, a] != original[t, a]:
                    found[u] -= counts[t]
            found[t] -= lost
            codes[t, a] = original[t, a]
            restored += counts[t]
    return restored


@njit(cache=True, nogil=True)
def count_matching(codes: Codes, blank: Ints, counts: Ints, weights: Floats, found: Ints, weighed: Floats) -> None:
    """Add to every key the records of the others that match it; a code below 0 is blank and matches any.

    Keys are distinct. `blank` lists those with a blank: two keys without one never match. `found` and `weighed` start
    as each key's own records and weight.
    """
    keys, width = codes.shape
    listed = np.zeros(keys, np.bool_)
    for b in range(blank.shape[0]):
        i = blank[b]
        listed[i] = True
        for j in range(keys):
            if listed[j]:
                continue
            match = True
            for a in range(width):
                if codes[i, a] != codes[j, a] and codes[i, a] >= 0 and codes[j, a] >= 0:
                    match = False
                    break
            if match:
                found[i] += counts[j]
                weighed[i] += weights[j]
                found[j] += counts[i]
                weighed[j] += weights[i]
