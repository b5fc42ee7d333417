"""Numbers in intervals of fixed widths, each level's made of whole ones of the level before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Annotated, ClassVar

from pydantic import BeforeValidator, Field, ValidationInfo, field_validator

from antifaz.core.errors import HierarchyError
from antifaz.core.messages import Message
from antifaz.core.types import DataType
from antifaz.hierarchies.builder import HierarchyBuilder
from antifaz.hierarchies.hierarchy import Hierarchy
from antifaz.hierarchies.numbers import Number, is_whole, places, read, spelled, units


def _listed(given: object) -> object:
    """Let one width stand for a list of one."""
    return given if isinstance(given, list | tuple) else (given,)


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

    widths: Annotated[tuple[Number, ...], BeforeValidator(_listed)] = Field(
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
            raise ValueError("at least one width")
        scale = max(map(places, widths))
        exact = [units(width, scale) for width in widths]
        if min(exact) <= 0:
            raise ValueError("above 0")
        if any(wide % narrow or wide == narrow for narrow, wide in pairwise(exact)):
            raise ValueError("each a multiple of the one before, and larger")
        return widths

    @field_validator("high")
    @classmethod
    def _above_low(cls, high: Decimal | None, info: ValidationInfo) -> Decimal | None:
        low = info.data.get("low")
        if high is not None and low is not None and high <= low:
            raise ValueError("above low")
        return high

    @field_validator("closed")
    @classmethod
    def _whole(cls, closed: bool, info: ValidationInfo) -> bool:
        given = (*info.data.get("widths", ()), info.data.get("origin"), info.data.get("low"), info.data.get("high"))
        if closed and any(number is not None and not is_whole(number) for number in given):
            raise ValueError("false where widths, origin, low or high are not whole numbers")
        return closed

    def build(self, values: Sequence[str], kind: DataType) -> Hierarchy:
        """Return the numbers in their order, each in its intervals."""
        numbers = self._numbers(values)
        limits = [bound for bound in (self.low, self.high) if bound is not None]
        scale = max(map(places, (*numbers.values(), *self.widths, *limits, self.origin)))
        exact = sorted((units(number, scale), value) for value, number in numbers.items())
        levels = [self._level(width, scale) for width in self.widths]
        rows = [(value, *(level.label(count) for level in levels)) for count, value in exact]
        return self._made(rows, kind, suppression=self.top or self.suppression)

    def _numbers(self, values: Sequence[str]) -> dict[str, Decimal]:
        """Return the number that each value spells; raise with those that spell none, or none that fits."""
        read_as = {value: read(value) for value in values}
        numbers = {value: number for value, number in read_as.items() if number is not None}
        if len(numbers) < len(read_as):
            bad = sorted(read_as.keys() - numbers.keys())
            raise HierarchyError("hierarchy.values-not-numbers", values=bad, count=len(bad))
        if self.closed:
            broken = sorted(value for value, number in numbers.items() if not is_whole(number))
            if broken:
                message = Message("hierarchy.values-not-whole-numbers", broken=len(broken))
                raise HierarchyError(message, broken)
        return numbers

    def _level(self, width: Decimal, scale: int) -> _Level:
        low, high = (None if bound is None else units(bound, scale) for bound in (self.low, self.high))
        return _Level(units(width, scale), units(self.origin, scale), low, high, scale, self.closed)


@dataclass(frozen=True)
class _Level:
    """The intervals of one width, all numbers in units of 10**-scale."""

    width: int
    origin: int
    low: int | None
    high: int | None
    scale: int
    closed: bool

    def label(self, count: int) -> str:
        """Return the label of the interval that holds the number, cut off at low and high."""
        if self.low is not None and count < self.low:
            return f"< {spelled(self.low, self.scale)}"
        if self.high is not None and count >= self.high:
            return f">= {spelled(self.high, self.scale)}"
        begin = count - (count - self.origin) % self.width
        end = begin + self.width
        begin = begin if self.low is None else max(begin, self.low)
        end = end if self.high is None else min(end, self.high)
        if self.closed:
            # The last whole number inside: one whole is 10**scale units.
            return f"[{spelled(begin, self.scale)}-{spelled(end - 10**self.scale, self.scale)}]"
        return f"[{spelled(begin, self.scale)}, {spelled(end, self.scale)})"
