"""Measuring classes that pass by some at a time: what a released table is asked, without holding a record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from antifaz.counting.groups import GroupedTable
from antifaz.counting.piecewise import OutOfCoreTable
from antifaz.counting.records import QuasiIdentifier, Records
from antifaz.counting.released_table import Distribution, Extents
from antifaz.engines.remote import BoxedTuples
from antifaz.utility.loss import penalties


class ReleasedPoints:
    """How many records are released as which number, added up."""

    def __init__(self) -> None:
        """Begin with none."""
        self.numbers, self.counts = np.zeros(0), np.zeros(0, np.int64)

    def add(self, points: NDArray[np.float64], sizes: NDArray[np.int64]) -> None:
        """Add groups that are released as these numbers; NaN is none."""
        known = ~np.isnan(points)
        numbers = np.concatenate([self.numbers, points[known]])
        counts = np.concatenate([self.counts, sizes[known]])
        self.numbers, which = np.unique(numbers, return_inverse=True)
        self.counts = np.zeros(self.numbers.size, np.int64)
        np.add.at(self.counts, which, counts)


def measured(
    boxes: BoxedTuples,
    records: Records,
    orders: Sequence[NDArray[np.int32]],
    totals: Sequence[NDArray[np.int64]],
    points: Sequence[ReleasedPoints],
) -> OutOfCoreTable:
    """Measure what was stored; `orders` are the codes by place, `totals` the records by code.

    Only where a label says "*" may a figure differ from that of a run in memory, and only the kept distribution: there
    a class stands for the middle of one of its groups, here each of its groups for its own.
    """
    sizes, total = [np.zeros(0, np.int64)], 0.0
    scales = [_by_place(attribute, order) for attribute, order in zip(records.attributes, orders, strict=True)]
    for some in boxes.classes():
        sizes.append(some.sizes)
        for a, scale in enumerate(scales):
            if scale is None:
                continue
            part = Extents(
                records=some.sizes,
                covered=scale[some.high[:, a]] - scale[some.low[:, a]],
                whole=records.attributes[a].range,
                is_number=True,
                unknown=some.missing[:, a] & (some.high[:, a] >= 0),
            )
            total += float(np.dot(some.sizes, penalties(part)))
    for a, attribute in enumerate(records.attributes):
        if attribute.scale is None:
            total += _of_categories(boxes, a, attribute, orders[a])
    return OutOfCoreTable(
        rows=records.rows,
        class_sizes=np.concatenate(sizes),
        attributes=len(records.attributes),
        penalties=total,
        numbers=_distributions(records.attributes, totals, points),
    )


def _by_place(attribute: QuasiIdentifier, order: NDArray[np.int32]) -> NDArray[np.float64] | None:
    """Return the number at every place, and NaN where there is none: also beyond all, and at -1."""
    return None if attribute.scale is None else np.append(attribute.scale[order], np.nan)


class _Passing(GroupedTable):
    """Some classes, of which nothing is known but the codes of one attribute in each."""

    def __init__(self, attribute: QuasiIdentifier, owner: NDArray[np.int64], codes: NDArray[np.int64]) -> None:
        super().__init__(Records(attributes=(attribute,), rows=0), owner)
        self._codes = codes

    def pairs(self, a: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        return self.groups, self._codes, np.ones(self._codes.size, np.int64)


def _of_categories(boxes: BoxedTuples, a: int, attribute: QuasiIdentifier, order: NDArray[np.int32]) -> float:
    """Sum the penalties of all records in an attribute without a scale."""
    total = 0.0
    for owner, places, sizes in boxes.pairs(a):
        table = _Passing(replace(attribute, codes=np.zeros(0, np.int32)), owner, order[places].astype(np.int64))
        total += sum(float(np.dot(sizes, penalties(part))) for part in table.extents(0))
    return total


def _distributions(
    attributes: Sequence[QuasiIdentifier], totals: Sequence[NDArray[np.int64]], points: Sequence[ReleasedPoints]
) -> tuple[Distribution, ...]:
    """The attributes that are numbers: what the data have, and what groups are released as."""
    found = []
    for attribute, before, released in zip(attributes, totals, points, strict=True):
        if attribute.scale is not None and attribute.kind.is_number:
            known = ~np.isnan(attribute.scale)
            found.append(
                Distribution(
                    column=attribute.column,
                    values=attribute.scale[known],
                    counts=before[known],
                    released_values=released.numbers,
                    released_counts=released.counts,
                )
            )
    return tuple(found)
