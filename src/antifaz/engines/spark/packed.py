"""Counting many tuples on Spark: values become numbers where the rows are, and a tuple travels as one long.

First the distinct values of each column come to the driver, then codes for them go out, and rows are grouped by their
codes, packed into as few longs as hold them. That is also less to shuffle than the values themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from antifaz.core.errors import DataError
from antifaz.core.messages import Message
from antifaz.core.sizes import parse_spark_size
from antifaz.counting.frequencies import Tuples
from antifaz.counting.packing import KeyLayout, layout
from antifaz.engines.relational.count import dictionary
from antifaz.engines.spark.errors import REFUSAL

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

    from antifaz.engines.spark.table import SparkTable

#: Values up to so many are sent to every executor whole; with more of them Spark decides how to join.
BROADCAST = 1_000_000
#: The rows that are looked at to see whether tuples repeat.
_SAMPLE = 20_000
#: What a value costs on the driver, in bytes: its text as an object of Python, and its place in tables.
_PER_VALUE = 200


@dataclass(frozen=True, eq=False)
class Dictionary:
    """The distinct values of one column: as Spark has them, their texts in order, and each one's place among those."""

    values: pa.Array
    texts: tuple[str | None, ...]
    codes: NDArray[np.int32]


def count_packed(data: SparkTable, columns: Sequence[str], chosen: DataFrame, texts: Sequence[Column]) -> Tuples:
    """Count the tuples of a frame's columns c0, c1, …, which are spelled as `texts`."""
    with _grouped_first(data, chosen) as frame:
        found = _dictionaries(data, frame, texts)
        packed = layout([len(one.texts) for one in found])
        weight = "n" if "n" in frame.columns else None
        table = _bring(data, _group(frame, found, packed, weight), packed.words, len(columns))
    words = [_integers(table.column(f"w{i}")).view(np.uint64) for i in range(packed.words)]
    codes = [
        (words[w] >> s & f).astype(np.int32) for w, s, f in zip(packed.word, packed.shift, packed.field, strict=True)
    ]
    return Tuples(
        columns=tuple(columns),
        values=tuple(one.texts for one in found),
        codes=tuple(codes),
        counts=_integers(table.column("n")),
    )


def _bring(data: SparkTable, grouped: DataFrame, words: int, columns: int) -> pa.Table:
    """Bring the tuples to the driver, if they fit there."""
    if data.rows <= most_tuples(data.session, columns, words):
        return grouped.toArrow()
    with _kept(grouped) as kept:
        refuse_too_many(data.session, kept.count(), columns, words)
        return kept.toArrow()


def pack(codes: Sequence[Column], packed: KeyLayout) -> list[Column]:
    """Return the longs that hold the codes of all columns."""
    from pyspark.sql import functions as fn

    words: list[list[Column]] = [[] for _ in range(packed.words)]
    for code, word, shift in zip(codes, packed.word, packed.shift, strict=True):
        words[word].append(fn.shiftleft(code.cast("bigint"), int(shift)))
    return [reduce(lambda a, b: a.bitwiseOR(b), parts) for parts in words]


def driver_memory(session: SparkSession) -> int:
    """Return the bytes that the driver was given."""
    configured = str(session.sparkContext.getConf().get("spark.driver.memory", "1g"))
    return parse_spark_size(configured)


def most_tuples(session: SparkSession, columns: int, words: int = 1) -> int:
    """Return how many tuples of so many columns, packed in so many longs, the driver can work with."""
    # On the way each tuple is held by Java and by Python; then as codes, several times, and in tables that are
    # searched. Ten million tuples of eight columns were measured to take Python 2.4 GB at most.
    return driver_memory(session) // (24 * columns + 32 * (words + 1))


def refuse_too_many(session: SparkSession, tuples: int, columns: int, words: int = 1) -> None:
    """Raise if so many tuples are more than the driver can work with."""
    most = most_tuples(session, columns, words)
    if tuples > most:
        raise DataError(
            "spark.too-many-combinations-for-driver",
            columns=columns,
            tuples=tuples,
            driver_memory=driver_memory(session) / 2**30,
            most=most,
        )


@contextmanager
def _grouped_first(data: SparkTable, chosen: DataFrame) -> Iterator[DataFrame]:
    """Group rows by their values first where tuples repeat, or where reading the rows again may be costly."""
    from pyspark.sql import functions as fn

    some = chosen.limit(_SAMPLE).groupBy(*chosen.columns).count().agg(fn.count(fn.lit(1)), fn.sum("count")).collect()[0]
    if data.kind == "path" and 2 * some[0] > some[1]:
        yield chosen
    else:
        with _kept(chosen.groupBy(*chosen.columns).agg(fn.count(fn.lit(1)).alias("n"))) as grouped:
            yield grouped


@contextmanager
def _kept(frame: DataFrame) -> Iterator[DataFrame]:
    from pyspark import StorageLevel

    kept = frame.persist(StorageLevel.MEMORY_AND_DISK)
    try:
        yield kept
    finally:
        kept.unpersist()


def _dictionaries(data: SparkTable, frame: DataFrame, texts: Sequence[Column]) -> list[Dictionary]:
    """Bring the distinct values of every column; column by column, which reads no more than all at once would."""
    most = driver_memory(data.session) // _PER_VALUE

    def bring(i: int) -> Dictionary:
        distinct = frame.select(f"c{i}").distinct().limit(most + 1).select(f"c{i}", texts[i].alias("text"))
        table = distinct.toArrow()
        if table.num_rows > most:
            raise DataError("spark.column-has-too-many-values", most=most)
        spelled, codes = dictionary(table.column("text").cast(pa.string()))
        return Dictionary(table.column(f"c{i}").combine_chunks(), spelled, codes)

    with ThreadPoolExecutor(4) as workers:
        return list(workers.map(bring, range(len(texts))))


def _group(frame: DataFrame, found: Sequence[Dictionary], packed: KeyLayout, weight: str | None) -> DataFrame:
    """Bring the code of every value, and count by the codes of all columns in one."""
    from pyspark.sql import functions as fn

    for i, one in enumerate(found):
        frame = _with_code(frame, i, one)
    keys = pack([fn.col(f"k{i}") for i in range(len(found))], packed)
    how_often = fn.sum(weight) if weight else fn.count(fn.lit(1))
    return frame.groupBy(*[key.alias(f"w{i}") for i, key in enumerate(keys)]).agg(how_often.alias("n"))


def _with_code(frame: DataFrame, i: int, one: Dictionary) -> DataFrame:
    """Add a column `k<i>`: the code of the value in `c<i>`."""
    from pyspark.sql import functions as fn

    there = np.asarray(one.values.is_valid())
    values = one.values.filter(pa.array(there))
    small = frame.sparkSession.createDataFrame(
        pa.table({f"v{i}": values, f"to{i}": pa.array(one.codes[there], pa.int32())})
    )
    small = fn.broadcast(small) if len(values) <= BROADCAST else small
    value, codes = fn.col(f"c{i}"), [fn.col(f"to{i}")]
    if not there.all():
        # An ordinary comparison, and the missing value apart, because a null-safe join is slower.
        codes.append(fn.when(value.isNull(), fn.lit(int(one.codes[~there][0]))))
    refusal = REFUSAL.format(Message("spark.data-changed-run-again"))
    code = fn.coalesce(*codes, fn.raise_error(fn.lit(refusal)).cast("int"))
    joined = frame.join(small, value == fn.col(f"v{i}"), "left")
    return joined.withColumn(f"k{i}", code).drop(f"c{i}", f"v{i}", f"to{i}")


def _integers(column: Any) -> NDArray[np.int64]:
    return np.asarray(column.to_numpy(), dtype=np.int64)
