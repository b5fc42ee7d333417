"""What executors do with remote tuples: NumPy over Arrow batches, with the same kernels as on one machine.

All of these are pickled. A tuple is a row of codes and a count; for boxes, codes are places.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from antifaz.core.errors import DataError
from antifaz.engines.remote import Assign, Box, Coded, FetchedTuples, Finish, Margins, Recode, Work

if TYPE_CHECKING:
    import pyarrow as pa

Batches = Iterator["pa.RecordBatch"]


class EncodeTuples:
    """Texts to codes."""

    def __init__(self, codes: Sequence[Mapping[str | None, int]]) -> None:
        """Take per column the code of each text."""
        self._values = [list(own) for own in codes]
        self._codes = [np.fromiter(own.values(), np.int32, len(own)) for own in codes]

    def __call__(self, batches: Batches) -> Batches:
        """Encode each batch."""
        import pyarrow as pa
        import pyarrow.compute as pc

        sets = [pa.array(values, pa.string()) for values in self._values]
        for batch in batches:
            columns = []
            for i, (known, codes) in enumerate(zip(sets, self._codes, strict=True)):
                found = pc.index_in(batch.column(i).cast(pa.string()), value_set=known)
                if found.null_count:
                    raise DataError("spark.data-changed-while-counted")
                columns.append(codes[found.to_numpy()])
            yield _batch(columns, batch.column(len(sets)).to_numpy())


class RecodeTuples:
    """Codes to other codes; with a hash of what they become under `by`."""

    def __init__(self, recode: Recode, by: Recode | None = None) -> None:
        """Take per column what each code becomes."""
        self._recode, self._by = recode, by

    def __call__(self, batches: Batches) -> Batches:
        """Recode each batch."""
        for batch in batches:
            codes, counts = coded_tuples(batch, len(self._recode))
            new = _recoded(codes, self._recode)
            under = None if self._by is None else _folded(_recoded(codes, self._by), counts.size)
            yield _batch(new, counts, h=under)


class HashTuples:
    """A hash of each tuple under every one of several recodings."""

    def __init__(self, recodes: Sequence[Recode]) -> None:
        """Take the recodings."""
        self._recodes = recodes

    def __call__(self, batches: Batches) -> Batches:
        """Hash each batch."""
        import pyarrow as pa

        for batch in batches:
            codes, counts = coded_tuples(batch, batch.num_columns - 1)
            folded = [pa.array(_folded(_recoded(codes, recode), counts.size)) for recode in self._recodes]
            yield pa.RecordBatch.from_arrays(folded, names=[f"h{i}" for i in range(len(folded))])


class AssignPartitions:
    """Tuples to partitions."""

    def __init__(self, assign: Assign) -> None:
        """Take what assigns tuples."""
        self._assign = assign

    def __call__(self, batches: Batches) -> Batches:
        """Say of each tuple its partitions."""
        for batch in batches:
            codes, counts = coded_tuples(batch, batch.num_columns - 1)
            if counts.size:
                where, parts, dealt = self._assign((codes, counts))
                yield _batch([own[where] for own in codes], dealt, part=parts.astype(np.int64))


class WorkOnGroup:
    """Work on all tuples of a part."""

    def __init__(self, work: Work, columns: int) -> None:
        """Take the work, and how many columns a tuple has."""
        self._work, self._columns = work, columns

    def __call__(self, table: pa.Table) -> pa.Table:
        """Work on a group."""
        import pyarrow as pa

        answer = self._work(coded_tuples(table.select(table.schema.names[1:]), self._columns))
        return pa.table({"answer": pa.array([answer], pa.list_(pa.int64()))})


class WorkOnPart:
    """Work on all tuples that lie together."""

    def __init__(self, work: Work, columns: int) -> None:
        """Take the work, and how many columns a tuple has."""
        self._work, self._columns = work, columns

    def __call__(self, batches: Batches) -> Batches:
        """Work on all batches of a part."""
        import pyarrow as pa

        parts = [batch for batch in batches if batch.num_rows]
        if parts:
            answer = self._work(coded_tuples(pa.Table.from_batches(parts), self._columns))
            yield pa.RecordBatch.from_arrays([pa.array([answer], pa.list_(pa.int64()))], names=["answer"])


def coded_tuples(table: Any, columns: int) -> Coded:
    """The codes and counts of an Arrow table or batch."""
    codes = [np.asarray(table.column(i)).astype(np.int32) for i in range(columns)]
    return codes, np.asarray(table.column(columns)).astype(np.int64)


def _recoded(codes: Sequence[NDArray[np.int32]], recode: Recode) -> list[NDArray[np.int32]]:
    return [own if new is None else new[own] for own, new in zip(codes, recode, strict=True)]


def _folded(codes: Sequence[NDArray[np.int32]], tuples: int) -> NDArray[np.int64]:
    """A hash of each tuple: its codes folded one by one, each time mixed by the finalizer of splitmix64."""
    folded = np.zeros(tuples, np.uint64)
    for own in codes:
        folded = (folded ^ own.astype(np.uint64)) + np.uint64(0x9E3779B97F4A7C15)
        folded = (folded ^ (folded >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        folded = (folded ^ (folded >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        folded ^= folded >> np.uint64(31)
    return folded.view(np.int64)


def _batch(codes: Sequence[NDArray[np.int32]], counts: NDArray[np.int64], **before: Any) -> Any:
    import pyarrow as pa

    ahead = {name: own for name, own in before.items() if own is not None}
    columns = [*ahead.values(), *codes, counts]
    names = [*ahead, *(f"c{i}" for i in range(len(codes))), "n"]
    return pa.RecordBatch.from_arrays([pa.array(own) for own in columns], names=names)


def fetched_tuples(table: Any, columns: int) -> FetchedTuples:
    """Return the tuples of an Arrow table or batch that begins with their places and counts."""
    codes, counts = coded_tuples(table, columns)
    places = np.stack(codes, axis=1) if counts.size else np.zeros((0, columns), np.int32)
    return FetchedTuples(places=places, counts=counts, keys=np.zeros(counts.size, np.int32))


class _ByBox:
    """Something that knows boxes that have no tuple in common."""

    def __init__(self, boxes: Sequence[Box]) -> None:
        self.boxes = np.stack([box.astype(np.int32) for box in boxes])

    def inside(self, batch: Any) -> tuple[FetchedTuples, NDArray[np.int32]]:
        """Return the tuples of a batch, and the box of each; -1 for none."""
        from antifaz.kernels.out_of_core import box_of

        tuples = fetched_tuples(batch, self.boxes.shape[1])
        which = np.empty(tuples.counts.size, np.int32)
        box_of(tuples.places, self.boxes, which)
        return tuples, which


class CountMargins(_ByBox):
    """How often each place of some boxes occurs, as a number of the place and a count."""

    def __init__(self, boxes: Sequence[Box]) -> None:
        """Lay the places of all boxes and attributes in a row."""
        super().__init__(boxes)
        widths = (self.boxes[:, :, 1] - self.boxes[:, :, 0] + 1).astype(np.int64)
        self.starts = np.concatenate([[0], np.cumsum(widths)])

    def __call__(self, batches: Batches) -> Batches:
        """Count all tuples, then tell."""
        import pyarrow as pa

        from antifaz.kernels.out_of_core import add_margins

        counts = np.zeros(self.starts[-1], np.int64)
        starts = self.starts[:-1].reshape(self.boxes.shape[:2])
        for batch in batches:
            tuples, which = self.inside(batch)
            add_margins(tuples.places, tuples.counts, which, self.boxes, starts, counts)
        at = np.flatnonzero(counts)
        yield pa.RecordBatch.from_arrays([pa.array(at), pa.array(counts[at])], names=["at", "n"])

    def margins(self, at: NDArray[np.int64], n: NDArray[np.int64]) -> list[Margins]:
        """Return the margins of every box from the counts of all places."""
        counts = np.zeros(self.starts[-1], np.int64)
        np.add.at(counts, at, n)
        each = np.split(counts, self.starts[1:-1])
        many = self.boxes.shape[1]
        return [each[b * many : (b + 1) * many] for b in range(len(self.boxes))]


class AssignBoxes(_ByBox):
    """Tuples to the lists of boxes that are worked on together."""

    def __init__(self, parts: Sequence[Sequence[Box]]) -> None:
        """Take note of the boxes and of the list of each."""
        super().__init__([box for part in parts for box in part])
        self._part = np.repeat(np.arange(len(parts), dtype=np.int32), [len(part) for part in parts])

    def __call__(self, batches: Batches) -> Batches:
        """Say of each tuple its list and its box."""
        for batch in batches:
            tuples, which = self.inside(batch)
            mine = which >= 0
            part, box = self._part[which[mine]], which[mine]
            yield _batch(list(tuples.places[mine].T), tuples.counts[mine], part=part, box=box)


class LabelBoxes(_ByBox):
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
            tuples, which = self.inside(batch)
            mine = which >= 0
            chosen = [own.take(pa.array(which[mine])) for own in texts]
            yield labelled_batch(tuples.places[mine], tuples.counts[mine], chosen)


def labelled_batch(places: NDArray[np.int32], counts: NDArray[np.int64], labels: Sequence[pa.Array]) -> pa.RecordBatch:
    """Return tuples with their labels, as they are kept."""
    import pyarrow as pa

    batch = _batch(list(places.T), counts)
    names = [*batch.schema.names, *(f"l{a}" for a in range(len(labels)))]
    return pa.RecordBatch.from_arrays([*batch.columns, *labels], names=names)


def finish_boxes(finish: Finish, columns: int) -> Callable[[pa.Table], pa.Table]:
    """Return what finishes boxes that are worked on together, and says of each tuple the labels.

    The first tuple of every group also says how many records the group has, and as which numbers it is released.
    """

    def work(table: pa.Table) -> pa.Table:
        import pyarrow as pa

        box = np.asarray(table.column("box"))
        order = np.argsort(box, kind="stable")
        tuples = fetched_tuples(table.drop_columns(["part", "box"]).take(pa.array(order)), columns)
        ends = np.append(np.flatnonzero(np.diff(box[order])) + 1, order.size)
        done = finish(tuples, ends)
        firsts = np.full(done.sizes.size, -1, np.int64)
        firsts[done.groups[::-1]] = np.arange(order.size)[::-1]
        parts = {f"c{a}": pa.array(places) for a, places in enumerate(tuples.places.T)} | {"n": pa.array(tuples.counts)}
        for a, (texts, released) in enumerate(zip(done.labels, done.released, strict=True)):
            parts[f"l{a}"] = pa.array(texts, pa.string()).take(pa.array(released[done.groups]))
        parts["size"] = _at(firsts, done.sizes, order.size)
        for a, points in enumerate(done.points):
            numbers = np.full(firsts.size, np.nan) if points is None else points
            parts[f"p{a}"] = _at(firsts, numbers, order.size)
        return pa.table(parts)

    return work


def _at(firsts: NDArray[np.int64], values: NDArray[Any], tuples: int) -> pa.Array:
    """Return the value of each group at its first tuple, and nothing at others."""
    import pyarrow as pa

    where, mask = np.zeros(tuples, values.dtype), np.ones(tuples, np.bool_)
    where[firsts], mask[firsts] = values, False
    return pa.array(where, mask=mask)
