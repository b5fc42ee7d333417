"""Changing columns on Spark: the executors work on the cells as Arrow arrays, each part by itself."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as fn
from pyspark.sql.types import DoubleType, StringType, StructField, StructType

from antifaz.core.changes import ColumnChange, Sampling
from antifaz.core.messages import Message
from antifaz.core.types import DataType
from antifaz.counting.tuple_batches import Batches
from antifaz.engines.spark import frames
from antifaz.engines.spark.frames import SparkTable, quoted, spark_errors, with_nulls


def changed(data: SparkTable, changes: Sequence[ColumnChange], keep: Sampling | None = None) -> tuple[DataFrame, int]:
    """Return the frame with some columns changed and some rows drawn, kept by Spark, and how many rows it has."""
    for change in changes:
        data.schema.require(change.needs)
    with spark_errors(Message("engine.columns-not-changed")):
        frame = data.frame if keep is None else _drawn(data.frame, keep)
        frame = _worked(frame, {change.column: change for change in changes}) if changes else frame
        # Kept, because what is drawn at random (nonces) must be the same whenever the rows are asked for.
        return frames.persist_counted(frame)


def _drawn(frame: DataFrame, keep: Sampling) -> DataFrame:
    """Keep so many rows, those whose place has the smallest hashes under a secret key."""
    names = [f"c{i}" for i in range(len(frame.columns))]
    placed = frame.toDF(*names).withColumn("place", fn.monotonically_increasing_id())
    order = fn.xxhash64(fn.lit(keep.key), fn.col("place"), fn.lit(keep.key))
    chosen = placed.withColumn("order", order).orderBy("order", "place").limit(keep.number)
    return chosen.select([fn.col(new).alias(old) for new, old in zip(names, frame.columns, strict=True)])


def _worked(frame: DataFrame, changes: dict[str, ColumnChange]) -> DataFrame:
    # Names of our own, because Spark would take `Age` and `age` for one column.
    places = {name: f"c{i}" for i, name in enumerate(frame.columns)}
    fields, work, keys = [], {}, {}
    for field in frame.schema.fields:
        change, place = changes.get(field.name), places[field.name]
        kind: Any = field.dataType
        if change is not None:
            if change.result is DataType.TEXT:
                kind = StringType()
            elif change.result is DataType.DECIMAL and not isinstance(kind, StringType):
                kind = DoubleType()
            needs = [places[name] for name in change.needs]
            if change.key is not None:
                keys[f"draw_{place}"] = change.key
                needs.append(f"draw_{place}")
            work[place] = (change, needs)
        fields.append(StructField(place, kind, True))
    drawn = _with_draws(frame.toDF(*places.values()), keys)
    return frames.map_batches(drawn, partial(_work, work, list(places.values())), StructType(fields)).toDF(*places)


def _with_draws(frame: DataFrame, keys: dict[str, int]) -> DataFrame:
    """Add to every row a column per key with a number between 0 and 1, from the row's content, whatever the partitions.

    Equal rows are numbered, so that each has a draw of its own; which of them gets which makes no difference.
    """
    if not keys:
        return frame
    content = fn.xxhash64(*with_nulls(map(fn.col, frame.columns)))
    number = fn.row_number().over(Window.partitionBy("content").orderBy("content"))
    numbered = frame.withColumn("content", content).withColumn("number", number)
    for name, key in keys.items():
        # What is drawn shows in the release, so a hash from which nobody finds the key.
        mixed = fn.sha2(fn.concat_ws(":", fn.lit(str(key)), fn.col("content"), fn.col("number"), fn.lit(str(key))), 256)
        bits = fn.conv(fn.substring(mixed, 1, 13), 16, 10).cast("double")
        numbered = numbered.withColumn(name, (bits + 0.5) * 2.0**-52)
    return numbered.drop("content", "number")


def standard_deviation(data: SparkTable, column: str) -> float:
    """Return the sample standard deviation of a column of numbers, to twelve digits.

    The parts are added up in any order, so the last of all digits may differ from run to run.
    """
    data.schema.require([column])
    value = fn.col(quoted(column))
    number = fn.btrim(value).try_cast("double") if data.native[column] == "string" else value.cast("double")
    with spark_errors(Message("table.counting-failed")):
        asked = data.frame.select(number.alias("x")).agg(fn.stddev_samp("x"), fn.min("x"), fn.max("x"))
        deviation, low, high = asked.collect()[0]
    return 0.0 if deviation is None or low == high else float(f"{deviation:.12g}")


def _work(changes: dict[str, tuple[ColumnChange, list[str]]], names: list[str], batches: Batches) -> Batches:
    """Change the columns of batches.

    Given are per changed column the change and the columns that it needs, and which columns come out.
    """
    for batch in batches:
        columns = {name: batch.column(name) for name in names}
        for name, (change, needs) in changes.items():
            columns[name] = change.of([batch.column(needed) for needed in needs])
        yield pa.RecordBatch.from_arrays(list(columns.values()), names=names)
