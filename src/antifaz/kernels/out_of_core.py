"""Mondrian by distribution where a part does not fit in memory: slices come off its counts.

The rest of a sliced part is a box: in every attribute all places from a floor on, with what is missing. How often each
place occurs in the rest says which attribute is widest and where its first cut is; the records of a slice are needed
only to take them off the counts of the other attributes. They come in chunks: per attribute the tuples that are next in
its order. Ranks are places here; see `kernels.mondrian` for the rest of the words.
"""

from typing import NamedTuple

import numpy as np

from antifaz.kernels import Codes, Ints
from antifaz.kernels.compiling import njit
from antifaz.kernels.distribution_split import Moments, subtract, widest
from antifaz.kernels.mondrian import Space

#: Why slicing stopped: nothing more can be cut; the rest fits; a chunk, or more room, is needed; a slice is too large.
DONE, FITS, CHUNK, ROOM, LARGE = 0, 1, 2, 3, 4


class Remainder(NamedTuple):
    """What is left of a part: counts that are kept up to date as slices come off."""

    #: `counts[starts[a] + place]`: how many records of the remainder are there.
    counts: Ints
    starts: Ints
    floor: Ints
    moments: Moments
    #: One number: how many records are left.
    left: Ints


class Chunks(NamedTuple):
    """Per attribute the tuples that are next in its order."""

    #: `places[a, i]` are the places of tuple i of attribute a's chunk, `counts[a, i]` its records.
    places: Codes
    counts: Codes
    keys: Codes
    #: Up to which place the chunk holds everything; how many tuples it holds; which comes next.
    covered: Ints
    filled: Ints
    next: Ints


class Slices(NamedTuple):
    """Room for the slices that came off: tuples one after another, and where each slice ends."""

    places: Codes
    counts: Codes
    keys: Codes
    ends: Ints
    #: How many tuples, slices and records there are.
    used: Ints


@njit(cache=True, nogil=True)
def take_counts(rest: Remainder, space: Space, a: int, first: int, gone: Ints) -> None:
    """Take so many records at the places from `first` on off an attribute's counts and sums."""
    moments = rest.moments
    for i in range(gone.shape[0]):
        place = first + i
        rest.counts[rest.starts[a] + place] -= gone[i]
        if place < space.known[a]:
            at = space.grid[space.starts[a] + place]
            moments.many[a] -= gone[i]
            moments.sums[a] -= gone[i] * at
            moments.squares[a] -= gone[i] * at * at


@njit(cache=True, nogil=True)
def _trim(rest: Remainder) -> None:
    """Bring the ends of all attributes that may be cut up to date."""
    moments = rest.moments
    for a in range(moments.low.shape[0]):
        if moments.dead[a]:
            continue
        low, high, start = moments.low[a], moments.high[a], rest.starts[a]
        while low <= high and rest.counts[start + low] == 0:
            low += 1
        while high > low and rest.counts[start + high] == 0:
            high -= 1
        moments.low[a], moments.high[a] = low, high


@njit(cache=True, nogil=True)
def _first_cut(rest: Remainder, a: int, k: int) -> tuple[int, int]:
    """Return the last place of an attribute's first slice of at least k, and how many records that holds."""
    taken = np.int64(0)
    for place in range(rest.moments.low[a], rest.moments.high[a] + 1):
        taken += rest.counts[rest.starts[a] + place]
        if taken >= k:
            return place, taken
    # What is missing comes last, and belongs to the same slice as all else.
    return rest.moments.high[a], rest.left[0]


@njit(cache=True, nogil=True)
def _take(rest: Remainder, space: Space, chunks: Chunks, slices: Slices, a: int, last: int) -> None:
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
            slices.counts[at], slices.keys[at] = chunks.counts[a, i], chunks.keys[a, i]
            at += 1
        i += 1
    chunks.next[a] = i
    subtract(rest.moments, space, slices.places[slices.used[0] : at], slices.counts[slices.used[0] : at])
    slices.used[0] = at


@njit(cache=True, nogil=True)
def cut_slices(rest: Remainder, space: Space, chunks: Chunks, slices: Slices, k: int, fit: int) -> tuple[int, int, int]:
    """Cut slices off the rest until something is needed; return why, of which attribute, and up to which place.

    No more than `fit` records are held: neither the rest, nor a slice, nor all slices together may be more.
    """
    while True:
        left = rest.left[0]
        if left <= fit:
            return FITS, -1, -1
        a = -1
        if left >= 2 * k:
            _trim(rest)
            a = widest(rest.moments, space)
        if a < 0:
            return DONE, -1, -1
        last, taken = _first_cut(rest, a, k)
        if left - taken < k:
            # Nor can any smaller part of it be cut here.
            rest.moments.dead[a] = True
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


@njit(cache=True, nogil=True)
def box_of(places: Codes, boxes: Codes, into: Codes) -> None:
    """Find for each tuple the box that it is in, -1 for none; `boxes[b, a]` are the ends of attribute a, inside.

    No tuple is in two of them, so the search may begin with the box that was found last: neighbours are often alike.
    """
    last, many = 0, boxes.shape[0]
    for i in range(places.shape[0]):
        into[i] = -1
        for step in range(many):
            b = last + step
            if b >= many:
                b -= many
            inside = True
            for a in range(places.shape[1]):
                if places[i, a] < boxes[b, a, 0] or places[i, a] > boxes[b, a, 1]:
                    inside = False
                    break
            if inside:
                into[i] = last = b
                break


@njit(cache=True, nogil=True)
def add_margins(places: Codes, counts: Ints, which: Codes, boxes: Codes, starts: Ints, margins: Ints) -> None:
    """Add tuples to the counts of their boxes' places: those of box b, attribute a, lie from `starts[b, a]` on."""
    for i in range(places.shape[0]):
        b = which[i]
        if b >= 0:
            for a in range(places.shape[1]):
                margins[starts[b, a] + places[i, a] - boxes[b, a, 0]] += counts[i]
