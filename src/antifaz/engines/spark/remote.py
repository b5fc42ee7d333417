"""Distinct tuples that stay on Spark's executors: only counts, estimates and a few numbers per part come to the driver.

They are made once, as codes, and kept by the executors (in memory, then on their disks) until `close`. What is done
with them is NumPy over Arrow batches, with the same code as on one machine.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from antifaz.core.arrays import Ints
from antifaz.core.messages import Message
from antifaz.counting import remote
from antifaz.counting import tuple_batches as executor
from antifaz.counting.frequencies import Tuples, estimate_distinct, layout
from antifaz.engines.spark import frames
from antifaz.engines.spark.count import as_text, look_at_first, look_at_some, pack, tuples_of, unpack, with_code
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
    keys = [fn.col(quoted(name)) for name in columns]
    cells = frames.with_nulls(keys)
    with spark_errors(_COUNTING):
        chosen = data.frame.select(keys)
        # Far more than may come: to hash all rows would only say by how much. The first rows may be unlike the others.
        looks = (look(chosen) for look in (look_at_first, partial(look_at_some, rows=data.rows)))
        if all(estimate_distinct(data.rows, some, different) > 2 * most for different, some in looks):
            return SparkRecodableTuples(data, columns, most)
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
        """Count each column by itself, together with the others named."""
        texts = dict(zip(self.columns, self._texts(), strict=True))
        key_of = dict(zip(self.columns, self._names, strict=True))

        def ask(name: str) -> Tuples:
            names = (name, *together_with)
            grouped = self._chosen().groupBy(*[key_of[own] for own in names]).agg(fn.count(fn.lit(1)).alias("n"))
            table = grouped.select([*[texts[own] for own in names], "n"]).toArrow()
            return tuples_of(table, names, frames.integers(table.column("n")))

        # Column by column: grouping sets in one pass would carry every row once per column.
        with spark_errors(_COUNTING), ThreadPoolExecutor(4) as workers:
            counted = list(workers.map(ask, [name for name in self.columns if name not in together_with]))
        self._data.fetched()
        return counted

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
            frame = self._chosen().select(self._texts())
            for i, own in enumerate(self._codes):
                codes = np.fromiter(own.values(), np.int32, len(own))
                frame = with_code(frame, i, pa.array(list(own), pa.string()), codes)
            # Packed, a tuple is a long or two, which are shuffled and compared sooner than texts are.
            packed = layout([max(own.values(), default=0) + 1 for own in self._codes])
            keys = pack([fn.col(f"k{i}") for i in range(len(self._codes))], packed)
            words = [key.alias(f"w{i}") for i, key in enumerate(keys)]
            grouped = frame.groupBy(*words).agg(fn.count(fn.lit(1)).alias("n"))
            self._coded_frame = grouped.select([*unpack(packed, self._names), "n"]).persist()
        return self._coded_frame

    def _counted(self, recode: remote.Recode) -> DataFrame:
        if all(own is None for own in recode):
            return self.coded()
        # What becomes one code needs no Python, and often that is all there is.
        same = [own is not None and own.size > 0 and bool((own == own[0]).all()) for own in recode]
        cells = [
            fn.lit(int(own[0])).alias(c) if s and own is not None else fn.col(c)
            for c, own, s in zip(self._names, recode, same, strict=True)
        ]
        mapped = self.coded().select([*cells, "n"])
        rest = tuple(None if one else own for own, one in zip(recode, same, strict=True))
        if any(own is not None for own in rest):
            mapped = frames.map_batches(mapped, partial(executor.recode_tuples, rest, None), self.schema)
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
