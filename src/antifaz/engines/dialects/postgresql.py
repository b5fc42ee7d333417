"""How PostgreSQL says it. A run is one transaction, so nothing of a run that fails is left behind."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import pyarrow as pa

from antifaz.engines.dialects.dialect import Queries, Released, SQLDialect
from antifaz.engines.dialects.field import Field
from antifaz.sources.server_rows import csv_batches

#: The numbers of the types that hold text and are compared by a collation.
_TEXTS = (18, 19, 25, 1042, 1043)
_FLOATS = (700, 701)
#: A column of text as it is declared.
_DECLARED = r"s\.x\d+"
#: Mappings up to so many rows stand in the statement itself.
_INLINE = 10_000


class PostgreSQL(SQLDialect):
    """PostgreSQL, 14 or newer."""

    name: ClassVar[str] = "postgresql"
    title: ClassVar[str] = "PostgreSQL"
    driver_error: ClassVar[str] = "psycopg:Error"
    secured: ClassVar[str] = "sslmode=require"
    driver: ClassVar[str] = "postgresql+psycopg"
    package: ClassVar[str] = "psycopg"
    port: ClassVar[int] = 5432
    options: ClassVar[Mapping[str, str]] = {
        "sslmode": "sslmode", "sslrootcert": "sslrootcert", "sslcert": "sslcert", "sslkey": "sslkey",
        "sslcrl": "sslcrl", "ssl_ca": "sslrootcert", "ssl_cert": "sslcert", "ssl_key": "sslkey",
    }  # fmt: skip

    connect_options: ClassVar[Mapping[str, Any]] = {
        "connect_timeout": 10, "client_encoding": "utf8", "application_name": "antifaz",
    }  # fmt: skip
    begin_statement: ClassVar[str] = "BEGIN ISOLATION LEVEL REPEATABLE READ"
    #: Text is compared byte by byte, whatever its collation.
    source_columns: ClassVar[Mapping[str, str]] = {"text": 'CAST({} AS text) COLLATE "C"'}
    fetched_rows: ClassVar[int] = 10_000_000
    waits_in_threads: ClassVar[bool] = True
    matches: ClassVar[str] = "{} ~ {}"
    #: Of two constants it is one constant, which `concat` is not: that is called for every row.
    concatenated: ClassVar[str] = "({} || {})"
    sum_of_hashes: ClassVar[str] = "CAST(coalesce(sum(hash_record_extended(ROW({}), 0)), 0) AS text)"
    keyed_hash: ClassVar[str] = "hash_record_extended(ROW({}), {key})"
    #: Its order is that of signed numbers.
    order_text: ClassVar[str] = "lpad(to_hex(({0}) # (-9223372036854775808)::bigint), 16, '0')"
    sha256: ClassVar[str] = "encode(sha256(convert_to({}, 'UTF8')), 'hex')"
    #: Written so that the planner expects many rows, not one, and lets its workers sort them.
    unmatched: ClassVar[str] = "CASE WHEN {} IS NULL THEN 0 ELSE 1 END < 1"
    #: The planner gets to know how small the mapping is.
    index_mapping: ClassVar[str] = "ANALYZE {name}"

    def load(self, queries: Queries, table: str, rows: Sequence[Sequence[Any]], width: int) -> None:
        """Copy rows into a table of ours."""
        with queries.driver().cursor() as cursor, cursor.copy(f"COPY {table} FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)

    def batches(self, queries: Queries, statement: str, types: Sequence[pa.DataType]) -> Iterator[pa.RecordBatch]:
        """Read what PostgreSQL copies out as text; it puts the empty text in quotes, and nothing for missing."""
        sql = f"COPY ({statement}) TO STDOUT (FORMAT csv)"
        with queries.driver().cursor() as cursor, cursor.copy(sql) as copy:
            yield from csv_batches(copy, types)

    def start(self, queries: Queries) -> None:
        """Have dates, numbers and zones spelled one way, whatever the server's settings."""
        # The last two: a grouping of rows with long hashes looks dear to share among workers, and is twice as quick.
        settings = {
            "datestyle": "ISO, YMD", "extra_float_digits": "1", "timezone": "UTC", "standard_conforming_strings": "on",
            "lock_timeout": "30s", "client_min_messages": "error", "work_mem": "256MB", "jit": "off",
            "enable_mergejoin": "off", "parallel_tuple_cost": "0.001", "parallel_setup_cost": "10",
        }  # fmt: skip
        queries.run("SELECT " + ", ".join(f"set_config('{name}', '{to}', false)" for name, to in settings.items()))

    def may_make_tables(self, queries: Queries) -> bool:
        """Ask for the right TEMPORARY."""
        return bool(queries.run("SELECT has_database_privilege(current_database(), 'TEMPORARY')")[0][0])

    def snapshot(self, queries: Queries, table: str, fields: Sequence[Field]) -> str:
        """Return the rows, with columns of text also as they are declared: x0, x1, …."""
        parts = [f"{self.source_value(field)} AS c{i}" for i, field in enumerate(fields)]
        parts += [f"{self.quote(field.name)} AS x{i}" for i, field in enumerate(fields) if _as_declared(field)]
        return f"(SELECT {', '.join(parts)} FROM {table})"  # noqa: S608 - names are quoted

    def released_value(self, field: Field, column: str) -> str:
        """Return text as it is declared, where that is text itself; nothing is converted then."""
        return re.sub(r"c(\d+)$", r"x\1", column) if _as_declared(field) else column

    def text(self, field: Field, column: str) -> str | None:
        """Return a value as the local engine spells it."""
        if field.kind in ("text", "integer", "float", "single"):
            return column if field.kind == "text" else None
        if field.kind == "moment":
            return f"CAST({column} AT TIME ZONE 'UTC' AS text) || '+00'"
        if field.kind == "decimal" and field.scale is None:
            return f"CAST(trim_scale({column}) AS text)"
        return f"CAST({column} AS text)"

    def label_type(self, longest: int) -> str:
        """Return text that is compared byte by byte."""
        return 'text COLLATE "C"'

    def declared_type(self, field: Field) -> str:
        """Return the column's own type."""
        from sqlalchemy.dialects import postgresql

        return str(field.type.compile(dialect=postgresql.dialect()))  # type: ignore[no-untyped-call]

    def create_released(self, queries: Queries, table: str, released: Released) -> int:
        """Write the rows with the hash of each as it was handed over; the sum is taken, and the hashes go.

        CREATE TABLE AS writes several times as fast as INSERT does.
        """
        parts = [
            # What has its type already is not cast.
            f"{part if re.fullmatch(_DECLARED, part) else f'CAST({part} AS {_bare(kind)})'} AS {name}"
            for part, kind, name in zip(released.chosen, released.types, released.columns, strict=True)
        ]
        hashed = f'hash_record_extended(ROW({", ".join(released.chosen)}), 0) AS "antifaz hash"'
        # The order follows from what is released alone, so it tells nothing else; the hash is made once for both.
        made = f"SELECT {', '.join([*parts, hashed])} FROM {released.rest}"  # noqa: S608 - names of ours
        queries.run(f'CREATE TABLE {table} AS {made} ORDER BY "antifaz hash"')
        ((noted,),) = queries.run(f'SELECT CAST(coalesce(sum("antifaz hash"), 0) AS text) FROM {table}')  # noqa: S608
        queries.run(f'ALTER TABLE {table} DROP COLUMN "antifaz hash"')
        return int(noted)

    def audit_key(self, column: str, kind: Any) -> str:
        """Return text byte by byte; numbers by value."""
        return f'CAST({column} AS text) COLLATE "C"' if kind in _TEXTS else column

    def audit_text(self, column: str, kind: Any) -> str:
        """Return the text of a value; a reader takes a number that is not one for a missing value."""
        return f"CAST(nullif({column}, 'NaN') AS text)" if kind in _FLOATS else f"CAST({column} AS text)"

    def inline_mapping(self, name: str, columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[Any]]) -> str:
        """Return a small mapping as a list of values: unlike a private table, the server's helpers can read it."""
        infinite = (isinstance(cell, float) and not math.isfinite(cell) for row in rows for cell in row)
        if not 0 < len(rows) <= _INLINE or any(infinite):
            return ""
        cells = [[repr(cell) if isinstance(cell, (int, float)) else self.literal(cell) for cell in row] for row in rows]
        cells[0] = [f"CAST({cell} AS {_bare(kind)})" for cell, (_, kind) in zip(cells[0], columns, strict=True)]
        listed = ", ".join(f"({', '.join(row)})" for row in cells)
        return f"(VALUES {listed}) AS {name} ({', '.join(column for column, _ in columns)})"


def _as_declared(field: Field) -> bool:
    return field.kind == "text" and field.own and not field.missing


def _bare(kind: str) -> str:
    """Return a type without its collation: that of the database is what others expect."""
    return kind.replace(' COLLATE "C"', "")
