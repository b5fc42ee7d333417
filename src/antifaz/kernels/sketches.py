"""Counting the different combinations of some columns: estimated in a bitmap, or until enough repeat.

`codes[c, i]` is the code of record i in column c. A combination's key is the sum of its codes times `factors`: with
the factors of a mixed radix it is the combination itself, with random odd ones it is a fingerprint of 64 bits.
"""

import numpy as np

from antifaz.kernels import Codes, Floats, Ints, Words
from antifaz.kernels.compiling import njit

#: Records whose keys are made at a time: they stay in the nearest cache.
_BLOCK = 2048


@njit(cache=True, nogil=True, inline="always")
def _spread(key: np.uint64) -> np.uint64:
    """Spread the bits of a key over all 64."""
    key ^= key >> np.uint64(32)
    key *= np.uint64(0x9E3779B97F4A7C15)
    key ^= key >> np.uint64(29)
    key *= np.uint64(0xBF58476D1CE4E5B9)
    return key ^ (key >> np.uint64(32))


@njit(cache=True, nogil=True)
def _block_keys(codes: Codes, chosen: Ints, factors: Words, start: int, keys: Words) -> int:
    """Write the keys of the next records; return how many there are."""
    size: int = min(_BLOCK, codes.shape[1] - start)
    keys[:size] = 0
    for c in range(chosen.shape[0]):
        column, factor = codes[chosen[c]], factors[c]
        for i in range(size):
            keys[i] += np.uint64(column[start + i]) * factor
    return size


@njit(cache=True, nogil=True)
def estimated_distinct(codes: Codes, chosen: Ints, factors: Words, bits: Words) -> float:
    """Estimate the number of different keys by linear counting (Whang et al. 1990).

    Every key sets one bit of a bitmap whose length is a power of two; how many bits stay unset tells how many keys
    there were: with eight bits per record the error is well below a hundredth.
    """
    bits[:] = 0
    length = bits.shape[0] * 64
    mask = np.uint64(length - 1)
    keys = np.empty(_BLOCK, np.uint64)
    for start in range(0, codes.shape[1], _BLOCK):
        size = _block_keys(codes, chosen, factors, start, keys)
        for i in range(size):
            at = _spread(keys[i]) & mask
            bits[at >> np.uint64(6)] |= np.uint64(1) << (at & np.uint64(63))
    ones = 0
    for w in range(bits.shape[0]):
        word = bits[w]
        while word:
            word &= word - np.uint64(1)
            ones += 1
    if ones == length:
        return np.inf
    estimate: float = -length * np.log1p(-ones / length)
    return estimate


@njit(cache=True, nogil=True)
def repeats(
    codes: Codes, chosen: Ints, factors: Words, allowed: int, doubt: float, slots: Words
) -> tuple[int, int, bool]:
    """Count the records whose key an earlier one had; return that, the records read, and whether they are too many.

    It reads no further once it is known that more than `allowed` of all repeat another. A record that repeats another
    among the first ones repeats it among all, so more than `allowed` in some is a proof. The other way to know is by
    chance: in random order the share of repeats only grows on the way, so a share above the allowed one by
    sqrt(doubt / n) among n records is due to chance with a probability below exp(-2 doubt) (McDiarmid 1989). An
    infinite `doubt` leaves only the proof. `slots` is a workspace whose length is a power of two; when it is three
    quarters full the count is -1, and a larger one is needed.
    """
    slots[:] = 0
    mask = np.uint64(slots.shape[0] - 1)
    room = slots.shape[0] * 3 // 4
    share = allowed / codes.shape[1]
    keys = np.empty(_BLOCK, np.uint64)
    again, held, zero_met = 0, 0, False
    for start in range(0, codes.shape[1], _BLOCK):
        size = _block_keys(codes, chosen, factors, start, keys)
        for i in range(size):
            key = keys[i]
            if key == 0:  # an empty slot is written as zero
                again += zero_met
                zero_met = True
                continue
            at = _spread(key) & mask
            while slots[at] != 0 and slots[at] != key:
                at = (at + np.uint64(1)) & mask
            if slots[at] == key:
                again += 1
            else:
                slots[at] = key
                held += 1
        read = start + size
        if again > allowed or again > share * read + np.sqrt(doubt * read):
            return again, read, True
        if held + _BLOCK > room and read < codes.shape[1]:
            return -1, read, False
    return again, codes.shape[1], False


@njit(cache=True, nogil=True)
def next_combination(place: Ints, first: bool, sizes: Floats, best: Floats, wanted: float, steps: int) -> int:
    """Move `place` to the next combination in order that may have `wanted` tuples; return the steps left.

    `place` holds ascending columns. A combination may not if the product of its columns' `sizes` is too small;
    `best[c, n]` is the largest product of n columns from c on. The answer is 0 if there is no such combination, and -1
    if the steps did not suffice to find out.
    """
    columns, last = sizes.shape[0], place.shape[0] - 1
    product = np.ones(place.shape[0] + 1)
    depth, column = 0, 0
    if not first:
        for d in range(last):
            product[d + 1] = product[d] * sizes[place[d]]
        depth, column = last, place[last] + 1
    while steps > 1:
        steps -= 1
        left = last - depth
        if column + left >= columns or product[depth] * best[column, left + 1] < wanted:
            depth -= 1
            if depth < 0:
                return 0
            column = place[depth] + 1
            continue
        if product[depth] * sizes[column] * best[column + 1, left] >= wanted:
            place[depth] = column
            if depth == last:
                return steps
            product[depth + 1] = product[depth] * sizes[column]
            depth += 1
        column += 1
    return -1
