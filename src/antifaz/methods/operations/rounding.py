"""Rounding: numbers to a multiple of a base, the nearest one, or up or down at random."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field, model_validator

from antifaz.core.errors import ParameterError, SchemaError
from antifaz.core.messages import Message
from antifaz.core.types import DataType
from antifaz.engines.changes import ColumnChange
from antifaz.methods.operations.columns import (
    Floats,
    NumberColumn,
    hide_cells,
    is_text,
    read_numbers,
    trimmed,
    write_numbers,
)
from antifaz.methods.operations.operation import NumberPerturbation, Operation, Setting

_EVEN = "half_to_even"


class Round(Operation):
    """Round numbers to the nearest multiple of a base."""

    name: ClassVar[str] = "round"
    summary: ClassVar[str] = "Rounds numbers to the nearest multiple of a base, or to a number of digits."
    details: ClassVar[str] = (
        "`base: 1000` gives thousands, `digits: 2` hundredths, `digits: -3` thousands again; whole numbers stay whole. "
        "A half goes to the even multiple. Numbers that are rare stay rare: rounding hides exact values, not extreme "
        "ones."
    )
    needs_order: ClassVar[bool] = True
    examples: ClassVar[tuple[dict[str, object], ...]] = ({"base": "1000"}, {"base": "0.25"}, {"digits": 2})

    base: Decimal | None = Field(default=None, gt=0, description="What the result is a multiple of.")
    digits: int | None = Field(default=None, ge=-18, le=18, description="Instead: how many digits behind the point.")

    @model_validator(mode="after")
    def _one_of_two(self) -> Self:
        if (self.base is None) == (self.digits is None):
            raise ValueError("one of two: 'base' or 'digits'")
        return self

    def prepare(self, setting: Setting) -> ColumnChange:
        """See that the column is numbers, and that whole numbers can stay whole."""
        if not setting.type.is_number:
            raise SchemaError("round.column-not-numbers", column=setting.column, type=setting.type)
        base = self.base if self.base is not None else Decimal(10) ** -(self.digits or 0)
        whole = setting.type is DataType.INTEGER
        if whole and self.digits is not None and self.digits > 0:
            base = Decimal(1)
        if whole and base != int(base):
            raise ParameterError("round.base-not-whole", column=setting.column)
        return ColumnChange(column=setting.column, needs=(setting.column,), work=_Rounded(setting.column, base))


@dataclass(frozen=True)
class _Rounded:
    column: str
    base: Decimal

    def __call__(self, arrays: Sequence[pa.Array]) -> pa.Array:
        cells = arrays[0]
        with hide_cells(Message("round.beyond-type", column=self.column)):
            if is_text(cells):
                return self._written(cells)
            if pa.types.is_integer(cells.type):
                wide = cells if self.base < 2**7 else cells.cast(pa.int64())
                base = pa.scalar(int(self.base), wide.type)
                return pc.round_to_multiple(wide, base, round_mode=_EVEN).cast(cells.type)
            if pa.types.is_decimal(cells.type):
                return self._exact(cells, cells.type.scale).cast(cells.type)
            return self._floating(cells)

    def _written(self, cells: pa.Array) -> pa.Array:
        """Round text by exact arithmetic; as many digits behind the point come out as the base has."""
        bare = trimmed(cells)
        if self.base == int(self.base) and pc.all(pc.match_substring_regex(bare, r"^-?\d{1,18}$")).as_py() is not False:
            numbers = bare.cast(pa.int64())
            return pc.round_to_multiple(numbers, pa.scalar(int(self.base)), round_mode=_EVEN).cast(pa.string())
        numbers = bare.cast(pa.decimal256(76, 30))
        return self._exact(numbers, 30).cast(pa.decimal256(76, self._scale)).cast(pa.string())

    @property
    def _scale(self) -> int:
        """How many digits behind the point the base has."""
        return max(-int(self.base.normalize().as_tuple().exponent), 0)

    def _exact(self, numbers: pa.Array, scale: int) -> pa.Array:
        kind = pa.decimal256(76, max(scale, self._scale))
        return pc.round_to_multiple(numbers.cast(kind), pa.scalar(self.base, kind), round_mode=_EVEN)

    def _floating(self, cells: pa.Array) -> pa.Array:
        """Round floating-point numbers; the last step gives 0.3 rather than 0.30000000000000004."""
        exponent = int(self.base.normalize().as_tuple().exponent)
        if self.base.normalize().as_tuple().digits == (1,) and exponent <= 0:
            return pc.round(cells, ndigits=-exponent, round_mode=_EVEN)
        values = cells.cast(pa.float64()).to_numpy(zero_copy_only=False)
        rounded = np.rint(values / float(self.base)) * float(self.base)
        made = pc.round(pa.array(rounded), ndigits=self._scale)
        return pc.if_else(pc.is_valid(cells), made, pa.scalar(None, pa.float64())).cast(cells.type)


class Rounding(NumberPerturbation):
    """Rounds every number to a multiple of a base, up or down at random."""

    name: ClassVar[str] = "rounding"
    summary: ClassVar[str] = "Every number is rounded to a multiple of a base, up or down at random."
    details: ClassVar[str] = (
        "The nearer multiple is the likelier one, so that the expected value of what comes out is what went in; a "
        "number that is a multiple already stays. Not random, the nearest is taken, a half to the even one. Missing "
        "values stay missing; infinite values and NaN are refused."
    )
    formula: ClassVar[str] = "x' = b·(⌊x/b⌋ + 1) with probability x/b − ⌊x/b⌋, else b·⌊x/b⌋"
    source: ClassVar[str] = "L. Willenborg, T. de Waal, Elements of Statistical Disclosure Control, 2001"
    primary: ClassVar[str] = "base"
    by_cell: ClassVar[bool] = True

    base: float = Field(gt=0, allow_inf_nan=False, description="Numbers become multiples of this.")
    random: bool = Field(default=True, description="Up or down at random; otherwise to the nearest.")

    def apply(self, table: pa.Table, columns: Sequence[str], random: np.random.Generator) -> pa.Table:
        """Round each column by itself."""
        for name in columns:
            column = read_numbers(self.name, table, name, missing=True)
            table = self._rounded(table, column, random.random(column.values.size) if self.random else None)
        return table

    def cells(self, table: pa.Table, column: str, draws: Floats, deviation: float) -> pa.Table:
        """Round some rows of a column."""
        read = read_numbers(self.name, table, column, missing=True)
        return self._rounded(table, read, read.there(draws) if self.random else None)

    def _rounded(self, table: pa.Table, column: NumberColumn, draws: Floats | None) -> pa.Table:
        with np.errstate(over="ignore"):
            steps = column.values / self.base
        down = np.floor(steps)
        whole = np.rint(steps) if draws is None else down + (draws < steps - down)
        return write_numbers(self.name, table, column, self._multiples(whole), self.keep_type)

    def _multiples(self, steps: Floats) -> Floats:
        # 3 / 10 is 0.3, and 3 * 0.1 is not.
        parts = 1 / self.base
        return steps / parts if self.base < 1 and parts == round(parts) else steps * self.base
