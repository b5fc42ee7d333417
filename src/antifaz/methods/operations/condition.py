"""Conditions: which cells are meant, by what stands in them or in another column of the same row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import BaseModel, ConfigDict, Field, model_validator

from antifaz.core.types import DataType
from antifaz.methods.operations.cells import bound, ordered, quiet, text

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
class Holds:
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
        with quiet(f"Column {self.column!r} can't be compared with the values that the condition names"):
            if self.type.is_number:
                values = ordered(array, self.type, self.column).cast(pa.float64(), safe=False)
                found = pc.is_in(values, value_set=pa.array([float(value) for value in wanted], pa.float64()))
            else:
                found = pc.is_in(text(array), value_set=pa.array([_written(value) for value in wanted], pa.string()))
        return pc.and_(found, pc.is_valid(array))

    def _compared(self, array: pa.Array, limit: Plain, test: Any) -> pa.Array:
        values = ordered(array, self.type, self.column)
        scalar = bound(limit, values, self.column)
        with quiet(f"Column {self.column!r} can't be compared with the bound of the condition"):
            return pc.fill_null(test(values, scalar), False)


def _written(value: Plain) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
