"""The rows of a table in the types that its columns are understood as, in their order: what a database is given.

A text file has nothing but text; here `42` becomes a number and `2024-01-31` a day. Text stays text, with the length
that was told or that the longest value has. A time with a zone stays text, too: not every database has such a type.
"""

# Names of columns are quoted.
# ruff: noqa: S608
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pyarrow as pa

from antifaz.core.messages import Message
from antifaz.core.recoding import Recoding
from antifaz.core.schema import Column
from antifaz.core.types import DataType
from antifaz.engines.local.duck import database, duckdb_errors, first_row, quote
from antifaz.engines.local.table import LocalTable
from antifaz.engines.local.write import Fingerprint

_TYPES = {DataType.INTEGER: "BIGINT", DataType.DATE: "DATE", DataType.BOOLEAN: "BOOLEAN"}
#: The most digits of a decimal number, and a time without a zone.
_DIGITS = 38
_PLAIN_TIME = "^[^+Zz]{10}[^+Zz-]*$"
_FAILED = Message("engine.types-not-found")


@dataclass(frozen=True)
class TypedRows:
    """Rows to be written to another place as they are; nothing is decided about them."""

    data: LocalTable
    #: Per column of text the most characters of a value.
    lengths: dict[str, int] = field(default_factory=dict)
    recoding: Recoding = field(default_factory=lambda: Recoding(columns=()))
    is_changed: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns."""
        return self.data.schema.names

    @contextmanager
    def fingerprinted(self) -> Iterator[tuple[pa.RecordBatchReader, Fingerprint]]:
        """Yield the rows batch by batch, and the fingerprint of those that were read."""
        data = self.data
        with database(**data.limits) as checker, duckdb_errors(_FAILED):
            chosen = ", ".join(f"{_typed(data, column)} AS {quote(column.name)}" for column in data.schema)
            with data.db.sql(f"SELECT {chosen} FROM {quote(data.table)}").to_arrow_reader(100_000) as reader:
                noted = Fingerprint(checker)
                yield noted.passing(reader), noted


def _typed(data: LocalTable, column: Column) -> str:
    """Return what gives the cells of a column in its type; blanks alone are no number and no day."""
    name = quote(column.name)
    if data.native[column.name] != "VARCHAR" or column.type is DataType.TEXT:
        return name
    cell = f"nullif(trim({name}, ' \t'), '')"
    wanted = _TYPES.get(column.type)
    with duckdb_errors(_FAILED):
        if column.type is DataType.DECIMAL:
            wanted = _decimal(data, cell)
        elif column.type is DataType.DATETIME:
            every = f"bool_and(regexp_matches({cell}, '{_PLAIN_TIME}'))"
            wanted = "TIMESTAMP" if first_row(data.db, f"SELECT {every} FROM {quote(data.table)}")[0] else None
    return name if wanted is None else f"CAST({cell} AS {wanted})"


def _decimal(data: LocalTable, cell: str) -> str:
    """Return the type of decimal numbers with as many digits as they are written with."""
    whole, part = (f"length(split_part(ltrim({cell}, '+-'), '.', {i}))" for i in (1, 2))
    asked = f"max({whole}), max({part}), bool_or(contains(lower({cell}), 'e'))"
    digits, scale, exponent = first_row(data.db, f"SELECT {asked} FROM {quote(data.table)}")
    if exponent or digits is None or digits + scale > _DIGITS:
        return "DOUBLE"
    return f"DECIMAL({max(digits + scale, 1)}, {scale})"
