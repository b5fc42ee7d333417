"""The columns of a table in a database: how each is held, and as what it comes out."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pyarrow as pa

from antifaz.core.errors import DataError, hint
from antifaz.core.types import DataType

if TYPE_CHECKING:
    from antifaz.engines.database.link import Link

#: How values are held: `single` and `float` are floating-point numbers, `moment` is a time with a zone.
Kind = Literal["text", "integer", "decimal", "single", "float", "boolean", "date", "datetime", "moment"]
TYPES: dict[str, DataType] = {
    "integer": DataType.INTEGER, "decimal": DataType.DECIMAL, "single": DataType.DECIMAL, "float": DataType.DECIMAL,
    "boolean": DataType.BOOLEAN, "date": DataType.DATE, "datetime": DataType.DATETIME, "moment": DataType.DATETIME,
}  # fmt: skip
_ARROW = {
    "text": pa.string(), "integer": pa.int64(), "single": pa.float32(), "float": pa.float64(), "boolean": pa.bool_(),
    "date": pa.date32(), "datetime": pa.timestamp("us"), "moment": pa.timestamp("us", "UTC"),
}  # fmt: skip
#: Names of SQLAlchemy's types that have no equality or are no single values.
_REFUSED = ("BLOB", "BINARY", "BYTEA", "ARRAY", "INTERVAL", "NULL", "BIT", "HSTORE", "RANGE", "POINT")


@dataclass(frozen=True, kw_only=True)
class Field:
    """One column: its name, how it is held, and the type with which a released table declares it."""

    name: str
    kind: Kind
    #: SQLAlchemy's type.
    type: Any
    #: Digits before and after the point of a decimal number, where the type says so; of seconds for a time.
    precision: int | None = None
    scale: int | None = None
    #: Whether the type is the one that the source declares.
    own: bool = False
    #: Texts that mean missing.
    missing: tuple[str, ...] = ()

    @property
    def arrow(self) -> pa.DataType:
        """The Arrow type in which the column comes out."""
        if self.kind == "decimal":
            return pa.decimal128(min(self.precision or 38, 38), self.scale if self.scale is not None else 10)
        return _ARROW[self.kind]

    @property
    def understood(self) -> DataType | None:
        """The type that the database itself settles; None for text."""
        if self.kind == "decimal" and self.scale == 0:
            return DataType.INTEGER
        return TYPES.get(self.kind)


def spelled(field: Field, value: Any) -> str | None:
    """Return a number that came out as a number as the text that the local engine spells it with."""
    if value is None:
        return None
    if field.kind == "single":
        single = np.float32(value)
        if math.isfinite(single) and single != 0 and 1e-4 <= abs(single) < 1e16:
            return str(np.format_float_positional(single, unique=True, trim="0"))
        return (
            str(np.format_float_scientific(single, unique=True, trim="-"))
            if math.isfinite(single) and single
            else (repr(float(single) + 0.0))
        )
    # Python and the local engine both take the fewest digits that tell a number, and an exponent from 1e16 on.
    return repr(float(value) + 0.0) if field.kind == "float" else str(value)


def reflect(link: Link, table: str, schema: str | None) -> tuple[list[Field], list[str]]:
    """Return the columns of a table or view, and what was noticed about them."""
    import sqlalchemy as sa

    found = sa.inspect(link.connection)
    if not found.has_table(table, schema=schema) and table not in found.get_view_names(schema=schema):
        names = [*found.get_table_names(schema=schema), *found.get_view_names(schema=schema)]
        raise DataError("database.table-not-found", table=table, address=link.address.shown, hint=hint(table, names))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sa.exc.SAWarning)  # of types that it does not know; they are refused below
        columns = found.get_columns(table, schema=schema)
    notes: list[str] = []
    if link.dialect.name == "sqlite":  # a declaration binds no value there; the values are looked through
        return [_declared(column["name"], column["type"]) for column in columns], notes
    doubled = "``" if link.dialect.name == "mysql" else ""  # as SQLAlchemy leaves a quote in a name of MySQL's
    return [_field(_plain(column["name"], doubled), column["type"], notes) for column in columns], notes


def names_of(link: Link, schema: str | None) -> list[str]:
    """Return the names of the tables and views there are."""
    import sqlalchemy as sa

    found = sa.inspect(link.connection)
    return [*found.get_table_names(schema=schema), *found.get_view_names(schema=schema)]


def _plain(name: str, doubled: str) -> str:
    return name.replace(doubled, doubled[0]) if doubled else name


def _declared(name: str, kind: Any) -> Field:
    import sqlalchemy as sa

    return Field(name=name, kind="boolean" if isinstance(kind, sa.Boolean) else "text", type=sa.Text())


def _field(name: str, kind: Any, notes: list[str]) -> Field:
    import sqlalchemy as sa

    word = type(kind).__name__.upper()
    if isinstance(kind, sa.JSON) or "JSON" in word or word == "XML":
        notes.append(f"Column {name!r} holds JSON; it is taken as the text it is written as.")
        return Field(name=name, kind="text", type=sa.Text())
    if isinstance(kind, (sa.LargeBinary, sa.ARRAY, sa.Interval)) or any(sign in word for sign in _REFUSED):
        raise DataError("database.column-type-not-comparable", name=name, word=word)
    held = _held(kind, word)
    if held == "decimal":
        return Field(name=name, kind="decimal", type=kind, precision=kind.precision, scale=kind.scale)
    if held in ("datetime", "moment"):
        return Field(name=name, kind=held, type=kind, scale=getattr(kind, "fsp", None))
    # A list of values that are allowed would show values of rows that are left out.
    plain = sa.Text() if (held == "text" and not isinstance(kind, sa.String)) or isinstance(kind, sa.Enum) else kind
    return Field(name=name, kind=held, type=plain, own=plain is kind)


def _held(kind: Any, word: str) -> Kind:
    import sqlalchemy as sa

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


def select_list(parts: Sequence[str]) -> str:
    """Return expressions as c0, c1, …."""
    return ", ".join(f"{part} AS c{i}" for i, part in enumerate(parts))
