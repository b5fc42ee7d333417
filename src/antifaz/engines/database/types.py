"""How the text of each column is to be understood: the rule of `engines.local.types`, asked of the database."""

# Names of columns are c0, c1, …; no name of the data is in these statements.
# ruff: noqa: S608
from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING

from antifaz.core.errors import SchemaError
from antifaz.core.schema import Column, Schema
from antifaz.core.types import DataType
from antifaz.engines.database.faults import guard

if TYPE_CHECKING:
    from antifaz.engines.database.fields import Field
    from antifaz.engines.database.link import Link

_SAMPLE = 200
_DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_CLOCK = "(([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?|24:00(:00([.]0{1,9})?)?)"
_ZONE = "(Z|[+-][0-9]{2}(:?[0-9]{2})?)?"
# How a value of each type is written; narrower types first. What a truth value is must be spelled one way throughout.
_FORMS = {
    DataType.INTEGER: ("-?(0|[1-9][0-9]{0,17})",),
    DataType.DECIMAL: ("-?(0|[1-9][0-9]{0,30})([.][0-9]{1,30})?",),
    DataType.DATE: (_DAY,),
    DataType.DATETIME: (f"{_DAY}[T ]{_CLOCK}{_ZONE}",),
    DataType.BOOLEAN: ("true|false", "True|False", "TRUE|FALSE"),
}
# What a told type must at least allow.
_LOOSE = {
    DataType.INTEGER: "[+-]?[0-9]+([.]0*)?",
    DataType.DECIMAL: "[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,3})?",
    DataType.DATE: _DAY,
    DataType.DATETIME: f"{_DAY}([T ]{_CLOCK}{_ZONE})?",
    DataType.BOOLEAN: "([Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee])",
}
#: A text that is more than blanks.
_PRESENT = "[^ \t]"
_DAYS = (DataType.DATE, DataType.DATETIME)


def infer(link: Link, source: str, fields: Sequence[Field], told: Mapping[str, DataType | str] | None) -> Schema:
    """Return the schema of a table: types that are told, that the database settles, or found from all values."""
    schema = Schema(tuple(Column(name=field.name) for field in fields))
    told_types = {c.name: c.type for c in schema.with_types(told or {}) if c.name in (told or {})}
    types = {f.name: f.understood for f in fields if f.understood is not None} | told_types
    with guard("The types of the columns could not be found"):
        for i, field in enumerate(fields):
            if field.name not in types:
                types[field.name] = _find(link, source, f"c{i}")
            elif field.kind == "text" and types[field.name] in _LOOSE:
                _check_told(link, source, f"c{i}", field.name, types[field.name])
    return schema.with_types(types)


def _find(link: Link, source: str, place: str) -> DataType:
    """Find the type of a text column: some rows say what is possible, then all rows are asked."""
    rows = link.run(f"SELECT {place} FROM {source} AS s WHERE {place} IS NOT NULL LIMIT {_SAMPLE}")
    some = {_text(row[0]).strip(" \t") for row in rows} - {""}
    if not some and not link.run(f"SELECT 1 FROM {source} AS s WHERE {link.dialect.matches(place, _PRESENT)} LIMIT 1"):
        return DataType.TEXT
    for kind, forms in _FORMS.items():
        for form in forms:
            if all(re.fullmatch(form, text) for text in some) and _all(link, source, place, form, kind):
                return kind
    return DataType.TEXT


def _all(link: Link, source: str, place: str, form: str, kind: DataType) -> bool:
    """Whether every value is written in a form; a day must also exist."""
    written = link.dialect.matches(place, _padded(form))
    if link.run(f"SELECT 1 FROM {source} AS s WHERE NOT ({written}) LIMIT 1"):
        return False
    if kind not in _DAYS:
        return True
    days = link.run(f"SELECT DISTINCT {place} FROM {source} AS s WHERE {link.dialect.matches(place, _PRESENT)}")
    return all(_exists(_text(day)) for (day,) in days)


def _check_told(link: Link, source: str, place: str, name: str, kind: DataType) -> None:
    """Raise for a column whose values do not fit the type it was told to have."""
    written = link.dialect.matches(place, _padded(_LOOSE[kind]))
    (wrong,) = link.one(f"SELECT count(*) FROM {source} AS s WHERE NOT ({written})")
    if wrong:
        raise SchemaError("database.column-values-not-of-type", name=name, kind=kind.value, count=wrong)


def _padded(form: str) -> str:
    return f"^[ \t]*({form})?[ \t]*$"


def _exists(text: str) -> bool:
    try:
        date.fromisoformat(text.strip(" \t")[:10])
    except ValueError:
        return False
    return True


def _text(value: str | bytes) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else value
