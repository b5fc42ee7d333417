"""Released rows in another format: made from the file that was checked, read back, and compared cell by cell.

Text formats and spreadsheets get every cell as it stands in the file. Parquet has types: a column of numbers, dates or
truth values gets its type where every cell keeps its exact value in it, and stays text where one would not.

A workbook (XLSX) is one sheet, text as text and numbers as numbers, nothing that a program runs. The database writes
the sheet's XML and we put it into the archive as it comes: ten million cells are too many to go through Python one by
one. What was written is read back by another program's reader.
"""

# Names of columns and paths are quoted.
# ruff: noqa: S608
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb

from antifaz.core.errors import CheckFailed, InputError, ParameterError, hint
from antifaz.core.messages import Message
from antifaz.core.types import DataType
from antifaz.engines.local.data import LocalData, open_local
from antifaz.engines.local.recount import written_rows
from antifaz.engines.local.write import PARQUET, TEXT, without_formulas
from antifaz.sources import workbook_writer as workbook
from antifaz.sources.duckdb_connection import database, duckdb_errors, first_row, literal, quote
from antifaz.sources.formulas import refuse_formulas
from antifaz.sources.statistical_writer import STATISTICAL, write_statistical
from antifaz.sources.text_options import DOWNLOADS, EXCEL_TEXT, SEPARATORS, TextOptions
from antifaz.sources.workbook_reader import read_cells, reader

_EXCEL = TextOptions.of("csv", delimiter=None, encoding=None, decimal="comma", bom=True)
_NOT_READABLE = Message("table.rows-not-readable")
#: What DuckDB calls the types of cells.
_TEXT = "VARCHAR"
_TYPES = {DataType.INTEGER: "BIGINT", DataType.DECIMAL: "DOUBLE", DataType.DATE: "DATE", DataType.BOOLEAN: "BOOLEAN"}
_INTEGERS = frozenset(f"{sign}{size}INT" for sign in ("", "U") for size in ("TINY", "SMALL", "", "BIG", "HUGE"))
_INTEGERS |= {"INTEGER", "UINTEGER"}
#: What XML has no way to write, as RE2 takes it.
_CONTROL = r"[\x00-\x08\x0b\x0c\x0e-\x1f\x{FFFE}\x{FFFF}]"
#: In what type a sheet's cells are read back and compared, as the reader and as the database call it.
_READ = {
    "string": ("string", "VARCHAR"), "mixed": ("string", "VARCHAR"), "float": ("float", "DOUBLE"),
    "boolean": ("boolean", "BOOLEAN"),
}  # fmt: skip


def convert(path: Path, target: Path, format: str, reading: Mapping[str, Any] | None = None) -> None:
    """Write the rows of a released file to `target`, in another format; raise rather than leave a file that differs.

    `reading` says how the released file is read, where that is not what its name tells. Text formats get cells in the
    forms that they are written in; Parquet and workbooks get the dates and numbers that they mean.
    """
    if format not in DOWNLOADS:
        raise ParameterError("release.unknown-download-format", format=format, hint=hint(format, DOWNLOADS))
    aside = target.with_name(f".{target.stem}-{os.getpid()}-{os.urandom(4).hex()}.{format}")
    try:
        # The separator was ours; what is missing is what was written as nothing.
        between = SEPARATORS.get(path.suffix[1:])
        known: dict[str, Any] = {"delimiter": between, "header": True} if between else {}
        known |= reading or {}
        if format in (*SEPARATORS, EXCEL_TEXT):
            known.pop("written", None)
        with open_local(path, **known) as data:
            if format not in ("parquet", *STATISTICAL):
                refuse_formulas(data.schema.names)
            if format == "xlsx":
                _write_workbook(data, aside)
            elif format in STATISTICAL:
                texts = ", ".join(f"CAST({quote(name)} AS VARCHAR) AS {quote(name)}" for name in data.schema.names)
                with duckdb_errors(_NOT_READABLE):
                    rows = data.db.sql(f"SELECT {texts} FROM {quote(data.table)}").to_arrow_table()
                write_statistical(aside, rows, data.spellings)
            elif format == EXCEL_TEXT:
                _write_table(data, aside, _EXCEL.delimiter, comma=True)
                _EXCEL.encode(aside)
            else:
                _write_table(data, aside, SEPARATORS.get(format))
        aside.chmod(0o600)
        aside.replace(target)
    finally:
        aside.unlink(missing_ok=True)


def _write_table(data: LocalData, path: Path, between: str | None, *, comma: bool = False) -> None:
    """Write delimited text, perhaps with a comma in decimal numbers, or Parquet, which has no separator."""
    names = data.schema.names
    chosen = _typed_cells(data) if between is None else _cells_as_they_are(data)
    if comma:
        decimals = [column.name for column in data.schema if column.type is DataType.DECIMAL]
        chosen |= {name: f"replace(CAST({quote(name)} AS VARCHAR), '.', ',')" for name in decimals}
    statement = ", ".join(f"{chosen[name]} AS {quote(name)}" for name in names)
    options = PARQUET if between is None else TEXT.format(literal(between))
    with database(allow=[path.parent], **data.limits) as writer, duckdb_errors(Message("table.rows-not-written")):
        reader = data.db.sql(f"SELECT {statement} FROM {quote(data.table)}").to_arrow_reader(100_000)
        writer.register("rows", reader)
        writer.execute(f"COPY (SELECT * FROM rows) TO {literal(str(path))} ({options})")
        reader.close()
        expected = _row_hash_sum(data.db, [f"CAST({chosen[name]} AS VARCHAR)" for name in names], quote(data.table))
        read = [f"CAST(c{i} AS VARCHAR)" for i in range(len(names))]
        written = _row_hash_sum(writer, read, written_rows(path, between, len(names)))
    if expected != written:
        raise CheckFailed("table.rows-changed-by-format")


def _cells_as_they_are(data: LocalData) -> dict[str, str]:
    """Return for each column what gives its cells as they are, text made harmless for spreadsheets."""
    return {name: without_formulas(name) if kind == _TEXT else quote(name) for name, kind in data.native.items()}


def _typed_cells(data: LocalData) -> dict[str, str]:
    """Return for each column the statement that gives its cells, in a type where all of them keep their value."""
    chosen = {}
    for column in data.schema:
        name, wanted = quote(column.name), _TYPES.get(column.type)
        if data.native[column.name] != _TEXT or wanted is None:
            chosen[column.name] = name
            continue
        kept = f"CAST(TRY_CAST({name} AS {wanted}) AS VARCHAR) IS NOT DISTINCT FROM {name}"
        if wanted == "DOUBLE":  # 0.10 is 0.1, as long as no digit that counts is lost
            through = f"TRY_CAST({name} AS DOUBLE)::VARCHAR"
            exact, double = (f"TRY_CAST({part} AS DECIMAL(38, 15))" for part in (name, through))
            digits = f"length(regexp_replace({name}, '[^0-9]', '', 'g')) <= 15"
            kept = f"({name} IS NULL OR ({digits} AND {exact} = {double}))"
        with duckdb_errors(_NOT_READABLE):
            (changed,) = first_row(data.db, f"SELECT count(*) FILTER (NOT ({kept})) FROM {quote(data.table)}")
        chosen[column.name] = name if changed else f"CAST({name} AS {wanted})"
    return chosen


def _row_hash_sum(db: duckdb.DuckDBPyConnection, cells: Sequence[str], rows: str) -> tuple[Any, ...]:
    """Return how many rows there are and a sum over their cells, in which each row's place counts."""
    statement = f"SELECT hash(row_number() OVER (), {', '.join(cells)}) AS one FROM {rows}"
    return first_row(db, f"SELECT count(*), coalesce(sum(one), 0)::VARCHAR FROM ({statement})")


# -- workbooks


def _write_workbook(data: LocalData, path: Path) -> None:
    reader()  # before the work: it may not be installed
    if data.rows >= workbook.MOST_ROWS or len(data.schema.names) > workbook.MOST_COLUMNS:
        most, most_columns = workbook.MOST_ROWS - 1, workbook.MOST_COLUMNS
        raise InputError("workbook.too-many-rows-or-columns", most=most, most_columns=most_columns)
    for name, kind in data.native.items():
        if kind == _TEXT:
            _refuse_cells(data, name)
    numbers = (DataType.INTEGER, DataType.DECIMAL, DataType.BOOLEAN)
    typed = _typed_cells(data)
    chosen = _cells_as_they_are(data) | {c.name: typed[c.name] for c in data.schema if c.type in numbers}
    # For each column the statement that gives its cells, as text, and what a sheet takes them for.
    cells = {name: (f"CAST({cell} AS VARCHAR)", _sheet_kind(data, cell)) for name, cell in chosen.items()}
    statement = _row_markup(data, cells)
    with duckdb_errors(_NOT_READABLE):
        (size,) = first_row(data.db, f"SELECT coalesce(sum(strlen(xml)), 0) FROM ({statement})")
    workbook.write_archive(path, list(cells), _pieces(data, statement), size)
    _compare(data, cells, path)


def _refuse_cells(data: LocalData, name: str) -> None:
    """Say before anything is written that a cell of a column does not fit."""
    cell = quote(name)
    statement = (
        f"SELECT coalesce(max(length({cell})), 0), count(*) FILTER (regexp_matches({cell}, '{_CONTROL}')) "
        f"FROM {quote(data.table)}"
    )
    with duckdb_errors(_NOT_READABLE):
        longest, control = first_row(data.db, statement)
    if longest >= workbook.LONGEST:
        raise InputError("workbook.cell-too-long", name=name, longest=workbook.LONGEST)
    if control:
        raise InputError("workbook.cell-has-control-character", name=name)


def _sheet_kind(data: LocalData, cell: str) -> str:
    """Return "float", "boolean", "string", or "mixed": whole numbers of which some must be text.

    Dates are text, because a sheet has none before 1900.
    """
    table = quote(data.table)
    with duckdb_errors(_NOT_READABLE):
        kind = str(data.db.sql(f"SELECT {cell} AS cell FROM {table} LIMIT 0").types[0])
        if kind == "BOOLEAN":
            return "boolean"
        if kind in _INTEGERS:
            lost, instead = workbook.is_large(cell), "mixed"
        elif kind in ("DOUBLE", "FLOAT"):
            lost, instead = f"NOT isfinite({cell})", "string"
        elif kind.startswith("DECIMAL"):
            lost, instead = f"length(regexp_replace({cell}::VARCHAR, '[^0-9]', '', 'g')) > 15", "string"
        else:
            return "string"
        return instead if first_row(data.db, f"SELECT coalesce(bool_or({lost}), false) FROM {table}")[0] else "float"


def _row_markup(data: LocalData, cells: dict[str, tuple[str, str]]) -> str:
    """Return the statement that gives the XML of each row."""
    columns = ", ".join(f"{cell} AS c{i}" for i, (cell, _) in enumerate(cells.values()))
    numbered = f"SELECT row_number() OVER () + 1 AS n, {columns} FROM {quote(data.table)}"
    markup = [
        workbook.cell_markup(f"c{i}", kind, workbook.column_letters(i)) for i, (_, kind) in enumerate(cells.values())
    ]
    return f"SELECT concat('<row r=\"', n, '\">', {', '.join(markup)}, '</row>') AS xml FROM ({numbered})"


def _pieces(data: LocalData, statement: str) -> Iterator[Any]:
    """Give the text of a column as bytes, thousands of rows in one piece: Arrow holds them behind each other."""
    with duckdb_errors(_NOT_READABLE):
        for batch in data.db.sql(statement).to_arrow_reader(20_000):
            column = batch.column(0).cast("large_string")
            places = memoryview(column.buffers()[1]).cast("q")
            first, last = places[column.offset], places[column.offset + len(column)]
            yield memoryview(column.buffers()[2])[first:last] if last > first else b""


def _compare(data: LocalData, cells: dict[str, tuple[str, str]], path: Path) -> None:
    names, written = read_cells(path, workbook.SHEET, [_READ[kind][0] for _, kind in cells.values()], data.rows)
    given = [f"CAST(nullif({cell}, '') AS {_READ[kind][1]})" for cell, kind in cells.values()]
    with database(**data.limits) as other, duckdb_errors(_NOT_READABLE):
        other.register("written", written)
        read = _row_hash_sum(other, [f"c{i}" for i in range(len(cells))], "written")
        same = read == _row_hash_sum(data.db, given, quote(data.table))
    if not same or names != list(cells):
        raise CheckFailed("workbook.rows-differ-from-release")
