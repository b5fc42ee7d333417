"""Counting on Spark: one grouping where the rows are; only the distinct tuples come to the driver.

Each value is counted under the same text as on the local engine. Spark spells integers, exact decimals, dates and truth
values the same way; points in time get the same zone, and floating-point numbers, which Java spells otherwise, are
spelled by Python. (Two things are spelled otherwise on the two engines: dates outside the years 1 to 9999, and
a NaN whose sign is set, which the local engine may call `-nan` and Spark, which keeps no such sign, calls `nan`.)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from antifaz.core.errors import DataError
from antifaz.core.messages import Message
from antifaz.counting.frequencies import Tuples
from antifaz.engines.relational import count as relational
from antifaz.engines.spark.errors import spark_errors
from antifaz.engines.spark.fingerprint import fingerprint, sums
from antifaz.engines.spark.packed import count_packed
from antifaz.engines.spark.queries import frame_relation, spell_double, spell_single

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from antifaz.engines.spark.table import SparkTable

#: Up to so many rows tuples are brought as the texts they are made of, which takes one question.
FEW = 200_000
#: Cells that `records` brings to the driver at most.
MOST_CELLS = 50_000_000


def quoted(name: str) -> str:
    """Return a column's name as Spark SQL writes it."""
    return "`" + name.replace("`", "``") + "`"


def as_text(column: str | Column, kind: str) -> Column:
    """Return a column's values as text, as `DuckDB.text` spells them; `kind` is Spark's type."""
    from pyspark.sql import functions as fn

    value = fn.col(quoted(column)) if isinstance(column, str) else column
    if kind == "string":
        return value
    if kind in ("float", "double"):
        spell = spell_single if kind == "float" else spell_double
        return fn.udf(spell, "string", useArrow=False)(value)
    if kind == "timestamp":  # in UTC, whatever zone the session is in
        start = fn.expr("TIMESTAMP_NTZ '1970-01-01 00:00:00'")
        moment = fn.timestamp_add("MICROSECOND", fn.unix_micros(value), start)
        return fn.concat(moment.cast("string"), fn.lit("+00"))
    return value.cast("string")


def count(data: SparkTable, columns: Sequence[str]) -> Tuples:
    """Count the distinct tuples of some columns. Rows stay where they are; only the tuples come out."""
    from pyspark.sql import functions as fn

    data.schema.require(columns)
    if data.rows <= FEW or not columns:
        with frame_relation(data.session, data.frame, data.schema, data.rows) as relation:
            return relational.count(relation, columns)
    keys = [f"c{i}" for i in range(len(columns))]
    chosen = data.frame.select([fn.col(quoted(name)).alias(key) for key, name in zip(keys, columns, strict=True)])
    texts = [as_text(key, data.native[name]).alias(key) for key, name in zip(keys, columns, strict=True)]
    with spark_errors(Message("table.counting-failed")):
        return count_packed(data, columns, chosen, texts)


def records(data: SparkTable, columns: Sequence[str]) -> Tuples:
    """Return some columns of all rows, in the order of the files, for methods that group rows; small data only.

    Spark promises no order of rows beyond one reading, so what is decided by position can't be applied there.
    """
    data.schema.require(columns)
    if data.rows * max(len(columns), 1) > MOST_CELLS:
        raise DataError("spark.too-many-rows-to-fetch", rows=data.rows, columns=len(columns))
    frame = data.frame.select([as_text(name, data.native[name]).alias(f"c{i}") for i, name in enumerate(columns)])
    with spark_errors(Message("engine.rows-not-readable")):
        table = frame.toArrow()
    return _tuples(table, columns, np.ones(data.rows, np.int64))


def digest(data: SparkTable) -> bytes:
    """Return a digest of all rows, whatever their order and however they are partitioned."""
    from pyspark.sql import functions as fn

    # The hash passes over missing values, so whether each is missing goes in too.
    cells = [part for name in data.schema.names for part in (fn.col(quoted(name)), fn.isnull(fn.col(quoted(name))))]
    hashes = data.frame.select(fn.xxhash64(*cells).alias("hash"))
    with spark_errors(Message("engine.rows-not-readable")):
        found: Any = hashes.agg(*sums("hash")).collect()[0]
    return f"{data.rows}:{fingerprint(found)}".encode()


def _tuples(table: Any, columns: Sequence[str], counts: Any) -> Tuples:
    import pyarrow as pa

    # Spark's Arrow text may be of another width than the one that the rest of the program has.
    encoded = [relational.dictionary(table.column(f"c{i}").cast(pa.string())) for i in range(len(columns))]
    return Tuples(
        columns=tuple(columns),
        values=tuple(values for values, _ in encoded),
        codes=tuple(codes for _, codes in encoded),
        counts=counts,
    )


def frame_of(data: SparkTable, columns: Sequence[str]) -> DataFrame:
    """Return some columns of all rows, where they are."""
    data.schema.require(columns)
    return data.frame.select([quoted(name) for name in columns])
