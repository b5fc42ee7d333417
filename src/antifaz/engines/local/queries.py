"""Statements on a private DuckDB database, for the verbs that all engines share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from itertools import count
from typing import Any

import duckdb
import pyarrow as pa

from antifaz.core.schema import Schema
from antifaz.core.types import DataType
from antifaz.engines.dialects.duckdb import DuckDB, field_of
from antifaz.engines.local.duck import duckdb_errors, quote
from antifaz.engines.relational import types

_numbers = count(1)


class DuckDBQueries:
    """Runs statements on one connection."""

    dialect = DuckDB()

    def __init__(self, db: duckdb.DuckDBPyConnection) -> None:
        """Take the connection; whoever opened it closes it."""
        self._db = db

    def driver(self) -> duckdb.DuckDBPyConnection:
        """Return the connection itself."""
        return self._db

    def run(self, statement: str) -> list[tuple[Any, ...]]:
        """Run a statement and return its rows: all, because one left over would keep the connection busy."""
        rows: list[tuple[Any, ...]] = self._db.execute(statement).fetchall()
        return rows

    def table(self, statement: str, types: Sequence[pa.DataType]) -> pa.Table:
        """Return the rows of a statement as an Arrow table."""
        return self._db.sql(statement).to_arrow_table()

    def errors(self, what: str) -> AbstractContextManager[None]:
        """Turn the errors of DuckDB into a `DataError` that quotes no cell."""
        return duckdb_errors(what)

    def make_mapping(
        self, what: str, columns: Sequence[tuple[str, str]], cells: Sequence[pa.Array], keys: Sequence[str]
    ) -> tuple[str, str]:
        """Register a table of this process; nothing is copied."""
        name = f"antifaz_{what}_{next(_numbers)}"
        self._db.register(name, pa.table(dict(zip((column for column, _ in columns), cells, strict=True))))
        return name, name

    def drop_mapping(self, name: str) -> None:
        """Forget a registered table."""
        with suppress(duckdb.Error):
            self._db.unregister(name)


def native_types(db: duckdb.DuckDBPyConnection, table: str) -> dict[str, str]:
    """Return the type in which the database holds each column, in order."""
    with duckdb_errors():
        rows = db.execute(f"DESCRIBE {quote(table)}").fetchall()
    return {str(row[0]): str(row[1]) for row in rows}


def infer(
    db: duckdb.DuckDBPyConnection,
    table: str,
    *,
    settled: Mapping[str, DataType] | None = None,
    given: Mapping[str, DataType | str] | None = None,
) -> Schema:
    """Return the schema of a table: types that are told, settled by the file, native, or found from all values."""
    fields = [field_of(name, kind) for name, kind in native_types(db, table).items()]
    places = [quote(field.name) for field in fields]
    return types.infer(DuckDBQueries(db), quote(table), fields, places, 1 << 62, settled=settled, given=given)
