"""Counting people: as many of a class as decide."""

import numpy as np
from numba import njit

from antifaz.kernels import Flags, Ints


@njit(cache=True, nogil=True)
def keep_few(owners: Ints, many: int, few: int, kept: Flags) -> None:
    """Keep the first so many of every owner's entries."""
    seen = np.zeros(many, np.int64)
    for i in range(owners.shape[0]):
        kept[i] = seen[owners[i]] < few
        seen[owners[i]] += 1
