"""The distribution split of a part that does not fit: its counts in memory, its records fetched in chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antifaz.engines.remote import Box, BoxedTuples, FetchedTuples, Margins, SortedBox
from antifaz.methods.clustering.out_of_core_parts import PartWriter

if TYPE_CHECKING:
    from antifaz.kernels.out_of_core import Chunks, Remainder, Slices


class DistributionSlicer:
    """One part that is cut into slices; those that fit are finished on the way."""

    def __init__(self, boxes: BoxedTuples, writer: PartWriter, fit: int, box: Box, margins: Margins) -> None:
        """Count what is left, which is everything."""
        from antifaz.kernels.out_of_core import Chunks, Slices

        self._boxes, self._writer, self._fit, self._box = boxes, writer, fit, box
        self._space, self._k = writer.mondrian.space, writer.mondrian.k
        self._rest = self._everything(margins)
        attributes = len(margins)
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

    def _everything(self, margins: Margins) -> Remainder:
        from antifaz.kernels.distribution_split import Moments
        from antifaz.kernels.out_of_core import Remainder, take_counts

        space, attributes = self._space, len(margins)
        sizes = [order.size for order in self._writer.mondrian.orders]
        floor = self._box[:, 0].astype(np.int64)
        many, sums, squares = (np.zeros(attributes, np.int64) for _ in range(3))
        rest = Remainder(
            counts=np.zeros(sum(sizes), np.int64),
            starts=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            floor=floor,
            moments=Moments(
                low=floor.copy(),
                high=np.minimum(self._box[:, 1].astype(np.int64), space.known - 1),
                many=many,
                sums=sums,
                squares=squares,
                dead=np.zeros(attributes, np.bool_),
            ),
            left=np.array([margins[0].sum()], np.int64),
        )
        for a, counts in enumerate(margins):
            take_counts(rest, space, a, int(self._box[a, 0]), -counts)
        return rest

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
        self._close()
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

    def _close(self) -> None:
        for copy in self._ordered.values():
            copy.close()
