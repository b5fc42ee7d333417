"""A tree over records that finds the one which raises a group's loss least, or lies farthest, without asking all.

Records with the same values are one point. Every node has a box around its points: the span of each number, the span of
each category's codes, the lowest common label of each hierarchy. What the box says of the loss is true of every point
in it, so a box that can't beat the best found is passed over whole. What is found is what asking every record would
find, ties included.
"""

from typing import NamedTuple

import numpy as np

from antifaz.kernels import Codes, Flags, Floats, Ints, Words
from antifaz.kernels.clustering import TINY, RecordArrays, State, distance, joined
from antifaz.kernels.compiling import njit

#: Nodes of at most so many points are not split.
LEAF = 8
#: Later than every place.
NEVER = np.iinfo(np.int64).max


class Nodes(NamedTuple):
    """The nodes; the first is the root, and children have consecutive numbers."""

    #: The points of a node, in the tree's order; the number of its first child (0 for none) and of its parent.
    start: Ints
    stop: Ints
    child: Ints
    parent: Ints
    #: Numbers: least, greatest, and whether any is missing.
    low: Floats
    high: Floats
    gap: Flags
    #: Categories: least and greatest code.
    least: Codes
    most: Codes
    #: Hierarchies: the level of the lowest common label, and a code under it.
    level: Codes
    place: Codes
    #: The kinds of the points, as bits (modulo 64).
    kinds: Words


class Points(NamedTuple):
    """The points in the tree's order, and which of their records are left."""

    #: The places of all records, point by point; of each point the next that is left, and where they end.
    queue: Ints
    next: Ints
    stop: Ints
    #: What a point is beside its attributes: searches can be limited to some kinds.
    kind: Ints
    leaf: Ints
    #: Per node: points with records left, and the first place of these.
    live: Ints
    first: Ints
    #: Room for the nodes still to look at, and their bounds.
    stack: Ints
    bounds: Floats


@njit(cache=True, nogil=True)
def build(table: RecordArrays, kind: Ints, nodes: Nodes, order: Ints) -> int:
    """Split the points, each node in two, down to few; return how many nodes there are.

    `order` comes as 0, 1, … and becomes the points in the tree's order. `nodes` has room for twice as many and one, and
    comes with zeros, no parent (-1), and numbers' spans empty (inf to -inf).
    """
    many = 1
    nodes.stop[0] = order.shape[0]
    for node in range(nodes.start.shape[0]):
        if node == many:
            break
        start, stop = nodes.start[node], nodes.stop[node]
        _box(table, nodes, node, order[start:stop], kind)
        if stop - start <= LEAF:
            continue
        cut = _cut(table, nodes, node, order[start:stop])
        if cut:
            nodes.child[node] = many
            nodes.start[many], nodes.stop[many] = start, start + cut
            nodes.start[many + 1], nodes.stop[many + 1] = start + cut, stop
            nodes.parent[many], nodes.parent[many + 1] = node, node
            many += 2
    return many


@njit(cache=True, nogil=True)
def _box(table: RecordArrays, nodes: Nodes, node: int, part: Ints, kind: Ints) -> None:
    """Note what all points of a node have in common."""
    nodes.least[node] = table.codes[part[0]]
    nodes.most[node] = table.codes[part[0]]
    nodes.place[node] = table.places[part[0]]
    for row in part:
        nodes.kinds[node] |= np.uint64(1) << np.uint64(kind[row] % 64)
        for a in range(table.numbers.shape[1]):
            number = table.numbers[row, a]
            if np.isnan(number):
                nodes.gap[node, a] = True
            else:
                nodes.low[node, a] = min(nodes.low[node, a], number)
                nodes.high[node, a] = max(nodes.high[node, a], number)
        for c in range(table.codes.shape[1]):
            nodes.least[node, c] = min(nodes.least[node, c], table.codes[row, c])
            nodes.most[node, c] = max(nodes.most[node, c], table.codes[row, c])
        for p in range(table.places.shape[1]):
            place, same, level = table.places[row, p], nodes.place[node, p], nodes.level[node, p]
            while table.up[p, level, place] != table.up[p, level, same]:
                level += 1
            nodes.level[node, p] = level


@njit(cache=True, nogil=True)
def _cut(table: RecordArrays, nodes: Nodes, node: int, part: Ints) -> int:  # noqa: C901 - three kinds of attributes
    """Part a node's points by the attribute that tells them apart most; return how many go left, 0 for no cut.

    Numbers and codes are parted in the middle of their span, what is missing right; of a hierarchy, one label below the
    common one goes left.
    """
    best, sort, at = 0.0, 0, 0
    for a in range(table.numbers.shape[1]):
        low, high = nodes.low[node, a], nodes.high[node, a]
        wide = table.full[a] if nodes.gap[node, a] else high - low
        if low <= high and 0.5 * wide > best:
            best, sort, at = 0.5 * wide, 0, a
    for c in range(table.codes.shape[1]):
        if nodes.least[node, c] < nodes.most[node, c] and table.unit[c] > best:
            best, sort, at = table.unit[c], 1, c
    for p in range(table.places.shape[1]):
        wide = 0.5 * table.penalty[p, nodes.level[node, p], nodes.place[node, p]]
        if nodes.level[node, p] and wide > best:
            best, sort, at = wide, 2, p
    left, right = 0, part.shape[0]
    while best > 0.0 and left < right:
        row = part[left]
        if sort == 0:
            low, high = nodes.low[node, at], nodes.high[node, at]
            goes = table.numbers[row, at] <= (high if nodes.gap[node, at] else low + 0.5 * (high - low))
        elif sort == 1:
            goes = 2 * table.codes[row, at] < nodes.least[node, at] + nodes.most[node, at]
        else:
            below = nodes.level[node, at] - 1
            goes = table.up[at, below, table.places[row, at]] == table.up[at, below, nodes.place[node, at]]
        if goes:
            left += 1
        else:
            right -= 1
            part[left], part[right] = part[right], row
    return left


@njit(cache=True, nogil=True)
def settle(nodes: Nodes, points: Points) -> None:
    """Count what is left in every node, from the leaves up."""
    for node in range(nodes.start.shape[0] - 1, -1, -1):
        if not nodes.child[node]:
            points.leaf[nodes.start[node] : nodes.stop[node]] = node
        _count(nodes, points, node)


@njit(cache=True, nogil=True)
def _count(nodes: Nodes, points: Points, node: int) -> None:
    live, first, child = 0, NEVER, nodes.child[node]
    if child:
        live = points.live[child] + points.live[child + 1]
        first = min(points.first[child], points.first[child + 1])
    else:
        for point in range(nodes.start[node], nodes.stop[node]):
            if points.next[point] < points.stop[point]:
                live += 1
                first = min(first, points.queue[points.next[point]])
    points.live[node], points.first[node] = live, first


@njit(cache=True, nogil=True)
def shift(nodes: Nodes, points: Points, point: int, by: int) -> int:
    """Take the next record of a point (`by` = 1), or put the last taken back (-1); return its place."""
    place = points.queue[points.next[point] - (by < 0)]
    points.next[point] += by
    node = points.leaf[point]
    while node >= 0:
        _count(nodes, points, node)
        node = nodes.parent[node]
    return int(place)


@njit(cache=True, nogil=True)
def _rise(table: RecordArrays, state: State, nodes: Nodes, node: int, limit: float) -> float:  # noqa: C901 - three kinds
    """No point of the node gives the group a lower loss than this."""
    loss = 0.0
    for a in range(table.numbers.shape[1]):
        low, high = state.low[a], state.high[a]
        if state.gap[a]:
            loss += table.full[a] if low < np.inf or not nodes.gap[node, a] else 0.0
        elif nodes.gap[node, a]:
            loss += high - low
        else:
            loss += max(high, nodes.low[node, a]) - min(low, nodes.high[node, a])
    for c in range(table.codes.shape[1]):
        if loss > limit:
            return loss
        least, most = nodes.least[node, c], nodes.most[node, c]
        more = 1
        if least == most:
            more = 0 if state.seen[c, least] == state.token[0] else 1
        else:
            for j in range(state.distinct[c]):
                if least <= state.held[c, j] <= most:
                    more = 0
                    break
        if state.hole[c] and state.distinct[c] + more > 1:
            loss += table.whole[c]
        else:
            loss += (state.distinct[c] + more - 1) * table.unit[c]
    for p in range(table.places.shape[1]):
        place, under, level = nodes.place[node, p], state.under[p], state.level[p]
        high_up = max(level, nodes.level[node, p])
        if nodes.level[node, p] and table.up[p, high_up, place] == table.up[p, high_up, under]:
            place = under
        while table.up[p, level, place] != table.up[p, level, under]:
            level += 1
        loss += table.penalty[p, level, place]
    return loss


@njit(cache=True, nogil=True)
def _away(table: RecordArrays, nodes: Nodes, node: int, row: int, strict: bool, far: bool) -> float:
    """No point of the node lies nearer to a record than this; with `far`, none lies farther."""
    apart = 0.0
    for a in range(table.numbers.shape[1]):
        number, low, high = table.numbers[row, a], nodes.low[node, a], nodes.high[node, a]
        if np.isnan(number) or nodes.gap[node, a]:
            apart += table.full[a] if far or (np.isnan(number) and not nodes.gap[node, a]) else 0.0
        elif far:
            apart += max(abs(number - low), abs(high - number))
        else:
            apart += max(low - number, number - high, 0.0)
    for c in range(table.codes.shape[1]):
        least, most, code = nodes.least[node, c], nodes.most[node, c], table.codes[row, c]
        if least == most == code or (not far and least <= code <= most):
            continue
        blank = table.blank[c] == code or (table.blank[c] == most and (far or least == most))
        apart += table.whole[c] if strict or blank else table.unit[c]
    for p in range(table.places.shape[1]):
        place, under, top = nodes.place[node, p], table.places[row, p], nodes.level[node, p]
        level = 0
        if top and table.up[p, top, place] == table.up[p, top, under]:
            level = top if far else 0
            place = place if far else under
        while table.up[p, level, place] != table.up[p, level, under]:
            level += 1
        apart += table.penalty[p, level, place]
    return apart


@njit(cache=True, nogil=True)
def cheapest(  # noqa: C901, PLR0915 - a kernel: parts of it would be compiled anew in each
    table: RecordArrays, state: State, nodes: Nodes, points: Points, seed: int, near: bool, allowed: Flags
) -> int:
    """Return the point that gives the group the lowest loss; of several the one whose record comes first.

    With `near`, of several the one nearest to the point `seed`, then the first. Only kinds that are allowed count; -1
    if there is none.
    """
    wanted = np.uint64(0)
    for kind in range(allowed.shape[0]):
        if allowed[kind]:
            wanted |= np.uint64(1) << np.uint64(kind % 64)
    best, away, place, at = np.inf, np.inf, NEVER, -1
    stack, bounds = points.stack, points.bounds
    stack[0], bounds[0], top = 0, 0.0, 1
    while top:
        top -= 1
        node, bound = stack[top], bounds[top]
        if bound > best + TINY:
            continue
        if bound >= best - TINY:
            # It can only tie: is what decides then worse, too?
            if near:
                apart = _away(table, nodes, node, seed, True, False)
                if apart > away + TINY or (apart >= away - TINY and points.first[node] > place):
                    continue
            elif points.first[node] > place:
                continue
        child = nodes.child[node]
        if child:
            one, other = child, child + 1
            a = _rise(table, state, nodes, one, best + TINY) if points.live[one] else np.inf
            b = _rise(table, state, nodes, other, best + TINY) if points.live[other] else np.inf
            if b < a - TINY or (b <= a + TINY and points.first[other] < points.first[one]):
                one, other, a, b = other, one, b, a
            if b <= best + TINY and nodes.kinds[other] & wanted:
                stack[top], bounds[top] = other, b
                top += 1
            if a <= best + TINY and nodes.kinds[one] & wanted:
                stack[top], bounds[top] = one, a
                top += 1
            continue
        for point in range(nodes.start[node], nodes.stop[node]):
            if points.next[point] == points.stop[point] or not allowed[points.kind[point]]:
                continue
            loss = joined(table, state, point, best + 2 * TINY)
            if loss > best + TINY:
                continue
            here = points.queue[points.next[point]]
            apart = distance(table, point, seed, table.whole) if near else 0.0
            if loss >= best - TINY and (apart > away + TINY or (apart >= away - TINY and here > place)):
                continue
            best, away, place, at = min(loss, best), apart, here, point
    return at


@njit(cache=True, nogil=True)
def farthest(table: RecordArrays, nodes: Nodes, points: Points, last: int) -> int:
    """Return the point farthest from a record of the table; of several the one whose record comes first."""
    best, place, at = -1.0, NEVER, -1
    stack, bounds = points.stack, points.bounds
    stack[0], bounds[0], top = 0, np.inf, 1
    while top:
        top -= 1
        node, bound = stack[top], bounds[top]
        if bound < best - TINY or (bound <= best + TINY and points.first[node] > place) or not points.live[node]:
            continue
        child = nodes.child[node]
        if child:
            one, other = child, child + 1
            a, b = _away(table, nodes, one, last, False, True), _away(table, nodes, other, last, False, True)
            if b > a:
                one, other, a, b = other, one, b, a
            stack[top], bounds[top] = other, b
            stack[top + 1], bounds[top + 1] = one, a
            top += 2
            continue
        for point in range(nodes.start[node], nodes.stop[node]):
            if points.next[point] == points.stop[point]:
                continue
            apart = distance(table, point, last, table.unit)
            here = points.queue[points.next[point]]
            if apart > best + TINY or (apart >= best - TINY and here < place):
                best, place, at = max(apart, best), here, point
    return at
