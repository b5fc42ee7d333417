"""Measuring classes that pass by some at a time: the figures of `utility.groups`, without holding a record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.counting.groups import Groups
from antifaz.counting.piecewise import Piecewise
from antifaz.counting.records import Attribute, Records
from antifaz.engines.boxes import Boxes
from antifaz.utility.groups import group_penalties
from antifaz.utility.ks import ks_counts


class Points:
    """How many records are released as which number, added up."""

    def __init__(self) -> None:
        """Begin with none."""
        self.numbers, self.counts = np.zeros(0), np.zeros(0, np.int64)

    def add(self, points: NDArray[np.float64], sizes: NDArray[np.int64]) -> None:
        """Add groups that are released as these numbers; NaN is none."""
        told = ~np.isnan(points)
        numbers = np.concatenate([self.numbers, points[told]])
        counts = np.concatenate([self.counts, sizes[told]])
        self.numbers, which = np.unique(numbers, return_inverse=True)
        self.counts = np.zeros(self.numbers.size, np.int64)
        np.add.at(self.counts, which, counts)


def measured(
    boxes: Boxes,
    records: Records,
    orders: Sequence[NDArray[np.int32]],
    totals: Sequence[NDArray[np.int64]],
    points: Sequence[Points],
) -> Piecewise:
    """Measure what was stored; `orders` are the codes by place, `totals` the records by code.

    Only where a label says "*" may a figure differ from that of a run in memory, and only the kept distribution: there
    a class stands for the middle of one of its groups, here each of its groups for its own.
    """
    sizes, penalties = [np.zeros(0, np.int64)], 0.0
    scales = [_by_place(attribute, order) for attribute, order in zip(records.attributes, orders, strict=True)]
    for some in boxes.classes():
        sizes.append(some.sizes)
        for a, scale in enumerate(scales):
            if scale is None:
                continue
            width = np.nan_to_num(scale[some.high[:, a]] - scale[some.low[:, a]])
            share = width / records.attributes[a].range if records.attributes[a].range else np.zeros(width.size)
            mixed = some.missing[:, a] & (some.high[:, a] >= 0)
            penalties += float(np.dot(some.sizes, np.where(mixed, 1.0, share)))
    for a, attribute in enumerate(records.attributes):
        if attribute.scale is None:
            penalties += _of_categories(boxes, a, attribute, orders[a])
    all_sizes = np.concatenate(sizes)
    return Piecewise(
        rows=records.rows,
        sizes=all_sizes,
        measures=_measures(records, all_sizes, penalties) | {"ks": _kept(records.attributes, totals, points)},
    )


def _by_place(attribute: Attribute, order: NDArray[np.int32]) -> NDArray[np.float64] | None:
    """Return the number at every place, and NaN where there is none: also beyond all, and at -1."""
    return None if attribute.scale is None else np.append(attribute.scale[order], np.nan)


def _measures(records: Records, sizes: NDArray[np.int64], penalties: float) -> dict[str, Any]:
    gcp = penalties / (records.rows * len(records.attributes)) if records.rows else 0.0
    distinct, times = np.unique(sizes, return_counts=True)
    return {
        "loss": gcp,
        "gcp": gcp,
        "discernibility": sum(size * size * many for size, many in zip(distinct.tolist(), times.tolist(), strict=True)),
        "average_class_size": float(sizes.mean()) if sizes.size else 0.0,
    }


class _Passing(Groups):
    """Some classes, of which nothing is known but the codes of one attribute in each."""

    def __init__(self, attribute: Attribute, owner: NDArray[np.int64], codes: NDArray[np.int64]) -> None:
        super().__init__(Records(attributes=(attribute,), rows=0), owner)
        self._codes = codes

    def pairs(self, a: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        return self.groups, self._codes, np.ones(self._codes.size, np.int64)


def _of_categories(boxes: Boxes, a: int, attribute: Attribute, order: NDArray[np.int32]) -> float:
    """Sum the penalties of all records in an attribute without a scale."""
    total = 0.0
    for owner, places, sizes in boxes.pairs(a):
        table = _Passing(replace(attribute, codes=np.zeros(0, np.int32)), owner, order[places].astype(np.int64))
        total += float(np.dot(sizes, group_penalties(table, 0)))
    return total


def _kept(
    attributes: Sequence[Attribute], totals: Sequence[NDArray[np.int64]], points: Sequence[Points]
) -> dict[str, float]:
    """Return the p-value per numeric attribute between the data and what groups are released as."""
    found = {}
    for attribute, before, released in zip(attributes, totals, points, strict=True):
        if attribute.scale is not None and attribute.kind.is_number:
            known = ~np.isnan(attribute.scale)
            found[attribute.column] = ks_counts(
                attribute.scale[known], before[known], released.numbers, released.counts
            )[1]
    return found
