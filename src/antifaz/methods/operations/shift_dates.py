"""Shifted dates: all dates of one person move by the same secret number of days."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from antifaz.core.arrays import Ints
from antifaz.core.changes import ColumnChange
from antifaz.core.errors import DataError, SchemaError
from antifaz.core.keys import Key
from antifaz.core.messages import Message
from antifaz.core.types import DataType
from antifaz.methods.operations.operation import Operation, OperationContext, secret
from antifaz.sources.column_values import hide_cells, is_text, text, trimmed

#: The first and the last day of the years 1 to 9999, counted from 1970.
_FIRST, _LAST = -719162, 2932896
_DAY = {"s": 86_400, "ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}


class ShiftDates(Operation):
    """Move all dates of one person by the same secret number of days."""

    name: ClassVar[str] = "shift-dates"
    summary: ClassVar[str] = "Moves all dates of one person by the same secret number of days."
    details: ClassVar[str] = (
        "The days between a person's dates stay, also across columns that are shifted with the same key and `days`. "
        "With `interval` they become multiples of so many days, the same for all dates of a person: their order "
        "stays, equal dates stay equal, others may become equal, and times of day go. Without it nobody moves by zero "
        "days. A date whose person is missing becomes missing. Seasons, weekdays and, over years, the age stay about "
        "right; a day on which something known happened can give a person's shift away, and with it all their dates."
    )
    hidden: ClassVar[tuple[str, ...]] = ("key",)
    needs_order: ClassVar[bool] = True
    examples: ClassVar[tuple[dict[str, object], ...]] = (
        {"person": "id"},
        {"person": "id", "days": 30, "interval": 7, "key": "k"},
    )

    person: str = Field(description="The column that says whose date it is.")
    days: int = Field(default=365, ge=1, le=36_500, description="The most days, back or forth.")
    interval: int = Field(
        default=1, ge=1, le=3_660, description="The days between a person's dates become multiples of so many."
    )
    key: Key

    def prepare(self, context: OperationContext) -> ColumnChange:
        """Find the secret."""
        person = context.require(self.person)
        if context.type not in (DataType.DATE, DataType.DATETIME):
            raise SchemaError("shift-dates.column-not-dates", column=context.column, type=context.type)
        work = _Shifted(context.column, self.days, self.interval, secret(self.name, self.key, context, person))
        return context.change(work, person)


@dataclass(frozen=True)
class _Shifted:
    column: str
    days: int
    interval: int
    secret: bytes = field(repr=False)

    def __call__(self, arrays: Sequence[pa.Array]) -> pa.Array:
        cells, people = arrays[0], text(arrays[-1])
        with hide_cells(Message("operation.column-not-readable-as-dates", column=self.column)):
            if is_text(cells):
                bare = trimmed(cells)
                days = pc.utf8_slice_codeunits(bare, 0, 10).cast(pa.date32())
                moved = self._moved(days, people).cast(pa.string())
                time = pc.utf8_slice_codeunits(bare, 10)
                if self.interval > 1:
                    time = pc.replace_substring_regex(time, r"\d", "0")
                return pc.binary_join_element_wise(moved, time, "")
            return self._moved(cells, people)

    def _moved(self, cells: pa.Array, people: pa.Array) -> pa.Array:
        kind = cells.type
        unit = 1 if pa.types.is_date32(kind) else _DAY["ms" if pa.types.is_date64(kind) else kind.unit]
        number = pa.int32() if pa.types.is_date32(kind) else pa.int64()
        shifts = pa.array(self.shifts(people) * unit, pa.int64(), mask=np.asarray(people.is_null()))
        moved = pc.add(cells.cast(number).cast(pa.int64()), shifts)
        if self.interval > 1:  # down to a grid that is the same for all; where a person's dates lie in it is a secret
            step = self.interval * unit
            there = np.asarray(moved.fill_null(0)) // step * step
            moved = pa.array(there, pa.int64(), mask=np.asarray(moved.is_null()))
        ends = pc.min_max(moved)
        if ends["min"].as_py() is not None and not (
            _FIRST * unit <= ends["min"].as_py() and ends["max"].as_py() < (_LAST + 1) * unit
        ):
            raise DataError("shift-dates.end-of-calendar", column=self.column)
        return moved.cast(number).cast(kind)

    def shifts(self, people: pa.Array) -> Ints:
        """Return by how many days each person's dates move; never zero."""
        from antifaz.kernels.keyed_hash import hashes

        people = pa.concat_arrays([people]) if people.offset == 0 else people.take(pa.array(np.arange(len(people))))
        _, offsets, data = people.buffers()
        starts = np.frombuffer(offsets, np.int32, len(people) + 1) if len(people) else np.zeros(1, np.int32)
        content = np.frombuffer(data, np.uint8) if data is not None and data.size else np.zeros(1, np.uint8)
        key = np.frombuffer(self.secret[:16], np.uint64)
        place = (hashes(content, starts, key) % np.uint64(2 * self.days)).astype(np.int64)
        return np.asarray(place - self.days + (place >= self.days), np.int64)
