"""Groups of records released alike: all that measures and judges need to know of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from antifaz.counting.classes import ClassTable, SensitiveTable
from antifaz.counting.ladders import Ladder
from antifaz.counting.records import Records, Sensitive


class Groups:
    """What became of the records when rows were put into groups; a group of -1 is left out.

    `points` is, per attribute, the number that each group is released as (NaN where it is none).
    """

    def __init__(
        self, records: Records, groups: NDArray[np.int64], points: Sequence[NDArray[np.float64] | None] = ()
    ) -> None:
        """Take note of who is in which group; figures are counted when first asked for."""
        self.records = records
        self.groups = groups
        self.points = tuple(points)

    @property
    def rows(self) -> int:
        """The number of records, those left out included."""
        return self.records.rows

    @property
    def ladders(self) -> tuple[Ladder, ...]:
        """No attribute is at a level: there is nothing to climb."""
        return ()

    @property
    def levels(self) -> tuple[int, ...]:
        """No attribute is at a level."""
        return ()

    @cached_property
    def count(self) -> int:
        """The number of groups."""
        return int(self.groups.max(initial=-1)) + 1

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """The number of records in every group."""
        return np.bincount(self.groups[self.groups >= 0], minlength=self.count)

    @cached_property
    def suppressed(self) -> int:
        """The number of records left out."""
        return self.rows - int(self.sizes.sum())

    def spans(self, a: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the least and the greatest number of an attribute in every group; NaN for all missing."""
        attribute = self.records.attributes[a]
        low, high = np.full(self.count, np.nan), np.full(self.count, np.nan)
        if attribute.scale is not None:
            inside = self.groups >= 0
            numbers = attribute.scale[attribute.codes[inside]]
            np.fmin.at(low, self.groups[inside], numbers)
            np.fmax.at(high, self.groups[inside], numbers)
        return low, high

    def pairs(self, a: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return every (group, code) that occurs of an attribute, and how often; by group, then by code."""
        return _pairs(self.groups, self.records.attributes[a].codes, self.records.attributes[a].domain.size)

    def class_table(self) -> ClassTable:
        """Return what the judges may see of the groups."""
        tables = {name: _sensitive(self, held) for name, held in self.records.sensitive.items()}
        return ClassTable(sizes=self.sizes, sensitive=tables)


def _pairs(
    groups: NDArray[np.int64], codes: NDArray[np.int32], size: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    inside = groups >= 0
    keys = groups[inside] * np.int64(max(size, 1)) + codes[inside]
    distinct, counts = np.unique(keys, return_counts=True)
    return distinct // max(size, 1), distinct % max(size, 1), counts


def _sensitive(groups: Groups, held: Sensitive) -> SensitiveTable:
    owner, values, counts = _pairs(groups.groups, held.codes, held.domain.size)
    offsets = np.zeros(groups.count + 1, np.int64)
    np.cumsum(np.bincount(owner, minlength=groups.count), out=offsets[1:])
    return SensitiveTable(
        offsets=offsets,
        values=values.astype(np.int32),
        counts=counts,
        # The distribution of the whole table, as before anyone was left out.
        totals=np.bincount(held.codes, minlength=held.domain.size),
        labels=held.domain.labels,
        up=held.up,
    )
