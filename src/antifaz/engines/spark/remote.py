"""Distinct tuples that stay on Spark's executors: only counts, estimates and a few numbers per part come to the driver.

They are made once, as codes, and kept by the executors (in memory, then on their disks) until `close`. What is done
with them is NumPy over Arrow batches, with the same code as on one machine.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from antifaz.core.arrays import Ints
from antifaz.core.messages import Message
from antifaz.counting import remote
from antifaz.counting.frequencies import Tuples
from antifaz.engines.spark import frames
from antifaz.engines.spark import remote_executor as executor
from antifaz.engines.spark.count import as_text, tuples_of
from antifaz.engines.spark.frames import SparkTable, driver_memory, quoted, spark_errors, unpersist

#: Bytes of the driver's memory that a tuple takes while it is counted and decided on: by itself, and per column.
PER_TUPLE, PER_CELL = 128, 32
_ANSWER = "answer array<bigint>"
_COUNTING = Message("table.counting-failed")


def recodable_tuples(data: SparkTable, columns: Sequence[str]) -> "SparkRecodableTuples | None":
    """Return the tuples where they are if they are too many for the driver; None if they may well come out."""
    data.schema.require(columns)
    most = data.limits.get("tuples") or affordable_tuples(data, len(columns))
    if data.rows <= most:
        return None
    cells = frames.with_nulls(fn.col(quoted(name)) for name in columns)
    with spark_errors(_COUNTING):
        row: Any = data.frame.agg(fn.approx_count_distinct(fn.xxhash64(*cells))).collect()[0]
    return SparkRecodableTuples(data, columns, most) if row[0] > most else None


def affordable_tuples(data: SparkTable, columns: int) -> int:
    """How many tuples the driver's memory is for: Python has about as much of it as Java was given."""
    return max(driver_memory(data.session) // (PER_TUPLE + PER_CELL * columns), 100_000)


class SparkRecodableTuples(remote.RecodableTuples):
    """The distinct tuples of some columns of a frame, on its executors."""

    def __init__(self, data: SparkTable, columns: Sequence[str], max_tuples: int) -> None:
        """Take note of the columns; nothing is counted yet."""
        self.max_tuples = max_tuples
        self._data, self.columns = data, tuple(columns)
        self._names = [f"c{i}" for i in range(len(columns))]
        #: The codes c0, c1, … and the count n of a tuple, as Spark spells them.
        self.schema = ", ".join([*(f"{name} int" for name in self._names), "n bigint"])
        self._codes: list[Mapping[str | None, int]] = []
        self._coded_frame: DataFrame | None = None
        self._grouped: list[_SparkGroups] = []

    def column_counts(self, together_with: Sequence[str] = ()) -> list[Tuples]:
        """Count each column by itself, together with the others named, all of them in one reading."""
        asked = [(name, *together_with) for name in self.columns if name not in together_with]
        places = [[self.columns.index(name) for name in names] for names in asked]
        sets = [[fn.col(f"c{i}") for i in own] for own in places]
        grouped = self._chosen().groupingSets(sets, *self._names).agg(
            fn.count(fn.lit(1)).alias("n"), fn.grouping_id(*self._names).alias("g")
        )  # fmt: skip
        with spark_errors(_COUNTING):
            table = grouped.select([*self._texts(), "n", "g"]).toArrow().combine_chunks()
        last, found = len(self._names) - 1, []
        for names, own in zip(asked, places, strict=True):
            # A bit per column, the first one highest; it is set for those that the counts are not by.
            which = sum(1 << (last - i) for i in range(last + 1) if i not in own)
            part = table.filter(pc.field("g") == which)
            found.append(tuples_of(part.select([f"c{i}" for i in own]), names, frames.integers(part.column("n"))))
        return found

    def encode(self, codes: Sequence[Mapping[str | None, int]], known: Sequence[int] = ()) -> None:
        """Say per column under which code each value counts."""
        self.close()
        self._codes = list(codes)

    def estimate(self, recodes: Sequence[remote.Recode]) -> list[int]:
        """Say about how many distinct tuples there are under each of several recodings."""
        names = [f"h{i}" for i in range(len(recodes))]
        work = partial(executor.hash_tuples, tuple(recodes))
        hashed = frames.map_batches(self.coded(), work, ", ".join(f"{name} bigint" for name in names))
        with spark_errors(_COUNTING):
            row: Any = hashed.agg(*(fn.approx_count_distinct(name) for name in names)).collect()[0]
        return [int(number) for number in row]

    def count(self, recode: remote.Recode) -> remote.Coded:
        """Bring out the distinct tuples under a recoding."""
        with spark_errors(_COUNTING):
            return executor.coded_tuples(self._counted(recode).toArrow(), len(self._names))

    def sizes(self, recode: remote.Recode | None = None) -> remote.Sizes:
        """Count how often tuples occur under a recoding."""
        with spark_errors(_COUNTING):
            table = self._counted(recode or [None] * len(self._names)).groupBy("n").count().orderBy("n").toArrow()
        return table.column("n").to_numpy(), table.column("count").to_numpy()

    def map_partitions(self, recode: remote.Recode, assign: remote.Assign, work: remote.Work) -> list[Ints]:
        """Assign the distinct tuples under a recoding to partitions, and do something with each as a whole."""
        assigned = partial(executor.assign_partitions, assign)
        parted = frames.map_batches(self._counted(recode), assigned, f"part bigint, {self.schema}")
        return _answers(
            frames.map_groups(parted, "part", partial(executor.work_on_group, work, len(self._names)), _ANSWER)
        )

    def group_by(self, recode: remote.Recode, by: remote.Recode) -> remote.GroupedTuples:
        """Lay the distinct tuples under a recoding together by what they become under `by`."""
        work = partial(executor.recode_tuples, tuple(recode), tuple(by))
        mapped = frames.map_batches(self.coded(), work, f"h bigint, {self.schema}")
        grouped = mapped.groupBy("h", *self._names).agg(fn.sum("n").alias("n")).repartition("h").drop("h")
        self._grouped.append(_SparkGroups(grouped.persist(), len(self._names)))
        return self._grouped[-1]

    def close(self) -> None:
        """Give the executors' memory back."""
        for groups in self._grouped:
            groups.close()
        self._grouped = []
        if self._coded_frame is not None:
            frame, self._coded_frame = self._coded_frame, None
            unpersist(frame)

    def _chosen(self) -> DataFrame:
        pairs = zip(self._names, self.columns, strict=True)
        return self._data.frame.select([fn.col(quoted(name)).alias(key) for key, name in pairs])

    def _texts(self) -> list[Column]:
        pairs = zip(self._names, self.columns, strict=True)
        return [as_text(key, self._data.native[name]).alias(key) for key, name in pairs]

    def coded(self) -> DataFrame:
        """The distinct tuples as codes; counted when they are first needed."""
        if self._coded_frame is None:
            counted = self._chosen().groupBy(self._names).agg(fn.count(fn.lit(1)).alias("n"))
            values = [pa.array(list(own), pa.string()) for own in self._codes]
            codes = [np.fromiter(own.values(), np.int32, len(own)) for own in self._codes]
            work = partial(executor.encode_tuples, values, codes)
            coded = frames.map_batches(counted.select([*self._texts(), "n"]), work, self.schema)
            if any(len(set(own.values())) < len(own) for own in self._codes):
                coded = coded.groupBy(self._names).agg(fn.sum("n").alias("n"))
            self._coded_frame = coded.persist()
        return self._coded_frame

    def _counted(self, recode: remote.Recode) -> DataFrame:
        if all(own is None for own in recode):
            return self.coded()
        mapped = frames.map_batches(self.coded(), partial(executor.recode_tuples, tuple(recode), None), self.schema)
        return mapped.groupBy(self._names).agg(fn.sum("n").alias("n"))


class _SparkGroups(remote.GroupedTuples):
    def __init__(self, frame: DataFrame, columns: int) -> None:
        self._frame: DataFrame | None = frame
        self._columns = columns

    def map(self, work: remote.Work) -> list[Ints]:
        if self._frame is None:
            raise RuntimeError("the tuples were given back")
        return _answers(frames.map_batches(self._frame, partial(executor.work_on_part, work, self._columns), _ANSWER))

    def close(self) -> None:
        if self._frame is not None:
            frame, self._frame = self._frame, None
            unpersist(frame)


def _answers(done: DataFrame) -> list[Ints]:
    with spark_errors(_COUNTING):
        table = done.toArrow()
    return [np.array(each, np.int64) for each in table.column("answer").to_pylist()]
