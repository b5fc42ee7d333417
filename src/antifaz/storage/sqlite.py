"""The embedded store: one SQLite file that only its owner can read.

Every change is one transaction that takes the write lock at its beginning, so that two processes never decide on the
same old state. The journal is the plain one and not the write-ahead log: what is erased would stay in that log, and
the file may lie in a home folder that comes over the network.

A run that goes on holds a lock on a small file beside the store. The system lets go of it when the process ends,
however it ends; that is how a killed run is told from one that takes long.
"""

import os
import secrets
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from antifaz.core.errors import InputError
from antifaz.core.files import system_reason
from antifaz.core.locks import is_held, make_lock_file, remove_lock_file, take_lock
from antifaz.core.messages import Message

#: How long another process may take for its change.
PATIENCE = 30.0
_PRAGMAS = ("secure_delete = ON", "synchronous = EXTRA", "foreign_keys = ON", "trusted_schema = OFF")
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_REASONS = {
    sqlite3.SQLITE_BUSY: Message("store.in-use"),
    sqlite3.SQLITE_LOCKED: Message("store.in-use"),
    sqlite3.SQLITE_FULL: Message("store.disk-full"),
    sqlite3.SQLITE_READONLY: Message("store.not-permitted"),
    sqlite3.SQLITE_PERM: Message("store.not-permitted"),
    sqlite3.SQLITE_CANTOPEN: Message("store.not-opened"),
    sqlite3.SQLITE_IOERR: Message("store.disk-error"),
}


class SqliteDatabase:
    """A connection to the SQLite file."""

    shared = False

    def __init__(self, path: Path) -> None:
        self.path, self.place = path, str(path)
        self._locks = path.with_name(f"{path.name}.running")
        _make_private(path)
        with self._translated():
            self._connection = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)
            try:
                self._connection.row_factory = _as_dict
                for pragma in _PRAGMAS:
                    self._connection.execute(f"PRAGMA {pragma}")
                self._connection.execute("SELECT count(*) FROM sqlite_master")  # says at once that this is no database
            except BaseException:
                self._connection.close()
                raise

    def tables(self) -> set[str]:
        """Return the tables that are there."""
        return {row["name"] for row in self.rows("SELECT name FROM sqlite_master WHERE type = 'table'")}

    def rows(self, statement: str, *values: Any) -> list[dict[str, Any]]:
        """Execute a statement and return its rows."""
        with self._translated():
            return list(self._connection.execute(statement, values))

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Make the changes of the block all or nothing, and one process after another."""
        self.rows("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            with suppress(sqlite3.Error):
                self._connection.rollback()
            raise
        self.rows("COMMIT")

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    @contextmanager
    def process_lock(self) -> Iterator[str]:
        """Hold a lock that ends with the process, and give the key by which others can ask for it."""
        with _translated_errors_of(self._locks):
            self._locks.mkdir(mode=0o700, exist_ok=True)
            key, descriptor = _new_lock(self._locks)
        try:
            yield key
        finally:
            remove_lock_file(descriptor, self._locks / key)

    def is_locked(self, key: str) -> bool:
        """Say whether a living process holds the lock with this key; the file of a dead one's is removed."""
        return is_held(self._locks / key)

    def sweep(self) -> None:
        """Remove what killed processes left beside the store."""
        if self.path.with_name(f"{self.path.name}-journal").exists():
            # A reader leaves a dead journal where it is, and it may hold what was to be erased; a writer does not.
            with self.writing():
                self.rows("CREATE TABLE swept (leftover INTEGER)")
                self.rows("DROP TABLE swept")
        with suppress(OSError):
            for entry in self._locks.iterdir():
                self.is_locked(entry.name)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
            return
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in _DAMAGED:
            raise InputError("store.not-a-sqlite-file", place=self.place) from None
        raise InputError("store.not-usable", place=self.place, get=_REASONS.get(code, "can not be used")) from None


def _as_dict(cursor: sqlite3.Cursor, row: tuple[Any, ...]) -> dict[str, Any]:
    return {column[0]: value for column, value in zip(cursor.description, row, strict=True)}


def _make_private(path: Path) -> None:
    """Make the file and its folder for the owner alone; SQLite gives its journal the file's own rights.

    The file is made without being opened: closing it would let go of the locks that SQLite may have on it by now for
    another thread of this process.
    """
    with _translated_errors_of(path):
        for folder in reversed([folder for folder in path.parents if not folder.exists()]):
            folder.mkdir(mode=0o700, exist_ok=True)
        if path.parent.name == "antifaz" and path.parent.stat().st_mode & 0o077:  # our own folder, as others made it
            path.parent.chmod(0o700)
        with suppress(FileExistsError):
            try:
                os.mknod(path, stat.S_IFREG | 0o600)
            except (PermissionError, AttributeError):  # not every system lets users do that, or has it
                path.touch(mode=0o600, exist_ok=False)
        if path.stat().st_mode & 0o077:
            path.chmod(0o600)


@contextmanager
def _translated_errors_of(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError("store.not-makeable", path=path, why=system_reason(error)) from None


def _new_lock(folder: Path) -> tuple[str, int]:
    """Make a file and lock it; return its name with the descriptor that holds the lock."""
    while True:
        key = secrets.token_hex(8)
        descriptor = make_lock_file(folder / key)
        # In the instant before it is locked, another process may sweep it away as a leftover: then again.
        if take_lock(descriptor) and (folder / key).exists():
            return key, descriptor
        os.close(descriptor)
