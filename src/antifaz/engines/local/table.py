"""One table in a private DuckDB database: how it is stored, what is known of it, and statements on it.

Everything goes through Arrow, so the database itself never opens a file.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from antifaz.core.errors import DataError
from antifaz.core.schema import Schema
from antifaz.engines.dialects.dialect import Relation
from antifaz.engines.dialects.duckdb import DuckDB, field_of
from antifaz.sources.duckdb_connection import duckdb_errors, first_row, quote
from antifaz.sources.file_format import refuse_nested
from antifaz.sources.spellings import Spelling

#: The name of the table that holds the data.
SOURCE = "source"
_numbers = count(1)


class _Queries:
    """Runs the statements of the verbs that all engines share; whoever opened the connection closes it."""

    dialect = DuckDB()
    errors = staticmethod(duckdb_errors)

    def __init__(self, db: duckdb.DuckDBPyConnection) -> None:
        self._db, self.driver = db, lambda: db

    def run(self, statement: str) -> list[tuple[Any, ...]]:
        """Run a statement and return its rows: all, because one left over would keep the connection busy."""
        return list(self._db.execute(statement).fetchall())

    def table(self, statement: str, types: Sequence[pa.DataType]) -> pa.Table:
        return self._db.sql(statement).to_arrow_table()

    def make_mapping(
        self, what: str, columns: Sequence[tuple[str, str]], cells: Sequence[pa.Array], keys: Sequence[str]
    ) -> tuple[str, str]:
        """Register a table of this process; nothing is copied."""
        name = f"antifaz_{what}_{next(_numbers)}"
        self._db.register(name, pa.table(dict(zip((column for column, _ in columns), cells, strict=True))))
        return name, name

    def drop_mapping(self, name: str) -> None:
        with suppress(duckdb.Error):
            self._db.unregister(name)


@dataclass(eq=False, repr=False, kw_only=True)
class LocalTable:
    """One table, as the verbs of the local engine know it."""

    db: duckdb.DuckDBPyConnection
    table: str = SOURCE
    #: May be replaced by one with roles.
    schema: Schema
    rows: int
    #: path, pandas, polars or pyarrow.
    kind: str
    #: The types in which the data came, with the description that its library attached.
    arrow: pa.Schema
    place: Path | None = None
    limits: dict[str, Any] = field(default_factory=dict)
    memory: int | None = None
    #: How columns were written that were read in a form of their own.
    spellings: Mapping[str, Spelling] = field(default_factory=dict)
    #: Of a pandas frame, the categories of columns, and whether they are in an order.
    categories: Mapping[str, tuple[pa.Array, bool]] = field(default_factory=dict)
    #: The type in which the database holds each column.
    native: Mapping[str, str] = field(init=False)

    def __post_init__(self) -> None:
        """Ask the database for its types."""
        with duckdb_errors():
            rows = self.db.execute(f"DESCRIBE {quote(self.table)}").fetchall()
        self.native = {str(row[0]): str(row[1]) for row in rows}

    @property
    def queries(self) -> _Queries:
        """Who runs statements on the private database."""
        return _Queries(self.db)

    @property
    def relation(self) -> Relation:
        """The table as the verbs see it that all engines share."""
        fields = tuple(field_of(name, kind) for name, kind in self.native.items())
        return Relation(self.queries, quote(self.table), fields, tuple(map(quote, self.native)), self.schema, self.rows)


def store(connection: duckdb.DuckDBPyConnection, schema: pa.Schema, tables: Iterable[pa.Table]) -> int:
    """Create the table `source` from Arrow tables of one schema; return its number of rows, all of them counted."""
    refuse_nested(schema)
    rows, created = 0, False
    connection.execute("BEGIN")
    for table in tables:
        view = connection.from_arrow(table)
        view.insert_into(SOURCE) if created else view.create(SOURCE)
        created = True
        rows += table.num_rows
    if not created:
        connection.from_arrow(schema.empty_table()).create(SOURCE)
    connection.execute("COMMIT")
    if first_row(connection, f"SELECT count(*) FROM {quote(SOURCE)}") != (rows,):  # noqa: S608 - the name is ours
        raise DataError("file.not-all-rows-stored", rows=rows)
    return rows
