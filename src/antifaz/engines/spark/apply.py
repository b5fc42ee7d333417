"""Applying a recoding on Spark: joins with small mapping frames, rows in a secret order, one shuffle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from antifaz.core.errors import ParameterError
from antifaz.core.messages import Message
from antifaz.core.recoding import ColumnRecoding, Recoding, StoredRecoding, TupleRecoding
from antifaz.counting.packing import layout
from antifaz.engines.engine import Applied, Written
from antifaz.engines.spark.count import as_text
from antifaz.engines.spark.errors import REFUSAL, spark_errors
from antifaz.engines.spark.packed import pack
from antifaz.engines.spark.remote_boxes import SparkBoxedTuples
from antifaz.engines.spark.write import write

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from antifaz.engines.spark.table import SparkTable

#: Mappings up to so many rows are sent to every executor whole; with larger ones Spark decides how to join.
BROADCAST = 1_000_000
#: The bytes of the source that go into one part of the release, about, and the most parts.
PART = 128 << 20
MOST_PARTS = 10_000


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
        from pyspark import StorageLevel

        with spark_errors(Message("engine.recoding-failed")):
            frame = self.rows().persist(StorageLevel.MEMORY_AND_DISK)
            try:
                frame.count()  # now, so that what fails here is not blamed on the auditor
            except BaseException:
                frame.unpersist()
                raise
            return frame

    def to_source_kind(self, table: DataFrame) -> DataFrame:
        """Return the frame: for Spark it is what came in and what goes out."""
        return table

    def write(self, folder: Any, format: str) -> Written:
        """Write the rows as parts into `release.<format>` in a folder."""
        with spark_errors(Message("table.release-not-written")):
            return write(self.data.session, self.rows(), folder, format)

    def rows(self) -> DataFrame:
        """Return the rows to release, in their secret order; nothing runs yet."""
        from pyspark.sql import functions as fn

        places = {name: f"c{i}" for i, name in enumerate(self.data.frame.columns)}
        # Names of our own, because Spark would take `Age` and `age` for one column. Rows are numbered here, before any
        # join, where their order is that of the source: a task that is run again must give the same numbers.
        source = self.data.frame.toDF(*places.values()).withColumn("position", fn.monotonically_increasing_id())
        bound = _Bound(source, places, self.data.native, self.recoding)
        chosen = [bound.released(name).alias(f"r{i}") for i, name in enumerate(self.columns)]
        ordered = self._shuffled(bound.frame.select(*chosen, "position"))
        # No description is carried along: libraries keep lists of values in it.
        return ordered.select(*[fn.col(f"r{i}").alias(name, metadata={}) for i, name in enumerate(self.columns)])

    def _shuffled(self, frame: DataFrame) -> DataFrame:
        """Deal the rows to parts, and order them in each, by a hash that nobody without the key can repeat."""
        from pyspark.sql import functions as fn

        # The content makes the order harder to repeat; the position keeps equal rows apart.
        keyed = fn.xxhash64(fn.lit(self.key), *map(fn.col, frame.columns), fn.lit(self.key))
        named = frame.withColumn("order", keyed).drop("position")
        parts = self._parts()
        dealt = named.repartition(parts, "order") if parts else named.repartition("order")
        return dealt.sortWithinPartitions("order")

    def _parts(self) -> int | None:
        """Return how many parts there must be at least, or None where Spark's own choice gives parts small enough."""
        plan = self.data.frame._jdf.queryExecution().optimizedPlan()
        wanted = int(plan.stats().sizeInBytes()) // PART
        usual = int(self.data.session.conf.get("spark.sql.shuffle.partitions") or 200)
        return min(wanted, MOST_PARTS) if wanted > usual else None


class _Bound:
    """The source joined with its mappings, and where what is released of each column is found in it."""

    def __init__(self, source: DataFrame, places: dict[str, str], native: dict[str, str], recoding: Recoding) -> None:
        self.frame, self._places, self._native = source, places, native
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
            ids = [_numbered(column.labels) for column in recoding.columns] if recoding.suppressed else []
            self._by_value(recoding.columns, ids)
            if recoding.suppressed:
                self._leave_out(recoding.suppressed, ids)

    def released(self, name: str) -> Column:
        """Return what is released of a column: its label; or the value in its type, where nothing is generalized."""
        from pyspark.sql import functions as fn

        kind, value = self._native.get(name, "string"), fn.col(self._places[name])
        kept = self._columns[name].keeps_type if name in self._columns else True
        if name in self._labels and (self._stored or not (kept and _typed(kind))):
            return self._labels[name]
        value = value if _typed(kind) else value.cast("string")
        return _checked(self._found[name], value, name) if name in self._found else value

    def _by_value(self, columns: Sequence[ColumnRecoding], ids: Sequence[Mapping[str | None, int]]) -> None:
        """Bring the label of each value, and where classes are left out also the number of the label."""
        from pyspark.sql import functions as fn

        for i, column in enumerate(columns):
            name, same = column.column, column.keeps_type and column.values == column.labels
            brought = {} if same else {"to": pa.array(column.labels, pa.string())}
            if ids:
                brought["id"] = pa.array([ids[i][label] for label in column.labels], pa.int32())
            if brought:
                self._join(i, column, brought)
            if same:
                self._labels[name] = as_text(self._places[name], self._native.get(name, "string"))
                continue
            self._labels[name] = _checked(fn.col(f"found{i}"), fn.col(f"to{i}"), name)
            self._found[name] = fn.col(f"found{i}")

    def _by_tuple(self, columns: Sequence[ColumnRecoding], recoding: TupleRecoding) -> None:
        """Bring the code of each value, and with the codes the labels; combinations not listed find none and go."""
        from pyspark.sql import functions as fn

        parts = {}
        for i, column in enumerate(columns):
            self._join(i, column, {"to": pa.array(np.asarray(recoding.codes[i]), pa.int32())})
            code = _checked(fn.col(f"found{i}"), fn.col(f"to{i}"), column.column)
            self.frame = self.frame.withColumn(f"code{i}", code)
            parts[f"tuple{i}"] = pa.array(np.asarray(recoding.tuples[i]), pa.int32())
            labels = pa.array(recoding.labels[i], pa.string())
            parts[f"label{i}"] = labels.take(pa.array(np.asarray(recoding.released[i])))
            kind = self._native.get(column.column, "string")
            typed = i < len(recoding.typed) and recoding.typed[i] and _typed(kind)
            self._labels[column.column] = fn.col(f"label{i}").cast(kind) if typed else fn.col(f"label{i}")
        same = [fn.col(f"code{i}") == fn.col(f"tuple{i}") for i in range(len(columns))]
        self.frame = self.frame.join(self._small(pa.table(parts)), reduce(and_, same), "inner")

    def _as_stored(self, columns: Sequence[ColumnRecoding], recoding: StoredRecoding) -> None:
        """The same where executors keep the labels of combinations: places bring them, packed into a few longs."""
        from pyspark.sql import functions as fn

        boxes = recoding.place
        if not isinstance(boxes, SparkBoxedTuples):
            raise ParameterError("table.decided-part-by-part-elsewhere")
        for i, (column, places) in enumerate(zip(columns, boxes.places, strict=True)):
            known = ColumnRecoding(column=column.column, values=tuple(places), labels=())
            self._join(i, known, {"to": pa.array(places.values(), pa.int32())})
            code = _checked(fn.col(f"found{i}"), fn.col(f"to{i}"), column.column)
            self.frame = self.frame.withColumn(f"code{i}", code)
            kind = self._native.get(column.column, "string")
            typed = column.keeps_type and _typed(kind)
            self._labels[column.column] = fn.col(f"label{i}").cast(kind) if typed else fn.col(f"label{i}")
        keys = boxes.packed([fn.col(f"c{i}") for i in range(len(columns))])
        kept = boxes.stored().select(
            *[key.alias(f"kept{w}") for w, key in enumerate(keys)],
            *[fn.col(f"l{i}").alias(f"label{i}") for i in range(len(columns))],
        )
        codes = boxes.packed([fn.col(f"code{i}") for i in range(len(columns))])
        self.frame = self.frame.withColumns({f"key{w}": key for w, key in enumerate(codes)})
        same = [fn.col(f"key{w}") == fn.col(f"kept{w}") for w in range(len(keys))]
        self.frame = self.frame.join(kept, reduce(and_, same), "inner")

    def _join(self, i: int, column: ColumnRecoding, brought: Mapping[str, pa.Array]) -> None:
        """Bring what belongs to each value, e.g. `to<i>`; `found<i>` is missing where the mapping lacks the value."""
        from pyspark.sql import functions as fn

        kind, place = self._native.get(column.column, "string"), self._places[column.column]
        if kind in ("float", "double"):
            # Compared by value: Spark spells them otherwise than they are counted, and spelling every row is slow.
            numbers = [None if text is None else float(text) for text in column.values]
            values, have = pa.array(numbers, pa.float64()), fn.col(place).cast("double")
            values = values.cast(pa.float32()).cast(pa.float64()) if kind == "float" else values
        else:
            values, have = pa.array(column.values, pa.string()), as_text(place, kind).cast("string")
        found = {**brought, "found": pa.array([True] * len(values), pa.bool_())}
        whole = pa.table({f"value{i}": values, **{f"{name}{i}": part for name, part in found.items()}})
        known, missing = whole.filter(values.is_valid()), whole.filter(values.is_null())
        self.frame = self.frame.join(self._small(known), have == fn.col(f"value{i}"), "left")
        if missing.num_rows:
            # The missing value apart, because a comparison that knows it is slower.
            kinds = dict(self.frame.dtypes)
            constant = {name: fn.lit(missing.column(name)[0].as_py()).cast(kinds[name]) for name in whole.column_names}
            filled = {
                f"{n}{i}": fn.when(have.isNull(), constant[f"{n}{i}"]).otherwise(fn.col(f"{n}{i}")) for n in found
            }
            self.frame = self.frame.withColumns(filled)

    def _leave_out(self, gone: Sequence[tuple[str | None, ...]], ids: Sequence[Mapping[str | None, int]]) -> None:
        """Leave out classes, told by the numbers of their labels, which make one long or a few."""
        from pyspark.sql import functions as fn

        packed = layout([len(one) for one in ids])
        keys = pack([fn.col(f"id{i}") for i in range(len(ids))], packed)
        self.frame = self.frame.withColumns({f"key{w}": key for w, key in enumerate(keys)})
        table = np.zeros((packed.words, len(gone)), np.uint64)
        for i, labels in enumerate(zip(*gone, strict=True)):
            numbers = np.array([ids[i][label] for label in labels], np.uint64)
            table[packed.word[i]] |= numbers << packed.shift[i]
        left = pa.table({f"gone{w}": pa.array(part.view(np.int64)) for w, part in enumerate(table)})
        same = [fn.col(f"key{w}") == fn.col(f"gone{w}") for w in range(packed.words)]
        self.frame = self.frame.join(self._small(left), reduce(and_, same), "left_anti")

    def _small(self, table: pa.Table) -> DataFrame:
        from pyspark.sql import functions as fn

        frame = self.frame.sparkSession.createDataFrame(table)
        return fn.broadcast(frame) if table.num_rows <= BROADCAST else frame


def _numbered(labels: Sequence[str | None]) -> dict[str | None, int]:
    """Give every label a number."""
    return {label: i for i, label in enumerate(dict.fromkeys(labels))}


def _checked(mapped: Column, value: Column, name: str) -> Column:
    """Return the value, or fail the run: what was not there when the rows were counted must not pass."""
    from pyspark.sql import functions as fn

    message = Message("spark.value-not-counted", name=name)
    return fn.when(mapped.isNull(), fn.raise_error(fn.lit(REFUSAL.format(message)))).otherwise(value)


def _typed(kind: str) -> bool:
    """Whether Spark holds values in a type of their own, in which each has one spelling only; text may have several."""
    return not kind.startswith(("string", "varchar", "char"))
