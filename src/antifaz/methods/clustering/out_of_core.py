"""Rothko: Mondrian where the records do not fit in memory, with the same result.

A part that does not fit is a box (see `engines.boxes`), and is cut where it is: how often each place occurs in it says
which attribute is widest and where it is cut, exactly as the kernels find from the records. A part that fits is
brought out and finished by these kernels, labelled, and stored again, one batch after another; or finished by them
where it is, if the engine can do that.

At the median a part falls into halves, so a few rounds of counting reach parts that fit. The distribution split takes
only the first values off a part, again and again; asking for every slice would never end. But what is left is a box,
and its counts can be kept up to date from the slices alone, so these are fetched in chunks, each tuple at most once per
attribute (`kernels.rothko`). Slices that are too large to be held become parts of their own.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from antifaz.core.machine import processors
from antifaz.core.recoding import ColumnRecoding, Recoding, StoredRecoding
from antifaz.counting.groups import Ends, Groups, Members
from antifaz.counting.records import Attribute, Records
from antifaz.engines.boxes import Box, Finished, Held, Margins
from antifaz.methods.clustering.labels import label_table
from antifaz.methods.clustering.mondrian import _space, place_order
from antifaz.methods.clustering.out_of_core_finishing import Finisher
from antifaz.methods.clustering.out_of_core_measures import Points, measured
from antifaz.methods.clustering.out_of_core_task import PartTask

if TYPE_CHECKING:
    from antifaz.counting.piecewise import Piecewise
    from antifaz.methods.clustering.mondrian import Mondrian


class Rothko:
    """One run: the parts that are too large, and what became of those that were finished."""

    def __init__(self, method: Mondrian, task: PartTask, k: int) -> None:
        """Take the whole table for the first part."""
        self.method, self.task, self.k = method, task, k
        self.records = task.whole
        self.boxes, self.fit = task.boxes, task.fit
        self.space = _space(self.records)[1]
        self.orders = [place_order(attribute)[0] for attribute in self.records.attributes]
        self.parts = 0
        self._finisher = Finisher(
            attributes=self.records.attributes, orders=tuple(self.orders), space=self.space, k=k, split=method.split,
            release=method.release, keep_type=method.keep_type,
        )  # fmt: skip
        self._labels: list[dict[str | None, int]] = [{} for _ in self.orders]
        self._points = [Points() for _ in self.orders]

    def run(self) -> None:
        """Cut what is too large until nothing is, then finish what is left."""
        whole = np.array([[0, order.size - 1] for order in self.orders], np.int32)
        large: list[tuple[Box, int]] = [(whole, self.records.rows)]
        small: list[tuple[Box, int]] = []
        while large:
            found = []
            for (box, size), margins in zip(large, self.boxes.margins([box for box, _ in large]), strict=True):
                found += self._cut(box, size, margins)
            small += [part for part in found if part[1] <= self.fit]
            large = [part for part in found if part[1] > self.fit]
            self.task.progress.tell(None, f"{len(large):,} parts are too large yet")
        if not self._finish_apart(small):
            self._finish_all(self.boxes.each([box for box, _ in small]))

    def _finish_apart(self, parts: list[tuple[Box, int]]) -> bool:
        """Finish parts where they are, as many together as may be held; say whether that could be done."""
        together: list[list[Box]] = []
        room = 0
        for box, size in parts:
            if size > room:
                together.append([])
                room = self.fit
            together[-1].append(box)
            room -= size
        told = self.boxes.finish_apart(together, self._finisher, self._labels)
        if told is None:
            return False
        self.parts += told.parts
        for own, (numbers, counts) in zip(self._points, told.points, strict=True):
            own.add(numbers, counts)
        return True

    def _cut(self, box: Box, size: int, margins: Margins) -> list[tuple[Box, int]]:
        """Cut a part that is too large; return what it falls into and how many records each has."""
        from antifaz.methods.clustering.out_of_core_cuts import apart, in_the_middle

        if size <= self.fit:
            return [(box, size)]
        cut = apart(self.space, box, margins, self.k)
        if cut is None and self.method.split == "distribution":
            from antifaz.methods.clustering.out_of_core_peeling import Peeler

            return Peeler(self, box, margins).parts()
        if cut is None:
            cut = in_the_middle(self.space, box, margins, self.k)
        if cut is None:
            self.finish_box(box, margins)
            return []
        a, place = cut
        left, right = box.copy(), box.copy()
        left[a, 1], right[a, 0] = place - 1, place
        below = int(margins[a][: place - box[a, 0]].sum())
        return [(left, below), (right, size - below)]

    def _finish_all(self, parts: Iterable[Held]) -> None:
        """Finish parts that fit, as many together as may be held."""
        waiting: list[Held] = []
        for held in parts:
            if waiting and sum(part.records for part in waiting) + held.records > self.fit:
                self._finish_some(waiting)
                waiting = []
            waiting.append(held)
        if waiting:
            self._finish_some(waiting)

    def _finish_some(self, parts: list[Held]) -> None:
        ends = np.cumsum([part.counts.size for part in parts])
        together = Held(
            places=np.concatenate([part.places for part in parts]),
            counts=np.concatenate([part.counts for part in parts]),
            keys=np.concatenate([part.keys for part in parts]),
        )
        self.finish(together, ends)

    def finish(self, held: Held, ends: NDArray[np.int64]) -> None:
        """Cut parts that lie one after another as far as they can be cut, label them, and store them."""
        done = self._finisher(held, ends, threads=processors())
        self.boxes.store(held, self._numbered(done)[done.groups])
        self.parts += done.sizes.size

    def finish_box(self, box: Box, margins: Margins) -> None:
        """Label a part that is too large to be held and can't be cut, from its counts alone."""
        table = _Whole(self.records, self.orders, box, margins)
        labelled = label_table(table, self.method.release, self.method.keep_type)
        done = Finished(
            groups=table.groups, sizes=table.sizes, labels=labelled.labels, released=labelled.released,
            points=labelled.points,
        )  # fmt: skip
        self.boxes.store_box(box, self._numbered(done)[0].tolist())
        self.parts += 1

    def _numbered(self, done: Finished) -> NDArray[np.int64]:
        """Return the number of every group's label in every attribute; equal labels have one number in all batches."""
        found = []
        for a, (texts, released) in enumerate(zip(done.labels, done.released, strict=True)):
            place = self._labels[a]
            numbers = np.fromiter((place.setdefault(text, len(place)) for text in texts), np.int64, len(texts))
            found.append(numbers[released])
            points = done.points[a]
            if points is not None:
                self._points[a].add(points, done.sizes)
        return np.stack(found, axis=1)

    def recoding(self) -> Recoding:
        """Say where it is kept what every combination becomes."""
        return Recoding(
            columns=tuple(
                ColumnRecoding(column=a.column, values=(), labels=(), keeps_type=typed)
                for a, typed in zip(self.records.attributes, self._finisher.typed, strict=True)
            ),
            stored=StoredRecoding(place=self.boxes, labels=tuple(tuple(place) for place in self._labels)),
        )

    def measured(self) -> Piecewise:
        """Count the classes of what was stored, and measure them."""
        return measured(self.boxes, self.records, self.orders, self.task.totals, self._points)


class _Whole(Groups):
    """One group that holds all records of a box, known by its counts alone."""

    def __init__(self, records: Records, orders: list[NDArray[np.int32]], box: Box, margins: Margins) -> None:
        """Take note of them."""
        super().__init__(records, np.zeros(1, np.int64))
        self._orders, self._box, self._margins = orders, box, margins

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many records there are."""
        return np.array([self._margins[0].sum()])

    def _places(self, a: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        occur = np.flatnonzero(self._margins[a])
        return occur + self._box[a, 0], self._margins[a][occur]

    def ends(self, a: int) -> Ends:
        """Return the ends of the group on the scale of an attribute."""
        places, known = self._places(a)[0], place_order(self._attribute(a))[1]
        inside = places[places < known]
        return Ends(
            order=self._orders[a],
            low=np.array([inside.min(initial=known)], np.int32),
            high=np.array([inside.max(initial=-1)], np.int32),
            some_unknown=np.array([inside.size < places.size]),
        )

    def members(self, a: int) -> Members:
        """Return the distinct codes, in the order of the scale where there is one, else of codes."""
        places, counts = self._places(a)
        codes = self._orders[a][places]
        order = np.arange(codes.size) if self._attribute(a).scale is not None else np.argsort(codes)
        return Members(offsets=np.array([0, codes.size]), codes=codes[order], counts=counts[order].astype(np.int32))

    def _attribute(self, a: int) -> Attribute:
        return self.records.attributes[a]
