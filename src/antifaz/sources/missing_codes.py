"""Texts that a person says mean missing: everywhere, or in one column."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import PlainSerializer, PlainValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

from antifaz.core.errors import DataError, SchemaError, hint, silence
from antifaz.core.messages import Message

#: As it is given: one text, several, or several for each of some columns.
Missing = Sequence[str] | str | Mapping[str, Sequence[str] | str]


@dataclass(frozen=True)
class MissingCodes:
    """What means missing in every column, and in single ones; how often the latter was found."""

    words: tuple[str, ...]
    by_column: Mapping[str, tuple[str, ...]]
    _found: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, given: Missing) -> "MissingCodes":
        """Take what a person said."""
        if isinstance(given, Mapping):
            return cls((), {name: _words(codes) for name, codes in given.items()})
        return cls(_words(given), {})

    def of_column(self, name: str) -> tuple[str, ...]:
        """Return all that means missing in a column."""
        return (*self.words, *self.by_column.get(name, ()))

    def require_columns(self, names: Sequence[str]) -> None:
        """Raise for the first column that there is not."""
        for name in self.by_column:
            if name not in names:
                raise SchemaError("column.unknown", name=name, hint=hint(name, names))

    def blanked(self, tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
        """Give tables with the codes of single columns made missing, and count them."""
        for table in tables:
            for name, codes in self.by_column.items():
                place = table.schema.get_field_index(name)
                column, kind = table.column(place), table.schema.field(place).type
                blank = pc.is_in(column, value_set=_as(kind, codes, name))
                self._found[name] = self._found.get(name, 0) + int(pc.sum(blank).as_py() or 0)
                blanked = pc.if_else(blank, pa.scalar(None, kind), column)
                table = table.set_column(place, table.schema.field(place), blanked)
            yield table

    def notes(self) -> list[str]:
        """Say how often each column had its codes."""
        return [
            Message("note.missing-codes", name=name, codes=list(codes), count=self._found.get(name, 0))
            for name, codes in self.by_column.items()
        ]


def _as(kind: pa.DataType, codes: Sequence[str], name: str) -> pa.Array:
    """Return codes in the type of a column."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    try:
        return pa.array(codes, pa.string()).cast(kind)
    except pa.ArrowException as error:
        silence(error)
        raise DataError("missing.code-not-of-type", name=name) from None


def checked_missing(given: Any) -> Any:
    """Return codes as a project file has them: a list, or a list for each of some columns; else raise ValueError."""
    lists = given.values() if isinstance(given, Mapping) else [given]
    if any(isinstance(each, str) or not isinstance(each, Sequence) for each in lists):
        raise PydanticCustomError("tuple_type", "a list")
    if any(not isinstance(word, str) for each in lists for word in each):
        raise PydanticCustomError("string_type", "a text")
    if isinstance(given, Mapping):
        return {str(name): tuple(codes) for name, codes in given.items()}
    return tuple(given)


def _as_lists(codes: Sequence[str] | Mapping[str, Sequence[str]]) -> list[str] | dict[str, list[str]]:
    return {name: list(own) for name, own in codes.items()} if isinstance(codes, Mapping) else list(codes)


def _words(given: Sequence[str] | str) -> tuple[str, ...]:
    words = (given,) if isinstance(given, str) else tuple(given)
    if not all(isinstance(word, str) for word in words):
        raise DataError("missing.not-a-list-of-texts")
    return words


def missing_words(given: Missing) -> tuple[str, ...]:
    """Return what means missing in every column; an engine that asks this knows no codes of single columns."""
    codes = MissingCodes.of(given)
    if codes.by_column:
        raise DataError("missing.not-by-column-here")
    return codes.words


_LIST = {"type": "array", "items": {"type": "string"}}
#: As the key of a project file and of the service: one check, so that an error names the key and no branch of a union.
MissingKey = Annotated[
    tuple[str, ...] | dict[str, tuple[str, ...]],
    PlainValidator(checked_missing),
    PlainSerializer(_as_lists, return_type=list[str] | dict[str, list[str]], when_used="json"),
    WithJsonSchema({"anyOf": [_LIST, {"type": "object", "additionalProperties": _LIST}]}),
]
