"""Suppression and masking: cells are taken away, or covered but for their ends."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar, Literal, Self

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import BaseModel, ConfigDict, Field, model_validator

from antifaz.core.changes import ColumnChange
from antifaz.core.messages import Message
from antifaz.core.types import DataType
from antifaz.methods.operations.operation import Operation, OperationContext
from antifaz.sources.column_values import bound, hide_cells, ordered, text

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
            raise ValueError(Message("expected.some-test"))
        return self

    def holds(self, column: str, kind: DataType, array: pa.Array) -> pa.Array:
        """Return true where the condition holds."""
        result = pa.array([True]).take(pa.repeat(pa.scalar(0), len(array)))
        if self.missing is not None:
            result = pc.is_null(array) if self.missing else pc.is_valid(array)
        for among in (None if self.equals is None else (self.equals,), self.among):
            if among is not None:
                result = pc.and_(result, _is_among(column, kind, array, among))
        for limit, test in ((self.below, pc.less), (self.above, pc.greater)):
            if limit is not None:
                values = ordered(array, kind, column)
                scalar = bound(limit, values, column)
                with hide_cells(Message("operation.column-not-comparable-with-condition", column=column)):
                    result = pc.and_(result, pc.fill_null(test(values, scalar), False))
        return result


def _is_among(column: str, kind: DataType, array: pa.Array, wanted: Sequence[Plain]) -> pa.Array:
    with hide_cells(Message("operation.column-not-comparable-with-values", column=column)):
        if kind.is_number:
            values = ordered(array, kind, column).cast(pa.float64(), safe=False)
            among = pc.is_in(values, value_set=pa.array([float(value) for value in wanted], pa.float64()))
        else:
            spelled = [str(value).lower() if isinstance(value, bool) else str(value) for value in wanted]
            among = pc.is_in(text(array), value_set=pa.array(spelled, pa.string()))
    return pc.and_(among, pc.is_valid(array))


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

    def prepare(self, context: OperationContext) -> ColumnChange:
        """Return what becomes of the column."""
        other = context.require(self.where.column) if self.where and self.where.column else context.column
        holds = partial(self.where.holds, other, context.types[other]) if self.where else None
        others = () if other == context.column else (other,)
        result = DataType.TEXT if self.by == "*" else None
        return context.change(partial(self._suppress, holds), *others, result=result)

    def _suppress(self, holds: Callable[[pa.Array], pa.Array] | None, arrays: Sequence[pa.Array]) -> pa.Array:
        cells = text(arrays[0]) if self.by == "*" else arrays[0]
        new = pa.scalar("*" if self.by == "*" else None, cells.type)
        return pa.repeat(new, len(cells)) if holds is None else pc.if_else(holds(arrays[-1]), new, cells)


#: So many characters cover a value whose length is not to be told.
_FIXED = 3


class Mask(Operation):
    """Cover all characters of a value but some at its ends."""

    name: ClassVar[str] = "mask"
    summary: ClassVar[str] = "Covers the characters of a value, all but some at its ends."
    details: ClassVar[str] = (
        "`first` and `last` say how many characters stay at each end; a value that would be shown whole is covered "
        "whole. What stays, and the length, may still tell who it is: a masked column can be a quasi-identifier."
    )
    protects: ClassVar[bool] = True
    examples: ClassVar[tuple[dict[str, object], ...]] = ({}, {"first": 2, "last": 1, "character": "x", "length": False})

    first: int = Field(default=0, ge=0, description="How many characters stay at the beginning.")
    last: int = Field(default=0, ge=0, description="How many characters stay at the end.")
    character: str = Field(default="*", max_length=1, description="What covers the others; '' cuts them off.")
    length: bool = Field(default=True, description="Whether the length of a value stays; else it is always the same.")

    def prepare(self, context: OperationContext) -> ColumnChange:
        """Return what becomes of the column."""
        return context.change(self._cover, result=DataType.TEXT)

    def _cover(self, arrays: Sequence[pa.Array]) -> pa.Array:
        cells = text(arrays[0])
        if pc.all(pc.string_is_ascii(cells)).as_py() is not False:  # bytes are characters, which is faster
            lengths, cut = pc.binary_length(cells), _cut_bytes
        else:
            lengths, cut = pc.utf8_length(cells), pc.utf8_slice_codeunits
        shown = self.first + self.last
        whole = pc.less_equal(lengths, shown)
        covered = pc.if_else(whole, lengths, pc.subtract(lengths, shown)) if self.length else _FIXED
        middle = pc.binary_repeat(self.character, covered)
        if shown:
            begin = cut(cells, 0, self.first) if self.first else pa.scalar("")
            end = cut(cells, -self.last) if self.last else pa.scalar("")
            middle = pc.if_else(whole, middle, pc.binary_join_element_wise(begin, middle, end, ""))
        return pc.if_else(pc.is_valid(cells), middle, pa.scalar(None, pa.string()))


def _cut_bytes(cells: pa.Array, start: int, stop: int | None = None) -> pa.Array:
    return pc.binary_slice(cells.cast(pa.binary()), start, stop).cast(pa.string())
