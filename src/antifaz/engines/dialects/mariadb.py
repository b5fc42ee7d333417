"""How MariaDB and MySQL say it.

A statement that writes reads the newest rows there, not those of the transaction's snapshot. So one statement copies
the rows into a private table of the session, and everything works on that copy; other writers are neither waited for
nor seen. The copy goes with the connection.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from importlib import import_module
from typing import Any, ClassVar

import pyarrow as pa

from antifaz.engines.dialects.dialect import CHUNK, TRUTH_WORD, Queries, Released, SQLDialect
from antifaz.engines.dialects.field import Field
from antifaz.sources.server_rows import csv_batches

#: What an index takes of a value at most.
_INDEXED = 700
#: Texts up to so many bytes are held in the row.
_SHORT = 4000
#: What the server answers to a user who may not make private tables.
_DENIED = (1044, 1142, 1227)
#: The hash of a row: sixty bits of MD5.
_ROW_HASH = "CAST(CONV(LEFT(MD5(CONCAT_WS(X'1F', {})), 15), 16, 10) AS UNSIGNED)"


class MariaDB(SQLDialect):
    """MariaDB and MySQL."""

    name: ClassVar[str] = "mysql"
    title: ClassVar[str] = "MariaDB / MySQL"
    driver_error: ClassVar[str] = "pymysql:MySQLError"
    secured: ClassVar[str] = "ssl_verify_cert=true"
    driver: ClassVar[str] = "mysql+pymysql"
    package: ClassVar[str] = "pymysql"
    port: ClassVar[int] = 3306
    options: ClassVar[Mapping[str, str]] = {
        "ssl_ca": "ssl_ca", "ssl_cert": "ssl_cert", "ssl_key": "ssl_key", "ssl_verify_cert": "ssl_verify_cert",
        "ssl_verify_identity": "ssl_verify_identity", "sslrootcert": "ssl_ca", "sslcert": "ssl_cert",
        "sslkey": "ssl_key",
    }  # fmt: skip
    placeholder: ClassVar[str] = "%s"
    fetched_rows: ClassVar[int] = 10_000_000
    #: Rows are sorted, which takes half the time of a table of groups that is searched for every row.
    grouping: ClassVar[str] = "SQL_BIG_RESULT "
    undoes_tables: ClassVar[bool] = False
    text_type: ClassVar[str] = "CHAR"
    number_type: ClassVar[str] = "DECIMAL(65, 30)"

    connect_options: ClassVar[Mapping[str, Any]] = {
        "connect_timeout": 10, "charset": "utf8mb4", "local_infile": False,
    }  # fmt: skip
    begin_statement: ClassVar[str] = ""
    name_quote: ClassVar[str] = "`"
    trimmed: ClassVar[str] = "trim({})"
    #: Text as its bytes in UTF-8, which no collation takes for one another.
    source_columns: ClassVar[Mapping[str, str]] = {"text": "CAST(CONVERT({} USING utf8mb4) AS BINARY)"}
    key_types: ClassVar[Mapping[str, str]] = {"integer": "BIGINT", "float": "DOUBLE", "single": "DOUBLE"}
    #: Single-precision numbers come out exactly.
    arrow_values: ClassVar[Mapping[str, str]] = {"bool": TRUTH_WORD, "float": "CAST({} AS DOUBLE)"}
    audited: ClassVar[str] = "CAST({0} AS BINARY)"
    whole_pattern: ClassVar[str] = r"^({})\z"
    #: Missing is not the empty text, and no text ends where another begins.
    hashed_cell: ClassVar[str] = "IFNULL(CONCAT('v', {0}), 'n')"
    sum_of_hashes: ClassVar[str] = f"CAST(COALESCE(SUM({_ROW_HASH}), 0) AS CHAR)"
    keyed_hash: ClassVar[str] = "MD5(CONCAT_WS(X'1F', IFNULL(CONCAT('v', '{key}'), 'n'), {}))"
    sha256: ClassVar[str] = "SHA2({}, 256)"
    #: Text is held as bytes.
    without_number: ClassVar[str] = "REGEXP_REPLACE({}, '[0-9]+$', '')"
    lowered: ClassVar[str] = "LOWER(CONVERT({} USING utf8mb4))"
    characters: ClassVar[str] = "CHAR_LENGTH(CONVERT({} USING utf8mb4))"
    #: A plain DROP TABLE would end a transaction.
    drop_temporary: ClassVar[str] = "DROP TEMPORARY TABLE {}"

    def batches(self, queries: Queries, statement: str, types: Sequence[pa.DataType]) -> Iterator[pa.RecordBatch]:
        """Let the server put every row together to one text, where it is of texts and whole numbers.

        The driver is written in Python, and takes most of its time for each cell. An order is kept only where it is
        asked for outermost.
        """
        plain = all(pa.types.is_string(kind) or pa.types.is_integer(kind) for kind in types)
        if not plain or "ORDER BY" in statement:
            yield from super().batches(queries, statement, types)
            return
        names = ", ".join(f"c{i}" for i in range(len(types)))
        cells = ", ',', ".join(_cell(f"c{i}", pa.types.is_string(kind)) for i, kind in enumerate(types))
        lines = f"WITH q ({names}) AS ({statement}) SELECT CONCAT({cells}, '\n') FROM q"  # noqa: S608 - names of ours
        with closing(self.streaming_cursor(queries)) as cursor:
            cursor.execute(lines)
            yield from csv_batches(_pieces(cursor), types)

    def streaming_cursor(self, queries: Queries) -> Any:
        """Return a cursor that does not fetch all rows at once."""
        return queries.driver().cursor(import_module("pymysql.cursors").SSCursor)

    def true_name(self, name: str) -> str:
        """Undo how SQLAlchemy leaves a quote in a name."""
        return name.replace("``", "`")

    def literal(self, text: str | None) -> str:
        """Return a text as bytes in UTF-8, so that no setting changes what it means."""
        return "NULL" if text is None else f"_utf8mb4 X'{text.encode().hex()}'" if text else "''"

    def start(self, queries: Queries) -> None:
        """Read what is committed, in sets of our own; grouping gets memory."""
        queries.run("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED")
        queries.run(
            "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,NO_ZERO_IN_DATE', time_zone = '+00:00', "
            "tmp_table_size = 536870912, max_heap_table_size = 536870912, sort_buffer_size = 67108864, "
            "lock_wait_timeout = 30, group_concat_max_len = 67108864"
        )

    def may_make_tables(self, queries: Queries) -> bool:
        """Try: a right may come from a role, a database or a pattern of names."""
        try:
            queries.run("CREATE TEMPORARY TABLE antifaz_try (a INT)")
        except Exception as error:
            if (getattr(error, "orig", None) or error).args[0] not in _DENIED:
                raise
            return False
        queries.run(self.drop_temporary.format("antifaz_try"))
        return True

    def settle_kinds(self, queries: Queries, table: str, fields: Sequence[Field]) -> list[Field]:
        """Tell truth values from small numbers, and find how long texts are."""
        flags = [field for field in fields if field.kind == "boolean"]
        if not flags:
            return list(fields)
        asked = ", ".join(f"COALESCE(MIN({self.quote(f.name)} IN (0, 1)), 1)" for f in flags)
        answers = queries.run(f"SELECT {asked} FROM {table}")[0]  # noqa: S608 - names are quoted
        numbers = {field.name for field, truth in zip(flags, answers, strict=True) if not truth}
        return [Field(name=f.name, kind="integer", type=f.type) if f.name in numbers else f for f in fields]

    def snapshot(self, queries: Queries, table: str, fields: Sequence[Field]) -> str:
        """Copy all rows into a private table, in one statement that sees one state of them.

        A user who may make none reads the table itself: all rows are then fetched in one statement.
        """
        if not self.may_make_tables(queries):
            return super().snapshot(queries, table, fields)
        longest = self._longest(queries, table, fields)
        # A text that grows between the two questions is an error, not a cut.
        kinds = [_bytes_type(longest[f.name]) if f.kind == "text" else self.declared_type(f) for f in fields]
        parts = ", ".join(self.source_value(field) for field in fields)
        columns = ", ".join(f"c{i} {kind}" for i, kind in enumerate(kinds))
        queries.run(f"CREATE TEMPORARY TABLE antifaz_rows ({columns}) ENGINE=MyISAM")
        queries.run(f"INSERT INTO antifaz_rows SELECT {parts} FROM {table}")  # noqa: S608 - names are quoted
        return "antifaz_rows"

    def _longest(self, queries: Queries, table: str, fields: Sequence[Field]) -> dict[str, int]:
        """Return the bytes of the longest value of each text column.

        The server sorts and groups rows as wide as their types allow, so the types are as narrow as the values are.
        """
        texts = [field for field in fields if field.kind == "text"]
        asked = ", ".join(f"COALESCE(MAX(LENGTH({self.source_column(field)})), 0)" for field in texts)
        found = queries.run(f"SELECT {asked} FROM {table}")[0] if asked else ()  # noqa: S608 - names are quoted
        return {field.name: int(n) for field, n in zip(texts, found, strict=True)}

    def text(self, field: Field, column: str) -> str | None:
        """Return a value as the local engine spells it."""
        if field.kind in ("text", "integer", "float", "single"):
            return column if field.kind == "text" else None
        if field.kind == "boolean":
            return TRUTH_WORD.format(column)
        if field.kind in ("datetime", "moment") and field.scale:
            return f"TRIM(TRAILING '.' FROM TRIM(TRAILING '0' FROM CAST({column} AS CHAR)))"
        return f"CAST({column} AS CHAR)"

    def mapping_key(self, field: Field, column: str) -> str:
        """Return that by which a value is found in a mapping, as bytes or as a number."""
        if field.kind in ("text", "integer"):
            return column
        if field.kind in ("float", "single"):
            return f"CAST({column} AS DOUBLE)"
        return f"CAST({self.text(field, column)} AS BINARY)"

    def mapping_key_type(self, field: Field, longest: int) -> str:
        """Return bytes for texts."""
        unsigned = " UNSIGNED" if field.kind == "integer" and getattr(field.type, "unsigned", False) else ""
        return self.key_types.get(field.kind, _bytes_type(longest)) + unsigned

    def mapping_keys_of(self, field: Field, texts: Iterable[str]) -> Iterable[Any]:
        """Return values as their mapping has them."""
        return (key.encode() if isinstance(key, str) else key for key in super().mapping_keys_of(field, texts))

    def label_type(self, longest: int) -> str:
        """Return text whose collation takes no two labels for one."""
        size = f"VARCHAR({max(longest, 1)})" if longest <= _SHORT else "LONGTEXT"
        return f"{size} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"

    def label_value(self, field: Field, label: str) -> str:
        """Return a label as a value of the column's own type, of which MySQL casts to a few only."""
        casts = {
            "integer": "SIGNED", "float": "DOUBLE", "single": "DOUBLE", "date": "DATE", "datetime": "DATETIME(6)",
            "moment": "DATETIME(6)",
        }  # fmt: skip
        if field.kind == "boolean":
            return f"({label} = 'true')"
        if field.kind == "decimal":
            return f"CAST({label} AS DECIMAL({field.precision or 65}, {field.scale or 0}))"
        return f"CAST({label} AS {casts[field.kind]})" if field.kind in casts else label

    def declared_type(self, field: Field) -> str:
        """Return the column's own type; text in UTF-8, compared byte by byte."""
        from sqlalchemy.dialects.mysql import dialect

        if field.kind == "text":
            length = getattr(field.type, "length", None)
            size = f"VARCHAR({length})" if length and length <= _SHORT // 4 else "LONGTEXT"
            return f"{size} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
        return str(field.type.compile(dialect=dialect())) + " NULL"

    def released_value(self, field: Field, column: str) -> str:
        """Return text as text again."""
        return f"CONVERT({column} USING utf8mb4)" if field.kind == "text" else column

    def create_released(self, queries: Queries, table: str, released: Released) -> int:
        """Write the rows with the hash of each as it was handed over; the sum is taken, and the hashes go."""
        queries.run(f"CREATE TABLE {table} ({released.declared}, `antifaz hash` BIGINT UNSIGNED)")
        chosen = ", ".join(f"{part} AS r{i}" for i, part in enumerate(released.chosen))
        hashed = _ROW_HASH.format(", ".join(map(self.hashed_cell.format, released.chosen)))
        rows = f"SELECT {chosen}, {hashed} AS h FROM {released.rest} ORDER BY {released.order}"  # noqa: S608
        queries.run(f"INSERT INTO {table} {rows}")
        ((noted,),) = queries.run(f"SELECT COALESCE(SUM(`antifaz hash`), 0) FROM {table}")  # noqa: S608
        queries.run(f"ALTER TABLE {table} DROP COLUMN `antifaz hash`")
        return int(noted)

    def audit_text(self, column: str, kind: Any) -> str:
        """Return the text of a value: the bytes as they are."""
        return column

    def create_temporary(self, name: str, columns: str, rows: int = 0, key: str = "") -> str:
        """Return a table in memory where it is small, with an index by which its rows are found."""
        return f"CREATE TEMPORARY TABLE {name} ({columns}{key}) ENGINE={'MEMORY' if rows else 'MyISAM'}"

    def mapping_index(self, columns: Mapping[str, str], keys: Sequence[str]) -> str:
        """Return the index of a mapping; of long texts it takes the beginning."""
        sizes = {key: columns[key].partition("(")[2].partition(")")[0] for key in keys}
        long = {key for key in keys if columns[key].startswith("LONG") or int(sizes[key] or 0) > _INDEXED}
        return f", KEY ({', '.join(f'{key}({_INDEXED})' if key in long else key for key in keys)})"

    def rename(self, staged: str, target: str, schema: str | None, previous: str | None) -> list[str]:
        """Rename both in one step."""
        pairs = [(target, previous), (staged, target)] if previous else [(staged, target)]
        moves = (f"{self.qualified(old, schema)} TO {self.qualified(new, schema)}" for old, new in pairs)
        return [f"RENAME TABLE {', '.join(moves)}"]


def _cell(column: str, text: bool) -> str:
    """Return a cell as CSV has it."""
    value = f"CONCAT('\"', REPLACE({column}, '\"', '\"\"'), '\"')" if text else column
    return f"IFNULL({value}, '')"


def _pieces(cursor: Any) -> Iterator[bytes]:
    while rows := cursor.fetchmany(CHUNK):
        if (None,) in rows:
            raise MemoryError  # a row is longer than what the server puts together (max_allowed_packet)
        yield b"".join(row[0] if isinstance(row[0], bytes) else row[0].encode() for row in rows)


def _bytes_type(longest: int) -> str:
    return f"VARBINARY({max(longest, 1)})" if longest <= _SHORT else "LONGBLOB"
