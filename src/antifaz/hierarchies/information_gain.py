"""Numbers in intervals that are cut where the cut says most about the sensitive attribute."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from antifaz.core.arrays import Floats, Ints
from antifaz.core.errors import HierarchyError
from antifaz.core.types import DataType
from antifaz.hierarchies.builder import HierarchyBuilder
from antifaz.hierarchies.hierarchy import Hierarchy
from antifaz.hierarchies.intervals import read_decimals

#: How many counts are looked at together: classes may be many, and memory is not.
_AT_ONCE = 1 << 20


class InformationGain(HierarchyBuilder):
    """Cuts the range of numbers in two, and each part again, where the sensitive attribute is told apart best."""

    name: ClassVar[str] = "information-gain"
    summary: ClassVar[str] = "Numbers in intervals cut where that says most about the sensitive value: 23, [22, 27], …."
    details: ClassVar[str] = (
        "The root is [least, greatest]. Every part is cut in two where the information gain about the sensitive value "
        "is largest, 'depth' times over; the values themselves come below, so that all lie at one depth. Of equal cuts "
        "the one that halves the records best is taken, then the lowest. A part of one value is not cut and is called "
        "by that value. Bounds are values of the data, both inside: a value that is not in the data fits no label, and "
        "each new table gets a tree of its own. Whole and real numbers are compared exactly. Above a missing value "
        "there is none of the labels; 'suppression' puts '*' on top of all. Depth 3 is what the source's rule (go on "
        "while every part can be cut into two of two values or more) gives for the age and the hours per week of Adult."
    )
    formula: ClassVar[str] = "IG = I(R) − Σ_c |R_c|/|R| · I(R_c); I(R) = −Σ_s p log₂ p, p = |(R, s)|/|R|"
    source: ClassVar[str] = (
        "B. C. M. Fung, K. Wang, P. S. Yu, Top-down specialization for information and privacy preservation, ICDE 2005"
    )
    primary: ClassVar[str] = "depth"
    needs_data: ClassVar[bool] = True
    needs_target: ClassVar[bool] = True

    depth: int = Field(default=3, ge=1, le=20, description="How many times parts are cut in two, above the values.")
    target: str | Annotated[tuple[str, ...], Field(min_length=1)] | None = Field(
        default=None,
        description="What the cuts tell apart: an attribute, or several taken together; all sensitive ones by default.",
    )

    def targets(self) -> tuple[str, ...]:
        """The attributes named as target."""
        return (self.target,) if isinstance(self.target, str) else self.target or ()

    def build(self, values: Sequence[str], kind: DataType) -> Hierarchy:
        """Refuse: the values alone don't say where to cut."""
        raise HierarchyError("hierarchy.builder-needs-data", name=self.name)

    def learn(self, values: Sequence[str], kind: DataType, counts: Ints) -> Hierarchy:
        """Return the numbers in their order, each in the parts that hold it."""
        if not values:
            raise HierarchyError("hierarchy.no-values-to-cut")
        numbers = read_decimals(values)
        order = sorted(range(len(values)), key=lambda i: (numbers[values[i]], values[i]))
        ordered = [values[i] for i in order]
        sums = np.zeros((len(ordered) + 1, counts.shape[1]), np.int64)
        np.cumsum(counts[order], axis=0, out=sums[1:])
        edges = np.array([0, len(ordered)])
        levels = [_labels(ordered, edges)]
        for _ in range(self.depth):
            edges = _halved(sums, edges)
            if edges.size > len(ordered):
                break  # Every part is one value: what comes below, the values, is the same.
            levels.append(_labels(ordered, edges))
        return self._made(list(zip(ordered, *reversed(levels), strict=True)), kind)


def _labels(ordered: Sequence[str], edges: Ints) -> list[str]:
    labels: list[str] = []
    for low, high in pairwise(edges.tolist()):
        first, last = ordered[low], ordered[high - 1]
        labels += [first if high - low == 1 else f"[{first}, {last}]"] * (high - low)
    return labels


def _halved(sums: Ints, edges: Ints) -> Ints:
    """Cut every part of two values or more once, where the entropies of both sides, by their records, are least.

    `sums[i]` counts the records of each class among the first i values; the gain is largest where the entropies left
    are least.
    """
    places = np.setdiff1d(np.arange(edges[-1]), edges)
    if not places.size:
        return edges
    part = np.searchsorted(edges, places) - 1
    low, high = edges[part], edges[part + 1]
    left, right, mixed = _sides(sums, places, low, high)
    starts = np.flatnonzero(np.diff(part, prepend=-1))
    group = np.cumsum(np.diff(part, prepend=part[0]) > 0)
    least = np.minimum.reduceat(mixed, starts)[group]
    # Logarithms differ in their last digits from machine to machine; what is as good must be so everywhere.
    worse = mixed > least + 1e-9 + 1e-12 * (left + right)
    best = np.lexsort((places, np.abs(left - right), worse, part))[starts]
    return np.union1d(edges, places[best])


def _sides(sums: Ints, places: Ints, low: Ints, high: Ints) -> tuple[Ints, Ints, Floats]:
    """Return for each cut the records on its left and right, and records times entropy, of both sides together."""
    left, right = np.zeros(places.size, np.int64), np.zeros(places.size, np.int64)
    mixed = np.zeros(places.size)
    width = max(1, _AT_ONCE // places.size)
    for begin in range(0, sums.shape[1], width):
        some = sums[:, begin : begin + width]
        before, after = some[places] - some[low], some[high] - some[places]
        left += before.sum(axis=1)
        right += after.sum(axis=1)
        mixed -= _times_log(before).sum(axis=1) + _times_log(after).sum(axis=1)
    return left, right, mixed + _times_log(left) + _times_log(right)


def _times_log(counts: Ints) -> Floats:
    """Return n · log₂ n, and 0 for 0."""
    return np.asarray(counts * np.log2(np.maximum(counts, 1)), np.float64)
