"""Groups of records released alike: all that measures and judges need to know of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from antifaz.core.arrays import Codes, Flags, Floats, Ints
from antifaz.counting.classes import ClassTable, SensitiveTable
from antifaz.counting.records import QuasiIdentifier, Records, SensitiveColumn
from antifaz.counting.released_table import Distribution, Extents, ReleasedTable
from antifaz.counting.rollup import Ladder

#: How many bits of a number can be set without changing its sign.
MOST_BITS = 63


@dataclass(frozen=True, kw_only=True, eq=False)
class GroupMembers:
    """The distinct codes of every group: those of group g are `offsets[g]` to `offsets[g + 1]`, each with its count."""

    offsets: Ints
    codes: Codes
    counts: Codes


@dataclass(frozen=True, kw_only=True, eq=False)
class GroupBounds:
    """The ends of every group on the scale of an attribute."""

    #: All codes in the order of the scale, those without a place last.
    order: Codes
    #: The place in `order` of the least and the greatest; high is -1 where a group has none.
    low: Codes
    high: Codes
    #: Which groups hold codes without a place on the scale.
    some_unknown: Flags

    def numbers(self, attribute: QuasiIdentifier, *, covered: bool = False) -> tuple[Floats, Floats]:
        """Return the least and the greatest number that every group is released with; NaN for all missing.

        With `covered`, those of the data that its interval covers.
        """
        scale = attribute.scale if attribute.scale is not None else np.full(self.order.size, np.nan)
        both = attribute.covered_ends if covered else attribute.written_ends
        # Where a group has none, low is beyond all that are known and high is -1, the last: both are NaN.
        low, high = (np.append(ends[self.order], np.nan) for ends in both)
        same = self.low == self.high
        alone = np.append(scale[self.order], np.nan)[self.low]
        return np.where(same, alone, low[self.low]), np.where(same, alone, high[self.high])


class GroupedTable(ReleasedTable):
    """What became of the records when rows were put into groups; a group of -1 is left out.

    `points` is, per attribute, the number that each group is released as (NaN where it is none).
    """

    def __init__(self, records: Records, groups: Ints, points: Sequence[Floats | None] = ()) -> None:
        """Take note of who is in which group; figures are counted when first asked for."""
        self.records = records
        self.rows, self.attributes = records.rows, len(records.attributes)
        self.groups = groups
        self.points = tuple(points)

    @cached_property
    def count(self) -> int:
        """The number of groups."""
        return int(self.groups.max(initial=-1)) + 1

    @cached_property
    def sizes(self) -> Ints:
        """The number of records in every group."""
        return np.bincount(self.groups[self.groups >= 0], minlength=self.count)

    def count_groups(self) -> None:
        """Count the groups and their sizes, once for several threads that ask for them."""
        _ = self.sizes

    def spans(self, a: int) -> tuple[Floats, Floats]:
        """Return the least and the greatest number of the data that every group covers; NaN for all missing."""
        scale = self.records.attributes[a].scale
        if scale is None:
            return np.full(self.count, np.nan), np.full(self.count, np.nan)
        return self.ends(a).numbers(self.records.attributes[a], covered=True)

    def ends(self, a: int) -> GroupBounds:
        """Return the ends of every group on the scale of an attribute that has one."""
        from antifaz.kernels.group_summaries import group_ends

        attribute = self.records.attributes[a]
        order, known = scale_order(attribute)
        rank = np.empty_like(order)
        rank[order] = np.arange(order.size, dtype=np.int32)
        low, high = np.full(self.count, known, np.int32), np.full(self.count, -1, np.int32)
        some = np.zeros(self.count, np.bool_)
        group_ends(self.groups, attribute.codes, rank, known, low, high, some)
        return GroupBounds(order=order, low=low, high=high, some_unknown=some)

    def sets(self, a: int) -> Ints:
        """Return the codes of every group as bits, of an attribute that has at most `MOST_BITS` codes."""
        from antifaz.kernels.group_summaries import group_sets

        sets = np.zeros(self.count, np.int64)
        group_sets(self.groups, self.records.attributes[a].codes, sets)
        return sets

    def members(self, a: int) -> GroupMembers:
        """Return the distinct codes of every group, in the order of the scale where there is one, else of codes."""
        attribute = self.records.attributes[a]
        order = scale_order(attribute)[0] if attribute.scale is not None else None
        return self._members(attribute.codes, attribute.domain.size, order)

    def pairs(self, a: int) -> tuple[Ints, Ints, Ints]:
        """Return every (group, code) that occurs of an attribute, and how often; by group, then by code."""
        members = self._members(self.records.attributes[a].codes, self.records.attributes[a].domain.size)
        owner = np.repeat(np.arange(self.count), np.diff(members.offsets))
        return owner, members.codes.astype(np.int64), members.counts.astype(np.int64)

    def extents(self, a: int) -> Iterator[Extents]:
        """Yield what each group covers of an attribute.

        For numbers that is the span of the group; for categories its distinct values or, where there is a hierarchy,
        the leaves under the lowest label that covers the group. A group that holds a missing value beside others says
        nothing about it.
        """
        attribute = self.records.attributes[a]
        if attribute.scale is not None:
            low, high = self.spans(a)
            whole, mixed = attribute.range, self._mixed(a)
            yield Extents(records=self.sizes, covered=high - low, whole=whole, is_number=True, unknown=mixed)
        elif attribute.ladder is not None:
            covered, leaves = self._covering(a, attribute.ladder), attribute.ladder.leaves
            unknown = np.isnan(covered) if leaves > 1 else None
            yield Extents(records=self.sizes, covered=covered, whole=leaves, is_number=False, unknown=unknown)
        else:
            many = np.bincount(self.pairs(a)[0], minlength=self.count)
            whole, mixed = attribute.domain.size, self._mixed(a)
            yield Extents(records=self.sizes, covered=many, whole=whole, is_number=False, unknown=mixed)

    def _mixed(self, a: int) -> Flags:
        """Which groups hold missing values beside others."""
        attribute = self.records.attributes[a]
        names = attribute.domain.labels
        blank = np.array([name is None for name in names]) if attribute.scale is None else np.isnan(attribute.scale)
        if not blank.any():
            return np.zeros(self.count, np.bool_)
        owner, codes, _ = self.pairs(a)
        unknown = blank[codes]
        some = np.bincount(owner, weights=unknown, minlength=self.count) > 0
        return np.asarray(some & (np.bincount(owner, weights=~unknown, minlength=self.count) > 0))

    def _covering(self, a: int, ladder: Ladder) -> Floats:
        """How many leaves the lowest label has that covers each group; NaN where none covers it."""
        owner, codes, _ = self.pairs(a)
        first = np.searchsorted(owner, np.arange(self.count))
        covered = np.full(self.count, np.nan)
        for level in range(ladder.height + 1):
            labels = ladder.up[level][codes]
            # One label for the whole group: the least and the greatest are the same.
            same = np.maximum.reduceat(labels, first) == np.minimum.reduceat(labels, first)
            leaves = ladder.shares[level][labels[first]] * ladder.leaves
            covered = np.where(np.isnan(covered) & same, leaves, covered)
        return covered

    def distributions(self) -> Iterator[Distribution]:
        """Yield the attributes that are numbers, a group being read as the number it is released as."""
        for attribute, points in zip(self.records.attributes, self.points, strict=False):
            if attribute.scale is None or points is None or not attribute.kind.is_number:
                continue
            before = np.bincount(attribute.codes, minlength=attribute.domain.size)
            yield Distribution.of_known(attribute.column, attribute.scale, before, points, self.sizes)

    def _members(self, codes: Codes, size: int, order: Codes | None = None) -> GroupMembers:
        from antifaz.kernels.group_summaries import group_members

        inside = self.rows - self.suppressed
        offsets = np.concatenate([[0], self.sizes]).astype(np.int64)
        work, out, counts = (np.empty(inside, np.int32) for _ in range(3))
        order = np.arange(size, dtype=np.int32) if order is None else order
        group_members(self.groups, codes, order, offsets, work, out, counts)
        # Copies, so that what is not needed any more is let go.
        return GroupMembers(offsets=offsets, codes=out[: offsets[-1]].copy(), counts=counts[: offsets[-1]].copy())

    def class_table(self) -> ClassTable:
        """Return what the judges may see of the groups."""
        tables = {name: self._sensitive(column) for name, column in self.records.sensitive.items()}
        people = self.records.people
        count = None if people is None else lambda: people.moved(self.groups, self.count)
        return ClassTable(sizes=self.sizes, sensitive=tables, count_people=count)

    def _sensitive(self, column: SensitiveColumn) -> SensitiveTable:
        members = self._members(column.codes, column.domain.size)
        # The distribution of the whole table, as before anyone was left out.
        totals = np.bincount(column.codes, minlength=column.domain.size)
        return SensitiveTable(
            offsets=members.offsets, values=members.codes, counts=members.counts.astype(np.int64), totals=totals,
            labels=column.domain.labels, up=column.up,
        )  # fmt: skip


def scale_order(attribute: QuasiIdentifier) -> tuple[Codes, int]:
    """Return an attribute's codes in the order of its scale, those without a place last, and how many have one.

    Codes follow the numbers in nearly all data, but a column that says "inf" somewhere is sorted as text.
    """
    scale = attribute.scale if attribute.scale is not None else np.full(attribute.domain.size, np.nan)
    unknown = np.isnan(scale)
    order = np.argsort(np.where(unknown, np.inf, scale), kind="stable").astype(np.int32)
    return order, scale.size - int(unknown.sum())


def sensitive_table(column: SensitiveColumn, counts: Ints, totals: Ints) -> SensitiveTable:
    """Return what groups hold of a sensitive attribute, given how often each (a line) has every value."""
    owner, values = np.nonzero(counts)
    return SensitiveTable(
        offsets=np.searchsorted(owner, np.arange(counts.shape[0] + 1)),
        values=values.astype(np.int32),
        counts=counts[owner, values],
        totals=totals,
        labels=column.domain.labels,
        up=column.up,
    )
