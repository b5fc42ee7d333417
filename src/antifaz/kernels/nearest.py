"""How many points lie nearer than a known one: a tree of boxes, asked with a distance at hand.

Whoever links records need not search the nearest ones: it is enough to count who lies nearer than the record's own,
and to stop as soon as there are too many. A distance is a sum over columns of a gap (`power` 1) or its square (2); a
category adds 1 if it differs. A missing value is 0 from a missing one and 1 from any other. Numbers are scaled before.
"""

import numpy as np

from antifaz.kernels import Flags, Floats, Ints
from antifaz.kernels.compiling import njit

#: The points in the order of boxes; and of each box its place, its corners and how many values are missing by column.
Tree = tuple[Ints, Ints, Floats, Floats, Ints]

#: Boxes with no more points than this are not split.
LEAF = 12


@njit(cache=True, nogil=True)
def _gap(x: float, y: float, category: bool, power: int) -> float:
    """Return what one column adds to a distance."""
    if np.isnan(x) or np.isnan(y):
        return 0.0 if np.isnan(x) and np.isnan(y) else 1.0
    if category:
        return 0.0 if x == y else 1.0
    gap = abs(x - y)
    return gap * gap if power == 2 else gap


@njit(cache=True, nogil=True)
def distance(points: Floats, i: int, others: Floats, j: int, category: Flags, power: int) -> float:
    """Return the distance between a row of one table and a row of another, before any root."""
    total = 0.0
    for c in range(points.shape[1]):
        total += _gap(points[i, c], others[j, c], category[c], power)
    return total


@njit(cache=True, nogil=True)
def _enclose(points: Floats, order: Ints, start: int, stop: int, low: Floats, high: Floats, holes: Ints) -> None:
    """Write the box around some points: the least and greatest value, and how many are missing, by column."""
    low[:] = np.inf
    high[:] = -np.inf
    holes[:] = 0
    for at in range(start, stop):
        row = order[at]
        for c in range(points.shape[1]):
            value = points[row, c]
            if np.isnan(value):
                holes[c] += 1
            else:
                low[c] = min(low[c], value)
                high[c] = max(high[c], value)


@njit(cache=True, nogil=True)
def _key(value: float) -> float:
    """Return what a value is sorted by; missing ones come first."""
    return -np.inf if np.isnan(value) else value


@njit(cache=True, nogil=True)
def _middle(points: Floats, order: Ints, start: int, stop: int, column: int) -> float:
    """Return the middle value of a column (quickselect)."""
    middle, first, last = (start + stop) // 2, start, stop - 1
    while first < last:
        pivot = _key(points[order[(first + last) // 2], column])
        i, j = first, last
        while i <= j:
            while _key(points[order[i], column]) < pivot:
                i += 1
            while _key(points[order[j], column]) > pivot:
                j -= 1
            if i <= j:
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if middle <= j:
            last = j
        elif middle >= i:
            first = i
        else:
            break
    return float(_key(points[order[middle], column]))


@njit(cache=True, nogil=True)
def _split(points: Floats, order: Ints, start: int, stop: int, column: int) -> int:
    """Put lesser values of a column before greater ones; return where these begin, as near to the middle as can be.

    Equal values stay together: so the points of a group that is all the same end in one box, which is one step.
    """
    value = _middle(points, order, start, stop, column)
    below, at, above = start, start, stop
    while at < above:
        key = _key(points[order[at], column])
        if key < value:
            order[below], order[at] = order[at], order[below]
            below += 1
            at += 1
        elif key > value:
            above -= 1
            order[above], order[at] = order[at], order[above]
        else:
            at += 1
    half = (start + stop) // 2
    return below if above == stop or (below > start and half - below <= above - half) else above


@njit(cache=True, nogil=True)
def _widest(low: Floats, high: Floats, holes: Ints, size: int, category: Flags) -> int:
    """Return the column in which the points of a box differ most, or -1 if they are all the same."""
    widest, best = -1, 0.0
    for c in range(low.shape[0]):
        width = max(high[c] - low[c], 0.0)
        if (category[c] and width > 0) or 0 < holes[c] < size:
            width = max(width, 1.0)
        if width > best:
            widest, best = c, width
    return widest


@njit(cache=True, nogil=True)
def boxes(points: Floats, category: Flags) -> Tree:
    """Build the tree: the points in the order of boxes, and of each box its place, corners and missing values.

    A box's place is where its points start and stop, and its first half (-1: not split); the second half follows.
    """
    size, width = points.shape
    order = np.arange(size)
    room = 4 * (size // LEAF) + 8
    places = np.empty((room, 3), np.int64)
    low, high = np.empty((room, width)), np.empty((room, width))
    holes = np.empty((room, width), np.int64)
    places[0, 0], places[0, 1] = 0, size
    made, b = 1, 0
    while b < made:
        start, stop = places[b, 0], places[b, 1]
        places[b, 2] = -1
        _enclose(points, order, start, stop, low[b], high[b], holes[b])
        column = _widest(low[b], high[b], holes[b], stop - start, category) if stop - start > LEAF else -1
        if column >= 0:
            cut = _split(points, order, start, stop, column)
            if made + 2 > room:
                places, low = np.concatenate((places, places)), np.concatenate((low, low))
                high, holes = np.concatenate((high, high)), np.concatenate((holes, holes))
                room = 2 * room
            places[b, 2] = made
            places[made, 0], places[made, 1] = start, cut
            places[made + 1, 0], places[made + 1, 1] = cut, stop
            made += 2
        b += 1
    return order, places, low, high, holes


@njit(cache=True, nogil=True)
def _reach(
    point: Floats, low: Floats, high: Floats, holes: Ints, size: int, category: Flags, power: int
) -> tuple[float, float]:
    """Return between which distances all points of a box lie."""
    least, most = 0.0, 0.0
    for c in range(point.shape[0]):
        value = point[c]
        if np.isnan(value):
            least += 0.0 if holes[c] > 0 else 1.0
            most += 0.0 if holes[c] == size else 1.0
            continue
        if holes[c] == size:
            least += 1.0
            most += 1.0
            continue
        inside = low[c] <= value <= high[c]
        if category[c]:
            least += 0.0 if inside else 1.0
            most += 0.0 if low[c] == high[c] == value and holes[c] == 0 else 1.0
            continue
        near = 0.0 if inside else min(abs(value - low[c]), abs(value - high[c]))
        far = max(abs(value - low[c]), abs(value - high[c]))
        if power == 2:
            near, far = near * near, far * far
        least += min(near, 1.0) if holes[c] > 0 else near
        most += max(far, 1.0) if holes[c] > 0 else far
    return least, most


@njit(cache=True, nogil=True)
def _least(point: Floats, b: int, tree: Tree, category: Flags, power: int) -> float:
    _, places, low, high, holes = tree
    return float(_reach(point, low[b], high[b], holes[b], places[b, 1] - places[b, 0], category, power)[0])


@njit(cache=True, nogil=True)
def count_nearer(
    points: Floats,
    others: Floats,
    category: Flags,
    power: int,
    enough: int,
    near: Floats,
    far: Floats,
    tree: Tree,
    nearer: Ints,
    equal: Ints,
) -> None:
    """Count, for each of `others`, the points nearer than `near` and those from `near` to `far`.

    Once `enough` are nearer, counting stops: the exact numbers no longer matter.
    """
    order, places, low, high, holes = tree
    # A split halves a box, or leaves a part that is the same in one more column.
    stack = np.empty(128 + points.shape[1], np.int64)
    for i in range(others.shape[0]):
        inner, outer = near[i], far[i]
        closer, same, top = 0, 0, 1
        stack[0] = 0
        while top > 0 and closer < enough:
            top -= 1
            b = stack[top]
            start, stop, half = places[b]
            least, most = _reach(others[i], low[b], high[b], holes[b], stop - start, category, power)
            if least > outer:
                continue
            if most < inner:
                closer += stop - start
            elif least >= inner and most <= outer:
                same += stop - start
            elif half >= 0:
                # The nearer half first: who lies nearer is found, and the search ended, sooner.
                one = _least(others[i], half, tree, category, power)
                two = _least(others[i], half + 1, tree, category, power)
                swap = 1 if two < one else 0
                stack[top], stack[top + 1] = half + 1 - swap, half + swap
                top += 2
            else:
                for at in range(start, stop):
                    reached = distance(others, i, points, order[at], category, power)
                    if reached < inner:
                        closer += 1
                    elif reached <= outer:
                        same += 1
        nearer[i], equal[i] = closer, same
