"""Distinct tuples that stay on Spark's executors: only counts, estimates and a few numbers per part come to the driver.

They are made once, as codes, and kept by the executors (in memory, then on their disks) until `close`. What is done
with them is NumPy over Arrow batches, with the same code as on one machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from antifaz.core.messages import Message
from antifaz.core.sizes import parse_spark_size
from antifaz.counting.frequencies import Tuples
from antifaz.engines.remote import Assign, Coded, GroupedTuples, RecodableTuples, Recode, Sizes, Work
from antifaz.engines.spark.count import _tuples as tuples_of
from antifaz.engines.spark.count import as_text, quoted
from antifaz.engines.spark.errors import spark_errors
from antifaz.engines.spark.remote_executor import (
    AssignPartitions,
    EncodeTuples,
    HashTuples,
    RecodeTuples,
    WorkOnGroup,
    WorkOnPart,
    coded_tuples,
)
from antifaz.engines.spark.sending import map_batches, map_groups

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from antifaz.engines.spark.table import SparkTable

#: Bytes of the driver's memory that a tuple takes while it is counted and decided on: by itself, and per column.
PER_TUPLE, PER_CELL = 128, 32
_ANSWER = "answer array<bigint>"


def recodable_tuples(data: SparkTable, columns: Sequence[str]) -> SparkRecodableTuples | None:
    """Return the tuples where they are if they are too many for the driver; None if they may well come out."""
    from pyspark.sql import functions as fn

    data.schema.require(columns)
    most = data.limits.get("tuples") or affordable_tuples(data, len(columns))
    if data.rows <= most:
        return None
    # The hash passes over missing values, so whether each is missing goes in too.
    cells = [part for name in columns for part in (fn.col(quoted(name)), fn.isnull(fn.col(quoted(name))))]
    with spark_errors(Message("table.counting-failed")):
        row: Any = data.frame.agg(fn.approx_count_distinct(fn.xxhash64(*cells))).collect()[0]
    return SparkRecodableTuples(data, columns, most) if row[0] > most else None


def affordable_tuples(data: SparkTable, columns: int) -> int:
    """How many tuples the driver's memory is for: Python has about as much of it as Java was given."""
    size = parse_spark_size(str(data.session.conf.get("spark.driver.memory", "1g")))
    return max(size // (PER_TUPLE + PER_CELL * columns), 100_000)


class SparkRecodableTuples(RecodableTuples):
    """The distinct tuples of some columns of a frame, on its executors."""

    def __init__(self, data: SparkTable, columns: Sequence[str], max_tuples: int) -> None:
        """Take note of the columns; nothing is counted yet."""
        self.max_tuples = max_tuples
        self._data, self.columns = data, tuple(columns)
        self._names = [f"c{i}" for i in range(len(columns))]
        self._codes: list[Mapping[str | None, int]] = []
        self._kept: DataFrame | None = None
        self._grouped: list[_SparkGroups] = []

    def column_counts(self, together_with: Sequence[str] = ()) -> list[Tuples]:
        """Count each column by itself, together with the others named, all of them in one reading."""
        import pyarrow.compute as pc
        from pyspark.sql import functions as fn

        frame, columns = self._chosen(), [name for name in self.columns if name not in together_with]
        names = {name: fn.col(key) for key, name in zip(self._names, self.columns, strict=True)}
        sets = [[names[name] for name in (column, *together_with)] for column in columns]
        grouped = frame.groupingSets(sets, *self._names).agg(
            fn.count(fn.lit(1)).alias("n"), fn.grouping_id(*self._names).alias("g")
        )
        with spark_errors(Message("table.counting-failed")):
            table = grouped.select([*self._texts(), "n", "g"]).toArrow().combine_chunks()
        last, found = len(self._names) - 1, []
        for column in columns:
            # A bit per column, the first one highest; it is set for those that the counts are not by.
            counted = {self.columns.index(name) for name in (column, *together_with)}
            which = sum(1 << (last - i) for i in range(last + 1) if i not in counted)
            part = table.filter(pc.field("g") == which)
            named = part.select([f"c{self.columns.index(name)}" for name in (column, *together_with)])
            named = named.rename_columns([f"c{i}" for i in range(named.num_columns)])
            found.append(tuples_of(named, (column, *together_with), part.column("n").to_numpy().astype(np.int64)))
        return found

    def encode(self, codes: Sequence[Mapping[str | None, int]], known: Sequence[int] = ()) -> None:
        """Say per column under which code each value counts."""
        self.close()
        self._codes = list(codes)

    def estimate(self, recodes: Sequence[Recode]) -> list[int]:
        """Say about how many distinct tuples there are under each of several recodings."""
        from pyspark.sql import functions as fn

        names = [f"h{i}" for i in range(len(recodes))]
        hashed = map_batches(self.coded(), HashTuples(tuple(recodes)), ", ".join(f"{name} bigint" for name in names))
        with spark_errors(Message("table.counting-failed")):
            row: Any = hashed.agg(*(fn.approx_count_distinct(name) for name in names)).collect()[0]
        return [int(number) for number in row]

    def count(self, recode: Recode) -> Coded:
        """Bring out the distinct tuples under a recoding."""
        with spark_errors(Message("table.counting-failed")):
            table = self._counted(recode).toArrow()
        return coded_tuples(table, len(self._names))

    def sizes(self, recode: Recode | None = None) -> Sizes:
        """Count how often tuples occur under a recoding."""
        with spark_errors(Message("table.counting-failed")):
            table = self._counted(recode or [None] * len(self._names)).groupBy("n").count().orderBy("n").toArrow()
        return table.column("n").to_numpy(), table.column("count").to_numpy()

    def map_partitions(self, recode: Recode, assign: Assign, work: Work) -> list[NDArray[np.int64]]:
        """Assign the distinct tuples under a recoding to partitions, and do something with each as a whole."""
        parted = map_batches(self._counted(recode), AssignPartitions(assign), f"part bigint, {self.schema}")
        return _answers(map_groups(parted, "part", WorkOnGroup(work, len(self._names)), _ANSWER))

    def group_by(self, recode: Recode, by: Recode) -> GroupedTuples:
        """Lay the distinct tuples under a recoding together by what they become under `by`."""
        from pyspark.sql import functions as fn

        mapped = map_batches(self.coded(), RecodeTuples(tuple(recode), tuple(by)), f"h bigint, {self.schema}")
        grouped = mapped.groupBy("h", *self._names).agg(fn.sum("n").alias("n")).repartition("h").drop("h")
        groups = _SparkGroups(grouped.persist(), len(self._names))
        self._grouped.append(groups)
        return groups

    def close(self) -> None:
        """Give the executors' memory back."""
        for groups in self._grouped:
            groups.close()
        self._grouped = []
        if self._kept is not None:
            kept, self._kept = self._kept, None
            unpersist(kept)

    @property
    def schema(self) -> str:
        """The codes c0, c1, … and the count n of a tuple, as Spark spells it."""
        return ", ".join([*(f"{name} int" for name in self._names), "n bigint"])

    def _chosen(self) -> DataFrame:
        from pyspark.sql import functions as fn

        pairs = zip(self._names, self.columns, strict=True)
        return self._data.frame.select([fn.col(quoted(name)).alias(key) for key, name in pairs])

    def _texts(self) -> list[Column]:
        pairs = zip(self._names, self.columns, strict=True)
        return [as_text(key, self._data.native[name]).alias(key) for key, name in pairs]

    def coded(self) -> DataFrame:
        """The distinct tuples as codes; counted when they are first needed."""
        from pyspark.sql import functions as fn

        if self._kept is None:
            counted = self._chosen().groupBy(self._names).agg(fn.count(fn.lit(1)).alias("n"))
            coded = map_batches(counted.select([*self._texts(), "n"]), EncodeTuples(self._codes), self.schema)
            if any(len(set(own.values())) < len(own) for own in self._codes):
                coded = coded.groupBy(self._names).agg(fn.sum("n").alias("n"))
            self._kept = coded.persist()
        return self._kept

    def _counted(self, recode: Recode) -> DataFrame:
        from pyspark.sql import functions as fn

        if all(own is None for own in recode):
            return self.coded()
        mapped = map_batches(self.coded(), RecodeTuples(tuple(recode)), self.schema)
        return mapped.groupBy(self._names).agg(fn.sum("n").alias("n"))


class _SparkGroups(GroupedTuples):
    def __init__(self, frame: DataFrame, columns: int) -> None:
        self._frame: DataFrame | None = frame
        self.columns = columns

    def map(self, work: Work) -> list[NDArray[np.int64]]:
        if self._frame is None:
            raise RuntimeError("the tuples were given back")
        return _answers(map_batches(self._frame, WorkOnPart(work, self.columns), _ANSWER))

    def close(self) -> None:
        if self._frame is not None:
            frame, self._frame = self._frame, None
            unpersist(frame)


def unpersist(frame: DataFrame) -> None:
    """Give back the memory of a frame, if its session still runs."""
    if frame.sparkSession.sparkContext._jsc is not None:
        with spark_errors(Message("spark.not-given-back")):
            frame.unpersist()


def _answers(done: DataFrame) -> list[NDArray[np.int64]]:
    with spark_errors(Message("table.counting-failed")):
        table = done.toArrow()
    return [np.array(each, np.int64) for each in table.column("answer").to_pylist()]
