"""A fingerprint of the rows that a writer was given, whatever their order; the recount takes that of the file.

Every cell counts, as text, and missing is not the empty text. It is a sum of 64-bit hashes, made to find a cell that
changed on the way to the disk, not to withstand somebody who looks for two tables with the same sum.
"""

# Statements are put together from names made here (c0, c1, …) and from quoted paths; no name of the data is in them.
# ruff: noqa: S608
from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from antifaz.core.messages import Message
from antifaz.engines.local.duck import BUFFER, close, connect, duckdb_errors, no_glob


class Fingerprint:
    """The fingerprint of rows that pass by, batch by batch."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, chosen: str) -> None:
        """`chosen` is what the writer makes of the columns of a batch."""
        self._connection, self._chosen = connection, chosen
        self.value = 0

    def passing(self, reader: pa.RecordBatchReader) -> pa.RecordBatchReader:
        """Return a reader of the same batches that takes note of each."""
        return pa.RecordBatchReader.from_batches(reader.schema, self._noted(reader))

    def _noted(self, reader: pa.RecordBatchReader) -> Iterator[pa.RecordBatch]:
        names = ", ".join(f"c{i}" for i in range(len(reader.schema)))
        for batch in reader:
            self._connection.register("batch", pa.Table.from_batches([batch]))
            rows = f"(SELECT {self._chosen} FROM batch) AS rows({names})"
            self.value += _sum(self._connection, rows, len(reader.schema))
            self._connection.unregister("batch")
            yield batch


def stream_fingerprint(rows: Any, *, memory: str | None = None, threads: int | None = None) -> int:
    """Return the fingerprint of rows that are read as Arrow, such as those of a written table."""
    connection = connect(memory=memory, threads=threads)
    try:
        with duckdb_errors(Message("database.table-not-readable-back")):
            noted = Fingerprint(connection, "*")
            for _ in noted.passing(pa.RecordBatchReader.from_stream(rows)):
                pass
        return noted.value
    finally:
        close(connection)


def written_rows(path: Path, between: str | None, columns: int) -> str:
    """SQL for the rows of a file that was written here, all as text, in columns c0, c1, …; Parquet has no separator."""
    names = ", ".join(f"c{i}" for i in range(columns))
    place = no_glob(path).replace("'", "''")
    if between is None:
        return f"read_parquet('{place}', hive_partitioning=false) AS rows({names})"
    types = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(columns))
    return (
        f"read_csv('{place}', auto_detect=false, header=true, delim='{between}', quote='\"', escape='\"', "
        f"nullstr='', allow_quoted_nulls=false, strict_mode=true, hive_partitioning=false, buffer_size={BUFFER}, "
        f"columns={{{types}}})"
    )


def _sum(connection: duckdb.DuckDBPyConnection, rows: str, columns: int) -> int:
    cells = ", ".join(f"CAST(c{i} AS VARCHAR)" for i in range(columns))
    # All rows are fetched, though there is one: a result that is not drained keeps the connection busy.
    found = connection.execute(f"SELECT coalesce(sum(hash({cells})), 0)::VARCHAR FROM {rows}").fetchall()
    return int(found[0][0])
