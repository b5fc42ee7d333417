"""What an operation is: it changes the cells of one column, each by itself, before anything else is done."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa
from pydantic import ValidationError

from antifaz.core.declaration import Declared
from antifaz.core.errors import SchemaError
from antifaz.core.types import DataType
from antifaz.engines.changes import Change


@dataclass(frozen=True, kw_only=True)
class Setting:
    """Where an operation is at work: what it may ask about the table, and from what its secrets come."""

    column: str
    types: Mapping[str, DataType]
    #: The distinct values of a column, as text, in any order; missing is not among them.
    distinct: Callable[[str], pa.Array]
    #: The smallest value of a column that so large a share of its values (0 to 1) does not exceed.
    quantile: Callable[[str, float], pa.Scalar]
    #: From which all that is random follows where an operation has no key; None draws afresh.
    seed: int | None = None
    #: What paths are relative to.
    folder: Path | None = None
    #: Folders in which no key may be.
    away: tuple[Path, ...] = ()

    @property
    def type(self) -> DataType:
        """How the column that is changed is understood."""
        return self.types[self.column]

    def require(self, column: str) -> str:
        """Return a column's name, or raise where there is none."""
        if column not in self.types:
            from antifaz.core.errors import hint

            raise SchemaError(f"There is no column {column!r}{hint(column, self.types)}.")
        return column


class Operation(Declared, ABC):
    """One thing that is done to the cells of a column. Its parameters may hold values, so errors never quote them."""

    #: Whether a direct identifier may be released after it.
    protects: ClassVar[bool] = False
    #: Whether whoever has the key or the table can undo it: what comes out is still personal data.
    personal: ClassVar[bool] = False
    #: Whether it needs numbers or dates.
    needs_order: ClassVar[bool] = False
    #: Parameters that are never shown: keys, tables, values.
    hidden: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def prepare(self, setting: Setting) -> Change:
        """Look at the table as far as needed, and return what becomes of the column."""

    def told(self) -> dict[str, Any]:
        """Return what may be told of it: its name and parameters, of keys, tables and values only that there are."""
        said = self.model_dump(mode="json", exclude_none=True, exclude=set(self.hidden))
        given = {name: "given" for name in self.hidden if getattr(self, name) is not None}
        return {"name": self.name, **said, **given}

    @classmethod
    def _sentence(cls, error: ValidationError) -> str:
        said = super()._sentence(error)
        # What was given may be a key, or values of people.
        return said.partition(" (got ")[0].rstrip(".") + "." if " (got " in said else said
