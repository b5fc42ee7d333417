"""What it costs at least that some records are left out: bounds of a node of a lattice and of all nodes below it."""

from functools import reduce

import numpy as np

from antifaz.kernels import Flags, Floats, Ints, Words
from antifaz.kernels.compiling import njit
from antifaz.kernels.grouping import kept_marginals

#: How the parts of the attributes become one bound.
GEOMETRIC_MEAN, MEAN, SUM, LARGEST = 0, 1, 2, 3
#: Losses may be cut to ten decimals, so a bound must stay below what was counted by more than that.
_SLACK = 1e-9


@njit(cache=True, nogil=True)
def least_parts(
    keys: Words, counts: Ints, out: Flags, word: Ints, shift: Words, field: Words, starts: Ints,
    node: Ints, parts: Floats, tables: Ints, added: Floats,
) -> Floats:  # fmt: skip
    """Return, per attribute and level up to the node's, its part of a bound where the classes `out` are left out.

    `parts[a, level]` are the parts with nobody left out; `starts` says where the labels of an attribute begin, one more
    than attributes; `added[tables[a] + level * labels + label]` is what a record adds that has a label at the node.
    """
    gone = np.zeros(starts[-1], np.int64)
    kept_marginals(keys, counts, out, word, shift, field, starts, gone)
    least = parts.copy()
    for a in range(node.shape[0]):
        labels = starts[a + 1] - starts[a]
        for level in range(node[a] + 1):
            total, at = -_SLACK, tables[a] + level * labels
            for label in range(labels):
                total += gone[starts[a] + label] * added[at + label]
            least[a, level] += max(total, 0.0)
    return least


@njit(cache=True, nogil=True)
def raise_below(bounds: Floats, strides: Ints, node: Ints, least: Floats, how: int, limit: float) -> None:  # noqa: C901
    """Raise the bounds of a node and of all below it to what the parts of their levels make, where within the limit."""
    attributes = node.shape[0]
    last, step = attributes - 1, strides[attributes - 1]
    levels, before = np.zeros(attributes, np.int64), np.empty(attributes)
    before[0] = 1.0 if how == GEOMETRIC_MEAN else -np.inf if how == LARGEST else 0.0
    a, place = 0, 0
    while True:
        # What the attributes before the last make together changes seldom.
        for b in range(a, last):
            part = least[b, levels[b]]
            if how == GEOMETRIC_MEAN:
                before[b + 1] = before[b] * (1.0 + part)
            else:
                before[b + 1] = max(before[b], part) if how == LARGEST else before[b] + part
        for level in range(node[last] + 1):
            n, part = place + level * step, least[last, level]
            if bounds[n] > limit:
                continue
            if how == GEOMETRIC_MEAN:
                joined, known = before[last] * (1.0 + part), 1.0
                for _ in range(attributes):
                    known *= 1.0 + bounds[n]
                if joined > known:  # a root takes longer than all else
                    bounds[n] = max(bounds[n], joined ** (1.0 / attributes) - 1.0)
            elif how == LARGEST:
                bounds[n] = max(bounds[n], before[last], part)
            else:
                bounds[n] = max(bounds[n], (before[last] + part) / (attributes if how == MEAN else 1))
        a = last - 1
        while a >= 0 and levels[a] == node[a]:
            place -= levels[a] * strides[a]
            levels[a] = 0
            a -= 1
        if a < 0:
            return
        levels[a] += 1
        place += strides[a]


# -- the same by NumPy, for small tables; but for the last bits, which bounds do not need


@least_parts.numpy_fallback()
def _least_parts(
    keys: Words, counts: Ints, out: Flags, word: Ints, shift: Words, field: Words, starts: Ints,
    node: Ints, parts: Floats, tables: Ints, added: Floats,
) -> Floats:  # fmt: skip
    gone = np.zeros(starts[-1], np.int64)
    kept_marginals(keys, counts, out, word, shift, field, starts, gone)
    least = parts.copy()
    for a, level in enumerate(node.tolist()):
        labels, levels = starts[a + 1] - starts[a], level + 1
        each = added[tables[a] : tables[a] + levels * labels].reshape(levels, labels)
        least[a, :levels] += np.maximum(each @ gone[starts[a] : starts[a + 1]] - _SLACK, 0)
    return least


@raise_below.numpy_fallback(price=0.1)
def _raise_below(bounds: Floats, strides: Ints, node: Ints, least: Floats, how: int, limit: float) -> None:
    combine = {GEOMETRIC_MEAN: np.multiply, LARGEST: np.maximum}.get(how, np.add)
    parts = [least[a, : level + 1] + (how == GEOMETRIC_MEAN) for a, level in enumerate(node.tolist())]
    joined: Floats = reduce(lambda left, right: combine.outer(left, right).reshape(-1), parts)
    steps = [np.arange(part.size) * stride for part, stride in zip(parts, strides, strict=True)]
    places: Ints = reduce(lambda left, right: np.add.outer(left, right).reshape(-1), steps)
    if how == GEOMETRIC_MEAN:
        joined = joined ** (1 / node.size) - 1
    elif how == MEAN:
        joined = joined / node.size
    known = bounds[places]
    bounds[places] = np.where(known > limit, known, np.maximum(known, joined))
