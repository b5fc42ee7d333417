"""The store on a PostgreSQL server, for projects that several machines share.

Writers come one after another, by a lock of the server, as in the embedded store. A run that goes on holds another
lock of the server on a connection of its own; the server lets go of it when the connection ends.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from antifaz.core.errors import InputError, MissingExtra
from antifaz.core.messages import Message

if TYPE_CHECKING:
    import psycopg

#: The lock of writers: any number, the same in every process.
_WRITERS = 0x616E746966617A
#: A machine that lost its power can't close its connection: the server asks after it, and gives up in two minutes.
_ALIVE = ("tcp_keepalives_idle = 60", "tcp_keepalives_interval = 15", "tcp_keepalives_count = 4")
_REASONS = {
    "28P01": Message("store.login-wrong"),
    "28000": Message("store.refused-user"),
    "3D000": Message("store.no-such-database"),
    "3F000": Message("store.no-schema"),
    "42501": Message("store.tables-not-permitted"),
    "53100": Message("store.server-disk-full"),
    "53300": Message("store.too-many-connections"),
}


class PostgresqlDatabase:
    """A connection to the PostgreSQL server."""

    shared = True

    def __init__(self, url: str) -> None:
        """Connect; the URL holds no password."""
        parts = urlsplit(url)
        self._url = url
        self.place = f"{parts.scheme}://{parts.netloc}{parts.path}"
        self._connection = self._connect()

    def _connect(self) -> psycopg.Connection[dict[str, Any]]:
        try:
            import psycopg
            from psycopg.rows import dict_row
        except ImportError:
            raise MissingExtra("store.psycopg-missing") from None
        with self._translated():
            connection = psycopg.connect(self._url, autocommit=True, row_factory=dict_row, connect_timeout=10)
            for setting in _ALIVE:
                connection.execute(f"SET {setting}".encode())
            return connection

    def tables(self) -> set[str]:
        """Return the tables that are there, of those that the store could be."""
        names = self.rows("SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()")
        return {row["name"] for row in names}

    def rows(self, statement: str, *values: Any) -> list[dict[str, Any]]:
        """Execute a statement and return its rows."""
        with self._translated():
            cursor = self._connection.execute(statement.replace("?", "%s").encode(), values)
            return cursor.fetchall() if cursor.description else []

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Make the changes of the block all or nothing, and one process after another."""
        with self._translated(), self._connection.transaction():
            self.rows("SELECT pg_advisory_xact_lock(?)", _WRITERS)
            yield

    def close(self) -> None:
        """End the connection."""
        self._connection.close()

    @contextmanager
    def process_lock(self) -> Iterator[str]:
        """Hold a lock that ends with the process, and give the key by which others can ask for it."""
        key = secrets.randbits(62)
        connection = self._connect()
        try:
            with self._translated():
                connection.execute("SELECT pg_advisory_lock(%s)", (key,))
            yield str(key)
        finally:
            connection.close()

    def is_locked(self, key: str) -> bool:
        """Say whether a living process holds the lock with this key."""
        gained = self.rows("SELECT pg_try_advisory_lock(?) AS gained", int(key))[0]["gained"]
        if gained:
            self.rows("SELECT pg_advisory_unlock(?)", int(key))
        return not gained

    def sweep(self) -> None:
        """Do nothing: the server keeps no locks of those that are gone."""

    @contextmanager
    def _translated(self) -> Iterator[None]:
        import psycopg

        try:
            yield
            return
        except psycopg.Error as error:
            state = error.sqlstate
            # The driver quotes what it was given; and a server that is not there has no state to tell.
            error.args = ()
        if state is None:
            raise InputError("store.server-not-reachable", place=self.place) from None
        why = _REASONS.get(state, Message("store.reported-error", number=state))
        raise InputError("store.server-fails", place=self.place, why=why) from None
