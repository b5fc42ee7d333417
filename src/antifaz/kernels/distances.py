"""Distances between the distribution of a class and that of the whole table."""

import numpy as np

from antifaz.kernels import Codes, Floats, Ints
from antifaz.kernels.compiling import njit


@njit(cache=True, nogil=True)
def ordered_distances(offsets: Ints, values: Codes, counts: Ints, whole: Floats, out: Floats) -> None:
    """Earth mover's distance per class where moving from one value to the next costs 1/(m - 1).

    Values are codes in their order; `whole` is the share of each in the table.
    """
    m = whole.shape[0]
    here = np.zeros(m, np.float64)
    for c in range(offsets.shape[0] - 1):
        here[:] = 0.0
        size = 0
        for i in range(offsets[c], offsets[c + 1]):
            here[values[i]] = counts[i]
            size += counts[i]
        moved, carried = 0.0, 0.0
        for v in range(m - 1):
            carried += here[v] / size - whole[v]
            moved += abs(carried)
        out[c] = moved / max(m - 1, 1)


@njit(cache=True, nogil=True)
def hierarchical_distances(
    offsets: Ints, values: Codes, counts: Ints, whole: Floats, parents: Codes, starts: Ints, out: Floats
) -> None:
    """Earth mover's distance per class where moving mass below a common ancestor at height h of H costs h/H.

    `parents[starts[h] + node]` is the parent, at height h + 1, of a node at height h. From the leaves up, what siblings
    have too much and too little is settled at their parent; the rest is carried further.
    """
    height, widest = starts.shape[0] - 1, whole.shape[0]
    extra, above = np.zeros(widest), np.zeros(widest)
    surplus, deficit = np.zeros(widest), np.zeros(widest)
    for c in range(offsets.shape[0] - 1):
        size = 0
        extra[:] = -whole
        for i in range(offsets[c], offsets[c + 1]):
            size += counts[i]
        for i in range(offsets[c], offsets[c + 1]):
            extra[values[i]] += counts[i] / size
        cost = 0.0
        for h in range(height):
            nodes = starts[h + 1] - starts[h]
            above[:] = 0.0
            surplus[:] = 0.0
            deficit[:] = 0.0
            for n in range(nodes):
                p = parents[starts[h] + n]
                above[p] += extra[n]
                if extra[n] > 0:
                    surplus[p] += extra[n]
                else:
                    deficit[p] -= extra[n]
            for n in range(widest):
                cost += (h + 1) / height * min(surplus[n], deficit[n])
            extra[:] = above
        out[c] = cost
