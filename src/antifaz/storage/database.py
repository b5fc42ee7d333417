"""The databases that antifaz keeps its own tables in: a SQLite file of the user's, or a PostgreSQL server."""

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any, Protocol

from antifaz.core.errors import InputError

_SEPARATORS = tuple({"/", os.sep})


class Database(Protocol):
    """What the stores ask of SQLite and of PostgreSQL; `?` stands for a value in a statement."""

    #: Whether others may have tables there too.
    shared: bool

    @property
    def place(self) -> str: ...  # noqa: D102
    def tables(self) -> set[str]: ...  # noqa: D102
    def rows(self, statement: str, *values: Any) -> list[dict[str, Any]]: ...  # noqa: D102
    def writing(self) -> Any: ...  # noqa: D102
    def process_lock(self) -> Any: ...  # noqa: D102
    def is_locked(self, key: str) -> bool: ...  # noqa: D102
    def sweep(self) -> None: ...  # noqa: D102
    def close(self) -> None: ...  # noqa: D102


def connect(place: str, file: str) -> Database:
    """Open a PostgreSQL server by its URL, or a SQLite file by its path; in a folder it is called `file`."""
    if "://" in place:
        from antifaz.storage.postgresql import PostgresqlDatabase

        return PostgresqlDatabase(place)
    from antifaz.storage.sqlite import SqliteDatabase

    path = Path(place).expanduser()
    return SqliteDatabase((path / file if path.is_dir() or place.endswith(_SEPARATORS) else path).absolute())


def upgrade(database: Database, table: str, versions: Sequence[Sequence[str]], newer: InputError) -> None:
    """Make the tables of a store, or bring older ones up to date; its `table` says how many `versions` were made."""
    if _version(database, table) == len(versions):
        return
    with database.writing():
        version = _version(database, table)  # another process may have been faster
        if version > len(versions):
            raise newer
        for statement in chain.from_iterable(versions[version:]):
            database.rows(statement)
        database.rows(f"DELETE FROM {table}")  # noqa: S608 - a table of ours
        database.rows(f"INSERT INTO {table} (version) VALUES (?)", len(versions))  # noqa: S608


def _version(database: Database, table: str) -> int:
    tables = database.tables()
    if table not in tables and tables and not database.shared:
        raise InputError("store.database-of-something-else", place=database.place)
    rows = database.rows(f"SELECT version FROM {table}") if table in tables else []  # noqa: S608
    return int(rows[0]["version"]) if rows else 0


def data_folder() -> Path:
    """Return the folder in which antifaz keeps what is the user's."""
    # The standard says that a relative path is to be ignored. The second one is set on Windows.
    candidates = (Path(os.environ.get(name, "")) for name in ("XDG_DATA_HOME", "LOCALAPPDATA"))
    folder = next((path for path in candidates if path.is_absolute()), Path.home() / ".local" / "share")
    return folder / "antifaz"


def now() -> str:
    """Return the time as it is kept: in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")
