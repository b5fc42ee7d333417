"""Tables in DuckDB files. DuckDB runs in this process anyway, so the local engine does the work.

The file is opened for reading only, its table is taken into the engine's own store in one statement, and the file is
let go. It is opened for writing only to receive a release.
"""

import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from antifaz.core import memory as budget
from antifaz.core.errors import DataError, InputError, ParameterError, hint
from antifaz.core.messages import Message
from antifaz.core.types import DataType
from antifaz.engines.addresses import Address, parse
from antifaz.engines.engine import Stage, TableStage, WriteResult
from antifaz.engines.local.data import LocalData, described
from antifaz.engines.local.table import store
from antifaz.sources import duckdb_connection as duck
from antifaz.sources.column_names import check_names
from antifaz.sources.file_format import FileReader, blank_missing
from antifaz.sources.missing_codes import missing_words
from antifaz.sources.types_file import resolve_types

_TABLES = "SELECT table_name FROM information_schema.tables WHERE table_catalog = ? AND table_schema = ?"
_ALIAS = "antifaz_file"
#: The files that DuckDB has beside a database while it is written.
_JOURNALS = (".wal", ".wal.checkpoint", ".wal.recovery")


@dataclass(frozen=True)
class _WrittenTable:
    """A table in a file, as whoever takes Arrow reads it back."""

    connection: duckdb.DuckDBPyConnection
    name: str
    shown: str

    def __arrow_c_stream__(self, requested: Any = None) -> Any:
        return self.connection.sql(f"FROM {self.name}").to_arrow_table().__arrow_c_stream__(requested)


@dataclass(eq=False, repr=False, kw_only=True)
class DuckDBFileData(LocalData):
    """Rows that were taken from a table of a DuckDB file; releases can go back there."""

    file: Path
    source_table: str
    source_schema: str

    def is_in(self, url: str) -> bool:
        """Say whether an address is that of this file."""
        address = parse(url)
        return address.scheme == "duckdb" and Path(address.database).resolve() == self.file.resolve()

    def refuse_table(self, table: str, schema: str | None, replace: bool) -> None:
        """Say early that a release can't become this table."""
        within = schema or self.source_schema
        if (table, within) == (self.source_table, self.source_schema):
            raise InputError("database.table-is-the-source", table=table)
        with _attached(self.file, {}) as db:
            if table in _names(db, within) and not replace:
                raise InputError("database.table-exists-already", table=table)

    @contextmanager
    def into_table(
        self, stage: Stage, table: str, *, schema: str | None = None, replace: bool = False
    ) -> Iterator[Stage]:
        """Yield the stage of a release whose rows become a table of the file: one transaction."""
        self.refuse_table(table, schema, replace)
        with _attached(self.file, self.limits, write=True) as db:
            yield TableStage(_Target(db, table, schema or self.source_schema, replace), stage)


@contextmanager
def into_file(
    address: Address, stage: Stage, table: str, *, schema: str | None = None, replace: bool = False
) -> Iterator[Stage]:
    """Yield a stage whose rows, which are elsewhere, become a table of a DuckDB file; a file is made where none is."""
    file, within = Path(address.database), schema or "main"
    new = not file.exists() and file.parent.is_dir()
    if new:
        duckdb.connect(str(file)).close()
    try:
        with _attached(file, {}, write=True) as db:
            if table in _names(db, within) and not replace:
                raise InputError("database.table-exists-already", table=table)
            target = _Target(db, table, within, replace)
            yield TableStage(target, stage)
            new = new and not target.published
    finally:
        if new:
            file.unlink(missing_ok=True)


class _Target:
    """The staged table of a release, in a transaction that ends with `publish` or is undone."""

    def __init__(self, db: duckdb.DuckDBPyConnection, table: str, schema: str, replace: bool) -> None:
        self._db, self._table, self._replace = db, table, replace
        self._within = f"{_ALIAS}.{duck.quote(schema)}"
        self._staged = f"antifaz_{secrets.token_hex(8)}_staging"
        self.published = False
        db.execute("BEGIN")

    def write_rows(self, applied: Any) -> WriteResult:
        """Write the rows, and note the fingerprint of what passes."""
        failed = Message("database.table-not-written", table=self._table)
        with applied.fingerprinted() as (reader, noted), duck.duckdb_errors(failed):
            self._db.register("antifaz_passing", reader)
            self._db.execute(f"CREATE TABLE {self._within}.{self._staged} AS FROM antifaz_passing")
            self._db.unregister("antifaz_passing")
        return WriteResult(_WrittenTable(self._db, f"{self._within}.{self._staged}", self._table), noted.value)

    def publish(self, documents: Stage) -> None:
        """Rename the table, publish what goes with it, and commit."""
        quoted = duck.quote(self._table)
        with duck.duckdb_errors(Message("database.table-not-put-in-place", table=self._table)):
            if self._replace:
                self._db.execute(f"DROP TABLE IF EXISTS {self._within}.{quoted}")
            self._db.execute(f"ALTER TABLE {self._within}.{self._staged} RENAME TO {quoted}")
        documents.publish()
        with duck.duckdb_errors(Message("database.table-not-put-in-place", table=self._table)):
            self._db.execute("COMMIT")
        self.published = True
        # With a limit of memory nothing is checkpointed at the end, and rows would stay in the journal beside the file.
        with suppress(duckdb.Error):
            self._db.execute(f"CHECKPOINT {_ALIAS}")


@contextmanager
def _attached(file: Path, limits: Mapping[str, Any], *, write: bool = False) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a locked database with the file in it."""
    if not file.is_file():
        raise DataError("file.not-found", file=file)
    place = file.resolve()
    with duck.database(allow=[place, *(Path(f"{place}{end}") for end in _JOURNALS)], **limits) as db:
        try:
            with duck.duckdb_errors(Message("source.not-opened", address=file.name)):
                db.execute(f"ATTACH {duck.literal(str(place))} AS {_ALIAS}{'' if write else ' (READ_ONLY)'}")
            yield db
        finally:
            for statement in ("ROLLBACK", f"DETACH {_ALIAS}"):
                with suppress(duckdb.Error):
                    db.execute(statement)


def _names(db: duckdb.DuckDBPyConnection, schema: str) -> list[str]:
    return [str(name) for (name,) in db.execute(_TABLES, [_ALIAS, schema]).fetchall()]


def tables_in(address: Address, schema: str | None) -> list[str]:
    """Return the names of the tables and views of a DuckDB file."""
    file = Path(address.database)
    with _attached(file, {}) as db, duck.duckdb_errors(Message("source.not-read", address=file.name)):
        return _names(db, schema or "main")


def open_duckdb(
    address: Address,
    *,
    table: str | None = None,
    schema: str | None = None,
    missing: Sequence[str] | str = (),
    types: Mapping[str, DataType | str] | Path | str | None = None,
    memory: str | None = None,
    threads: int | None = None,
) -> LocalData:
    """Take a table of a DuckDB file into the local engine's store; the options are those of `open_database`."""
    file, within, given = Path(address.database), schema or "main", resolve_types(types)
    words = missing_words(missing)
    most, limits = budget.database_limits(memory, threads)
    with duck.database(stay_open=True, **limits) as db:
        with _attached(file, limits) as source, duck.duckdb_errors(Message("source.not-read", address=file.name)):
            known = _names(source, within)
            if table is None:
                raise ParameterError("database.table-not-named", address=address.shown, hint=hint("", known))
            if table not in known:
                raise DataError("database.table-not-found", table=table, address=address.shown, hint=hint(table, known))
            rows = source.sql(f"FROM {_ALIAS}.{duck.quote(within)}.{duck.quote(table)}").to_arrow_reader(100_000)
            check_names(Message("header.of-table", table=table), rows.schema.names)
            tables = (blank_missing(pa.Table.from_batches([batch]), words) for batch in rows)
            notes: list[str] = [Message("note.table-of", table=table, address=address.shown)]
            reader = FileReader(schema=rows.schema, tables=tables, understood={}, notes=notes)
            stored = store(db, reader.schema, tables)
            rows.close()
        origin: dict[str, Any] = {"kind": "path", "file": file, "source_table": table, "source_schema": within}
        return described(db, reader, stored, most, limits, given, DuckDBFileData, **origin)
