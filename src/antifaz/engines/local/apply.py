"""Applying a recoding on the local engine: joins with small mapping tables, rows in a secret order.

Also rows that nothing is decided about, in the types that their columns are understood as.
"""

# Names of columns and tables are quoted, or ours.
# ruff: noqa: S608
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, cast

import numpy as np
import pyarrow as pa

from antifaz.core.errors import ParameterError
from antifaz.core.memory import database_memory, trim_allocators
from antifaz.core.messages import Message
from antifaz.core.recoding import Recoding, RowRecoding
from antifaz.core.schema import Column
from antifaz.core.types import DataType
from antifaz.engines.engine import Applied, TableTarget, WriteResult
from antifaz.engines.local.remote_boxes import LABEL, LocalBoxedTuples
from antifaz.engines.local.table import SOURCE, LocalTable
from antifaz.engines.local.write import Fingerprint, fingerprinted, write
from antifaz.engines.relational.apply import Mappings
from antifaz.engines.relational.trace import traced_cells
from antifaz.sources import frames
from antifaz.sources.duckdb_connection import duckdb_errors, first_row, quote
from antifaz.sources.spellings import Spelling, except_of, respelled

#: A column name that no file can bring along by accident.
POSITION = '"antifaz row position"'
#: The table of labels that rows have of their own.
_OWN_LABELS = "antifaz_labels"
#: How many rows are brought out at a time.
_BATCH = 100_000
#: About what a cell takes while rows are sorted, how often rows may be gone through so that what is sorted fits in
#: memory (what is spilled is encrypted, which takes longer), and how many times a database's share may be on disk else.
_CELL, _PASSES, _SPILLED = 24, 4, 5
#: What the database calls types, the most digits of a decimal number there, and how a time without a zone is written.
_TYPES = {DataType.INTEGER: "BIGINT", DataType.DATE: "DATE", DataType.BOOLEAN: "BOOLEAN"}
_DIGITS = 38
_PLAIN_TIME = "^[^+Zz]{10}[^+Zz-]*$"
_NOT_TYPED = Message("engine.types-not-found")


@dataclass(frozen=True, kw_only=True)
class LocalApplied(Applied):
    """A recoding bound to rows: a statement that yields the rows to release, whenever they are asked for."""

    data: LocalTable
    recoding: Recoding
    #: Secret from which the order of the released rows follows; see `core.randomness.shuffle_key`.
    key: int

    @property
    def is_changed(self) -> bool:
        """Whether operations changed cells of the table that came in."""
        return self.data.table != SOURCE

    @property
    def spellings(self) -> Mapping[str, Spelling]:
        """How columns were written that are released as they came, and read in a form of their own."""
        local = self.recoding.tuples or self.recoding.rows or self.recoding.stored
        changed = {c.column for c in self.recoding.columns if local is not None or tuple(c.values) != tuple(c.labels)}
        return except_of(self.data.spellings, changed)

    def collect(self) -> pa.Table:
        """Make the rows to release as one table."""
        with self._mapped() as (sql,), duckdb_errors(Message("engine.recoding-failed")):
            return self.data.db.sql(sql).to_arrow_table()

    def collect_keyed(self, person: Sequence[str]) -> tuple[pa.Table, pa.Table | None]:
        """Make the rows to release with their person keys, which are taken off: rows are put in order once."""
        table = self.dropping(self.recoding.dropped, person).collect()
        return table.select(self.columns), table.select(person) if person else None

    def to_source_kind(self, table: pa.Table) -> Any:
        """Return the table as the same kind of object that came in (a pyarrow table for a file)."""
        table = respelled(table, self.spellings)
        table = frames.in_categories(frames.in_own_zones(table, self.data.arrow), self.data.categories)
        return frames.to_kind(table, cast("Any", self.data.kind))

    def write(self, folder: Any, format: str, **text: Any) -> WriteResult:
        """Write the rows into a folder, as `text` says, or into the table that the stage is of."""
        if isinstance(folder, TableTarget):
            return folder.write_rows(self)
        return write(self, folder, format, **text, **self.data.limits)

    @contextmanager
    def batches(self) -> Iterator[pa.RecordBatchReader]:
        """Yield the rows to release batch by batch, without holding them all."""
        with self._mapped(ranges=self._ranges()) as statements, duckdb_errors(Message("engine.recoding-failed")):
            first = self.data.db.sql(statements[0]).to_arrow_reader(_BATCH)
            passing = self._one_after_another(first, statements[1:])
            try:
                yield pa.RecordBatchReader.from_batches(first.schema, passing)
            finally:  # where the writer stopped half-way, rows not yet read would keep the database busy
                passing.close()
                first.close()

    def _one_after_another(
        self, first: pa.RecordBatchReader, statements: Sequence[str]
    ) -> Generator[pa.RecordBatch, None, None]:
        with first:
            yield from first
        for sql in statements:
            trim_allocators()  # what the range before left behind would be added to
            with self.data.db.sql(sql).to_arrow_reader(_BATCH) as reader:
                yield from reader

    def fingerprinted(self) -> AbstractContextManager[tuple[pa.RecordBatchReader, Fingerprint]]:
        """Return the rows batch by batch, and the fingerprint of those that were read."""
        return fingerprinted(self.batches(), self.data.limits)

    def _ranges(self) -> int:
        """Say in how many ranges of the secret order rows are sorted: a sort's memory grows with what it spills."""
        if self.data.memory is None:
            return 1
        needed, share = self.data.rows * _CELL * (len(self.columns) + 1), database_memory(self.data.memory)
        passes = -(-needed // share) or 1
        return passes if passes <= _PASSES else -(-needed // (_SPILLED * share))

    @contextmanager
    def traced(
        self, quasi_identifiers: Sequence[str], key: bytes, identifiers: Sequence[str]
    ) -> Iterator[pa.RecordBatchReader]:
        """Yield the rows to release beside what they were made from, in any order."""
        relation = self.data.relation
        cells = [
            cell
            for name in relation.schema.names
            for cell in traced_cells(relation, [name], key if name in identifiers else None, identifiers)
        ]
        with (
            self._mapped((cells, quasi_identifiers)) as (sql,),
            duckdb_errors(Message("table.rows-not-traced")),
            self.data.db.sql(sql).to_arrow_reader(_BATCH) as reader,
        ):
            yield reader

    @contextmanager
    def _mapped(
        self, traced: tuple[Sequence[str], Sequence[str]] | None = None, ranges: int = 1
    ) -> Iterator[list[str]]:
        """Register the mapping tables, yield a statement for each range of the order, and take them away again."""
        mappings = Mappings(self.data.relation, self.recoding)
        try:
            with duckdb_errors(Message("engine.recoding-failed")):
                if self.recoding.rows is None and self.recoding.stored is None:
                    mappings.make()
                released = {name: mappings.released(name)[0] for name in self.columns}
                joins = "".join(mappings.joins) + mappings.where + self._join_own_labels(released)
            # Hashes within each of so many equal ranges, in order; one of them needs no words.
            ends = [i * 2**64 // ranges for i in range(ranges + 1)]
            withins = [f"BETWEEN {low} AND {high - 1}" if ranges > 1 else "" for low, high in pairwise(ends)]
            yield [self._statement(released, joins, traced, within) for within in withins]
        finally:
            mappings.remove()
            if self.recoding.rows is not None or self.recoding.stored is not None:
                self.data.queries.drop_mapping(_OWN_LABELS)

    def _join_own_labels(self, released: dict[str, str]) -> str:
        """Say what is released where rows have labels of their own, and return the join that brings these."""
        columns, rows, stored = self.recoding.columns, self.recoding.rows, self.recoding.stored
        if rows is not None:
            table = _row_table(rows)
            labels = [f"{_OWN_LABELS}.l{i}" for i in range(len(columns))]
            # Rows that are left out find no partner and go.
            join = f" JOIN {_OWN_LABELS} ON {_OWN_LABELS}.position = s.{POSITION}"
        elif stored is not None:
            # One row that holds per column the list of all labels: a join would be planned without knowing that the
            # rows are many, and hold them instead of the labels.
            table = pa.table({f"l{i}": pa.array([of], pa.list_(pa.string())) for i, of in enumerate(stored.labels)})
            labels = [f"{_OWN_LABELS}.l{i}[s.{LABEL.format(i)} + 1]" for i in range(len(columns))]
            join = f" CROSS JOIN {_OWN_LABELS}"
        else:
            return ""
        self.data.db.register(_OWN_LABELS, table)
        for column, label in zip(columns, labels, strict=True):
            kind = self.data.native.get(column.column, "VARCHAR")
            released[column.column] = f"CAST({label} AS {kind})" if column.keeps_type else label
        return join

    def _statement(
        self, released: Mapping[str, str], joins: str, traced: tuple[Sequence[str], Sequence[str]] | None, within: str
    ) -> str:
        dialect = self.data.queries.dialect
        order = dialect.secret_order([f"s.{POSITION}"], self.key)
        rows = f"SELECT * FROM ({self._rows()}) AS s WHERE {order} {within}" if within else self._rows()
        if traced is not None:
            cells = [*traced[0], *(f"CAST({released[name]} AS VARCHAR)" for name in traced[1]), order]
            return f"SELECT {', '.join(f'{cell} AS c{i}' for i, cell in enumerate(cells))} FROM ({rows}) AS s{joins}"
        chosen = ", ".join(f"{released[name]} AS {quote(name)}" for name in self.columns)
        return f"SELECT {chosen} FROM ({rows}) AS s{joins} ORDER BY {order}, hash({self.key}, s.{POSITION})"

    def _rows(self) -> str:
        """The rows of the source with their positions, and the labels that are kept beside them."""
        if self.recoding.stored is None:
            return f"SELECT *, row_number() OVER () AS {POSITION} FROM {self.data.table}"
        if not isinstance(self.recoding.stored.place, LocalBoxedTuples):
            raise ParameterError("table.decided-part-by-part-elsewhere")
        return self.recoding.stored.place.rows(POSITION)


def _row_table(recoding: RowRecoding) -> pa.Table:
    """The position of every row that is released, and its labels."""
    groups = np.asarray(recoding.groups)
    kept = np.flatnonzero(groups >= 0)
    parts = {"position": pa.array(kept + 1)}
    for i, (labels, released) in enumerate(zip(recoding.labels, recoding.released, strict=True)):
        parts[f"l{i}"] = pa.array(labels, pa.string()).take(pa.array(np.asarray(released)[groups[kept]]))
    return pa.table(parts)


@dataclass(frozen=True)
class TypedRows:
    """Rows that become a table of a database as they are, in the types that their columns are understood as.

    A text file has nothing but text; here `42` becomes a number and `2024-01-31` a day. Text stays text, with the
    length that was told or that the longest value has. A time with a zone stays text, too: not every database has
    such a type.
    """

    data: LocalTable
    #: Per column of text the most characters of a value.
    lengths: dict[str, int] = field(default_factory=dict)
    recoding: Recoding = field(default_factory=lambda: Recoding(columns=()))
    is_changed: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns."""
        return self.data.schema.names

    @contextmanager
    def fingerprinted(self) -> Iterator[tuple[pa.RecordBatchReader, Fingerprint]]:
        """Yield the rows batch by batch, and the fingerprint of those that were read."""
        data = self.data
        with duckdb_errors(_NOT_TYPED):
            chosen = ", ".join(f"{_typed(data, column)} AS {quote(column.name)}" for column in data.schema)
            rows = data.db.sql(f"SELECT {chosen} FROM {quote(data.table)}").to_arrow_reader(_BATCH)
            with fingerprinted(rows, data.limits) as passing:
                yield passing


def _typed(data: LocalTable, column: Column) -> str:
    """Return what gives the cells of a column in its type; blanks alone are no number and no day."""
    name = quote(column.name)
    if data.native[column.name] != "VARCHAR" or column.type is DataType.TEXT:
        return name
    cell = f"nullif(trim({name}, ' \t'), '')"
    wanted = _TYPES.get(column.type)
    with duckdb_errors(_NOT_TYPED):
        if column.type is DataType.DECIMAL:
            wanted = _decimal(data, cell)
        elif column.type is DataType.DATETIME:
            every = f"bool_and(regexp_matches({cell}, '{_PLAIN_TIME}'))"
            wanted = "TIMESTAMP" if first_row(data.db, f"SELECT {every} FROM {quote(data.table)}")[0] else None
    return name if wanted is None else f"CAST({cell} AS {wanted})"


def _decimal(data: LocalTable, cell: str) -> str:
    """Return the type of decimal numbers with as many digits as they are written with."""
    whole, part = (f"length(split_part(ltrim({cell}, '+-'), '.', {i}))" for i in (1, 2))
    asked = f"max({whole}), max({part}), bool_or(contains(lower({cell}), 'e'))"
    digits, scale, exponent = first_row(data.db, f"SELECT {asked} FROM {quote(data.table)}")
    if exponent or digits is None or digits + scale > _DIGITS:
        return "DOUBLE"
    return f"DECIMAL({max(digits + scale, 1)}, {scale})"
