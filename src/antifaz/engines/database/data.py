"""A table in a database, opened and described: what the verbs of the engine work on. Rows stay on the server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import pyarrow as pa

from antifaz.core.errors import DataError, ParameterError, hint
from antifaz.core.profile import Profile
from antifaz.core.recoding import Recoding
from antifaz.core.schema import Schema
from antifaz.core.types import DataType
from antifaz.counting.tuples import Tuples
from antifaz.engines.database import count as counting
from antifaz.engines.database.address import parse
from antifaz.engines.database.auditor import DatabaseAuditor
from antifaz.engines.database.faults import guard
from antifaz.engines.database.fields import Field, names_of, reflect, spelled
from antifaz.engines.database.link import Link, connect
from antifaz.engines.database.place import Place
from antifaz.engines.database.profile import profile
from antifaz.engines.database.table import clean_leftovers, into_table, refuse
from antifaz.engines.database.types import infer
from antifaz.engines.database.window import window
from antifaz.engines.engine import Auditor, Data, Stage
from antifaz.engines.local import memory as budget
from antifaz.engines.local.types import load_types

if TYPE_CHECKING:
    from antifaz.engines.changes import Change, Sampling
    from antifaz.engines.database.apply import DatabaseApplied

_CASTS = {"mysql": "DECIMAL(65, 30)", "postgresql": "numeric", "sqlite": "REAL"}


class DatabaseData(Data):
    """One table in a database, and what is known about it. All that a run reads is one state of it."""

    engine: ClassVar[str] = "database"
    program_memory: ClassVar[int] = budget.PROGRAM
    by_row: ClassVar[bool] = False

    def __init__(
        self, link: Link, *, table: str, fields: Sequence[Field], source: str, schema: Schema, rows: int,
        notes: Sequence[str] = (), limits: Mapping[str, Any] | None = None, memory: int | None = None,
        target_schema: str | None = None,
    ) -> None:  # fmt: skip
        """Take over the connection; `open_database` is the way to make one."""
        self.link = link
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
        self._places = {field.name: i for i, field in enumerate(self.fields)}
        self._auditor: DatabaseAuditor | None = None
        self._hand: Data | None = None
        self._closed = False

    def field(self, name: str) -> Field:
        """Return a column by its name."""
        return self.fields[self._places[name]]

    def place(self, name: str) -> str:
        """Return under which name statements have a column."""
        return f"c{self._places[name]}"

    def fetched_type(self, name: str) -> pa.DataType:
        """Return the Arrow type in which what is counted of a column comes out."""
        return counting.fetched_type(self.field(name))

    def spell(self, name: str, value: Any) -> str | None:
        """Return what came out of a column as the text it is counted under."""
        return value if isinstance(value, str) else spelled(self.field(name), value)

    def ordered(self, name: str) -> str | None:
        """Return the values of a column so that they have an order, or None for text."""
        kind, field, place = self.schema[name].type, self.field(name), self.place(name)
        if kind.is_number:
            if field.kind != "text":
                return place
            value = self.link.dialect.trimmed(place)
            return f"CAST(NULLIF({value}, '') AS {_CASTS[self.link.dialect.name]})"
        if kind not in (DataType.DATE, DataType.DATETIME):
            return None
        return f"NULLIF({self.link.dialect.trimmed(place)}, '')" if field.kind == "text" else place

    def profile(self) -> Profile:
        """Describe every column without showing any rare value."""
        return profile(self)

    def count(self, columns: Sequence[str]) -> Tuples:
        """Count the distinct tuples of some columns; only the tuples come out."""
        return counting.count(self, columns)

    def records(self, columns: Sequence[str]) -> Tuples:
        """Return some columns of all rows, in the order in which they came to this machine."""
        return self.at_hand().records(columns)

    def window(
        self, start: int, count: int, *, sort: str | None = None, descending: bool = False
    ) -> list[list[str | None]]:
        """Return some rows as text; the others stay on the server."""
        return window(self, start, count, sort=sort, descending=descending)

    def totals(self, columns: Sequence[str]) -> dict[str, dict[str | None, int]]:
        """Count the values of each column on its own, as the auditor will count the released ones."""
        auditor, whole = self.auditor(), self.whole()
        return {name: auditor.recount(whole, (), [name]).cells[name].totals for name in columns}

    def digest(self) -> bytes:
        """Return a digest of all rows, whatever their order."""
        return counting.digest(self)

    def apply(self, recoding: Recoding, key: int) -> DatabaseApplied:
        """Bind a decision to the rows."""
        from antifaz.engines.database.apply import DatabaseApplied

        return DatabaseApplied(self, recoding, key)

    def changed(self, changes: Sequence[Change], keep: Sampling | None = None) -> Data:
        """Return the table with some columns changed; that is done on this machine."""
        return self.at_hand().changed(changes, keep)

    def auditor(self) -> Auditor:
        """Return who counts the released rows again: always the same one, who need not read them twice."""
        self._auditor = self._auditor or DatabaseAuditor(self.limits)
        return self._auditor

    def beside(self, place: str, types: Mapping[str, DataType]) -> Data:
        """Open a file on this machine, its columns understood as told."""
        from antifaz.engines.local.data import open_local

        memory = None if self.memory is None else f"{self.memory}B"
        return open_local(place, types=types, memory=memory, threads=self.limits.get("threads"))

    def whole(self) -> Place:
        """Return all rows as a table that the auditor can count."""
        dialect = self.link.dialect
        named = ", ".join(f"{dialect.out(f, f'c{i}')} AS {dialect.quote(f.name)}" for i, f in enumerate(self.fields))
        return Place(
            self.link,
            f"(SELECT {named} FROM {self.source} AS s) AS w",  # noqa: S608 - names are quoted
            self.schema.names,
            shown=self.table,
            types=tuple(field.arrow for field in self.fields),
        )

    def at_hand(self) -> Data:
        """Bring all rows to this machine, for a method that needs rows."""
        if self._hand is None:
            from antifaz.engines.database.hand import bring

            self._hand = bring(self)
        return self._hand

    def refuse_table(self, table: str, schema: str | None, replace: bool) -> None:
        """Say early that a release can't become this table."""
        refuse(self, table, schema or self.schema_name, replace)

    def into_table(
        self, stage: Stage, table: str, *, schema: str | None = None, replace: bool = False
    ) -> AbstractContextManager[Stage]:
        """Return the stage of a release whose rows become a table beside the source."""
        return into_table(self, stage, table, schema or self.schema_name, replace)

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
            if self._hand is not None:
                self._hand.close()
            self.link.close()

    def __repr__(self) -> str:
        """Say how much data it is, and nothing of what is in it."""
        return f"<DatabaseData: {self.rows} rows, {len(self.fields)} columns, from {self.link.address.shown}>"


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
    told = load_types(types) if isinstance(types, (str, Path)) else types
    words = (missing,) if isinstance(missing, str) else tuple(missing)
    if address.kind == "duckdb":
        from antifaz.engines.database.duckdb_file import open_duckdb

        return open_duckdb(address, table, schema, told, words, memory, threads)
    with guard(f"{address.shown} could not be opened"):
        link = connect(address, password=password, variable=password_env)
    try:
        with guard(f"{address.shown} could not be read"):
            return _opened(link, table, schema, told, words, budget.database_limits(memory, threads))
    except BaseException:
        link.close()
        raise


def _opened(
    link: Link,
    table: str | None,
    schema: str | None,
    told: Any,
    words: tuple[str, ...],
    limits: tuple[int | None, dict[str, Any]],
) -> DatabaseData:
    if table is None:
        names = names_of(link, schema)
        raise ParameterError("database.table-not-named", address=link.address.shown, hint=hint("", names))
    fields, notes = reflect(link, table, schema)
    if not fields:
        raise DataError("database.table-no-columns", table=table)
    clean_leftovers(link, schema)
    quoted = link.dialect.qualified(table, schema)
    settled = [replace(field, missing=words) for field in link.dialect.settle(link, quoted, fields)]
    source = link.dialect.rows(link, quoted, settled)
    (rows,) = link.one(f"SELECT count(*) FROM {source} AS s")  # noqa: S608 - names are quoted
    found = infer(link, source, settled, told)
    most, shared = limits
    return DatabaseData(
        link, table=table, fields=settled, source=source, schema=found, rows=int(rows), target_schema=schema,
        notes=[f"Table {table!r} of {link.address.shown}.", *notes], limits=shared, memory=most,
    )  # fmt: skip
