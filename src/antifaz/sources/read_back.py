"""Rows that were written in another encoding, or with decimal commas and days of their own form, read back to count.

It is the second reader of what the writer's spelling makes: of numbers in SQL, of days by their few different texts.
"""

# Statements are put together from names made here (c0, q1); no name of the data is in them.
# ruff: noqa: S608
import csv
from collections.abc import Iterable, Mapping
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.csv as pacsv

from antifaz.core.errors import DataError
from antifaz.sources.written_forms import plain_cells

_CURRENCY = "([€$£]|EUR|USD|GBP)"
_GROUPS = {"decimal(comma)": (r"[. ''\x{A0}\x{202F}]", ","), "decimal(point)": (r"[, ''\x{A0}\x{202F}]", ".")}


def read_header(lines: Iterable[str], delimiter: str, file: str) -> list[str]:
    """Return the names in the first record of text in our dialect."""
    try:
        names = next(csv.reader(lines, delimiter=delimiter, strict=True), [])
        "".join(names).encode()
    except (csv.Error, UnicodeError):
        raise DataError("table.header-not-readable", file=file) from None
    return names


def decoded_rows(connection: duckdb.DuckDBPyConnection, path: Path, between: str, encoding: str, columns: int) -> str:
    """Read text of another encoding into a table of the database; return the SQL for its rows, in c0, c1, …"""
    names = [f"c{i}" for i in range(columns)]
    read = pacsv.ReadOptions(encoding=encoding, column_names=names, skip_rows_after_names=1, block_size=16 << 20)
    parse = pacsv.ParseOptions(delimiter=between, newlines_in_values=True, ignore_empty_lines=columns > 1)
    convert = pacsv.ConvertOptions(
        column_types=dict.fromkeys(names, pa.string()), null_values=[""], strings_can_be_null=True,
        quoted_strings_can_be_null=False,
    )  # fmt: skip
    try:
        with pacsv.open_csv(path, read, parse, convert) as reader:
            connection.register("decoding", reader)
            connection.execute("CREATE TABLE decoded AS FROM decoding")
            connection.unregister("decoding")
    except (pa.ArrowException, UnicodeError) as error:
        error.args = ()
        raise DataError("table.checked-not-readable") from None
    return "decoded"


def plain_rows(connection: duckdb.DuckDBPyConnection, source: str, columns: int, forms: Mapping[int, str]) -> str:
    """Return the SQL for rows whose cells in some columns are plain where they are written in the column's form."""
    cells, joins = [f"source.c{i}" for i in range(columns)], ""
    for i, form in forms.items():
        if form in _GROUPS:
            cells[i] = _number(f"source.c{i}", *_GROUPS[form])
            continue
        texts = [text for (text,) in connection.execute(f"SELECT DISTINCT c{i} FROM {source}").fetchall() if text]
        known = plain_cells(texts, form)
        table = {"written": pa.array(list(known), pa.string()), "plain": pa.array(list(known.values()), pa.string())}
        connection.register(f"plain{i}", pa.table(table))
        joins += f" LEFT JOIN plain{i} ON source.c{i} = plain{i}.written"
        cells[i] = f"coalesce(plain{i}.plain, source.c{i})"
    chosen = ", ".join(f"{cell} AS c{i}" for i, cell in enumerate(cells))
    named = source if " AS source(" in source else f"{source} AS source"
    return f"(SELECT {chosen} FROM {named}{joins}) AS source"


def _number(cell: str, thousands: str, point: str) -> str:
    """Return what reads a number that has groups of thousands, a decimal sign and perhaps a currency."""
    whole = f"([0-9]+|[0-9]{{1,3}}({thousands}[0-9]{{3}})+)"
    number = f"[+-]?{whole}([{point}][0-9]+)?([eE][+-]?[0-9]{{1,3}})?"
    written = rf"\s*({_CURRENCY}\s?)?{number}(\s?({_CURRENCY}|%))?\s*"
    bare = f"regexp_replace({cell}, '{_CURRENCY}|%|\\s|{thousands}', '', 'g')"
    plain = f"replace(ltrim({bare}, '+'), '{point}', '.')"
    return f"CASE WHEN regexp_full_match({cell}, '{written}') THEN {plain} ELSE {cell} END"
