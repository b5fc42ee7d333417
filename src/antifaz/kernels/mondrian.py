"""Mondrian at the median: cut all rows into parts of at least k, without recursion, moving rows in place.

How wide an attribute is (`relative_width`) and which side the median goes to (`median_cut`) are said here once, for
rows, for rows judged by models, and for counts of parts that do not fit in memory.

`rows` has one row per record: its rank in every attribute, and last its number. Ranks follow the order in which an
attribute is cut; what is missing has rank `known[a]`, after all others. A part is a stretch of `rows`, so that passes
over it are sequential however finely it is cut.
"""

from typing import NamedTuple

import numpy as np

from antifaz.kernels import Codes, Flags, Floats, Ints
from antifaz.kernels.compiling import njit


class Space(NamedTuple):
    """What the ranks of all attributes mean: arrays that always go together."""

    #: How many ranks are known values; the next one is for missing.
    known: Ints
    #: Categories have no distances: they are as wide as they have distinct values.
    category: Flags
    #: `places[starts[a] + rank]` is a number's place on its scale.
    places: Floats
    #: One more than attributes; missing has a place too.
    starts: Ints
    #: How wide each attribute is in the whole data: from least to greatest number, or distinct categories less one.
    ranges: Floats
    #: `grid[starts[a] + rank]` is the place of numbers, and the rank of categories, as a whole number from 0.
    grid: Ints


class Work(NamedTuple):
    """Room for the figures of one part: of every attribute the ends, how many are missing, how wide it is; counts."""

    low: Ints
    high: Ints
    missing: Ints
    widths: Floats
    #: All zero between cuts.
    counts: Ints


@njit(cache=True, nogil=True)
def stable_order(codes: Codes, size: int, order: Codes, out: Codes) -> None:
    """Write to `out` what `order` lists, sorted by code; what has the same code stays in order."""
    ends = np.zeros(size + 1, np.int64)
    for i in range(codes.shape[0]):
        ends[codes[i] + 1] += 1
    for c in range(size):
        ends[c + 1] += ends[c]
    for i in range(order.shape[0]):
        code = codes[order[i]]
        out[ends[code]] = order[i]
        ends[code] += 1


@njit(cache=True, nogil=True)
def _partition(rows: Codes, buffer: Codes, lo: int, hi: int, a: int, rank: int, ties: int) -> int:
    """Bring ranks below `rank`, and the first `ties` at it, to the front; keep the order; return where the rest is."""
    to, held, columns = lo, lo, rows.shape[1]
    for i in range(lo, hi):
        here = rows[i, a]
        left = here < rank
        if here == rank and ties > 0:
            ties -= 1
            left = True
        if left:
            if to != i:
                for c in range(columns):
                    rows[to, c] = rows[i, c]
            to += 1
        else:
            for c in range(columns):
                buffer[held, c] = rows[i, c]
            held += 1
    for i in range(lo, held):
        for c in range(columns):
            rows[to + i - lo, c] = buffer[i, c]
    return to


@njit(cache=True, nogil=True)
def measure(rows: Codes, lo: int, hi: int, known: Ints, low: Ints, high: Ints, missing: Ints) -> None:
    """Find the least and the greatest known rank of every attribute in a part, and how many are missing."""
    for a in range(known.shape[0]):
        low[a], high[a], missing[a] = known[a], -1, 0
    # By blocks that stay in the nearest cache, so that one attribute's ends stay in registers.
    for start in range(lo, hi, 1024):
        for a in range(known.shape[0]):
            first, last, unknown = low[a], high[a], missing[a]
            for i in range(start, min(start + 1024, hi)):
                rank = np.int64(rows[i, a])
                if rank >= known[a]:
                    unknown += 1
                else:
                    first, last = min(first, rank), max(last, rank)
            low[a], high[a], missing[a] = first, last, unknown


@njit(cache=True, nogil=True)
def missing_apart(rows: Codes, buffer: Codes, lo: int, hi: int, known: Ints, missing: Ints, k: int) -> int:
    """Cut what is missing from what is known in the first attribute that allows it; return where, or -1."""
    for a in range(known.shape[0]):
        if missing[a] >= k and hi - lo - missing[a] >= k:
            middle: int = _partition(rows, buffer, lo, hi, a, known[a], 0)
            return middle
    return -1


@njit(cache=True, nogil=True)
def _distinct(rows: Codes, lo: int, hi: int, a: int, known: int, counts: Ints) -> int:
    """Count the distinct known ranks in a part; `counts` is all zero before and after."""
    found = 0
    for i in range(lo, hi):
        rank = rows[i, a]
        if rank < known and counts[rank] == 0:
            counts[rank] = 1
            found += 1
    for i in range(lo, hi):
        counts[rows[i, a]] = 0
    return found


@njit(cache=True, nogil=True)
def _median(rows: Codes, lo: int, hi: int, a: int, low: int, high: int, counts: Ints) -> tuple[int, int, int]:
    """Return the lower median rank, how many ranks are below it, and how many are at it."""
    most, wanted = max(4 * (hi - lo), 64), (hi - lo - 1) // 2
    below = 0
    while True:
        # Walking more counts than there are ranks would take longest: wide attributes are counted by coarser steps.
        shift = 0
        while (high - low) >> shift >= most:
            shift += 1
        for i in range(lo, hi):
            rank = rows[i, a]
            if low <= rank <= high:
                counts[(rank - low) >> shift] += 1
        step = 0
        while below + counts[step] <= wanted:
            below += counts[step]
            step += 1
        equal = counts[step]
        for used in range(((high - low) >> shift) + 1):
            counts[used] = 0
        if shift == 0:
            return low + step, below, equal
        low += step << shift
        high = min(high, low + (1 << shift) - 1)


@njit(cache=True, nogil=True)
def relative_width(space: Space, a: int, low: int, high: int, distinct: int) -> float:
    """Return how wide an attribute is from one rank to another, as a share of its width in the data.

    Categories are as wide as they have `distinct` values; numbers need not have theirs counted.
    """
    if high <= low:
        return 0.0
    width = np.float64(distinct - 1)
    if not space.category[a]:
        width = space.places[space.starts[a] + high] - space.places[space.starts[a] + low]
    return float(width / space.ranges[a])


@njit(cache=True, nogil=True)
def median_cut(size: int, below: int, equal: int, k: int) -> int:
    """Return how many records go left at a median with so many below and at it; -1 where a side gets less than k.

    The median goes left; where that leaves too few on the right, it goes right.
    """
    left = below + equal if size - below - equal >= k else below
    return left if left >= k and size - left >= k else -1


@njit(cache=True, nogil=True)
def _widths(rows: Codes, lo: int, hi: int, space: Space, work: Work) -> None:
    """Find how wide every attribute is in a part."""
    for a in range(space.known.shape[0]):
        first, last, distinct = work.low[a], work.high[a], 0
        if space.category[a] and last > first:
            distinct = _distinct(rows, lo, hi, a, space.known[a], work.counts)
        work.widths[a] = relative_width(space, a, first, last, distinct)


@njit(cache=True, nogil=True)
def _cut_in_middle(
    rows: Codes, buffer: Codes, lo: int, hi: int, space: Space, k: int, relaxed: bool, work: Work
) -> int:
    """Cut a part at the median of its widest attribute that can be cut; return where the second side begins, or -1."""
    size, widths = hi - lo, work.widths
    while True:
        a = 0
        for b in range(1, widths.shape[0]):
            if widths[b] > widths[a]:  # the first of equals
                a = b
        if widths[a] <= 0.0:
            return -1
        top = space.known[a] if work.missing[a] else work.high[a]
        rank, below, equal = _median(rows, lo, hi, a, work.low[a], top, work.counts)
        left = median_cut(size, below, equal, k)
        if relaxed:
            left = (size + 1) // 2
        if left >= k and size - left >= k:
            middle: int = _partition(rows, buffer, lo, hi, a, rank, left - below)
            return middle
        widths[a] = 0.0


@njit(cache=True, nogil=True)
def workspace(attributes: int, counts: int) -> Work:
    """Make room for the figures of parts with so many attributes, and so many counts."""
    low, high = np.empty(attributes, np.int64), np.empty(attributes, np.int64)
    missing, widths = np.empty(attributes, np.int64), np.empty(attributes, np.float64)
    return Work(low, high, missing, widths, np.zeros(counts, np.int64))


@njit(cache=True, nogil=True)
def median_parts(
    rows: Codes,
    buffer: Codes,
    bounds: Ints,
    final: Flags,
    space: Space,
    k: int,
    relaxed: bool,
    once: bool,
    ends: Ints,
    closed: Flags,
) -> int:
    """Cut stretches at medians until none can be cut into two of at least k; write each part's end; return how many.

    Stretch s is `bounds[s]` to `bounds[s + 1]`, and stays as it is where `final`. With `once`, each is cut once only,
    and `closed` becomes whether a part can't be cut again. Strict: equal values stay on one side. Relaxed: those at the
    median go left, in the order of rows, until both sides are balanced. Nothing outside the stretches is touched,
    neither of `rows` nor of `buffer`, which is as large: several calls may run at once.
    """
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
                measure(rows, lo, hi, space.known, work.low, work.high, work.missing)
                middle = missing_apart(rows, buffer, lo, hi, space.known, work.missing, k)
                if middle < 0:
                    _widths(rows, lo, hi, space, work)
                    middle = _cut_in_middle(rows, buffer, lo, hi, space, k, relaxed, work)
            if middle < 0:
                ends[parts], closed[parts] = hi, not later
                parts += 1
            else:
                stack[top, 0], stack[top, 1] = middle, hi
                stack[top + 1, 0], stack[top + 1, 1] = lo, middle
                top += 2
    return parts


@njit(cache=True, nogil=True)
def number_parts(rows: Codes, out: Ints, start: int, ends: Ints, first: int) -> None:
    """Write every record's part, from `first` on: the parts follow one another from `start`, each to its end."""
    for p in range(ends.shape[0]):
        for i in range(start, ends[p]):
            out[rows[i, rows.shape[1] - 1]] = first + p
        start = ends[p]
