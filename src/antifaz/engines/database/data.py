"""A table in a database, opened and described: what the verbs of the engine work on. Rows stay on the server."""

# Names of tables and columns in these statements are ours or quoted.
# ruff: noqa: S608
import warnings
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa
import sqlalchemy as sa

from antifaz.core import memory as budget
from antifaz.core.changes import ColumnChange, Sampling
from antifaz.core.errors import DataError, ParameterError, hint
from antifaz.core.messages import Message
from antifaz.core.profile import Profile
from antifaz.core.recoding import Recoding
from antifaz.core.schema import Schema
from antifaz.core.types import DataType
from antifaz.counting.frequencies import Tuples
from antifaz.engines.addresses import parse
from antifaz.engines.database.apply import DatabaseApplied, DatabaseTarget, clean_leftovers
from antifaz.engines.database.auditor import DatabaseAuditor
from antifaz.engines.database.connection import DatabaseConnection, ServerTable, connect
from antifaz.engines.database.errors import database_errors
from antifaz.engines.dialects.dialect import Relation
from antifaz.engines.dialects.field import Field, Kind
from antifaz.engines.engine import Auditor, Data, Stage
from antifaz.engines.registry import engine_named
from antifaz.engines.relational import count as counting
from antifaz.engines.relational.profile import profile
from antifaz.engines.relational.types import infer
from antifaz.sources.column_names import check_names
from antifaz.sources.missing_codes import Missing, MissingCodes
from antifaz.sources.types_file import resolve_types

#: Names of SQLAlchemy's types that have no equality or are no single values.
_REFUSED = ("BLOB", "BINARY", "BYTEA", "ARRAY", "INTERVAL", "NULL", "BIT", "HSTORE", "RANGE", "POINT")


@dataclass(eq=False, repr=False, kw_only=True)
class DatabaseData(Data):
    """One table in a database, and what is known about it. All that a run reads is one state of it."""

    engine: ClassVar[str] = "database"
    program_memory: ClassVar[int] = budget.PROGRAM
    by_row: ClassVar[bool] = False

    connection: DatabaseConnection
    table: str
    #: The schema of the table, where that is not the usual one.
    schema_name: str | None
    fields: Sequence[Field]
    #: What all rows are taken from, with columns c0, c1, ….
    source: str
    schema: Schema
    rows: int
    notes: list[str]
    limits: dict[str, Any]
    memory: int | None
    kind: str = "database"
    select_only: bool = False
    _downloaded: Data | None = field(default=None, init=False)
    _closed: bool = field(default=False, init=False)
    #: The digest of the rows that something was decided on, and in how many blocks of `snapshot` we are.
    _digest: bytes | None = field(default=None, init=False)
    _early: Future[bytes] | None = field(default=None, init=False)
    _expected: bool = field(default=False, init=False)
    _within: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        """Have one auditor, who need not read rows twice."""
        self._auditor = DatabaseAuditor(engine_named("local").auditor(**self.limits))

    @property
    def relation(self) -> Relation:
        """The table as the verbs see it that all engines share."""
        places = tuple(f"c{i}" for i in range(len(self.fields)))
        return Relation(self.connection, self.source, tuple(self.fields), places, self.schema, self.rows)

    def profile(self) -> Profile:
        """Describe every column without showing any rare value."""
        with self.connection.transaction():
            return profile(self.relation)

    def count(self, columns: Sequence[str]) -> Tuples:
        """Count the distinct tuples of some columns; only the tuples come out."""
        with self.connection.transaction():
            return counting.count(self.relation, columns, self._fetched_tuples)

    def records(self, columns: Sequence[str]) -> Tuples:
        """Return some columns of all rows, in the order in which they came to this machine."""
        return self.download().records(columns)

    def window(
        self, start: int, count: int, *, sort: str | None = None, descending: bool = False, ranks: Sequence[str] = ()
    ) -> list[list[str | None]]:
        """Return some rows as text; the others stay on the server."""
        return counting.window(self.relation, start, count, sort=sort, descending=descending, ranks=ranks)

    def totals(self, columns: Sequence[str]) -> dict[str, dict[str | None, int]]:
        """Count the values of each column on its own, as the auditor will count the released ones."""
        whole = self.whole()
        with self.connection.transaction():
            return {name: self._auditor.recount(whole, (), [name]).cells[name].totals for name in columns}

    def digest(self) -> bytes:
        """Return a digest of all rows, whatever their order."""
        early, self._early, self._expected = self._early, None, False
        self._digest = self._made_digest(self.relation) if early is None else early.result()
        return self._digest

    def expect_digest(self) -> None:
        """Let the server make the digest while tuples are grouped here, if its driver can wait in a thread."""
        self._expected = self.connection.dialect.waits_in_threads

    def _fetched_tuples(self) -> None:
        if self._expected and self._early is None:
            self._early = self.connection.begin(lambda own: self._made_digest(replace(self.relation, queries=own)))

    def _made_digest(self, relation: Relation) -> bytes:
        return f"{self.rows}:{counting.digest(relation)}".encode()

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """See one state of the rows; they must be those of an earlier decision, where there was one."""
        with self.connection.transaction():
            known = self._digest
            if not self._within and self.connection.dialect.begin_statement:
                with database_errors(Message("source.not-read", address=self.connection.address.shown)):
                    self.rows = int(self.connection.run(f"SELECT count(*) FROM {self.source} AS s")[0][0])
                    changed = known is not None and self.digest() != known
                if changed:
                    self._digest = known
                    raise DataError("database.rows-changed-since", table=self.table)
            self._within += 1
            try:
                yield
            finally:
                self._within -= 1
                if not self._within:  # what was begun is of this state of the rows
                    self._early, self._expected = None, False

    def apply(self, recoding: Recoding, key: int) -> DatabaseApplied:
        """Bind a decision to the rows."""
        return DatabaseApplied(self.relation, self.connection, recoding, key, self.limits)

    def changed(self, changes: Sequence[ColumnChange], keep: Sampling | None = None) -> Data:
        """Return the table with some columns changed; that is done on this machine."""
        return self.download().changed(changes, keep)

    def auditor(self) -> Auditor:
        """Return who counts the released rows again: always the same one."""
        return self._auditor

    def another_table(self, place: str, types: Mapping[str, DataType]) -> Data:
        """Open a file on this machine, its columns understood as told."""
        memory = None if self.memory is None else f"{self.memory}B"
        return engine_named("local").open(place, types=types, memory=memory, threads=self.limits.get("threads"))

    def _values(self) -> list[str]:
        """What statements say for the values of all columns."""
        return [self.connection.dialect.released_value(own, f"c{i}") for i, own in enumerate(self.fields)]

    def whole(self) -> ServerTable:
        """Return all rows as a table that the auditor can count."""
        quoted = map(self.connection.dialect.quote, self.schema.names)
        named = ", ".join(f"{value} AS {name}" for value, name in zip(self._values(), quoted, strict=True))
        table, types = f"(SELECT {named} FROM {self.source} AS s) AS w", tuple(own.arrow for own in self.fields)
        return ServerTable(self.connection, table, self.schema.names, shown=self.table, types=types)

    def download(self) -> Data:
        """Bring all rows to this machine, for a method that needs rows."""
        if self._downloaded is None:
            arrow = pa.schema([(own.name, own.arrow) for own in self.fields])
            check_names(Message("header.of-table", table=self.table), arrow.names)
            why = "note.rows-fetched-to-read" if self.select_only else "note.rows-fetched"
            notes = [*self.notes, Message(why)]
            with database_errors(Message("database.rows-not-fetched")):
                self._downloaded = engine_named("local").receive(
                    self._fetched(arrow), arrow, schema=self.schema, origin=self, notes=notes
                )
        return self._downloaded

    def _fetched(self, arrow: pa.Schema) -> Iterator[pa.Table]:
        """Fetch all rows, some at a time."""
        parts = map(self.connection.dialect.arrow_value, arrow.types, self._values())
        statement = f"SELECT {', '.join(parts)} FROM {self.source} AS s"
        for batch in self.connection.dialect.batches(self.connection, statement, arrow.types):
            yield pa.Table.from_batches([pa.record_batch(batch.columns, schema=arrow)])

    def is_in(self, url: str) -> bool:
        """Say whether an address is that of the table's own database."""
        return parse(url).place == self.connection.address.place

    def refuse_table(self, table: str, schema: str | None, replace: bool) -> None:
        """Say early that a release can't become this table."""
        self._target(table, schema, replace).refuse()

    def into_table(
        self, stage: Stage, table: str, *, schema: str | None = None, replace: bool = False
    ) -> AbstractContextManager[Stage]:
        """Return the stage of a release whose rows become a table beside the source."""
        return self._target(table, schema, replace).staging(stage)

    def _target(self, table: str, schema: str | None, replace: bool) -> DatabaseTarget:
        source = (self.connection, self.table, self.schema_name, self.fields)
        return DatabaseTarget(*source, table, schema or self.schema_name, replace)

    def to_arrow(self) -> pa.Table:
        """Load all rows into this process."""
        return self.whole().to_arrow()

    def close(self) -> None:
        """End the connection; everything temporary goes with it."""
        if not self._closed:
            self._closed = True
            if self._downloaded is not None:
                self._downloaded.close()
            self.connection.close()

    def __repr__(self) -> str:
        """Say how much data it is, and nothing of what is in it."""
        return f"<DatabaseData: {self.rows} rows, {len(self.fields)} columns, from {self.connection.address.shown}>"


def open_database(
    place: str,
    *,
    table: str | None = None,
    schema: str | None = None,
    password: str | None = None,
    password_env: str | None = None,
    types: Mapping[str, DataType | str] | Path | str | None = None,
    missing: Missing = (),
    memory: str | None = None,
    threads: int | None = None,
) -> Data:
    """Open a table of a database.

    Args:
        place: Its address: mariadb://user@host/name, postgresql://user@host/name, sqlite:///file, duckdb:///file.
        table: The table or view.
        schema: The schema it is in, where that is not the usual one.
        password: The password; better kept in the environment (ANTIFAZ_PASSWORD), in a keyring, or typed in.
        password_env: The variable of the environment that holds the password.
        types: How columns are to be understood, or the file of `save_types`; found from all values where not told.
        missing: Texts that mean missing, such as "?" or "NA", or a mapping of columns to theirs; null always does.
        memory: The most memory for what is done on this machine, e.g. "2GB".
        threads: The most threads there.
    """
    address = parse(place)
    codes = MissingCodes.of(missing)
    given = resolve_types(types)
    with database_errors(Message("source.not-opened", address=address.shown)):
        connection = connect(address, password=password, variable=password_env)
    try:
        with database_errors(Message("source.not-read", address=address.shown)), connection.transaction():
            return _opened(connection, table, schema, given, codes, budget.database_limits(memory, threads))
    except BaseException:
        connection.close()
        raise


def _opened(
    connection: DatabaseConnection,
    table: str | None,
    schema: str | None,
    given: Mapping[str, DataType | str] | None,
    codes: MissingCodes,
    limits: tuple[int | None, dict[str, Any]],
) -> DatabaseData:
    if table is None:
        names = _names_of(connection, schema)
        raise ParameterError("database.table-not-named", address=connection.address.shown, hint=hint("", names))
    fields, notes = _reflect(connection, table, schema)
    if not fields:
        raise DataError("database.table-no-columns", table=table)
    clean_leftovers(connection, schema)
    quoted = connection.dialect.qualified(table, schema)
    codes.require_columns([own.name for own in fields])
    kinds = connection.dialect.settle_kinds(connection, quoted, fields)
    settled = [replace(own, missing=codes.of_column(own.name)) for own in kinds]
    source = connection.dialect.snapshot(connection, quoted, settled)
    rows = int(connection.run(f"SELECT count(*) FROM {source} AS s")[0][0])
    opened = Message("note.table-of", table=table, address=connection.address.shown)
    data = DatabaseData(
        connection=connection, table=table, schema_name=schema, fields=settled, source=source, schema=Schema(()),
        rows=rows, notes=[opened, *notes], limits=limits[1], memory=limits[0],
        select_only=not connection.dialect.may_make_tables(connection),
    )  # fmt: skip
    data.schema = infer(data.relation, given=given)
    return data


def _reflect(connection: DatabaseConnection, table: str, schema: str | None) -> tuple[list[Field], list[str]]:
    """Return the columns of a table or view, and what was noticed about them."""
    inspector = sa.inspect(connection.sqlalchemy)
    if not inspector.has_table(table, schema=schema) and table not in inspector.get_view_names(schema=schema):
        known = hint(table, _names_of(connection, schema))
        raise DataError("database.table-not-found", table=table, address=connection.address.shown, hint=known)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sa.exc.SAWarning)  # of types that it does not know; they are refused below
        columns = inspector.get_columns(table, schema=schema)
    notes: list[str] = []
    if not connection.dialect.declares_types:  # a declaration binds no value there; the values are looked through
        kinds: list[Kind] = ["boolean" if isinstance(column["type"], sa.Boolean) else "text" for column in columns]
        names = [column["name"] for column in columns]
        return [Field(name=name, kind=kind, type=sa.Text()) for name, kind in zip(names, kinds, strict=True)], notes
    return [_field(connection.dialect.true_name(column["name"]), column["type"], notes) for column in columns], notes


def _names_of(connection: DatabaseConnection, schema: str | None) -> list[str]:
    """Return the names of the tables and views there are."""
    inspector = sa.inspect(connection.sqlalchemy)
    return [*inspector.get_table_names(schema=schema), *inspector.get_view_names(schema=schema)]


def _field(name: str, kind: Any, notes: list[str]) -> Field:
    word = type(kind).__name__.upper()
    if isinstance(kind, sa.JSON) or "JSON" in word or word == "XML":
        notes.append(Message("note.column-holds-json", name=name))
        return Field(name=name, kind="text", type=sa.Text())
    if isinstance(kind, (sa.LargeBinary, sa.ARRAY, sa.Interval)) or any(sign in word for sign in _REFUSED):
        raise DataError("database.column-type-not-comparable", name=name, word=word)
    stored = _kind(kind, word)
    if stored == "decimal":
        return Field(name=name, kind="decimal", type=kind, precision=kind.precision, scale=kind.scale)
    if stored in ("datetime", "moment"):
        return Field(name=name, kind=stored, type=kind, scale=getattr(kind, "fsp", None))
    # A list of values that are allowed would show values of rows that are left out.
    plain = sa.Text() if (stored == "text" and not isinstance(kind, sa.String)) or isinstance(kind, sa.Enum) else kind
    return Field(name=name, kind=stored, type=plain, own=plain is kind)


def _kind(kind: Any, word: str) -> Kind:
    if isinstance(kind, sa.Boolean):
        return "boolean"
    if isinstance(kind, sa.Integer) or word == "YEAR":
        return "boolean" if word == "TINYINT" and getattr(kind, "display_width", None) == 1 else "integer"
    if isinstance(kind, sa.Float):
        return "single" if word in ("REAL", "FLOAT") else "float"
    if isinstance(kind, sa.Numeric):
        return "decimal"
    if isinstance(kind, sa.DateTime):
        return "moment" if getattr(kind, "timezone", False) else "datetime"
    return "date" if isinstance(kind, sa.Date) else "text"


def tables_of(place: str, *, schema: str | None = None, password: str | None = None) -> list[str]:
    """Return the names of the tables and views of a database, in order."""
    address = parse(place)
    with database_errors(Message("source.not-opened", address=address.shown)):
        connection = connect(address, password=password)
    try:
        with database_errors(Message("source.not-read", address=address.shown)):
            return sorted(_names_of(connection, schema))
    finally:
        connection.close()
