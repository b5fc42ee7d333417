"""Tuples on Spark's executors for methods that work box by box: executors count boxes and finish small ones.

Where a method must see the tuples of a box in order, they come in pieces no larger than it asked for, and go back with
their labels.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial, reduce
from operator import and_
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from antifaz.core.arrays import Ints
from antifaz.core.messages import Message
from antifaz.counting import remote
from antifaz.counting import tuple_batches as executor
from antifaz.counting.frequencies import layout
from antifaz.engines.spark import frames
from antifaz.engines.spark.count import pack
from antifaz.engines.spark.frames import SparkTable, driver_memory, quoted, spark_errors, unpersist
from antifaz.engines.spark.remote import SparkRecodableTuples, affordable_tuples, recodable_tuples

_COUNTING = Message("table.counting-failed")
#: How many places of boxes are counted at a time.
_PLACES = 4_000_000
#: How many tuples with labels wait in the driver before they go to the executors.
_WAITING = 200_000
#: How many classes, or places of classes, come to the driver at a time, about.
_BATCH = 1_000_000


def boxed_tuples(data: SparkTable, columns: Sequence[str]) -> "SparkBoxedTuples | None":
    """Return the tuples where they are if they are too many for the driver; None if they may well come out.

    Where nobody said how many tuples may come, records are counted: a method that groups makes copies of all of them.
    """
    data.schema.require(columns)
    most = data.limits.get("tuples")
    if most:
        return None if recodable_tuples(data, columns) is None else SparkBoxedTuples(data, columns, most)
    most = affordable_tuples(data, len(columns))
    return SparkBoxedTuples(data, columns, most) if data.rows > most else None


class SparkBoxedTuples(SparkRecodableTuples, remote.BoxedTuples):
    """The distinct tuples of some columns of a frame, as places, and the labels that they get."""

    def __init__(self, data: SparkTable, columns: Sequence[str], max_tuples: int) -> None:
        """Take note of the columns; nothing is counted yet."""
        super().__init__(data, columns, max_tuples)
        self.max_records = data.limits.get("tuples")
        self.memory = _share(data)
        self._labels = [f"l{a}" for a in range(len(columns))]
        #: Per column the place of each value.
        self.places: list[Mapping[str | None, int]] = []
        self._known: tuple[int, ...] = ()
        self._many = 0
        #: Per attribute the number of each label, where they are known by it: all but those that executors made.
        self._numbers: Sequence[Mapping[str | None, int]] = ()
        self._finished: list[DataFrame] = []
        self._whole: list[tuple[remote.Box, Sequence[int]]] = []
        self._waiting: list[tuple[remote.FetchedTuples, Ints]] = []
        self._sent: list[DataFrame] = []
        self._stored: DataFrame | None = None

    def distinct_values(self) -> list[int]:
        """Estimate how many distinct values each column has."""
        asked = [fn.approx_count_distinct(fn.col(quoted(name))) for name in self.columns]
        with spark_errors(_COUNTING):
            row: Any = self._data.frame.agg(*asked).collect()[0]
        return [int(number) + 1 for number in row]

    def encode(self, codes: Sequence[Mapping[str | None, int]], known: Sequence[int] = ()) -> None:
        """Say per column the place of each value; the tuples are counted when they are first needed."""
        super().encode(codes)
        self.places, self._known = list(codes), tuple(known)

    def sizes(self, recode: remote.Recode | None = None) -> remote.Sizes:
        """Count how often tuples occur."""
        sizes, times = super().sizes(recode)
        self._many = int(times.sum())
        return sizes, times

    def margins(self, boxes: Sequence[remote.Box]) -> Iterator[remote.Margins]:
        """Count the places of some boxes, many boxes in one job."""
        widths = [int((box[:, 1] - box[:, 0] + 1).sum()) for box in boxes]
        start = 0
        while start < len(boxes):
            end = start + max(int(np.searchsorted(np.cumsum(widths[start:]), _PLACES, side="right")), 1)
            yield from _margins_of(self.coded(), boxes[start:end])
            start = end

    def fetch(self, boxes: Sequence[remote.Box]) -> Iterator[remote.FetchedTuples]:
        """Bring out boxes one after another, each in a job of its own."""
        return (_fetch_box(self.coded(), box) for box in boxes)

    def sort(self, box: remote.Box, attribute: int) -> "_SparkSortedBox":
        """Lay the tuples of a box in the order of an attribute."""
        return _SparkSortedBox(self.coded(), box, attribute)

    def store(self, tuples: remote.FetchedTuples, labels: Ints) -> None:
        """Keep tuples that were brought out, with their labels; many of them go back together."""
        self._waiting.append((replace(tuples, places=tuples.places.copy()), labels))
        if sum(part.counts.size for part, _ in self._waiting) >= _WAITING:
            self._send()

    def _send(self) -> None:
        """Send what waits to the executors; only they hold it then."""
        if self._waiting:
            table = pa.Table.from_batches(
                executor.labelled_batch(
                    tuples.places, tuples.counts, [pa.array(part.astype(np.int32)) for part in labels.T]
                )
                for tuples, labels in self._waiting
            )
            with spark_errors(Message("table.storing-failed")):
                self._sent.append(self._data.session.createDataFrame(table).localCheckpoint())
            self._waiting = []

    def store_box(self, box: remote.Box, labels: Sequence[int]) -> None:
        """Take note of the labels that all tuples of a box have."""
        self._whole.append((box.copy(), list(labels)))

    def finish_remotely(
        self, parts: Sequence[Sequence[remote.Box]], finish: remote.Finish, numbers: Sequence[dict[str | None, int]]
    ) -> remote.RemoteSummary:
        """Bring boxes that are worked on together to one executor each, and finish them there."""
        self._numbers = numbers
        if not parts:
            return remote.RemoteSummary(parts=0, points=((np.zeros(0), np.zeros(0, np.int64)),) * len(self.columns))
        boxes = np.stack([box for part in parts for box in part]).astype(np.int32)
        part_of = np.repeat(np.arange(len(parts), dtype=np.int32), [len(part) for part in parts])
        assigned = partial(executor.assign_boxes, boxes, part_of)
        dealt = frames.map_batches(self.coded(), assigned, f"part int, box int, {self.schema}")
        texts = ", ".join([f"{name} string" for name in self._labels] + ["size bigint"])
        points = ", ".join(f"p{a} double" for a in range(len(self.columns)))
        work = partial(executor.finish_boxes, finish, len(self.columns))
        done = frames.map_groups(dealt, "part", work, f"{self.schema}, {texts}, {points}").persist()
        self._finished.append(done)
        groups = [
            fn.struct(fn.lit(a).alias("a"), fn.col(name).alias("label"), fn.col(f"p{a}").alias("point"))
            for a, name in enumerate(self._labels)
        ]
        each = done.where("size IS NOT NULL").select(fn.explode(fn.array(*groups)).alias("group"), "size")
        summed = each.groupBy("group").agg(fn.sum("size").alias("n"), fn.count(fn.lit(1)).alias("groups"))
        with spark_errors(Message("spark.finishing-failed")):
            table = summed.select("group.*", "n", "groups").toArrow()
        return self._summary(table, numbers)

    def _summary(self, table: Any, numbers: Sequence[dict[str | None, int]]) -> remote.RemoteSummary:
        """Number the labels, in an order of their own: that in which they come is Spark's."""
        attribute, n = np.asarray(table.column("a")), np.asarray(table.column("n")).astype(np.int64)
        points = np.asarray(table.column("point")).astype(np.float64)
        labels, found = table.column("label").to_pylist(), []
        for a, own in enumerate(numbers):
            mine = np.flatnonzero(attribute == a)
            for label in sorted({labels[i] for i in mine.tolist()}, key=lambda text: (text is None, text or "")):
                own.setdefault(label, len(own))
            found.append((points[mine], n[mine]))
        groups = np.asarray(table.column("groups"))[attribute == 0]
        return remote.RemoteSummary(parts=int(groups.sum()), points=tuple(found))

    def stored(self) -> DataFrame:
        """Return all tuples with their labels l0, l1, …."""
        self._send()
        if self._stored is None:
            names = [*self._names, "n", *self._labels]
            pieces = [done.select(names) for done in self._finished]
            texts = [list(own) for own in self._numbers]
            if self._sent:
                sent = reduce(DataFrame.unionByName, self._sent)
                pieces.append(self._spelled(sent, texts).select(names))
            if self._whole:
                boxes, numbers = zip(*self._whole, strict=True)
                labels = [pa.array([own[box[a]] for box in numbers], pa.string()) for a, own in enumerate(texts)]
                schema = ", ".join([self.schema, *(f"{name} string" for name in self._labels)])
                work = partial(executor.label_boxes, np.stack(boxes).astype(np.int32), labels)
                pieces.append(frames.map_batches(self.coded(), work, schema))
            self._stored = reduce(DataFrame.unionByName, pieces)
        return self._stored

    def _spelled(self, frame: DataFrame, texts: Sequence[Sequence[str | None]]) -> DataFrame:
        """Bring the labels of tuples that have the numbers of theirs."""
        for name, own in zip(self._labels, texts, strict=True):
            table = pa.table({"number": pa.array(range(len(own)), pa.int32()), "text": pa.array(own, pa.string())})
            sent = frames.send_table(self._data.session, table)
            joined = frame.withColumnRenamed(name, "own").join(sent, fn.col("own") == fn.col("number"))
            frame = joined.drop("own", "number").withColumnRenamed("text", name)
        return frame

    def packed(self, codes: Sequence[Column]) -> list[Column]:
        """Return the longs that hold a tuple's places."""
        return pack(codes, layout([max(own.values(), default=0) + 1 for own in self.places]))

    def classes(self) -> Iterator[remote.StoredClasses]:
        """Describe all classes, some at a time."""
        asked = []
        for a, known in enumerate(self._known):
            place = fn.col(f"c{a}")
            inside = fn.when(place < known, place)
            asked.append(fn.coalesce(fn.min(inside), fn.lit(known)).alias(f"low{a}"))
            asked.append(fn.coalesce(fn.max(inside), fn.lit(-1)).alias(f"high{a}"))
            asked.append((fn.max(place) >= known).alias(f"missing{a}"))
        grouped = self.stored().groupBy(*self._labels).agg(fn.sum("n").alias("n"), *asked)
        for table in self._in_pieces(grouped, *self._labels):
            low, high, missing = (
                np.stack([np.asarray(table.column(f"{kind}{a}")) for a in range(len(self.columns))], axis=1)
                for kind in ("low", "high", "missing")
            )
            yield remote.StoredClasses(
                sizes=np.asarray(table.column("n")).astype(np.int64),
                low=low.astype(np.int64), high=high.astype(np.int64), missing=missing.astype(np.bool_),
            )  # fmt: skip

    def pairs(self, attribute: int) -> Iterator[tuple[Ints, Ints, Ints]]:
        """Return the places of every class, whole classes at a time."""
        name = f"c{attribute}"
        grouped = self.stored().groupBy(*self._labels, name).agg(fn.sum("n").alias("n"))
        # Classes are told apart by 128 bits, which are less to bring than labels.
        cells = frames.with_nulls(map(fn.col, self._labels))
        hashes = [fn.xxhash64(*cells).alias("h0"), fn.xxhash64(fn.lit(1), *cells, fn.lit(1)).alias("h1")]
        for table in self._in_pieces(grouped.select(*hashes, name, "n"), "h0"):
            keys = np.stack([np.asarray(table.column(key)) for key in ("h0", "h1")])
            order = np.lexsort(keys)
            keys = keys[:, order]
            numbers = np.cumsum(np.append(False, (keys[:, 1:] != keys[:, :-1]).any(axis=0)))
            counts = np.asarray(table.column("n"))[order]
            sizes = np.bincount(numbers, weights=counts).astype(np.int64)
            yield numbers, np.asarray(table.column(name)).astype(np.int64)[order], sizes

    def _in_pieces(self, classes: DataFrame, *by: str) -> Iterator[Any]:
        """Bring the figures of classes, whole classes at a time, if it is too much to come at once."""
        if self._many <= _BATCH:
            with spark_errors(_COUNTING):
                yield classes.drop(*self._labels).toArrow()
            return
        classes = classes.persist()
        try:
            with spark_errors(_COUNTING):
                pieces = -(-classes.count() // _BATCH)
            for piece in range(pieces):
                mine = classes.where(fn.pmod(fn.xxhash64(*by), fn.lit(pieces)) == piece).drop(*self._labels)
                with spark_errors(_COUNTING):
                    table = mine.toArrow()
                if table.num_rows:
                    yield table
        finally:
            unpersist(classes)

    def close(self) -> None:
        """Give the executors' memory back."""
        super().close()
        for done in self._finished:
            unpersist(done)


class _SparkSortedBox(remote.SortedBox):
    """A copy of a box's tuples in the order of one attribute: Spark passes over batches that a range does not touch."""

    def __init__(self, frame: DataFrame, box: remote.Box, attribute: int) -> None:
        name = f"c{attribute}"
        self._attribute = attribute
        self._frame = frame.where(_inside(box)).repartitionByRange(name).sortWithinPartitions(name).persist()

    def fetch(self, box: remote.Box) -> remote.FetchedTuples:
        tuples = _fetch_box(self._frame, box)
        order = np.argsort(tuples.places[:, self._attribute], kind="stable")
        return remote.FetchedTuples(places=tuples.places[order], counts=tuples.counts[order], keys=tuples.keys)

    def margins(self, box: remote.Box) -> remote.Margins:
        return _margins_of(self._frame.where(_inside(box)), [box])[0]

    def close(self) -> None:
        unpersist(self._frame)


def _inside(box: remote.Box) -> Column:
    """Return what says whether a tuple is in a box."""
    return reduce(and_, (fn.col(f"c{a}").between(low, high) for a, (low, high) in enumerate(box.tolist())))


def _fetch_box(frame: DataFrame, box: remote.Box) -> remote.FetchedTuples:
    """Bring out the tuples of a box."""
    with spark_errors(_COUNTING):
        return executor.fetched_tuples(frame.where(_inside(box)).toArrow(), len(box))


def _margins_of(frame: DataFrame, boxes: Sequence[remote.Box]) -> list[remote.Margins]:
    """Count the places of some boxes among the tuples of a frame."""
    work = executor.CountMargins(boxes)
    counted = frames.map_batches(frame, work, "at bigint, n bigint").groupBy("at").agg(fn.sum("n").alias("n"))
    with spark_errors(_COUNTING):
        table = counted.toArrow()
    return work.margins(np.asarray(table.column("at")), np.asarray(table.column("n")))


def _share(data: SparkTable) -> int:
    """Return the bytes that parts may take while they are finished: the driver's, or what one task of an executor has.

    Python has about as much as Java was given; one half of it, for what can't be foreseen.
    """
    context, driver = data.session.sparkContext, driver_memory(data.session)
    scala: Any = context._jsc.sc()
    # The driver is listed as well; on a local master it is the only one.
    executors = int(scala.getExecutorMemoryStatus().size()) - 1
    tasks = -(-int(context.defaultParallelism) // max(executors, 1))
    memory = int(scala.executorMemory()) << 20 if executors else driver
    return min(driver, memory // max(tasks, 1)) // 2
