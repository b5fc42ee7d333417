"""How SQLite says it. It has no hashes and no regular expressions: those are Python's, run where the rows are."""

import hashlib
import re
import sqlite3
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import quote

from antifaz.core.errors import DataError
from antifaz.engines.dialects.dialect import TRUTH_WORD, Queries, SQLDialect
from antifaz.engines.dialects.field import Field, Kind


class SQLite(SQLDialect):
    """SQLite; every value has a type of its own there, so columns are looked through."""

    name: ClassVar[str] = "sqlite"
    title: ClassVar[str] = "SQLite"
    driver_error: ClassVar[str] = "sqlite3:Error"
    driver: ClassVar[str] = "sqlite+pysqlite"
    number_type: ClassVar[str] = "REAL"
    declares_types: ClassVar[bool] = False
    #: Text as an expression, which no collation of the column goes with.
    source_columns: ClassVar[Mapping[str, str]] = {"text": "(CAST({} AS TEXT) || '')", "float": "CAST({} AS REAL)"}
    #: Types that change no value.
    key_types: ClassVar[Mapping[str, str]] = {"integer": "INTEGER", "float": "REAL"}
    arrow_values: ClassVar[Mapping[str, str]] = {"bool": TRUTH_WORD}
    #: Text byte by byte, numbers by value.
    audited: ClassVar[str] = "CASE typeof({0}) WHEN 'text' THEN {0} || '' ELSE {0} END"
    matches: ClassVar[str] = "antifaz_matches({}, {})"
    whole_pattern: ClassVar[str] = "{}"
    sum_of_hashes: ClassVar[str] = "antifaz_total({})"
    keyed_hash: ClassVar[str] = "antifaz_hash({key}, {})"
    order_text: ClassVar[str] = "hex({})"
    #: No hash of texts: the rows are in this process.
    concatenated: ClassVar[str] = "({} || {})"
    #: SQLite would else make an index for every statement.
    index_mapping: ClassVar[str] = "CREATE INDEX temp.{name}_key ON {name} ({columns})"

    def connect_arguments(self, database: str, options: Mapping[str, Any]) -> dict[str, Any]:
        """Open a file that is there by an address of SQLite's own: a plain path would make a new database."""
        path = Path(database)
        if not path.is_file():
            raise DataError("file.not-found", file=path)
        settings: dict[str, Any] = {"uri": True, "isolation_level": None, "check_same_thread": False}
        return {"creator": partial(sqlite3.connect, f"file:{quote(str(path.resolve()))}?mode=rw", **settings)}

    def start(self, queries: Queries) -> None:
        """Bring what SQLite lacks; what is temporary stays in memory."""
        driver = queries.driver()
        driver.create_function("antifaz_hash", -1, _hash, deterministic=True)
        driver.create_function("antifaz_matches", 2, _matches, deterministic=True)
        driver.create_aggregate("antifaz_total", -1, _Total)
        for setting in ("temp_store = MEMORY", "trusted_schema = OFF", "busy_timeout = 10000"):
            queries.run(f"PRAGMA {setting}")

    def settle_kinds(self, queries: Queries, table: str, fields: Sequence[Field]) -> list[Field]:
        """Say how each column is held from the types that its values have."""
        questions = ("text", "integer", "real", "blob")
        asked = [f"coalesce(max(typeof({self.quote(f.name)}) = '{q}'), 0)" for f in fields for q in questions]
        asked += [f"coalesce(min({self.quote(f.name)} IN (0, 1)), 1)" for f in fields]
        answers: list[Any] = []
        for start in range(0, len(asked), 1500):  # SQLite takes 2,000 columns in one answer
            some = ", ".join(asked[start : start + 1500])
            answers.extend(queries.run(f"SELECT {some} FROM {table}")[0])  # noqa: S608 - names are quoted
        settled = []
        for i, field in enumerate(fields):
            text, whole, real, raw = answers[4 * i : 4 * i + 4]
            if raw:
                raise DataError("database.column-holds-bytes", field=field.name)
            truth = field.kind == "boolean" and answers[4 * len(fields) + i]
            kind: Kind = "text"
            if not text and (real or whole):
                kind = "float" if real else "boolean" if truth else "integer"
            settled.append(Field(name=field.name, kind=kind, type=field.type))
        return settled

    def text(self, field: Field, column: str) -> str | None:
        """Return a value as the local engine spells it."""
        if field.kind == "boolean":
            return TRUTH_WORD.format(column)
        return column if field.kind == "text" else None

    def label_value(self, field: Field, label: str) -> str:
        """Return a label as a value of the column's own type."""
        if field.kind == "boolean":
            return f"({label} = 'true')"
        return f"CAST({label} AS {'INTEGER' if field.kind == 'integer' else 'REAL'})" if field.kind != "text" else label

    def declared_type(self, field: Field) -> str:
        """Return a type that keeps values as they are."""
        kinds = {"integer": "INTEGER", "boolean": "BOOLEAN", "float": "REAL"}
        return kinds.get(field.kind) or (
            f"VARCHAR({field.type.length})" if getattr(field.type, "length", 0) else "TEXT"
        )


def _hash(*cells: Any) -> bytes:
    marked = "\x1f".join("n" if cell is None else f"v{cell}" for cell in cells)
    return hashlib.blake2b(marked.encode(errors="surrogatepass"), digest_size=8).digest()


def _matches(text: str | None, form: str) -> bool | None:
    return None if text is None else re.fullmatch(form, text) is not None


class _Total:
    """Sums the hashes of rows; the sum is larger than SQLite's integers."""

    def __init__(self) -> None:
        self._sum = 0

    def step(self, *cells: Any) -> None:
        self._sum += int.from_bytes(_hash(*cells), "big")

    def finalize(self) -> str:
        return str(self._sum)
