"""Parts of a Mondrian out of core: cut, label and store those that fit, slice those that do not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from antifaz.core.arrays import Codes, Floats, Ints
from antifaz.core.machine import processors
from antifaz.counting.group_labels import label_groups, label_table
from antifaz.counting.groups import GroupBounds, GroupedTable, GroupMembers
from antifaz.counting.mondrian_cuts import cut_rows, place_order
from antifaz.counting.records import QuasiIdentifier, Records
from antifaz.counting.remote import Box, BoxedTuples, FetchedTuples, LabelledTuples, Margins, SortedBox

if TYPE_CHECKING:
    from antifaz.kernels.mondrian import Space
    from antifaz.kernels.out_of_core import Chunks, Remainder, Slices


@dataclass(frozen=True, kw_only=True, eq=False)
class InMemoryMondrian:
    """Cuts and labels parts that fit in memory. It holds no record, and can be sent to where the records are."""

    attributes: tuple[QuasiIdentifier, ...]
    #: Per attribute the code at every place.
    orders: tuple[Codes, ...]
    space: Space
    k: int
    split: str
    release: str
    keep_type: bool
    #: Columns that are released otherwise.
    others: Mapping[str, str]

    @property
    def typed(self) -> tuple[bool, ...]:
        """Say per attribute whether all labels are values of its own type."""
        return tuple(
            self.keep_type and self.others.get(one.column, self.release) != "interval" and one.scale is not None
            for one in self.attributes
        )

    def __call__(self, tuples: FetchedTuples, ends: Ints, *, threads: int = 1) -> LabelledTuples:
        """Finish parts that lie one after another."""
        before = np.concatenate([[0], np.cumsum(tuples.counts)])
        at = np.repeat(np.arange(tuples.counts.size, dtype=np.int32), tuples.counts)
        rows = np.empty((at.size, len(self.orders) + 1), np.int32)
        for a, known in enumerate(self.space.known):
            rows[:, a] = np.minimum(tuples.places[:, a], known)[at]
        rows[:, -1] = np.arange(at.size)
        bounds, split = before[np.append(0, ends)], self.split
        groups, parts = cut_rows(rows, self.space, self.k, split=split, relaxed=False, threads=threads, bounds=bounds)
        records = Records(
            attributes=tuple(
                replace(attribute, codes=order[tuples.places[:, a]][at])
                for a, (attribute, order) in enumerate(zip(self.attributes, self.orders, strict=True))
            ),
            rows=at.size,
        )
        labelled = label_groups(records, groups, self.release, self.keep_type, self.others)
        return LabelledTuples(
            # Equal records are in one group: the first of each tuple says which.
            groups=groups[before[:-1]],
            sizes=np.bincount(groups, minlength=parts),
            labels=labelled.labels,
            released=labelled.released,
            points=labelled.points,
        )


class ReleasedPoints:
    """How many records are released as which number, added up."""

    def __init__(self) -> None:
        """Begin with none."""
        self.numbers, self.counts = np.zeros(0), np.zeros(0, np.int64)

    def add(self, points: Floats, sizes: Ints) -> None:
        """Add groups that are released as these numbers; NaN is none."""
        known = ~np.isnan(points)
        numbers = np.concatenate([self.numbers, points[known]])
        counts = np.concatenate([self.counts, sizes[known]])
        self.numbers, which = np.unique(numbers, return_inverse=True)
        self.counts = np.zeros(self.numbers.size, np.int64)
        np.add.at(self.counts, which, counts)


class PartWriter:
    """Stores the labels of finished parts with the engine, and counts what they become."""

    def __init__(self, boxes: BoxedTuples, mondrian: InMemoryMondrian, records: Records, fit: int) -> None:
        """Take where to store, what finishes parts that fit, and how many records may be tuples."""
        self.mondrian = mondrian
        self._boxes, self._records, self._fit = boxes, records, fit
        self.parts = 0
        #: Per attribute the number of each label, and how many records are released as which number.
        self.labels: list[dict[str | None, int]] = [{} for _ in mondrian.orders]
        self.points = [ReleasedPoints() for _ in mondrian.orders]

    def finish_remotely(self, parts: list[tuple[Box, int]]) -> bool:
        """Finish parts where they are, as many together as may be tuples; say whether the engine can do that."""
        together: list[list[Box]] = []
        room = 0
        for box, size in parts:
            if size > room:
                together.append([])
                room = self._fit
            together[-1].append(box)
            room -= size
        summary = self._boxes.finish_remotely(together, self.mondrian, self.labels)
        if summary is None:
            return False
        self.parts += summary.parts
        for own, (numbers, counts) in zip(self.points, summary.points, strict=True):
            own.add(numbers, counts)
        return True

    def finish_all(self, parts: Iterable[FetchedTuples]) -> None:
        """Finish parts that fit, as many together as may be tuples."""
        waiting: list[FetchedTuples] = []
        for part in parts:
            if waiting and sum(other.records for other in waiting) + part.records > self._fit:
                self._finish_some(waiting)
                waiting = []
            waiting.append(part)
        if waiting:
            self._finish_some(waiting)

    def _finish_some(self, parts: list[FetchedTuples]) -> None:
        columns = {
            name: np.concatenate([getattr(part, name) for part in parts]) for name in ("places", "counts", "keys")
        }
        self.finish(FetchedTuples(**columns), np.cumsum([part.counts.size for part in parts]))

    def finish(self, tuples: FetchedTuples, ends: Ints) -> None:
        """Cut parts that lie one after another as far as they can be cut, label them, and store them."""
        done = self.mondrian(tuples, ends, threads=processors())
        self._boxes.store(tuples, self._numbered(done)[done.groups])
        self.parts += done.sizes.size

    def finish_box(self, box: Box, margins: Margins) -> None:
        """Label a part that is too large to be tuples and can't be cut, from its counts alone."""
        table = _BoxGroup(self._records, self.mondrian.orders, box, margins)
        labelled = label_table(table, self.mondrian.release, self.mondrian.keep_type, self.mondrian.others)
        done = LabelledTuples(
            groups=table.groups, sizes=table.sizes, labels=labelled.labels, released=labelled.released,
            points=labelled.points,
        )  # fmt: skip
        self._boxes.store_box(box, self._numbered(done)[0].tolist())
        self.parts += 1

    def _numbered(self, done: LabelledTuples) -> Ints:
        """Return the number of every group's label in every attribute; equal labels have one number in all batches."""
        columns = []
        for a, (texts, released) in enumerate(zip(done.labels, done.released, strict=True)):
            place = self.labels[a]
            numbers = np.fromiter((place.setdefault(text, len(place)) for text in texts), np.int64, len(texts))
            columns.append(numbers[released])
            points = done.points[a]
            if points is not None:
                self.points[a].add(points, done.sizes)
        return np.stack(columns, axis=1)


class _BoxGroup(GroupedTable):
    """One group that holds all records of a box, known by its counts alone."""

    def __init__(self, records: Records, orders: Sequence[Codes], box: Box, margins: Margins) -> None:
        super().__init__(records, np.zeros(1, np.int64))
        self._orders, self._box, self._margins = orders, box, margins

    @property
    def sizes(self) -> Ints:
        return np.array([self._margins[0].sum()])

    def _places(self, a: int) -> tuple[Ints, Ints]:
        occur = np.flatnonzero(self._margins[a])
        return occur + self._box[a, 0], self._margins[a][occur]

    def ends(self, a: int) -> GroupBounds:
        places, known = self._places(a)[0], place_order(self.records.attributes[a])[1]
        inside = places[places < known]
        return GroupBounds(
            order=self._orders[a],
            low=np.array([inside.min(initial=known)], np.int32),
            high=np.array([inside.max(initial=-1)], np.int32),
            some_unknown=np.array([inside.size < places.size]),
        )

    def members(self, a: int) -> GroupMembers:
        places, counts = self._places(a)
        codes = self._orders[a][places]
        scaled = self.records.attributes[a].scale is not None
        order = np.arange(codes.size) if scaled else np.argsort(codes)
        return GroupMembers(
            offsets=np.array([0, codes.size]), codes=codes[order], counts=counts[order].astype(np.int32)
        )


class DistributionSlicer:
    """One part that is cut into slices; those that fit are finished on the way."""

    def __init__(self, boxes: BoxedTuples, writer: PartWriter, fit: int, box: Box, margins: Margins) -> None:
        """Count what is left, which is everything."""
        from antifaz.kernels.distribution_split import Moments
        from antifaz.kernels.out_of_core import Chunks, Remainder, Slices, take_counts

        self._boxes, self._writer, self._fit, self._box = boxes, writer, fit, box
        self._space, self._k = writer.mondrian.space, writer.mondrian.k
        attributes, sizes = len(margins), [order.size for order in writer.mondrian.orders]
        floor = box[:, 0].astype(np.int64)
        high = np.minimum(box[:, 1].astype(np.int64), self._space.known - 1)
        many, sums, squares = np.zeros((3, attributes), np.int64)
        self._rest: Remainder = Remainder(
            counts=np.zeros(sum(sizes), np.int64),
            starts=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            floor=floor,
            moments=Moments(floor.copy(), high, many, sums, squares, dead=np.zeros(attributes, np.bool_)),
            left=np.array([margins[0].sum()], np.int64),
        )
        for a, counts in enumerate(margins):
            take_counts(self._rest, self._space, a, int(box[a, 0]), -counts)
        # Room is taken where it is written to; most chunks never are full.
        self._chunks: Chunks = Chunks(
            places=np.empty((attributes, fit, attributes), np.int32),
            counts=np.empty((attributes, fit), np.int32),
            keys=np.empty((attributes, fit), np.int32),
            covered=np.full(attributes, -1, np.int64),
            filled=np.zeros(attributes, np.int64),
            next=np.zeros(attributes, np.int64),
        )
        self._slices: Slices = Slices(
            places=np.empty((fit, attributes), np.int32),
            counts=np.empty(fit, np.int32),
            keys=np.empty(fit, np.int32),
            ends=np.empty(fit // self._k + 1, np.int64),
            used=np.zeros(3, np.int64),
        )
        self._ordered: dict[int, SortedBox] = {}

    def parts(self) -> list[tuple[Box, int]]:
        """Cut slices off; return the boxes that are left to do, and how many records each has."""
        from antifaz.kernels import out_of_core as kernel

        found = []
        while True:
            why, a, last = kernel.cut_slices(self._rest, self._space, self._chunks, self._slices, self._k, self._fit)
            if why == kernel.CHUNK:
                self._fetch(a)
            elif why == kernel.ROOM:
                self._finish_slices()
            elif why == kernel.LARGE:
                found.append(self._large(a, last))
            else:
                break
        self._finish_slices()
        for copy in self._ordered.values():
            copy.close()
        rest, left = self._what_is_left(), int(self._rest.left[0])
        if why == kernel.FITS:
            return [*found, (rest, left)]
        starts, counts = self._rest.starts, self._rest.counts
        self._writer.finish_box(
            rest, [counts[starts[a] + low : starts[a] + high + 1] for a, (low, high) in enumerate(rest)]
        )
        return found

    def _what_is_left(self) -> Box:
        rest = self._box.copy()
        rest[:, 0] = self._rest.floor
        return rest

    def _fetch(self, a: int) -> None:
        """Fetch the tuples that are next in the order of an attribute: as many values as fit, at least one."""
        rest, start, chunks = self._rest, int(self._rest.starts[a]), self._chunks
        box = self._what_is_left()
        reached = np.cumsum(rest.counts[start + box[a, 0] : start + box[a, 1] + 1])
        box[a, 1] = box[a, 0] + np.searchsorted(reached, self._fit, side="right") - 1
        tuples = self._by(a).fetch(box)
        many = tuples.counts.size
        chunks.places[a, :many] = tuples.places
        chunks.counts[a, :many] = tuples.counts
        chunks.keys[a, :many] = tuples.keys
        chunks.covered[a], chunks.filled[a], chunks.next[a] = box[a, 1], many, 0

    def _by(self, a: int) -> SortedBox:
        if a not in self._ordered:
            self._ordered[a] = self._boxes.sort(self._what_is_left(), a)
        return self._ordered[a]

    def _large(self, a: int, last: int) -> tuple[Box, int]:
        """Take a slice off that is too large to be tuples, and leave it for later."""
        from antifaz.kernels.out_of_core import take_counts

        box = self._what_is_left()
        box[a, 1] = last
        gone = self._by(a).margins(box)
        for b, counts in enumerate(gone):
            take_counts(self._rest, self._space, b, int(box[b, 0]), counts)
        size = int(gone[0].sum())
        self._rest.left[0] -= size
        self._rest.floor[a] = last + 1
        return box, size

    def _finish_slices(self) -> None:
        tuples, many, _ = self._slices.used.tolist()
        if tuples:
            tuples = FetchedTuples(
                places=self._slices.places[:tuples],
                counts=self._slices.counts[:tuples].astype(np.int64),
                keys=self._slices.keys[:tuples],
            )
            self._writer.finish(tuples, self._slices.ends[:many])
        self._slices.used[:] = 0
