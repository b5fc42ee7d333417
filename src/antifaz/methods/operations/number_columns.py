"""Columns of numbers: read from a table with all checks, written back, kept within bounds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pydantic import Field, ValidationInfo, field_validator

from antifaz.core.errors import DataError, ParameterError, SchemaError
from antifaz.methods.operations.perturbation import Perturbation, require_column
from antifaz.sources.frames import forget

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Numbers:
    """A column of finite numbers: the values that are there, and in which rows they are."""

    name: str
    values: Floats
    #: Which rows have a value; None where all have.
    present: NDArray[np.bool_] | None
    #: Whether the column's type holds whole numbers only.
    whole: bool

    def there(self, each: Floats) -> Floats:
        """Return, of numbers of which every row has one, those of the rows that have a value."""
        return each if self.present is None else each[self.present]

    def spread_out(self, values: Floats) -> Floats:
        """Return values in the order of these as one per row of the table, NaN where there is none."""
        if self.present is None:
            return values
        full = np.full(self.present.size, np.nan)
        full[self.present] = values
        return full


class OfNumbers(Perturbation):
    """A perturbation that makes new numbers."""

    keep_type: bool = Field(
        default=False,
        description="Keep each column's type: whole numbers stay whole, rounded (a half to even). Otherwise columns "
        "become 64-bit floats.",
    )


class Bounded(OfNumbers):
    """A perturbation whose results may be kept within bounds."""

    low: float | None = Field(
        default=None, allow_inf_nan=False, description="The least number that may come out, such as 0 for ages."
    )
    high: float | None = Field(default=None, allow_inf_nan=False, description="The greatest number that may come out.")
    at_bounds: Literal["reflect", "clip"] = Field(
        default="reflect",
        description="What lies beyond a bound is reflected at it, as often as needed, so that no pile of equal values "
        "gives the bound away; 'clip' puts it on the bound.",
    )

    @field_validator("high")
    @classmethod
    def _above_low(cls, high: float | None, info: ValidationInfo) -> float | None:
        low = info.data.get("low")
        if high is not None and low is not None and high <= low:
            raise ValueError("above low")
        return high

    def _finish(self, table: pa.Table, column: Numbers, values: Floats) -> pa.Table:
        """The table with these numbers, brought within the bounds, in the place of the column's."""
        if self.low is not None or self.high is not None:
            low, high = self._bounds(column)
            values = within(values, low, high, self.at_bounds == "reflect")
        return write_numbers(self.name, table, column, values, self.keep_type)

    def _bounds(self, column: Numbers) -> tuple[float, float]:
        """The bounds, infinite where there is none; for whole numbers the whole ones between them."""
        low = -math.inf if self.low is None else self.low
        high = math.inf if self.high is None else self.high
        if self.keep_type and column.whole:
            low, high = float(np.ceil(low)), float(np.floor(high))
            if low > high:
                raise ParameterError(
                    f"{self.name}: there is no whole number from low to high for column {column.name!r}; widen them or "
                    "set keep_type to false."
                )
        return low, high


def within(values: Floats, low: float, high: float, reflect: bool) -> Floats:
    """Return the values reflected at the bounds, or moved onto them."""
    if reflect and math.isfinite(low) and math.isfinite(high) and high > low:
        width = high - low
        values = low + (width - np.abs(np.mod(values - low, 2 * width) - width))
    elif reflect and math.isfinite(low):
        values = low + np.abs(values - low)
    elif reflect and math.isfinite(high):
        values = high - np.abs(high - values)
    # Also after reflecting: the last digit of a sum may lie beyond.
    return np.clip(values, low, high)


def read_numbers(who: str, table: pa.Table, name: str, *, missing: bool) -> Numbers:
    """Return a column as finite floats, or a sentence on what is wrong; `missing` says if values may be missing."""
    column, present = _numeric(who, table, name, missing)
    whole = _is_whole(column.type)
    values = _in_numpy(column)
    if whole and values.itemsize == 8 and values.size and max(-int(values.min()), int(values.max())) > 2**53:
        raise DataError(
            f"{who}: column {name!r} has whole numbers beyond 2^53, which 64-bit floats can't hold exactly."
        )
    if not whole:
        _require_finite(who, name, values)
    values = np.asarray(values, np.float64)
    return Numbers(name, values, present, whole)


def read_order(who: str, table: pa.Table, name: str, *, missing: bool) -> NDArray[np.int64]:
    """Return the rows that have a number, sorted by it; equal ones in the order of the table."""
    column, present = _numeric(who, table, name, missing)
    values = _in_numpy(column)
    _require_finite(who, name, values)
    order = stable_order(values)
    return order if present is None else np.flatnonzero(present)[order]


def write_numbers(who: str, table: pa.Table, column: Numbers, values: Floats, keep_type: bool) -> pa.Table:
    """Return the table with a column's values replaced; what is missing stays missing."""
    if not np.isfinite(values).all():
        raise DataError(f"{who}: column {column.name!r} has numbers so large that what came out is not finite.")
    if keep_type and column.whole:
        values = np.rint(values)
    mask = None if column.present is None else ~column.present
    made = pa.array(column.spread_out(values), mask=mask)
    at = table.column_names.index(column.name)
    if not keep_type:
        return forget(table.set_column(at, column.name, made), [column.name])
    return table.set_column(at, table.schema.field(at), _cast(who, column, made, table.schema.field(at).type))


def move(table: pa.Table, name: str, sources: NDArray[np.int64]) -> pa.Table:
    """Return the table in which every row has, in one column, the value of another row; the type stays."""
    at = table.column_names.index(name)
    return table.set_column(at, table.schema.field(at), table.column(name).take(pa.array(sources)))


def _cast(who: str, column: Numbers, made: pa.Array, kind: pa.DataType) -> pa.Array:
    try:
        cast = made.cast(kind, safe=column.whole)
    except ValueError:
        cast = None  # its message quotes a cell
    narrow = pa.types.is_floating(kind) and kind != pa.float64()
    if cast is None or (narrow and not np.isfinite(cast.drop_null().to_numpy()).all()):
        raise DataError(
            f"{who}: in column {column.name!r} numbers come out that the type {kind} can't hold; give low and high "
            "where there are such parameters, or set keep_type to false."
        )
    return cast


def _numeric(who: str, table: pa.Table, name: str, missing: bool) -> tuple[pa.ChunkedArray, NDArray[np.bool_] | None]:
    """A column of a type that is a number, without what is missing; and which rows it has values in, None for all."""
    column = require_column(table, name)
    if not is_number(column.type):
        raise SchemaError(f"{who}: column {name!r} is not numbers but {column.type}.")
    if not column.null_count:
        return column, None
    if not missing:
        raise DataError(
            f"{who}: column {name!r} has {column.null_count:,} missing values; fill them or leave these rows out first."
        )
    return column.drop_null(), column.is_valid().to_numpy()


def _in_numpy(column: pa.ChunkedArray) -> NDArray[Any]:
    """Whole numbers as they are, all others as 64-bit floats."""
    plain = _is_whole(column.type) or column.type == pa.float64()
    return np.asarray((column if plain else column.cast("float64")).to_numpy())


def _require_finite(who: str, name: str, values: NDArray[np.number]) -> None:
    if np.isfinite(values).all():
        return
    strange = int((~np.isfinite(values)).sum())
    raise DataError(f"{who}: column {name!r} has {strange:,} values that are infinite or not a number.")


def is_number(kind: pa.DataType) -> bool:
    """Say whether a type is of numbers; booleans and dates are none."""
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _is_whole(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind))


def stable_order(values: NDArray[np.number]) -> NDArray[np.int64]:
    """Return what a stable argsort of finite numbers does, several times as fast."""
    order = np.argsort(values)
    ordered = values[order]
    begins = ordered[1:] != ordered[:-1]
    if begins.all():
        return order
    # Equal values came in any order: sorted again by their run and row, which are no two alike.
    runs = np.concatenate([[0], np.cumsum(begins)]) * values.size
    return np.asarray(np.sort(runs + order) - runs)


def share_of(share: float, rows: int, least: int) -> int:
    """Return how many of the rows a share is, rounded down, but at least so many."""
    # 0.29 * 100 is a little less than 29.
    return max(int(share * rows + 1e-9), least)


def column_list(given: object) -> object:
    """Let one column's name stand for a list of one, for parameters that name columns."""
    return (given,) if isinstance(given, str) else given


def require_apart(who: str, columns: Sequence[str], others: Sequence[str], role: str) -> None:
    """Raise if a column is both changed and in another role."""
    both = [name for name in others if name in columns]
    if both:
        raise ParameterError(f"{who}: column {both[0]!r} can't be in columns and in {role} at once.")
