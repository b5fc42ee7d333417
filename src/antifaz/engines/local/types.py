"""How the text of each column is to be understood, found from all its values; the text itself is never changed.

A column is an integer, a decimal number, a date, a date with time or a truth value only if *every* value that is not
missing is written that way, blanks around it aside:

- integer: `0` or digits without a leading zero, at most 18, perhaps a minus. (`007` and `+5` are text; five-digit
  codes without leading zeros can't be told from integers and count as such: say `types={"zip": "text"}`.)
- decimal: digits with a point, no exponent, no leading zeros.
- date: `YYYY-MM-DD` of a day that exists; datetime: that, a blank or T, `HH:MM[:SS[.fraction]]`,
  perhaps Z or an offset.
- boolean: true and false, spelled one way throughout.

Fields with nothing but blanks say nothing about the type. Columns that come with a type of their own keep it.
"""

# Names of columns go through `quote`; all else that makes up a statement is ours.
# ruff: noqa: S608

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import duckdb

from antifaz.core.errors import DataError, SchemaError
from antifaz.core.schema import Column, Schema
from antifaz.core.types import DataType
from antifaz.engines.local.duck import duckdb_errors, first_row, quote

#: Columns looked at in one statement: thousands at once make a plan that takes longer than the work.
BATCH = 500
_SAMPLE = 200
_NATIVE = {
    "BOOLEAN": DataType.BOOLEAN, "DATE": DataType.DATE, "FLOAT": DataType.DECIMAL, "DOUBLE": DataType.DECIMAL,
}  # fmt: skip
_DAY = r"\d{4}-\d\d-\d\d"
_TIME = r"\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d(:?\d\d)?)?"
# How a value of each type is written; narrower types first. Blanks around it are part of the pattern, which is
# several times faster than trimming every value first.
_FORMS = {
    DataType.INTEGER: "-?(0|[1-9][0-9]{0,17})",
    DataType.DECIMAL: r"-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,30})?",
    DataType.DATE: _DAY,
    DataType.DATETIME: f"{_DAY}[T ]{_TIME}",
    DataType.BOOLEAN: "true|false",
}
# A day or time written right may still not exist.
_CASTS = {DataType.DATE: "DATE", DataType.DATETIME: "TIMESTAMP"}
_PYTHON = {kind: re.compile(form, re.IGNORECASE | re.ASCII) for kind, form in _FORMS.items()}
_SPELLINGS = ("true|false", "True|False", "TRUE|FALSE")
# What a told type must at least allow.
_LOOSE = {
    DataType.INTEGER: r"regexp_full_match(t, '[+-]?[0-9]+(\.0*)?')",
    DataType.DECIMAL: r"regexp_full_match(t, '[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?')",
    DataType.DATE: "TRY_CAST(t AS DATE) IS NOT NULL",
    DataType.DATETIME: "TRY_CAST(t AS TIMESTAMP) IS NOT NULL",
    DataType.BOOLEAN: "lower(t) IN ('true', 'false')",
}


def native_types(connection: duckdb.DuckDBPyConnection, table: str) -> dict[str, str]:
    """Return the type in which the database holds each column, in order."""
    with duckdb_errors():
        rows = connection.execute(f"DESCRIBE {quote(table)}").fetchall()
    return {str(row[0]): str(row[1]) for row in rows}


def infer(
    connection: duckdb.DuckDBPyConnection,
    table: str,
    *,
    settled: Mapping[str, DataType] | None = None,
    told: Mapping[str, DataType | str] | None = None,
) -> Schema:
    """Return the schema of a table: types that are told, settled by the file, native, or found from all values."""
    native = native_types(connection, table)
    schema = Schema(tuple(Column(name=name) for name in native))
    told_types = {c.name: c.type for c in schema.with_types(told or {}) if c.name in (told or {})}
    types = {**{n: _native(t) for n, t in native.items() if t != "VARCHAR"}, **(settled or {}), **told_types}
    open_names = [name for name in native if name not in types]
    with duckdb_errors():
        for names in _batches(open_names):
            types |= _find(connection, table, names)
        _check_told(connection, table, {n: t for n, t in told_types.items() if native[n] == "VARCHAR"})
    return schema.with_types(types)


def save_types(schema: Schema, path: Path | str) -> None:
    """Write the types of a schema as a small JSON file that `load_types` reads."""
    text = json.dumps({"antifaz": 1, "types": {c.name: c.type.value for c in schema}}, ensure_ascii=False, indent=2)
    with duckdb_errors(f"{Path(path).name} could not be written"):
        Path(path).write_text(text + "\n", encoding="utf-8")


def load_types(path: Path | str) -> dict[str, DataType]:
    """Read the types that `save_types` wrote (or a plain JSON object of column and type)."""
    name = Path(path).name
    with duckdb_errors(f"{name} could not be read"):
        text = Path(path).read_text(encoding="utf-8-sig")
    try:
        document = json.loads(text)
    except ValueError:
        raise DataError("types.file-not-json", name=name) from None
    found = document.get("types", document) if isinstance(document, dict) else None
    if not isinstance(found, dict) or not all(isinstance(kind, str) for kind in found.values()):
        raise DataError("types.file-holds-none", name=name)
    names = tuple(Column(name=column) for column in found)
    return {column.name: column.type for column in Schema(names).with_types(found)}


def _native(kind: str) -> DataType:
    if "INT" in kind and "INTERVAL" not in kind:
        return DataType.INTEGER
    if kind.startswith("DECIMAL"):
        return DataType.INTEGER if kind.endswith(",0)") else DataType.DECIMAL
    if kind.startswith("TIMESTAMP"):
        return DataType.DATETIME
    return _NATIVE.get(kind, DataType.TEXT)


def _find(connection: duckdb.DuckDBPyConnection, table: str, names: Sequence[str]) -> dict[str, DataType]:
    """Find the types of some text columns.

    The first rows say which types are possible; then each column is asked over all rows for its narrowest one (the
    order of `_FORMS`), and for the next if that fails. A column without values is text.
    """
    possible = _possible(connection, table, names)
    types: dict[str, DataType] = {}
    while possible:
        asked = list({name: (name, kind) for name, kind in reversed(possible)}.values())
        types |= dict(_fitting(connection, table, asked))
        possible = [pair for pair in possible if pair not in asked and pair[0] not in types]
    return {name: types.get(name, DataType.TEXT) for name in names}


def _possible(connection: duckdb.DuckDBPyConnection, table: str, names: Sequence[str]) -> list[tuple[str, DataType]]:
    """Return the types that the first rows allow for each column, narrower ones first."""
    chosen = ", ".join(quote(name) for name in names)
    rows = connection.execute(f"SELECT {chosen} FROM {quote(table)} LIMIT {_SAMPLE}").fetchall()
    found: list[tuple[str, DataType]] = []
    for i, name in enumerate(names):
        values = {value.strip(" \t") for row in rows if (value := row[i]) is not None} - {""}
        if values or _present(connection, table, name):
            found.extend((name, kind) for kind, form in _PYTHON.items() if all(map(form.fullmatch, values)))
    return found


def _present(connection: duckdb.DuckDBPyConnection, table: str, name: str) -> bool:
    return bool(first_row(connection, f"SELECT 1 FROM {quote(table)} WHERE {_trimmed(name)} <> '' LIMIT 1"))


def _fitting(
    connection: duckdb.DuckDBPyConnection, table: str, wanted: Sequence[tuple[str, DataType]]
) -> list[tuple[str, DataType]]:
    """Return those pairs of column and type in which every value fits."""
    asked = ", ".join(_question(quote(name), kind) for name, kind in wanted)
    answers = first_row(connection, f"SELECT {asked} FROM {quote(table)}")
    return [pair for pair, fits in zip(wanted, answers, strict=True) if fits]


def _question(value: str, kind: DataType) -> str:
    forms = _SPELLINGS if kind is DataType.BOOLEAN else (_FORMS[kind],)
    exists = ""
    if kind in _CASTS:
        exists = f" AND (TRY_CAST({value} AS {_CASTS[kind]}) IS NOT NULL OR trim({value}, ' \t') = '')"
    return "(" + " OR ".join(f"bool_and(regexp_full_match({value}, '{_padded(f)}'){exists})" for f in forms) + ")"


def _padded(form: str) -> str:
    return rf"[ \t]*({form})?[ \t]*"


def _trimmed(name: str) -> str:
    return f"trim({quote(name)}, ' \t')"


def _check_told(connection: duckdb.DuckDBPyConnection, table: str, told: Mapping[str, DataType]) -> None:
    """Raise for a column whose values do not fit the type it was told to have."""
    for name, kind in told.items():
        if kind not in _LOOSE:
            continue
        value = _trimmed(name)
        test = _LOOSE[kind].replace("(t", f"({value}")
        wrong = f"{value} <> '' AND NOT ({test})"
        (many,) = first_row(connection, f"SELECT count(*) FROM {quote(table)} WHERE {wrong}")
        if many:
            # By counting: a column may be called `rowid`.
            numbered = f"SELECT row_number() OVER () AS position, {wrong} AS wrong FROM {quote(table)}"
            (first,) = first_row(connection, f"SELECT min(position) FROM ({numbered}) WHERE wrong")
            raise SchemaError("column.values-not-of-type", name=name, kind=kind.value, count=many, first=first)


def _batches(names: Iterable[str]) -> Iterable[list[str]]:
    listed = list(names)
    return (listed[i : i + BATCH] for i in range(0, len(listed), BATCH))
