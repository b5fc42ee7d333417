"""Applying a recoding on Spark: joins with small mapping frames, rows in a secret order, one shuffle; and writing them.

Rows are written as CSV, TSV or Parquet, in parts, each of which can be read on its own. Text is put together here, cell
by cell, rather than by Spark's own CSV writer, which trims blanks and has a dialect of its own: the parts read as what
the local engine writes.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame, Observation
from pyspark.sql import functions as fn

from antifaz.core.errors import DataError, ParameterError, hint
from antifaz.core.messages import Message
from antifaz.core.recoding import ColumnRecoding, Recoding, StoredRecoding, TupleRecoding
from antifaz.counting.frequencies import layout
from antifaz.engines.engine import Applied, Written
from antifaz.engines.spark.count import as_text, pack
from antifaz.engines.spark.errors import refusal, spark_errors
from antifaz.engines.spark.frames import SparkTable, fingerprint, is_text, persist_counted, row_hash, send_table, sums
from antifaz.engines.spark.remote import SparkBoxedTuples
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

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are released, in the order of the source."""
        return tuple(name for name in self.data.schema.names if name not in self.recoding.dropped)

    def collect(self) -> DataFrame:
        """Make the rows to release, kept by Spark, so that those that are counted are those handed over."""
        with spark_errors(Message("engine.recoding-failed")):
            return persist_counted(self.rows())[0]

    def to_source_kind(self, table: DataFrame) -> DataFrame:
        """Return the frame: for Spark it is what came in and what goes out."""
        return table

    def write(self, folder: Any, format: str, **text: Any) -> Written:
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
        return Written(place, noted)

    def rows(self) -> DataFrame:
        """Return the rows to release, in their secret order; nothing runs yet."""
        places = {name: f"c{i}" for i, name in enumerate(self.data.frame.columns)}
        # Names of our own, because Spark would take `Age` and `age` for one column. Rows are numbered here, before any
        # join, where their order is that of the source: a task that is run again must give the same numbers.
        source = self.data.frame.toDF(*places.values()).withColumn("position", fn.monotonically_increasing_id())
        bound = _Bound(source, places, self.data.native, self.recoding)
        released = [bound.released(name).alias(f"r{i}") for i, name in enumerate(self.columns)]
        ordered = self._shuffled(bound.frame.select(*released, "position"))
        # No description is carried along: libraries keep lists of values in it.
        return ordered.select(*[fn.col(f"r{i}").alias(name, metadata={}) for i, name in enumerate(self.columns)])

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


class _Bound:
    """The source joined with its mappings, and where what is released of each column is found in it."""

    def __init__(self, source: DataFrame, places: dict[str, str], native: dict[str, str], recoding: Recoding) -> None:
        self.frame, self._places, self._native, self._session = source, places, native, source.sparkSession
        self._columns = {column.column: column for column in recoding.columns}
        #: Per column the name under which the frame has its label, and whether it found one.
        self._labels: dict[str, Column] = {}
        self._found: dict[str, Column] = {}
        self._stored = recoding.stored is not None
        if recoding.tuples is not None:
            self._by_tuple(recoding.columns, recoding.tuples)
        elif recoding.stored is not None:
            self._as_stored(recoding.columns, recoding.stored)
        else:
            # Every label gets a number where classes are left out.
            labels = [dict.fromkeys(column.labels) for column in recoding.columns] if recoding.suppressed else []
            ids = [{label: i for i, label in enumerate(own)} for own in labels]
            self._by_value(recoding.columns, ids)
            if recoding.suppressed:
                self._leave_out(recoding.suppressed, ids)

    def released(self, name: str) -> Column:
        """Return what is released of a column: its label; or the value in its type, where nothing is generalized."""
        text, value = is_text(self._native[name]), fn.col(self._places[name])
        keeps_type = self._columns[name].keeps_type if name in self._columns else True
        if name in self._labels and (self._stored or text or not keeps_type):
            return self._labels[name]
        value = value.cast("string") if text else value
        return _checked(self._found[name], value, name) if name in self._found else value

    def _by_value(self, columns: Sequence[ColumnRecoding], ids: Sequence[Mapping[str | None, int]]) -> None:
        """Bring the label of each value, and where classes are left out also the number of the label."""
        for i, column in enumerate(columns):
            name, same = column.column, column.keeps_type and column.values == column.labels
            brought = {} if same else {"to": pa.array(column.labels, pa.string())}
            if ids:
                brought["id"] = pa.array([ids[i][label] for label in column.labels], pa.int32())
            if brought:
                self._join(i, name, column.values, brought)
            if same:
                self._labels[name] = as_text(self._places[name], self._native[name])
            else:
                self._found[name] = fn.col(f"found{i}")
                self._labels[name] = _checked(self._found[name], fn.col(f"to{i}"), name)

    def _by_tuple(self, columns: Sequence[ColumnRecoding], recoding: TupleRecoding) -> None:
        """Bring the code of each value, and with the codes the labels; combinations not listed find none and go."""
        parts = {}
        for i, column in enumerate(columns):
            typed = i < len(recoding.typed) and recoding.typed[i]
            self._join_code(i, column.column, column.values, np.asarray(recoding.codes[i]), typed)
            parts[f"tuple{i}"] = pa.array(np.asarray(recoding.tuples[i]), pa.int32())
            labels = pa.array(recoding.labels[i], pa.string())
            parts[f"label{i}"] = labels.take(pa.array(np.asarray(recoding.released[i])))
        self._join_equal(send_table(self._session, pa.table(parts)), "code", "tuple", len(columns), "inner")

    def _as_stored(self, columns: Sequence[ColumnRecoding], recoding: StoredRecoding) -> None:
        """The same where executors keep the labels of combinations: places bring them, packed into a few longs."""
        boxes = recoding.place
        if not isinstance(boxes, SparkBoxedTuples):
            raise ParameterError("table.decided-part-by-part-elsewhere")
        for i, (column, places) in enumerate(zip(columns, boxes.places, strict=True)):
            self._join_code(i, column.column, tuple(places), places.values(), column.keeps_type)
        keys = boxes.packed([fn.col(f"c{i}") for i in range(len(columns))])
        stored = boxes.stored().select(
            *[key.alias(f"kept{w}") for w, key in enumerate(keys)],
            *[fn.col(f"l{i}").alias(f"label{i}") for i in range(len(columns))],
        )
        codes = boxes.packed([fn.col(f"code{i}") for i in range(len(columns))])
        self.frame = self.frame.withColumns({f"key{w}": key for w, key in enumerate(codes)})
        self._join_equal(stored, "key", "kept", len(keys), "inner")

    def _join_code(self, i: int, name: str, values: Sequence[str | None], codes: Any, typed: bool) -> None:
        """Bring the code of each value; `label<i>` will be its label, which is of the column's own type where typed."""
        self._join(i, name, values, {"to": pa.array(codes, pa.int32())})
        self.frame = self.frame.withColumn(f"code{i}", _checked(fn.col(f"found{i}"), fn.col(f"to{i}"), name))
        kind, label = self._native[name], fn.col(f"label{i}")
        self._labels[name] = label.cast(kind) if typed and not is_text(kind) else label

    def _join(self, i: int, name: str, values: Sequence[str | None], brought: Mapping[str, pa.Array]) -> None:
        """Bring what belongs to each value, e.g. `to<i>`; `found<i>` is missing where the mapping lacks the value."""
        kind, place = self._native[name], self._places[name]
        if kind in ("float", "double"):
            # Compared by value: Spark spells them otherwise than they are counted, and spelling every row is slow.
            numbers = [None if text is None else float(text) for text in values]
            known, have = pa.array(numbers, pa.float64()), fn.col(place).cast("double")
            known = known.cast(pa.float32()).cast(pa.float64()) if kind == "float" else known
        else:
            known, have = pa.array(values, pa.string()), as_text(place, kind).cast("string")
        parts = {**brought, "found": pa.array([True] * len(known), pa.bool_())}
        whole = pa.table({f"value{i}": known, **{f"{part}{i}": cells for part, cells in parts.items()}})
        missing, sent = whole.filter(known.is_null()), send_table(self._session, whole.filter(known.is_valid()))
        self.frame = self.frame.join(sent, have == fn.col(f"value{i}"), "left")
        if missing.num_rows:
            # The missing value apart, because a comparison that knows it is slower.
            kinds = dict(self.frame.dtypes)
            constants = {part: fn.lit(missing.column(part)[0].as_py()).cast(kinds[part]) for part in whole.column_names}
            del constants[f"value{i}"]
            self.frame = self.frame.withColumns(
                {part: fn.when(have.isNull(), own).otherwise(fn.col(part)) for part, own in constants.items()}
            )

    def _leave_out(self, gone: Sequence[tuple[str | None, ...]], ids: Sequence[Mapping[str | None, int]]) -> None:
        """Leave out classes, told by the numbers of their labels, which make one long or a few."""
        packed = layout([len(own) for own in ids])
        keys = pack([fn.col(f"id{i}") for i in range(len(ids))], packed)
        self.frame = self.frame.withColumns({f"key{w}": key for w, key in enumerate(keys)})
        table = np.zeros((packed.words, len(gone)), np.uint64)
        for i, labels in enumerate(zip(*gone, strict=True)):
            numbers = np.array([ids[i][label] for label in labels], np.uint64)
            table[packed.word[i]] |= numbers << packed.shift[i]
        left = pa.table({f"gone{w}": pa.array(part.view(np.int64)) for w, part in enumerate(table)})
        self._join_equal(send_table(self._session, left), "key", "gone", packed.words, "left_anti")

    def _join_equal(self, other: DataFrame, ours: str, theirs: str, number: int, how: str) -> None:
        """Join where the columns <ours>0, <ours>1, … are equal to <theirs>0, <theirs>1, …."""
        same = [fn.col(f"{ours}{i}") == fn.col(f"{theirs}{i}") for i in range(number)]
        self.frame = self.frame.join(other, reduce(and_, same), how)


def _checked(mapped: Column, value: Column, name: str) -> Column:
    """Return the value, or fail the run: what was not there when the rows were counted must not pass."""
    refused = refusal(Message("spark.value-not-counted", name=name))
    return fn.when(mapped.isNull(), fn.raise_error(fn.lit(refused))).otherwise(value)


def _parquet(rows: DataFrame, place: str) -> int:
    names = [f"c{i}" for i in range(len(rows.columns))]
    hashed = rows.toDF(*names).withColumn("hash", row_hash([fn.col(name).cast("string") for name in names]))
    passing = Observation()
    chosen = [fn.col(name).alias(true, metadata={}) for name, true in zip(names, rows.columns, strict=True)]
    noted = hashed.observe(passing, *sums("hash")).select(*chosen)
    noted.write.options(compression="zstd", **_QUIET).parquet(place)
    return fingerprint(passing.get)


def _text(rows: DataFrame, place: str, between: str) -> int:
    names = [f"c{i}" for i in range(len(rows.columns))]
    kinds = [kind for _, kind in rows.dtypes]
    cells = [_without_formulas(name, kind).alias(name) for name, kind in zip(names, kinds, strict=True)]
    hashed = rows.toDF(*names).select(*cells).withColumn("hash", row_hash([fn.col(name) for name in names]))
    passing, lone = Observation(), fn.col(names[0]).isNull() if len(names) == 1 else fn.lit(False)
    counted = [fn.count(fn.lit(1)).alias("rows"), fn.count(fn.when(lone, 1)).alias("blank")]
    noted = hashed.observe(passing, *sums("hash"), *counted)
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
    return fingerprint(found)


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
