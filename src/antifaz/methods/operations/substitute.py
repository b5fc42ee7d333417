"""Substitution: every value is replaced by another one, from a table or made up."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal, Self

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field, model_validator

from antifaz.core.errors import DataError, ParameterError, silence
from antifaz.core.types import DataType
from antifaz.engines.changes import Change
from antifaz.methods.operations.cells import is_number, text
from antifaz.methods.operations.keys import Key
from antifaz.methods.operations.made_up_values import Disguise
from antifaz.methods.operations.operation import Operation, Setting
from antifaz.methods.operations.secret import secret


class Substitute(Operation):
    """Replace every value by another one: of a table that is given, or made up in the same shape."""

    name: ClassVar[str] = "substitute"
    summary: ClassVar[str] = "Replaces every value by another one, from a table or made up in the same shape."
    details: ClassVar[str] = (
        "With `table`, a mapping or a CSV file of two columns with a header, each value becomes what stands beside it. "
        "With `made: true` letters become other letters, digits other digits, and everything else stays, so lengths "
        "and shapes are kept; no two values become the same and none stays as it is. With a key the same value becomes "
        "the same in every run and table; without one it follows from the run's seed and the column's values. How "
        "often each value occurs can still be seen, and common values can be guessed by that."
    )
    protects: ClassVar[bool] = True
    personal: ClassVar[bool] = True
    hidden: ClassVar[tuple[str, ...]] = ("table", "key")
    examples: ClassVar[tuple[dict[str, object], ...]] = (
        {"table": {"a": "b"}}, {"table": "names.csv", "others": "missing"}, {"made": True}, {"made": True, "key": "k"},
    )  # fmt: skip

    table: dict[str, str | int | float | None] | str | None = Field(
        default=None, repr=False, description="From each value to its new one; or a CSV file of two columns."
    )
    made: bool = Field(default=False, description="Make the new values up.")
    others: Literal["refuse", "keep", "missing"] = Field(
        default="refuse", description="What becomes of values that the table does not name."
    )
    key: Key
    joins: str | None = Field(
        default=None, description="A name that columns share whose made-up values are to be joined, where no key does."
    )

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if (self.table is None) != self.made:
            raise ValueError("one of two: 'table', or 'made: true'")
        if not self.made and (self.key is not None or self.joins is not None):
            raise ValueError("without 'key' and 'joins', which go with 'made: true'")
        return self

    def prepare(self, setting: Setting) -> Change:
        """Read the table, or find the secret."""
        if self.made:
            work = Disguise(secret(self.name, self.key, setting, setting.column, self.joins))
            return Change(column=setting.column, needs=(setting.column,), work=work, costly=True, result=DataType.TEXT)
        pairs = self._pairs(setting.folder)
        number = setting.type.is_number and all(new is None or is_number(new) for new in pairs.values())
        return Change(
            column=setting.column,
            needs=(setting.column,),
            work=_Looked(setting.column, tuple(pairs), tuple(pairs.values()), self.others),
            result=None if number else DataType.TEXT,
        )

    def _pairs(self, folder: Path | None) -> dict[str, str | None]:
        if isinstance(self.table, dict):
            return {str(old): None if new is None else str(new) for old, new in self.table.items()}
        return read_pairs((folder or Path()) / str(self.table))


def read_pairs(path: Path) -> dict[str, str | None]:
    """Read a CSV file of two columns, a header first, as a mapping; an empty new value is missing."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.reader(file, strict=True))
    except OSError as error:
        raise ParameterError(f"substitute: the table {path.name!r} can't be read ({error.strerror}).") from None
    except (UnicodeDecodeError, csv.Error) as error:
        silence(error)
        raise ParameterError(f"substitute: the table {path.name!r} is not a CSV file in UTF-8.") from None
    pairs: dict[str, str | None] = {}
    for line, row in enumerate(rows[1:], start=2):
        if len(row) != 2 or row[0] in pairs:
            wrong = "does not have two columns" if len(row) != 2 else "names a value a second time"
            raise ParameterError(f"substitute: row {line} of the table {path.name!r} {wrong}.")
        pairs[row[0]] = row[1] or None
    if not pairs:
        raise ParameterError(f"substitute: the table {path.name!r} has no rows below its header.")
    return pairs


@dataclass(frozen=True)
class _Looked:
    column: str
    old: tuple[str, ...]
    new: tuple[str | None, ...]
    others: str

    def __call__(self, arrays: Sequence[pa.Array]) -> pa.Array:
        cells = text(arrays[0])
        place = pc.index_in(cells, value_set=pa.array(self.old, pa.string()))
        result = pa.array(self.new, pa.string()).take(place)
        unknown = pc.and_(pc.is_null(place), pc.is_valid(cells))
        if self.others == "keep":
            return pc.if_else(unknown, cells, result)
        if self.others == "refuse" and (left := pc.sum(unknown).as_py()):
            raise DataError(
                f"substitute: the table does not name {left:,} or more of the values of column {self.column!r}; add "
                "them, or say what becomes of them with others: missing or keep."
            )
        return result
