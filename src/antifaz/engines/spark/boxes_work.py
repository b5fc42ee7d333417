"""What executors do with the tuples of boxes: NumPy over Arrow batches, with the same kernels as on one machine.

All of these are pickled. A tuple is a row of places and a count; see `phases.py` for how they are made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from antifaz.engines.boxes import Box, Finish, Held, Margins
from antifaz.engines.spark.phases import Batches, _batch, _coded_of

if TYPE_CHECKING:
    import pyarrow as pa


def held_of(table: Any, columns: int) -> Held:
    """Return the tuples of an Arrow table or batch that begins with their places and counts."""
    codes, counts = _coded_of(table, columns)
    places = np.stack(codes, axis=1) if counts.size else np.zeros((0, columns), np.int32)
    return Held(places=places, counts=counts, keys=np.zeros(counts.size, np.int32))


class _ByBox:
    """Something that knows boxes that have no tuple in common."""

    def __init__(self, boxes: Sequence[Box]) -> None:
        self.boxes = np.stack([box.astype(np.int32) for box in boxes])

    def inside(self, batch: Any) -> tuple[Held, NDArray[np.int32]]:
        """Return the tuples of a batch, and the box of each; -1 for none."""
        from antifaz.kernels.boxes import box_of

        held = held_of(batch, self.boxes.shape[1])
        which = np.empty(held.counts.size, np.int32)
        box_of(held.places, self.boxes, which)
        return held, which


class Margin(_ByBox):
    """How often each place of some boxes occurs, as a number of the place and a count."""

    def __init__(self, boxes: Sequence[Box]) -> None:
        """Lay the places of all boxes and attributes in a row."""
        super().__init__(boxes)
        widths = (self.boxes[:, :, 1] - self.boxes[:, :, 0] + 1).astype(np.int64)
        self.starts = np.concatenate([[0], np.cumsum(widths)])

    def __call__(self, batches: Batches) -> Batches:
        """Count all tuples, then tell."""
        import pyarrow as pa

        from antifaz.kernels.boxes import add_margins

        counts = np.zeros(self.starts[-1], np.int64)
        starts = self.starts[:-1].reshape(self.boxes.shape[:2])
        for batch in batches:
            held, which = self.inside(batch)
            add_margins(held.places, held.counts, which, self.boxes, starts, counts)
        at = np.flatnonzero(counts)
        yield pa.RecordBatch.from_arrays([pa.array(at), pa.array(counts[at])], names=["at", "n"])

    def margins(self, at: NDArray[np.int64], n: NDArray[np.int64]) -> list[Margins]:
        """Return the margins of every box from what was told of all."""
        counts = np.zeros(self.starts[-1], np.int64)
        np.add.at(counts, at, n)
        each = np.split(counts, self.starts[1:-1])
        many = self.boxes.shape[1]
        return [each[b * many : (b + 1) * many] for b in range(len(self.boxes))]


class Deal(_ByBox):
    """Tuples to the lists of boxes that are worked on together."""

    def __init__(self, parts: Sequence[Sequence[Box]]) -> None:
        """Take note of the boxes and of the list of each."""
        super().__init__([box for part in parts for box in part])
        self._part = np.repeat(np.arange(len(parts), dtype=np.int32), [len(part) for part in parts])

    def __call__(self, batches: Batches) -> Batches:
        """Say of each tuple its list and its box."""
        for batch in batches:
            held, which = self.inside(batch)
            mine = which >= 0
            part, box = self._part[which[mine]], which[mine]
            yield _batch(list(held.places[mine].T), held.counts[mine], part=part, box=box)


class Label(_ByBox):
    """The same labels for all tuples of a box."""

    def __init__(self, boxes: Sequence[Box], labels: Sequence[Sequence[str | None]]) -> None:
        """Take note of the boxes, and per attribute of the label of each."""
        super().__init__(boxes)
        self._labels = labels

    def __call__(self, batches: Batches) -> Batches:
        """Say of each tuple its labels."""
        import pyarrow as pa

        texts = [pa.array(own, pa.string()) for own in self._labels]
        for batch in batches:
            held, which = self.inside(batch)
            mine = which >= 0
            chosen = [own.take(pa.array(which[mine])) for own in texts]
            yield labelled(held.places[mine], held.counts[mine], chosen)


def labelled(places: NDArray[np.int32], counts: NDArray[np.int64], labels: Sequence[pa.Array]) -> pa.RecordBatch:
    """Return tuples with their labels, as they are kept."""
    import pyarrow as pa

    batch = _batch(list(places.T), counts)
    names = [*batch.schema.names, *(f"l{a}" for a in range(len(labels)))]
    return pa.RecordBatch.from_arrays([*batch.columns, *labels], names=names)


def finishing(finish: Finish, columns: int) -> Callable[[pa.Table], pa.Table]:
    """Return what finishes boxes that are worked on together, and says of each tuple the labels.

    The first tuple of every group also says how many records the group has, and as which numbers it is released.
    """

    def work(table: pa.Table) -> pa.Table:
        import pyarrow as pa

        box = np.asarray(table.column("box"))
        order = np.argsort(box, kind="stable")
        held = held_of(table.drop_columns(["part", "box"]).take(pa.array(order)), columns)
        ends = np.append(np.flatnonzero(np.diff(box[order])) + 1, order.size)
        done = finish(held, ends)
        firsts = np.full(done.sizes.size, -1, np.int64)
        firsts[done.groups[::-1]] = np.arange(order.size)[::-1]
        parts = {f"c{a}": pa.array(places) for a, places in enumerate(held.places.T)} | {"n": pa.array(held.counts)}
        for a, (texts, released) in enumerate(zip(done.labels, done.released, strict=True)):
            parts[f"l{a}"] = pa.array(texts, pa.string()).take(pa.array(released[done.groups]))
        parts["size"] = _at(firsts, done.sizes, order.size)
        for a, points in enumerate(done.points):
            numbers = np.full(firsts.size, np.nan) if points is None else points
            parts[f"p{a}"] = _at(firsts, numbers, order.size)
        return pa.table(parts)

    return work


def _at(firsts: NDArray[np.int64], told: NDArray[Any], tuples: int) -> pa.Array:
    """Return what is told of each group at its first tuple, and nothing at others."""
    import pyarrow as pa

    where, mask = np.zeros(tuples, told.dtype), np.ones(tuples, np.bool_)
    where[firsts], mask[firsts] = told, False
    return pa.array(where, mask=mask)
