"""Store Arrow tables in DuckDB: files and frames into the table `source`, every row counted.

Everything goes through Arrow, so the database itself never opens a file.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import duckdb
import pyarrow as pa

from antifaz.core.errors import DataError
from antifaz.core.messages import Message
from antifaz.engines.local.duck import duckdb_errors, first_row, quote
from antifaz.sources.file_format import FileReader, ReadOptions, refuse_nested
from antifaz.sources.reading import read

#: The name of the table that holds the data.
SOURCE = "source"


def store_file(connection: duckdb.DuckDBPyConnection, path: Path, options: ReadOptions) -> tuple[FileReader, int]:
    """Read a file into the table `source`; return what was found out about it, and its number of rows."""
    with duckdb_errors(Message("source.not-read", address=path.name)):
        reader = read(path, options)
        return reader, store(connection, reader.schema, reader.tables)


def store(connection: duckdb.DuckDBPyConnection, schema: pa.Schema, tables: Iterable[pa.Table]) -> int:
    """Create the table `source` from Arrow tables of one schema; return its number of rows."""
    refuse_nested(schema)
    rows = 0
    created = False
    connection.execute("BEGIN")
    for table in tables:
        view = connection.from_arrow(table)
        if created:
            view.insert_into(SOURCE)
        else:
            view.create(SOURCE)
            created = True
        rows += table.num_rows
    if not created:
        connection.from_arrow(schema.empty_table()).create(SOURCE)
    connection.execute("COMMIT")
    counted = first_row(connection, f"SELECT count(*) FROM {quote(SOURCE)}")  # noqa: S608
    if counted[0] != rows:
        raise DataError("file.not-all-rows-stored", rows=rows)
    return rows
