"""Writing released rows to a file: CSV, TSV, other text or Parquet; and the fingerprint of what was written.

The recount takes the fingerprint of the file. Every cell counts, as text, in any order of rows, and missing is not the
empty text. It is a sum of 64-bit hashes, made to find a cell that changed on the way to the disk, not to withstand
somebody who looks for two tables with the same sum.
"""

# Names of columns and paths are quoted, or ours (c0, c1, …).
# ruff: noqa: S608
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from antifaz.core.errors import ParameterError, hint
from antifaz.core.messages import Message
from antifaz.engines.engine import FORMATS, SEPARATORS, Applied, TextFile, Written
from antifaz.engines.local.duck import database, duckdb_errors, first_row, literal, quote
from antifaz.sources.formulas import FORMULA, NUMBER, refuse_formulas

PARQUET = "FORMAT parquet, COMPRESSION zstd"
#: Needs the separator.
TEXT = "FORMAT csv, HEADER true, DELIMITER {}, QUOTE '\"', ESCAPE '\"', NULLSTR ''"


class Fingerprint:
    """The fingerprint of rows that pass by, batch by batch."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, chosen: str = "*") -> None:
        """`chosen` is what the writer makes of the columns of a batch."""
        self._connection, self._chosen = connection, chosen
        self.value = 0

    def passing(self, reader: pa.RecordBatchReader) -> pa.RecordBatchReader:
        """Return a reader of the same batches that takes note of each."""
        return pa.RecordBatchReader.from_batches(reader.schema, self._noted(reader))

    def _noted(self, reader: pa.RecordBatchReader) -> Iterator[pa.RecordBatch]:
        names = [f"c{i}" for i in range(len(reader.schema))]
        rows = f"(SELECT {self._chosen} FROM batch) AS rows({', '.join(names)})"
        cells = ", ".join(f"CAST({name} AS VARCHAR)" for name in names)
        for batch in reader:
            self._connection.register("batch", pa.Table.from_batches([batch]))
            (total,) = first_row(self._connection, f"SELECT coalesce(sum(hash({cells})), 0)::VARCHAR FROM {rows}")
            self.value += int(total)
            self._connection.unregister("batch")
            yield batch


@contextmanager
def fingerprinted(
    rows: AbstractContextManager[pa.RecordBatchReader], limits: Mapping[str, Any]
) -> Iterator[tuple[pa.RecordBatchReader, Fingerprint]]:
    """Yield rows batch by batch, and the fingerprint of those that were read."""
    with database(**limits) as checker, rows as reader:
        noted = Fingerprint(checker)
        yield noted.passing(reader), noted


def write(
    applied: Applied,
    folder: Path,
    format: str = "csv",
    *,
    name: str | None = None,
    delimiter: str | None = None,
    memory: str | None = None,
    threads: int | None = None,
) -> Written:
    """Write the rows to `release.<format>` or another name in a folder; return the place and what was written's print.

    In text formats a cell that a spreadsheet would run as a formula gets an apostrophe in front; numbers don't. A
    column whose name is such a formula is refused: changing names would break whoever reads the file by them.
    """
    if format not in FORMATS:
        raise ParameterError("release.unknown-format", format=format, hint=hint(format, FORMATS))
    if delimiter is not None and not (format != "parquet" and len(delimiter) == 1 and delimiter not in '"\r\n\0'):
        raise ParameterError("release.delimiter-wrong", delimiter=delimiter)
    between = delimiter or SEPARATORS.get(format, "")
    if format != "parquet":
        refuse_formulas(applied.columns)
    path = folder / (name or f"release.{format}")
    options = TEXT.format(literal(between)) if between else PARQUET
    with (
        database(allow=[folder], memory=memory, threads=threads) as writer,
        database(memory=memory, threads=1) as checker,
        applied.batches() as reader,
        duckdb_errors(Message("table.release-not-written")),
    ):
        chosen = "*" if format == "parquet" else _select_without_formulas(reader.schema)
        noted = Fingerprint(checker, chosen)
        writer.register("rows", noted.passing(reader))
        writer.execute(f"COPY (SELECT {chosen} FROM rows) TO {literal(str(path))} ({options})")
    return Written(TextFile(path, between) if format == "txt" or delimiter else path, noted.value)


def without_formulas(column: str) -> str:
    """Return what gives the cells of a column of text, an apostrophe before those that a spreadsheet would run."""
    name = quote(column)
    runs = f"regexp_matches({name}, '{FORMULA}') AND NOT regexp_matches({name}, '{NUMBER}')"
    return f"CASE WHEN {runs} THEN '''' || {name} ELSE {name} END"


def _select_without_formulas(schema: pa.Schema) -> str:
    text = (pa.string(), pa.large_string())
    chosen = (f"{without_formulas(f.name)} AS {quote(f.name)}" if f.type in text else quote(f.name) for f in schema)
    return ", ".join(chosen)
