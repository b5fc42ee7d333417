"""Count released rows again on Spark, from the written parts or from a frame: the evidence that the gate judges.

Plain groupings, and the policy of `engines.recount`. Nothing of what counted and made the rows is used: the dialect
of the parts is read as it is written down here. Only the sizes of classes and the counts in them come to the driver.
"""

from __future__ import annotations

import csv
import io
import secrets
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from antifaz.core.errors import DataError, ParameterError, SchemaError, hint
from antifaz.core.messages import Message
from antifaz.engines.engine import Applied, Auditor
from antifaz.engines.recount import ROW_KIND, Recount, SensitiveCounts, coded, fold, number
from antifaz.engines.spark.errors import spark_errors
from antifaz.engines.spark.fingerprint import SUMS, fingerprint, row_hash, sums
from antifaz.engines.spark.store import Store

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

_BETWEEN = {"csv": ",", "tsv": "\t"}
#: The bytes that a header may have.
_HEADER = 1 << 20
_READING = Message("table.checked-not-readable")
#: Nothing is passed over in silence, whatever the session says; and a name is a name, not a pattern of names.
_EXACT = {
    "ignoreCorruptFiles": "false", "ignoreMissingFiles": "false", "mergeSchema": "false", "__globPaths__": "false",
}  # fmt: skip


@dataclass(frozen=True)
class _Table:
    """Rows to be counted, columns called c0, c1, … (Spark takes `Age` and `age` for one), and their true names."""

    frame: DataFrame
    names: tuple[str, ...]
    #: Where the rows were read from, and the files found there; nowhere for a frame.
    place: str = ""
    parts: tuple[Any, ...] = field(default=(), repr=False)


class SparkAuditor(Auditor):
    """Counts frames, and folders of parts that it reads back.

    Keep it from `recount` to `describe`: the fingerprint comes with the counts, and parts that did not change meanwhile
    are not read again for it.
    """

    def __init__(self, session: SparkSession | None = None) -> None:
        """Read folders with this session, or with the active one."""
        self._session = session
        self._seen: dict[tuple[Any, ...], int] = {}

    def recount(
        self, place: Any, quasi_identifiers: Sequence[str], sensitive: Sequence[str] = (), *, classes: bool = False,
        fingerprint: bool = False, population: Applied | None = None,
    ) -> Recount:  # fmt: skip
        """Count the classes of a written folder or of a frame, and each sensitive attribute in them."""
        with spark_errors(_READING):
            table = self._open(place)
            _known([*quasi_identifiers, *sensitive], table.names)
            with _atoms(table, quasi_identifiers, sensitive) as atoms:
                if table.place:
                    self._seen[(table.place, *table.parts)] = _total(atoms)
                counted = _collect(atoms, table.names, quasi_identifiers, sensitive)
                if classes:
                    counted = replace(counted, classes=_coded(atoms, quasi_identifiers))
            if fingerprint:
                counted = replace(counted, fingerprint=self._fingerprint(table))
        if population is None:
            return counted
        return replace(counted, population=self._with_people(place, population, quasi_identifiers))

    def _with_people(self, place: Any, people: Applied, quasi_identifiers: Sequence[str]) -> Recount:
        """Count released rows and the people of a population together, in classes of the released ones."""
        found = people.collect()
        try:
            with spark_errors(_READING):
                table = self._open(place)
                _known(quasi_identifiers, table.names)
                both = _Table(_side_by_side(table, found, quasi_identifiers), (*quasi_identifiers, ROW_KIND))
                with _atoms(both, quasi_identifiers, [ROW_KIND]) as atoms:
                    return _collect(atoms, both.names, quasi_identifiers, [ROW_KIND])
        finally:
            found.unpersist()

    def fingerprint(self, place: Any, columns: int) -> int:
        """Return the fingerprint of a written folder with so many columns."""
        with spark_errors(Message("spark.parts-not-readable-back")):
            table = self._open(place)
            if len(table.names) != columns:
                raise DataError("spark.written-parts-have-other-columns", names=len(table.names), columns=columns)
            return self._fingerprint(table)

    def describe(self, place: Any) -> dict[str, Any]:
        """Return the folder's name and the fingerprint by which its rows can be told from others."""
        with spark_errors(Message("spark.parts-not-readable-back")):
            table = self._open(place)
            fingerprint = f"{self._fingerprint(table):016x}"
        name = table.place.rpartition("/")[2]
        return {"file": name, "format": _format(name), "parts": len(table.parts), "fingerprint": fingerprint}

    def _fingerprint(self, table: _Table) -> int:
        seen = (table.place, *table.parts)
        if seen not in self._seen:
            with _atoms(table, (), ()) as atoms:
                self._seen[seen] = _total(atoms)
        return self._seen[seen]

    def _open(self, place: Any) -> _Table:
        from pyspark.sql import DataFrame, SparkSession

        if isinstance(place, DataFrame):
            return _named(place, place.columns)
        session = self._session or SparkSession.active()
        store = Store(session, place)
        parts = tuple(store.parts())
        if not parts:
            raise DataError("spark.no-rows-to-check", file=store.path.getName())
        kind = _format(str(store.path.getName()))
        if kind == "parquet":
            frame = session.read.options(**_EXACT).parquet(store.name)
            return _named(frame, frame.columns, store.name, parts)
        frame, names = _text(session, store, parts, _BETWEEN[kind])
        return _named(frame, names, store.name, parts)


def _format(name: str) -> str:
    kind = name.rpartition(".")[2].lower()
    if kind != "parquet" and kind not in _BETWEEN:
        raise ParameterError("spark.unknown-format-of-folder", name=name)
    return kind


def _named(frame: DataFrame, names: Sequence[str], place: str = "", parts: tuple[Any, ...] = ()) -> _Table:
    if len(set(names)) < len(names):
        raise DataError("table.checked-has-column-twice")
    if not names:
        raise DataError("table.checked-no-columns")
    return _Table(frame.toDF(*[f"c{i}" for i in range(len(names))]), tuple(names), place, parts)


def _text(session: SparkSession, store: Store, parts: Sequence[Any], between: str) -> tuple[DataFrame, list[str]]:
    """Read parts of text in our dialect: nothing guessed, all text, unquoted empty is missing."""
    from pyspark.sql.types import StringType, StructField, StructType

    dialect = {
        "sep": between, "quote": '"', "escape": '"', "multiLine": "true", "lineSep": "\n", "encoding": "UTF-8",
        "ignoreLeadingWhiteSpace": "false", "ignoreTrailingWhiteSpace": "false", "mode": "FAILFAST",
        # Spark takes the empty text and this word for missing; no cell is this word.
        "nullValue": secrets.token_hex(16), "emptyValue": "",
    }  # fmt: skip
    names = _header(store.head(parts[0][0], _HEADER), between, str(store.path.getName()))
    schema = StructType([StructField(name, StringType()) for name in names])
    # The header of every part is compared with these names.
    reader = session.read.options(**dialect, **_EXACT).options(header="true", enforceSchema="false")
    return reader.schema(schema).csv(store.name), names


def _header(head: bytes, between: str, name: str) -> list[str]:
    try:
        # The last letter may be cut in two.
        text = head.decode(errors="ignore" if len(head) == _HEADER else "strict")
        return next(csv.reader(io.StringIO(text, newline=""), delimiter=between, strict=True))
    except (csv.Error, UnicodeError, StopIteration):
        raise DataError("table.header-not-readable", file=name) from None


def _known(names: Iterable[str], columns: Sequence[str]) -> None:
    for name in names:
        if name not in columns:
            raise SchemaError("table.checked-lacks-column", name=name, hint=hint(name, columns))


def _side_by_side(table: _Table, people: DataFrame, quasi_identifiers: Sequence[str]) -> DataFrame:
    from pyspark.sql import functions as fn

    theirs = people.toDF(*[f"c{i}" for i in range(len(people.columns))])
    kinds = dict(theirs.dtypes)
    released, persons = [], []
    for i, name in enumerate(quasi_identifiers):
        place = f"c{people.columns.index(name)}"
        # The same floating-point number may be spelled in two ways.
        kind = kinds[place] if kinds[place] in ("float", "double") else "string"
        released.append(fn.col(f"c{table.names.index(name)}").cast(kind).cast("string").alias(f"c{i}"))
        persons.append(fn.col(place).cast("string").alias(f"c{i}"))
    ours = table.frame.select(*released, fn.lit("released").alias(f"c{len(released)}"))
    return ours.unionAll(theirs.select(*persons, fn.lit("person").alias(f"c{len(persons)}")))


@contextmanager
def _atoms(table: _Table, quasi_identifiers: Sequence[str], sensitive: Sequence[str]) -> Iterator[DataFrame]:
    """Read the rows once: count them by all columns asked for, and where they are files, sum their fingerprints."""
    from pyspark import StorageLevel
    from pyspark.sql import functions as fn

    kinds = dict(table.frame.dtypes)
    places = {name: f"c{i}" for i, name in enumerate(table.names)}
    keys = [_exact(places[name], kinds).alias(f"q{i}") for i, name in enumerate(quasi_identifiers)]
    keys += [_spelling(places[name], kinds).alias(f"s{i}") for i, name in enumerate(sensitive)]
    names = [*(f"q{i}" for i in range(len(quasi_identifiers))), *(f"s{i}" for i in range(len(sensitive)))]
    counted = [fn.count(fn.lit(1)).alias("n")]
    if table.place:
        keys.append(row_hash([fn.col(place).cast("string") for place in places.values()]).alias("hash"))
        counted += sums("hash")
    taken = table.frame.select(*keys, fn.lit(1).alias("one"))
    grouped = taken.groupBy(*names).agg(*counted)
    atoms = grouped.filter("n > 0").persist(StorageLevel.MEMORY_AND_DISK)
    try:
        yield atoms
    finally:
        atoms.unpersist()


def _exact(place: str, kinds: dict[str, str]) -> Column:
    """Return a quasi-identifier; text byte by byte, whatever the rules by which its column is compared."""
    from pyspark.sql import functions as fn

    return fn.col(place).cast("string") if kinds[place].startswith(("string", "varchar", "char")) else fn.col(place)


def _spelling(place: str, kinds: dict[str, str]) -> Column:
    """Return a sensitive value as text; a reader takes a number that is not one for a missing value."""
    from pyspark.sql import functions as fn

    value = fn.col(place)
    if kinds[place] not in ("float", "double"):
        return value.cast("string")
    endless = fn.when(value == float("inf"), "inf").when(value == float("-inf"), "-inf")
    return endless.when(~fn.isnan(value), value.cast("string"))


def _total(atoms: DataFrame) -> int:
    from pyspark.sql import functions as fn

    found: Any = atoms.agg(*[fn.coalesce(fn.sum(name), fn.lit(0)).alias(name) for name in SUMS]).collect()[0]
    return fingerprint(found)


def _collect(
    atoms: DataFrame, columns: tuple[str, ...], quasi_identifiers: Sequence[str], sensitive: Sequence[str]
) -> Recount:
    from pyspark.sql import functions as fn

    width = len(quasi_identifiers)
    sizes = _integers(_in_order(atoms, width, fn.sum("n").alias("size")).column("size"))
    cells = {name: _cells(atoms, f"s{i}", width, sizes) for i, name in enumerate(sensitive)}
    return Recount(int(sizes.sum()), columns, sizes, cells, _values(atoms, quasi_identifiers))


def _values(atoms: DataFrame, quasi_identifiers: Sequence[str]) -> dict[str, frozenset[str | None]]:
    """Return every value that occurs, as text, per quasi-identifier."""
    from pyspark.sql import functions as fn

    if not quasi_identifiers:
        return {}
    asked = []
    for i in range(len(quasi_identifiers)):
        asked += [fn.collect_set(fn.col(f"q{i}").cast("string")), fn.max(fn.col(f"q{i}").isNull())]
    found: Any = atoms.agg(*asked).collect()[0]
    return {
        name: frozenset(found[2 * i]) | (frozenset({None}) if found[2 * i + 1] else frozenset())
        for i, name in enumerate(quasi_identifiers)
    }


def _coded(atoms: DataFrame, quasi_identifiers: Sequence[str]) -> dict[str, NDArray[np.int64]]:
    """Return the value of every class as a number, -1 where it is missing."""
    from pyspark.sql import functions as fn

    width = len(quasi_identifiers)
    firsts = [fn.first(f"q{i}").alias(f"v{i}") for i in range(width)]
    found = _in_order(atoms, width, *firsts) if firsts else None
    return {name: coded(found.column(f"v{i}")) for i, name in enumerate(quasi_identifiers)} if found else {}


def _in_order(counted: DataFrame, width: int, *aggregates: Column) -> pa.Table:
    """Aggregate by class and bring the result without the values, but in their order; missing comes last."""
    from pyspark.sql import functions as fn

    qis = [f"q{i}" for i in range(width)]
    grouped = counted.groupBy(*qis).agg(fn.count(fn.lit(1)).alias("atoms"), *aggregates).filter("atoms > 0")
    ordered = grouped.orderBy(*[fn.col(name).asc_nulls_last() for name in qis]) if qis else grouped
    return ordered.drop(*qis, "atoms").toArrow()


def _cells(atoms: DataFrame, column: str, width: int, sizes: NDArray[np.int64]) -> SensitiveCounts:
    """Fold the different spellings of one sensitive column, and count what they mean in each class."""
    from pyspark.sql import functions as fn

    spellings = atoms.select(column).distinct().toArrow().column(column).to_pylist()
    meanings = [fold(spelling) for spelling in spellings]
    labels = sorted(set(meanings), key=lambda label: (label is None, label or ""))
    ids = {label: i for i, label in enumerate(labels)}
    table = {
        "spelling": pa.array(spellings, pa.string()),
        "value": pa.array([ids[meaning] for meaning in meanings], pa.int64()),
    }
    folded = fn.broadcast(atoms.sparkSession.createDataFrame(pa.table(table)))
    meant = atoms.join(folded, fn.col(column).eqNullSafe(fn.col("spelling")), "left")
    qis = [f"q{i}" for i in range(width)]
    pairs = meant.groupBy(*qis, "value").agg(fn.sum("n").alias("count"))
    found = _in_order(pairs, width, fn.collect_list(fn.struct("value", "count")).alias("pairs"))
    classes, values, counts = _flat(found.column("pairs"))
    if not np.array_equal(np.bincount(classes, weights=counts, minlength=sizes.size).astype(np.int64), sizes):
        raise DataError("spark.table-changed-while-counted", reading=_READING)
    order = np.lexsort((values, classes))
    known = [label for label in labels if label is not None]
    numeric = bool(known) and all(number(label) is not None for label in known)
    return SensitiveCounts(classes[order], values[order], counts[order], tuple(labels), numeric)


def _flat(lists: pa.ChunkedArray) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the class, the value and the count of every pair in the classes' lists."""
    import pyarrow.compute as pc

    classes = np.repeat(np.arange(len(lists)), _integers(pc.list_value_length(lists)))
    pairs = pc.list_flatten(lists)
    if pairs.null_count or not len(pairs):
        return (np.zeros(0, np.int64),) * 3
    return classes, _integers(pc.struct_field(pairs, "value")), _integers(pc.struct_field(pairs, "count"))


def _integers(column: Any) -> NDArray[np.int64]:
    return np.asarray(column.to_numpy(), dtype=np.int64)
