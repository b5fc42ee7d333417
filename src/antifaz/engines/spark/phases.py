"""Distinct tuples that stay on Spark's executors: only counts, estimates and a few numbers per part come to the driver.

They are made once, as codes, and kept by the executors (in memory, then on their disks) until `close`. What is done
with them is NumPy over Arrow batches, with the same code as on one machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from antifaz.core.errors import DataError
from antifaz.core.sizes import parse_spark_size
from antifaz.counting.tuples import Tuples
from antifaz.engines.in_place import Coded, Gathered, InPlace, Recode, Spread, Work
from antifaz.engines.spark.count import _tuples as tuples_of
from antifaz.engines.spark.count import as_text, quoted
from antifaz.engines.spark.errors import spark_errors
from antifaz.engines.spark.sending import map_batches, map_groups

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame

    from antifaz.engines.spark.table import SparkTable

#: Bytes of the driver's memory that a tuple takes while it is counted and decided on: by itself, and per column.
PER_TUPLE, PER_CELL = 128, 32
_ANSWER = "answer array<bigint>"

Batches = Iterator["pa.RecordBatch"]


def in_place(data: SparkTable, columns: Sequence[str]) -> SparkInPlace | None:
    """Return the tuples where they are if they are too many for the driver; None if they may well come out."""
    from pyspark.sql import functions as fn

    data.schema.require(columns)
    budget = data.limits.get("tuples") or _affordable(data, len(columns))
    if data.rows <= budget:
        return None
    # The hash passes over missing values, so whether each is missing goes in too.
    cells = [part for name in columns for part in (fn.col(quoted(name)), fn.isnull(fn.col(quoted(name))))]
    with spark_errors("Counting failed"):
        row: Any = data.frame.agg(fn.approx_count_distinct(fn.xxhash64(*cells))).collect()[0]
    return SparkInPlace(data, columns, budget) if row[0] > budget else None


def _affordable(data: SparkTable, columns: int) -> int:
    """How many tuples the driver's memory is for: Python has about as much of it as Java was given."""
    size = parse_spark_size(str(data.session.conf.get("spark.driver.memory", "1g")))
    return max(size // (PER_TUPLE + PER_CELL * columns), 100_000)


class SparkInPlace(InPlace):
    """The distinct tuples of some columns of a frame, on its executors."""

    def __init__(self, data: SparkTable, columns: Sequence[str], budget: int) -> None:
        """Take note of the columns; nothing is counted yet."""
        self.budget = budget
        self._data, self._columns = data, tuple(columns)
        self._names = [f"c{i}" for i in range(len(columns))]
        self._codes: list[Mapping[str | None, int]] = []
        self._kept: DataFrame | None = None
        self._gathered: list[_Lying] = []

    def alone(self, columns: Sequence[str], together_with: Sequence[str]) -> list[Tuples]:
        """Count each of some columns by itself, together with the others named, all of them in one reading."""
        import pyarrow.compute as pc
        from pyspark.sql import functions as fn

        frame = self._chosen()
        names = {name: fn.col(key) for key, name in zip(self._names, self._columns, strict=True)}
        sets = [[names[name] for name in (column, *together_with)] for column in columns]
        grouped = frame.groupingSets(sets, *self._names).agg(
            fn.count(fn.lit(1)).alias("n"), fn.grouping_id(*self._names).alias("g")
        )
        with spark_errors("Counting failed"):
            table = grouped.select([*self._texts(), "n", "g"]).toArrow().combine_chunks()
        last, found = len(self._names) - 1, []
        for column in columns:
            # A bit per column, the first one highest; it is set for those that the counts are not by.
            held = {self._columns.index(name) for name in (column, *together_with)}
            which = sum(1 << (last - i) for i in range(last + 1) if i not in held)
            part = table.filter(pc.field("g") == which)
            named = part.select([f"c{self._columns.index(name)}" for name in (column, *together_with)])
            named = named.rename_columns([f"c{i}" for i in range(named.num_columns)])
            found.append(tuples_of(named, (column, *together_with), part.column("n").to_numpy().astype(np.int64)))
        return found

    def encode(self, codes: Sequence[Mapping[str | None, int]]) -> None:
        """Say per column under which code each value counts."""
        self.close()
        self._codes = list(codes)

    def estimate(self, recodes: Sequence[Recode]) -> list[int]:
        """Say about how many distinct tuples there are under each of several recodings."""
        from pyspark.sql import functions as fn

        names = [f"h{i}" for i in range(len(recodes))]
        hashed = map_batches(self._coded(), _Hash(tuple(recodes)), ", ".join(f"{name} bigint" for name in names))
        with spark_errors("Counting failed"):
            row: Any = hashed.agg(*(fn.approx_count_distinct(name) for name in names)).collect()[0]
        return [int(number) for number in row]

    def count(self, recode: Recode) -> Coded:
        """Bring out the distinct tuples under a recoding."""
        with spark_errors("Counting failed"):
            table = self._grouped(recode).toArrow()
        return _coded_of(table, len(self._names))

    def sizes(self, recode: Recode) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return how often tuples occur under a recoding, in order, and how many occur so often."""
        with spark_errors("Counting failed"):
            table = self._grouped(recode).groupBy("n").count().orderBy("n").toArrow()
        return table.column("n").to_numpy(), table.column("count").to_numpy()

    def scatter(self, recode: Recode, spread: Spread, work: Work) -> list[NDArray[np.int64]]:
        """Spread the distinct tuples under a recoding over parts, and do something with each part as a whole."""
        parted = map_batches(self._grouped(recode), _Spread(spread), f"part bigint, {self._schema}")
        return _answers(map_groups(parted, "part", _Group(work, len(self._names)), _ANSWER))

    def gather(self, recode: Recode, by: Recode) -> Gathered:
        """Lay the distinct tuples under a recoding together by what they become under `by`."""
        from pyspark.sql import functions as fn

        mapped = map_batches(self._coded(), _Recode(tuple(recode), tuple(by)), f"h bigint, {self._schema}")
        grouped = mapped.groupBy("h", *self._names).agg(fn.sum("n").alias("n")).repartition("h").drop("h")
        lying = _Lying(grouped.persist(), len(self._names))
        self._gathered.append(lying)
        return lying

    def close(self) -> None:
        """Give the executors' memory back."""
        for lying in self._gathered:
            lying.close()
        self._gathered = []
        if self._kept is not None:
            kept, self._kept = self._kept, None
            _give_back(kept)

    @property
    def _schema(self) -> str:
        return ", ".join([*(f"{name} int" for name in self._names), "n bigint"])

    def _chosen(self) -> DataFrame:
        from pyspark.sql import functions as fn

        pairs = zip(self._names, self._columns, strict=True)
        return self._data.frame.select([fn.col(quoted(name)).alias(key) for key, name in pairs])

    def _texts(self) -> list[Column]:
        pairs = zip(self._names, self._columns, strict=True)
        return [as_text(key, self._data.native[name]).alias(key) for key, name in pairs]

    def _coded(self) -> DataFrame:
        """The distinct tuples as codes; counted when they are first needed."""
        from pyspark.sql import functions as fn

        if self._kept is None:
            counted = self._chosen().groupBy(self._names).agg(fn.count(fn.lit(1)).alias("n"))
            coded = map_batches(counted.select([*self._texts(), "n"]), _Encode(self._codes), self._schema)
            if any(len(set(own.values())) < len(own) for own in self._codes):
                coded = coded.groupBy(self._names).agg(fn.sum("n").alias("n"))
            self._kept = coded.persist()
        return self._kept

    def _grouped(self, recode: Recode) -> DataFrame:
        from pyspark.sql import functions as fn

        if all(own is None for own in recode):
            return self._coded()
        mapped = map_batches(self._coded(), _Recode(tuple(recode)), self._schema)
        return mapped.groupBy(self._names).agg(fn.sum("n").alias("n"))


class _Lying(Gathered):
    def __init__(self, frame: DataFrame, columns: int) -> None:
        self._frame: DataFrame | None = frame
        self._columns = columns

    def each(self, work: Work) -> list[NDArray[np.int64]]:
        if self._frame is None:
            raise RuntimeError("the tuples were given back")
        return _answers(map_batches(self._frame, _Part(work, self._columns), _ANSWER))

    def close(self) -> None:
        if self._frame is not None:
            frame, self._frame = self._frame, None
            _give_back(frame)


def _give_back(frame: DataFrame) -> None:
    if frame.sparkSession.sparkContext._jsc is not None:
        with spark_errors("The data could not be given back"):
            frame.unpersist()


def _answers(done: DataFrame) -> list[NDArray[np.int64]]:
    with spark_errors("Counting failed"):
        table = done.toArrow()
    return [np.array(each, np.int64) for each in table.column("answer").to_pylist()]


# -- what the executors do; these are pickled


class _Encode:
    """Texts to codes."""

    def __init__(self, codes: Sequence[Mapping[str | None, int]]) -> None:
        self._values = [list(own) for own in codes]
        self._codes = [np.fromiter(own.values(), np.int32, len(own)) for own in codes]

    def __call__(self, batches: Batches) -> Batches:
        import pyarrow as pa
        import pyarrow.compute as pc

        sets = [pa.array(values, pa.string()) for values in self._values]
        for batch in batches:
            columns = []
            for i, (known, codes) in enumerate(zip(sets, self._codes, strict=True)):
                found = pc.index_in(batch.column(i).cast(pa.string()), value_set=known)
                if found.null_count:
                    raise DataError("spark.data-changed-while-counted")
                columns.append(codes[found.to_numpy()])
            yield _batch(columns, batch.column(len(sets)).to_numpy())


class _Recode:
    """Codes to other codes; with a hash of what they are under, where that is told."""

    def __init__(self, recode: Recode, by: Recode | None = None) -> None:
        self._recode, self._by = recode, by

    def __call__(self, batches: Batches) -> Batches:
        for batch in batches:
            codes, counts = _coded_of(batch, len(self._recode))
            new = _recoded(codes, self._recode)
            under = None if self._by is None else _folded(_recoded(codes, self._by), counts.size)
            yield _batch(new, counts, h=under)


class _Hash:
    """A hash of each tuple under every one of several recodings."""

    def __init__(self, recodes: Sequence[Recode]) -> None:
        self._recodes = recodes

    def __call__(self, batches: Batches) -> Batches:
        import pyarrow as pa

        for batch in batches:
            codes, counts = _coded_of(batch, batch.num_columns - 1)
            folded = [pa.array(_folded(_recoded(codes, recode), counts.size)) for recode in self._recodes]
            yield pa.RecordBatch.from_arrays(folded, names=[f"h{i}" for i in range(len(folded))])


class _Spread:
    """Tuples to parts."""

    def __init__(self, spread: Spread) -> None:
        self._spread = spread

    def __call__(self, batches: Batches) -> Batches:
        for batch in batches:
            codes, counts = _coded_of(batch, batch.num_columns - 1)
            if counts.size:
                where, parts, dealt = self._spread((codes, counts))
                yield _batch([own[where] for own in codes], dealt, part=parts.astype(np.int64))


class _Group:
    """Work on all tuples of a part."""

    def __init__(self, work: Work, columns: int) -> None:
        self._work, self._columns = work, columns

    def __call__(self, table: pa.Table) -> pa.Table:
        import pyarrow as pa

        answer = self._work(_coded_of(table.select(table.schema.names[1:]), self._columns))
        return pa.table({"answer": pa.array([answer], pa.list_(pa.int64()))})


class _Part:
    """Work on all tuples that lie together."""

    def __init__(self, work: Callable[[Coded], NDArray[np.int64]], columns: int) -> None:
        self._work, self._columns = work, columns

    def __call__(self, batches: Batches) -> Batches:
        import pyarrow as pa

        held = [batch for batch in batches if batch.num_rows]
        if held:
            answer = self._work(_coded_of(pa.Table.from_batches(held), self._columns))
            yield pa.RecordBatch.from_arrays([pa.array([answer], pa.list_(pa.int64()))], names=["answer"])


def _coded_of(table: Any, columns: int) -> Coded:
    """The codes and counts of an Arrow table or batch."""
    codes = [np.asarray(table.column(i)).astype(np.int32) for i in range(columns)]
    return codes, np.asarray(table.column(columns)).astype(np.int64)


def _recoded(codes: Sequence[NDArray[np.int32]], recode: Recode) -> list[NDArray[np.int32]]:
    return [own if new is None else new[own] for own, new in zip(codes, recode, strict=True)]


def _folded(codes: Sequence[NDArray[np.int32]], tuples: int) -> NDArray[np.int64]:
    """A hash of each tuple: its codes folded one by one, each time mixed by the finalizer of splitmix64."""
    folded = np.zeros(tuples, np.uint64)
    for own in codes:
        folded = (folded ^ own.astype(np.uint64)) + np.uint64(0x9E3779B97F4A7C15)
        folded = (folded ^ (folded >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        folded = (folded ^ (folded >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        folded ^= folded >> np.uint64(31)
    return folded.view(np.int64)


def _batch(codes: Sequence[NDArray[np.int32]], counts: NDArray[np.int64], **before: Any) -> Any:
    import pyarrow as pa

    ahead = {name: own for name, own in before.items() if own is not None}
    columns = [*ahead.values(), *codes, counts]
    names = [*ahead, *(f"c{i}" for i in range(len(codes))), "n"]
    return pa.RecordBatch.from_arrays([pa.array(own) for own in columns], names=names)
