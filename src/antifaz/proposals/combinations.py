"""The fewest columns that tell nearly as many tuples apart as all columns do.

Taking a column away never makes more tuples, so all columns together have the most, and the question is the smallest
combination that has at least a given number of tuples. Two things spare counting most of the combinations:

- The product of the numbers of values is the most that a combination can have.
- Falling short shows early: once more records repeat an earlier one than may, the rest need not be read.

Adding one column after another, each time the one that makes most tuples, gives an answer to start from; sketches
count there. Then combinations are gone through by size and, within a size, in the order of the columns, so that the
first size at which one suffices is known to be the smallest. Where that takes more work than allowed, the answer is the
best one found, and says so. Work is counted in records read, not in seconds: no result depends on the machine.

What is exact: the counts of what is returned, always; that the others fall short, up to `EXACT` records. With more,
one falls short if its first records, in an order that is as good as random, say so beyond reasonable doubt (`_DOUBT`),
and combinations too long for 64 bits are compared by a fingerprint of 64 bits.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

#: Records that may be read in one search; about this many are read in a few seconds.
WORK = 100_000_000
#: What trying one combination costs beside the records that are read, in records.
_CALL = 2_000
#: More columns than this are not searched through: only what is found by adding one after another is offered.
MOST_COLUMNS = 100
_SMALLEST_TABLE = 1 << 16
#: Tables with no more records than this are always counted to the end.
EXACT = 100_000
#: Beyond it, a combination is left out once chance would look like it less than once in 10^17 times.
_DOUBT = 20.0


@dataclass(frozen=True, kw_only=True)
class FewestColumns:
    """The chosen columns, and what is known about all other combinations."""

    columns: tuple[int, ...]
    distinct: int
    #: Tuples that all columns have, and that were wanted.
    most: int
    wanted: int
    #: Whether every smaller combination is known to fall short.
    smallest: bool
    #: Whether no other of this size has more tuples, or as many and comes earlier in the order of the columns.
    first: bool
    #: Combinations of up to this size: all, those tried one by one, those that the bounds left out.
    combinations: int
    counted: int
    excluded: int


def fewest_columns(codes: NDArray[np.int32], sizes: Sequence[int], tolerance: float, work: int = WORK) -> FewestColumns:
    """Return the fewest rows of `codes` that have nearly as many tuples as all; of equally few, with the most tuples.

    `codes[c, i]` is the code of record i in column c, below `sizes[c]`. `tolerance` is the share of the tuples that may
    be lost. The same data give the same answer, whatever the order of the records.
    """
    return _Search(codes, sizes, tolerance, work).run()


class _Search:
    def __init__(self, codes: NDArray[np.int32], sizes: Sequence[int], tolerance: float, work: int) -> None:
        self.codes, self.sizes, self.work = _in_any_order(codes), tuple(sizes), work
        self.columns, self.records = self.codes.shape
        self.doubt = _DOUBT if self.records > EXACT else np.inf
        self.all = tuple(range(self.columns))
        self.most = exact_sizes(self.codes, self.sizes, self.all).size
        # Rounded against floating point: 0.95 of 100 tuples are 95 and not 96.
        self.original = self.wanted = int(np.ceil(round((1 - tolerance) * self.most, 6)))
        self.counted = 0
        self.bitmap = np.zeros(max(1 << (8 * self.records - 1).bit_length(), 64) // 64, np.uint64)
        self.tables: dict[int, NDArray[np.uint64]] = {}

    def run(self) -> FewestColumns:
        best = self._greedy()
        self.counted = 0
        smallest = first = self.columns <= MOST_COLUMNS
        looked_at = 0
        for size in range(1, self.columns + 1):
            if not smallest or size > len(best):
                break
            best, done, seen = self._of_size(size, best)
            looked_at += seen
            first = done
            smallest = done or len(best) <= size
        upto = sum(comb(self.columns, size) for size in range(1, len(best) + 1))
        distinct = exact_sizes(self.codes, self.sizes, best).size
        return FewestColumns(
            columns=best, distinct=distinct, most=self.most, wanted=self.original, smallest=smallest,
            first=first and smallest, combinations=upto, counted=self.counted, excluded=looked_at - self.counted,
        )  # fmt: skip

    def _greedy(self) -> tuple[int, ...]:
        """Add the column that makes most tuples until there are enough, then leave out what is not needed."""
        chosen: tuple[int, ...] = ()
        while len(chosen) < self.columns and not (chosen and self._count(chosen) >= self.wanted):
            rest = [column for column in self.all if column not in chosen]
            chosen = max(((*chosen, column) for column in rest), key=lambda some: (self._estimate(some), -some[-1]))
        for column in sorted(chosen, key=lambda column: (self.sizes[column], column)):
            fewer = tuple(one for one in chosen if one != column)
            if fewer and self._count(fewer) >= self.wanted:
                chosen = fewer
        return tuple(sorted(chosen))

    def _of_size(self, size: int, best: tuple[int, ...]) -> tuple[tuple[int, ...], bool, int]:
        """Go through the combinations of one size; return the best, whether all were, and how many were."""
        from antifaz.kernels.sketches import next_combination

        place, first = np.zeros(size, np.int64), True
        here: tuple[int, ...] = ()
        products = _products(self.sizes)
        sizes = np.array(self.sizes, np.float64)
        known = exact_sizes(self.codes, self.sizes, best).size if len(best) == size else None
        while True:
            if known is not None:
                # One that comes earlier may have as many, one that comes later must have more.
                self.wanted = known + (here >= best)
                if self.wanted > self.most:
                    return best, True, comb(self.columns, size)
            steps = next_combination(place, first, sizes, products, float(self.wanted), max(self.work, 1))
            if steps == 0:
                return best, True, comb(self.columns, size)
            self.work = steps
            if steps < 0:
                break
            first, here = False, tuple(place.tolist())
            count = self._count(here)
            # From here on only those with more are of interest, so the earliest with as many stays.
            if count >= self.wanted and (known is None or count > known or here < best):
                best, known = here, count
            if self.work <= 0:
                break
        return best, False, _rank(here, self.columns)

    def _count(self, chosen: tuple[int, ...]) -> int:
        """Count the tuples of these columns; 0 once it is known that they are fewer than wanted."""
        from antifaz.kernels.sketches import repeats

        self.counted += 1
        columns = np.array(chosen, np.int64)
        factors = _factors([self.sizes[column] for column in chosen], chosen)
        allowed, slots = self.records - self.wanted, _SMALLEST_TABLE
        while True:
            table = self.tables.setdefault(slots, np.zeros(slots, np.uint64))
            again, read, beyond = repeats(self.codes, columns, factors, allowed, self.doubt, table)
            self.work -= read + _CALL
            if again >= 0:
                return 0 if beyond else self.records - int(again)
            slots *= 4

    def _estimate(self, chosen: tuple[int, ...]) -> float:
        from antifaz.kernels.sketches import estimated_distinct

        factors = _factors([self.sizes[column] for column in chosen], chosen)
        return float(estimated_distinct(self.codes, np.array(chosen, np.int64), factors, self.bitmap))


def exact_sizes(
    codes: NDArray[np.int32], sizes: Sequence[int], chosen: Sequence[int], counts: NDArray[np.int64] | None = None
) -> NDArray[np.int64]:
    """Return how many records each tuple of the chosen columns has: exact, for any number of columns."""
    from antifaz.kernels.grouping import group_keys

    records = codes.shape[1]
    keys, factor = [np.zeros(records, np.uint64)], 1
    for column in chosen:
        if factor * sizes[column] >= 1 << 63:
            keys.append(np.zeros(records, np.uint64))
            factor = 1
        keys[-1] += codes[column].astype(np.uint64) * np.uint64(factor)
        factor *= sizes[column]
    packed = np.ascontiguousarray(np.stack(keys, axis=1))
    out = np.ones(records, np.int64) if counts is None else counts.astype(np.int64)
    slots = np.empty(1 << max(2 * records, 2).bit_length(), np.int32)
    groups = group_keys(packed, out, slots, packed, out, np.empty(records, np.int64))
    return out[:groups]


def _factors(sizes: Sequence[int], chosen: Sequence[int]) -> NDArray[np.uint64]:
    """Return a mixed radix where the combination fits into 64 bits; else odd numbers that belong to the columns."""
    factors, factor = [], 1
    for size in sizes:
        factors.append(factor)
        factor *= size
    if factor > 1 << 63:
        factors = [_odd(column) for column in chosen]
    return np.array(factors, np.uint64)


def _odd(seed: int) -> int:
    """Return an odd number that looks random, the same for the same column (splitmix64)."""
    word = (seed + 1) * 0x9E3779B97F4A7C15 % 2**64
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    word = (word ^ (word >> 27)) * 0x94D049BB133111EB % 2**64
    return (word ^ (word >> 31)) | 1


def _products(sizes: Sequence[int]) -> NDArray[np.float64]:
    """Return per column c and number n the largest product of n sizes from c on."""
    products = np.zeros((len(sizes) + 1, len(sizes) + 1))
    for start in range(len(sizes) + 1):
        largest = sorted(sizes[start:], reverse=True)
        products[start, : len(largest) + 1] = np.cumprod([1.0, *largest])
    return products


def _in_any_order(codes: NDArray[np.int32]) -> NDArray[np.int32]:
    """Put the records into an order that depends on nothing but what is in them, and in which neighbours differ."""
    key = np.zeros(codes.shape[1], np.uint64)
    for column in range(codes.shape[0]):
        key += codes[column].astype(np.uint64) * np.uint64(_odd(column))
    key ^= key >> np.uint64(31)
    key *= np.uint64(_odd(codes.shape[0]))
    return np.ascontiguousarray(codes[:, np.argsort(key, kind="stable")])


def _rank(place: Sequence[int], columns: int) -> int:
    """Return how many combinations of this size come before `place`, and it; 0 of none."""
    size, rank, start = len(place), int(len(place) > 0), 0
    for depth, column in enumerate(place):
        rank += sum(comb(columns - other - 1, size - depth - 1) for other in range(start, column))
        start = column + 1
    return rank
