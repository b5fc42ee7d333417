"""Redaction of free text: what names people is replaced by a mark that says its kind."""

from collections.abc import Sequence
from functools import partial
from typing import ClassVar

import pyarrow as pa
from pydantic import Field

from antifaz.core.changes import ColumnChange
from antifaz.core.errors import ParameterError
from antifaz.core.text_identifiers import FINDERS, Kind, redact
from antifaz.core.types import DataType
from antifaz.methods.operations.operation import Operation, OperationContext
from antifaz.sources.column_values import text


class Redact(Operation):
    """Replace what names people in a text by marks."""

    name: ClassVar[str] = "redact"
    summary: ClassVar[str] = "Replaces what names people in free text by marks such as [email] or [person]."
    details: ClassVar[str] = (
        "Found are what patterns recognize (`patterns`) and the values that the same row has in the columns `by`: "
        "whole, and each word of three letters or more, whatever their case and accents. In a project `by` are the "
        "identifiers and quasi-identifiers unless you say others. Names of other people that are not frequent, "
        "nicknames, typing errors and what only a reader understands are not found: the text is never safe."
    )
    leaves_text: ClassVar[bool] = True
    examples: ClassVar[tuple[dict[str, object], ...]] = ({"by": []}, {"by": [], "patterns": ["email", "phone"]})

    patterns: tuple[Kind, ...] = Field(default=tuple(FINDERS), description="What is looked for by patterns.")
    by: tuple[str, ...] | None = Field(default=None, description="The columns whose values of the same row are found.")

    def prepare(self, context: OperationContext) -> ColumnChange:
        """Return what becomes of the column."""
        by = context.naming if self.by is None else tuple(map(context.require, self.by))
        if by is None:
            raise ParameterError("redact.by-is-needed")
        others = [name for name in by if name != context.column]
        return context.change(partial(_redact, self.patterns), *others, result=DataType.TEXT)


def _redact(patterns: Sequence[str], arrays: Sequence[pa.Array]) -> pa.Array:
    cells, *own = (text(array).to_pylist() for array in arrays)
    rows = zip(*own, strict=True) if own else ((),) * len(cells)
    made = [None if cell is None else redact(cell, patterns, row) for cell, row in zip(cells, rows, strict=True)]
    return pa.array(made, pa.string())
