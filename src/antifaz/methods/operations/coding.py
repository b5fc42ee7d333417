"""Top and bottom coding: what lies beyond a bound is replaced by the bound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field, model_validator

from antifaz.core.errors import SchemaError
from antifaz.core.messages import Message
from antifaz.core.types import DataType
from antifaz.engines.changes import ColumnChange
from antifaz.methods.operations.columns import bound, hide_cells, ordered, reads_as_number, stored_scalar, text
from antifaz.methods.operations.operation import Operation, Setting


class _Coding(Operation):
    """What top and bottom coding have in common."""

    needs_order: ClassVar[bool] = True
    hidden: ClassVar[tuple[str, ...]] = ()
    above: ClassVar[bool]

    at: int | float | str | None = Field(default=None, description="The bound: a number or a date.")
    percentile: float | None = Field(
        default=None, ge=0, le=100, description="Instead: the value that so many of a hundred do not exceed."
    )
    value: int | float | str | None = Field(
        default=None, description="What stands for those beyond; the bound itself when left out."
    )

    @model_validator(mode="after")
    def _one_bound(self) -> Self:
        if (self.at is None) == (self.percentile is None):
            raise ValueError("one of two: 'at' or 'percentile'")
        return self

    def prepare(self, setting: Setting) -> ColumnChange:
        """Find the bound."""
        if not setting.type.is_ordered:
            raise SchemaError(
                "operation.neither-numbers-nor-dates", name=self.name, column=setting.column, type=setting.type
            )
        at = self.at
        if self.percentile is not None:
            at = setting.quantile(setting.column, self.percentile / 100).as_py()
        label = self.value is not None and not (setting.type.is_number and reads_as_number(self.value))
        work = _Coded(setting.column, setting.type, self.above, at, self.value, label)
        return ColumnChange(
            column=setting.column, needs=(setting.column,), work=work, result=DataType.TEXT if label else None
        )


class TopCode(_Coding):
    """Replace all values above a bound by the bound, or by what is given."""

    name: ClassVar[str] = "top-code"
    summary: ClassVar[str] = "Replaces all values above a bound by the bound, or by a value or label."
    details: ClassVar[str] = (
        "The bound is given (`at`), or the smallest value that so many of a hundred values do not exceed "
        "(`percentile`). Extreme values, by which a person is known, are hidden; who lies above can still be seen."
    )
    above: ClassVar[bool] = True
    examples: ClassVar[tuple[dict[str, object], ...]] = ({"at": 200000}, {"percentile": 99.0, "value": "much"})


class BottomCode(_Coding):
    """Replace all values below a bound by the bound, or by what is given."""

    name: ClassVar[str] = "bottom-code"
    summary: ClassVar[str] = "Replaces all values below a bound by the bound, or by a value or label."
    details: ClassVar[str] = (
        "The bound is given (`at`), or the smallest value that so many of a hundred values do not exceed "
        "(`percentile`). Extreme values, by which a person is known, are hidden; who lies below can still be seen."
    )
    above: ClassVar[bool] = False
    examples: ClassVar[tuple[dict[str, object], ...]] = ({"at": 18}, {"percentile": 1.0, "value": 0})


@dataclass(frozen=True)
class _Coded:
    column: str
    type: DataType
    above: bool
    at: object
    value: object
    label: bool

    def __call__(self, arrays: Sequence[pa.Array]) -> pa.Array:
        cells = arrays[0]
        if self.at is None:  # the percentile of a column without values
            return text(cells) if self.label else cells
        values = ordered(cells, self.type, self.column)
        limit = bound(self.at, values, self.column)
        with hide_cells(Message("operation.column-not-comparable-with-bound", column=self.column)):
            beyond = pc.fill_null((pc.greater if self.above else pc.less)(values, limit), False)
            if self.label:
                return pc.if_else(beyond, pa.scalar(str(self.value)), text(cells))
            if self.value is not None:
                limit = bound(self.value, values, self.column)
            if pa.types.is_integer(values.type) and pa.types.is_floating(limit.type):
                limit = pa.scalar(int(limit.as_py()), pa.int64())  # the next whole number within the bound
            return pc.if_else(beyond, stored_scalar(limit, cells), cells)
