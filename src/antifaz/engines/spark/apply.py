"""Applying a recoding on Spark: joins with small mapping frames, rows in a secret order, one shuffle; and writing them.

Rows are written as CSV, TSV or Parquet, in parts, each of which can be read on its own. Text is put together here, cell
by cell, rather than by Spark's own CSV writer, which trims blanks and has a dialect of its own: the parts read as what
the local engine writes.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from operator import and_
from typing import Any

import pyarrow as pa
from pyspark.sql import Column, DataFrame, Observation
from pyspark.sql import functions as fn

from antifaz.core.counted_people import KeyedRows
from antifaz.core.errors import DataError, ParameterError, hint
from antifaz.core.messages import Message
from antifaz.core.recoding import Recoding
from antifaz.counting.running_numbers import running_series
from antifaz.engines.dialects.dialect import Relation
from antifaz.engines.engine import Applied, WriteResult
from antifaz.engines.relational.apply import Mappings
from antifaz.engines.relational.trace import traced_cells
from antifaz.engines.spark import frames
from antifaz.engines.spark.count import SparkQueries, as_text, frame_relation
from antifaz.engines.spark.frames import SparkTable, is_text, persist_counted, refusal, spark_errors
from antifaz.engines.spark.remote_boxes import SparkBoxedTuples
from antifaz.engines.spark.store import Store, child
from antifaz.sources.formulas import JAVA_FORMULA, JAVA_NUMBER, refuse_formulas

#: The bytes of the source that go into one part of the release, about, and the most parts.
PART = 128 << 20
MOST_PARTS = 10_000
_BETWEEN = {"csv": ",", "tsv": "\t"}
FORMATS = (*_BETWEEN, "parquet")
#: No empty file that says that the work is done: the release is moved into place when it is.
_QUIET = {"mapreduce.fileoutputcommitter.marksuccessfuljobs": "false"}
#: `monotonically_increasing_id` counts the rows of a partition in its low bits.
_IN_PART = (1 << 33) - 1


@dataclass(frozen=True)
class SparkApplied(Applied):
    """A recoding bound to rows: a frame that yields the rows to release, whenever they are asked for."""

    data: SparkTable
    recoding: Recoding
    #: Secret from which the order of the released rows follows; see `core.randomness.shuffle_key`.
    key: int

    def __post_init__(self) -> None:
        """Refuse what is decided by the place of a row: on Spark rows have no place."""
        if self.recoding.rows is not None:
            raise ParameterError("spark.rows-have-no-order")

    def collect(self) -> DataFrame:
        """Make the rows to release, kept by Spark, so that those that are counted are those handed over."""
        with spark_errors(Message("engine.recoding-failed")):
            return persist_counted(self.rows())[0]

    def keyed(self, person: Sequence[str], place: Any) -> KeyedRows:
        """Return the rows as they were written, in any order, with their person keys."""
        with_keys = self.dropping(self.recoding.dropped, person)
        places = {name: f"c{i}" for i, name in enumerate(with_keys.columns)}
        frame = with_keys.rows(in_order=False).toDF(*places.values())
        as_is = isinstance(place, DataFrame) or str(place).endswith(".parquet")
        cells = {f"antifaz person {i}": fn.col(places[name]) for i, name in enumerate(person)}
        keys, kinds = tuple(cells), dict(frame.dtypes)
        for name in self.columns:
            at = places[name]
            cells[name] = fn.col(at) if as_is else _without_formulas(at, kinds[at])
        return KeyedRows(frame.select(*[cell.alias(name) for name, cell in cells.items()]), keys)

    def to_source_kind(self, table: DataFrame) -> DataFrame:
        """Return the frame: for Spark it is what came in and what goes out."""
        return table

    def write(self, folder: Any, format: str, **text: Any) -> WriteResult:
        """Write the rows as parts into `release.<format>` in a folder.

        In text formats a cell that a spreadsheet would run as a formula gets an apostrophe in front; numbers don't. A
        column whose name is such a formula is refused: changing names would break whoever reads the files by them.
        """
        if text:
            raise ParameterError("spark.text-written-one-way")
        if format not in FORMATS:
            raise ParameterError("release.unknown-format", format=format, hint=hint(format, FORMATS))
        if format != "parquet":
            refuse_formulas(self.columns)
        place = child(folder, f"release.{format}")
        with spark_errors(Message("table.release-not-written")):
            store, rows = Store(self.data.session, place), self.rows()
            noted = _parquet(rows, store.name) if format == "parquet" else _text(rows, store.name, _BETWEEN[format])
            store.tidy(format)
        return WriteResult(place, noted)

    @contextmanager
    def traced(
        self, quasi_identifiers: Sequence[str], key: bytes, identifiers: Sequence[str]
    ) -> Iterator[pa.RecordBatchReader]:
        """Yield the rows to release beside what they were made from, hashed by the executors."""
        data = self.data
        with frame_relation(data.session, data.frame, data.schema, data.rows, numbered=True) as relation:
            mappings = Mappings(relation, self.recoding, _refused)
            try:
                series = running_series(relation, identifiers)
                frame = self._joined(mappings, relation, traced_cells(relation, data.schema.names, key, series))
            finally:
                mappings.remove()
        cells = [fn.col(f"traced{i}") for i in range(len(data.schema.names))]
        labels = [fn.col(f"r{self.columns.index(name)}").cast("string") for name in quasi_identifiers]
        order = fn.xxhash64(fn.lit(self.key), fn.col("position"), fn.lit(self.key))
        with spark_errors(Message("table.rows-not-traced")):
            table = frame.select(*[cell.alias(f"c{i}") for i, cell in enumerate([*cells, *labels, order])]).toArrow()
        yield table.to_reader()

    def rows(self, *, in_order: bool = True) -> DataFrame:
        """Return the rows to release, in their secret order or in any; nothing runs yet."""
        data = self.data
        # Rows are numbered before any join, where their order is that of the source: a task that is run again must give
        # the same numbers.
        with frame_relation(data.session, data.frame, data.schema, data.rows, numbered=True) as relation:
            mappings = Mappings(relation, self.recoding, _refused)
            try:
                frame = self._joined(mappings, relation)
            finally:
                mappings.remove()
        # No description is carried along: libraries keep lists of values in it.
        ordered = self._shuffled(frame) if in_order else frame
        return ordered.select(*[fn.col(f"r{i}").alias(name, metadata={}) for i, name in enumerate(self.columns)])

    def _joined(self, mappings: Mappings, relation: Relation, traced: Sequence[str] = ()) -> DataFrame:
        """Return what is released of each column, the numbers of the rows, and what is traced of them."""
        boxes, codes = None if self.recoding.stored is None else self.recoding.stored.place, []
        if boxes is None:
            mappings.make()
        elif isinstance(boxes, SparkBoxedTuples):
            codes = [f"{code} AS code{i}" for i, code in enumerate(mappings.join_codes(boxes.places))]
        else:
            raise ParameterError("table.decided-part-by-part-elsewhere")
        released = [f"{mappings.released(name)[0]} AS r{i}" for i, name in enumerate(self.columns)]
        rows = f"{relation.source} AS s{''.join(mappings.joins)}{mappings.where}"
        besides = [f"{cell} AS traced{i}" for i, cell in enumerate(traced)]
        chosen = ", ".join([*released, "s.position", *codes, *besides])
        frame = self.data.session.sql(f"SELECT {chosen} FROM {rows}")  # noqa: S608 - names are ours
        return self._with_stored_labels(frame, boxes, len(traced)) if isinstance(boxes, SparkBoxedTuples) else frame

    def _with_stored_labels(self, frame: DataFrame, boxes: SparkBoxedTuples, traced: int) -> DataFrame:
        """Bring the labels that executors keep: the places of a tuple find them, packed into a few longs."""
        columns, places = self.recoding.columns, range(len(self.recoding.columns))
        ours, theirs = (boxes.packed([fn.col(f"{kind}{i}") for i in places]) for kind in ("code", "c"))
        labels = [fn.col(f"l{i}").alias(f"label{i}") for i in places]
        stored = boxes.stored().select(*[key.alias(f"kept{w}") for w, key in enumerate(theirs)], *labels)
        keyed = frame.withColumns({f"key{w}": key for w, key in enumerate(ours)})
        same = reduce(and_, (fn.col(f"key{w}") == fn.col(f"kept{w}") for w in range(len(ours))))
        chosen = {name: fn.col(f"r{i}") for i, name in enumerate(self.columns)}
        for i, column in enumerate(columns):
            kind, label = self.data.native[column.column], fn.col(f"label{i}")
            chosen[column.column] = label.cast(kind) if column.keeps_type and not is_text(kind) else label
        released = [chosen[name].alias(f"r{i}") for i, name in enumerate(self.columns)]
        besides = [f"traced{i}" for i in range(traced)]
        return keyed.join(stored, same, "inner").select(*released, "position", *besides)

    def _shuffled(self, frame: DataFrame) -> DataFrame:
        """Deal the rows to parts, and order them in each, by a hash that nobody without the key can repeat."""
        # The content makes the order harder to repeat; the position keeps equal rows apart.
        keyed = fn.xxhash64(fn.lit(self.key), *map(fn.col, frame.columns), fn.lit(self.key))
        keyed_rows = frame.withColumn("order", keyed).drop("position")
        # Spark's own number of parts, unless those were too large.
        size = self.data.frame._jdf.queryExecution().optimizedPlan().stats().sizeInBytes()
        usual = int(self.data.session.conf.get("spark.sql.shuffle.partitions") or 200)
        parts = [min(int(size) // PART, MOST_PARTS)] if int(size) // PART > usual else []
        return keyed_rows.repartition(*parts, "order").sortWithinPartitions("order")


def _refused(name: str) -> str:
    """Return what fails the run: a value that was not there when the rows were counted must not pass."""
    words = SparkQueries.dialect.literal(refusal(Message("spark.value-not-counted", name=name)))
    return f"raise_error({words})"


def _parquet(rows: DataFrame, place: str) -> int:
    names = [f"c{i}" for i in range(len(rows.columns))]
    hashed = rows.toDF(*names).withColumn("hash", frames.row_hash([fn.col(name).cast("string") for name in names]))
    passing = Observation()
    chosen = [fn.col(name).alias(true, metadata={}) for name, true in zip(names, rows.columns, strict=True)]
    noted = hashed.observe(passing, *frames.sums("hash")).select(*chosen)
    noted.write.options(compression="zstd", **_QUIET).parquet(place)
    return frames.fingerprint(passing.get)


def _text(rows: DataFrame, place: str, between: str) -> int:
    names = [f"c{i}" for i in range(len(rows.columns))]
    kinds = [kind for _, kind in rows.dtypes]
    cells = [_without_formulas(name, kind).alias(name) for name, kind in zip(names, kinds, strict=True)]
    hashed = rows.toDF(*names).select(*cells).withColumn("hash", frames.row_hash([fn.col(name) for name in names]))
    passing, lone = Observation(), fn.col(names[0]).isNull() if len(names) == 1 else fn.lit(False)
    counted = [fn.count(fn.lit(1)).alias("rows"), fn.count(fn.when(lone, 1)).alias("blank")]
    noted = hashed.observe(passing, *frames.sums("hash"), *counted)
    line = fn.concat_ws(between, *[_quoted(fn.col(name), between) for name in names])
    header = between.join(_quoted_name(name, between) for name in rows.columns)
    # Every part begins with the names: they go before its first row.
    first = fn.monotonically_increasing_id().bitwiseAND(fn.lit(_IN_PART)) == 0
    _lines(noted.select(fn.when(first, fn.concat(fn.lit(header + "\n"), line)).otherwise(line)), place)
    found = passing.get
    if found["blank"]:
        raise DataError("spark.one-text-column-with-missing-values")
    if not found["rows"]:
        _lines(rows.sparkSession.createDataFrame([(header,)], "value string").coalesce(1), place)
    return frames.fingerprint(found)


def _lines(frame: DataFrame, place: str) -> None:
    frame.toDF("value").write.mode("overwrite").options(compression="none", lineSep="\n", **_QUIET).text(place)


def _without_formulas(name: str, kind: str) -> Column:
    """Return a column as the text that is written."""
    text = as_text(name, kind).cast("string")
    if is_text(kind):
        runs = text.rlike(JAVA_FORMULA) & ~text.rlike(JAVA_NUMBER)
        return fn.when(runs, fn.concat(fn.lit("'"), text)).otherwise(text)
    return text


def _quoted(cell: Column, between: str) -> Column:
    """Return a cell as it stands in the file: nothing where it is missing, two quotes where it is empty."""
    inside = fn.replace(cell, fn.lit('"'), fn.lit('""'))
    special = (cell == "") | cell.rlike(f'["\r\n{between}]')
    whole = fn.when(special, fn.concat(fn.lit('"'), inside, fn.lit('"'))).otherwise(cell)
    return fn.coalesce(whole, fn.lit(""))


def _quoted_name(name: str, between: str) -> str:
    inside = name.replace('"', '""')
    return f'"{inside}"' if not name or re.search(f'["\r\n{between}]', name) else name
