"""Counting tuples in which a blank matches any value."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from antifaz.core.arrays import Codes, Flags, Floats, Ints
from antifaz.counting.frequencies import KeyLayout, layout, slots_for

#: With fewer tuples per pattern of blanks than this, each is compared with all others.
_FEW = 32


def count_matches(codes: Codes, counts: Ints, weights: Floats | None = None) -> tuple[Ints, Floats]:
    """Return for every tuple how many records match it, its own included, and their weight.

    Tuples are distinct, one per row; a code below 0 is blank. Two match if they have the same values wherever neither
    is blank, so those with one pattern of blanks are grouped with those of another by the columns that both have.
    """
    from antifaz.kernels.match_blanking import count_matching

    heavy = counts.astype(np.float64) if weights is None else weights
    found, weighed = counts.copy(), heavy.copy()
    blank = codes < 0
    partial = np.flatnonzero(blank.any(axis=1))
    if not partial.size:
        return found, weighed
    patterns, pattern_of = np.unique(blank, axis=0, return_inverse=True)
    if partial.size < _FEW * len(patterns):
        count_matching(codes, partial, counts, heavy, found, weighed)
        return found, weighed
    packed = layout([int(column.max(initial=0)) + 1 for column in codes.T])
    keys = _keys(codes, packed)
    for own, others, columns in _pairs(patterns, pattern_of.reshape(-1)):
        into = _grouped(keys, packed, np.concatenate([own, others]), columns)
        mine, theirs = into[: own.size], into[own.size :]
        for amount, sums in ((counts, found), (heavy, weighed)):
            at_own = np.bincount(mine, weights=amount[own], minlength=int(into.max()) + 1)
            at_others = np.bincount(theirs, weights=amount[others], minlength=at_own.size)
            sums[own] += at_others[mine].astype(sums.dtype)
            sums[others] += at_own[theirs].astype(sums.dtype)
    return found, weighed


def _keys(codes: Codes, packed: KeyLayout) -> NDArray[np.uint64]:
    """Pack all columns; what stands for a blank is never looked at."""
    from antifaz.kernels.grouping import repack

    keys = np.zeros((codes.shape[0], packed.words), np.uint64)
    for a, column in enumerate(codes.T):
        known = np.maximum(column, 0)
        same = np.arange(int(known.max(initial=0)) + 1, dtype=np.int32)
        repack(known, same, packed.word[a], packed.shift[a], keys)
    return keys


def _pairs(patterns: Flags, pattern_of: Ints) -> Iterator[tuple[Ints, Ints, Ints]]:
    """Yield the tuples of a pattern, those of later ones to be compared in the same columns, and these columns.

    Tuples of one pattern have the same columns, and being distinct never match.
    """
    for place, pattern in enumerate(patterns[:-1]):
        own = np.flatnonzero(pattern_of == place)
        kept, which = np.unique(~(patterns[place + 1 :] | pattern), axis=0, return_inverse=True)
        later = np.full(len(patterns), -1)
        later[place + 1 :] = which.reshape(-1)
        compared = later[pattern_of]
        for number, columns in enumerate(kept):
            yield own, np.flatnonzero(compared == number), np.flatnonzero(columns)


def _grouped(keys: NDArray[np.uint64], packed: KeyLayout, rows: Ints, columns: Ints) -> Ints:
    """Number the groups of rows that have the same values in some columns."""
    from antifaz.kernels.grouping import group_keys

    mask = np.zeros((1, packed.words), np.uint64)
    for a in columns.tolist():
        mask[0, packed.word[a]] |= packed.field[a] << packed.shift[a]
    taken, into, ignored = keys[rows] & mask, np.empty(rows.size, np.int64), np.ones(rows.size, np.int64)
    group_keys(taken, ignored, slots_for(rows.size), taken, ignored, into)
    return into
