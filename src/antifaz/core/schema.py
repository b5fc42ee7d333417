"""The schema: for every column of a table its type and its role."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from antifaz.core.errors import SchemaError, hint
from antifaz.core.roles import Role
from antifaz.core.types import DataType, split_type

_Choice = TypeVar("_Choice", Role, DataType)


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column of a table: its name, how its values are understood, and its role."""

    name: str
    type: DataType = DataType.TEXT
    role: Role = Role.INSENSITIVE
    #: The most characters of a value, where somebody said so.
    length: int | None = None

    @property
    def type_text(self) -> str:
        """The type as it is written, with the length: text(5)."""
        return f"{self.type}({self.length})" if self.length else str(self.type)


@dataclass(frozen=True)
class Schema:
    """The columns of a table, in their order."""

    columns: tuple[Column, ...]

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all columns, in order."""
        return tuple(column.name for column in self.columns)

    def __getitem__(self, name: str) -> Column:
        """Return the column of that name, or say which name is nearest."""
        for column in self.columns:
            if column.name == name:
                return column
        raise SchemaError("column.unknown", name=name, hint=hint(name, self.names))

    def of(self, role: Role) -> tuple[str, ...]:
        """The names of the columns in that role."""
        return tuple(column.name for column in self.columns if column.role is role)

    def with_roles(self, roles: Mapping[str, Role | str]) -> "Schema":
        """Return the same columns with these roles; columns not named keep theirs."""
        chosen = {self[name].name: _choice_of(Role, name, role) for name, role in roles.items()}
        return Schema(tuple(replace(c, role=chosen.get(c.name, c.role)) for c in self.columns))

    def with_types(self, types: Mapping[str, DataType | str]) -> "Schema":
        """Return the same columns with these types, such as text(5) or integer; columns not named keep theirs."""
        changed: dict[str, Column] = {}
        for name, type_text in types.items():
            kind, length = split_type(type_text)
            changed[name] = replace(
                self[name], type=_choice_of(DataType, name, kind), length=length or self[name].length
            )
        return Schema(tuple(changed.get(c.name, c) for c in self.columns))

    def require(self, names: Sequence[str]) -> None:
        """Raise for the first name that is not a column."""
        for name in names:
            self[name]


def _choice_of(choices: type[_Choice], column: str, given: str) -> _Choice:
    try:
        return choices(given)
    except ValueError:
        near = hint(str(given), [choice.value for choice in choices])
    if choices is Role:
        raise SchemaError("column.unknown-role", column=column, role=given, hint=near)
    if re.fullmatch(r"(date|decimal|boolean)\(.+\)", given):
        raise SchemaError("column.form-of-files-only", column=column, form=given)
    raise SchemaError("column.unknown-type", column=column, kind=given, hint=near)
