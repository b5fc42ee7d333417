"""Writing released rows to a file: CSV, TSV, other text or Parquet; and the fingerprint of what was written.

The recount takes the fingerprint of the file. Every cell counts, as text, in any order of rows, and missing is not the
empty text. It is a sum of 64-bit hashes, made to find a cell that changed on the way to the disk, not to withstand
somebody who looks for two tables with the same sum.
"""

# Names of columns and paths are quoted, or ours (c0, c1, …).
# ruff: noqa: S608
from collections.abc import Collection, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from antifaz.core.errors import ParameterError, hint
from antifaz.core.messages import Message
from antifaz.core.types import DataType
from antifaz.engines.engine import Applied, WriteResult
from antifaz.sources.duckdb_connection import database, duckdb_errors, first_row, literal, quote
from antifaz.sources.formulas import FORMULA, NUMBER, refuse_formulas
from antifaz.sources.parquet_file import GROUP, even_batches, is_plain, write_parquet
from antifaz.sources.spellings import Spelling, respelled_rows
from antifaz.sources.statistical_writer import STATISTICAL, write_statistical
from antifaz.sources.text_options import FORMATS, TextOptions, WrittenFile

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
    encoding: str | None = None,
    decimal: str | None = None,
    bom: bool = False,
    memory: str | None = None,
    threads: int | None = None,
) -> WriteResult:
    """Write the rows to `release.<format>` or another name in a folder; return the place and what was written's print.

    In text formats a cell that a spreadsheet would run as a formula gets an apostrophe in front; numbers don't. A
    column whose name is such a formula is refused: changing names would break whoever reads the file by them. Columns
    that were read in a form of their own, and are released as they came, are written in it.
    """
    if format not in FORMATS:
        raise ParameterError("release.unknown-format", format=format, hint=hint(format, FORMATS))
    path = folder / (name or f"release.{format}")
    text = TextOptions.of(format, delimiter=delimiter, encoding=encoding, decimal=decimal, bom=bom)
    if text.delimiter:
        refuse_formulas(applied.columns)
    options = TEXT.format(literal(text.delimiter)) if text.delimiter else PARQUET
    spellings = _spellings(applied, text)
    with (
        # Without a limit of memory it is a catalog of the DuckDB that runs already; another one needs no threads.
        database(memory=memory, threads=threads if memory is None else 1) as checker,
        applied.batches() as reader,
        duckdb_errors(Message("table.release-not-written")),
    ):
        every = applied.columns if format in STATISTICAL else ()
        chosen = _chosen_cells(reader.schema, {*spellings, *every}, text=format not in ("parquet", *STATISTICAL))
        noted = Fingerprint(checker, chosen)
        passing = noted.passing(reader)
        if format in STATISTICAL:
            rows = respelled_rows(checker, passing, chosen, spellings).read_all()
            kinds = write_statistical(path, rows, applied.spellings)
            return WriteResult(WrittenFile(path, kinds=kinds), noted.value)
        if spellings:
            passing, chosen = respelled_rows(checker, passing, chosen, spellings), "*"
        if not text.delimiter:
            # A file shows in which groups its rows were written, and these must not depend on a limit of memory.
            passing = pa.RecordBatchReader.from_batches(passing.schema, even_batches(passing, GROUP))
        if not text.delimiter and is_plain(passing.schema):
            write_parquet(path, passing)  # Arrow takes less than half of the time
        else:
            with database(allow=[folder], memory=memory, threads=threads) as writer:
                writer.register("rows", passing)
                writer.execute(f"COPY (SELECT {chosen} FROM rows) TO {literal(str(path))} ({options})")
    text.encode(path)
    told = WrittenFile(
        path, text.delimiter if format == "txt" or text.own_delimiter else None, text.own_encoding, text.bom,
        {column: spelling.form for column, spelling in spellings.items()},
    )  # fmt: skip
    return WriteResult(told if told.options() else path, noted.value)


def _spellings(applied: Applied, text: TextOptions) -> dict[str, Spelling]:
    """Return the columns that are not written in plain spelling: those that came so, and decimals with a comma."""
    known = {name: own for name, own in applied.spellings.items() if own.form and name in applied.columns}
    if text.decimal == "comma":
        decimals = [c.name for c in applied.data.schema if c.type is DataType.DECIMAL and c.name in applied.columns]
        known |= {name: Spelling("decimal(comma)") for name in decimals if name not in known}
    return known


def may_run(name: str) -> str:
    """Return a condition that all texts meet that `FORMULA` matches, and few others: comparing takes far less."""
    return f"({name} < '.' AND {name} <> '*' OR {name} >= '=' AND {name} < 'A' OR {name} >= '＋')"


def without_formulas(column: str) -> str:
    """Return what gives the cells of a column of text, an apostrophe before those that a spreadsheet would run."""
    name = quote(column)
    matches = f"regexp_matches({name}, '{FORMULA}') AND NOT regexp_matches({name}, '{NUMBER}')"
    return f"CASE WHEN {may_run(name)} AND {matches} THEN '''' || {name} ELSE {name} END"


def _chosen_cells(schema: pa.Schema, spellings: Collection[str], *, text: bool) -> str:
    """Return what gives the cells of all columns: text without formulas, and what is respelled as text."""
    if not text and not spellings:
        return "*"
    chosen = []
    for column in schema:
        name = quote(column.name)
        if column.type in (pa.string(), pa.large_string()):
            cell = without_formulas(column.name) if text else name
        else:
            cell = f"CAST({name} AS VARCHAR)" if column.name in spellings else name
        chosen.append(f"{cell} AS {name}")
    return ", ".join(chosen)
