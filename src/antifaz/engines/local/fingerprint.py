"""A fingerprint of rows, whatever their order: does a file hold exactly what was handed to its writer?

Every cell counts, as text, and missing is not the empty text. It is a sum of 64-bit hashes, made to find a cell that
changed on the way to the disk, not to withstand somebody who looks for two tables with the same sum.
"""

# Statements are put together from names made here (c0, c1, …) and from quoted paths; no name of the data is in them.
# ruff: noqa: S608
from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pyarrow as pa

from antifaz.engines.local.duck import close, connect, guard

_BETWEEN = {"csv": ",", "tsv": "\t"}


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


def fingerprint(path: Path, columns: int, *, memory: str | None = None, threads: int | None = None) -> int:
    """Return the fingerprint of a written file with so many columns."""
    # The signs of a glob go in brackets, or the file next door might be read instead.
    place = re.sub(r"([*?\[])", r"[\1]", str(path.resolve()))
    connection = connect(memory=memory, threads=threads, allow=[path, Path(place)])
    try:
        with guard("The written file can't be read back"):
            return _sum(connection, _file(place.replace("'", "''"), path.suffix.lstrip("."), columns), columns)
    finally:
        close(connection)


def _file(place: str, format: str, columns: int) -> str:
    names = ", ".join(f"c{i}" for i in range(columns))
    if format == "parquet":
        return f"read_parquet('{place}', hive_partitioning=false) AS rows({names})"
    types = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(columns))
    return (
        f"read_csv('{place}', auto_detect=false, header=true, delim='{_BETWEEN[format]}', quote='\"', escape='\"', "
        f"nullstr='', allow_quoted_nulls=false, strict_mode=true, hive_partitioning=false, buffer_size={4 << 20}, "
        f"columns={{{types}}})"
    )


def _sum(connection: duckdb.DuckDBPyConnection, rows: str, columns: int) -> int:
    cells = ", ".join(f"CAST(c{i} AS VARCHAR)" for i in range(columns))
    # All rows are fetched, though there is one: a result that is not drained keeps the connection busy.
    found = connection.execute(f"SELECT coalesce(sum(hash({cells})), 0)::VARCHAR FROM {rows}").fetchall()
    return int(found[0][0])
