"""What a file format is: a name, the endings of its files' names, and a function that opens a file as Arrow tables.

Text formats give columns of text; Parquet keeps its types; a spreadsheet's cells keep theirs.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from antifaz.core.errors import DataError
from antifaz.core.types import DataType
from antifaz.sources.repairs import Repair
from antifaz.sources.spellings import Spelling

#: Bytes of a text file that are read at a time: enough for several of DuckDB's row groups, filled in parallel.
CHUNK = 32 << 20
_NESTED = (
    pa.types.is_nested, pa.types.is_binary, pa.types.is_large_binary, pa.types.is_fixed_size_binary,
    pa.types.is_binary_view, pa.types.is_duration, pa.types.is_interval,
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
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
    #: The name of a format; by the file's name when None.
    format: str | None = None
    #: Of text of fixed width: its columns in order, and how many characters each has.
    widths: Mapping[str, int] | None = None
    #: The names of the repairs that may be made.
    repair: frozenset[str] = frozenset()
    #: Whether columns of text may come as lists of their values, and for each row which one it is.
    folded: bool = False


@dataclass(frozen=True, kw_only=True, eq=False)
class FileReader:
    """An opened file: its rows as Arrow tables of one schema, and what was found out about it."""

    schema: pa.Schema
    #: All rows, in their order, once; raises where the file can't be read exactly.
    tables: Iterable[pa.Table]
    #: How the file was read, as `ReadOptions` names it: its format, and for delimited text the dialect.
    understood: Mapping[str, Any]
    #: Types that the file itself settles.
    settled: Mapping[str, DataType] = field(default_factory=dict)
    #: What the file says of its columns beside their cells.
    spellings: Mapping[str, Spelling] = field(default_factory=dict)
    #: What to tell the person who gave the file, in sentences; complete once all tables were taken.
    notes: list[str] = field(default_factory=list)
    #: The repairs that were made; complete once all tables were taken.
    repairs: list[Repair] = field(default_factory=list)


@dataclass(frozen=True)
class FileFormat:
    """A format by its name, with the endings of file names that mean it, and what opens such a file."""

    name: str
    suffixes: tuple[str, ...]
    open: Callable[[Path, ReadOptions], FileReader]


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
            blank = pc.is_in(values, value_set=words.cast(column.type))
            table = table.set_column(i, column, pc.if_else(blank, pa.scalar(None, column.type), values))
    return table
