"""What the verifier counts with: sums by group, correctly rounded ratios, and earth mover's distances from integers."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.core.arrays import Floats, Ints
from antifaz.core.errors import HierarchyError, ParameterError

Integers = NDArray[Any]  # int64, or Python's own integers where 64 bits could overflow
Tree = Mapping[str | None, Sequence[str]]


@dataclass(frozen=True)
class JudgedAttribute:
    """One sensitive attribute, ready to be judged; `totals` are the records of the reference table per label."""

    sizes: Ints
    classes: Ints
    values: Ints
    counts: Ints
    labels: tuple[str | None, ...]
    numeric: bool
    totals: Ints
    tree: Tree | None
    #: Where people are counted, who may have several values: what all of them weigh.
    of_people: int | None = None

    @property
    def whole(self) -> int:
        """The number of records of the reference table, or what its people weigh."""
        return int(self.totals.sum()) if self.of_people is None else self.of_people


def sum_by(amounts: NDArray[Any], groups: Ints, many: int) -> NDArray[Any]:
    """Add up amounts by group."""
    sums = np.zeros(many, dtype=amounts.dtype)
    np.add.at(sums, groups, amounts)
    return sums


def largest(amounts: Floats, sensitive: JudgedAttribute) -> Floats:
    """Return the largest amount of each class."""
    maxima = np.full(len(sensitive.sizes), -np.inf)
    np.maximum.at(maxima, sensitive.classes, amounts)
    return maxima


def divide(above: Integers, below: Integers) -> Floats:
    """Return correctly rounded ratios of integers; something divided by nothing is infinite."""
    pairs = zip(above.tolist(), below.tolist(), strict=True)
    # Python's division of integers rounds once, whatever their size.
    return np.array([a / b if b else math.inf for a, b in pairs], dtype=np.float64)


def integer_type(sensitive: JudgedAttribute, factor: int) -> Any:
    """Return int64 where `factor` products of two counts fit into it, and Python's endless integers where not."""
    largest = max(sensitive.whole, int(sensitive.sizes.max()))
    return np.int64 if factor * largest * largest < 2**62 else object


def is_finite(label: str | None) -> bool:
    """Say whether a label is a finite number, or missing."""
    try:
        return label is None or Decimal(label).is_finite()
    except InvalidOperation:
        return False


def hierarchical(sensitive: JudgedAttribute, branches: Sequence[Ints]) -> Floats:
    """Return the earth mover's distance where mass moved through a node at level h of H costs h/H.

    Mass pays 1/H for each level at which it has to leave its node, and half of Σ|q − p| over the nodes of a level is
    the mass that has to. So the distance is the mean of these halves over the levels below the root.
    """
    levels = [np.arange(len(sensitive.labels)), *branches]
    kind = integer_type(sensitive, 4 * len(levels))
    moved: Integers = np.zeros(len(sensitive.sizes), dtype=kind)
    for node in levels:
        width = int(node.max()) + 1
        totals = sum_by(sensitive.totals, node, width).astype(kind)
        pairs, which = np.unique(sensitive.classes * width + node[sensitive.values], return_inverse=True)
        counts = sum_by(sensitive.counts, which, len(pairs)).astype(kind)
        classes, nodes = pairs // width, pairs % width
        expected = totals[nodes] * sensitive.sizes[classes]
        moved += sum_by(np.abs(counts * sensitive.whole - expected), classes, len(moved))
        # Nodes that the class lacks altogether: their whole p is missing.
        moved += sensitive.sizes * (sensitive.whole - sum_by(totals[nodes], classes, len(moved)))
    return divide(moved, sensitive.sizes.astype(kind) * (2 * sensitive.whole * len(levels)))


def branches(sensitive: JudgedAttribute) -> list[Ints]:
    """Return, for each level between leaves and root, the number of the node above each value."""
    tree = sensitive.tree
    if tree is None:
        raise ParameterError("verifier.tree-needed")
    lost = [label for label in sensitive.labels if label is not None and label not in tree]
    if lost:
        raise HierarchyError("verifier.tree-misses-values", values=lost)
    depths = {len(above) for above in tree.values()}
    if len(depths) > 1:
        raise HierarchyError("verifier.leaves-at-different-depths")
    depth = depths.pop() if depths else 0
    # The last label is the root if all leaves share it; else the root is one level above what is written.
    roots = {above[-1] for above in tree.values() if depth}
    inner = depth - 1 if len(roots) == 1 else depth
    levels = []
    for level in range(inner):
        # A node is the way from it up, so that a label used in two places is two nodes.
        ways = [tuple(tree[label][level:]) if label in tree else None for label in sensitive.labels]
        numbers = {way: i for i, way in enumerate(dict.fromkeys(ways))}
        levels.append(np.array([numbers[way] for way in ways], dtype=np.int64))
    return levels


def ordered(sensitive: JudgedAttribute) -> Floats:
    """Return Σ|cumulated q − cumulated p|/(m − 1) over the m values in order: numbers, else text; missing last.

    Between two values that a class has, its cumulated q stands still while that of p climbs, so the sum over such a run
    is known from prefix sums of p once the place is found where p overtakes q.
    """
    rank, many = _ranks(sensitive), len(sensitive.labels)
    kind = integer_type(sensitive, 2 * many)
    climb = np.cumsum(sensitive.totals[np.argsort(rank)])
    prefix = np.concatenate(([0], np.cumsum(climb))).astype(kind)
    order = np.lexsort((rank[sensitive.values], sensitive.classes))
    classes, start = sensitive.classes[order], rank[sensitive.values][order]
    sizes = sensitive.sizes[classes].astype(kind)
    first = np.concatenate(([True], classes[1:] != classes[:-1]))
    stop = np.append(np.where(first[1:], many, start[1:]), many)
    so_far = np.cumsum(sensitive.counts[order])
    so_far -= (so_far - sensitive.counts[order])[first][np.cumsum(first) - 1]
    height = so_far.astype(kind) * sensitive.whole
    below = np.searchsorted(climb, (height // sizes).astype(np.int64), side="right").clip(start, stop)
    runs = height * (below - start) - sizes * (prefix[below] - prefix[start])
    runs += sizes * (prefix[stop] - prefix[below]) - height * (stop - below)
    runs += np.where(first, sizes * prefix[start], 0)  # before its first value a class has nothing yet
    moved = sum_by(runs, classes, len(sensitive.sizes))
    return divide(moved, sensitive.sizes.astype(kind) * (sensitive.whole * max(1, many - 1)))


def _ranks(sensitive: JudgedAttribute) -> Ints:
    read: Callable[[str], Any] = Decimal if sensitive.numeric else str
    places = [(label is None, read(label or "0")) for label in sensitive.labels]
    return np.argsort(sorted(range(len(places)), key=places.__getitem__))
