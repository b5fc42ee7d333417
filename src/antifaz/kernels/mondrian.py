"""Mondrian: cutting all rows into parts of at least k, without recursion and with every row moved in place.

`rows` has one row per record: its rank in every attribute, and last its number. Ranks follow the order in which an
attribute is cut; what is missing has rank `known[a]`, after all others. A part is a stretch of `rows`, so that passes
over it are sequential however finely it is cut. An attribute is a category or a number; `places[starts[a] + rank]` is
a number's place on its scale, and `ranges[a]` how far the numbers (or distinct categories, less one) reach in the data.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Rows = NDArray[np.int32]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@njit(cache=True, nogil=True)
def stable_order(codes: NDArray[np.int32], size: int, order: NDArray[np.int32], out: NDArray[np.int32]) -> None:
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
def _partition(rows: Rows, buffer: Rows, lo: int, hi: int, a: int, rank: int, ties: int) -> int:
    """Bring ranks below `rank`, and the first `ties` at it, to the front; keep the order; return where the rest is."""
    to, held, columns = lo, 0, rows.shape[1]
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
    for i in range(held):
        for c in range(columns):
            rows[to + i, c] = buffer[i, c]
    return to


@njit(cache=True, nogil=True)
def _measure(rows: Rows, lo: int, hi: int, known: Ints, low: Ints, high: Ints, missing: Ints) -> None:
    """Find the least and the greatest known rank of every attribute in a part, and how many are missing."""
    attributes = known.shape[0]
    for a in range(attributes):
        low[a], high[a], missing[a] = known[a], -1, 0
    for i in range(lo, hi):
        for a in range(attributes):
            rank = rows[i, a]
            if rank >= known[a]:
                missing[a] += 1
            else:
                if rank < low[a]:
                    low[a] = rank
                if rank > high[a]:
                    high[a] = rank


@njit(cache=True, nogil=True)
def _missing_apart(rows: Rows, buffer: Rows, lo: int, hi: int, known: Ints, missing: Ints, k: int) -> int:
    """Cut what is missing from what is known in the first attribute that allows it; return where, or -1."""
    for a in range(known.shape[0]):
        if missing[a] >= k and hi - lo - missing[a] >= k:
            return _partition(rows, buffer, lo, hi, a, known[a], 0)
    return -1


@njit(cache=True, nogil=True)
def _distinct(rows: Rows, lo: int, hi: int, a: int, known: int, counts: Ints) -> int:
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
def _median(rows: Rows, lo: int, hi: int, a: int, low: int, high: int, counts: Ints) -> tuple[int, int, int]:
    """Return the lower median rank, how many ranks are below it, and how many are at it."""
    size = hi - lo
    wanted = (size - 1) // 2
    if high - low < max(4 * size, 64):
        for i in range(lo, hi):
            counts[rows[i, a]] += 1
        rank, below = low, 0
        while below + counts[rank] <= wanted:
            below += counts[rank]
            rank += 1
        equal = counts[rank]
        counts[low : high + 1] = 0
        return rank, below, equal
    # A small part of a wide attribute: walking the counts would take longer than sorting.
    ranks = np.sort(rows[lo:hi, a])
    middle = ranks[wanted]
    below = np.searchsorted(ranks, middle)
    return middle, below, np.searchsorted(ranks, middle, side="right") - below


@njit(cache=True, nogil=True)
def _median_cut(
    rows: Rows, buffer: Rows, lo: int, hi: int, low: Ints, high: Ints, missing: Ints, widths: Floats, k: int,
    relaxed: bool, known: Ints, counts: Ints,
) -> int:  # fmt: skip
    """Cut a part at the median of its widest attribute that can be cut; return where the second side begins, or -1."""
    size = hi - lo
    while True:
        a = np.argmax(widths)  # the first of equals
        if widths[a] <= 0.0:
            return -1
        top = known[a] if missing[a] else high[a]
        rank, below, equal = _median(rows, lo, hi, a, low[a], top, counts)
        if relaxed:
            return _partition(rows, buffer, lo, hi, a, rank, (size + 1) // 2 - below) if size // 2 >= k else -1
        if below + equal >= k and size - below - equal >= k:
            return _partition(rows, buffer, lo, hi, a, rank, equal)
        # The median belongs to the left; where that leaves too few on the right, it is the first on the right.
        if below >= k and size - below >= k:
            return _partition(rows, buffer, lo, hi, a, rank, 0)
        widths[a] = 0.0


@njit(cache=True, nogil=True)
def median_parts(
    rows: Rows, known: Ints, category: Flags, places: Floats, starts: Ints, ranges: Floats, k: int, relaxed: bool,
    out: Ints,
) -> int:  # fmt: skip
    """Cut at medians until no part can be cut into two of at least k; write every record's part; return their number.

    Strict: equal values stay on one side. Relaxed: those at the median go left, in the order of rows, until both sides
    are balanced.
    """
    total, attributes = rows.shape[0], known.shape[0]
    buffer = np.empty_like(rows)
    counts = np.zeros(known.max() + 2, np.int64)
    low, high, missing = np.empty(attributes, np.int64), np.empty(attributes, np.int64), np.empty(attributes, np.int64)
    widths = np.empty(attributes, np.float64)
    stack = np.empty((total // k + 2, 2), np.int64)
    stack[0, 0], stack[0, 1] = 0, total
    top, parts = 1, 0
    while top > 0:
        top -= 1
        lo, hi = stack[top]
        middle = -1
        if hi - lo >= 2 * k:
            _measure(rows, lo, hi, known, low, high, missing)
            middle = _missing_apart(rows, buffer, lo, hi, known, missing, k)
            if middle < 0:
                for a in range(attributes):
                    widths[a] = 0.0
                    if high[a] > low[a]:
                        if category[a]:
                            width = np.float64(_distinct(rows, lo, hi, a, known[a], counts) - 1)
                        else:
                            width = places[starts[a] + high[a]] - places[starts[a] + low[a]]
                        widths[a] = width / ranges[a]
                middle = _median_cut(
                    rows, buffer, lo, hi, low, high, missing, widths, k, relaxed, known, counts
                )  # fmt: skip
        if middle < 0:
            for i in range(lo, hi):
                out[rows[i, attributes]] = parts
            parts += 1
        else:
            stack[top, 0], stack[top, 1] = middle, hi
            stack[top + 1, 0], stack[top + 1, 1] = lo, middle
            top += 2
    return parts


@njit(cache=True, nogil=True)
def _column_order(rows: Rows, lo: int, hi: int, a: int, low: int, high: int, out: NDArray[np.int32]) -> None:
    """Write the rows of a part, counted from its first, in the order of one attribute."""
    size = hi - lo
    if high - low >= max(4 * size, 64):
        out[:] = np.argsort(rows[lo:hi, a], kind="mergesort")
        return
    ends = np.zeros(high - low + 2, np.int64)
    for i in range(lo, hi):
        ends[rows[i, a] - low + 1] += 1
    for c in range(1, ends.shape[0]):
        ends[c] += ends[c - 1]
    for i in range(lo, hi):
        c = rows[i, a] - low
        out[ends[c]] = i - lo
        ends[c] += 1


@njit(cache=True, nogil=True)
def _first_cut(
    rows: Rows, lo: int, a: int, order: NDArray[np.int32], head: int, gone: Flags, k: int
) -> tuple[int, int]:
    """Walk up an attribute until at least k rows are behind and the value ends; return where, and how many."""
    at, taken, last = head, 0, -1
    while at < order.shape[0]:
        row = order[at]
        if not gone[row]:
            if taken >= k and rows[lo + row, a] != last:
                break
            last = rows[lo + row, a]
            taken += 1
        at += 1
    return at, taken


@njit(cache=True, nogil=True)
def _peel(  # noqa: C901, PLR0915 - one loop over shared state
    rows: Rows, buffer: Rows, lo: int, hi: int, low: Ints, high: Ints, missing: Ints, known: Ints, category: Flags,
    places: Floats, starts: Ints, ranges: Floats, k: int, counts: Ints, ends: Ints,
) -> int:  # fmt: skip
    """Cut the least values of the widest attribute off a part, again and again; return how many pieces came off.

    The pieces come to the front, piece p ending at `ends[p]`; what can't be cut any more follows. Every attribute keeps
    its own order of the part's rows and goes through it once, however many pieces come off, so that the work is that
    of sorting the part and not that of its size times its pieces. `counts` is all zero before and after.
    """
    size, attributes = hi - lo, known.shape[0]
    order = np.empty((attributes, size), np.int32)
    head, tail, distinct = np.zeros(attributes, np.int64), np.empty(attributes, np.int64), np.zeros(attributes, np.int64)
    dead, gone = np.zeros(attributes, np.bool_), np.zeros(size, np.bool_)
    for a in range(attributes):
        dead[a] = high[a] <= low[a]
        if dead[a]:
            continue
        _column_order(rows, lo, hi, a, low[a], known[a] if missing[a] else high[a], order[a])
        tail[a] = size - missing[a] - 1
        if category[a]:
            for i in range(lo, hi):
                rank = rows[i, a]
                if rank < known[a]:
                    distinct[a] += counts[starts[a] + rank] == 0
                    counts[starts[a] + rank] += 1
    at, left, pieces = 0, size, 0
    while left >= 2 * k:
        best, widest = -1, 0.0
        for a in range(attributes):
            if dead[a]:
                continue
            if category[a]:
                width = (distinct[a] - 1) / ranges[a]
            else:
                while head[a] <= tail[a] and gone[order[a, head[a]]]:
                    head[a] += 1
                while tail[a] > head[a] and gone[order[a, tail[a]]]:
                    tail[a] -= 1
                if head[a] >= tail[a]:
                    continue
                first, final = rows[lo + order[a, head[a]], a], rows[lo + order[a, tail[a]], a]
                width = (places[starts[a] + final] - places[starts[a] + first]) / ranges[a]
            if width > widest:
                best, widest = a, width
        if best < 0:
            break
        end, taken = _first_cut(rows, lo, best, order[best], head[best], gone, k)
        if left - taken < k:
            # Nor can any smaller part of it be cut here.
            dead[best] = True
            continue
        for p in range(head[best], end):
            row = order[best, p]
            if not gone[row]:
                gone[row] = True
                for c in range(attributes + 1):
                    buffer[at, c] = rows[lo + row, c]
                for a in range(attributes):
                    if distinct[a] > 0 and rows[lo + row, a] < known[a]:
                        counts[starts[a] + rows[lo + row, a]] -= 1
                        distinct[a] -= counts[starts[a] + rows[lo + row, a]] == 0
                at += 1
        head[best] = end
        left -= taken
        ends[pieces] = lo + at
        pieces += 1
    for row in range(size):
        if not gone[row]:
            for c in range(attributes + 1):
                buffer[at, c] = rows[lo + row, c]
            at += 1
        for a in range(attributes):
            if category[a]:
                counts[starts[a] + rows[lo + row, a]] = 0
    for i in range(size if pieces else 0):
        for c in range(attributes + 1):
            rows[lo + i, c] = buffer[i, c]
    return pieces


@njit(cache=True, nogil=True)
def first_parts(
    rows: Rows, known: Ints, category: Flags, places: Floats, starts: Ints, ranges: Floats, k: int, out: Ints
) -> int:
    """Cut at the first value with k on both sides until no part can be cut; write every record's part; return how many.

    A piece cut off holds no further cut in the same attribute, so parts are nested at most once per attribute.
    """
    total, attributes = rows.shape[0], known.shape[0]
    buffer = np.empty_like(rows)
    counts = np.zeros(starts[-1] + 1, np.int64)
    low, high, missing = np.empty(attributes, np.int64), np.empty(attributes, np.int64), np.empty(attributes, np.int64)
    ends = np.empty(total // k + 2, np.int64)
    stack = np.empty((total // k + 2, 2), np.int64)
    stack[0, 0], stack[0, 1] = 0, total
    top, parts = 1, 0
    while top > 0:
        top -= 1
        lo, hi = stack[top]
        if hi - lo >= 2 * k:
            _measure(rows, lo, hi, known, low, high, missing)
            middle = _missing_apart(rows, buffer, lo, hi, known, missing, k)
            if middle >= 0:
                stack[top, 0], stack[top, 1] = middle, hi
                stack[top + 1, 0], stack[top + 1, 1] = lo, middle
                top += 2
                continue
            pieces = _peel(
                rows, buffer, lo, hi, low, high, missing, known, category, places, starts, ranges, k, counts, ends
            )
            for p in range(pieces):
                stack[top, 0], stack[top, 1] = lo, ends[p]
                top += 1
                lo = ends[p]
        for i in range(lo, hi):
            out[rows[i, attributes]] = parts
        parts += 1
    return parts
