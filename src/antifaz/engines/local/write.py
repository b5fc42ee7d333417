"""Writing released rows to a file: CSV, TSV or Parquet."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from antifaz.core.errors import ParameterError, SchemaError, hint
from antifaz.core.messages import Message
from antifaz.engines.engine import ReleasedRows, Written
from antifaz.engines.local.duck import close, connect, duckdb_errors, quote
from antifaz.engines.local.fingerprint import Fingerprint

#: What a spreadsheet would run when it opens a text file; some take the wide forms of East Asia for the same signs.
_FORMULA = r"^[\s\x00]*[=+\-@＝＋－＠]|^[\t\r\n]"
#: What begins with a sign and is harmless: numbers, also with a decimal comma, and a lone dash for "nothing".
_NUMBER = r"^[+\-]?[0-9.,]*[0-9]([eE][+\-]?[0-9]+)?\s?%?$|^-+$"
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
            chosen = "*" if format == "parquet" else _harmless(reader)
            noted = Fingerprint(checker, chosen)
            writer.register("rows", noted.passing(reader))
            place = str(path).replace("'", "''")
            writer.execute(f"COPY (SELECT {chosen} FROM rows) TO '{place}' ({_OPTIONS[format]})")  # noqa: S608
    finally:
        close(writer)
        close(checker)
    return Written(path, noted.value)


def refuse_formulas(names: Sequence[str]) -> None:
    """Refuse the first name that a spreadsheet would run."""
    for name in names:
        if re.search(_FORMULA, name) and not re.search(_NUMBER, name):
            raise SchemaError("release.column-name-is-a-formula", name=name)


def harmless(column: str) -> str:
    """Return what gives the cells of a column of text, an apostrophe before those that a spreadsheet would run."""
    name = quote(column)
    runs = f"regexp_matches({name}, '{_FORMULA}') AND NOT regexp_matches({name}, '{_NUMBER}')"
    return f"CASE WHEN {runs} THEN '''' || {name} ELSE {name} END"


def _harmless(reader: Any) -> str:
    import pyarrow as pa

    chosen = []
    for field in reader.schema:
        name = quote(field.name)
        if pa.types.is_string(field.type) or pa.types.is_large_string(field.type):
            chosen.append(f"{harmless(field.name)} AS {name}")
        else:
            chosen.append(name)
    return ", ".join(chosen)
