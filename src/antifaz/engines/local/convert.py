"""Released rows in another format: made from the file that was checked, read back, and compared cell by cell.

Text formats and spreadsheets get every cell as it stands in the file. Parquet has types: a column of numbers, dates or
truth values gets its type where every cell keeps its exact value in it, and stays text where one would not.
"""

# Names of columns and paths are quoted.
# ruff: noqa: S608
from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb

from antifaz.core.errors import CheckFailed, ParameterError, hint
from antifaz.core.messages import Message
from antifaz.engines.local.cell_expressions import cells_as_they_are, row_hash_sum, typed_cells
from antifaz.engines.local.data import LocalData, open_local
from antifaz.engines.local.duck import close, connect, duckdb_errors, quote
from antifaz.engines.local.fingerprint import written_rows
from antifaz.engines.local.workbook import write_workbook
from antifaz.sources.formulas import refuse_formulas

#: What separates columns in each text format.
SEPARATORS = {"csv": ",", "tsv": "\t", "txt": ";"}
FORMATS = (*SEPARATORS, "parquet", "xlsx")
_CHANGED = Message("table.rows-changed-by-format")


def convert(path: Path, target: Path, format: str) -> None:
    """Write the rows of a released file to `target`, in another format; raise rather than leave a file that differs."""
    if format not in FORMATS:
        raise ParameterError("release.unknown-download-format", format=format, hint=hint(format, FORMATS))
    aside = target.with_name(f".{target.stem}-{os.getpid()}-{os.urandom(4).hex()}.{format}")
    try:
        # The separator was ours; what is missing is what was written as nothing.
        between = SEPARATORS.get(path.suffix[1:])
        known: dict[str, Any] = {"delimiter": between, "header": True} if between else {}
        with open_local(path, **known) as data:
            if format != "parquet":
                refuse_formulas(data.schema.names)
            if format == "xlsx":
                write_workbook(data, aside)
            else:
                _write(data, aside, format)
        aside.chmod(0o600)
        aside.replace(target)
    finally:
        aside.unlink(missing_ok=True)


def _write(data: LocalData, aside: Path, format: str) -> None:
    names = list(data.schema.names)
    chosen = typed_cells(data) if format == "parquet" else cells_as_they_are(data)
    statement = ", ".join(f"{chosen[name]} AS {quote(name)}" for name in names)
    between = SEPARATORS.get(format)
    options = (
        "FORMAT parquet, COMPRESSION zstd"
        if between is None
        else f"FORMAT csv, HEADER true, DELIMITER '{between}', QUOTE '\"', ESCAPE '\"', NULLSTR ''"
    )
    with _writing(data, aside.parent) as writer, duckdb_errors(Message("table.rows-not-written")):
        reader = data.db.sql(f"SELECT {statement} FROM {quote(data.table)}").to_arrow_reader(100_000)
        writer.register("rows", reader)
        place = str(aside).replace("'", "''")
        writer.execute(f"COPY (SELECT * FROM rows) TO '{place}' ({options})")
        reader.close()
        expected = row_hash_sum(data.db, [f"CAST({chosen[name]} AS VARCHAR)" for name in names], quote(data.table))
        read = [f"CAST(c{i} AS VARCHAR)" for i in range(len(names))]
        found = row_hash_sum(writer, read, written_rows(aside, between, len(names)))
    if expected != found:
        raise CheckFailed(_CHANGED)


@contextmanager
def _writing(data: LocalData, folder: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    writer = connect(allow=[folder], **data.limits)
    try:
        yield writer
    finally:
        close(writer)
