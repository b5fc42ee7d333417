"""Sums over the classes of a generalized table."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(cache=True, nogil=True)
def kept_marginals(
    keys: NDArray[np.uint64], counts: NDArray[np.int64], kept: NDArray[np.bool_], word: NDArray[np.int64],
    shift: NDArray[np.uint64], field: NDArray[np.uint64], start: NDArray[np.int64], out: NDArray[np.int64],
) -> None:  # fmt: skip
    """Per attribute and code, count the kept records: integers, so the sum is the same in any order of classes."""
    for i in range(keys.shape[0]):
        if kept[i]:
            for a in range(word.shape[0]):
                code = np.int64((keys[i, word[a]] >> shift[a]) & field[a])
                out[start[a] + code] += counts[i]


@njit(cache=True, nogil=True)
def order_cells(classes: NDArray[np.int64], offsets: NDArray[np.int64], out: NDArray[np.int64]) -> None:
    """Counting sort: write cell positions so that the cells of one class stand together, in their order."""
    place = offsets[:-1].copy()
    for i in range(classes.shape[0]):
        c = classes[i]
        out[place[c]] = i
        place[c] += 1
