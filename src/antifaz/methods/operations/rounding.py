"""Coarser numbers and dates: rounded to a multiple of a base, or replaced by a bound where they lie beyond it."""

from collections.abc import Sequence
from decimal import Decimal
from functools import partial
from typing import ClassVar, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field, model_validator

from antifaz.core.arrays import Floats
from antifaz.core.changes import ColumnChange
from antifaz.core.errors import ParameterError, SchemaError
from antifaz.core.messages import Message
from antifaz.core.types import DataType
from antifaz.methods.operations.operation import NumberPerturbation, Operation, OperationContext
from antifaz.sources.column_values import (
    NumberColumn,
    bound,
    hide_cells,
    is_text,
    ordered,
    read_numbers,
    reads_as_number,
    stored_scalar,
    text,
    trimmed,
    write_numbers,
)

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
            raise ValueError(Message("expected.one-of-two", one="base", other="digits"))
        return self

    def prepare(self, context: OperationContext) -> ColumnChange:
        """See that the column is numbers, and that whole numbers can stay whole."""
        if not context.type.is_number:
            raise SchemaError("round.column-not-numbers", column=context.column, type=context.type)
        base = self.base if self.base is not None else Decimal(10) ** -(self.digits or 0)
        whole = context.type is DataType.INTEGER
        if whole and self.digits is not None and self.digits > 0:
            base = Decimal(1)
        if whole and base != int(base):
            raise ParameterError("round.base-not-whole", column=context.column)
        return context.change(partial(_rounded, context.column, base))


def _rounded(column: str, base: Decimal, arrays: Sequence[pa.Array]) -> pa.Array:
    cells = arrays[0]
    scale = max(-int(base.normalize().as_tuple().exponent), 0)  # how many digits behind the point the base has

    def exact(numbers: pa.Array, digits: int) -> pa.Array:
        kind = pa.decimal256(76, max(digits, scale))
        return pc.round_to_multiple(numbers.cast(kind), pa.scalar(base, kind), round_mode=_EVEN)

    with hide_cells(Message("round.beyond-type", column=column)):
        if is_text(cells):
            bare = trimmed(cells)
            if base == int(base) and pc.all(pc.match_substring_regex(bare, r"^-?\d{1,18}$")).as_py() is not False:
                numbers = bare.cast(pa.int64())
                return pc.round_to_multiple(numbers, pa.scalar(int(base)), round_mode=_EVEN).cast(pa.string())
            # By exact arithmetic; as many digits behind the point come out as the base has.
            numbers = bare.cast(pa.decimal256(76, 30))
            return exact(numbers, 30).cast(pa.decimal256(76, scale)).cast(pa.string())
        if pa.types.is_integer(cells.type):
            wide = cells if base < 2**7 else cells.cast(pa.int64())
            return pc.round_to_multiple(wide, pa.scalar(int(base), wide.type), round_mode=_EVEN).cast(cells.type)
        if pa.types.is_decimal(cells.type):
            return exact(cells, cells.type.scale).cast(cells.type)
        exponent = int(base.normalize().as_tuple().exponent)
        if base.normalize().as_tuple().digits == (1,) and exponent <= 0:
            return pc.round(cells, ndigits=-exponent, round_mode=_EVEN)
        values = cells.cast(pa.float64()).to_numpy(zero_copy_only=False)
        # The last step gives 0.3 rather than 0.30000000000000004.
        made = pc.round(pa.array(np.rint(values / float(base)) * float(base)), ndigits=scale)
        return pc.if_else(pc.is_valid(cells), made, pa.scalar(None, pa.float64())).cast(cells.type)


class RandomRounding(NumberPerturbation):
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
        # 3 / 10 is 0.3, and 3 * 0.1 is not.
        parts = 1 / self.base
        made = whole / parts if self.base < 1 and parts == round(parts) else whole * self.base
        return write_numbers(self.name, table, column, made, self.keep_type)


class _Coding(Operation):
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
            raise ValueError(Message("expected.one-of-two", one="at", other="percentile"))
        return self

    def prepare(self, context: OperationContext) -> ColumnChange:
        """Find the bound."""
        if not context.type.is_ordered:
            raise SchemaError(
                "operation.neither-numbers-nor-dates", name=self.name, column=context.column, type=context.type
            )
        at = self.at
        if self.percentile is not None:
            at = context.quantile(context.column, self.percentile / 100).as_py()
        label = self.value is not None and not (context.type.is_number and reads_as_number(self.value))
        work = partial(self._coded, context.column, context.type, at, label)
        return context.change(work, result=DataType.TEXT if label else None)

    def _coded(self, column: str, kind: DataType, at: object, label: bool, arrays: Sequence[pa.Array]) -> pa.Array:
        cells = arrays[0]
        if at is None:  # the percentile of a column without values
            return text(cells) if label else cells
        values = ordered(cells, kind, column)
        limit = bound(at, values, column)
        with hide_cells(Message("operation.column-not-comparable-with-bound", column=column)):
            beyond = pc.fill_null((pc.greater if self.above else pc.less)(values, limit), False)
            if label:
                return pc.if_else(beyond, pa.scalar(str(self.value)), text(cells))
            if self.value is not None:
                limit = bound(self.value, values, column)
            if pa.types.is_integer(values.type) and pa.types.is_floating(limit.type):
                limit = pa.scalar(int(limit.as_py()), pa.int64())  # the next whole number within the bound
            return pc.if_else(beyond, stored_scalar(limit, cells), cells)


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
