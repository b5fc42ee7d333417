"""Changing columns on Spark: the executors work on the cells as Arrow arrays, each part by itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from antifaz.core.messages import Message
from antifaz.core.types import DataType
from antifaz.engines.changes import ColumnChange, Sampling
from antifaz.engines.spark.count import quoted
from antifaz.engines.spark.errors import spark_errors
from antifaz.engines.spark.sending import map_batches

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from antifaz.engines.spark.table import SparkTable


def changed(data: SparkTable, changes: Sequence[ColumnChange], keep: Sampling | None = None) -> tuple[DataFrame, int]:
    """Return the frame with some columns changed and some rows drawn, kept by Spark, and how many rows it has."""
    from pyspark import StorageLevel

    for change in changes:
        data.schema.require(change.needs)
    frame = data.frame
    with spark_errors(Message("engine.columns-not-changed")):
        if keep is not None:
            frame = _drawn(frame, keep)
        if changes:
            frame = _worked(frame, {change.column: change for change in changes})
        # Kept, because what is drawn at random (nonces) must be the same whenever the rows are asked for.
        frame = frame.persist(StorageLevel.MEMORY_AND_DISK)
        try:
            return frame, frame.count()
        except BaseException:
            frame.unpersist()
            raise


def _drawn(frame: DataFrame, keep: Sampling) -> DataFrame:
    """Keep so many rows, those whose place has the smallest hashes under a secret key."""
    from pyspark.sql import functions as fn

    names = [f"c{i}" for i in range(len(frame.columns))]
    placed = frame.toDF(*names).withColumn("place", fn.monotonically_increasing_id())
    order = fn.xxhash64(fn.lit(keep.key), fn.col("place"), fn.lit(keep.key))
    chosen = placed.withColumn("order", order).orderBy("order", "place").limit(keep.number)
    return chosen.select([fn.col(new).alias(old) for new, old in zip(names, frame.columns, strict=True)])


def _worked(frame: DataFrame, changes: dict[str, ColumnChange]) -> DataFrame:
    from pyspark.sql.types import DoubleType, StringType, StructField, StructType

    # Names of our own, because Spark would take `Age` and `age` for one column.
    places = {name: f"c{i}" for i, name in enumerate(frame.columns)}
    fields = []
    for field in frame.schema.fields:
        change = changes.get(field.name)
        kind: Any = field.dataType
        if change is not None and change.result is DataType.TEXT:
            kind = StringType()
        elif change is not None and change.result is DataType.DECIMAL and not isinstance(kind, StringType):
            kind = DoubleType()
        fields.append(StructField(places[field.name], kind, True))
    keys = {places[name]: change.key for name, change in changes.items() if change.key is not None}
    work = _Work(
        {
            places[name]: (change, (*(places[n] for n in change.needs), *_draw(places[name], keys)))
            for name, change in changes.items()
        },
        tuple(places.values()),
    )
    made = map_batches(_with_draws(frame.toDF(*places.values()), keys), work, StructType(fields))
    return made.toDF(*places)


def _draw(place: str, keys: dict[str, int]) -> tuple[str, ...]:
    """The name of the column with the draws for another, where it needs any."""
    return (f"draw_{place}",) if place in keys else ()


def _with_draws(frame: DataFrame, keys: dict[str, int]) -> DataFrame:
    """Add a number between 0 and 1 to every row for each key: from the row's content, whatever the partitions.

    Equal rows are numbered, so that each has a draw of its own; which of them gets which makes no difference.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as fn

    if not keys:
        return frame
    # The hash passes over missing values, so whether each is missing goes in too.
    cells = [part for name in frame.columns for part in (fn.col(name), fn.isnull(fn.col(name)))]
    numbered = frame.withColumn("content", fn.xxhash64(*cells)).withColumn(
        "number", fn.row_number().over(Window.partitionBy("content").orderBy("content"))
    )
    for place, key in keys.items():
        # What is drawn shows in the release, so a hash from which nobody finds the key.
        mixed = fn.sha2(fn.concat_ws(":", fn.lit(str(key)), fn.col("content"), fn.col("number"), fn.lit(str(key))), 256)
        bits = fn.conv(fn.substring(mixed, 1, 13), 16, 10).cast("double")
        numbered = numbered.withColumn(*_draw(place, keys), (bits + 0.5) * 2.0**-52)
    return numbered.drop("content", "number")


def standard_deviation(data: SparkTable, column: str) -> float:
    """Return the sample standard deviation of a column of numbers, to twelve digits.

    The parts are added up in any order, so the last of all digits may differ from run to run.
    """
    from pyspark.sql import functions as fn

    data.schema.require([column])
    value = fn.col(quoted(column))
    number = fn.btrim(value).try_cast("double") if data.native[column] == "string" else value.cast("double")
    with spark_errors(Message("table.counting-failed")):
        asked = data.frame.select(number.alias("x")).agg(fn.stddev_samp("x"), fn.min("x"), fn.max("x"))
        found, low, high = asked.collect()[0]
    return 0.0 if found is None or low == high else float(f"{found:.12g}")


@dataclass(frozen=True)
class _Work:
    """Changes the columns of batches; for `mapInArrow`."""

    changes: dict[str, tuple[ColumnChange, tuple[str, ...]]]
    #: The columns that come out; there may be others that are only worked with.
    names: tuple[str, ...]

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            arrays = []
            for name in self.names:
                if name in self.changes:
                    change, needs = self.changes[name]
                    arrays.append(change.of([batch.column(needed) for needed in needs]))
                else:
                    arrays.append(batch.column(name))
            yield pa.RecordBatch.from_arrays(arrays, names=list(self.names))
