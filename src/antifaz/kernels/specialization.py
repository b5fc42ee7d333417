"""Partitions that are refined step by step: each class a stretch of one ordering of the tuples.

A class has one node per attribute. What a step down would do to it, the size of the smallest part that it would fall
into, is kept per class and attribute, and weighed again only for classes that were split. Nodes are numbered through
all attributes. `codes[a, t]` is the code of tuple t, `at[a, code]` the node at which a code is now, `below[a, code]`
the node one step down (the same where there is none). `room` is a workspace of zeros, one per node, and is zero again
after every call.
"""

import numpy as np

from antifaz.kernels import Codes, Flags, Ints, Words
from antifaz.kernels.compiling import njit


@njit(cache=True, nogil=True)
def weigh(
    classes: Ints,
    order: Ints,
    begin: Ints,
    end: Ints,
    counts: Ints,
    codes: Codes,
    at: Codes,
    below: Codes,
    room: Ints,
    held: Codes,
    lowest: Ints,
) -> None:
    """Note of some classes the node they hold per attribute, and the smallest part one step down."""
    for i in range(classes.shape[0]):
        c = classes[i]
        for a in range(codes.shape[0]):
            held[c, a] = at[a, codes[a, order[begin[c]]]]
            for p in range(begin[c], end[c]):
                t = order[p]
                room[below[a, codes[a, t]]] += counts[t]
            least = np.int64(-1)
            for p in range(begin[c], end[c]):
                node = below[a, codes[a, order[p]]]
                if room[node] > 0:
                    if least < 0 or room[node] < least:
                        least = room[node]
                    room[node] = 0
            lowest[c, a] = least


@njit(cache=True, nogil=True)
def _divide(stretch: Ints, nodes: Codes, codes: Codes, room: Ints, names: Ints, scratch: Ints) -> int:
    """Put the tuples of one class in order by their node; return the number of parts.

    Afterwards the first places of `scratch` hold where each part ends. Parts are in the order of their first tuple, and
    the tuples of a part stay in theirs.
    """
    parts = 0
    for p in range(stretch.shape[0]):
        node = nodes[codes[stretch[p]]]
        if room[node] == 0:
            names[parts] = node
            parts += 1
        room[node] += 1
    place = 0
    for i in range(parts):
        tuples = room[names[i]]
        room[names[i]] = place
        place += tuples
    for p in range(stretch.shape[0]):
        node = nodes[codes[stretch[p]]]
        scratch[room[node]] = stretch[p]
        room[node] += 1
    stretch[:] = scratch[: stretch.shape[0]]
    for i in range(parts):
        scratch[i] = room[names[i]]
        room[names[i]] = 0
    return parts


@njit(cache=True, nogil=True)
def split(
    a: int,
    chosen: Flags,
    classes: int,
    order: Ints,
    begin: Ints,
    end: Ints,
    sizes: Ints,
    counts: Ints,
    codes: Codes,
    below: Codes,
    held: Codes,
    room: Ints,
    names: Ints,
    scratch: Ints,
    touched: Ints,
) -> tuple[int, int]:
    """Split every class that holds a chosen node of attribute a; return how many classes there are and were touched.

    `names` has a place per node, `scratch` one per tuple; `touched` receives the classes that changed or are new.
    """
    now, changed = classes, 0
    for c in range(classes):
        if not chosen[held[c, a]]:
            continue
        first = begin[c]
        parts = _divide(order[first : end[c]], below[a], codes[a], room, names, scratch)
        place = first
        for i in range(parts):
            part = c if i == 0 else now
            now += i > 0
            begin[part], end[part] = place, first + scratch[i]
            sizes[part] = 0
            for p in range(place, end[part]):
                sizes[part] += counts[order[p]]
            place = end[part]
            touched[changed] = part
            changed += 1
    return now, changed


@njit(cache=True, nogil=True)
def survey(classes: int, held: Codes, lowest: Ints, sizes: Ints, parts: Ints, wholes: Ints) -> None:
    """Write per node the smallest part that its classes fall into one step down, and the smallest of its classes."""
    for c in range(classes):
        for a in range(held.shape[1]):
            node = held[c, a]
            parts[node] = min(parts[node], lowest[c, a])
            wholes[node] = min(wholes[node], sizes[c])


@njit(cache=True, nogil=True)
def assign_partitions(hashes: Words, counts: Ints, out: Ints) -> None:
    """Assign the records of each cell to partitions: record j goes to mix(hash + j) modulo their number."""
    partitions = np.uint64(out.shape[1])
    for i in range(counts.shape[0]):
        for j in range(counts[i]):
            mixed = hashes[i] + np.uint64(j) * np.uint64(0x9E3779B97F4A7C15)
            mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            mixed ^= mixed >> np.uint64(31)
            out[i, np.int64(mixed % partitions)] += 1
