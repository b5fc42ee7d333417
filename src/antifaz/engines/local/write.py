"""Writing released rows to a file: CSV, TSV or Parquet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from antifaz.core.errors import ParameterError, hint
from antifaz.core.messages import Message
from antifaz.engines.engine import ReleasedRows, Written
from antifaz.engines.local.duck import close, connect, duckdb_errors, quote
from antifaz.engines.local.fingerprint import Fingerprint
from antifaz.sources.formulas import FORMULA, NUMBER, refuse_formulas

_OPTIONS = {
    "csv": "FORMAT csv, HEADER true, DELIMITER ',', QUOTE '\"', ESCAPE '\"', NULLSTR ''",
    "tsv": "FORMAT csv, HEADER true, DELIMITER '\t', QUOTE '\"', ESCAPE '\"', NULLSTR ''",
    "parquet": "FORMAT parquet, COMPRESSION zstd",
}
FORMATS = tuple(_OPTIONS)


def write(
    applied: ReleasedRows, folder: Path, format: str = "csv", *, memory: str | None = None, threads: int | None = None
) -> Written:
    """Write the rows to `release.<format>` in a folder; return the path and the fingerprint of what was written.

    In text formats a cell that a spreadsheet would run as a formula gets an apostrophe in front; numbers don't. A
    column whose name is such a formula is refused: changing names would break whoever reads the file by them.
    """
    if format not in _OPTIONS:
        raise ParameterError("release.unknown-format", format=format, hint=hint(format, FORMATS))
    if format != "parquet":
        refuse_formulas(applied.columns)
    path = folder / f"release.{format}"
    writer, checker = connect(allow=[folder], memory=memory, threads=threads), connect(memory=memory, threads=1)
    try:
        with applied.batches() as reader, duckdb_errors(Message("table.release-not-written")):
            chosen = "*" if format == "parquet" else _select_without_formulas(reader)
            noted = Fingerprint(checker, chosen)
            writer.register("rows", noted.passing(reader))
            place = str(path).replace("'", "''")
            writer.execute(f"COPY (SELECT {chosen} FROM rows) TO '{place}' ({_OPTIONS[format]})")  # noqa: S608
    finally:
        close(writer)
        close(checker)
    return Written(path, noted.value)


def without_formulas(column: str) -> str:
    """Return what gives the cells of a column of text, an apostrophe before those that a spreadsheet would run."""
    name = quote(column)
    runs = f"regexp_matches({name}, '{FORMULA}') AND NOT regexp_matches({name}, '{NUMBER}')"
    return f"CASE WHEN {runs} THEN '''' || {name} ELSE {name} END"


def _select_without_formulas(reader: Any) -> str:
    import pyarrow as pa

    chosen = []
    for field in reader.schema:
        name = quote(field.name)
        if pa.types.is_string(field.type) or pa.types.is_large_string(field.type):
            chosen.append(f"{without_formulas(field.name)} AS {name}")
        else:
            chosen.append(name)
    return ", ".join(chosen)
