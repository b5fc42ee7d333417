"""Applying a recoding in a database: joins with private mapping tables, rows in a secret order, all on the server."""

# Names of tables and columns in these statements are ours; the data's are quoted.
# ruff: noqa: S608
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pyarrow as pa

from antifaz.core.errors import ParameterError
from antifaz.core.recoding import ColumnRecoding, Recoding, TupleRecoding
from antifaz.engines.database.faults import guard
from antifaz.engines.database.place import Place
from antifaz.engines.engine import Applied, Written

if TYPE_CHECKING:
    from antifaz.engines.database.data import DatabaseData

_FAILED = "Applying the recoding failed"
#: Mappings up to so many bytes may be held in the server's memory.
_SMALL = 64 << 20


@dataclass(frozen=True)
class Released:
    """The statement that yields the rows to release, column by column r0, r1, …, and their types."""

    chosen: tuple[str, ...]
    types: tuple[str, ...]
    arrow: tuple[pa.DataType, ...]
    rest: str
    order: str
    #: The quoted names of the columns.
    columns: tuple[str, ...]

    @property
    def declared(self) -> str:
        """The columns as a table declares them."""
        return ", ".join(f"{name} {kind}" for name, kind in zip(self.columns, self.types, strict=True))

    @property
    def unordered(self) -> str:
        """The statement, in whatever order."""
        return f"SELECT {', '.join(f'{part} AS r{i}' for i, part in enumerate(self.chosen))} FROM {self.rest}"

    @property
    def ordered(self) -> str:
        """The statement, in the secret order."""
        return f"{self.unordered} ORDER BY {self.order}"


@dataclass(frozen=True)
class DatabaseApplied(Applied):
    """A recoding bound to rows: a statement that yields the rows to release, whenever they are asked for."""

    data: DatabaseData
    recoding: Recoding
    #: Secret from which the order of the released rows follows; see `core.randomness.shuffle_key`.
    key: int

    def __post_init__(self) -> None:
        """Refuse what is decided by the place of a row: in a database rows have no place."""
        if self.recoding.rows is not None:
            raise ParameterError("database.rows-have-no-order")

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are released, in the order of the source."""
        return tuple(name for name in self.data.schema.names if name not in self.recoding.dropped)

    def collect(self) -> Place:
        """Make the rows to release as a private table on the server."""
        link = self.data.link
        with self.mapped() as released, guard(_FAILED):
            name = link.name("released")
            quoted = (link.dialect.quote(column) for column in self.columns)
            columns = ", ".join(f"{one} {kind}" for one, kind in zip(quoted, released.types, strict=True))
            for statement in link.dialect.temporary(name, columns):
                link.run(statement)
            link.run(f"INSERT INTO {name} {released.ordered}")
        return Place(link, name, self.columns, types=released.arrow)

    def hand_over(self, table: Place) -> pa.Table:
        """Return the released rows as an Arrow table: now they do leave the server."""
        return table.to_arrow()

    def write(self, folder: Any, format: str) -> Written:
        """Write the rows to `release.<format>` in a folder, or into the table that the stage is of."""
        from antifaz.engines.database.table import TableTarget

        if isinstance(folder, TableTarget):
            return folder.fill(self)
        from antifaz.engines.local.write import write

        return write(cast("Any", self), folder, format, **self.data.limits)

    @contextmanager
    def batches(self) -> Iterator[pa.RecordBatchReader]:
        """Yield the rows to release batch by batch, without holding them all."""
        with self.mapped() as released, guard(_FAILED):
            speak = self.data.link.dialect.spoken
            parts = [speak(kind, part) for kind, part in zip(released.arrow, released.chosen, strict=True)]
            # The order is asked for outermost: some servers forget that of an inner statement.
            statement = f"SELECT {', '.join(parts)} FROM {released.rest} ORDER BY {released.order}"
            plain = self.data.link.batches(statement, released.arrow)
            schema = pa.schema(list(zip(self.columns, released.arrow, strict=True)))
            named = (pa.record_batch(batch.columns, schema=schema) for batch in plain)
            yield pa.RecordBatchReader.from_batches(schema, named)

    @contextmanager
    def mapped(self) -> Iterator[Released]:
        """Make the mapping tables, yield the statement, and take them away again."""
        bound = _Bound(self.data, self.recoding)
        try:
            with guard(_FAILED):
                bound.make()
            yield self._released(bound)
        finally:
            bound.remove()

    def _released(self, bound: _Bound) -> Released:
        parts = [bound.released(name) for name in self.columns]
        cells = [f"s.c{i}" for i in range(len(self.data.fields))]
        return Released(
            chosen=tuple(part for part, _, _ in parts),
            types=tuple(kind for _, kind, _ in parts),
            arrow=tuple(kind for _, _, kind in parts),
            rest=f"{self.data.source} AS s{''.join(bound.joins)}{bound.where}",
            order=self.data.link.dialect.order(cells, self.key),
            columns=tuple(self.data.link.dialect.quote(name) for name in self.columns),
        )


class _Bound:
    """The mappings of a recoding on the server, and where what is released of each column is found."""

    def __init__(self, data: DatabaseData, recoding: Recoding) -> None:
        self._data, self._recoding = data, recoding
        self._link, self._dialect = data.link, data.link.dialect
        self._columns = {column.column: column for column in recoding.columns}
        self._labels: dict[str, str] = {}
        self._longest: dict[str, int] = {}
        self._typed: set[str] = set()
        #: Columns whose labels are numbered: their places, where the number of a label is found, and the numbers.
        self._numbers: list[tuple[int, str, dict[str | None, int]]] = []
        #: Columns that are released as they are, and are compared themselves where classes are left out.
        self._plain: list[tuple[int, ColumnRecoding]] = []
        self._made: list[str] = []
        #: Mappings that stand in the statement itself, by their names.
        self._inline: dict[str, str] = {}
        self.joins: list[str] = []
        self.where = ""

    def make(self) -> None:
        """Make the mapping tables and fill them."""
        if self._recoding.tuples is not None:
            self._by_tuple(self._recoding.tuples)
        else:
            self._by_value()

    def remove(self) -> None:
        """Drop the mapping tables; those of a lost connection are gone."""
        for name in self._made:
            with suppress(Exception):
                self._link.run(
                    f"DROP TABLE {name}" if self._dialect.name != "mysql" else f"DROP TEMPORARY TABLE {name}"
                )

    def released(self, name: str) -> tuple[str, str, pa.DataType]:
        """Return what is released of a column, the type it is declared with, and its Arrow type."""
        field, place = self._data.field(name), f"s.{self._data.place(name)}"
        kept = self._columns[name].keeps_type if name in self._columns else True
        if name in self._labels and not (kept and field.kind != "text"):
            if name in self._typed and field.kind != "text":
                return self._dialect.as_label(field, self._labels[name]), self._dialect.declared(field), field.arrow
            return self._labels[name], self._dialect.label_type(self._longest[name]), pa.string()
        return self._dialect.out(field, place), self._dialect.declared(field), field.arrow

    def _by_value(self) -> None:
        gone = self._recoding.suppressed
        for i, column in enumerate(self._recoding.columns):
            same = column.keeps_type and column.values == column.labels
            field = self._data.field(column.column)
            if same and gone and field.kind in ("text", "integer") and None not in column.values:
                self._plain.append((i, column))
            if same and (not gone or self._plain[-1:] == [(i, column)]):
                continue
            ids = {label: n for n, label in enumerate(dict.fromkeys(column.labels))}
            brought: dict[str, tuple[str, Sequence[Any]]] = {}
            if not same:
                self._longest[column.column] = longest = _bytes(column.labels)
                brought["label"] = (self._dialect.label_type(longest), column.labels)
            if gone:
                brought["id"] = ("BIGINT", [ids[label] for label in column.labels])
            found = self._join(i, column, brought)
            if not same:
                self._labels[column.column] = found["label"]
            if gone:
                self._numbers.append((i, found["id"], ids))
        if gone:
            self._leave_out(gone)

    def _leave_out(self, gone: Sequence[tuple[str | None, ...]]) -> None:
        """Leave out classes, told by the numbers of their labels."""
        packs = _packed([len(ids) for _, _, ids in self._numbers])
        columns = [(f"i{w}", "BIGINT") for w in range(len(packs))]
        keys = [" + ".join(f"{self._numbers[n][1]} * {times}" for n, times in pack) for pack in packs]
        fields = [self._data.field(column.column) for _, column in self._plain]
        for n, (field, (_, column)) in enumerate(zip(fields, self._plain, strict=True)):
            columns.append((f"p{n}", self._dialect.key_type(field, _bytes(column.values))))
            keys.append(f"s.{self._data.place(column.column)}")
        rows = []
        for labels in gone:
            codes = [ids[labels[i]] for i, _, ids in self._numbers]
            plain = [self._dialect.to_key(f, labels[i] or "") for f, (i, _) in zip(fields, self._plain, strict=True)]
            rows.append((*(sum(codes[n] * times for n, times in pack) for pack in packs), *plain))
        name = self._table("gone", columns, rows, [column for column, _ in columns])
        same = " AND ".join(f"{name}.{column} = {key}" for (column, _), key in zip(columns, keys, strict=True))
        self.joins.append(f" LEFT JOIN {self._inline.get(name, name)} ON {same}")
        self.where = f" WHERE {self._dialect.unmatched(f'{name}.{columns[0][0]}')}"

    def _by_tuple(self, recoding: TupleRecoding) -> None:
        """Bring the code of each value, and with the codes the labels; combinations not listed find none and go."""
        codes = []
        for i, column in enumerate(self._recoding.columns):
            code = np.asarray(recoding.codes[i]).tolist()
            codes.append(self._join(i, column, {"code": ("INTEGER", code)})["code"])
        columns, parts = [], []
        for i in range(len(codes)):
            columns.append((f"c{i}", "INTEGER"))
            parts.append(np.asarray(recoding.tuples[i]).tolist())
        for i, column in enumerate(self._recoding.columns):
            self._longest[column.column] = longest = _bytes(recoding.labels[i])
            columns.append((f"l{i}", self._dialect.label_type(longest)))
            parts.append([recoding.labels[i][place] for place in recoding.released[i]])
            if i < len(recoding.typed) and recoding.typed[i]:
                self._typed.add(column.column)
        name = self._table("tuples", columns, list(zip(*parts, strict=True)), [f"c{i}" for i in range(len(codes))])
        same = " AND ".join(f"{name}.c{i} = {code}" for i, code in enumerate(codes))
        self.joins.append(f" JOIN {self._inline.get(name, name)} ON {same}")
        self._labels = {c.column: f"{name}.l{i}" for i, c in enumerate(self._recoding.columns)}

    def _join(self, i: int, column: ColumnRecoding, brought: Mapping[str, tuple[str, Sequence[Any]]]) -> dict[str, str]:
        """Bring what belongs to each value; return where it is found.

        The missing value stands in the statement itself: a comparison that knows it is slow everywhere.
        """
        field, dialect = self._data.field(column.column), self._dialect
        place = f"s.{self._data.place(column.column)}"
        known = [n for n, value in enumerate(column.values) if value is not None]
        missing = next((n for n, value in enumerate(column.values) if value is None), None)
        keys = [dialect.to_key(field, cast("str", column.values[n])) for n in known]
        kinds = [("value", dialect.key_type(field, _bytes(column.values)))]
        kinds += [(name, kind) for name, (kind, _) in brought.items()]
        rows = list(zip(keys, *[[part[n] for n in known] for _, part in brought.values()], strict=True))
        name = self._table(f"map{i}", kinds, list({row[0]: row for row in rows}.values()), ["value"])
        self.joins.append(f" LEFT JOIN {self._inline.get(name, name)} ON {name}.value = {dialect.key(field, place)}")
        if missing is None:
            return {one: f"{name}.{one}" for one in brought}
        constant = {one: self._constant(part[missing]) for one, (_, part) in brought.items()}
        return {one: f"CASE WHEN {place} IS NULL THEN {constant[one]} ELSE {name}.{one} END" for one in brought}

    def _constant(self, value: Any) -> str:
        return str(value) if isinstance(value, int) else self._dialect.literal(value)

    def _table(self, what: str, columns: Sequence[tuple[str, str]], rows: list[Any], keys: Sequence[str]) -> str:
        """Make a private table, fill it, and make it quick to look into."""
        name = self._link.name(what)
        inline = self._dialect.inline(name, columns, rows)
        if inline:
            self._inline[name] = inline
            return name
        declared = ", ".join(f"{column} {kind}" for column, kind in columns)
        size = sum(4 * _width(kind) for _, kind in columns) * len(rows)
        small = len(rows) if size < _SMALL and "LONG" not in declared else 0
        key = self._dialect.inline_key(dict(columns), keys)
        for statement in self._dialect.temporary(name, declared, small, key):
            self._link.run(statement)
        self._made.append(name)
        self._link.load(name, rows, len(columns))
        for statement in self._dialect.indexed(name, keys):
            self._link.run(statement)
        return name


def _packed(sizes: Sequence[int]) -> list[list[tuple[int, int]]]:
    """Put the numbers of several columns together to one, or to a few where it would be too large: (column, times)."""
    packs: list[list[tuple[int, int]]] = [[]] if sizes else []
    times = 1
    for i, size in enumerate(sizes):
        if times * size >= 1 << 62:
            packs.append([])
            times = 1
        packs[-1].append((i, times))
        times *= size
    return packs


def _bytes(texts: Sequence[str | None]) -> int:
    return max((len(text.encode()) for text in texts if text is not None), default=1)


def _width(kind: str) -> int:
    """The bytes that a type takes in a row of fixed width, about."""
    size = kind.partition("(")[2].partition(")")[0]
    return int(size) if size.isdigit() else 8
