"""Applying a recoding in a database: joins with private mapping tables, rows in a secret order, all on the server."""

# Names of tables and columns in these statements are ours; the data's are quoted.
# ruff: noqa: S608
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from antifaz.core.errors import ParameterError
from antifaz.core.messages import Message
from antifaz.core.recoding import Recoding
from antifaz.engines.database.connection import DatabaseConnection, ServerTable
from antifaz.engines.database.errors import database_errors
from antifaz.engines.dialects.dialect import Relation, Released
from antifaz.engines.engine import Applied, TableTarget, Written
from antifaz.engines.opening import engine_named
from antifaz.engines.relational.apply import Mappings

_FAILED = Message("engine.recoding-failed")


@dataclass(frozen=True)
class DatabaseApplied(Applied):
    """A recoding bound to rows: a statement that yields the rows to release, whenever they are asked for."""

    relation: Relation
    connection: DatabaseConnection
    recoding: Recoding
    #: Secret from which the order of the released rows follows; see `core.randomness.shuffle_key`.
    key: int
    #: The most memory and threads that what is done on this machine may use.
    limits: Mapping[str, Any]

    def __post_init__(self) -> None:
        """Refuse what is decided by the place of a row: in a database rows have no place."""
        if self.recoding.rows is not None:
            raise ParameterError("database.rows-have-no-order")

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are released, in the order of the source."""
        return tuple(name for name in self.relation.schema.names if name not in self.recoding.dropped)

    def collect(self) -> ServerTable:
        """Make the rows to release as a private table on the server."""
        connection = self.connection
        with self.mapped() as released, database_errors(_FAILED):
            name = connection.name("released")
            connection.run(connection.dialect.create_temporary(name, released.declared))
            connection.run(f"INSERT INTO {name} {released.ordered}")
        return ServerTable(connection, name, self.columns, types=released.arrow)

    def to_source_kind(self, table: ServerTable) -> pa.Table:
        """Return the released rows as an Arrow table: now they do leave the server."""
        return table.to_arrow()

    def write(self, folder: Any, format: str, **text: Any) -> Written:
        """Write the rows into a folder, as `text` says, or into the table that the stage is of."""
        if isinstance(folder, TableTarget):
            return folder.write_rows(self)
        return engine_named("local").write(self, folder, format, **text, **self.limits)

    @contextmanager
    def batches(self) -> Iterator[pa.RecordBatchReader]:
        """Yield the rows to release batch by batch, without holding them all."""
        with self.mapped() as released, database_errors(_FAILED):
            speak = self.connection.dialect.arrow_value
            parts = [speak(kind, part) for kind, part in zip(released.arrow, released.chosen, strict=True)]
            # The order is asked for outermost: some servers forget that of an inner statement.
            statement = f"SELECT {', '.join(parts)} FROM {released.rest} ORDER BY {released.order}"
            plain = self.connection.batches(statement, released.arrow)
            schema = pa.schema(list(zip(self.columns, released.arrow, strict=True)))
            named = (pa.record_batch(batch.columns, schema=schema) for batch in plain)
            yield pa.RecordBatchReader.from_batches(schema, named)

    def fingerprinted(self) -> AbstractContextManager[tuple[Any, Any]]:
        """Yield the rows batch by batch, and the fingerprint of those that were read, for a table elsewhere."""
        return engine_named("local").fingerprinted(self, **self.limits)

    @contextmanager
    def mapped(self) -> Iterator[Released]:
        """Make the mapping tables, yield the statement, and take them away again."""
        mappings, dialect = Mappings(self.relation, self.connection, self.recoding), self.connection.dialect
        try:
            with database_errors(_FAILED):
                mappings.make()
            parts = [mappings.released(name) for name in self.columns]
            yield Released(
                chosen=tuple(part for part, _, _ in parts),
                types=tuple(kind for _, kind, _ in parts),
                arrow=tuple(kind for _, _, kind in parts),
                rest=f"{self.relation.source} AS s{''.join(mappings.joins)}{mappings.where}",
                order=dialect.secret_order([f"s.{place}" for place in self.relation.places], self.key),
                columns=tuple(map(dialect.quote, self.columns)),
            )
        finally:
            mappings.remove()
