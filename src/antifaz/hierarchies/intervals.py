"""Numbers in intervals of fixed widths, each level's made of whole ones of the level before.

Exact decimal numbers are counted as whole numbers of their smallest unit.
"""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Context, Decimal, InvalidOperation
from itertools import pairwise
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import AfterValidator, BeforeValidator, Field, PlainSerializer, ValidationInfo, field_validator

from antifaz.core.errors import HierarchyError
from antifaz.core.messages import Message
from antifaz.core.types import DataType
from antifaz.core.values import all_match
from antifaz.hierarchies.builder import HierarchyBuilder, as_list
from antifaz.hierarchies.hierarchy import EncodedLevel, Hierarchy

#: Numbers with more digits than this before or after the point are not measurements of people.
_DIGITS = 400
_EXACT = Context(prec=3 * _DIGITS)
#: Whole numbers that are counted as machines count; sums and products with larger ones need Python's.
_SHORT_WHOLE = re.compile(r"-?[0-9]{1,17}")
_LARGE = 10**17


def _bounded(number: Decimal) -> Decimal:
    if not _is_plain(number):
        raise ValueError(Message("expected.number-of-digits", digits=_DIGITS))
    return number


def _as_json(number: Decimal) -> int | float | str:
    if _is_whole(number):
        return int(number)
    near = float(number)
    return near if Decimal(repr(near)) == number else str(number)


#: A parameter that is an exact number: 0.1 is a tenth; written to JSON as a number wherever that is exact.
Number = Annotated[Decimal, AfterValidator(_bounded), PlainSerializer(_as_json, when_used="json")]


def _is_plain(number: Decimal) -> bool:
    """Whether the number is finite and of a length that can be written out."""
    return number.is_finite() and abs(number.adjusted()) <= _DIGITS and _places(number) <= _DIGITS


def _is_whole(number: Decimal) -> bool:
    return number == number.to_integral_value(context=_EXACT)


def read_decimals(values: Sequence[str]) -> dict[str, Decimal]:
    """Return the number that each value spells; raise with those that spell none, or none that can be written out."""
    numbers: dict[str, Decimal] = {}
    for value in values:
        with suppress(InvalidOperation):
            if _is_plain(number := Decimal(value)):
                numbers[value] = number
    bad = sorted(set(values) - numbers.keys())
    if bad:
        raise HierarchyError("hierarchy.values-not-numbers", values=bad, count=len(bad))
    return numbers


def _places(number: Decimal) -> int:
    exponent = number.as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def _units(number: Decimal, scale: int) -> int:
    """Return the number in units of 10**-scale, exactly."""
    return int(_EXACT.scaleb(number, scale))


def _spelled(count: int, scale: int) -> str:
    """Return the shortest plain spelling of so many units of 10**-scale."""
    digits = str(abs(count)).zfill(scale + 1)
    whole, part = digits[: len(digits) - scale], digits[len(digits) - scale :].rstrip("0")
    return ("-" if count < 0 else "") + whole + (f".{part}" if part else "")


class Intervals(HierarchyBuilder):
    """Puts numbers into intervals, wider at each level."""

    name: ClassVar[str] = "intervals"
    summary: ClassVar[str] = "Numbers in intervals of these widths: 23, [20, 25), [20, 30), …, *."
    details: ClassVar[str] = (
        "An interval holds its lower bound and not its upper one. Each width is a multiple of the one before, so that "
        "intervals nest. Values below 'low' share one label, and so do values from 'high' on: rare extremes are often "
        "what singles people out. Arithmetic is exact, also for widths such as 0.1."
    )
    primary: ClassVar[str] = "widths"
    needs_data: ClassVar[bool] = True
    value_by_value: ClassVar[bool] = True

    widths: Annotated[tuple[Number, ...], BeforeValidator(as_list)] = Field(
        description="The width of the intervals at each level, the narrowest first.", json_schema_extra={"minItems": 1}
    )
    origin: Number = Field(default=Decimal(0), description="A number at which intervals begin.")
    low: Number | None = Field(default=None, description="Values below this fall into one label, '< low'.")
    high: Number | None = Field(default=None, description="Values from this on fall into one label, '>= high'.")
    closed: bool = Field(default=False, description="Write whole numbers as [20-29] and not as [20, 30).")
    top: bool = Field(default=True, description="Put '*' on top; otherwise the last level must be one interval.")

    @field_validator("widths")
    @classmethod
    def _nested(cls, widths: tuple[Decimal, ...]) -> tuple[Decimal, ...]:
        if not widths:
            raise ValueError(Message("expected.one-width"))
        scale = max(map(_places, widths))
        exact = [_units(width, scale) for width in widths]
        if min(exact) <= 0:
            raise ValueError(Message("expected.above-0"))
        if any(wide % narrow or wide == narrow for narrow, wide in pairwise(exact)):
            raise ValueError(Message("expected.multiples"))
        return widths

    @field_validator("high")
    @classmethod
    def _above_low(cls, high: Decimal | None, info: ValidationInfo) -> Decimal | None:
        low = info.data.get("low")
        if high is not None and low is not None and high <= low:
            raise ValueError(Message("expected.above-low"))
        return high

    @field_validator("closed")
    @classmethod
    def _whole(cls, closed: bool, info: ValidationInfo) -> bool:
        given = (*info.data.get("widths", ()), info.data.get("origin"), info.data.get("low"), info.data.get("high"))
        if closed and any(number is not None and not _is_whole(number) for number in given):
            raise ValueError(Message("expected.not-closed"))
        return closed

    def build(self, values: Sequence[str], kind: DataType) -> Hierarchy:
        """Return the numbers in their order, each in its intervals."""
        given = [bound for bound in (self.low, self.high, self.origin) if bound is not None]
        scale = max(map(_places, (*given, *self.widths)))
        leaves = sorted(dict.fromkeys(values))
        if scale == 0 and all_match(_SHORT_WHOLE, leaves):
            counts = np.fromiter(map(int, leaves), np.int64, len(leaves))
        else:
            numbers = self._numbers(leaves)
            scale = max(map(_places, (*numbers.values(), *given, *self.widths)))
            # Any number of digits: whole numbers of Python's.
            counts = np.array([_units(numbers[leaf], scale) for leaf in leaves], object)
        order = np.argsort(counts, kind="stable")
        leaves, counts = list(map(leaves.__getitem__, order.tolist())), counts[order]
        low, high = (None if bound is None else _units(bound, scale) for bound in (self.low, self.high))
        fixed = (_units(self.origin, scale), low, high, scale, self.closed)
        levels = [_Level(_units(width, scale), *fixed) for width in self.widths]
        if any(abs(number or 0) >= _LARGE for number in (*fixed[:3], *(level.width for level in levels))):
            counts = counts.astype(object)
        above = [level.encoded(counts) for level in levels]
        return self._made_of(leaves, above, kind, suppression=self.top or self.suppression)

    def _numbers(self, values: Sequence[str]) -> dict[str, Decimal]:
        numbers = read_decimals(values)
        broken = sorted(value for value, number in numbers.items() if self.closed and not _is_whole(number))
        if broken:
            raise HierarchyError("hierarchy.values-not-whole-numbers", values=broken, broken=len(broken))
        return numbers


@dataclass(frozen=True)
class _Level:
    """The intervals of one width, all numbers in units of 10**-scale."""

    width: int
    origin: int
    low: int | None
    high: int | None
    scale: int
    closed: bool

    def encoded(self, counts: Any) -> EncodedLevel:
        """Return the labels of numbers that are in order, each once, and the place of each number's label."""
        begins = counts - (counts - self.origin) % self.width
        # All numbers beyond a bound have one label, whatever their interval.
        if self.low is not None:
            begins = np.where(counts < self.low, self.low - self.width, begins)
        if self.high is not None:
            begins = np.where(counts >= self.high, self.high, begins)
        changes = np.flatnonzero(begins[1:] != begins[:-1]) + 1
        first = np.concatenate([[0], changes]) if counts.size else changes
        labels = [self.label(int(count)) for count in counts[first]]
        return labels, np.repeat(np.arange(first.size, dtype=np.int32), np.diff(first, append=counts.size))

    def label(self, count: int) -> str:
        """Return the label of the interval that holds the number, cut off at low and high."""
        if self.low is not None and count < self.low:
            return f"< {_spelled(self.low, self.scale)}"
        if self.high is not None and count >= self.high:
            return f">= {_spelled(self.high, self.scale)}"
        begin = count - (count - self.origin) % self.width
        end = begin + self.width
        begin = begin if self.low is None else max(begin, self.low)
        end = end if self.high is None else min(end, self.high)
        if self.closed:
            # The last whole number inside: one whole is 10**scale units.
            return f"[{_spelled(begin, self.scale)}-{_spelled(end - 10**self.scale, self.scale)}]"
        return f"[{_spelled(begin, self.scale)}, {_spelled(end, self.scale)})"
