"""Count released rows again on Spark, from the written parts or from a frame: the evidence that the gate judges.

Plain groupings, and the policy of `engines.recount`. Nothing of what counted and made the rows is used: the dialect
of the parts is read as it is written down here. Only the sizes of classes and the counts in them come to the driver.
"""

import io
import secrets
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as fn
from pyspark.sql.types import StringType, StructField, StructType

from antifaz.core import recount as policy
from antifaz.core.arrays import Ints
from antifaz.core.errors import DataError, ParameterError
from antifaz.core.folding import fold_spellings
from antifaz.core.messages import Message
from antifaz.engines.engine import Applied, Auditor
from antifaz.engines.registry import engine_named
from antifaz.engines.spark.frames import SUMS, fingerprint, integers, is_text, persisted, row_hash, spark_errors, sums
from antifaz.engines.spark.store import Store
from antifaz.sources.read_back import read_header

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
        self._fingerprints: dict[tuple[Any, ...], int] = {}
        self._last: _Table | None = None

    def recount(
        self,
        place: Any,
        quasi_identifiers: Sequence[str],
        sensitive: Sequence[str] = (),
        *,
        classes: bool = False,
        fingerprint: bool = False,
        population: Applied | None = None,
        people: Any = None,
    ) -> policy.Recount:
        """Count the classes of a written folder or of a frame, and each sensitive attribute in them.

        Where people are counted, who has a row in which class comes to the driver.
        """
        with spark_errors(_READING):
            table, asked = self._open(place), (quasi_identifiers, sensitive)
            policy.require_columns([*quasi_identifiers, *sensitive, *(people or ())], table.names)
            hashed = fingerprint or bool(table.place)
            with persisted(_atoms(table, *asked, people or (), hashed=hashed)) as atoms:
                if hashed:
                    self._fingerprints[(table.place, *table.parts)] = total = _total(atoms)
                if people:
                    grouped, here = policy.GroupedRows(table.names, _texts(atoms)), engine_named("local").auditor()
                    counted = here.recount(grouped, *asked, people=people, classes=classes)
                else:
                    counted = _collect(atoms, table.names, *asked)
                if classes and not people:
                    counted = replace(counted, classes=_coded(atoms, quasi_identifiers))
            if fingerprint:
                counted = replace(counted, fingerprint=total)
        if population is None:
            return counted
        return replace(counted, population=self._with_people(place, population, quasi_identifiers, classes=classes))

    def _with_people(
        self, place: Any, population: Applied, quasi_identifiers: Sequence[str], *, classes: bool
    ) -> policy.Recount:
        """Count released rows and the people of a population together, in classes of the released ones."""
        people = population.collect()
        try:
            with spark_errors(_READING):
                frame = _side_by_side(self._open(place), people, quasi_identifiers)
                both = _Table(frame, (*quasi_identifiers, policy.ROW_KIND))
                with persisted(_atoms(both, quasi_identifiers, [policy.ROW_KIND])) as atoms:
                    counted = _collect(atoms, both.names, quasi_identifiers, [policy.ROW_KIND])
                    return replace(counted, classes=_coded(atoms, quasi_identifiers)) if classes else counted
        finally:
            people.unpersist()

    def count_unique(self, place: Any, combinations: Sequence[Sequence[str]]) -> list[int]:
        """Count, by each combination of columns, the rows that no other is like, in one pass."""
        with spark_errors(_READING):
            table = self._open(place)
            keys = []
            for i, names in enumerate(combinations):
                cells = [fn.col(f"c{table.names.index(name)}").cast("string") for name in names]
                keys.append(fn.struct(fn.lit(i).alias("i"), fn.array(*cells).alias("cells")))
            groups = table.frame.select(fn.explode(fn.array(*keys)).alias("k")).groupBy("k").count()
            alone = groups.where((fn.col("count") == 1) & fn.element_at("k.cells", -1).isNotNull())
            counts = {row[0]: row[1] for row in alone.groupBy("k.i").count().collect()}
        return [counts.get(i, 0) for i in range(len(combinations))]

    def describe(self, place: Any) -> dict[str, Any]:
        """Return the folder's name and the fingerprint by which its rows can be told from others."""
        with spark_errors(Message("spark.parts-not-readable-back")):
            table = self._open(place)
            fingerprint = f"{self._fingerprint(table):016x}"
        name = table.place.rpartition("/")[2]
        return {"file": name, "format": _format(name), "parts": len(table.parts), "fingerprint": fingerprint}

    def _fingerprint(self, table: _Table) -> int:
        key = (table.place, *table.parts)
        if key not in self._fingerprints:
            with persisted(_atoms(table, (), (), hashed=True)) as atoms:
                self._fingerprints[key] = _total(atoms)
        return self._fingerprints[key]

    def _open(self, place: Any) -> _Table:
        if isinstance(place, DataFrame):
            return _named(place, place.columns)
        session = self._session or SparkSession.active()
        store = Store(session, place)
        parts, file = tuple(store.parts()), str(store.path.getName())
        if not parts:
            raise DataError("spark.no-rows-to-check", file=file)
        if self._last is not None and (self._last.place, self._last.parts) == (store.name, parts):
            return self._last
        if _format(file) == "parquet":
            frame = session.read.options(**_EXACT).parquet(store.name)
            self._last = _named(frame, frame.columns, store.name, parts)
            return self._last
        between = _BETWEEN[_format(file)]
        head = store.head(parts[0][0], _HEADER).decode(errors="surrogateescape")  # its last letter may be cut in two
        names = read_header(io.StringIO(head, newline=""), between, file)
        return _named(_text(session, store.name, names, between), names, store.name, parts)


def _format(name: str) -> str:
    kind = name.rpartition(".")[2].lower()
    if kind != "parquet" and kind not in _BETWEEN:
        raise ParameterError("spark.unknown-format-of-folder", name=name)
    return kind


def _named(frame: DataFrame, names: Sequence[str], place: str = "", parts: tuple[Any, ...] = ()) -> _Table:
    policy.require_columns((), names)
    return _Table(frame.toDF(*[f"c{i}" for i in range(len(names))]), tuple(names), place, parts)


def _text(session: SparkSession, place: str, names: Sequence[str], between: str) -> DataFrame:
    """Read parts of text in our dialect: nothing guessed, all text, unquoted empty is missing."""
    dialect = {
        "sep": between, "quote": '"', "escape": '"', "multiLine": "true", "lineSep": "\n", "encoding": "UTF-8",
        "ignoreLeadingWhiteSpace": "false", "ignoreTrailingWhiteSpace": "false", "mode": "FAILFAST",
        # Spark takes the empty text and this word for missing; no cell is this word.
        "nullValue": secrets.token_hex(16), "emptyValue": "",
        # The header of every part is compared with the names.
        "header": "true", "enforceSchema": "false",
    }  # fmt: skip
    schema = StructType([StructField(name, StringType()) for name in names])
    return session.read.options(**dialect, **_EXACT).schema(schema).csv(place)


def _side_by_side(table: _Table, people: DataFrame, quasi_identifiers: Sequence[str]) -> DataFrame:
    theirs = people.toDF(*[f"c{i}" for i in range(len(people.columns))])
    kinds = dict(theirs.dtypes)
    released, persons = [], []
    for i, name in enumerate(quasi_identifiers):
        place = f"c{people.columns.index(name)}"
        # The same floating-point number may be spelled in two ways.
        kind = kinds[place] if kinds[place] in ("float", "double") else "string"
        released.append(fn.col(f"c{table.names.index(name)}").cast(kind).cast("string").alias(f"c{i}"))
        persons.append(fn.col(place).cast("string").alias(f"c{i}"))
    ours = table.frame.select(*released, fn.lit(policy.RELEASED).alias(f"c{len(released)}"))
    return ours.unionAll(theirs.select(*persons, fn.lit(policy.PERSON).alias(f"c{len(persons)}")))


def _atoms(
    table: _Table,
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str],
    people: Sequence[str] = (),
    *,
    hashed: bool = False,
) -> DataFrame:
    """Read the rows once: count them by all columns asked for, and sum the fingerprints of cells that are no keys."""
    kinds = dict(table.frame.dtypes)
    places = {name: f"c{i}" for i, name in enumerate(table.names)}
    # Quasi-identifiers byte by byte, whatever the rules by which a column of text is compared.
    exact = {place: fn.col(place).cast("string") if is_text(kinds[place]) else fn.col(place) for place in kinds}
    keys = {f"q{i}": exact[places[name]] for i, name in enumerate(quasi_identifiers)}
    keys |= {f"s{i}": _spelling(places[name], kinds) for i, name in enumerate(sensitive)}
    keys |= {f"p{i}": fn.col(places[name]).cast("string") for i, name in enumerate(people)}
    taken = [key.alias(name) for name, key in keys.items()]
    counted = [fn.count(fn.lit(1)).alias("n")]
    if hashed:
        cells = [fn.col(place).cast("string") for name, place in places.items() if name not in people]
        taken.append(row_hash(cells).alias("hash"))
        counted += sums("hash")
    return table.frame.select(*taken, fn.lit(1).alias("one")).groupBy(*keys).agg(*counted).filter("n > 0")


def _spelling(place: str, kinds: dict[str, str]) -> Column:
    """Return a sensitive value as text; a reader takes a number that is not one for a missing value."""
    value = fn.col(place)
    if kinds[place] not in ("float", "double"):
        return value.cast("string")
    endless = fn.when(value == float("inf"), "inf").when(value == float("-inf"), "-inf")
    return endless.when(~fn.isnan(value), value.cast("string"))


def _texts(atoms: DataFrame) -> pa.Table:
    """Bring what was counted to the driver, as texts."""
    names = [name for name in atoms.columns if name not in SUMS]
    return atoms.select([fn.col(n) if n == "n" else fn.col(n).cast("string").alias(n) for n in names]).toArrow()


def _total(atoms: DataFrame) -> int:
    return fingerprint(atoms.agg(*[fn.coalesce(fn.sum(name), fn.lit(0)).alias(name) for name in SUMS]).collect()[0])


def _collect(
    atoms: DataFrame, columns: tuple[str, ...], quasi_identifiers: Sequence[str], sensitive: Sequence[str]
) -> policy.Recount:
    qis = [f"q{i}" for i in range(len(quasi_identifiers))]
    with ThreadPoolExecutor(1) as worker:  # both take longer to plan than to answer
        values = worker.submit(_values, atoms, qis)
        sizes = integers(_in_order(atoms, qis, fn.sum("n").alias("size")).column("size"))
        cells = {name: _cells(atoms, f"s{i}", qis, sizes) for i, name in enumerate(sensitive)}
    found = dict(zip(quasi_identifiers, values.result(), strict=True))
    return policy.Recount(int(sizes.sum()), columns, sizes, cells, found)


def _values(atoms: DataFrame, qis: Sequence[str]) -> list[frozenset[str | None]]:
    """Return the distinct values of each column, as text."""
    texts = [fn.collect_set(fn.col(q).cast("string")) for q in qis]
    row: Any = atoms.agg(*texts, *[fn.max(fn.col(q).isNull()) for q in qis]).collect()[0] if qis else ()
    both = zip(row[: len(qis)], row[len(qis) :], strict=True)
    return [frozenset([*known, None] if missing else known) for known, missing in both]


def _coded(atoms: DataFrame, quasi_identifiers: Sequence[str]) -> dict[str, Ints]:
    """Return the value of every class as a number in the order of their texts, -1 where it is missing."""
    qis = [f"q{i}" for i in range(len(quasi_identifiers))]
    firsts = _in_order(atoms, qis, *[fn.first(fn.col(q).cast("string")).alias(f"v{q}") for q in qis]) if qis else None
    return {name: policy.coded(firsts.column(i)) for i, name in enumerate(quasi_identifiers)} if firsts else {}


def _in_order(counted: DataFrame, qis: Sequence[str], *aggregates: Column) -> pa.Table:
    """Aggregate by class and bring the result without the values, but in their order; missing comes last."""
    grouped = counted.groupBy(*qis).agg(fn.count(fn.lit(1)).alias("atoms"), *aggregates).filter("atoms > 0")
    ordered = grouped.orderBy(*[fn.col(name).asc_nulls_last() for name in qis]) if qis else grouped
    return ordered.drop(*qis, "atoms").toArrow()


def _cells(atoms: DataFrame, column: str, qis: Sequence[str], sizes: Ints) -> policy.SensitiveCounts:
    """Fold the different spellings of one sensitive column, and count what they mean in each class."""
    spellings = atoms.select(column).distinct().toArrow().column(column).to_pylist()
    labels, meanings = fold_spellings(spellings)
    table = pa.table({"spelling": pa.array(spellings, pa.string()), "value": pa.array(meanings, pa.int64())})
    folded = fn.broadcast(atoms.sparkSession.createDataFrame(table))
    meant = atoms.join(folded, fn.col(column).eqNullSafe(fn.col("spelling")), "left")
    pairs = meant.groupBy(*qis, "value").agg(fn.sum("n").alias("count"))
    lists = _in_order(pairs, qis, fn.collect_list(fn.struct("value", "count")).alias("pairs")).column("pairs")
    classes = np.repeat(np.arange(len(lists)), integers(pc.list_value_length(lists)))
    flat = pc.list_flatten(lists)
    values, counts = (integers(pc.struct_field(flat, name)) for name in ("value", "count"))
    if not np.array_equal(np.bincount(classes, weights=counts, minlength=sizes.size).astype(np.int64), sizes):
        raise DataError("spark.table-changed-while-counted", reading=_READING)
    order = np.lexsort((values, classes))
    return policy.SensitiveCounts(classes[order], values[order], counts[order], labels)
