"""Changing columns on Spark: the executors work on the cells as Arrow arrays, each part by itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from antifaz.core.types import DataType
from antifaz.engines.changes import Change, Sampling
from antifaz.engines.spark.faults import guard

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from antifaz.engines.spark.data import SparkData


def changed(data: SparkData, changes: Sequence[Change], keep: Sampling | None = None) -> tuple[DataFrame, int]:
    """Return the frame with some columns changed and some rows drawn, kept by Spark, and how many rows it has."""
    from pyspark import StorageLevel

    for change in changes:
        data.schema.require(change.needs)
    frame = data.frame
    with guard("Changing the columns failed"):
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


def _worked(frame: DataFrame, changes: dict[str, Change]) -> DataFrame:
    from pyspark.sql.types import StringType, StructField, StructType

    # Names of our own, because Spark would take `Age` and `age` for one column.
    places = {name: f"c{i}" for i, name in enumerate(frame.columns)}
    fields = []
    for field in frame.schema.fields:
        change = changes.get(field.name)
        kind: Any = StringType() if change is not None and change.result is DataType.TEXT else field.dataType
        fields.append(StructField(places[field.name], kind, True))
    work = _Work({places[name]: (change, tuple(places[n] for n in change.needs)) for name, change in changes.items()})
    made = frame.toDF(*places.values()).mapInArrow(work, StructType(fields))
    return made.toDF(*places)


@dataclass(frozen=True)
class _Work:
    """Changes the columns of batches; for `mapInArrow`."""

    changes: dict[str, tuple[Change, tuple[str, ...]]]

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            arrays = []
            for name in batch.schema.names:
                if name in self.changes:
                    change, needs = self.changes[name]
                    arrays.append(change.of([batch.column(needed) for needed in needs]))
                else:
                    arrays.append(batch.column(name))
            yield pa.RecordBatch.from_arrays(arrays, names=batch.schema.names)
