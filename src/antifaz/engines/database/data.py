"""A table in a database, opened and described: what the verbs of the engine work on. Rows stay on the server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa

from antifaz.core.errors import DataError, ParameterError, hint
from antifaz.core.messages import Message
from antifaz.core.profile import Profile
from antifaz.core.recoding import Recoding
from antifaz.core.schema import Schema
from antifaz.core.types import DataType
from antifaz.counting.frequencies import Tuples
from antifaz.engines import memory as budget
from antifaz.engines.addresses import parse
from antifaz.engines.changes import ColumnChange, Sampling
from antifaz.engines.database.apply import DatabaseApplied
from antifaz.engines.database.auditor import DatabaseAuditor
from antifaz.engines.database.connection import DatabaseConnection, connect
from antifaz.engines.database.errors import database_errors
from antifaz.engines.database.reflection import names_of, reflect
from antifaz.engines.database.released_table import Source, clean_leftovers, into_table, refuse
from antifaz.engines.database.server_table import ServerTable
from antifaz.engines.dialects.field import Field
from antifaz.engines.engine import Auditor, Data, Stage
from antifaz.engines.registry import engine_named
from antifaz.engines.relational import count as counting
from antifaz.engines.relational.profile import profile
from antifaz.engines.relational.relation import Relation
from antifaz.engines.relational.types import infer
from antifaz.engines.types_file import resolve_types
from antifaz.sources.column_names import check_names


class DatabaseData(Data):
    """One table in a database, and what is known about it. All that a run reads is one state of it."""

    engine: ClassVar[str] = "database"
    program_memory: ClassVar[int] = budget.PROGRAM
    by_row: ClassVar[bool] = False

    def __init__(
        self, connection: DatabaseConnection, *, table: str, fields: Sequence[Field], source: str, schema: Schema,
        rows: int, notes: Sequence[str] = (), limits: Mapping[str, Any] | None = None, memory: int | None = None,
        target_schema: str | None = None,
    ) -> None:  # fmt: skip
        """Take over the connection; `open_database` is the way to make one."""
        self.connection = connection
        self.table = table
        self.fields = list(fields)
        #: What all rows are taken from, with columns c0, c1, ….
        self.source = source
        self.schema = schema
        self.rows = rows
        self.kind = "database"
        self.notes = list(notes)
        #: The most memory and threads that what is done on this machine may use.
        self.limits = dict(limits or {})
        self.memory = memory
        self.schema_name = target_schema
        self._auditor: DatabaseAuditor | None = None
        self._downloaded: Data | None = None
        self._closed = False

    @property
    def relation(self) -> Relation:
        """The table as the verbs see it that all engines share."""
        places = tuple(f"c{i}" for i in range(len(self.fields)))
        return Relation(self.connection, self.source, tuple(self.fields), places, self.schema, self.rows)

    def profile(self) -> Profile:
        """Describe every column without showing any rare value."""
        return profile(self.relation)

    def count(self, columns: Sequence[str]) -> Tuples:
        """Count the distinct tuples of some columns; only the tuples come out."""
        return counting.count(self.relation, columns)

    def records(self, columns: Sequence[str]) -> Tuples:
        """Return some columns of all rows, in the order in which they came to this machine."""
        return self.download().records(columns)

    def window(
        self, start: int, count: int, *, sort: str | None = None, descending: bool = False
    ) -> list[list[str | None]]:
        """Return some rows as text; the others stay on the server."""
        return counting.window(self.relation, start, count, sort=sort, descending=descending)

    def totals(self, columns: Sequence[str]) -> dict[str, dict[str | None, int]]:
        """Count the values of each column on its own, as the auditor will count the released ones."""
        auditor, whole = self.auditor(), self.whole()
        return {name: auditor.recount(whole, (), [name]).cells[name].totals for name in columns}

    def digest(self) -> bytes:
        """Return a digest of all rows, whatever their order."""
        return f"{self.rows}:{counting.digest(self.relation)}".encode()

    def apply(self, recoding: Recoding, key: int) -> DatabaseApplied:
        """Bind a decision to the rows."""
        return DatabaseApplied(self.relation, self.connection, recoding, key, self.limits)

    def changed(self, changes: Sequence[ColumnChange], keep: Sampling | None = None) -> Data:
        """Return the table with some columns changed; that is done on this machine."""
        return self.download().changed(changes, keep)

    def auditor(self) -> Auditor:
        """Return who counts the released rows again: always the same one, who need not read them twice."""
        self._auditor = self._auditor or DatabaseAuditor(engine_named("local").auditor(**self.limits))
        return self._auditor

    def another_table(self, place: str, types: Mapping[str, DataType]) -> Data:
        """Open a file on this machine, its columns understood as told."""
        memory = None if self.memory is None else f"{self.memory}B"
        return engine_named("local").open(place, types=types, memory=memory, threads=self.limits.get("threads"))

    def whole(self) -> ServerTable:
        """Return all rows as a table that the auditor can count."""
        dialect = self.connection.dialect
        named = ", ".join(
            f"{dialect.released_value(f, f'c{i}')} AS {dialect.quote(f.name)}" for i, f in enumerate(self.fields)
        )
        return ServerTable(
            self.connection,
            f"(SELECT {named} FROM {self.source} AS s) AS w",  # noqa: S608 - names are quoted
            self.schema.names,
            shown=self.table,
            types=tuple(field.arrow for field in self.fields),
        )

    def download(self) -> Data:
        """Bring all rows to this machine, for a method that needs rows."""
        if self._downloaded is None:
            arrow = pa.schema([(field.name, field.arrow) for field in self.fields])
            check_names(f"The table {self.table!r}", arrow.names)
            notes = [*self.notes, Message("note.rows-fetched")]
            with database_errors(Message("database.rows-not-fetched")):
                self._downloaded = engine_named("local").receive(
                    self._download(arrow), arrow, schema=self.schema, origin=self, notes=notes
                )
        return self._downloaded

    def _download(self, arrow: pa.Schema) -> Iterator[pa.Table]:
        """Fetch all rows, some at a time."""
        dialect = self.connection.dialect
        parts = [dialect.arrow_value(f.arrow, dialect.released_value(f, f"c{i}")) for i, f in enumerate(self.fields)]
        statement = f"SELECT {', '.join(parts)} FROM {self.source} AS s"  # noqa: S608 - names of ours
        for batch in self.connection.batches(statement, arrow.types):
            yield pa.Table.from_batches([pa.record_batch(batch.columns, schema=arrow)])

    def refuse_table(self, table: str, schema: str | None, replace: bool) -> None:
        """Say early that a release can't become this table."""
        refuse(self._source, table, schema or self.schema_name, replace)

    def into_table(
        self, stage: Stage, table: str, *, schema: str | None = None, replace: bool = False
    ) -> AbstractContextManager[Stage]:
        """Return the stage of a release whose rows become a table beside the source."""
        return into_table(self._source, stage, table, schema or self.schema_name, replace)

    @property
    def _source(self) -> Source:
        return Source(self.connection, self.table, self.schema_name, {field.name: field for field in self.fields})

    def to_arrow(self) -> pa.Table:
        """Load all rows into this process."""
        return self.whole().to_arrow()

    def to_pandas(self) -> Any:
        """Load all rows into this process as a pandas frame."""
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        """Load all rows into this process as a polars frame."""
        from antifaz.sources.frames import to_kind

        return to_kind(self.to_arrow(), "polars")

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
    missing: Sequence[str] | str = (),
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
        missing: Texts that mean missing, such as "?" or "NA"; null always does.
        memory: The most memory for what is done on this machine, e.g. "2GB".
        threads: The most threads there.
    """
    address = parse(place)
    words = (missing,) if isinstance(missing, str) else tuple(missing)
    if address.scheme == "duckdb":
        return engine_named("local").open(
            place, table=table, schema=schema, types=types, missing=words, memory=memory, threads=threads
        )
    given = resolve_types(types)
    with database_errors(Message("source.not-opened", address=address.shown)):
        connection = connect(address, password=password, variable=password_env)
    try:
        with database_errors(Message("source.not-read", address=address.shown)):
            return _opened(connection, table, schema, given, words, budget.database_limits(memory, threads))
    except BaseException:
        connection.close()
        raise


def _opened(
    connection: DatabaseConnection,
    table: str | None,
    schema: str | None,
    given: Any,
    words: tuple[str, ...],
    limits: tuple[int | None, dict[str, Any]],
) -> DatabaseData:
    if table is None:
        names = names_of(connection, schema)
        raise ParameterError("database.table-not-named", address=connection.address.shown, hint=hint("", names))
    fields, notes = reflect(connection, table, schema)
    if not fields:
        raise DataError("database.table-no-columns", table=table)
    clean_leftovers(connection, schema)
    quoted = connection.dialect.qualified(table, schema)
    settled = [replace(field, missing=words) for field in connection.dialect.settle_kinds(connection, quoted, fields)]
    source = connection.dialect.snapshot(connection, quoted, settled)
    (rows,) = connection.one(f"SELECT count(*) FROM {source} AS s")  # noqa: S608 - names are quoted
    places = tuple(f"c{i}" for i in range(len(settled)))
    inferred = infer(Relation(connection, source, tuple(settled), places, Schema(()), int(rows)), given=given)
    most, shared = limits
    return DatabaseData(
        connection, table=table, fields=settled, source=source, schema=inferred, rows=int(rows), target_schema=schema,
        notes=[f"Table {table!r} of {connection.address.shown}.", *notes], limits=shared, memory=most,
    )  # fmt: skip
