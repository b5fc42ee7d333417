"""Suppression: cells are taken away, all of a column's or those of which a condition holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import BaseModel, ConfigDict, Field, model_validator

from antifaz.core.messages import Message
from antifaz.core.types import DataType
from antifaz.engines.changes import ColumnChange
from antifaz.methods.operations.columns import bound, hide_cells, ordered, text
from antifaz.methods.operations.operation import Operation, Setting

Plain = str | int | float


class Condition(BaseModel):
    """What must hold of a row; of several tests all must. A missing value passes no test but `missing`."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, hide_input_in_errors=True)

    column: str | None = Field(
        default=None, description="The column that is looked at; the changed one itself if none."
    )
    equals: Plain | None = Field(default=None, description="The value is this one.")
    among: tuple[Plain, ...] | None = Field(default=None, alias="in", description="The value is one of these.")
    below: Plain | None = Field(default=None, description="The number or date is smaller than this.")
    above: Plain | None = Field(default=None, description="The number or date is greater than this.")
    missing: bool | None = Field(default=None, description="The value is missing (true), or is there (false).")

    @model_validator(mode="after")
    def _some_test(self) -> Self:
        tests = (self.equals, self.among, self.below, self.above, self.missing)
        if all(test is None for test in tests):
            raise ValueError("one that tests something: equals, in, below, above or missing")
        return self


@dataclass(frozen=True)
class ConditionTest:
    """Says of every row whether a condition holds."""

    condition: Condition
    column: str
    type: DataType

    def __call__(self, array: pa.Array) -> pa.Array:
        """Return true where the condition holds."""
        found = pa.array([True]).take(pa.repeat(pa.scalar(0), len(array)))
        tests = self.condition
        if tests.missing is not None:
            found = pc.is_null(array) if tests.missing else pc.is_valid(array)
        if tests.equals is not None:
            found = pc.and_(found, self._among(array, (tests.equals,)))
        if tests.among is not None:
            found = pc.and_(found, self._among(array, tests.among))
        for limit, test in ((tests.below, pc.less), (tests.above, pc.greater)):
            if limit is not None:
                found = pc.and_(found, self._compared(array, limit, test))
        return found

    def _among(self, array: pa.Array, wanted: Sequence[Plain]) -> pa.Array:
        with hide_cells(Message("operation.column-not-comparable-with-values", column=self.column)):
            if self.type.is_number:
                values = ordered(array, self.type, self.column).cast(pa.float64(), safe=False)
                found = pc.is_in(values, value_set=pa.array([float(value) for value in wanted], pa.float64()))
            else:
                found = pc.is_in(text(array), value_set=pa.array([_written(value) for value in wanted], pa.string()))
        return pc.and_(found, pc.is_valid(array))

    def _compared(self, array: pa.Array, limit: Plain, test: Any) -> pa.Array:
        values = ordered(array, self.type, self.column)
        scalar = bound(limit, values, self.column)
        with hide_cells(Message("operation.column-not-comparable-with-condition", column=self.column)):
            return pc.fill_null(test(values, scalar), False)


def _written(value: Plain) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


class Suppress(Operation):
    """Take away the cells of a column, all of them or those of which a condition holds."""

    name: ClassVar[str] = "suppress"
    summary: ClassVar[str] = "Takes away cells: all of a column, or those of which a condition holds."
    details: ClassVar[str] = (
        "The cells become missing, or '*'; the column stays. A condition may look at another column of the same row: "
        "`where: {column: age, above: 90}`. That a cell was taken away tells that the condition held. To leave a "
        "column out altogether, give it the role identifier."
    )
    protects: ClassVar[bool] = True
    hidden: ClassVar[tuple[str, ...]] = ("where",)
    examples: ClassVar[tuple[dict[str, object], ...]] = (
        {}, {"by": "*"}, {"where": {"above": 90}}, {"where": {"column": "age", "in": [1, 2]}},
    )  # fmt: skip

    where: Condition | None = Field(default=None, description="Which cells are meant; all when left out.")
    by: Literal["missing", "*"] = Field(default="missing", description="What stands there instead.")

    def parameters(self) -> dict[str, Any]:
        """Return the parameters as JSON-ready data, under the names they have in project files."""
        return self.model_dump(mode="json", exclude_none=True, by_alias=True)

    def prepare(self, setting: Setting) -> ColumnChange:
        """Return what becomes of the column."""
        other = setting.require(self.where.column) if self.where and self.where.column else setting.column
        holds = ConditionTest(self.where, other, setting.types[other]) if self.where else None
        needs = (setting.column,) if other == setting.column else (setting.column, other)
        result = DataType.TEXT if self.by == "*" else None
        return ColumnChange(column=setting.column, needs=needs, work=_Suppressed(holds, self.by), result=result)


@dataclass(frozen=True)
class _Suppressed:
    holds: ConditionTest | None
    by: str

    def __call__(self, arrays: Sequence[pa.Array]) -> pa.Array:
        cells = text(arrays[0]) if self.by == "*" else arrays[0]
        new = pa.scalar("*" if self.by == "*" else None, cells.type)
        return pa.repeat(new, len(cells)) if self.holds is None else pc.if_else(self.holds(arrays[-1]), new, cells)
