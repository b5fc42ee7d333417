"""A connection to a database: statements in, rows or Arrow tables out, and texts into private tables."""

from __future__ import annotations

import io
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote as percent

import pyarrow as pa
import pyarrow.csv as pacsv

from antifaz.core.errors import DataError
from antifaz.core.messages import Message
from antifaz.engines.addresses import Address, further_passwords, known_password
from antifaz.engines.database.errors import database_errors, empty, is_login, needed, reason
from antifaz.engines.dialects.dialect import Dialect

if TYPE_CHECKING:
    import sqlalchemy as sa

#: Rows that are sent or fetched at a time.
CHUNK = 20_000
_SECONDS = 10
#: Mappings up to so many bytes may be held in the server's memory.
_SMALL = 64 << 20


class DatabaseConnection:
    """One connection; what is temporary goes with it."""

    def __init__(self, address: Address, engine: sa.Engine, sqlalchemy: sa.Connection, dialect: Dialect) -> None:
        """Made by `connect`."""
        self.address, self.dialect = address, dialect
        self._engine, self.sqlalchemy = engine, sqlalchemy
        self._names = 0
        self._mappings: set[str] = set()

    def name(self, what: str) -> str:
        """Return a new name for a private table."""
        self._names += 1
        return f"antifaz_{what}_{self._names}"

    def driver(self) -> Any:
        """Return the driver's own connection."""
        return self.sqlalchemy.connection.dbapi_connection

    def run(self, statement: str) -> list[tuple[Any, ...]]:
        """Run a statement as it stands, signs of per cent and all, and return its rows."""
        result = self.sqlalchemy.exec_driver_sql(statement, execution_options={"no_parameters": True})
        return [tuple(row) for row in result] if result.returns_rows else []

    def one(self, statement: str) -> tuple[Any, ...]:
        """Run a statement and return its only row."""
        return self.run(statement)[0]

    def described(self, table: str) -> list[tuple[str, Any]]:
        """Return the names of a table's columns, and the driver's type of each."""
        result = self.sqlalchemy.exec_driver_sql(
            f"SELECT * FROM {table} LIMIT 0",  # noqa: S608 - the name is quoted
            execution_options={"no_parameters": True},
        )
        found = [(str(column[0]), column[1]) for column in result.cursor.description]
        result.close()
        return found

    def load(self, table: str, rows: Sequence[Sequence[Any]], width: int) -> None:
        """Put rows into a table of ours."""
        if not rows:
            return
        if self.dialect.name == "postgresql":
            with self.driver().cursor() as cursor, cursor.copy(f"COPY {table} FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
            return
        sign = "%s" if self.dialect.name == "mysql" else "?"
        statement = f"INSERT INTO {table} VALUES ({', '.join([sign] * width)})"  # noqa: S608 - names of ours
        cursor = self.driver().cursor()
        try:
            for start in range(0, len(rows), CHUNK):
                cursor.executemany(statement, rows[start : start + CHUNK])
        finally:
            cursor.close()

    def make_mapping(
        self, what: str, columns: Sequence[tuple[str, str]], cells: Sequence[pa.Array], keys: Sequence[str]
    ) -> tuple[str, str]:
        """Make a private table, fill it, and make it quick to look into; a small one may stand in the statement."""
        name, rows = self.name(what), list(zip(*(part.to_pylist() for part in cells), strict=True))
        inline = self.dialect.inline(name, columns, rows)
        if inline:
            return name, inline
        declared = ", ".join(f"{column} {kind}" for column, kind in columns)
        size = sum(4 * _width(kind) for _, kind in columns) * len(rows)
        small = len(rows) if size < _SMALL and "LONG" not in declared else 0
        key = self.dialect.inline_key(dict(columns), keys)
        for statement in self.dialect.temporary(name, declared, small, key):
            self.run(statement)
        self._mappings.add(name)
        self.load(name, rows, len(columns))
        for statement in self.dialect.indexed(name, keys):
            self.run(statement)
        return name, name

    def drop_mapping(self, name: str) -> None:
        """Remove a private table; those of a lost connection are gone."""
        if name in self._mappings:
            self._mappings.remove(name)
            with suppress(Exception):
                self.run(self.dialect.drop_temporary(name))

    def errors(self, what: str) -> AbstractContextManager[None]:
        """Turn the errors of SQLAlchemy and the drivers into a `DataError` that quotes no cell."""
        return database_errors(what)

    def table(self, statement: str, types: Sequence[pa.DataType]) -> pa.Table:
        """Return the rows of a statement as an Arrow table with columns c0, c1, …."""
        schema = pa.schema([(f"c{i}", kind) for i, kind in enumerate(types)])
        return pa.Table.from_batches(list(self.batches(statement, types)), schema)

    def batches(self, statement: str, types: Sequence[pa.DataType]) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a statement as Arrow batches, without holding them all where the driver can do that."""
        if self.dialect.name == "postgresql":
            yield from self._copied(statement, types)
            return
        schema = pa.schema([(f"c{i}", kind) for i, kind in enumerate(types)])
        cursor = self._streaming()
        try:
            cursor.execute(statement)
            while rows := cursor.fetchmany(CHUNK):
                columns = [
                    _array(list(cells), kind) for cells, kind in zip(zip(*rows, strict=True), types, strict=True)
                ]
                yield pa.record_batch(columns, schema=schema)
        finally:
            cursor.close()

    def _streaming(self) -> Any:
        """Return a cursor of the driver's that does not fetch all rows at once."""
        if self.dialect.name == "mysql":
            return self.driver().cursor(needed("pymysql.cursors").SSCursor)
        return self.driver().cursor()

    def _copied(self, statement: str, types: Sequence[pa.DataType]) -> Iterator[pa.RecordBatch]:
        """Read what PostgreSQL copies out as text; every value is in quotes, so that missing is not the empty text."""
        names = [f"c{i}" for i in range(len(types))]
        options: dict[str, Any] = {
            "parse_options": pacsv.ParseOptions(newlines_in_values=True),
            "convert_options": pacsv.ConvertOptions(
                column_types=dict(zip(names, types, strict=True)),
                strings_can_be_null=True, quoted_strings_can_be_null=False, null_values=[""],
                true_values=["t", "true"], false_values=["f", "false"],
            ),
            "read_options": pacsv.ReadOptions(column_names=names, block_size=1 << 22),
        }  # fmt: skip
        sql = f"COPY ({statement}) TO STDOUT (FORMAT csv, FORCE_QUOTE *)"
        with self.driver().cursor() as cursor, cursor.copy(sql) as copy:
            for text in _whole_rows(copy):
                yield from pacsv.read_csv(io.BytesIO(text), **options).to_batches()

    def again(self) -> DatabaseConnection:
        """Connect once more with what is known."""
        return DatabaseConnection(self.address, self._engine, self._engine.connect(), self.dialect)

    def close(self) -> None:
        """End the connection, and all that is temporary with it."""
        with suppress(Exception):  # it may be lost already
            self.sqlalchemy.close()
        with suppress(Exception):
            self._engine.dispose()


def _width(kind: str) -> int:
    """The bytes that a type takes in a row of fixed width, about."""
    size = kind.partition("(")[2].partition(")")[0]
    return int(size) if size.isdigit() else 8


def _array(cells: list[Any], kind: pa.DataType) -> pa.Array:
    """Return cells as the driver gives them in an Arrow type; text may come as its bytes."""
    if pa.types.is_string(kind):
        raw = any(isinstance(cell, bytes) for cell in cells)
        return pa.array(cells, pa.binary()).cast(pa.string()) if raw else pa.array(cells, pa.string())
    if any(isinstance(cell, (str, bytes)) for cell in cells):
        texts = [cell.decode() if isinstance(cell, bytes) else cell for cell in cells]
        return pa.array(texts, pa.string()).cast(kind)
    return pa.array(cells, kind)


def _whole_rows(copy: Any) -> Iterator[bytes]:
    """Put the pieces of a copy, which end with rows, together to a few megabytes."""
    held, size = [], 0
    for piece in copy:
        held.append(bytes(piece))
        size += len(piece)
        if size > 1 << 24:
            yield b"".join(held)
            held, size = [], 0
    if held:
        yield b"".join(held)


def connect(address: Address, *, password: str | None = None, variable: str | None = None) -> DatabaseConnection:
    """Connect, and ask for a password only where the server wants one that is not at hand."""
    sa = needed("sqlalchemy")
    if address.kind == "mysql":
        needed("pymysql")
    elif address.kind == "postgresql":
        needed("psycopg")
    known = None if address.in_file else known_password(address, password, variable)
    try:
        return _connected(sa, replace(address, password=known))
    except Exception as error:
        if not isinstance(error, sa.exc.SQLAlchemyError):
            raise
        first, wanted = reason(error), known is None and is_login(error)
        empty(error)
    for other in further_passwords(address) if wanted else ():
        with suppress(sa.exc.SQLAlchemyError):
            return _connected(sa, replace(address, password=other))
    more = Message("database.how-to-give-password") if wanted else ""
    raise DataError("database.could-not-open", address=address.shown, first=first, more=more)


def _connected(sa: Any, address: Address) -> DatabaseConnection:
    dialect = _dialect(address.kind)
    engine = sa.create_engine(
        _url(sa, address),
        poolclass=sa.pool.NullPool, hide_parameters=True, isolation_level="AUTOCOMMIT", **_arguments(address),
    )  # fmt: skip
    connection = DatabaseConnection(address, engine, engine.connect(), dialect)
    try:
        dialect.start(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _dialect(kind: str) -> Dialect:
    if kind == "mysql":
        from antifaz.engines.dialects.mariadb import MariaDB

        return MariaDB()
    if kind == "postgresql":
        from antifaz.engines.dialects.postgresql import PostgreSQL

        return PostgreSQL()
    from antifaz.engines.dialects.sqlite import SQLite

    return SQLite()


def _url(sa: Any, address: Address) -> Any:
    if address.kind == "sqlite":
        return sa.URL.create("sqlite")
    driver = {"mysql": "mysql+pymysql", "postgresql": "postgresql+psycopg"}[address.kind]
    return sa.URL.create(
        driver, username=address.user, password=address.password, host=address.host, port=address.port,
        database=address.database,
    )  # fmt: skip


def _arguments(address: Address) -> dict[str, Any]:
    """Return what the driver is told beside the address."""
    if address.kind == "sqlite":
        path = Path(address.database)
        if not path.is_file():
            raise DataError("file.not-found", file=path)
        # An address of SQLite's own, because a plain path would make a new database where there is none.
        place = f"file:{percent(str(path.resolve()))}?mode=rw"

        def creator() -> sqlite3.Connection:
            return sqlite3.connect(place, uri=True, isolation_level=None, check_same_thread=False)

        return {"creator": creator}
    told: dict[str, Any] = {"connect_timeout": _SECONDS, **address.options}
    if address.kind == "mysql":
        told |= {"charset": "utf8mb4", "local_infile": False}
    else:
        told |= {"client_encoding": "utf8", "application_name": "antifaz"}
    return {"connect_args": told}
