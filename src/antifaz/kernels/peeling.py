"""The distribution split of Mondrian: the least values are peeled off a part, piece after piece.

Rows, ranks and stretches are as in `kernels.mondrian`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from antifaz.kernels.mondrian import Flags, Ints, Rows, Space, Work, measure, missing_apart, workspace

#: No number is that wide: at most about as many times as there are records.
_WIDER = 1e12


class Peeling(NamedTuple):
    """How far a part has been peeled: for every attribute its order of the rows, and where in it the rest lies."""

    order: NDArray[np.int32]
    head: Ints
    tail: Ints
    #: How many known values are left, and the sums of their places on the grid and of these squared.
    many: Ints
    sums: Ints
    squares: Ints
    #: Attributes that can't be cut any more.
    dead: Flags
    gone: Flags


@njit(cache=True, nogil=True)
def spread(low: int, high: int, many: int, total: int, squares: int, category: bool) -> float:
    """Return how wide `many` values are: from `low` to `high`, squared, over their variance.

    Any category is wider than any number: numbers that are near each other can stand for each other, categories can't.
    Sums are of whole numbers, and so exact whatever the order of rows; taken from `low`, so that little is lost.
    """
    if high <= low:
        return 0.0
    first = np.float64(total - many * low)
    second = np.float64(squares - 2 * low * total + many * low * low)
    width = np.float64(high - low) ** 2 * many / (second - first * first / many)
    return width * _WIDER if category else width


@njit(cache=True, nogil=True)
def trim(order: Rows, gone: Flags, head: int, tail: int) -> tuple[int, int]:
    """Return the first and the last place in an order, from `head` to `tail`, whose row is not gone."""
    while head <= tail and gone[order[head]]:
        head += 1
    while tail > head and gone[order[tail]]:
        tail -= 1
    return head, tail


@njit(cache=True, nogil=True)
def _column_order(rows: Rows, lo: int, hi: int, a: int, low: int, high: int, out: NDArray[np.int32]) -> None:
    """Write the rows of a part, counted from its first, in the order of one attribute."""
    # Digit by digit from the last; a digit has not many more values than the part has rows.
    bits, most = 6, max(4 * (hi - lo), 64)
    while 1 << bits <= high - low and 2 << bits <= most:
        bits += 1
    source, ends = np.empty(hi - lo, np.int32), np.empty((1 << bits) + 1, np.int64)
    for row in range(hi - lo):
        source[row] = row
    shift, mask = 0, (1 << bits) - 1
    while True:
        for c in range(ends.shape[0]):
            ends[c] = 0
        for i in range(hi - lo):
            ends[(((rows[lo + source[i], a] - low) >> shift) & mask) + 1] += 1
        for c in range(1, ends.shape[0]):
            ends[c] += ends[c - 1]
        for i in range(hi - lo):
            digit = ((rows[lo + source[i], a] - low) >> shift) & mask
            out[ends[digit]] = source[i]
            ends[digit] += 1
        shift += bits
        if (high - low) >> shift == 0:
            return
        for row in range(hi - lo):
            source[row] = out[row]


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
def _start(rows: Rows, lo: int, hi: int, space: Space, work: Work) -> Peeling:
    """Sort a part by every attribute, and sum its places."""
    size, attributes = hi - lo, space.known.shape[0]
    order = np.empty((attributes, size), np.int32)
    tail, many = np.empty(attributes, np.int64), np.zeros(attributes, np.int64)
    sums, squares = np.zeros(attributes, np.int64), np.zeros(attributes, np.int64)
    dead = np.zeros(attributes, np.bool_)
    for a in range(attributes):
        dead[a] = work.high[a] <= work.low[a]
        if dead[a]:
            continue
        top = space.known[a] if work.missing[a] else work.high[a]
        _column_order(rows, lo, hi, a, work.low[a], top, order[a])
        tail[a] = size - work.missing[a] - 1
        many[a] = size - work.missing[a]
        for i in range(lo, hi):
            if rows[i, a] < space.known[a]:
                place = space.grid[space.starts[a] + rows[i, a]]
                sums[a] += place
                squares[a] += place * place
    return Peeling(order, np.zeros(attributes, np.int64), tail, many, sums, squares, dead, np.zeros(size, np.bool_))


@njit(cache=True, nogil=True)
def _widest(rows: Rows, lo: int, space: Space, peeling: Peeling) -> int:
    """Return the attribute that is widest in what is left, the first of equals; -1 where none can be cut."""
    best, widest = -1, -1.0
    order, head, tail, gone = peeling.order, peeling.head, peeling.tail, peeling.gone
    for a in range(head.shape[0]):
        if peeling.dead[a]:
            continue
        head[a], tail[a] = trim(order[a], gone, head[a], tail[a])
        if head[a] >= tail[a]:
            continue
        first, last = rows[lo + order[a, head[a]], a], rows[lo + order[a, tail[a]], a]
        if first == last:
            continue
        low, high = space.grid[space.starts[a] + first], space.grid[space.starts[a] + last]
        width = spread(low, high, peeling.many[a], peeling.sums[a], peeling.squares[a], space.category[a])
        # Rounding must not make one of equals the wider.
        if width > widest * (1 + 1e-9):
            best, widest = a, width
    return best


@njit(cache=True, nogil=True)
def _take(rows: Rows, buffer: Rows, lo: int, at: int, a: int, end: int, space: Space, peeling: Peeling) -> int:
    """Move what is left of an attribute's order up to `end` to the buffer; return where the next goes."""
    for p in range(peeling.head[a], end):
        row = peeling.order[a, p]
        if peeling.gone[row]:
            continue
        peeling.gone[row] = True
        for c in range(rows.shape[1]):
            buffer[lo + at, c] = rows[lo + row, c]
        at += 1
        for b in range(space.known.shape[0]):
            if rows[lo + row, b] < space.known[b]:
                place = space.grid[space.starts[b] + rows[lo + row, b]]
                peeling.many[b] -= 1
                peeling.sums[b] -= place
                peeling.squares[b] -= place * place
    peeling.head[a] = end
    return at


@njit(cache=True, nogil=True)
def _settle(rows: Rows, buffer: Rows, lo: int, hi: int, at: int, peeling: Peeling) -> None:
    """Put the pieces in front of what is left."""
    for row in range(hi - lo):
        if not peeling.gone[row]:
            for c in range(rows.shape[1]):
                buffer[lo + at, c] = rows[lo + row, c]
            at += 1
    for i in range(lo, hi):
        for c in range(rows.shape[1]):
            rows[i, c] = buffer[i, c]


@njit(cache=True, nogil=True)
def _peel(rows: Rows, buffer: Rows, lo: int, hi: int, space: Space, peeling: Peeling, k: int, ends: Ints) -> int:
    """Cut the least values of the widest attribute off a part, again and again; return how many pieces came off.

    The pieces come to the front, piece p ending at `ends[p]`; what can't be cut any more follows. Every attribute keeps
    its own order of the part's rows and goes through it once, however many pieces come off, so that the work is that
    of sorting the part and not that of its size times its pieces.
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
        at = _take(rows, buffer, lo, at, a, end, space, peeling)
        left -= taken
        ends[pieces] = lo + at
        pieces += 1
    _settle(rows, buffer, lo, hi, at, peeling)
    return pieces


@njit(cache=True, nogil=True)
def _push(stack: Ints, top: int, lo: int, hi: int, whole: bool) -> int:
    """Put a stretch on the stack, and whether it stays whole; return where the next goes."""
    stack[top, 0], stack[top, 1], stack[top, 2] = lo, hi, whole
    return top + 1


@njit(cache=True, nogil=True)
def first_parts(
    rows: Rows, buffer: Rows, bounds: Ints, final: Flags, space: Space, k: int, once: bool, ends: Ints, closed: Flags
) -> int:
    """Cut stretches at the first value with k on both sides until none can be cut; as `median_parts` does.

    A piece cut off holds no further cut in the same attribute, so parts are nested at most once per attribute. With
    `once`, pieces are not cut again.
    """
    work = workspace(space.known.shape[0], 0)
    pieces = np.empty((bounds[-1] - bounds[0]) // k + 2, np.int64)
    stack = np.empty(((bounds[-1] - bounds[0]) // k + 2, 3), np.int64)
    parts = 0
    for s in range(final.shape[0]):
        top = _push(stack, 0, bounds[s], bounds[s + 1], final[s])
        while top > 0:
            top -= 1
            lo, hi, whole = stack[top, 0], stack[top, 1], stack[top, 2]
            if whole or hi - lo < 2 * k or (once and (lo > bounds[s] or hi < bounds[s + 1])):
                ends[parts], closed[parts] = hi, whole or hi - lo < 2 * k
                parts += 1
                continue
            measure(rows, lo, hi, space.known, work.low, work.high, work.missing)
            middle = missing_apart(rows, buffer, lo, hi, space.known, work.missing, k)
            if middle >= 0:
                top = _push(stack, _push(stack, top, middle, hi, False), lo, middle, False)
                continue
            found = _peel(rows, buffer, lo, hi, space, _start(rows, lo, hi, space, work), k, pieces)
            # The first piece on top; what is left below all, and done.
            top = _push(stack, top, pieces[found - 1] if found else lo, hi, True)
            for p in range(found - 1, -1, -1):
                top = _push(stack, top, pieces[p - 1] if p else lo, pieces[p], False)
    return parts


@njit(cache=True, nogil=True)
def walk(
    order: Rows, ranks: Rows, gone: Flags, at: int, taken: int, least: int, most: int, found: Rows, places: Ints
) -> tuple[int, int, int]:
    """Go up an order from `at`, `taken` rows being behind; return where it stopped, the rows and the places found.

    A place, given as how many rows are behind, is where the value changes; only those from `least` to `most` count, and
    no more of them are found than there is room.
    """
    many, cuts, last = 0, 0, -1
    while at < order.shape[0] and taken + many <= most:
        row = order[at]
        if not gone[row]:
            if last >= 0 and ranks[row] != last and taken + many >= least:
                places[cuts] = taken + many
                cuts += 1
                if cuts == places.shape[0]:
                    break
            last = ranks[row]
            found[many] = row
            many += 1
        at += 1
    return at, many, cuts
