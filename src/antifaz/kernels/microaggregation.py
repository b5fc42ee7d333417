"""Microaggregation: groups of at least k records that lie close together.

Distances are squared and weighted: Σ w·(x - y)². Differences are taken of the values as they are, never of values
divided beforehand, because whole numbers that tie would no longer tie after a division.
"""

import numpy as np

from antifaz.kernels import Floats, Ints
from antifaz.kernels.compiling import njit

#: Up to this k the nearest are held in a short sorted list; beyond it, inserting would cost more than partitioning.
FEW = 64


@njit(cache=True, nogil=True)
def _measure(columns: Floats, weights: Floats, left: int, point: Floats, out: Floats) -> None:
    """Write the distance of every row that is left to a point.

    Column by column: the inner loop runs over neighbours in memory, whatever the number of columns.
    """
    for i in range(left):
        out[i] = 0.0
    for c in range(columns.shape[0]):
        column, here, weight = columns[c], point[c], weights[c]
        for i in range(left):
            gap = column[i] - here
            out[i] += weight * gap * gap


@njit(cache=True, nogil=True)
def _centroid(columns: Floats, left: int, out: Floats) -> None:
    for c in range(columns.shape[0]):
        total = 0.0
        for i in range(left):
            total += columns[c, i]
        out[c] = total / left


@njit(cache=True, nogil=True)
def _farthest(distances: Floats, left: int) -> int:
    """Return the row with the greatest distance; of equals the lowest."""
    best = 0
    for i in range(1, left):
        if distances[i] > distances[best]:
            best = i
    return best


@njit(cache=True, nogil=True)
def _nearest_few(distances: Floats, left: int, chosen: Ints) -> None:
    """Write the rows with the least distances; of equals the higher rows.

    Going down from the last row, a row gets in only by being strictly nearer than the worst, and goes behind its
    equals: so of equals the higher rows come first and the lowest is the first to go.
    """
    k = chosen.shape[0]
    best = np.full(k, np.inf)
    for i in range(left - 1, -1, -1):
        distance = distances[i]
        if distance < best[k - 1]:
            at = k - 1
            while at > 0 and best[at - 1] > distance:
                best[at] = best[at - 1]
                chosen[at] = chosen[at - 1]
                at -= 1
            best[at] = distance
            chosen[at] = i


@njit(cache=True, nogil=True)
def _nearest(distances: Floats, left: int, chosen: Ints) -> None:
    """Do the same as `_nearest_few` for any number of rows."""
    k = chosen.shape[0]
    if k <= FEW:
        _nearest_few(distances, left, chosen)
        return
    cut = np.partition(distances[:left], k - 1)[k - 1]
    held = 0
    for i in range(left):
        if distances[i] < cut:
            chosen[held] = i
            held += 1
    i = left - 1
    while held < k:
        if distances[i] == cut:
            chosen[held] = i
            held += 1
        i -= 1


@njit(cache=True, nogil=True)
def _drop(columns: Floats, rows: Ints, left: int, gone: Ints) -> int:
    """Close the gaps of the rows that are gone, keeping the order of the others; return how many are left."""
    order = np.sort(gone)
    last = len(order)
    for g in range(last):
        stop = order[g + 1] if g + 1 < last else left
        shift = g + 1
        for i in range(order[g] + 1, stop):
            rows[i - shift] = rows[i]
        for c in range(columns.shape[0]):
            column = columns[c]
            for i in range(order[g] + 1, stop):
                column[i - shift] = column[i]
    return left - last


@njit(cache=True, nogil=True)
def mdav_groups(columns: Floats, weights: Floats, k: int, groups: Ints) -> int:
    """Group rows by MDAV (maximum distance to average vector) and return the number of groups.

    `columns` has a line per column and is used up; `groups[i]` becomes the group of row i. While 2k rows are left:
    the row farthest from their centroid and its k - 1 nearest are a group; and if 3k were left, so are the k nearest,
    of the others, to the row that is farthest from the first. The last k to 2k - 1 rows are one group.
    """
    width, left = columns.shape
    rows = np.arange(left)
    distances = np.empty(left, np.float64)
    first = np.empty(width, np.float64)
    second = np.empty(width, np.float64)
    chosen = np.empty(2 * k, np.int64)
    made = 0
    while left >= 2 * k:
        _centroid(columns, left, first)
        _measure(columns, weights, left, first, distances)
        seed = _farthest(distances, left)
        first[:] = columns[:, seed]
        _measure(columns, weights, left, first, distances)
        # Measured before anyone is taken away; only the place of that row matters from here on.
        second[:] = columns[:, _farthest(distances, left)]
        # A seed is its own nearest, however many rows are the same.
        distances[seed] = -1.0
        _nearest(distances, left, chosen[:k])
        many = k
        if left >= 3 * k:
            _measure(columns, weights, left, second, distances)
            for c in range(k):
                distances[chosen[c]] = np.inf
            _nearest(distances, left, chosen[k:])
            many = 2 * k
        for c in range(many):
            groups[rows[chosen[c]]] = made + c // k
        made += many // k
        left = _drop(columns, rows, left, chosen[:many])
    for i in range(left):
        groups[rows[i]] = made
    return made + 1 if left > 0 else made


@njit(cache=True, nogil=True)
def optimal_groups(ordered: Floats, k: int, groups: Ints) -> int:
    """Group sorted numbers with the least sum of squares within groups; return the number of groups.

    The shortest path of Hansen and Mukherjee: in the best grouping every group is a run of k to 2k - 1 numbers, so
    the best for the first `end` numbers follows from the best for fewer. Of equally good groupings the last group is
    the smallest. Squares are of gaps to the group's last number: sums over the whole column would lose the digits
    that matter.
    """
    n = ordered.shape[0]
    best = np.full(n + 1, np.inf)
    best[0] = 0.0
    sizes = np.zeros(n + 1, np.int64)
    for end in range(k, n + 1):
        top, total, squares = ordered[end - 1], 0.0, 0.0
        for size in range(1, min(2 * k - 1, end) + 1):
            gap = top - ordered[end - size]
            total += gap
            squares += gap * gap
            if size >= k:
                cost = best[end - size] + max(squares - total * total / size, 0.0)
                if cost < best[end]:
                    best[end] = cost
                    sizes[end] = size
    made = 0
    end = n
    while end > 0:
        groups[end - sizes[end] : end] = made
        end -= sizes[end]
        made += 1
    for i in range(n):
        groups[i] = made - 1 - groups[i]
    return made
