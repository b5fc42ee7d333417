"""Finish parts that fit in memory: cut them as far as they can be cut, label them, and store what they become."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from antifaz.core.machine import processors
from antifaz.counting.groups import Ends, GroupedTable, Members
from antifaz.counting.records import QuasiIdentifier, Records
from antifaz.engines.remote import Box, BoxedTuples, FetchedTuples, LabelledTuples, Margins
from antifaz.methods.clustering.labels import label_groups, label_table
from antifaz.methods.clustering.mondrian_cuts import cut_rows, place_order
from antifaz.methods.clustering.out_of_core_measures import ReleasedPoints

if TYPE_CHECKING:
    from antifaz.kernels.mondrian import Space


@dataclass(frozen=True, kw_only=True, eq=False)
class InMemoryMondrian:
    """Cuts and labels parts that fit in memory. It holds no record, and can be sent to where the records are."""

    attributes: tuple[QuasiIdentifier, ...]
    #: Per attribute the code at every place.
    orders: tuple[NDArray[np.int32], ...]
    space: Space
    k: int
    split: str
    release: str
    keep_type: bool

    @property
    def typed(self) -> tuple[bool, ...]:
        """Say per attribute whether all labels are values of its own type."""
        one = self.keep_type and self.release != "interval"
        return tuple(one and attribute.scale is not None for attribute in self.attributes)

    def __call__(self, tuples: FetchedTuples, ends: NDArray[np.int64], *, threads: int = 1) -> LabelledTuples:
        """Finish parts that lie one after another."""
        before = np.concatenate([[0], np.cumsum(tuples.counts)])
        at = np.repeat(np.arange(tuples.counts.size, dtype=np.int32), tuples.counts)
        groups, parts = self._cut(tuples, at, before[np.append(0, ends)], threads)
        records = Records(
            attributes=tuple(
                replace(attribute, codes=order[tuples.places[:, a]][at])
                for a, (attribute, order) in enumerate(zip(self.attributes, self.orders, strict=True))
            ),
            rows=at.size,
        )
        labelled = label_groups(records, groups, self.release, self.keep_type)
        return LabelledTuples(
            # Equal records are in one group: the first of each tuple says which.
            groups=groups[before[:-1]],
            sizes=np.bincount(groups, minlength=parts),
            labels=labelled.labels,
            released=labelled.released,
            points=labelled.points,
        )

    def _cut(
        self, tuples: FetchedTuples, at: NDArray[np.int32], bounds: NDArray[np.int64], threads: int
    ) -> tuple[NDArray[np.int64], int]:
        """Return the group of every record, and how many groups there are."""
        rows = np.empty((at.size, len(self.orders) + 1), np.int32)
        for a, known in enumerate(self.space.known):
            rows[:, a] = np.minimum(tuples.places[:, a], known)[at]
        rows[:, -1] = np.arange(at.size)
        return cut_rows(rows, self.space, self.k, split=self.split, relaxed=False, threads=threads, bounds=bounds)


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
        together = FetchedTuples(
            places=np.concatenate([part.places for part in parts]),
            counts=np.concatenate([part.counts for part in parts]),
            keys=np.concatenate([part.keys for part in parts]),
        )
        self.finish(together, np.cumsum([part.counts.size for part in parts]))

    def finish(self, tuples: FetchedTuples, ends: NDArray[np.int64]) -> None:
        """Cut parts that lie one after another as far as they can be cut, label them, and store them."""
        done = self.mondrian(tuples, ends, threads=processors())
        self._boxes.store(tuples, self._numbered(done)[done.groups])
        self.parts += done.sizes.size

    def finish_box(self, box: Box, margins: Margins) -> None:
        """Label a part that is too large to be tuples and can't be cut, from its counts alone."""
        table = _BoxGroup(self._records, self.mondrian.orders, box, margins)
        labelled = label_table(table, self.mondrian.release, self.mondrian.keep_type)
        done = LabelledTuples(
            groups=table.groups, sizes=table.sizes, labels=labelled.labels, released=labelled.released,
            points=labelled.points,
        )  # fmt: skip
        self._boxes.store_box(box, self._numbered(done)[0].tolist())
        self.parts += 1

    def _numbered(self, done: LabelledTuples) -> NDArray[np.int64]:
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

    def __init__(self, records: Records, orders: Sequence[NDArray[np.int32]], box: Box, margins: Margins) -> None:
        super().__init__(records, np.zeros(1, np.int64))
        self._orders, self._box, self._margins = orders, box, margins

    @property
    def sizes(self) -> NDArray[np.int64]:
        return np.array([self._margins[0].sum()])

    def _places(self, a: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        occur = np.flatnonzero(self._margins[a])
        return occur + self._box[a, 0], self._margins[a][occur]

    def ends(self, a: int) -> Ends:
        places, known = self._places(a)[0], place_order(self.records.attributes[a])[1]
        inside = places[places < known]
        return Ends(
            order=self._orders[a],
            low=np.array([inside.min(initial=known)], np.int32),
            high=np.array([inside.max(initial=-1)], np.int32),
            some_unknown=np.array([inside.size < places.size]),
        )

    def members(self, a: int) -> Members:
        places, counts = self._places(a)
        codes = self._orders[a][places]
        scaled = self.records.attributes[a].scale is not None
        order = np.arange(codes.size) if scaled else np.argsort(codes)
        return Members(offsets=np.array([0, codes.size]), codes=codes[order], counts=counts[order].astype(np.int32))
