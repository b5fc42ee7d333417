"""Mondrian at the median, as in `kernels.mondrian`, for records whose ranks fit one word each.

A record is a word with its rank in every attribute, and beside it its number. That is less than half of what four bytes
per rank are, and a pass over a part waits for memory most of the time. What is cut, and where, is the same to the row.
"""

from typing import NamedTuple

import numpy as np

from antifaz.kernels import Codes, Flags, Ints
from antifaz.kernels.compiling import njit
from antifaz.kernels.mondrian import Space, Work, median_cut, relative_width, workspace

#: The ranks of a category with fewer are noted as bits of a word.
_FEW = 63
#: Rows that stay in the nearest cache while one attribute after another is measured.
_BLOCK = 2048


class PackedRecords(NamedTuple):
    """The records as words, their numbers, and room for as many of both."""

    words: Ints
    numbers: Codes
    held_words: Ints
    held_numbers: Codes
    #: Per attribute, where its rank lies in a word, and the bits of it there.
    shift: Ints
    field: Ints


@njit(cache=True, nogil=True)
def pack_ranks(ranks: Codes, order: Codes, shift: int, words: Ints) -> None:
    """Write the ranks of one attribute into the words of the records, which are in some order."""
    for i in range(order.shape[0]):
        words[i] |= np.int64(ranks[order[i]]) << shift


@njit(cache=True, nogil=True)
def _ones(bits: int) -> int:
    """Count the bits that are set."""
    many = 0
    while bits:
        bits &= bits - 1
        many += 1
    return many


@njit(cache=True, nogil=True)
def _measure(records: PackedRecords, lo: int, hi: int, space: Space, work: Work) -> None:
    """Find the ends of every attribute in a part, missing being a rank; of a category with few ranks, these as bits."""
    attributes = space.known.shape[0]
    for a in range(attributes):
        few = space.category[a] and space.known[a] < _FEW
        work.low[a], work.high[a] = 0 if few else records.field[a], 0
    for start in range(lo, hi, _BLOCK):
        block = records.words[start : min(start + _BLOCK, hi)]
        for a in range(attributes):
            shift, field = records.shift[a], records.field[a]
            if space.category[a] and space.known[a] < _FEW:
                seen, ranks = work.low[a], field >> shift
                for word in block:
                    seen |= np.int64(1) << ((word >> shift) & ranks)
                work.low[a] = seen
            else:
                first, last = work.low[a], work.high[a]
                for word in block:
                    rank = word & field
                    first, last = min(first, rank), max(last, rank)
                work.low[a], work.high[a] = first, last


@njit(cache=True, nogil=True)
def _settle_missing(records: PackedRecords, lo: int, hi: int, a: int, known: int, work: Work) -> None:
    """Count what is missing of an attribute, and find the ends of what is known."""
    shift, field = records.shift[a], records.field[a]
    first, last, missing = known, np.int64(-1), 0
    for i in range(lo, hi):
        rank = (records.words[i] & field) >> shift
        if rank >= known:
            missing += 1
        else:
            first, last = min(first, rank), max(last, rank)
    work.low[a], work.high[a], work.missing[a] = first, last, missing


@njit(cache=True, nogil=True)
def _distinct(records: PackedRecords, lo: int, hi: int, a: int, known: int, counts: Ints) -> int:
    """Count the distinct known ranks in a part; `counts` is all zero before and after."""
    shift, field, found = records.shift[a], records.field[a], 0
    for i in range(lo, hi):
        rank = (records.words[i] & field) >> shift
        if rank < known and counts[rank] == 0:
            counts[rank] = 1
            found += 1
    for i in range(lo, hi):
        counts[(records.words[i] & field) >> shift] = 0
    return found


@njit(cache=True, nogil=True)
def _widths(records: PackedRecords, lo: int, hi: int, space: Space, work: Work) -> bool:
    """Find ends, missing and width of every attribute in a part; return whether any is missing."""
    some = False
    _measure(records, lo, hi, space, work)
    for a in range(space.known.shape[0]):
        known, shift, distinct = space.known[a], records.shift[a], 0
        work.missing[a] = 0
        if space.category[a] and known < _FEW:
            seen, blank = work.low[a], np.int64(1) << known
            distinct = _ones(seen & ~blank)
            # Its median is looked for among few counts, so its ends need not be known.
            work.low[a], work.high[a] = 0, known - 1 if distinct > 1 else 0
            if seen & blank:
                _settle_missing(records, lo, hi, a, known, work)
        else:
            work.low[a], work.high[a] = work.low[a] >> shift, work.high[a] >> shift
            if work.high[a] >= known:
                _settle_missing(records, lo, hi, a, known, work)
            if space.category[a] and work.high[a] > work.low[a]:
                distinct = _distinct(records, lo, hi, a, known, work.counts)
        some |= work.missing[a] > 0
        work.widths[a] = relative_width(space, a, work.low[a], work.high[a], distinct)
    return some


@njit(cache=True, nogil=True)
def _median(
    records: PackedRecords, lo: int, hi: int, a: int, low: int, high: int, counts: Ints
) -> tuple[int, int, int]:
    """Return the lower median rank, how many ranks are below it, and how many are at it."""
    shift, field = records.shift[a], records.field[a]
    most, wanted = max(4 * (hi - lo), 64), (hi - lo - 1) // 2
    below = 0
    while True:
        # Walking more counts than there are ranks would take longest: wide attributes are counted by coarser steps.
        coarse = 0
        while (high - low) >> coarse >= most:
            coarse += 1
        for i in range(lo, hi):
            rank = (records.words[i] & field) >> shift
            if low <= rank <= high:
                counts[(rank - low) >> coarse] += 1
        step = 0
        while below + counts[step] <= wanted:
            below += counts[step]
            step += 1
        equal = counts[step]
        for used in range(((high - low) >> coarse) + 1):
            counts[used] = 0
        if coarse == 0:
            return low + step, below, equal
        low += step << coarse
        high = min(high, low + (1 << coarse) - 1)


@njit(cache=True, nogil=True)
def _partition(records: PackedRecords, lo: int, hi: int, a: int, rank: int, ties: int) -> int:
    """Bring ranks below `rank`, and the first `ties` at it, to the front; keep the order; return where the rest is."""
    words, numbers, held_words, held_numbers = records.words, records.numbers, records.held_words, records.held_numbers
    field, limit = records.field[a], rank << records.shift[a]
    # Places without a sign, because one below 0 would be looked for from the end, which takes as long as the rest.
    to, held, one = np.uint64(lo), np.uint64(lo), np.uint64(1)
    for i in range(np.uint64(lo), np.uint64(hi)):
        word, number = words[i], numbers[i]
        here = word & field
        left = one if here < limit else np.uint64(0)
        if ties > 0 and here == limit:
            ties -= 1
            left = one
        # Written to both sides, where one is written over: which side it is can't be foretold, and to wait costs more.
        words[to], numbers[to] = word, number
        held_words[held], held_numbers[held] = word, number
        to += left
        held += one - left
    middle = np.int64(to)
    for i in range(np.uint64(lo), held):
        words[to], numbers[to] = held_words[i], held_numbers[i]
        to += one
    return int(middle)


@njit(cache=True, nogil=True)
def _cut(records: PackedRecords, lo: int, hi: int, space: Space, k: int, relaxed: bool, work: Work) -> int:
    """Cut a part in two, what is missing from what is known or at a median; return where the second begins, or -1."""
    size, widths = hi - lo, work.widths
    if _widths(records, lo, hi, space, work):
        for a in range(widths.shape[0]):
            if work.missing[a] >= k and size - work.missing[a] >= k:
                return int(_partition(records, lo, hi, a, space.known[a], 0))
    while True:
        a = 0
        for b in range(1, widths.shape[0]):
            if widths[b] > widths[a]:  # the first of equals
                a = b
        if widths[a] <= 0.0:
            return -1
        top = space.known[a] if work.missing[a] else work.high[a]
        rank, below, equal = _median(records, lo, hi, a, work.low[a], top, work.counts)
        left = (size + 1) // 2 if relaxed else median_cut(size, below, equal, k)
        if left >= k and size - left >= k:
            if left == below + equal:
                return int(_partition(records, lo, hi, a, rank + 1, 0))
            return int(_partition(records, lo, hi, a, rank, left - below))
        widths[a] = 0.0


@njit(cache=True, nogil=True)
def packed_median_parts(
    records: PackedRecords,
    bounds: Ints,
    final: Flags,
    space: Space,
    k: int,
    relaxed: bool,
    once: bool,
    ends: Ints,
    closed: Flags,
) -> int:
    """Cut stretches of records at medians; all else is as `kernels.mondrian.median_parts` says."""
    most = 0
    for known in space.known:
        most = max(most, known)
    work = workspace(space.known.shape[0], most + 2)
    stack = np.empty(((bounds[-1] - bounds[0]) // k + 2, 2), np.int64)
    parts = 0
    for s in range(final.shape[0]):
        stack[0, 0], stack[0, 1] = bounds[s], bounds[s + 1]
        top = 1
        while top > 0:
            top -= 1
            lo, hi = stack[top, 0], stack[top, 1]
            middle, later = -1, once and (lo > bounds[s] or hi < bounds[s + 1])
            if hi - lo >= 2 * k and not final[s] and not later:
                middle = _cut(records, lo, hi, space, k, relaxed, work)
            if middle < 0:
                ends[parts], closed[parts] = hi, not later
                parts += 1
            else:
                stack[top, 0], stack[top, 1] = middle, hi
                stack[top + 1, 0], stack[top + 1, 1] = lo, middle
                top += 2
    return parts


@njit(cache=True, nogil=True)
def number_packed_parts(numbers: Codes, out: Ints, start: int, ends: Ints, first: int) -> None:
    """Write every record's part, from `first` on: the parts follow one another from `start`, each to its end."""
    for p in range(ends.shape[0]):
        for i in range(start, ends[p]):
            out[numbers[i]] = first + p
        start = ends[p]
