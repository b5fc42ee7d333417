"""Which box a tuple is in, and how often each place occurs in a box."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Places = NDArray[np.int32]
Ints = NDArray[np.int64]


@njit(cache=True, nogil=True)
def box_of(places: Places, boxes: Places, into: NDArray[np.int32]) -> None:
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
def add_margins(
    places: Places, counts: Ints, which: NDArray[np.int32], boxes: Places, starts: Ints, margins: Ints
) -> None:
    """Add tuples to the counts of their boxes' places: those of box b, attribute a, lie from `starts[b, a]` on."""
    for i in range(places.shape[0]):
        b = which[i]
        if b >= 0:
            for a in range(places.shape[1]):
                margins[starts[b, a] + places[i, a] - boxes[b, a, 0]] += counts[i]
