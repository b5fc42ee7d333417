"""Files into the table `source`: delimited text, JSON, Parquet and spreadsheets, each exactly or not at all.

Everything goes through Arrow, so the database itself never opens a file. Text formats are held as text; Parquet keeps
its types; a spreadsheet's cells keep theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from antifaz.core.errors import DataError, ParameterError, hint
from antifaz.core.types import DataType
from antifaz.engines.local.duck import duckdb_errors, first_row, quote
from antifaz.sources import parquet_file
from antifaz.sources.column_names import check_names
from antifaz.sources.csv_dialect import sniff
from antifaz.sources.csv_file import CHUNK, DelimitedFile
from antifaz.sources.json_file import read_json
from antifaz.sources.workbook_reader import read_sheet

#: The name of the table that holds the data.
SOURCE = "source"
_BY_SUFFIX = {
    ".csv": "csv", ".txt": "csv", ".tsv": "csv", ".tab": "csv", ".data": "csv", ".dat": "csv", ".json": "json",
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet", ".pq": "parquet", ".xlsx": "xlsx", ".xlsm": "xlsx",
    ".xls": "xlsx", ".xlsb": "xlsx", ".ods": "xlsx",
}  # fmt: skip
_FORMATS = ("csv", "json", "jsonl", "parquet", "xlsx")
_NESTED = (
    pa.types.is_nested,
    pa.types.is_binary,
    pa.types.is_large_binary,
    pa.types.is_fixed_size_binary,
    pa.types.is_binary_view,
    pa.types.is_duration,
    pa.types.is_interval,
)


@dataclass(frozen=True, kw_only=True)
class Options:
    """How a file is to be read; what is None is found out."""

    delimiter: str | None = None
    encoding: str | None = None
    quote: str | None = None
    header: bool | None = None
    #: Further spellings that mean missing, beside an empty field without quotes.
    missing: Sequence[str] = ()
    #: How many bytes of a text file are read at a time.
    chunk: int = CHUNK
    #: The most memory to use, in bytes; rows that do not fit in it then go to the disk.
    memory: int | None = None
    #: A sheet of a spreadsheet by name or by place from 0.
    sheet: str | int | None = None
    #: csv, json, jsonl, parquet or xlsx; by the file's name when not told.
    format: str | None = None


@dataclass(frozen=True, kw_only=True)
class Loaded:
    """What was read: the number of rows, Arrow's types, types that the file itself settles, and what was found out."""

    rows: int
    arrow: pa.Schema
    settled: Mapping[str, DataType] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    #: How the file was read, as `Options` names it: its format, and for delimited text the dialect.
    understood: Mapping[str, Any] = field(default_factory=dict)


def load(connection: duckdb.DuckDBPyConnection, path: Path, options: Options) -> Loaded:
    """Read a file into the table `source`."""
    _check_path(path)
    kind = _format(path, options)
    with duckdb_errors(f"{path.name} could not be read"):
        if kind == "csv":
            return _load_csv(connection, path, options)
        if kind in ("json", "jsonl"):
            return _load_json(connection, path, options, lines=kind == "jsonl")
        if kind == "parquet":
            return _load_parquet(connection, path, options)
        table, notes = read_sheet(path, sheet=options.sheet, header=options.header is not False, memory=options.memory)
        table = blank_missing(table, options.missing)
        rows = store(connection, table.schema, [table])
        return Loaded(rows=rows, arrow=table.schema, notes=tuple(notes), understood={"format": kind})


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


def refuse_nested(schema: pa.Schema) -> None:
    """Raise for the first column that is no column of single values."""
    for column in schema:
        kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
        if any(test(kind) for test in _NESTED):
            raise DataError("column.holds-no-single-values", column=column.name)


def blank_missing(table: pa.Table, missing: Sequence[str]) -> pa.Table:
    """Return the table with these spellings made missing in its text columns."""
    if not missing:
        return table
    words = pa.array(list(missing), pa.string())
    for i, column in enumerate(table.schema):
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            values = table.column(i)
            found = pc.is_in(values, value_set=words.cast(column.type))
            table = table.set_column(i, column, pc.if_else(found, pa.scalar(None, column.type), values))
    return table


def _check_path(path: Path) -> None:
    if path.is_dir():
        raise DataError("file.is-a-folder", path=path)
    if not path.exists():
        near = hint(path.name, [p.name for p in path.parent.iterdir()]) if path.parent.is_dir() else ""
        raise DataError("file.not-found-near", path=path, more=near if "did you mean" in near else "")
    if not path.is_file():
        raise DataError("file.not-readable-twice", path=path)
    if path.stat().st_size == 0:
        raise DataError("file.empty", file=path.name)


def _format(path: Path, options: Options) -> str:
    if options.format is not None:
        if options.format not in _FORMATS:
            raise ParameterError("file.unknown-format", format=options.format, hint=hint(options.format, _FORMATS))
        return options.format
    suffix = path.suffix.lower()
    if suffix in (".gz", ".zip", ".bz2", ".xz", ".zst"):
        raise DataError("file.compressed", file=path.name)
    return _BY_SUFFIX.get(suffix, "csv")


def _load_csv(connection: duckdb.DuckDBPyConnection, path: Path, options: Options) -> Loaded:
    delimiter = options.delimiter or ("\t" if path.suffix.lower() in (".tsv", ".tab") else None)
    dialect = sniff(path, delimiter=delimiter, quote=options.quote, encoding=options.encoding, header=options.header)
    file = DelimitedFile(path, dialect, options.missing, options.chunk)
    schema = pa.schema([(name, pa.string()) for name in file.names])
    rows = store(connection, schema, file.tables())
    if rows != file.records:
        raise DataError("file.not-all-records-stored", file=path.name, records=file.records, rows=rows)
    notes = [f"{path.name}: {dialect.describe()}."]
    if file.mixed_newlines:
        notes.append(f"{path.name}: some lines end with LF, others with CRLF.")
    understood = {"format": "csv", **asdict(dialect)}
    return Loaded(rows=rows, arrow=schema, notes=tuple(notes), understood=understood)


def _load_json(connection: duckdb.DuckDBPyConnection, path: Path, options: Options, *, lines: bool) -> Loaded:
    table, settled = read_json(path, lines=lines, encoding=options.encoding)
    table = blank_missing(table, options.missing)
    rows = store(connection, table.schema, [table])
    notes = (f"{path.name}: JSON.",)
    understood = {"format": "jsonl" if lines else "json"}
    return Loaded(rows=rows, arrow=table.schema, settled=settled, notes=notes, understood=understood)


def _load_parquet(connection: duckdb.DuckDBPyConnection, path: Path, options: Options) -> Loaded:
    with parquet_file.opened(path, spilled=options.memory is not None) as (schema, found):
        check_names(path.name, schema.names)
        refuse_nested(schema)
        rows = store(connection, schema, (blank_missing(table, options.missing) for table in found.tables(schema)))
        if rows != found.rows:
            raise DataError("file.own-count-of-rows-differs", file=path.name)
    return Loaded(rows=rows, arrow=schema, notes=(f"{path.name}: Parquet.",), understood={"format": "parquet"})
