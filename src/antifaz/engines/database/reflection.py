"""What a database says of its tables: their names, their columns, and how each column is stored."""

import warnings
from typing import Any

import sqlalchemy as sa

from antifaz.core.errors import DataError, hint
from antifaz.core.messages import Message
from antifaz.engines.addresses import parse
from antifaz.engines.database.connection import DatabaseConnection, connect
from antifaz.engines.database.errors import database_errors
from antifaz.engines.dialects.dialect import Field, Kind

#: Names of SQLAlchemy's types that have no equality or are no single values.
_REFUSED = ("BLOB", "BINARY", "BYTEA", "ARRAY", "INTERVAL", "NULL", "BIT", "HSTORE", "RANGE", "POINT")


def reflect(connection: DatabaseConnection, table: str, schema: str | None) -> tuple[list[Field], list[str]]:
    """Return the columns of a table or view, and what was noticed about them."""
    inspector = sa.inspect(connection.sqlalchemy)
    if not inspector.has_table(table, schema=schema) and table not in inspector.get_view_names(schema=schema):
        known = hint(table, names_of(connection, schema))
        raise DataError("database.table-not-found", table=table, address=connection.address.shown, hint=known)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sa.exc.SAWarning)  # of types that it does not know; they are refused below
        columns = inspector.get_columns(table, schema=schema)
    notes: list[str] = []
    if not connection.dialect.declares_types:  # a declaration binds no value there; the values are looked through
        kinds: list[Kind] = ["boolean" if isinstance(column["type"], sa.Boolean) else "text" for column in columns]
        names = [column["name"] for column in columns]
        return [Field(name=name, kind=kind, type=sa.Text()) for name, kind in zip(names, kinds, strict=True)], notes
    return [_field(connection.dialect.true_name(column["name"]), column["type"], notes) for column in columns], notes


def names_of(connection: DatabaseConnection, schema: str | None) -> list[str]:
    """Return the names of the tables and views there are."""
    inspector = sa.inspect(connection.sqlalchemy)
    return [*inspector.get_table_names(schema=schema), *inspector.get_view_names(schema=schema)]


def _field(name: str, kind: Any, notes: list[str]) -> Field:
    word = type(kind).__name__.upper()
    if isinstance(kind, sa.JSON) or "JSON" in word or word == "XML":
        notes.append(Message("note.column-holds-json", name=name))
        return Field(name=name, kind="text", type=sa.Text())
    if isinstance(kind, (sa.LargeBinary, sa.ARRAY, sa.Interval)) or any(sign in word for sign in _REFUSED):
        raise DataError("database.column-type-not-comparable", name=name, word=word)
    stored = _kind(kind, word)
    if stored == "decimal":
        return Field(name=name, kind="decimal", type=kind, precision=kind.precision, scale=kind.scale)
    if stored in ("datetime", "moment"):
        return Field(name=name, kind=stored, type=kind, scale=getattr(kind, "fsp", None))
    # A list of values that are allowed would show values of rows that are left out.
    plain = sa.Text() if (stored == "text" and not isinstance(kind, sa.String)) or isinstance(kind, sa.Enum) else kind
    return Field(name=name, kind=stored, type=plain, own=plain is kind)


def _kind(kind: Any, word: str) -> Kind:
    if isinstance(kind, sa.Boolean):
        return "boolean"
    if isinstance(kind, sa.Integer) or word == "YEAR":
        return "boolean" if word == "TINYINT" and getattr(kind, "display_width", None) == 1 else "integer"
    if isinstance(kind, sa.Float):
        return "single" if word in ("REAL", "FLOAT") else "float"
    if isinstance(kind, sa.Numeric):
        return "decimal"
    if isinstance(kind, sa.DateTime):
        return "moment" if getattr(kind, "timezone", False) else "datetime"
    return "date" if isinstance(kind, sa.Date) else "text"


def tables_of(place: str, *, schema: str | None = None, password: str | None = None) -> list[str]:
    """Return the names of the tables and views of a database, in order."""
    address = parse(place)
    with database_errors(Message("source.not-opened", address=address.shown)):
        connection = connect(address, password=password)
    try:
        with database_errors(Message("source.not-read", address=address.shown)):
            return sorted(names_of(connection, schema))
    finally:
        connection.close()
