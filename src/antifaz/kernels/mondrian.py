"""Mondrian: cutting all rows into parts of at least k, without recursion and with every row moved in place.

`rows` has one row per record: its rank in every attribute, and last its number. Ranks follow the order in which an
attribute is cut; what is missing has rank `known[a]`, after all others. A part is a stretch of `rows`, so that passes
over it are sequential however finely it is cut.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Rows = NDArray[np.int32]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


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


class Peeling(NamedTuple):
    """How far a part has been peeled: for every attribute its order of the rows, and where in it the rest lies."""

    order: NDArray[np.int32]
    head: Ints
    tail: Ints
    #: The distinct known values of categories that are left.
    distinct: Ints
    #: Attributes that can't be cut any more.
    dead: Flags
    gone: Flags


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
    rows[to:hi] = buffer[:held]
    return to


@njit(cache=True, nogil=True)
def _measure(rows: Rows, lo: int, hi: int, known: Ints, low: Ints, high: Ints, missing: Ints) -> None:
    """Find the least and the greatest known rank of every attribute in a part, and how many are missing."""
    low[:], high[:], missing[:] = known, -1, 0
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
def _missing_apart(rows: Rows, buffer: Rows, lo: int, hi: int, known: Ints, missing: Ints, k: int) -> int:
    """Cut what is missing from what is known in the first attribute that allows it; return where, or -1."""
    for a in range(known.shape[0]):
        if missing[a] >= k and hi - lo - missing[a] >= k:
            middle: int = _partition(rows, buffer, lo, hi, a, known[a], 0)
            return middle
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
        # The median belongs to the left; where that leaves too few on the right, it is the first on the right.
        ties = equal if size - below - equal >= k else 0
        if relaxed:
            ties = (size + 1) // 2 - below
        if below + ties >= k and size - below - ties >= k:
            middle: int = _partition(rows, buffer, lo, hi, a, rank, ties)
            return middle
        widths[a] = 0.0


@njit(cache=True, nogil=True)
def _widths(rows: Rows, lo: int, hi: int, space: Space, low: Ints, high: Ints, counts: Ints, out: Floats) -> None:
    """Write how wide every attribute is in a part, as a share of its width in the data."""
    for a in range(out.shape[0]):
        out[a] = 0.0
        if high[a] > low[a]:
            if space.category[a]:
                width = np.float64(_distinct(rows, lo, hi, a, space.known[a], counts) - 1)
            else:
                width = space.places[space.starts[a] + high[a]] - space.places[space.starts[a] + low[a]]
            out[a] = width / space.ranges[a]


@njit(cache=True, nogil=True)
def median_parts(rows: Rows, space: Space, k: int, relaxed: bool, out: Ints) -> int:
    """Cut at medians until no part can be cut into two of at least k; write every record's part; return their number.

    Strict: equal values stay on one side. Relaxed: those at the median go left, in the order of rows, until both sides
    are balanced.
    """
    total, known, attributes = rows.shape[0], space.known, space.known.shape[0]
    buffer = np.empty_like(rows)
    counts = np.zeros(known.max() + 2, np.int64)
    low, high, missing = known.copy(), known.copy(), known.copy()
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
                _widths(rows, lo, hi, space, low, high, counts, widths)
                middle = _median_cut(rows, buffer, lo, hi, low, high, missing, widths, k, relaxed, known, counts)
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
def _first_cut(rows: Rows, lo: int, a: int, peeling: Peeling, k: int) -> tuple[int, int]:
    """Walk up an attribute until at least k rows are behind and the value ends; return where, and how many."""
    at, taken, last = peeling.head[a], 0, -1
    while at < peeling.order.shape[1]:
        row = peeling.order[a, at]
        if not peeling.gone[row]:
            if taken >= k and rows[lo + row, a] != last:
                break
            last = rows[lo + row, a]
            taken += 1
        at += 1
    return at, taken


@njit(cache=True, nogil=True)
def _start(rows: Rows, lo: int, hi: int, space: Space, low: Ints, high: Ints, missing: Ints, counts: Ints) -> Peeling:
    """Sort a part by every attribute, and count its categories."""
    size, attributes = hi - lo, space.known.shape[0]
    order = np.empty((attributes, size), np.int32)
    tail, distinct = np.empty(attributes, np.int64), np.zeros(attributes, np.int64)
    dead = np.zeros(attributes, np.bool_)
    for a in range(attributes):
        dead[a] = high[a] <= low[a]
        if dead[a]:
            continue
        _column_order(rows, lo, hi, a, low[a], space.known[a] if missing[a] else high[a], order[a])
        tail[a] = size - missing[a] - 1
        if space.category[a]:
            for i in range(lo, hi):
                rank = rows[i, a]
                if rank < space.known[a]:
                    distinct[a] += counts[space.starts[a] + rank] == 0
                    counts[space.starts[a] + rank] += 1
    return Peeling(order, np.zeros(attributes, np.int64), tail, distinct, dead, np.zeros(size, np.bool_))


@njit(cache=True, nogil=True)
def _widest(rows: Rows, lo: int, space: Space, peeling: Peeling) -> int:
    """Return the attribute that is widest in what is left, the first of equals; -1 where none can be cut."""
    best, widest = -1, 0.0
    order, head, tail, gone = peeling.order, peeling.head, peeling.tail, peeling.gone
    for a in range(head.shape[0]):
        if peeling.dead[a]:
            continue
        if space.category[a]:
            width = (peeling.distinct[a] - 1) / space.ranges[a]
        else:
            while head[a] <= tail[a] and gone[order[a, head[a]]]:
                head[a] += 1
            while tail[a] > head[a] and gone[order[a, tail[a]]]:
                tail[a] -= 1
            if head[a] >= tail[a]:
                continue
            first, last = rows[lo + order[a, head[a]], a], rows[lo + order[a, tail[a]], a]
            width = (space.places[space.starts[a] + last] - space.places[space.starts[a] + first]) / space.ranges[a]
        if width > widest:
            best, widest = a, width
    return best


@njit(cache=True, nogil=True)
def _take(
    rows: Rows, buffer: Rows, lo: int, at: int, a: int, end: int, space: Space, peeling: Peeling, counts: Ints
) -> int:
    """Move what is left of an attribute's order up to `end` to the buffer; return where the next goes."""
    distinct = peeling.distinct
    for p in range(peeling.head[a], end):
        row = peeling.order[a, p]
        if peeling.gone[row]:
            continue
        peeling.gone[row] = True
        buffer[at] = rows[lo + row]
        at += 1
        for b in range(distinct.shape[0]):
            if distinct[b] > 0 and rows[lo + row, b] < space.known[b]:
                cell = space.starts[b] + rows[lo + row, b]
                counts[cell] -= 1
                distinct[b] -= counts[cell] == 0
    peeling.head[a] = end
    return at


@njit(cache=True, nogil=True)
def _settle(rows: Rows, buffer: Rows, lo: int, hi: int, at: int, space: Space, peeling: Peeling, counts: Ints) -> None:
    """Put the pieces in front of what is left, and the counts back to zero."""
    for row in range(hi - lo):
        if not peeling.gone[row]:
            buffer[at] = rows[lo + row]
            at += 1
        for a in range(space.known.shape[0]):
            if space.category[a]:
                counts[space.starts[a] + rows[lo + row, a]] = 0
    rows[lo:hi] = buffer[: hi - lo]


@njit(cache=True, nogil=True)
def _peel(
    rows: Rows, buffer: Rows, lo: int, hi: int, space: Space, peeling: Peeling, k: int, counts: Ints, ends: Ints
) -> int:
    """Cut the least values of the widest attribute off a part, again and again; return how many pieces came off.

    The pieces come to the front, piece p ending at `ends[p]`; what can't be cut any more follows. Every attribute keeps
    its own order of the part's rows and goes through it once, however many pieces come off, so that the work is that
    of sorting the part and not that of its size times its pieces. `counts` is all zero afterwards.
    """
    at, left, pieces = 0, hi - lo, 0
    while left >= 2 * k:
        a = _widest(rows, lo, space, peeling)
        if a < 0:
            break
        end, taken = _first_cut(rows, lo, a, peeling, k)
        if left - taken < k:
            # Nor can any smaller part of it be cut here.
            peeling.dead[a] = True
            continue
        at = _take(rows, buffer, lo, at, a, end, space, peeling, counts)
        left -= taken
        ends[pieces] = lo + at
        pieces += 1
    _settle(rows, buffer, lo, hi, at, space, peeling, counts)
    return pieces


@njit(cache=True, nogil=True)
def first_parts(rows: Rows, space: Space, k: int, out: Ints) -> int:
    """Cut at the first value with k on both sides until no part can be cut; write every record's part; return how many.

    A piece cut off holds no further cut in the same attribute, so parts are nested at most once per attribute.
    """
    total, known, attributes = rows.shape[0], space.known, space.known.shape[0]
    buffer = np.empty_like(rows)
    counts = np.zeros(space.starts[-1] + 1, np.int64)
    low, high, missing = known.copy(), known.copy(), known.copy()
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
            peeling = _start(rows, lo, hi, space, low, high, missing, counts)
            pieces = _peel(rows, buffer, lo, hi, space, peeling, k, counts, ends)
            for p in range(pieces):
                stack[top, 0], stack[top, 1] = lo, ends[p]
                top += 1
                lo = ends[p]
        for i in range(lo, hi):
            out[rows[i, attributes]] = parts
        parts += 1
    return parts
