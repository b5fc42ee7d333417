"""A connection to a database: statements in, rows or Arrow tables out; and a table that is seen through it."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import pyarrow as pa
import sqlalchemy as sa

from antifaz.core.errors import DataError
from antifaz.core.messages import Message
from antifaz.core.passwords import further_passwords, known_password
from antifaz.engines.addresses import Address
from antifaz.engines.database.errors import LOGIN, database_errors, empty, needed, reason
from antifaz.engines.dialects.dialect import SQLDialect

#: Mappings up to so many bytes may be held in the server's memory.
_SMALL = 64 << 20
Answer = TypeVar("Answer")


@dataclass(eq=False, repr=False)
class DatabaseConnection:
    """One connection, made by `connect`; what is temporary goes with it."""

    address: Address
    dialect: SQLDialect
    engine: sa.Engine
    sqlalchemy: sa.Connection
    _names: int = 0
    #: How many blocks of `transaction` it is in.
    _depth: int = 0
    _mappings: set[str] = field(default_factory=set)
    #: What has the connection to itself; the next statement waits for it.
    _busy: Future[Any] | None = None
    errors = staticmethod(database_errors)

    def name(self, what: str) -> str:
        """Return a new name for a private table."""
        self._names += 1
        return f"antifaz_{what}_{self._names}"

    def driver(self) -> Any:
        """Return the driver's own connection."""
        self._wait()
        return self.sqlalchemy.connection.dbapi_connection

    def run(self, statement: str) -> list[tuple[Any, ...]]:
        """Run a statement as it stands, signs of per cent and all, and return its rows."""
        self._wait()
        result = self.sqlalchemy.exec_driver_sql(statement, execution_options={"no_parameters": True})
        return [tuple(row) for row in result] if result.returns_rows else []

    def begin(self, work: Callable[["DatabaseConnection"], Answer]) -> Future[Answer]:
        """Have the server work on something while this process does; the next statement waits for it."""
        worker = ThreadPoolExecutor(1)
        self._busy = begun = worker.submit(work, replace(self))
        worker.shutdown(wait=False)
        return begun

    def _wait(self, *, cancel: bool = False) -> None:
        """Wait for what has the connection to itself, or have the server break it off: nobody asks for it any more."""
        while self._busy is not None:
            if cancel:  # again and again: it may not have begun
                with suppress(Exception):
                    self.sqlalchemy.connection.dbapi_connection.cancel()  # type: ignore[union-attr]  # PostgreSQL's
            if wait([self._busy], 0.1 if cancel else None).done:
                self._busy = None

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """See one state of the data within a block, and hold nothing after it; an inner block is part of the outer."""
        if self._depth == 0:
            self.dialect.begin(self)
        self._depth += 1
        kept = False
        try:
            yield
            kept = True
        finally:
            self._depth -= 1
            if self._depth == 0 and self.dialect.begin_statement:
                self._wait(cancel=not kept)
                with suppress(Exception):  # it may be lost, and all of it undone with it
                    self.run("COMMIT" if kept else "ROLLBACK")

    def described(self, table: str) -> list[tuple[str, Any]]:
        """Return the names of a table's columns, and the driver's type of each."""
        self._wait()
        statement = f"SELECT * FROM {table} LIMIT 0"  # noqa: S608 - the name is quoted
        result = self.sqlalchemy.exec_driver_sql(statement, execution_options={"no_parameters": True})
        columns = [(str(column[0]), column[1]) for column in result.cursor.description]
        result.close()
        return columns

    def make_mapping(
        self, what: str, columns: Sequence[tuple[str, str]], cells: Sequence[pa.Array], keys: Sequence[str]
    ) -> tuple[str, str]:
        """Make a private table, fill it, and make it quick to look into; a small one may stand in the statement."""
        name, rows = self.name(what), list(zip(*(part.to_pylist() for part in cells), strict=True))
        inline = self.dialect.inline_mapping(name, columns, rows)
        if inline:
            return name, inline
        declared = ", ".join(f"{column} {kind}" for column, kind in columns)
        size = sum(4 * _width(kind) for _, kind in columns) * len(rows)
        small = len(rows) if size < _SMALL and "LONG" not in declared else 0
        key = self.dialect.mapping_index(dict(columns), keys)
        self.run(self.dialect.create_temporary(name, declared, small, key))
        self._mappings.add(name)
        self.dialect.load(self, name, rows, len(columns))
        if self.dialect.index_mapping:
            self.run(self.dialect.index_mapping.format(name=name, columns=", ".join(keys)))
        return name, name

    def drop_mapping(self, name: str) -> None:
        """Remove a private table; those of a lost connection are gone."""
        if name in self._mappings:
            self._mappings.remove(name)
            with suppress(Exception):
                self.run(self.dialect.drop_temporary.format(name))

    def table(self, statement: str, types: Sequence[pa.DataType]) -> pa.Table:
        """Return the rows of a statement as an Arrow table with columns c0, c1, …."""
        schema = pa.schema([(f"c{i}", kind) for i, kind in enumerate(types)])
        return pa.Table.from_batches(list(self.dialect.batches(self, statement, types)), schema)

    def close(self) -> None:
        """End the connection, and all that is temporary with it."""
        self._wait(cancel=True)
        with suppress(Exception):  # it may be lost already
            self.sqlalchemy.close()
        with suppress(Exception):
            self.engine.dispose()


@dataclass(frozen=True)
class ServerTable:
    """A table by its quoted name, and the connection that sees it."""

    connection: DatabaseConnection
    table: str
    columns: tuple[str, ...]
    #: How it is called where it is shown.
    shown: str = ""
    schema: str | None = None
    #: The Arrow types in which its columns come out.
    types: tuple[pa.DataType, ...] = field(default=(), repr=False)
    #: Whether its rows were made on this machine, so that their fingerprint is taken here too.
    made_here: bool = False

    def to_arrow(self) -> pa.Table:
        """Load all rows into this process."""
        dialect = self.connection.dialect
        with database_errors(Message("database.rows-not-fetched")):
            parts = map(dialect.arrow_value, self.types, map(dialect.quote, self.columns))
            statement = f"SELECT {', '.join(parts)} FROM {self.table}"  # noqa: S608 - names are quoted
            table = self.connection.table(statement, self.types)
        return table.rename_columns(list(self.columns))

    def __arrow_c_stream__(self, requested: Any = None) -> Any:
        """Give the rows to whoever takes Arrow."""
        return self.to_arrow().__arrow_c_stream__(requested)


def _width(kind: str) -> int:
    """The bytes that a type takes in a row of fixed width, about."""
    size = kind.partition("(")[2].partition(")")[0]
    return int(size) if size.isdigit() else 8


def connect(address: Address, *, password: str | None = None, variable: str | None = None) -> DatabaseConnection:
    """Connect, and ask for a password only where the server wants one that is not at hand."""
    if address.dialect.package:
        needed(address.dialect.package)
    given = password if password is not None else address.password
    known = None if address.in_file else known_password(address.shown, given, variable)
    try:
        return _connected(replace(address, password=known))
    except sa.exc.SQLAlchemyError as error:
        first = reason(error)
        empty(error)
    wanted = known is None and first == LOGIN
    for other in further_passwords(address.shown) if wanted else ():
        with suppress(sa.exc.SQLAlchemyError):
            return _connected(replace(address, password=other))
    more = Message("database.how-to-give-password") if wanted else ""
    raise DataError("database.could-not-open", address=address.shown, first=first, more=more)


def _connected(address: Address) -> DatabaseConnection:
    dialect = address.dialect
    url = sa.URL.create(dialect.driver)
    if not address.in_file:
        url = url.set(
            username=address.user, password=address.password, host=address.host, port=address.port,
            database=address.database,
        )  # fmt: skip
    engine = sa.create_engine(
        url, poolclass=sa.pool.NullPool, hide_parameters=True, isolation_level="AUTOCOMMIT",
        **dialect.connect_arguments(address.database, address.options),
    )  # fmt: skip
    connection = DatabaseConnection(address, dialect, engine, engine.connect())
    try:
        dialect.start(connection)
    except BaseException:
        connection.close()
        raise
    return connection
