"""What the verbs of the Spark engine share: a table on a session, errors, frames that Spark keeps, and fingerprints.

Errors of Spark and of its executors become one sentence of ours that quotes no cell of the data.

A fingerprint says, whatever the order of rows, whether written parts hold exactly what was handed to them. Every cell
counts, as text, and missing is not the empty text. It is a sum of 64-bit hashes, made to find a cell that changed on
the way to the store, not to withstand somebody who looks for two tables with the same sum.

Also work that is sent to executors, in batches or in groups of rows. Spark's Python workers collect garbage after every
task, and look at everything that was ever imported for that: a tenth of a second, for a task that may take
a thousandth. What was imported stays anyway, so it is set aside once.
"""

import gc
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from py4j.protocol import Py4JError
from pyspark import StorageLevel
from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as fn

from antifaz.core.arrays import Ints
from antifaz.core.errors import DataError
from antifaz.core.messages import Message
from antifaz.core.schema import Schema
from antifaz.core.sizes import parse_spark_size
from antifaz.counting.tuple_batches import Batches
from antifaz.engines.dialects.spark_sql import SparkSQL

#: Tables up to so many rows are sent to every executor whole; with larger ones Spark decides how to join.
BROADCAST = 1_000_000
#: The hash is summed in three parts of 22, 22 and 20 bits, so that no sum of up to 2^41 rows leaves a long.
_BITS = 22
SUMS = ("sum0", "sum1", "sum2")
#: A column's name as Spark SQL writes it.
quoted = SparkSQL().quote
#: How many modules a worker had when it last set aside what they hold.
_known_modules = 0
#: What an executor refused in our own words, as it stands in the trace that Spark hands on.
_REFUSED = re.compile(r"^antifaz refuses (\{.+\})$", re.MULTILINE)
_REASONS = (
    (("No space left on device",), Message("spark.disk-full")),
    (
        ("OutOfMemoryError", "Java heap space", "GC overhead limit", "MemoryError", "exceeds the limit of frame"),
        Message("spark.memory-used-up"),
    ),
    (
        ("No module named 'antifaz'", "No module named 'pyarrow'", "No module named 'numba'"),
        Message("spark.antifaz-missing-on-executors"),
    ),
    (("PYTHON_VERSION_MISMATCH",), Message("spark.other-python-on-executors")),
    (("maxResultSize",), Message("spark.result-too-large")),
    (("FileNotFoundException", "FILE_NOT_EXIST"), Message("spark.file-gone")),
    (("AccessControlException", "Permission denied", "AccessDenied"), Message("spark.store-denies-access")),
    (("ConnectException", "UnknownHost", "SocketTimeout", "NoRouteToHost"), Message("spark.store-not-reached")),
    (("No FileSystem for scheme", "ClassNotFoundException"), Message("spark.store-package-missing")),
    (("SparkContext was shut down", "stopped SparkContext"), Message("spark.session-was-stopped")),
)


@dataclass(eq=False, repr=False)
class SparkTable:
    """One frame on a Spark session."""

    session: SparkSession
    #: All rows; a text file's columns are all text, exactly as written, missing is null.
    frame: DataFrame
    #: How each column is understood; may be replaced by one with roles.
    schema: Schema
    rows: int
    #: "path", or "spark" for a frame that was handed in.
    kind: str = "spark"
    limits: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def native(self) -> dict[str, str]:
        """Spark's type of each column."""
        return {name: str(kind) for name, kind in self.frame.dtypes}

    def fetched(self) -> None:
        """Take note that the driver works on what it fetched, and executors are idle."""


def is_text(kind: str) -> bool:
    """Say whether a type of Spark is text, which may have several spellings of one value."""
    return kind.startswith(("string", "varchar", "char"))


def driver_memory(session: SparkSession) -> int:
    """Return the bytes that the driver was given."""
    return parse_spark_size(str(session.sparkContext.getConf().get("spark.driver.memory", "1g")))


def send_table(session: SparkSession, table: pa.Table) -> DataFrame:
    """Return a table as a frame to join with."""
    frame = session.createDataFrame(table)
    return fn.broadcast(frame) if table.num_rows <= BROADCAST else frame


@contextmanager
def persisted(frame: DataFrame) -> Iterator[DataFrame]:
    """Let Spark keep a frame while it is worked with."""
    frame = frame.persist(StorageLevel.MEMORY_AND_DISK)
    try:
        yield frame
    finally:
        frame.unpersist()


def persist_counted(frame: DataFrame) -> tuple[DataFrame, int]:
    """Let Spark make and keep a frame now; return it and its number of rows."""
    frame = frame.persist(StorageLevel.MEMORY_AND_DISK)
    try:
        return frame, frame.count()
    except BaseException:
        frame.unpersist()
        raise


def unpersist(frame: DataFrame) -> None:
    """Give back the memory of a frame, if its session still runs."""
    if frame.sparkSession.sparkContext._jsc is not None:
        with spark_errors(Message("spark.not-given-back")):
            frame.unpersist()


def integers(column: Any) -> Ints:
    """Return an Arrow column of whole numbers as an array."""
    return np.asarray(column.to_numpy(), dtype=np.int64)


def with_nulls(cells: Iterable[Column]) -> list[Column]:
    """Return what is hashed of cells: the hash passes over missing values, so whether each is missing goes in too."""
    return [part for cell in cells for part in (cell, cell.isNull())]


def row_hash(cells: Sequence[Column]) -> Column:
    """Return the hash of a row, given its cells as text."""
    return fn.xxhash64(*[part for cell in cells for part in (fn.coalesce(cell, fn.lit("")), cell.isNull())])


def sums(column: str) -> list[Column]:
    """Return what must be summed of the column that holds the hashes, under the names `SUMS`."""
    low = (1 << _BITS) - 1
    parts = [fn.shiftrightunsigned(fn.col(column), i * _BITS).bitwiseAND(fn.lit(low)) for i in range(len(SUMS))]
    return [fn.coalesce(fn.sum(part), fn.lit(0)).alias(name) for part, name in zip(parts, SUMS, strict=True)]


def fingerprint(row: Any) -> int:
    """Return the fingerprint from anything that has the sums by their names."""
    return sum(int(row[name]) << (i * _BITS) for i, name in enumerate(SUMS))


def map_batches(frame: DataFrame, work: Callable[[Batches], Batches], schema: Any) -> DataFrame:
    """Have executors turn batches of rows into others."""
    # PySpark looks for hints on what it is given, and wants a plain function.
    return frame.mapInArrow(lambda batches: _mapped(work, batches), schema)


def _mapped(work: Callable[[Batches], Batches], batches: Batches) -> Batches:
    try:
        yield from work(batches)
    except DataError as error:
        raise RuntimeError(refusal(error.message)) from None
    set_aside()


def map_groups(frame: DataFrame, by: str, work: Callable[[pa.Table], pa.Table], schema: Any) -> DataFrame:
    """Have executors turn all rows with the same value in a column into others."""
    return frame.groupBy(by).applyInArrow(lambda table: _group_mapped(work, table), schema)


def _group_mapped(work: Callable[[pa.Table], pa.Table], table: pa.Table) -> pa.Table:
    done = work(table)
    set_aside()
    return done


def set_aside() -> None:
    """Leave out of later collections what is there now, if anything was imported since the last time."""
    global _known_modules
    if len(sys.modules) != _known_modules:
        gc.collect()
        gc.freeze()
        _known_modules = len(sys.modules)


@contextmanager
def spark_errors(what: str | None = None) -> Iterator[None]:
    """Turn errors of Spark into a `DataError`; the words of the original, which quote values, are emptied."""
    try:
        yield
    except (PySparkException, Py4JError, ConnectionError) as error:
        java = getattr(error, "java_exception", None)
        # All that is known about the error, for searching; it is never shown.
        text = f"{error}\n{getattr(error, '_stackTrace', '') or ''}\n{'' if java is None else java.toString()}"
        refused = _REFUSED.search(text)
        why = _reason(error, text)
        _empty(error)
        if refused:
            raise DataError(Message.from_dict(json.loads(refused[1]))) from None
        raise DataError("source.failed", what=what or Message("source.data-not-processed"), reason=why) from None


def refusal(message: Message) -> str:
    """Return what an executor must fail with, so that the message arrives with its code and values."""
    return f"\nantifaz refuses {json.dumps(message.as_dict())}\n"


def _reason(error: BaseException, text: str) -> str:
    for signs, reason in _REASONS:
        if any(sign in text for sign in signs):
            return reason
    condition = getattr(error, "getCondition", lambda: None)()
    return Message("spark.stopped-with", condition=condition or type(error).__name__)


def _empty(error: Any) -> None:
    error.args = ()
    for name in ("_desc", "_stackTrace", "_message", "desc", "stackTrace"):
        if isinstance(getattr(error, name, None), str):
            with suppress(AttributeError):
                setattr(error, name, "")
