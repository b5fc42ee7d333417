"""Random draws that are the same on every machine.

NumPy promises that a bit generator's raw numbers never change; it does not promise that for distributions, and `exp`
and `log` differ in the last bit between processors. So everything here is made of raw numbers, integers, table
look-ups and single multiplications, which are exact everywhere; tables of transcendental values are rounded.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.core.arrays import Floats, Ints
from antifaz.core.errors import ParameterError

#: Look-up tables have 2 ** BITS entries, so a share is exact to about 0.002 %.
BITS = 16
SLOTS = 1 << BITS


def check(n: int, seed: int, most: int) -> None:
    """Raise unless `n` rows from this seed can be made."""
    if not 0 <= n <= most:
        raise ParameterError("dataset.n-out-of-bounds", most=most, n=n)
    if seed < 0:
        raise ParameterError("dataset.seed-negative", seed=seed)


class Draws:
    """A stream of draws; streams with different keys are independent."""

    def __init__(self, *key: int) -> None:
        """`key` is the seed, then whatever tells this stream from others of the same seed."""
        self._bits = np.random.PCG64(list(key))

    def below(self, n: int, bound: int | Ints) -> Ints:
        """Return `n` integers from 0 up to but not including `bound` (one for all, or one each)."""
        high = (self._raw(n) >> np.uint64(32)).astype(np.int64)
        return np.asarray((high * bound) >> 32, dtype=np.int64)

    def slots(self, n: int) -> Ints:
        """Return `n` places in a look-up table."""
        return (self._raw(n) >> np.uint64(64 - BITS)).astype(np.int64)

    def pick(self, n: int, table: NDArray[Any]) -> NDArray[Any]:
        """Return `n` entries of one look-up table."""
        return table[self.slots(n)]

    def pick_by(self, groups: Ints, tables: NDArray[Any]) -> NDArray[Any]:
        """Return for each group one entry of that group's look-up table."""
        return np.asarray(tables.reshape(-1)[groups * SLOTS + self.slots(len(groups))])

    def _raw(self, n: int) -> NDArray[np.uint64]:
        return np.asarray(self._bits.random_raw(n), dtype=np.uint64)


def weighted(weights: Sequence[int]) -> NDArray[np.int32]:
    """Return a look-up table that holds each index as often as its weight asks."""
    edges = np.cumsum(np.asarray(weights, dtype=np.int64))
    edges = edges * SLOTS // edges[-1]
    return np.repeat(np.arange(len(weights), dtype=np.int32), np.diff(edges, prepend=0))


def weighted_rows(rows: Sequence[Sequence[int]]) -> NDArray[np.int32]:
    """Return one look-up table per row of weights."""
    return np.stack([weighted(row) for row in rows])


@lru_cache(maxsize=1)
def normal() -> Floats:
    """Return a look-up table of the standard normal distribution, symmetric about 0."""
    half = [NormalDist().inv_cdf((i + 0.5) / SLOTS) for i in range(SLOTS // 2)]
    below = np.round(np.asarray(half), 6)
    return np.concatenate([below, -below[::-1]])


@lru_cache(maxsize=8)
def log_normal(sigma: float) -> Floats:
    """Return a look-up table of factors with median 1 whose logarithm has standard deviation `sigma`."""
    return np.round(np.asarray([math.exp(sigma * z) for z in normal().tolist()]), 6)
