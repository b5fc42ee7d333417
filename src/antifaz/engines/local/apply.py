"""Applying a recoding on the local engine: joins with small mapping tables, rows in a secret order."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pyarrow as pa

from antifaz.core.errors import ParameterError
from antifaz.core.recoding import ColumnRecoding, Recoding, RowRecoding, StoredRecoding, TupleRecoding
from antifaz.engines.engine import Applied, Written
from antifaz.engines.local.boxes import LABEL, LocalBoxes
from antifaz.engines.local.duck import as_text, duckdb_errors, quote
from antifaz.engines.local.memory import database_memory, trim_allocators
from antifaz.engines.local.write import write
from antifaz.sources import frames

if TYPE_CHECKING:
    from antifaz.engines.local.table import LocalTable

#: How many rows are brought out at a time.
_BATCH = 100_000
#: About what a cell takes while rows are sorted, and how many times a database's share may be on disk meanwhile.
_CELL, _SPILLED = 24, 5


@dataclass(frozen=True, kw_only=True)
class LocalApplied(Applied):
    """A recoding bound to rows: a statement that yields the rows to release, whenever they are asked for."""

    data: LocalTable
    recoding: Recoding
    #: Secret from which the order of the released rows follows; see `core.randomness.shuffle_key`.
    key: int

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are released, in the order of the source."""
        return tuple(name for name in self.data.schema.names if name not in self.recoding.dropped)

    def collect(self) -> pa.Table:
        """Make the rows to release as one table."""
        with self._mapped() as (sql,), duckdb_errors("Applying the recoding failed"):
            return self.data.db.sql(sql).to_arrow_table()

    def hand_over(self, table: pa.Table) -> Any:
        """Return the table as the same kind of object that came in (a pyarrow table for a file)."""
        return frames.to_kind(table, cast("Any", self.data.kind))

    def write(self, folder: Path, format: str) -> Written:
        """Write the rows to `release.<format>` in a folder."""
        return write(self, folder, format, **self.data.limits)

    @contextmanager
    def batches(self) -> Iterator[pa.RecordBatchReader]:
        """Yield the rows to release batch by batch, without holding them all."""
        with self._mapped(ranges=self._ranges()) as statements, duckdb_errors("Applying the recoding failed"):
            readers = (self._opened(i, sql) for i, sql in enumerate(statements))
            first = next(readers)
            passing = _one_after_another(chain([first], readers))
            try:
                yield pa.RecordBatchReader.from_batches(first.schema, passing)
            finally:
                # Where the writer stopped half-way, rows not yet read would keep the database busy.
                passing.close()
                first.close()

    def _opened(self, i: int, sql: str) -> pa.RecordBatchReader:
        """Open one range; what the one before left behind would be added to."""
        if i:
            trim_allocators()
        return self.data.db.sql(sql).to_arrow_reader(_BATCH)

    def _ranges(self) -> int:
        """Say in how many pieces the rows are sorted: what a sort keeps in mind grows with what it has on disk.

        The pieces are ranges of the secret that orders the rows, one after another, so the order is the same.
        """
        if self.data.memory is None:
            return 1
        wide = _CELL * (len(self.columns) + 1)
        return -(-self.data.rows * wide // (_SPILLED * database_memory(self.data.memory))) or 1

    @contextmanager
    def traced(self, quasi_identifiers: Sequence[str]) -> Iterator[pa.RecordBatchReader]:
        """Yield the rows to release beside what they were made from, all as text, in any order."""
        with self._mapped(quasi_identifiers) as (sql,), duckdb_errors("Tracing the released rows failed"):
            reader = self.data.db.sql(sql).to_arrow_reader(_BATCH)
            try:
                yield reader
            finally:
                reader.close()

    @contextmanager
    def _mapped(self, traced: Sequence[str] | None = None, ranges: int = 1) -> Iterator[list[str]]:
        """Register the mapping tables, yield a statement for each range of the order, and take them away again."""
        tables = self._tables()
        for name, table in tables.items():
            self.data.db.register(name, table)
        try:
            yield [self._statement(traced, within) for within in _equal_ranges(ranges)]
        finally:
            for name in tables:
                self.data.db.unregister(name)

    def _tables(self) -> dict[str, pa.Table]:
        if self.recoding.tuples is not None:
            return _tuple_tables(self.recoding.columns, self.recoding.tuples)
        if self.recoding.rows is not None:
            return {"grouped": _row_table(self.recoding.rows)}
        if self.recoding.stored is not None:
            return {"labels": _label_table(self.recoding.stored)}
        tables = {}
        for i, column in self._joined():
            pairs = {"value": column.values, "label": column.labels}
            tables[f"map_{i}"] = pa.table({name: pa.array(part, pa.string()) for name, part in pairs.items()})
        if self.recoding.suppressed:
            columns = list(zip(*self.recoding.suppressed, strict=True))
            tables["suppressed"] = pa.table({f"c{i}": pa.array(part, pa.string()) for i, part in enumerate(columns)})
        return tables

    def _joined(self) -> list[tuple[int, ColumnRecoding]]:
        """The columns whose values change, be it only in their spelling."""
        return [(i, c) for i, c in enumerate(self.recoding.columns) if not (c.keeps_type and c.values == c.labels)]

    def _released(self, column: str, labels: dict[str, str]) -> str:
        """What is released of a column: its label; or the value itself, in its type, where nothing is generalized."""
        kind, value = self.data.native.get(column, ""), f"s.{quote(column)}"
        kept = next((c.keeps_type for c in self.recoding.columns if c.column == column), True)
        own = self.recoding.rows is not None or self.recoding.stored is not None
        if column in labels and (own or not (kept and _typed(kind))):
            return labels[column]
        return value if _typed(kind) else f"CAST({value} AS VARCHAR)"

    def _statement(self, traced: Sequence[str] | None, within: str) -> str:
        if self.recoding.rows is not None:
            labels, joins = self._by_row()
        elif self.recoding.stored is not None:
            labels, joins = self._as_stored()
        elif self.recoding.tuples is not None:
            labels, joins = self._by_tuple(self.recoding.tuples)
        else:
            labels, joins = self._by_column()
        chosen = ", ".join(f"{self._released(name, labels)} AS {quote(name)}" for name in self.columns)
        # Twice: the hash of two values is that of one, XOR that of the other, so that orders under two keys would be
        # the same but for blocks that changed places; hashed again, they have nothing in common.
        order = f"hash(hash(s.{quote(POSITION)}, {self.key}))"
        rows = f"SELECT * FROM ({self._rows()}) AS s WHERE {order} {within}" if within else self._rows()  # noqa: S608
        if traced is not None:
            came = [as_text(f"s.{quote(name)}", self.data.native.get(name, "")) for name in self.data.schema.names]
            told = [f"CAST({self._released(name, labels)} AS VARCHAR)" for name in traced]
            shown = ", ".join(f"{cell} AS c{i}" for i, cell in enumerate([*came, *told, order]))
            return f"SELECT {shown} FROM ({rows}) AS s{joins}"  # noqa: S608 - names are quoted
        order = f"{order}, hash({self.key}, s.{quote(POSITION)})"
        return f"SELECT {chosen} FROM ({rows}) AS s{joins} ORDER BY {order}"  # noqa: S608 - names are quoted

    def _rows(self) -> str:
        """The rows of the source with their positions, and the labels that are kept beside them."""
        if self.recoding.stored is None:
            return f"SELECT *, row_number() OVER () AS {quote(POSITION)} FROM {self.data.table}"  # noqa: S608
        if not isinstance(self.recoding.stored.place, LocalBoxes):
            raise ParameterError("table.decided-part-by-part-elsewhere")
        return self.recoding.stored.place.rows(quote(POSITION))

    def _by_column(self) -> tuple[dict[str, str], str]:
        """Where each column's label is found, and the joins that bring it and leave classes out."""
        joined = dict(self._joined())
        labels = {
            column.column: f"map_{i}.label" if i in joined else f"s.{quote(column.column)}"
            for i, column in enumerate(self.recoding.columns)
        }
        joins = "".join(_join(i, column, self.data.native.get(column.column, "")) for i, column in joined.items())
        return labels, joins + self._left_out(labels)

    def _by_tuple(self, recoding: TupleRecoding) -> tuple[dict[str, str], str]:
        """The same where combinations of values have labels: those that are not listed find no partner and go."""
        columns = self.recoding.columns
        labels = {column.column: f"tuples.l{i}" for i, column in enumerate(columns)}
        for i, (column, typed) in enumerate(zip(columns, recoding.typed, strict=False)):
            if typed:
                kind = self.data.native.get(column.column, "VARCHAR")
                labels[column.column] = f"CAST(tuples.l{i} AS {kind})"
        joins = "".join(_join(i, column, self.data.native.get(column.column, "")) for i, column in enumerate(columns))
        same = " AND ".join(f"map_{i}.code = tuples.c{i}" for i in range(len(columns)))
        return labels, f"{joins} JOIN tuples ON {same}"

    def _by_row(self) -> tuple[dict[str, str], str]:
        """The same where rows have labels: those that are left out find no partner and go."""
        labels = {}
        for i, column in enumerate(self.recoding.columns):
            kind = self.data.native.get(column.column, "VARCHAR")
            labels[column.column] = f"CAST(grouped.l{i} AS {kind})" if column.keeps_type else f"grouped.l{i}"
        return labels, f" JOIN grouped ON grouped.position = s.{quote(POSITION)}"

    def _as_stored(self) -> tuple[dict[str, str], str]:
        """The same where the labels of combinations are in a table of this database."""
        labels = {}
        for i, column in enumerate(self.recoding.columns):
            kind, label = self.data.native.get(column.column, "VARCHAR"), f"labels.l{i}[s.{LABEL.format(i)} + 1]"
            labels[column.column] = f"CAST({label} AS {kind})" if column.keeps_type else label
        return labels, " CROSS JOIN labels"

    def _left_out(self, labels: dict[str, str]) -> str:
        if not self.recoding.suppressed:
            return ""
        same = " AND ".join(
            f"CAST({labels[column.column]} AS VARCHAR) IS NOT DISTINCT FROM suppressed.c{i}"
            for i, column in enumerate(self.recoding.columns)
        )
        return f" ANTI JOIN suppressed ON {same}"


def _join(i: int, column: ColumnRecoding, kind: str) -> str:
    value = as_text(f"s.{quote(column.column)}", kind)
    return f" JOIN map_{i} ON {value} IS NOT DISTINCT FROM map_{i}.value"


def _row_table(recoding: RowRecoding) -> pa.Table:
    """The position of every row that is released, and its labels."""
    groups = np.asarray(recoding.groups)
    kept = np.flatnonzero(groups >= 0)
    parts = {"position": pa.array(kept + 1)}
    for i, (labels, released) in enumerate(zip(recoding.labels, recoding.released, strict=True)):
        parts[f"l{i}"] = pa.array(labels, pa.string()).take(pa.array(np.asarray(released)[groups[kept]]))
    return pa.table(parts)


def _label_table(recoding: StoredRecoding) -> pa.Table:
    """One row that holds per column the list of all labels.

    A join would be planned without knowing that the rows are many, and hold them instead of the labels.
    """
    return pa.table({f"l{i}": pa.array([list(of)], pa.list_(pa.string())) for i, of in enumerate(recoding.labels)})


def _tuple_tables(columns: tuple[ColumnRecoding, ...], recoding: TupleRecoding) -> dict[str, pa.Table]:
    """Per column the code of each value, and one table from codes to labels."""
    tables, parts = {}, {}
    for i, column in enumerate(columns):
        codes = pa.array(np.asarray(recoding.codes[i]))
        tables[f"map_{i}"] = pa.table({"value": pa.array(column.values, pa.string()), "code": codes})
        parts[f"c{i}"] = pa.array(np.asarray(recoding.tuples[i]))
        labels = pa.array(recoding.labels[i], pa.string())
        parts[f"l{i}"] = labels.take(pa.array(np.asarray(recoding.released[i])))
    return tables | {"tuples": pa.table(parts)}


#: A column name that no file can bring along by accident.
POSITION = "antifaz row position"


def _one_after_another(readers: Iterable[pa.RecordBatchReader]) -> Generator[pa.RecordBatch, None, None]:
    for reader in readers:
        try:
            yield from reader
        finally:
            reader.close()


def _equal_ranges(many: int) -> Iterator[str]:
    """SQL that keeps a hash within each of so many equal ranges, in order; one of them needs no words."""
    ends = [i * 2**64 // many for i in range(many + 1)]
    for low, high in pairwise(ends):
        yield f"BETWEEN {low} AND {high - 1}" if many > 1 else ""


def _typed(kind: str) -> bool:
    """Whether the database holds values in a type of their own, in which each has one spelling only.

    Text may have several. An enumeration is released as text: its dictionary would carry values of rows that are left
    out.
    """
    return bool(kind) and not kind.startswith(("VARCHAR", "ENUM"))


def digest(data: LocalTable) -> bytes:
    """Return a digest of all rows, whatever their order; it never leaves this program."""
    names = ", ".join(quote(name) for name in data.schema.names)
    with duckdb_errors("Reading the rows failed"):
        sql = f"SELECT sum(hash({names})::HUGEINT)::VARCHAR FROM {data.table}"  # noqa: S608 - names are quoted
        row: Any = data.db.sql(sql).fetchall()[0]
    return str(row[0]).encode()
