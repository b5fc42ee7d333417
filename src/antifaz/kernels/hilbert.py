"""Places on a Hilbert curve: neighbours on the curve are neighbours in all attributes at once."""

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels import Words
from antifaz.kernels.compiling import njit


@njit(cache=True, nogil=True)
def _transpose(point: NDArray[np.uint32], bits: int) -> None:
    """Turn coordinates into the place on the curve, its bits dealt out over the axes (Skilling 2004)."""
    axes = point.shape[0]
    bit = np.uint32(1) << np.uint32(bits - 1)
    while bit > 1:
        mask = np.uint32(bit - 1)
        for a in range(axes):
            if point[a] & bit:
                point[0] ^= mask
            else:
                swapped = (point[0] ^ point[a]) & mask
                point[0] ^= swapped
                point[a] ^= swapped
        bit = np.uint32(bit >> 1)
    for a in range(1, axes):
        point[a] ^= point[a - 1]
    flips = np.uint32(0)
    bit = np.uint32(1) << np.uint32(bits - 1)
    while bit > 1:
        if point[axes - 1] & bit:
            flips ^= np.uint32(bit - 1)
        bit = np.uint32(bit >> 1)
    for a in range(axes):
        point[a] ^= flips


@njit(cache=True, nogil=True)
def hilbert_keys(cells: NDArray[np.uint32], bits: int) -> Words:
    """Return the place of every row of cells on the curve, in as many 64-bit words as it takes, highest first.

    Every cell has `bits` bits (1 to 31).
    """
    rows, axes = cells.shape
    keys = np.zeros((rows, (axes * bits + 63) // 64), np.uint64)
    point = np.empty(axes, np.uint32)
    for i in range(rows):
        point[:] = cells[i]
        _transpose(point, bits)
        at = 0
        for b in range(bits - 1, -1, -1):
            for a in range(axes):
                if (point[a] >> np.uint32(b)) & np.uint32(1):
                    keys[i, at // 64] |= np.uint64(1) << np.uint64(63 - at % 64)
                at += 1
    return keys
