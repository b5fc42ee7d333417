"""The distribution split of Mondrian where a part does not fit: it is peeled by its counts, slice after slice.

The rest of a peeled part is a box: in every attribute all places from a floor on, with what is missing. How often each
place occurs in the rest says which attribute is widest and where its first cut is; the records of a slice are needed
only to take them off the counts of the other attributes. They come in chunks: per attribute the tuples that are next in
its order. Ranks are places here; see `kernels.mondrian` for the rest of the words.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from antifaz.kernels.mondrian import Flags, Ints, Space
from antifaz.kernels.peeling import spread

#: Why peeling stopped: nothing more can be cut; the rest fits; a chunk, or more room, is needed; a slice is too large.
DONE, FITS, CHUNK, ROOM, LARGE = 0, 1, 2, 3, 4


class Rest(NamedTuple):
    """What is left of a part: counts that are kept up to date as slices come off."""

    #: `counts[starts[a] + place]`: how many records of the rest are there.
    counts: Ints
    starts: Ints
    floor: Ints
    #: The first and the last known place of every attribute; they are brought up to date when looked at.
    low: Ints
    high: Ints
    #: How many known values are left, and the sums of their places on the grid and of these squared.
    many: Ints
    sums: Ints
    squares: Ints
    #: Attributes that can't be cut any more.
    dead: Flags
    #: One number: how many records are left.
    left: Ints


class Chunks(NamedTuple):
    """Per attribute the tuples that are next in its order."""

    #: `places[a, i]` are the places of tuple i of attribute a's chunk, `counts[a, i]` its records.
    places: NDArray[np.int32]
    counts: NDArray[np.int32]
    keys: NDArray[np.int32]
    #: Up to which place the chunk holds everything; how many tuples it holds; which comes next.
    covered: Ints
    filled: Ints
    next: Ints


class Slices(NamedTuple):
    """Room for the slices that came off: tuples one after another, and where each slice ends."""

    places: NDArray[np.int32]
    counts: NDArray[np.int32]
    keys: NDArray[np.int32]
    ends: Ints
    #: How many tuples, slices and records there are.
    used: Ints


@njit(cache=True, nogil=True)
def take_counts(rest: Rest, space: Space, a: int, first: int, gone: Ints) -> None:
    """Take so many records at the places from `first` on off an attribute's counts and sums."""
    for i in range(gone.shape[0]):
        place = first + i
        rest.counts[rest.starts[a] + place] -= gone[i]
        if place < space.known[a]:
            at = space.grid[space.starts[a] + place]
            rest.many[a] -= gone[i]
            rest.sums[a] -= gone[i] * at
            rest.squares[a] -= gone[i] * at * at


@njit(cache=True, nogil=True)
def _widest(rest: Rest, space: Space) -> int:
    """Return the attribute that is widest in what is left, the first of equals; -1 where none can be cut."""
    best, widest = -1, -1.0
    for a in range(rest.low.shape[0]):
        if rest.dead[a]:
            continue
        low, high, start = rest.low[a], rest.high[a], rest.starts[a]
        while low <= high and rest.counts[start + low] == 0:
            low += 1
        while high > low and rest.counts[start + high] == 0:
            high -= 1
        rest.low[a], rest.high[a] = low, high
        if low >= high:
            continue
        first, last = space.grid[space.starts[a] + low], space.grid[space.starts[a] + high]
        width = spread(first, last, rest.many[a], rest.sums[a], rest.squares[a], space.category[a])
        # As in memory: rounding must not make one of equals the wider.
        if width > widest * (1 + 1e-9):
            best, widest = a, width
    return best


@njit(cache=True, nogil=True)
def _first_cut(rest: Rest, a: int, k: int) -> tuple[int, int]:
    """Return the last place of an attribute's first slice of at least k, and how many records that holds."""
    taken = np.int64(0)
    for place in range(rest.low[a], rest.high[a] + 1):
        taken += rest.counts[rest.starts[a] + place]
        if taken >= k:
            return place, taken
    # What is missing comes last, and belongs to the same slice as all else.
    return rest.high[a], rest.left[0]


@njit(cache=True, nogil=True)
def _take(rest: Rest, space: Space, chunks: Chunks, slices: Slices, a: int, last: int) -> None:
    """Move the tuples of an attribute's chunk up to a place to the slices, and off the counts."""
    attributes, at = space.known.shape[0], slices.used[0]
    i = chunks.next[a]
    while i < chunks.filled[a] and chunks.places[a, i, a] <= last:
        inside = True
        for b in range(attributes):
            # It went with a slice of another attribute.
            inside &= chunks.places[a, i, b] >= rest.floor[b]
        if inside:
            n = np.int64(chunks.counts[a, i])
            for b in range(attributes):
                place = np.int64(chunks.places[a, i, b])
                slices.places[at, b] = place
                rest.counts[rest.starts[b] + place] -= n
                if place < space.known[b]:
                    grid = space.grid[space.starts[b] + place]
                    rest.many[b] -= n
                    rest.sums[b] -= n * grid
                    rest.squares[b] -= n * grid * grid
            slices.counts[at], slices.keys[at] = chunks.counts[a, i], chunks.keys[a, i]
            at += 1
        i += 1
    chunks.next[a] = i
    slices.used[0] = at


@njit(cache=True, nogil=True)
def peel(rest: Rest, space: Space, chunks: Chunks, slices: Slices, k: int, fit: int) -> tuple[int, int, int]:
    """Cut slices off the rest until something is needed; return why, of which attribute, and up to which place.

    No more than `fit` records are held: neither the rest, nor a slice, nor all slices together may be more.
    """
    while True:
        left = rest.left[0]
        if left <= fit:
            return FITS, -1, -1
        a = _widest(rest, space) if left >= 2 * k else -1
        if a < 0:
            return DONE, -1, -1
        last, taken = _first_cut(rest, a, k)
        if left - taken < k:
            # Nor can any smaller part of it be cut here.
            rest.dead[a] = True
            continue
        if taken > fit:
            return LARGE, a, last
        if last > chunks.covered[a]:
            return CHUNK, a, last
        if slices.used[2] + taken > fit:
            return ROOM, -1, -1
        _take(rest, space, chunks, slices, a, last)
        rest.floor[a] = last + 1
        rest.left[0] -= taken
        slices.used[2] += taken
        slices.ends[slices.used[1]] = slices.used[0]
        slices.used[1] += 1
