"""The verifier's count of records that agree: in every set of some columns, or where a blank matches any value.

Two classes agree if they have the same values wherever neither is blank. Which columns are compared depends only on
where the two are blank; so classes are taken by the pattern of their blanks, and for two patterns the columns that both
have make a key by which one is looked up among the other. Where a pattern has few classes, each is compared with all.
"""

from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np

from antifaz.core.arrays import Ints

#: About as many comparisons of one column as take the time of one look-up.
_LOOKUP = 2**14


def agreeing(codes: Sequence[Ints], sizes: Ints) -> Ints:
    """Return for every class how many records agree with it, its own included; a code below 0 is blank."""
    if not codes or not any((column < 0).any() for column in codes):
        return sizes
    blank = np.stack([column < 0 for column in codes], axis=1)
    patterns, of = np.unique(blank, axis=0, return_inverse=True)
    of = of.reshape(-1)
    matching = np.zeros(sizes.size, np.int64)
    for place, pattern in enumerate(patterns):
        own = np.flatnonzero(of == place)
        if own.size * sizes.size <= _LOOKUP * len(patterns):
            matching[own] = [_compared(codes, sizes, one, np.flatnonzero(~pattern)) for one in own.tolist()]
            continue
        unions, union = np.unique(~(patterns | pattern), axis=0, return_inverse=True)
        theirs = union.reshape(-1)[of]
        for number, columns in enumerate(unions):
            others = np.flatnonzero(theirs == number)
            matching[own] += _looked_up([codes[a] for a in np.flatnonzero(columns).tolist()], sizes, own, others)
    return matching


def _compared(codes: Sequence[Ints], sizes: Ints, one: int, columns: Ints) -> int:
    """Compare one class with all others, in the columns where it is not blank."""
    agrees = np.ones(sizes.size, np.bool_)
    for a in columns.tolist():
        agrees &= (codes[a] == codes[a][one]) | (codes[a] < 0)
    return int(sizes[agrees].sum())


def _looked_up(codes: Sequence[Ints], sizes: Ints, own: Ints, others: Ints) -> Ints:
    """Return for every one of `own` the records of `others` that have the same values in all of these columns."""
    both = np.concatenate([own, others])
    keys, room = np.zeros(both.size, np.int64), 1
    for column in codes:
        taken = column[both]
        many = int(taken.max()) + 1
        if room * many >= 2**62:
            keys = np.unique(keys, return_inverse=True)[1].reshape(-1)
            room = int(keys.max()) + 1
        keys, room = keys * many + taken, room * many
    known, which = np.unique(keys[own.size :], return_inverse=True)
    sums = np.zeros(known.size, np.int64)
    np.add.at(sums, which.reshape(-1), sizes[others])
    place = np.minimum(np.searchsorted(known, keys[: own.size]), known.size - 1)
    return np.where(known[place] == keys[: own.size], sums[place], 0)


def same(codes: Sequence[Ints], sizes: Ints) -> Ints:
    """Return for every class how many records have its values in these columns; missing is a value like others."""
    keys, room = np.zeros(sizes.size, np.int64), 1
    for column in codes:
        many = int(column.max(initial=-1)) + 2
        if room * many > 4 * sizes.size + 1024:
            known, keys = np.unique(keys, return_inverse=True)
            keys, room = keys.reshape(-1), known.size
        keys, room = keys * many + column + 1, room * many
    if room > 64 * sizes.size + 1024:
        keys = np.unique(keys, return_inverse=True)[1].reshape(-1)
    # Sums of whole numbers below 2^53 are exact in floating point.
    return np.bincount(keys, weights=sizes)[keys].astype(np.int64)


def sharing(codes: Sequence[Ints], sizes: Ints, known: int, count: Callable[[Sequence[Ints], Ints], Ints]) -> Ints:
    """Return for every class the fewest records that share its values in any `known` of the columns.

    Whoever knows fewer columns finds more records, so sets of as many as may be known are enough.
    """
    fewest = np.full(sizes.size, int(sizes.sum()), np.int64)
    for chosen in combinations(codes, min(known, len(codes))):
        np.minimum(fewest, count(chosen, sizes), out=fewest)
    return fewest
