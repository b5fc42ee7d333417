"""Applying a recoding in a database: joins with private mapping tables, rows in a secret order, all on the server.

A release may become a new table: written under another name, counted again there, and only then renamed into place.
Where the database undoes the making of tables with everything else (PostgreSQL, SQLite), the whole release is one
transaction, and nothing of one that fails was ever there. Where it does not (MariaDB, MySQL), the staged table has
a name of ours and its maker holds a lock of that name; one whose lock nobody holds was left by a run that was killed,
and the next run removes it.
"""

# Names of tables and columns in these statements are ours; the data's are quoted.
# ruff: noqa: S608
import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
import sqlalchemy as sa
from sqlalchemy.dialects import mysql

from antifaz.core.counted_people import KeyedRows
from antifaz.core.errors import InputError, ParameterError
from antifaz.core.messages import Message
from antifaz.core.recoding import Recoding
from antifaz.counting.running_numbers import running_series
from antifaz.engines.addresses import Address
from antifaz.engines.database.connection import DatabaseConnection, ServerTable, connect
from antifaz.engines.database.errors import database_errors
from antifaz.engines.dialects.dialect import Relation, Released, SQLDialect
from antifaz.engines.dialects.field import Field, Kind
from antifaz.engines.engine import Applied, Stage, TableStage, TableTarget, WriteResult
from antifaz.engines.registry import engine_named
from antifaz.engines.relational.apply import Mappings
from antifaz.engines.relational.trace import traced_cells

_FAILED = Message("engine.recoding-failed")
_OURS = re.compile(r"antifaz_([0-9a-f]{16})_(staging|previous)")


@dataclass(frozen=True)
class DatabaseApplied(Applied):
    """A recoding bound to rows: a statement that yields the rows to release, whenever they are asked for."""

    data: Relation
    connection: DatabaseConnection
    recoding: Recoding
    #: Secret from which the order of the released rows follows; see `core.randomness.shuffle_key`.
    key: int
    #: The most memory and threads that what is done on this machine may use.
    limits: Mapping[str, Any]

    def __post_init__(self) -> None:
        """Refuse what is decided by the place of a row: in a database rows have no place."""
        if self.recoding.rows is not None:
            raise ParameterError("database.rows-have-no-order")

    def collect(self) -> ServerTable:
        """Make the rows to release as a private table on the server."""
        connection = self.connection
        with self.mapped() as released, database_errors(_FAILED):
            name = connection.name("released")
            connection.run(connection.dialect.create_temporary(name, released.declared))
            connection.run(f"INSERT INTO {name} {released.ordered}")
        return ServerTable(connection, name, self.columns, types=released.arrow)

    def to_source_kind(self, table: ServerTable) -> pa.Table:
        """Return the released rows as an Arrow table: now they do leave the server."""
        return table.to_arrow()

    def write(self, folder: Any, format: str, **text: Any) -> WriteResult:
        """Write the rows into a folder, as `text` says, or into the table that the stage is of."""
        if isinstance(folder, TableTarget):
            return folder.write_rows(self)
        return engine_named("local").write(self, folder, format, **text, **self.limits)

    def keyed(self, person: Sequence[str], place: Any) -> pa.Table | KeyedRows:
        """Return the person keys of what was written; beside the rows of a table, where they stay on the server."""
        if not isinstance(place, ServerTable) or place.made_here:
            return super().keyed(person, place)
        return KeyedRows(self.dropping(self.recoding.dropped, person).collect(), tuple(person))

    @contextmanager
    def batches(self) -> Iterator[pa.RecordBatchReader]:
        """Yield the rows to release batch by batch, without holding them all."""
        with self.mapped() as released, database_errors(_FAILED):
            speak = self.connection.dialect.arrow_value
            parts = [speak(kind, part) for kind, part in zip(released.arrow, released.chosen, strict=True)]
            # The order is asked for outermost: some servers forget that of an inner statement.
            statement = f"SELECT {', '.join(parts)} FROM {released.rest} ORDER BY {released.order}"
            plain = self.connection.dialect.batches(self.connection, statement, released.arrow)
            schema = pa.schema(list(zip(self.columns, released.arrow, strict=True)))
            named = (pa.record_batch(batch.columns, schema=schema) for batch in plain)
            yield pa.RecordBatchReader.from_batches(schema, named)

    def fingerprinted(self) -> AbstractContextManager[tuple[Any, Any]]:
        """Yield the rows batch by batch, and the fingerprint of those that were read, for a table elsewhere."""
        return engine_named("local").fingerprinted(self, **self.limits)

    @contextmanager
    def traced(
        self, quasi_identifiers: Sequence[str], key: bytes, identifiers: Sequence[str]
    ) -> Iterator[pa.RecordBatchReader]:
        """Yield the rows to release beside what they were made from, hashed on the server."""
        dialect = self.connection.dialect
        with self.mapped() as released, database_errors(Message("table.rows-not-traced")):
            shown = dict(zip(self.columns, released.chosen, strict=True))
            labels = [f"CAST({shown[name]} AS {dialect.text_type})" for name in quasi_identifiers]
            series = running_series(self.data, identifiers)
            cells = [*traced_cells(self.data, self.data.schema.names, key, series), *labels]
            order = dialect.order_text.format(released.order)
            statement = f"SELECT {', '.join([*cells, order])} FROM {released.rest}"
            types = [pa.string()] * (len(cells) + 1)
            schema = pa.schema([(f"c{i}", kind) for i, kind in enumerate(types)])
            batches = dialect.batches(self.connection, statement, types)
            yield pa.RecordBatchReader.from_batches(schema, batches)

    @contextmanager
    def mapped(self) -> Iterator[Released]:
        """Make the mapping tables, yield the statement, and take them away again."""
        mappings, dialect = Mappings(self.data, self.recoding), self.connection.dialect
        try:
            with database_errors(_FAILED):
                mappings.make()
            parts = [mappings.released(name) for name in self.columns]
            yield Released(
                chosen=tuple(part for part, _, _ in parts),
                types=tuple(kind for _, kind, _ in parts),
                arrow=tuple(kind for _, _, kind in parts),
                rest=f"{self.data.source} AS s{''.join(mappings.joins)}{mappings.where}",
                order=dialect.secret_order([f"s.{place}" for place in self.data.places], self.key),
                columns=tuple(map(dialect.quote, self.columns)),
            )
        finally:
            mappings.remove()


def clean_leftovers(connection: DatabaseConnection, schema: str | None) -> None:
    """Remove what killed runs left; what living ones are writing stays, and what this user may not see or drop."""
    if connection.dialect.undoes_tables:
        return
    within = connection.dialect.literal(schema) if schema else "DATABASE()"
    with suppress(Exception):
        rows = connection.run(
            f"SELECT table_name FROM information_schema.tables WHERE table_schema = {within} "
            "AND table_name LIKE 'antifaz!_%' ESCAPE '!'"
        )
        for (name,) in rows:
            ours = _OURS.fullmatch(str(name))
            if ours and connection.run(f"SELECT IS_FREE_LOCK('antifaz_{ours[1]}')") == [(1,)]:
                with suppress(Exception):
                    connection.run(f"DROP TABLE IF EXISTS {connection.dialect.qualified(str(name), schema)}")


@dataclass(eq=False, repr=False)
class DatabaseTarget:
    """The table that a release becomes; as the `folder` of a stage it is where rows are written to."""

    connection: DatabaseConnection
    #: The table that the release is made of, its schema, and its columns; without any, rows come from elsewhere.
    source: str
    source_schema: str | None
    fields: Sequence[Field]
    table: str
    schema: str | None
    #: Whether a table of that name may be there already.
    replace: bool

    def __post_init__(self) -> None:
        """Choose the names of the tables that are on the way."""
        self._token = secrets.token_hex(8)
        self._staged, self._previous = (f"antifaz_{self._token}_{what}" for what in ("staging", "previous"))
        self._published = False

    def refuse(self) -> bool:
        """Raise where a release can't become this table; return whether a table stands there."""
        if not self.table.strip() or len(self.table) > 63:
            raise ParameterError("database.table-name-too-long")
        if self.table == self.source and (self.schema or self.source_schema) == self.source_schema:
            raise InputError("database.table-is-the-source", table=self.table)
        with database_errors(Message("database.table-not-looked-for", table=self.table)):
            inspector = sa.inspect(self.connection.sqlalchemy)
            there = inspector.has_table(self.table, schema=self.schema)
            view = self.table in inspector.get_view_names(schema=self.schema)
        if view:
            raise InputError("database.is-a-view", table=self.table)
        if there and not self.replace:
            raise InputError("database.table-exists-already", table=self.table)
        return bool(there)

    @contextmanager
    def staging(self, documents: Stage) -> Iterator[TableStage]:
        """Give a stage whose rows become the table; leaving it without `publish` leaves nothing."""
        self.refuse()
        with self.connection.transaction():
            with database_errors(Message("database.table-not-written", table=self.table)):
                self._begin()
            try:
                yield TableStage(self, documents)
            finally:
                self._end()

    @property
    def quoted(self) -> str:
        """The staged table as statements name it."""
        return self.connection.dialect.qualified(self._staged, self.schema)

    def _begin(self) -> None:
        """Lock the name, or remember where to go back to."""
        if self.connection.dialect.undoes_tables:
            self.connection.run("SAVEPOINT antifaz_release")
            return
        clean_leftovers(self.connection, self.schema)
        self.connection.run(f"SELECT GET_LOCK('antifaz_{self._token}', 10)")

    def write_rows(self, applied: Any) -> WriteResult:
        """Let the server write the rows, in their secret order; or write rows that were made on this machine."""
        failed = Message("database.table-not-written", table=self.table)
        dialect = self.connection.dialect
        if isinstance(applied, DatabaseApplied) and applied.connection is self.connection:
            with applied.mapped() as released, database_errors(failed):
                noted = dialect.create_released(self.connection, self.quoted, released)
            return WriteResult(self._written(applied.columns, released.arrow), int(noted))
        with applied.fingerprinted() as (reader, passed), database_errors(failed):
            types = [self._type(applied, column) for column in reader.schema]
            named = zip(map(dialect.quote, applied.columns), types, strict=True)
            self.connection.run(f"CREATE TABLE {self.quoted} ({', '.join(f'{name} {kind}' for name, kind in named)})")
            for batch in reader:
                rows = list(zip(*(_sent(dialect, column).to_pylist() for column in batch.columns), strict=True))
                dialect.load(self.connection, self.quoted, rows, len(types))
            return WriteResult(self._written(applied.columns, reader.schema.types, made_here=True), passed.value)

    def _written(self, columns: tuple[str, ...], types: Sequence[pa.DataType], made_here: bool = False) -> ServerTable:
        return ServerTable(self.connection, self.quoted, columns, self.table, self.schema, tuple(types), made_here)

    def publish(self, documents: Stage) -> None:
        """Rename the table into place and publish what goes with it; where that fails, undo the renaming."""
        there = self.refuse()
        dialect, connection = self.connection.dialect, self.connection
        with database_errors(Message("database.table-not-put-in-place", table=self.table)):
            for statement in dialect.rename(self._staged, self.table, self.schema, self._previous if there else None):
                connection.run(statement)
        try:
            documents.publish()
        except BaseException:
            self._undo(there)
            raise
        self._published = True
        with database_errors(Message("database.table-not-put-in-place", table=self.table)):
            if dialect.undoes_tables:
                connection.run("COMMIT")
                dialect.begin(connection)
            elif there:
                connection.run(f"DROP TABLE {dialect.qualified(self._previous, self.schema)}")

    def _end(self) -> None:
        """Leave nothing behind unless published; a lost connection is tried again."""
        unlock = f"SELECT RELEASE_LOCK('antifaz_{self._token}')"
        if self._published or self.connection.dialect.undoes_tables:
            with suppress(Exception):
                if not self.connection.dialect.undoes_tables:
                    self.connection.run(unlock)
                elif not self._published:
                    self.connection.run("ROLLBACK TO SAVEPOINT antifaz_release")
            return
        drop = f"DROP TABLE IF EXISTS {self.quoted}"
        try:
            self.connection.run(drop)
            self.connection.run(unlock)
        except Exception:  # the connection is lost: the table goes over another one, or at the next start
            with suppress(Exception):
                other = replace(self.connection, sqlalchemy=self.connection.engine.connect())
                other.run(drop)
                other.sqlalchemy.close()

    def _undo(self, there: bool) -> None:
        if self.connection.dialect.undoes_tables:
            return  # `_end` goes back to where all began
        quoted = self.connection.dialect.qualified
        moves = [f"{quoted(self.table, self.schema)} TO {self.quoted}"]
        if there:
            moves.append(f"{quoted(self._previous, self.schema)} TO {quoted(self.table, self.schema)}")
        with suppress(Exception):
            self.connection.run(f"RENAME TABLE {', '.join(moves)}")

    def _type(self, applied: Any, column: pa.Field) -> str:
        """Return the type of a column: its own, or text where it is generalized."""
        recoding, dialect = applied.recoding, self.connection.dialect
        if column.name not in [one.column for one in recoding.columns] or not pa.types.is_string(column.type):
            if not self.fields:
                return dialect.declared_type(stored_as(column, getattr(applied, "lengths", {}).get(column.name)))
            field = next(field for field in self.fields if field.name == column.name)
            # An operation may have made something else of a column, or longer text than it was declared for.
            same = column.type == field.arrow and (field.kind != "text" or not applied.is_changed)
            return dialect.declared_type(field) if same else dialect.label_type(1 << 16)
        labels = recoding.released_labels().get(column.name)
        if labels is None:  # numbers stored as text
            return dialect.label_type(1 << 16)
        return dialect.label_type(max((len(text.encode()) for text in labels if text), default=1))


@contextmanager
def foreign_target(
    address: Address,
    table: str,
    *,
    schema: str | None = None,
    replace: bool = False,
    password: str | None = None,
    password_env: str | None = None,
) -> Iterator[DatabaseTarget]:
    """Connect to a database that is to receive rows from elsewhere."""
    with database_errors(Message("source.not-opened", address=address.shown)):
        connection = connect(address, password=password, variable=password_env)
    try:
        yield DatabaseTarget(connection, "", None, (), table, schema, replace)
    finally:
        connection.close()


def stored_as(column: pa.Field, length: int | None = None) -> Field:
    """Return how a column that comes from elsewhere is declared."""
    kind, name = column.type, column.name
    if pa.types.is_decimal(kind):
        return Field(name=name, kind="decimal", type=sa.Numeric(kind.precision, kind.scale), scale=kind.scale)
    if pa.types.is_timestamp(kind) and kind.tz is None:
        fine = sa.DateTime().with_variant(mysql.DATETIME(fsp=6), "mysql", "mariadb")
        return Field(name=name, kind="datetime", type=fine)
    for test, stored, declared in _STORED:
        if test(kind):
            return Field(name=name, kind=stored, type=declared)
    return Field(name=name, kind="text", type=sa.String(length) if length else sa.Text())


_STORED: tuple[tuple[Any, Kind, Any], ...] = (
    (pa.types.is_uint64, "decimal", sa.Numeric(20, 0)),
    (pa.types.is_integer, "integer", sa.BigInteger()),
    (pa.types.is_floating, "float", sa.Double()),
    (pa.types.is_boolean, "boolean", sa.Boolean()),
    (pa.types.is_date, "date", sa.Date()),
)


def _sent(dialect: SQLDialect, column: pa.Array) -> pa.Array:
    """Return cells as a database takes them: one that binds no types gets days and decimals as text."""
    plain = any(test(column.type) for test in (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean))
    return column if dialect.declares_types or plain else column.cast(pa.string())
