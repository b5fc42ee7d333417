"""Suppression: cells are taken away, all of a column's or those of which a condition holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from antifaz.core.types import DataType
from antifaz.engines.changes import Change
from antifaz.methods.operations.cells import text
from antifaz.methods.operations.condition import Condition, Holds
from antifaz.methods.operations.operation import Operation, Setting


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

    def prepare(self, setting: Setting) -> Change:
        """Return what becomes of the column."""
        other = setting.require(self.where.column) if self.where and self.where.column else setting.column
        holds = Holds(self.where, other, setting.types[other]) if self.where else None
        needs = (setting.column,) if other == setting.column else (setting.column, other)
        result = DataType.TEXT if self.by == "*" else None
        return Change(column=setting.column, needs=needs, work=_Suppressed(holds, self.by), result=result)


@dataclass(frozen=True)
class _Suppressed:
    holds: Holds | None
    by: str

    def __call__(self, arrays: Sequence[pa.Array]) -> pa.Array:
        cells = text(arrays[0]) if self.by == "*" else arrays[0]
        new = pa.scalar("*" if self.by == "*" else None, cells.type)
        return pa.repeat(new, len(cells)) if self.holds is None else pc.if_else(self.holds(arrays[-1]), new, cells)
