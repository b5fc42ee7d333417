"""Mondrian where the records do not fit in memory, with the same result.

A part that does not fit is a box (see `engines.remote`), and is cut where it is: how often each place occurs in it says
which attribute is widest and where it is cut, exactly as the kernels find from the records. A part that fits is
brought out and finished by these kernels, labelled, and stored again, one batch after another; or finished by them
where it is, if the engine can do that.

At the median a part falls into halves, so a few rounds of counting reach parts that fit. The distribution split takes
only the first values off a part, again and again; asking for every slice would never end. But what is left is a box,
and its counts can be kept up to date from the slices alone, so these are fetched in chunks, each tuple at most once per
attribute (`kernels.out_of_core`). Slices that are too large to be held become parts of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from antifaz.core.arrays import Codes, Ints
from antifaz.core.messages import Message
from antifaz.core.recoding import ColumnRecoding, Recoding, StoredRecoding
from antifaz.counting.groups import GroupedTable
from antifaz.counting.mondrian_cuts import place_order, rank_space
from antifaz.counting.piecewise import OutOfCoreTable
from antifaz.counting.records import QuasiIdentifier, Records
from antifaz.counting.released_table import Distribution, Extents
from antifaz.counting.remote import Box, BoxedTuples, Margins
from antifaz.methods.clustering.out_of_core_parts import (
    DistributionSlicer,
    InMemoryMondrian,
    PartWriter,
    ReleasedPoints,
)
from antifaz.methods.method import Task
from antifaz.utility.ncp import penalties

if TYPE_CHECKING:
    from antifaz.kernels.mondrian import Space


def measured(
    boxes: BoxedTuples,
    records: Records,
    orders: Sequence[Codes],
    totals: Sequence[Ints],
    points: Sequence[ReleasedPoints],
) -> OutOfCoreTable:
    """Measure what was stored; `orders` are the codes by place, `totals` the records by code.

    Only where a label says "*" may a figure differ from that of a run in memory, and only the kept distribution: there
    a class stands for the middle of one of its groups, here each of its groups for its own.
    """
    sizes, total = [np.zeros(0, np.int64)], 0.0
    # The number at every place, and NaN where there is none: also beyond all, and at -1.
    placed = zip(records.attributes, orders, strict=True)
    scales = [
        None if a.scale is None else [np.append(ends[order], np.nan) for ends in a.covered_ends] for a, order in placed
    ]
    for some in boxes.classes():
        sizes.append(some.sizes)
        for a, scale in enumerate(scales):
            if scale is None:
                continue
            width, whole = scale[1][some.high[:, a]] - scale[0][some.low[:, a]], records.attributes[a].range
            width[some.high[:, a] == some.low[:, a]] = 0
            part = Extents(
                records=some.sizes,
                covered=width,
                whole=whole,
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


class _Passing(GroupedTable):
    """Some classes, of which nothing is known but the codes of one attribute in each."""

    def __init__(self, attribute: QuasiIdentifier, owner: Ints, codes: Ints) -> None:
        super().__init__(Records(attributes=(attribute,), rows=0), owner)
        self._codes = codes

    def pairs(self, a: int) -> tuple[Ints, Ints, Ints]:
        return self.groups, self._codes, np.ones(self._codes.size, np.int64)


def _of_categories(boxes: BoxedTuples, a: int, attribute: QuasiIdentifier, order: Codes) -> float:
    total = 0.0
    for owner, places, sizes in boxes.pairs(a):
        table = _Passing(replace(attribute, codes=np.zeros(0, np.int32)), owner, order[places].astype(np.int64))
        total += sum(float(np.dot(sizes, penalties(part))) for part in table.extents(0))
    return total


def _distributions(
    attributes: Sequence[QuasiIdentifier], totals: Sequence[Ints], points: Sequence[ReleasedPoints]
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


#: Bytes of a distinct value while it is put in order: its text, its spelling, its number, its place in two tables.
_VALUE = 700


@dataclass(frozen=True, kw_only=True, eq=False)
class OutOfCoreTask(Task):
    """A task about records that stay with the engine."""

    #: What codes mean, and how many records there are; it holds none of them.
    whole: Records = field(repr=False)
    boxes: BoxedTuples = field(repr=False)
    #: How many records may be held in memory at a time.
    fit: int
    #: Per attribute how many records have each code.
    totals: tuple[Ints, ...] = field(repr=False)


def bytes_held(attributes: int) -> int:
    """Estimate what a record takes that is held while parts are finished.

    As a tuple: four bytes per attribute and twelve of count, in the chunk of every attribute and among the slices, and
    once more on the way. As a record: its ranks, a copy of them, its codes and its order by every attribute; its group,
    its labels, and room to count the members of groups.
    """
    tuples = (attributes + 3) * (4 * attributes + 12)
    record = 4 * (4 * attributes + 2) + 64
    return tuples + record


def bytes_of_values(distinct: int) -> int:
    """Estimate what the distinct values of all quasi-identifiers take."""
    return distinct * _VALUE


class OutOfCoreMondrian:
    """One run: cut the parts that are too large, and finish the others."""

    def __init__(
        self, task: OutOfCoreTask, k: int, *, split: str, release: str, keep_type: bool, others: Mapping[str, str]
    ) -> None:
        """Take the task, the least size of a group, and the method's parameters."""
        self._task, self._k, self._boxes = task, k, task.boxes
        attributes = task.whole.attributes
        self.mondrian = InMemoryMondrian(
            attributes=attributes, orders=tuple(place_order(attribute)[0] for attribute in attributes),
            space=rank_space(task.whole)[1], k=k, split=split, release=release, keep_type=keep_type, others=others,
        )  # fmt: skip
        self.writer = PartWriter(task.boxes, self.mondrian, task.whole, task.fit)

    def run(self) -> None:
        """Cut what is too large until nothing is, then finish what is left."""
        whole = np.array([[0, order.size - 1] for order in self.mondrian.orders], np.int32)
        large: list[tuple[Box, int]] = [(whole, self._task.whole.rows)]
        small: list[tuple[Box, int]] = []
        while large:
            found = []
            for (box, size), margins in zip(large, self._boxes.margins([box for box, _ in large]), strict=True):
                found += self._cut(box, size, margins)
            small += [part for part in found if part[1] <= self._task.fit]
            large = [part for part in found if part[1] > self._task.fit]
            self._task.progress.tell(None, Message("progress.parts-too-large", large=len(large)))
        if not self.writer.finish_remotely(small):
            self.writer.finish_all(self._boxes.fetch([box for box, _ in small]))

    def _cut(self, box: Box, size: int, margins: Margins) -> list[tuple[Box, int]]:
        """Cut a part that is too large; return what it falls into and how many records each has."""
        if size <= self._task.fit:
            return [(box, size)]
        cut = _missing_cut(self.mondrian.space, box, margins, self._k)
        if cut is None and self.mondrian.split == "distribution":
            return DistributionSlicer(self._boxes, self.writer, self._task.fit, box, margins).parts()
        if cut is None:
            cut = _median_cut(self.mondrian.space, box, margins, self._k)
        if cut is None:
            self.writer.finish_box(box, margins)
            return []
        a, place = cut
        left, right = box.copy(), box.copy()
        left[a, 1], right[a, 0] = place - 1, place
        below = int(margins[a][: place - box[a, 0]].sum())
        return [(left, below), (right, size - below)]

    def recoding(self) -> Recoding:
        """Say where it is kept what every combination becomes."""
        return Recoding(
            columns=tuple(
                ColumnRecoding(column=a.column, values=(), labels=(), keeps_type=typed)
                for a, typed in zip(self._task.whole.attributes, self.mondrian.typed, strict=True)
            ),
            stored=StoredRecoding(place=self._boxes, labels=tuple(tuple(place) for place in self.writer.labels)),
        )


#: An attribute, and the first place that goes to the second side.
_Cut = tuple[int, int]


def _missing_cut(space: Space, box: Box, margins: Margins, k: int) -> _Cut | None:
    """Cut what is missing from what is known in the first attribute that allows it."""
    for a, counts in enumerate(margins):
        missing = int(counts[len(_known(space, box, counts, a)) :].sum())
        if missing >= k and int(counts.sum()) - missing >= k:
            return a, int(space.known[a])
    return None


def _median_cut(space: Space, box: Box, margins: Margins, k: int) -> _Cut | None:
    """Cut at the median of the widest attribute that can be cut, equal values on one side."""
    from antifaz.kernels.mondrian import median_cut

    size = int(margins[0].sum())
    if size < 2 * k:
        return None
    widths = np.array([_width(space, box, counts, a) for a, counts in enumerate(margins)])
    while widths.max() > 0:
        a = int(np.argmax(widths))  # the first of equals
        reached = np.append(np.cumsum(_known(space, box, margins[a], a)), size)
        at = int(np.searchsorted(reached, (size - 1) // 2, side="right"))
        below = int(reached[at - 1]) if at else 0
        left = median_cut(size, below, int(reached[at]) - below, k)
        if left >= 0:
            return a, int(box[a, 0]) + at + (left > below)
        widths[a] = 0.0
    return None


def _width(space: Space, box: Box, counts: Ints, a: int) -> float:
    """Return how wide an attribute is in a part, as a share of its width in the data."""
    from antifaz.kernels.mondrian import relative_width

    occur = np.flatnonzero(_known(space, box, counts, a)) + int(box[a, 0])
    return float(relative_width(space, a, int(occur[0]), int(occur[-1]), occur.size)) if occur.size else 0.0


def _known(space: Space, box: Box, counts: Ints, a: int) -> Ints:
    return counts[: max(int(space.known[a]) - int(box[a, 0]), 0)]
