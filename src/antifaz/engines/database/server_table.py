"""A table on a server that the auditor can count."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from antifaz.core.messages import Message
from antifaz.engines.database.connection import DatabaseConnection
from antifaz.engines.database.errors import database_errors


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
            parts = [
                dialect.arrow_value(kind, dialect.quote(name))
                for name, kind in zip(self.columns, self.types, strict=True)
            ]
            statement = f"SELECT {', '.join(parts)} FROM {self.table}"  # noqa: S608 - names are quoted
            table = self.connection.table(statement, self.types)
        return table.rename_columns(list(self.columns))

    def __arrow_c_stream__(self, requested: Any = None) -> Any:
        """Give the rows to whoever takes Arrow."""
        return self.to_arrow().__arrow_c_stream__(requested)
