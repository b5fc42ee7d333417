"""What each kind of database says in its own way. Everything else is said once, in the verbs of `relational`.

A dialect is one class: `SQLDialect` with what differs. What is abstract has to be said; the rest is plain SQL, or
a speed trick that a database may have. Short expressions are templates: `dialect.trimmed.format(column)`.
"""

# Names of columns and tables reach these statements quoted, or are ours.
# ruff: noqa: S608
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import pyarrow as pa

from antifaz.core.schema import Schema
from antifaz.core.types import DataType
from antifaz.engines.dialects.field import Field
from antifaz.sources.server_rows import driver_array

#: Rows that are sent or fetched at a time.
CHUNK = 20_000
#: The word for a truth value that is held as 1 or 0.
TRUTH_WORD = "CASE {} WHEN 1 THEN 'true' WHEN 0 THEN 'false' END"


class Queries(Protocol):
    """Runs statements where the rows are, in one dialect."""

    @property
    def dialect(self) -> "SQLDialect":
        """How statements are written there."""

    def run(self, statement: str) -> list[tuple[Any, ...]]:
        """Run a statement and return its rows."""

    def table(self, statement: str, types: Sequence[pa.DataType]) -> pa.Table:
        """Return the rows of a statement as an Arrow table; `types` are those of its columns."""

    def driver(self) -> Any:
        """Return the driver's own connection."""

    def make_mapping(
        self, what: str, columns: Sequence[tuple[str, str]], cells: Sequence[pa.Array], keys: Sequence[str]
    ) -> tuple[str, str]:
        """Make a private table of columns with their types; return its name, and what a statement joins it by."""

    def drop_mapping(self, name: str) -> None:
        """Remove a private table; those of a lost connection are gone."""

    def errors(self, what: str) -> AbstractContextManager[None]:
        """Turn the errors of whoever runs statements into a `DataError` that says what failed and quotes no cell."""


@dataclass(frozen=True)
class Released:
    """The statement that yields the rows to release, column by column r0, r1, …, and their types."""

    chosen: tuple[str, ...]
    types: tuple[str, ...]
    arrow: tuple[pa.DataType, ...]
    rest: str
    order: str
    #: The quoted names of the columns.
    columns: tuple[str, ...]

    @property
    def declared(self) -> str:
        """The columns as a table declares them."""
        return ", ".join(f"{name} {kind}" for name, kind in zip(self.columns, self.types, strict=True))

    @property
    def ordered(self) -> str:
        """The statement, in the secret order."""
        chosen = ", ".join(f"{part} AS r{i}" for i, part in enumerate(self.chosen))
        return f"SELECT {chosen} FROM {self.rest} ORDER BY {self.order}"


class SQLDialect(ABC):
    """The words of one kind of database."""

    name: ClassVar[str]
    #: SQLAlchemy's name of the dialect and its driver, and the package that the driver is in where it is an extra.
    driver: ClassVar[str] = ""
    package: ClassVar[str] = ""
    #: Where the error is, as module:name, that all errors of the driver are; SQLAlchemy's are known.
    driver_error: ClassVar[str] = ""
    #: What people call it; the name where nothing is said.
    title: ClassVar[str] = ""
    #: The usual port of a server; 0 where a database is a file of this machine.
    port: ClassVar[int] = 0
    #: The option of an address by which a server must be reached encrypted.
    secured: ClassVar[str] = ""
    #: Options of an address, by the driver's name for each. Only those that say how the connection is encrypted:
    #: drivers have others that read files or run statements.
    options: ClassVar[Mapping[str, str]] = {}
    #: What the driver is told of each connection, beside those options.
    connect_options: ClassVar[Mapping[str, Any]] = {}
    #: Begins a transaction that sees one state of the data; empty where all work is on a copy of the rows.
    begin_statement: ClassVar[str] = "BEGIN"
    #: The sign around names, and the one that stands for a value where the driver sends several rows at once.
    name_quote: ClassVar[str] = '"'
    placeholder: ClassVar[str] = "?"
    #: Whether the declared type of a column binds its values; where not, they are looked through.
    declares_types: ClassVar[bool] = True
    #: Whether making and renaming tables is undone with everything else when a transaction ends badly.
    undoes_tables: ClassVar[bool] = True
    #: The type that numbers and dates are cast to where their text is wanted.
    text_type: ClassVar[str] = "TEXT"
    #: The type that text is cast to where it is ordered as a number.
    number_type: ClassVar[str] = "numeric"
    #: How many columns are asked about in one statement: thousands make a plan that takes longer than the work.
    batch: ClassVar[int] = 500
    #: Up to so many rows are fetched and counted here where tuples hardly repeat: a server takes longer to group rows
    #: than to send them. So many come in vain where the guess is wrong.
    fetched_rows: ClassVar[int] = 0
    #: Whether a thread can wait for the server on a connection that another one made.
    waits_in_threads: ClassVar[bool] = False
    #: What stands after SELECT in a statement that groups all rows.
    grouping: ClassVar[str] = ""
    #: Up to so many rows one large question is quicker than a look at the first rows and a smaller one.
    few_rows: ClassVar[int] = 0
    #: Of more rows than this, 0 aside, only the different days are read: to read one takes long, and few differ.
    many_days: ClassVar[int] = 0
    #: Of how many columns patterns and percentiles are found in one statement; 0 where values are brought instead.
    profile_batch: ClassVar[int] = 0
    #: For `profile_batch`: whether a pattern occurs in a text, and the text with another in the place of each match.
    search: ClassVar[str] = ""
    replace_all: ClassVar[str] = ""
    #: Whether a condition holds in all rows in which it is known.
    every: ClassVar[str] = "min(CASE WHEN NOT ({}) THEN 0 ELSE 1 END)"
    #: A text without blanks around it, and the number of characters of a value.
    trimmed: ClassVar[str] = "trim({}, ' \t')"
    characters: ClassVar[str] = "length(CAST({} AS TEXT))"
    #: A code without the digits that it ends with.
    without_number: ClassVar[str] = "rtrim({}, '0123456789')"
    #: Whether a text matches a pattern, and the pattern that matches all of a text if it has a form.
    matches: ClassVar[str] = "{} REGEXP {}"
    whole_pattern: ClassVar[str] = "^({})$"
    #: What is hashed of a cell; the sum of the hashes of rows, as text, because it is larger than any integer; and
    #: a hash that nobody without the key can repeat.
    hashed_cell: ClassVar[str] = "{0}"
    #: Every database has to say these two; Spark, whose rows are hashed elsewhere, has neither.
    sum_of_hashes: ClassVar[str]
    keyed_hash: ClassVar[str]
    #: The SHA-256 of a text in hexadecimal digits, where the database has one; for it, two texts as one, and a text in
    #: lower case.
    sha256: ClassVar[str] = ""
    concatenated: ClassVar[str] = "concat({}, {})"
    lowered: ClassVar[str] = "lower({})"
    #: That by which rows are ordered as a text of hexadecimal digits that has the same order.
    order_text: ClassVar[str] = "{}"
    #: By how a column is held: the column as rows have it, and the types of numbers that mappings have as numbers.
    source_columns: ClassVar[Mapping[str, str]] = {}
    key_types: ClassVar[Mapping[str, str]] = {
        "integer": "BIGINT", "float": "DOUBLE PRECISION", "single": "DOUBLE PRECISION",
    }  # fmt: skip
    #: By Arrow type: a column so that the driver gives what Arrow takes.
    arrow_values: ClassVar[Mapping[str, str]] = {}
    #: A column that the auditor compares byte by byte, whatever its collation.
    audited: ClassVar[str] = "{0}"
    #: Whether an outer join found nothing.
    unmatched: ClassVar[str] = "{} IS NULL"
    #: Removes a private table, and makes one quick to look into once it is filled.
    drop_temporary: ClassVar[str] = "DROP TABLE {}"
    index_mapping: ClassVar[str] = ""

    def quote(self, name: str) -> str:
        """Return a name as SQL writes it."""
        return self.name_quote + name.replace(self.name_quote, 2 * self.name_quote) + self.name_quote

    def qualified(self, name: str, schema: str | None) -> str:
        """Return a table's name with its schema."""
        return f"{self.quote(schema)}.{self.quote(name)}" if schema else self.quote(name)

    def literal(self, text: str | None) -> str:
        """Return a text as SQL writes it."""
        return "NULL" if text is None else "'" + text.replace("'", "''") + "'"

    # ---- a connection and its session, and the rows of a table in it

    def connect_arguments(self, database: str, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return what SQLAlchemy is told beside the address; `database` is a name, or the path of a file."""
        return {"connect_args": {**options, **self.connect_options}}

    def load(self, queries: Queries, table: str, rows: Sequence[Sequence[Any]], width: int) -> None:
        """Put rows into a table of ours."""
        statement = f"INSERT INTO {table} VALUES ({', '.join([self.placeholder] * width)})"
        with closing(queries.driver().cursor()) as cursor:
            for start in range(0, len(rows), CHUNK):
                cursor.executemany(statement, rows[start : start + CHUNK])

    def batches(self, queries: Queries, statement: str, types: Sequence[pa.DataType]) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a statement as Arrow batches, without holding them all where the driver can do that."""
        schema = pa.schema([(f"c{i}", kind) for i, kind in enumerate(types)])
        with closing(self.streaming_cursor(queries)) as cursor:
            cursor.execute(statement)
            while rows := cursor.fetchmany(CHUNK):
                columns = zip(zip(*rows, strict=True), types, strict=True)
                yield pa.record_batch([driver_array(list(cells), kind) for cells, kind in columns], schema=schema)

    def streaming_cursor(self, queries: Queries) -> Any:
        """Return a cursor of the driver's that does not fetch all rows at once, where it has one."""
        return queries.driver().cursor()

    def true_name(self, name: str) -> str:
        """Return a column's name from how SQLAlchemy gives it."""
        return name

    def start(self, queries: Queries) -> None:
        """Set up a session; outside of a transaction nothing of the data is held."""
        return

    def begin(self, queries: Queries) -> None:
        """Begin a transaction that sees one state of the data."""
        if self.begin_statement:
            queries.run(self.begin_statement)

    def may_make_tables(self, queries: Queries) -> bool:
        """Say whether this user may make private tables; who may not has all rows fetched for a run."""
        return True

    def settle_kinds(self, queries: Queries, table: str, fields: Sequence[Field]) -> list[Field]:
        """Return the columns as they turn out to be held, where the declaration does not say all."""
        return list(fields)

    def snapshot(self, queries: Queries, table: str, fields: Sequence[Field]) -> str:
        """Return what all rows are taken from, with columns c0, c1, …, as it is now, whoever writes meanwhile."""
        parts = ", ".join(f"{self.source_value(field)} AS c{i}" for i, field in enumerate(fields))
        return f"(SELECT {parts} FROM {table})"

    def source_column(self, field: Field) -> str:
        """Return a column as rows have it."""
        return self.source_columns.get(field.kind, "{}").format(self.quote(field.name))

    def source_value(self, field: Field) -> str:
        """Return a column as rows have it, without the texts that mean missing."""
        value = self.source_column(field)
        if not field.missing or field.kind != "text":
            return value
        words = ", ".join(self.literal(word) for word in field.missing)
        return f"CASE WHEN {value} IN ({words}) THEN NULL ELSE {value} END"

    # ---- values as text, as keys of a mapping, as labels

    @abstractmethod
    def text(self, field: Field, column: str) -> str | None:
        """Return a value as the local engine spells it; None where a number comes out and is spelled here."""

    def mapping_key(self, field: Field, column: str) -> str:
        """Return that by which a value is found in a mapping."""
        same = field.kind == "text" or (field.kind == "integer" and field.kind in self.key_types)
        return column if same else self.text(field, column) or column

    def mapping_key_type(self, field: Field, longest: int) -> str:
        """Return the type of a mapping's values; `longest` are the bytes of the longest text."""
        return self.key_types.get(field.kind, self.label_type(longest))

    def mapping_keys_of(self, field: Field, texts: Iterable[str]) -> Iterable[Any]:
        """Return values that were counted as their mapping has them."""
        if field.kind not in self.key_types:
            return texts
        return map(int if field.kind == "integer" else float, texts)

    def label_type(self, longest: int) -> str:
        """Return the type of labels; `longest` are the bytes of the longest."""
        return self.text_type

    def label_value(self, field: Field, label: str) -> str:
        """Return a label as a value of the column's own type."""
        return f"CAST({label} AS {self.declared_type(field)})"

    def declared_type(self, field: Field) -> str:
        """Return the type with which a released table declares a column that keeps it."""
        return str(field.type)

    def is_typed(self, field: Field) -> bool:
        """Say whether values are held in a type in which each has one spelling only; text may have several."""
        return field.kind != "text"

    def released_value(self, field: Field, column: str) -> str:
        """Return a column as a released table has it."""
        return column

    def fetched_value(self, field: Field, column: str) -> str:
        """Return a column as it comes to this process."""
        return self.text(field, column) or column

    def arrow_value(self, kind: Any, column: str) -> str:
        """Return a column so that the driver gives what Arrow takes for this type."""
        return self.arrow_values.get(str(kind), "{}").format(column)

    def mapping_index(self, columns: Mapping[str, str], keys: Sequence[str]) -> str:
        """Return what is said of an index where a private table is made; nothing where it is made afterwards."""
        return ""

    def hash_sum(self, cells: Sequence[str]) -> str:
        """Return the sum of the hashes of rows, given their cells."""
        return self.sum_of_hashes.format(", ".join(map(self.hashed_cell.format, cells)))

    def create_released(self, queries: Queries, table: str, released: Released) -> int:
        """Write the rows into a table, and return the sum of the hashes of what is handed to it."""
        queries.run(f"CREATE TABLE {table} ({released.declared})")
        queries.run(f"INSERT INTO {table} {released.ordered}")
        ((noted,),) = queries.run(f"SELECT {self.hash_sum(released.chosen)} FROM {released.rest}")
        return int(noted)

    def secret_order(self, cells: Sequence[str], key: int) -> str:
        """Return by what rows are ordered."""
        return self.keyed_hash.format(", ".join(map(self.hashed_cell.format, cells)), key=key)

    def audit_key(self, column: str, kind: Any) -> str:
        """Return a column so that it is compared byte by byte; `kind` is the driver's type."""
        return self.audited.format(column)

    def audit_text(self, column: str, kind: Any) -> str:
        """Return the text of a value for the auditor, who folds it."""
        return f"CAST({column} AS {self.text_type})"

    # ---- types, profile, window

    def full_match(self, column: str, form: str) -> str:
        """Return whether all of a text has a form: a regular expression without backslashes."""
        return self.matches.format(column, self.literal(self.whole_pattern.format(form)))

    def day_exists(self, column: str, kind: DataType) -> str | None:
        """Return whether the day that a text begins with exists; None where the days are brought and looked at."""
        return None

    def first_row(self, queries: Queries, source: str, condition: str) -> int | None:
        """Return the number of the first row in which a condition holds; None where rows have no order."""
        return None

    def ordered(self, field: Field, kind: DataType, column: str) -> str | None:
        """Return the values of a column so that they have an order; None for text, which is its own order."""
        if field.kind != "text":
            return column if kind.is_ordered else None
        if kind.is_number:
            return f"CAST(NULLIF({self.trimmed.format(column)}, '') AS {self.number_type})"
        return f"NULLIF({self.trimmed.format(column)}, '')" if kind.is_ordered else None

    def ordering(self, value: str, descending: bool) -> str:
        """Return the order by a value; missing comes last."""
        return f"CASE WHEN {value} IS NULL THEN 1 ELSE 0 END, {value}{' DESC' if descending else ''}"

    def page(self, source: str, places: Sequence[str], shown: str, order: str, start: int, count: int) -> str:
        """Return the statement that shows so many rows from a place on; `order` is empty for the table's own."""
        by = f" ORDER BY {order}" if order else ""
        return f"SELECT {shown} FROM {source} AS s{by} LIMIT {count} OFFSET {start}"

    def sample(self, source: str, places: Sequence[str], step: int) -> str:
        """Return one of so many rows, the same ones whenever asked; for `profile_batch`."""
        raise NotImplementedError

    def percentiles(self, field: Field, kind: DataType, column: str) -> str:
        """Return the 5th and 95th percentile in a list; dates in seconds since 1970; for `profile_batch`."""
        raise NotImplementedError

    # ---- mapping tables and released tables

    def create_temporary(self, name: str, columns: str, rows: int = 0, key: str = "") -> str:
        """Return the statement that makes a private table which goes with the connection."""
        return f"CREATE TEMPORARY TABLE {name} ({columns})"

    def inline_mapping(self, name: str, columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[Any]]) -> str:
        """Return a small mapping as a part of a statement, where that is quicker than a table; else nothing."""
        return ""

    def rename(self, staged: str, target: str, schema: str | None, previous: str | None) -> list[str]:
        """Return what puts the staged table in the target's place in a transaction; an old one becomes `previous`."""
        drop = [f"DROP TABLE {self.qualified(target, schema)}"] if previous else []
        return [*drop, f"ALTER TABLE {self.qualified(staged, schema)} RENAME TO {self.quote(target)}"]


@dataclass(frozen=True)
class Relation:
    """One table: its fields, the names that statements have them under, and what all rows are taken from."""

    queries: Queries
    source: str
    fields: tuple[Field, ...]
    #: The name under which statements have each field.
    places: tuple[str, ...]
    schema: Schema
    rows: int

    @property
    def dialect(self) -> SQLDialect:
        """How statements are written."""
        return self.queries.dialect

    def column(self, name: str) -> tuple[Field, str]:
        """Return a column and the name that statements have it under."""
        return next(pair for pair in zip(self.fields, self.places, strict=True) if pair[0].name == name)

    def columns(self, names: Sequence[str]) -> list[tuple[Field, str]]:
        """Return several columns, each with the name that statements have it under; raise for an unknown name."""
        self.schema.require(names)
        known = {field.name: (field, place) for field, place in zip(self.fields, self.places, strict=True)}
        return [known[name] for name in names]

    def one(self, statement: str) -> tuple[Any, ...]:
        """Run a statement and return its only row."""
        return self.queries.run(statement)[0]

    def fetched_type(self, field: Field) -> pa.DataType:
        """Return the Arrow type in which `SQLDialect.fetched_value` brings a column."""
        return field.number if self.dialect.text(field, "") is None else pa.string()
