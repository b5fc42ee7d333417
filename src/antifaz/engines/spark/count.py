"""Counting on Spark: one grouping where the rows are; only the distinct tuples come to the driver.

Each value is counted under the same text as on the local engine. Spark spells integers, exact decimals, dates and truth
values the same way; points in time get the same zone, and floating-point numbers, which Java spells otherwise, are
spelled by Python. (Two things are spelled otherwise on the two engines: dates outside the years 1 to 9999, and
a NaN whose sign is set, which the local engine may call `-nan` and Spark, which keeps no such sign, calls `nan`.)

Of many rows, values become numbers where the rows are, and a tuple travels as one long. First the distinct values of
each column come to the driver, then codes for them go out, and rows are grouped by their codes, packed into as few
longs as hold them. That is also less to shuffle than the values themselves. Where nearly every row is a tuple of its
own, and the driver has room for them, rows come as they are.
"""

import secrets
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as fn

from antifaz.core.arrays import Codes, Ints
from antifaz.core.errors import DataError
from antifaz.core.messages import Message
from antifaz.core.schema import Schema
from antifaz.counting.frequencies import KeyLayout, Tuples, group, hardly_repeat, layout
from antifaz.engines.dialects.dialect import Relation
from antifaz.engines.dialects.field import Field
from antifaz.engines.dialects.spark_sql import SPELL, SparkSQL, field_of
from antifaz.engines.relational import count as relational
from antifaz.engines.spark import frames
from antifaz.engines.spark.frames import SparkTable, integers, quoted, refusal, send_table, spark_errors
from antifaz.sources.column_codes import encode_texts

#: Up to so many rows tuples are brought as the texts they are made of, which takes one question.
FEW = 200_000
#: Cells that `records` brings to the driver at most.
MOST_CELLS = 50_000_000
#: The rows that are looked at to see whether tuples repeat.
_SAMPLE = 20_000
#: What a value costs on the driver, in bytes: its text as an object of Python, and its place in tables; and what
#: a cell of a row that comes there does, in Java and in Python.
_PER_VALUE, _PER_CELL = 200, 100
#: How floating-point numbers are spelled under which every engine counts them, by the kind of a field.
SPELLERS = {kind: Field(name="", kind=kind, type="").spell for kind in SPELL}


class SparkQueries:
    """Runs statements on one session; whoever opened it stops it."""

    dialect = SparkSQL()
    errors = staticmethod(spark_errors)

    def __init__(self, session: SparkSession) -> None:
        """Take the session, which is also what `driver` returns."""
        self._session, self.driver = session, lambda: session

    def run(self, statement: str) -> list[tuple[Any, ...]]:
        """Run a statement and return its rows."""
        return [tuple(row) for row in self._session.sql(statement).collect()]

    def table(self, statement: str, types: Sequence[pa.DataType]) -> pa.Table:
        """Return the rows of a statement as an Arrow table; Spark's text may be of another width than ours."""
        table = self._session.sql(statement).toArrow()
        return table.cast(pa.schema(list(zip(table.schema.names, types, strict=True))))

    def make_mapping(
        self, what: str, columns: Sequence[tuple[str, str]], cells: Sequence[pa.Array], keys: Sequence[str]
    ) -> tuple[str, str]:
        """Send a table to join with; it is seen as a view."""
        name = f"antifaz_{what}_{secrets.token_hex(8)}"
        table = pa.table(dict(zip((column for column, _ in columns), cells, strict=True)))
        send_table(self._session, table).createOrReplaceTempView(name)
        return name, name

    def drop_mapping(self, name: str) -> None:
        """Forget the view; statements that were made of it have the table itself."""
        self._session.catalog.dropTempView(name)


@contextmanager
def frame_relation(
    session: SparkSession, frame: DataFrame, schema: Schema, rows: int, *, numbered: bool = False
) -> Iterator[Relation]:
    """Yield a frame as the verbs see it that all engines share; its columns are c0, c1, … there, perhaps `position`."""
    # Names of our own, because Spark would take `Age` and `age` for one column.
    fields = tuple(field_of(name, str(kind)) for name, kind in frame.dtypes)
    places = tuple(f"c{i}" for i in range(len(fields)))
    view = f"antifaz_{secrets.token_hex(8)}"
    with spark_errors():
        if any(field.kind in SPELL for field in fields):
            for kind, name in SPELL.items():
                session.udf.register(name, SPELLERS[kind])
        frame = frame.toDF(*places)
        frame = frame.withColumn("position", fn.monotonically_increasing_id()) if numbered else frame
        frame.createOrReplaceTempView(view)
    try:
        yield Relation(SparkQueries(session), view, fields, places, schema, rows)
    finally:
        with spark_errors():
            session.catalog.dropTempView(view)


def as_text(column: str, kind: str) -> Column:
    """Return a column's values as text, as the local engine spells them; `kind` is Spark's type."""
    field = field_of("", kind)
    if field.kind in SPELLERS:
        return fn.udf(SPELLERS[field.kind], "string", useArrow=False)(fn.col(column))
    return fn.expr(SparkQueries.dialect.text(field, column))


def count(data: SparkTable, columns: Sequence[str]) -> Tuples:
    """Count the distinct tuples of some columns. Rows stay where they are; only the tuples come out."""
    data.schema.require(columns)
    if data.rows <= FEW or not columns:
        with frame_relation(data.session, data.frame, data.schema, data.rows) as relation:
            return relational.count(relation, columns)
    with spark_errors(Message("table.counting-failed")):
        return _count_packed(data, columns)


def records(data: SparkTable, columns: Sequence[str]) -> Tuples:
    """Return some columns of all rows, in the order of the files, for methods that group rows; small data only.

    Spark promises no order of rows beyond one reading, so what is decided by position can't be applied there.
    """
    data.schema.require(columns)
    if data.rows * max(len(columns), 1) > MOST_CELLS:
        raise DataError("spark.too-many-rows-to-fetch", rows=data.rows, columns=len(columns))
    texts = [as_text(quoted(name), data.native[name]).alias(f"c{i}") for i, name in enumerate(columns)]
    with spark_errors(Message("engine.rows-not-readable")):
        table = data.frame.select(texts).toArrow()
    data.fetched()
    return tuples_of(table, columns, np.ones(data.rows, np.int64))


def digest(data: SparkTable) -> bytes:
    """Return a digest of all rows, whatever their order and however they are partitioned."""
    cells = frames.with_nulls(fn.col(quoted(name)) for name in data.schema.names)
    hashes = data.frame.select(fn.xxhash64(*cells).alias("hash"))
    with spark_errors(Message("engine.rows-not-readable")):
        return f"{data.rows}:{frames.fingerprint(hashes.agg(*frames.sums('hash')).collect()[0])}".encode()


def tuples_of(table: pa.Table, columns: Sequence[str], counts: Ints) -> Tuples:
    """Return the tuples in the first columns of a table of texts."""
    # Spark's Arrow text may be of another width than the one that the rest of the program has.
    encoded = [encode_texts(table.column(i).cast(pa.string())) for i in range(len(columns))]
    values, codes = tuple(values for values, _ in encoded), tuple(codes for _, codes in encoded)
    return Tuples(columns=tuple(columns), values=values, codes=codes, counts=counts)


class _Dictionary(NamedTuple):
    """The distinct values of one column: as Spark has them, their texts in order, and each one's place among those."""

    values: pa.Array
    texts: tuple[str | None, ...]
    codes: Codes


def _count_packed(data: SparkTable, columns: Sequence[str]) -> Tuples:
    places = [f"c{i}" for i in range(len(columns))]
    chosen = data.frame.select([fn.col(quoted(name)).alias(c) for c, name in zip(places, columns, strict=True)])
    different, some = look_at_first(chosen)
    kinds, room = {data.native[name] for name in columns}, frames.driver_memory(data.session) // _PER_CELL
    few = data.rows * len(columns) < min(MOST_CELLS, room) and data.rows <= (data.limits.get("tuples") or data.rows)
    if few and not kinds & {"float", "double"} and hardly_repeat(different, some, data.rows):
        return group(records(data, columns))
    with _grouped_first(data, chosen, 2 * different > some) as frame:
        found = _dictionaries(data, frame, columns)
        packed = layout([len(one.texts) for one in found])
        how_often = fn.sum("n") if "n" in frame.columns else fn.count(fn.lit(1))
        for i, one in enumerate(found):
            frame = with_code(frame, i, one.values, one.codes)
        keys = pack([fn.col(f"k{i}") for i in range(len(found))], packed)
        grouped = frame.groupBy(*[key.alias(f"w{i}") for i, key in enumerate(keys)]).agg(how_often.alias("n"))
        table = _bring(data, grouped, packed.words, len(columns))
        data.fetched()
    words = [integers(table.column(f"w{i}")).view(np.uint64) for i in range(packed.words)]
    fields = zip(packed.word, packed.shift, packed.field, strict=True)
    return Tuples(
        columns=tuple(columns),
        values=tuple(one.texts for one in found),
        codes=tuple((words[word] >> shift & field).astype(np.int32) for word, shift, field in fields),
        counts=integers(table.column("n")),
    )


def look_at_first(frame: DataFrame) -> tuple[int, int]:
    """Return how many of the first rows are different, and how many these are; one small task says it."""
    return _different(frame.limit(_SAMPLE))


def look_at_some(frame: DataFrame, rows: int) -> tuple[int, int]:
    """Return the same of rows from everywhere, by one pass that shuffles nothing."""
    return _different(frame.sample(min(_SAMPLE / rows, 1.0), seed=0))


def _different(some: DataFrame) -> tuple[int, int]:
    # Hashes: Python can't hold every value of Spark's, and takes no NaN for another.
    places = [f"c{i}" for i in range(len(some.columns))]
    hashes = some.toDF(*places).select(fn.xxhash64(*frames.with_nulls(map(fn.col, places)))).collect()
    return len(set(hashes)), len(hashes)


@contextmanager
def _grouped_first(data: SparkTable, chosen: DataFrame, different: bool) -> Iterator[DataFrame]:
    """Group rows by their values first where tuples repeat, or where reading the rows again may be costly."""
    if data.kind == "path" and different:
        yield chosen
    else:
        with frames.persisted(chosen.groupBy(*chosen.columns).agg(fn.count(fn.lit(1)).alias("n"))) as grouped:
            yield grouped


def _dictionaries(data: SparkTable, frame: DataFrame, columns: Sequence[str]) -> list[_Dictionary]:
    """Bring the distinct values of every column; column by column, which reads no more than all at once would."""
    most = frames.driver_memory(data.session) // _PER_VALUE

    def bring(i: int) -> _Dictionary:
        text = as_text(f"c{i}", data.native[columns[i]])
        table = frame.select(f"c{i}").distinct().limit(most + 1).select(f"c{i}", text.alias("text")).toArrow()
        if table.num_rows > most:
            raise DataError("spark.column-has-too-many-values", most=most)
        texts, codes = encode_texts(table.column("text").cast(pa.string()))
        return _Dictionary(table.column(f"c{i}").combine_chunks(), texts, codes)

    with ThreadPoolExecutor(4) as workers:
        return list(workers.map(bring, range(len(columns))))


def with_code(frame: DataFrame, i: int, values: pa.Array, own: Codes) -> DataFrame:
    """Add a column `k<i>` for `c<i>`: the code of its value, given all values and their codes."""
    there = np.asarray(values.is_valid())
    known = {f"v{i}": values.filter(pa.array(there)), f"to{i}": pa.array(own[there], pa.int32())}
    value, codes = fn.col(f"c{i}"), [fn.col(f"to{i}")]
    if not there.all():
        # An ordinary comparison, and the missing value apart, because a null-safe join is slower.
        codes.append(fn.when(value.isNull(), fn.lit(int(own[~there][0]))))
    changed = refusal(Message("spark.data-changed-run-again"))
    code = fn.coalesce(*codes, fn.raise_error(fn.lit(changed)).cast("int"))
    joined = frame.join(send_table(frame.sparkSession, pa.table(known)), value == fn.col(f"v{i}"), "left")
    return joined.withColumn(f"k{i}", code).drop(f"c{i}", f"v{i}", f"to{i}")


def pack(codes: Sequence[Column], packed: KeyLayout) -> list[Column]:
    """Return the longs that hold the codes of all columns."""
    words: list[list[Column]] = [[] for _ in range(packed.words)]
    for code, word, shift in zip(codes, packed.word, packed.shift, strict=True):
        words[word].append(fn.shiftleft(code.cast("bigint"), int(shift)))
    return [reduce(lambda a, b: a.bitwiseOR(b), parts) for parts in words]


def unpack(packed: KeyLayout, names: Sequence[str]) -> list[Column]:
    """Return the codes in the longs `w0`, `w1`, … as columns."""
    fields = zip(packed.word, packed.shift, packed.field, names, strict=True)
    moved = (
        (fn.shiftrightunsigned(fn.col(f"w{word}"), int(shift)), int(field), name) for word, shift, field, name in fields
    )
    return [long.bitwiseAND(fn.lit(field)).cast("int").alias(name) for long, field, name in moved]


def _bring(data: SparkTable, grouped: DataFrame, words: int, columns: int) -> pa.Table:
    """Bring the tuples to the driver, if they fit there."""
    # On the way each tuple is held by Java and by Python; then as codes, several times, and in tables that are
    # searched. Ten million tuples of eight columns were measured to take Python 2.4 GB at most.
    memory = frames.driver_memory(data.session)
    most = memory // (24 * columns + 32 * (words + 1))
    if data.rows <= most:
        return grouped.toArrow()
    with frames.persisted(grouped) as kept:
        if (tuples := kept.count()) > most:
            raise DataError(
                "spark.too-many-combinations-for-driver",
                columns=columns, tuples=tuples, driver_memory=memory / 2**30, most=most,
            )  # fmt: skip
        return kept.toArrow()
