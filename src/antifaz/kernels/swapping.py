"""Rank swapping: who changes places with whom."""

import numpy as np

from antifaz.kernels import Floats, Ints
from antifaz.kernels.compiling import njit


@njit(cache=True, nogil=True)
def _take_out(pool: Ints, places: Ints, size: int, rank: int) -> int:
    """Take a rank out of the pool by moving the last one to its place; return the new size."""
    last = pool[size - 1]
    pool[places[rank]] = last
    places[last] = places[rank]
    places[rank] = -1
    return size - 1


@njit(cache=True, nogil=True)
def swap_ranks(width: int, draws: Floats, partners: Ints) -> None:
    """Pair each rank with a random one of the unpaired at most `width` ahead; `partners` begins as 0, 1, 2, ….

    `draws` are uniform in [0, 1), one for each pair, n // 2 at most. The pool holds, in no order, the unpaired ranks of
    the window: one enters and one or two leave at every step, so each step takes the same time.
    """
    n = partners.size
    pool = np.empty(n, np.int64)
    places = np.full(n, -1, np.int64)
    size = entered = drawn = 0
    for rank in range(n):
        while entered < n - 1 and entered < rank + width:
            entered += 1
            pool[size] = entered
            places[entered] = size
            size += 1
        if places[rank] >= 0:
            size = _take_out(pool, places, size, rank)
        if partners[rank] != rank or size == 0:
            continue
        other = pool[min(int(draws[drawn] * size), size - 1)]
        drawn += 1
        size = _take_out(pool, places, size, other)
        partners[rank], partners[other] = other, rank
