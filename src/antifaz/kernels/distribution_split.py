"""Mondrian by distribution: cut the least values of the widest attribute off a part, slice after slice.

How wide attributes are in the rest of a part, and how slices are taken off, is said here once: for rows, for rows
judged by models, and (with `kernels.out_of_core`) for counts of parts that do not fit in memory. Codes, ranks and
stretches are as in `kernels.mondrian`.
"""

from typing import NamedTuple

import numpy as np

from antifaz.kernels import Codes, Flags, Ints
from antifaz.kernels.compiling import njit
from antifaz.kernels.mondrian import Space, Work, measure, missing_apart, workspace

#: No number is that wide: at most about as many times as there are records.
_WIDER = 1e12


class Moments(NamedTuple):
    """What is left of a part, per attribute."""

    #: The least and the greatest known rank; brought up to date when the widest attribute is looked for.
    low: Ints
    high: Ints
    #: How many known values are left, and the sums of their places on the grid and of these squared.
    many: Ints
    sums: Ints
    squares: Ints
    #: Attributes that can't be cut any more.
    dead: Flags


class Slicing(NamedTuple):
    """How far a part has been sliced: for every attribute its order of the rows, and where in it the rest lies."""

    order: Codes
    head: Ints
    tail: Ints
    gone: Flags
    moments: Moments
    #: Room for the rows of a slice.
    found: Codes


@njit(cache=True, nogil=True)
def standardized_span(low: int, high: int, many: int, total: int, squares: int, category: bool) -> float:
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
def widest(moments: Moments, space: Space) -> int:
    """Return the attribute that is widest in what is left, the first of equals; -1 where none can be cut."""
    best, most = -1, -1.0
    for a in range(moments.low.shape[0]):
        if moments.dead[a] or moments.low[a] >= moments.high[a]:
            continue
        low, high = space.grid[space.starts[a] + moments.low[a]], space.grid[space.starts[a] + moments.high[a]]
        width = standardized_span(low, high, moments.many[a], moments.sums[a], moments.squares[a], space.category[a])
        # Rounding must not make one of equals the wider.
        if width > most * (1 + 1e-9):
            best, most = a, width
    return best


@njit(cache=True, nogil=True)
def subtract(moments: Moments, space: Space, ranks: Codes, counts: Codes) -> None:
    """Take tuples off what is left, each so many records; without counts, one."""
    known, starts, grid = space.known, space.starts, space.grid
    many, sums, squares = moments.many, moments.sums, moments.squares
    for i in range(ranks.shape[0]):
        n = np.int64(counts[i]) if counts.shape[0] else np.int64(1)
        for a in range(known.shape[0]):
            rank = ranks[i, a]
            if rank < known[a]:
                place = grid[starts[a] + rank]
                many[a] -= n
                sums[a] -= n * place
                squares[a] -= n * place * place


@njit(cache=True, nogil=True)
def trim(order: Codes, gone: Flags, head: int, tail: int) -> tuple[int, int]:
    """Return the first and the last place in an order, from `head` to `tail`, whose row is not gone."""
    while head <= tail and gone[order[head]]:
        head += 1
    while tail > head and gone[order[tail]]:
        tail -= 1
    return head, tail


@njit(cache=True, nogil=True)
def _column_order(rows: Codes, lo: int, hi: int, a: int, low: int, high: int, out: Codes) -> None:
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
def start_slicing(rows: Codes, lo: int, hi: int, space: Space, work: Work) -> Slicing:
    """Sort a part, of which `work` holds the measures, by every attribute, and sum its places."""
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
    moments = Moments(work.low.copy(), work.high.copy(), many, sums, squares, dead)
    gone, found = np.zeros(size, np.bool_), np.empty(size, np.int32)
    return Slicing(order, np.zeros(attributes, np.int64), tail, gone, moments, found)


@njit(cache=True, nogil=True)
def trim_all(rows: Codes, lo: int, slicing: Slicing) -> None:
    """Bring the ends of all attributes that may be cut up to date."""
    order, head, tail, moments = slicing.order, slicing.head, slicing.tail, slicing.moments
    for a in range(head.shape[0]):
        if moments.dead[a]:
            continue
        head[a], tail[a] = trim(order[a], slicing.gone, head[a], tail[a])
        moments.low[a], moments.high[a] = 0, 0
        if head[a] < tail[a]:
            moments.low[a], moments.high[a] = rows[lo + order[a, head[a]], a], rows[lo + order[a, tail[a]], a]


@njit(cache=True, nogil=True)
def walk(
    rows: Codes, lo: int, a: int, slicing: Slicing, at: int, taken: int, least: int, most: int, places: Ints
) -> tuple[int, int, int]:
    """Go up an attribute's order from `at`, `taken` rows being behind; return where it ended, how many rows and places.

    A place, given as how many rows are behind, is where the value changes; only those from `least` to `most` count, and
    no more of them are found than there is room. The rows are written to `slicing.found`.
    """
    many, cuts, last = 0, 0, -1
    while at < slicing.order.shape[1] and taken + many <= most:
        row = slicing.order[a, at]
        if not slicing.gone[row]:
            rank = rows[lo + row, a]
            if last >= 0 and rank != last and taken + many >= least:
                places[cuts] = taken + many
                cuts += 1
                if cuts == places.shape[0]:
                    break
            last = rank
            slicing.found[many] = row
            many += 1
        at += 1
    return at, many, cuts


@njit(cache=True, nogil=True)
def _settle(rows: Codes, buffer: Codes, lo: int, hi: int, at: int, gone: Flags) -> None:
    """Put what is not gone behind the slices in the buffer, from `at` on, and bring all of it back to the rows."""
    for row in range(hi - lo):
        if not gone[row]:
            for c in range(rows.shape[1]):
                buffer[at, c] = rows[lo + row, c]
            at += 1
    for i in range(lo, hi):
        for c in range(rows.shape[1]):
            rows[i, c] = buffer[i, c]


@njit(cache=True, nogil=True)
def _cut_slices(
    rows: Codes, buffer: Codes, lo: int, hi: int, space: Space, slicing: Slicing, k: int, ends: Ints
) -> int:
    """Cut the least values of the widest attribute off a part, again and again; return how many slices came off.

    The slices come to the front, slice p ending at `ends[p]`; what can't be cut any more follows. Every attribute keeps
    its own order of the part's rows and goes through it once, however many slices come off, so that the work is that
    of sorting the part and not that of its size times its slices.
    """
    at, left, slices, columns = lo, hi - lo, 0, rows.shape[1]
    places, one = np.empty(1, np.int64), np.empty(0, np.int32)
    while left >= 2 * k:
        trim_all(rows, lo, slicing)
        a = widest(slicing.moments, space)
        if a < 0:
            break
        end, taken, _ = walk(rows, lo, a, slicing, slicing.head[a], 0, k, left, places)
        if left - taken < k:
            # Nor can any smaller part of it be cut here.
            slicing.moments.dead[a] = True
            continue
        for i in range(taken):
            row = slicing.found[i]
            slicing.gone[row] = True
            for c in range(columns):
                buffer[at + i, c] = rows[lo + row, c]
        subtract(slicing.moments, space, buffer[at : at + taken], one)
        slicing.head[a] = end
        at, left = at + taken, left - taken
        ends[slices] = at
        slices += 1
    _settle(rows, buffer, lo, hi, at, slicing.gone)
    return slices


@njit(cache=True, nogil=True)
def _push(stack: Ints, top: int, lo: int, hi: int, whole: bool) -> int:
    """Put a stretch on the stack, and whether it stays whole; return where the next goes."""
    stack[top, 0], stack[top, 1], stack[top, 2] = lo, hi, whole
    return top + 1


@njit(cache=True, nogil=True)
def distribution_parts(
    rows: Codes, buffer: Codes, bounds: Ints, final: Flags, space: Space, k: int, once: bool, ends: Ints, closed: Flags
) -> int:
    """Cut stretches at the first value with k on both sides until none can be cut; as `median_parts` does.

    A slice cut off holds no further cut in the same attribute, so parts are nested at most once per attribute. With
    `once`, slices are not cut again.
    """
    work = workspace(space.known.shape[0], 0)
    slices = np.empty((bounds[-1] - bounds[0]) // k + 2, np.int64)
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
            slicing = start_slicing(rows, lo, hi, space, work)
            found = _cut_slices(rows, buffer, lo, hi, space, slicing, k, slices)
            # The first slice on top; what is left below all, and done.
            top = _push(stack, top, slices[found - 1] if found else lo, hi, True)
            for p in range(found - 1, -1, -1):
                top = _push(stack, top, slices[p - 1] if p else lo, slices[p], False)
    return parts
