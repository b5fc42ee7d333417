"""Applying a recoding on Spark: joins with small mapping frames, rows in a secret order, one shuffle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from antifaz.core.errors import ParameterError
from antifaz.core.recoding import ColumnRecoding, Recoding, TupleRecoding
from antifaz.engines.engine import Applied, Written
from antifaz.engines.spark.count import as_text
from antifaz.engines.spark.faults import guard

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from antifaz.engines.spark.data import SparkData

#: Mappings up to so many rows are sent to every executor whole; with larger ones Spark decides how to join.
BROADCAST = 1_000_000
#: The bytes of the source that go into one part of the release, about, and the most parts.
PART = 128 << 20
MOST_PARTS = 10_000
#: Spark hands an error on as text; in this form `faults.guard` takes the sentence for ours.
_REFUSAL = "\nantifaz.core.errors.DataError: {}\n"


@dataclass(frozen=True)
class SparkApplied(Applied):
    """A recoding bound to rows: a frame that yields the rows to release, whenever they are asked for."""

    data: SparkData
    recoding: Recoding
    #: Secret from which the order of the released rows follows; see `core.randomness.shuffle_key`.
    key: int

    def __post_init__(self) -> None:
        """Refuse what is decided by the place of a row: on Spark rows have no place."""
        if self.recoding.rows is not None:
            raise ParameterError(
                "This method decides for single rows, which have no order on Spark; use full-domain, specialization "
                "or mondrian there, or the local engine."
            )

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are released, in the order of the source."""
        return tuple(name for name in self.data.schema.names if name not in self.recoding.dropped)

    def collect(self) -> DataFrame:
        """Make the rows to release, kept by Spark, so that those that are counted are those handed over."""
        from pyspark import StorageLevel

        with guard("Applying the recoding failed"):
            frame = self.rows().persist(StorageLevel.MEMORY_AND_DISK)
            try:
                frame.count()  # now, so that what fails here is not blamed on the auditor
            except BaseException:
                frame.unpersist()
                raise
            return frame

    def hand_over(self, table: DataFrame) -> DataFrame:
        """Return the frame: for Spark it is what came in and what goes out."""
        return table

    def write(self, folder: Any, format: str) -> Written:
        """Write the rows as parts into `release.<format>` in a folder."""
        from antifaz.engines.spark.write import write  # it needs this class

        return write(self, folder, format)

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
        if recoding.tuples is not None:
            self._by_tuple(recoding.columns, recoding.tuples)
        else:
            self._by_value(recoding.columns)
            if recoding.suppressed:
                self._leave_out(recoding)

    def released(self, name: str) -> Column:
        """Return what is released of a column: its label; or the value in its type, where nothing is generalized."""
        from pyspark.sql import functions as fn

        kind, value = self._native.get(name, "string"), fn.col(self._places[name])
        kept = self._columns[name].keeps_type if name in self._columns else True
        if name in self._labels and not (kept and _typed(kind)):
            return self._labels[name]
        value = value if _typed(kind) else value.cast("string")
        return _checked(self._found[name], value, name) if name in self._found else value

    def _by_value(self, columns: Sequence[ColumnRecoding]) -> None:
        from pyspark.sql import functions as fn

        for i, column in enumerate(columns):
            name = column.column
            if column.keeps_type and column.values == column.labels:
                self._labels[name] = as_text(self._places[name], self._native.get(name, "string"))
                continue
            self._join(i, column, pa.array(column.labels, pa.string()))
            self._labels[name] = _checked(fn.col(f"found{i}"), fn.col(f"to{i}"), name)
            self._found[name] = fn.col(f"found{i}")

    def _by_tuple(self, columns: Sequence[ColumnRecoding], recoding: TupleRecoding) -> None:
        """Bring the code of each value, and with the codes the labels; combinations not listed find none and go."""
        from pyspark.sql import functions as fn

        parts = {}
        for i, column in enumerate(columns):
            self._join(i, column, pa.array(np.asarray(recoding.codes[i]), pa.int32()))
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

    def _join(self, i: int, column: ColumnRecoding, becomes: pa.Array) -> None:
        """Bring what each value becomes as `to<i>`; `found<i>` is missing where the mapping does not have the value."""
        from pyspark.sql import functions as fn

        kind, place = self._native.get(column.column, "string"), self._places[column.column]
        if kind in ("float", "double"):
            # Compared by value: Spark spells them otherwise than they are counted, and spelling every row is slow.
            numbers = [None if text is None else float(text) for text in column.values]
            values, have = pa.array(numbers, pa.float64()), fn.col(place).cast("double")
            values = values.cast(pa.float32()).cast(pa.float64()) if kind == "float" else values
        else:
            values, have = pa.array(column.values, pa.string()), as_text(place, kind).cast("string")
        found = pa.array([True] * len(values), pa.bool_())
        mapping = self._small(pa.table({f"value{i}": values, f"to{i}": becomes, f"found{i}": found}))
        self.frame = self.frame.join(mapping, have.eqNullSafe(fn.col(f"value{i}")), "left")

    def _leave_out(self, recoding: Recoding) -> None:
        from pyspark.sql import functions as fn

        names = [column.column for column in recoding.columns]
        # As columns, not expressions: a join does not take an expression that may raise.
        self.frame = self.frame.withColumns({f"label{i}": self._labels[name] for i, name in enumerate(names)})
        self._labels = {name: fn.col(f"label{i}") for i, name in enumerate(names)}
        gone = zip(*recoding.suppressed, strict=True)
        table = pa.table({f"gone{i}": pa.array(part, pa.string()) for i, part in enumerate(gone)})
        same = [fn.col(f"label{i}").eqNullSafe(fn.col(f"gone{i}")) for i in range(len(names))]
        self.frame = self.frame.join(self._small(table), reduce(and_, same), "left_anti")

    def _small(self, table: pa.Table) -> DataFrame:
        from pyspark.sql import functions as fn

        frame = self.frame.sparkSession.createDataFrame(table)
        return fn.broadcast(frame) if table.num_rows <= BROADCAST else frame


def _checked(found: Column, value: Column, name: str) -> Column:
    """Return the value, or fail the run: what was not there when the rows were counted must not pass."""
    from pyspark.sql import functions as fn

    said = f"The column {name!r} has a value that was not there when the rows were counted; run it again."
    return fn.when(found.isNull(), fn.raise_error(fn.lit(_REFUSAL.format(said)))).otherwise(value)


def _typed(kind: str) -> bool:
    """Whether Spark holds values in a type of their own, in which each has one spelling only; text may have several."""
    return not kind.startswith(("string", "varchar", "char"))
