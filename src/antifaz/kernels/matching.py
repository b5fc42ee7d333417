"""Counting keys in which a blank matches anything."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Codes = NDArray[np.int32]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


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
