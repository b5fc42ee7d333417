"""How DuckDB says it. Nothing is ever deleted from a table of ours, so the numbers of its rows are their places."""

# Names of columns and tables reach these statements quoted, or are ours.
# ruff: noqa: S608
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from antifaz.core.types import DataType
from antifaz.engines.dialects.dialect import Queries, SQLDialect
from antifaz.engines.dialects.field import Field, Kind

_KINDS: dict[str, Kind] = {
    "VARCHAR": "text", "BOOLEAN": "boolean", "DATE": "date", "FLOAT": "single", "DOUBLE": "float",
}  # fmt: skip
#: The types in which text has an order.
_ORDERED = {
    DataType.INTEGER: "DECIMAL(38, 0)", DataType.DECIMAL: "DOUBLE", DataType.DATE: "TIMESTAMP",
    DataType.DATETIME: "TIMESTAMP",
}  # fmt: skip
_ROWID = '"rowid"'
#: Whole numbers that Arrow has a type for; it spells them as DuckDB does.
_WHOLE = {f"{sign}{size}" for size in ("TINYINT", "SMALLINT", "INTEGER", "BIGINT") for sign in ("", "U")}
_KEYS = _WHOLE - {"UBIGINT"}  # Arrow takes a list of numbers for signed ones


def field_of(name: str, native: str) -> Field:
    """Return a column from the type in which DuckDB holds it."""
    decimal = re.fullmatch(r"DECIMAL\((\d+),(\d+)\)", native)
    if decimal:
        return Field(name=name, kind="decimal", type=native, precision=int(decimal[1]), scale=int(decimal[2]))
    if native.startswith("TIMESTAMP"):
        return Field(name=name, kind="moment" if native.endswith("ZONE") else "datetime", type=native)
    whole = "INT" in native and "INTERVAL" not in native
    return Field(name=name, kind="integer" if whole else _KINDS.get(native, "other"), type=native)


class DuckDB(SQLDialect):
    """DuckDB, 1.1 or newer."""

    name: ClassVar[str] = "duckdb"
    title: ClassVar[str] = "DuckDB"
    driver_error: ClassVar[str] = "duckdb:Error"
    text_type: ClassVar[str] = "VARCHAR"
    key_types: ClassVar[Mapping[str, str]] = {}
    profile_batch: ClassVar[int] = 64
    many_days: ClassVar[int] = 100_000
    search: ClassVar[str] = "regexp_matches({}, {})"
    replace_all: ClassVar[str] = "regexp_replace({}, {}, {}, 'g')"
    every: ClassVar[str] = "bool_and({})"
    matches: ClassVar[str] = "regexp_full_match({}, {})"
    whole_pattern: ClassVar[str] = "{}"
    sum_of_hashes: ClassVar[str] = "sum(hash({})::HUGEINT)::VARCHAR"
    #: Twice: the hash of two values is that of one, XOR that of the other, so that orders under two keys would be the
    #: same but for blocks that changed places; hashed again, they have nothing in common.
    keyed_hash: ClassVar[str] = "hash(hash({}, {key}))"
    sha256: ClassVar[str] = "sha256({})"

    def text(self, field: Field, column: str) -> str:
        """Return a value as text; minus zero is zero, as it is to GROUP BY."""
        return f"CAST({column}{' + 0.0' if field.kind in ('single', 'float') else ''} AS VARCHAR)"

    def fetched_value(self, field: Field, column: str) -> str:
        """Return a whole number as it is: only the different ones are spelled, by who fetches them."""
        return column if field.type in _WHOLE else super().fetched_value(field, column)

    def mapping_key(self, field: Field, column: str) -> str:
        """Return a whole number as it is: it is found sooner than its text."""
        return column if field.type in _KEYS else super().mapping_key(field, column)

    def mapping_keys_of(self, field: Field, texts: Iterable[str]) -> Iterable[Any]:
        """Return whole numbers as numbers."""
        return map(int, texts) if field.type in _KEYS else texts

    def is_typed(self, field: Field) -> bool:
        """Take an enumeration for text: its dictionary would carry values of rows that are left out."""
        return field.kind != "text" and not str(field.type).startswith("ENUM")

    def released_value(self, field: Field, column: str) -> str:
        """Return a column as it is released: in its own type, or as text."""
        return column if self.is_typed(field) else f"CAST({column} AS VARCHAR)"

    def day_exists(self, column: str, kind: DataType) -> str:
        """Return whether a day exists: casting knows a year 0, and blanks other than spaces only around a day."""
        day = column if kind is DataType.DATE else f"substr({self.trimmed.format(column)}, 1, 10)"
        return f"coalesce(TRY_CAST({day} AS DATE) >= DATE '0001-01-01', false)"

    def first_row(self, queries: Queries, source: str, condition: str) -> int:
        """Return the number of the first row; by counting, because a column may be called `rowid`."""
        numbered = f"SELECT row_number() OVER () AS position, {condition} AS wrong FROM {source}"
        return int(queries.run(f"SELECT min(position) FROM ({numbered}) WHERE wrong")[0][0])

    def ordered(self, field: Field, kind: DataType, column: str) -> str | None:
        """Return the values of a column so that they have an order."""
        return f"TRY_CAST({column} AS {_ORDERED[kind]})" if kind in _ORDERED else None

    def ordering(self, value: str, descending: bool) -> str:
        """Return the order by a value; missing comes last."""
        return f"{value} {'DESC' if descending else 'ASC'} NULLS LAST"

    def page(self, source: str, places: Sequence[str], shown: str, order: str, start: int, count: int) -> str:
        """Find rows by their numbers or by one column, and only then read the others; no row is counted off."""
        if _has_rowid(places):
            return super().page(source, places, shown, order, start, count)
        if not order:
            within = f"rowid >= {start} AND rowid < {start + count}"
            return f"SELECT {shown} FROM {source} AS s WHERE {within} ORDER BY rowid"
        chosen = f"SELECT rowid FROM {source} AS s ORDER BY {order}, rowid LIMIT {count} OFFSET {start}"
        return f"SELECT {shown} FROM {source} AS s WHERE rowid IN ({chosen}) ORDER BY {order}, rowid"

    def sample(self, source: str, places: Sequence[str], step: int) -> str:
        """Return rows evenly by their numbers: a choice by chance would depend on the number of threads."""
        return source if _has_rowid(places) else f"(SELECT * FROM {source} WHERE rowid % {step} = 0)"

    def percentiles(self, field: Field, kind: DataType, column: str) -> str:
        """Return the 5th and the 95th percentile in a list."""
        value = f"TRY_CAST({column} AS DOUBLE)" if kind.is_number else f"epoch(TRY_CAST({column} AS TIMESTAMP))"
        return f"quantile_disc({value}, [0.05, 0.95]) FILTER (WHERE isfinite({value}))"


def _has_rowid(places: Sequence[str]) -> bool:
    """Say whether a column has the name by which DuckDB numbers rows."""
    return any(place.casefold() == _ROWID for place in places)
