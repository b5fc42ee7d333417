"""A hierarchy given as a table: one row per value, its labels level by level."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field, WithJsonSchema

from antifaz.core.errors import HierarchyError
from antifaz.core.types import DataType
from antifaz.hierarchies.builder import LABEL_SCHEMA, HierarchyBuilder, as_label
from antifaz.hierarchies.hierarchy import Hierarchy

_LABELS: dict[str, Any] = {"type": "array", "items": LABEL_SCHEMA, "minItems": 1}
_SCHEMA: dict[str, Any] = {
    "anyOf": [{"type": "array", "items": _LABELS}, {"type": "object", "additionalProperties": _LABELS}]
}


def _rows(given: object) -> tuple[tuple[str, ...], ...]:
    if isinstance(given, Mapping):
        # A single label need not be in a list.
        given = [(leaf, *(up if isinstance(up, list | tuple) else (up,))) for leaf, up in given.items()]
    if not isinstance(given, list | tuple):
        raise HierarchyError("hierarchy.rows-not-lists")
    return tuple(_row(row, line) for line, row in enumerate(given, 1))


def _row(row: object, line: int) -> tuple[str, ...]:
    if not isinstance(row, list | tuple):
        raise HierarchyError("hierarchy.line-not-a-list", line=line)
    return tuple(as_label(cell, f"Line {line}, level {level},") for level, cell in enumerate(row))


class Table(HierarchyBuilder):
    """Takes the hierarchy from rows: a value, then its label at each level, up to the root."""

    name: ClassVar[str] = "table"
    summary: ClassVar[str] = "A table typed in: each value with its label at every level."
    details: ClassVar[str] = (
        "One row per value: the value, what it becomes at level 1, at level 2, …, and last the root, the same for all. "
        "Or a mapping of each value to the list of its labels. A label has one parent. The order of the rows is kept."
    )
    primary: ClassVar[str] = "rows"
    needs_data: ClassVar[bool] = False

    rows: Annotated[tuple[tuple[str, ...], ...], BeforeValidator(_rows), WithJsonSchema(_SCHEMA)] = Field(
        description="One row per value: the value, its label at level 1, …, the root."
    )

    def build(self, values: Sequence[str], kind: DataType) -> Hierarchy:
        """Return the rows as a hierarchy; the data's values are not needed."""
        return self._made(self.rows, kind)
