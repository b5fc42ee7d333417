"""What executors do with remote tuples, in Arrow batches: NumPy, with the same kernels as on one machine.

All of these are pickled. A tuple is a row of codes and a count; for boxes, codes are places.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from antifaz.core.arrays import Codes, Ints
from antifaz.counting.remote import Assign, Box, Coded, FetchedTuples, Finish, Margins, Recode, Work

Batches = Iterator[pa.RecordBatch]


def recode_tuples(recode: Recode, by: Recode | None, batches: Batches) -> Batches:
    """Turn codes into others, with a hash of what they become under `by`."""
    for batch in batches:
        codes, counts = coded_tuples(batch, len(recode))
        hashed = {} if by is None else {"h": _hashed(codes, counts.size, by)}
        yield _batch(_recoded(codes, recode), counts, **hashed)


def hash_tuples(recodes: Sequence[Recode], batches: Batches) -> Batches:
    """Hash each tuple under every one of several recodings."""
    for batch in batches:
        codes, counts = coded_tuples(batch, batch.num_columns - 1)
        hashes = [pa.array(_hashed(codes, counts.size, recode)) for recode in recodes]
        yield pa.RecordBatch.from_arrays(hashes, names=[f"h{i}" for i in range(len(hashes))])


def assign_partitions(assign: Assign, batches: Batches) -> Batches:
    """Say of each tuple its partitions."""
    for batch in batches:
        codes, counts = coded_tuples(batch, batch.num_columns - 1)
        if counts.size:
            where, parts, dealt = assign((codes, counts))
            yield _batch([own[where] for own in codes], dealt, part=parts.astype(np.int64))


def work_on_group(work: Work, columns: int, table: pa.Table) -> pa.Table:
    """Work on all tuples of a partition, whose number comes first."""
    return pa.table({"answer": _answer(work, columns, table.select(table.schema.names[1:]))})


def work_on_part(work: Work, columns: int, batches: Batches) -> Batches:
    """Work on all tuples that lie together."""
    parts = [batch for batch in batches if batch.num_rows]
    if parts:
        yield pa.RecordBatch.from_arrays([_answer(work, columns, pa.Table.from_batches(parts))], names=["answer"])


def _answer(work: Work, columns: int, table: pa.Table) -> pa.Array:
    return pa.array([work(coded_tuples(table, columns))], pa.list_(pa.int64()))


def coded_tuples(table: Any, columns: int) -> Coded:
    """The codes and counts of an Arrow table or batch."""
    codes = [np.asarray(table.column(i)).astype(np.int32) for i in range(columns)]
    return codes, np.asarray(table.column(columns)).astype(np.int64)


def _recoded(codes: Sequence[Codes], recode: Recode) -> list[Codes]:
    return [own if new is None else new[own] for own, new in zip(codes, recode, strict=True)]


def _hashed(codes: Sequence[Codes], tuples: int, recode: Recode) -> Ints:
    """Hash what each tuple becomes: its codes folded one by one, each time mixed by the finalizer of splitmix64."""
    folded = np.zeros(tuples, np.uint64)
    for own in _recoded(codes, recode):
        folded = (folded ^ own.astype(np.uint64)) + np.uint64(0x9E3779B97F4A7C15)
        folded = (folded ^ (folded >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        folded = (folded ^ (folded >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        folded ^= folded >> np.uint64(31)
    return folded.view(np.int64)


def _batch(codes: Sequence[Codes], counts: Ints, **before: NDArray[Any]) -> pa.RecordBatch:
    columns = {**before, **{f"c{i}": own for i, own in enumerate(codes)}, "n": counts}
    return pa.RecordBatch.from_arrays([pa.array(own) for own in columns.values()], names=list(columns))


def fetched_tuples(table: Any, columns: int) -> FetchedTuples:
    """Return the tuples of an Arrow table or batch that begins with their places and counts."""
    codes, counts = coded_tuples(table, columns)
    places = np.stack(codes, axis=1) if counts.size else np.zeros((0, columns), np.int32)
    return FetchedTuples(places=places, counts=counts, keys=np.zeros(counts.size, np.int32))


def _in_boxes(boxes: Codes, batch: pa.RecordBatch) -> tuple[FetchedTuples, Codes]:
    """Return the tuples of a batch, and of each the box that it is in, -1 for none; no tuple is in two boxes."""
    from antifaz.kernels.out_of_core import box_of

    tuples = fetched_tuples(batch, boxes.shape[1])
    which = np.empty(tuples.counts.size, np.int32)
    box_of(tuples.places, boxes, which)
    return tuples, which


class CountMargins:
    """How often each place of some boxes occurs, as a number of the place and a count."""

    def __init__(self, boxes: Sequence[Box]) -> None:
        """Lay the places of all boxes and attributes in a row."""
        self.boxes = np.stack(boxes).astype(np.int32)
        widths = (self.boxes[:, :, 1] - self.boxes[:, :, 0] + 1).astype(np.int64)
        self.starts = np.concatenate([[0], np.cumsum(widths)])

    def __call__(self, batches: Batches) -> Batches:
        """Count all tuples, then tell."""
        from antifaz.kernels.out_of_core import add_margins

        counts = np.zeros(self.starts[-1], np.int64)
        starts = self.starts[:-1].reshape(self.boxes.shape[:2])
        for batch in batches:
            tuples, which = _in_boxes(self.boxes, batch)
            add_margins(tuples.places, tuples.counts, which, self.boxes, starts, counts)
        at = np.flatnonzero(counts)
        yield pa.RecordBatch.from_arrays([pa.array(at), pa.array(counts[at])], names=["at", "n"])

    def margins(self, at: Ints, n: Ints) -> list[Margins]:
        """Return the margins of every box from the counts of all places."""
        counts = np.zeros(self.starts[-1], np.int64)
        np.add.at(counts, at, n)
        each = np.split(counts, self.starts[1:-1])
        many = self.boxes.shape[1]
        return [each[b * many : (b + 1) * many] for b in range(len(self.boxes))]


def assign_boxes(boxes: Codes, part_of: Codes, batches: Batches) -> Batches:
    """Say of each tuple its box, and the part of it: boxes of one part are worked on together."""
    for batch in batches:
        tuples, which = _in_boxes(boxes, batch)
        mine = which >= 0
        box = which[mine]
        yield _batch(list(tuples.places[mine].T), tuples.counts[mine], part=part_of[box], box=box)


def label_boxes(boxes: Codes, labels: Sequence[pa.Array], batches: Batches) -> Batches:
    """Give the same labels to all tuples of a box; given are per attribute the labels of the boxes."""
    for batch in batches:
        tuples, which = _in_boxes(boxes, batch)
        mine = which >= 0
        chosen = [own.take(pa.array(which[mine])) for own in labels]
        yield labelled_batch(tuples.places[mine], tuples.counts[mine], chosen)


def labelled_batch(places: Codes, counts: Ints, labels: Sequence[pa.Array]) -> pa.RecordBatch:
    """Return tuples with their labels, as they are kept."""
    batch = _batch(list(places.T), counts)
    names = [*batch.schema.names, *(f"l{a}" for a in range(len(labels)))]
    return pa.RecordBatch.from_arrays([*batch.columns, *labels], names=names)


def finish_boxes(finish: Finish, columns: int, table: pa.Table) -> pa.Table:
    """Finish boxes that are worked on together, and say of each tuple the labels.

    The first tuple of every group also says how many records the group has, and as which numbers it is released.
    """
    box = np.asarray(table.column("box"))
    order = np.argsort(box, kind="stable")
    tuples = fetched_tuples(table.drop_columns(["part", "box"]).take(pa.array(order)), columns)
    ends = np.append(np.flatnonzero(np.diff(box[order])) + 1, order.size)
    done = finish(tuples, ends)
    firsts = np.full(done.sizes.size, -1, np.int64)
    firsts[done.groups[::-1]] = np.arange(order.size)[::-1]

    def at_firsts(values: NDArray[Any]) -> pa.Array:
        """Return the value of each group at its first tuple, and nothing at others."""
        where, mask = np.zeros(order.size, values.dtype), np.ones(order.size, np.bool_)
        where[firsts], mask[firsts] = values, False
        return pa.array(where, mask=mask)

    parts = {f"c{a}": pa.array(places) for a, places in enumerate(tuples.places.T)} | {"n": pa.array(tuples.counts)}
    for a, (texts, released) in enumerate(zip(done.labels, done.released, strict=True)):
        parts[f"l{a}"] = pa.array(texts, pa.string()).take(pa.array(released[done.groups]))
    parts["size"] = at_firsts(done.sizes)
    for a, points in enumerate(done.points):
        parts[f"p{a}"] = at_firsts(np.full(firsts.size, np.nan) if points is None else points)
    return pa.table(parts)
