"""Dates by month, quarter, year, decade, century; or by week."""

import re
from collections.abc import Sequence
from datetime import date, datetime
from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator, Field, field_validator

from antifaz.core.errors import HierarchyError
from antifaz.core.messages import Message
from antifaz.core.types import DataType
from antifaz.hierarchies.builder import HierarchyBuilder, as_list
from antifaz.hierarchies.hierarchy import Hierarchy, encoded

Unit = Literal["day", "week", "month", "quarter", "year", "decade", "century"]

_ORDER: tuple[Unit, ...] = ("day", "week", "month", "quarter", "year", "decade", "century")
_PARTIAL = re.compile(r"(?P<year>[0-9]{4})(?:-(?P<month>[0-9]{2}))?", re.ASCII)
_LONGEST_PARTIAL = len("1986-03")

#: A date and the smallest unit that is known of it.
Known = tuple[date, Unit]


class Dates(HierarchyBuilder):
    """Generalizes dates along the calendar."""

    name: ClassVar[str] = "dates"
    summary: ClassVar[str] = "Dates along the calendar: 1986-03-14, 1986-03, 1986, 1980s, *."
    details: ClassVar[str] = (
        "Reads ISO dates and times (1986-03-14, 1986-03-14T10:30), months (1986-03) and years (1986), or what 'format' "
        "says; the date is taken as it is written, in no other time zone. Weeks straddle months, so they don't go with "
        "months or quarters; above weeks, a year is the ISO year that the week belongs to. A century is written "
        "1900-1999."
    )
    primary: ClassVar[str] = "levels"
    needs_data: ClassVar[bool] = True
    value_by_value: ClassVar[bool] = True

    levels: Annotated[tuple[Unit, ...], BeforeValidator(as_list)] = Field(
        default=("month", "year", "decade"),
        description="The units of the levels, the smallest first; '*' comes on top.",
        json_schema_extra={"minItems": 1},
    )
    format: str | None = Field(default=None, description="How dates are written, as in strptime: '%d/%m/%Y'; else ISO.")

    @field_validator("levels")
    @classmethod
    def _nested(cls, levels: tuple[Unit, ...]) -> tuple[Unit, ...]:
        if not levels:
            raise ValueError(Message("expected.one-unit"))
        ranks = [_ORDER.index(level) for level in levels]
        if ranks != sorted(set(ranks)):
            raise ValueError(Message("expected.units-in-order"))
        if "week" in levels and {"month", "quarter"} & set(levels):
            raise ValueError(Message("expected.weeks-or-months"))
        return levels

    @field_validator("format")
    @classmethod
    def _with_year(cls, format: str | None) -> str | None:
        if format is not None and _finest(format) is None:
            raise ValueError(Message("expected.format-with-year"))
        if format is not None and not _is_format(format):
            raise ValueError(Message("expected.format-as-in-strptime"))
        return format

    def build(self, values: Sequence[str], kind: DataType) -> Hierarchy:
        """Return the dates in their order, each with its label at every level."""
        style = self.format
        read = {value: _formatted(value, style) if style else _iso(value) for value in sorted(dict.fromkeys(values))}
        known = {value: date_and_unit for value, date_and_unit in read.items() if date_and_unit is not None}
        bad = [value for value in read if value not in known]
        if bad:
            wanted = Message("hierarchy.dates-written", format=style) if style else Message("hierarchy.iso-dates")
            raise HierarchyError("hierarchy.values-not-dates", values=bad, count=len(bad), wanted=wanted)
        first = self.levels[0]
        coarse = [value for value, (_, unit) in known.items() if _ORDER.index(unit) > _ORDER.index(first)]
        if coarse:
            unit = max((known[value][1] for value in coarse), key=_ORDER.index)
            allowed = ", ".join(_ORDER[_ORDER.index(unit) :])
            raise HierarchyError(
                "hierarchy.dates-too-coarse", coarse, count=len(coarse), unit=unit, levels=first, allowed=allowed
            )
        iso_year = "week" in self.levels
        ordered = sorted(known.items(), key=lambda item: (item[1][0], item[0]))
        by_day = iso_year or "day" in self.levels
        # The days of a month share their labels above.
        days = [day if by_day else day.replace(day=1) for _, (day, _) in ordered]
        labels = {day: [_label(day, unit, iso_year) for unit in self.levels] for day in set(days)}
        above = [encoded([labels[day][level] for day in days]) for level in range(len(self.levels))]
        return self._made_of([value for value, _ in ordered], above, kind, suppression=True)


def _iso(text: str) -> Known | None:
    partial = _PARTIAL.fullmatch(text) if len(text) <= _LONGEST_PARTIAL else None
    try:
        if partial is None:
            return datetime.fromisoformat(text).date(), "day"
        month = partial["month"]
        return date(int(partial["year"]), int(month or 1), 1), "month" if month else "year"
    except ValueError:
        return None


def _formatted(text: str, format: str) -> Known | None:
    try:
        return datetime.strptime(text, format).date(), _finest(format) or "day"
    except ValueError:
        return None


def _is_format(format: str) -> bool:
    """Say whether strptime can read by a format: it takes each directive once, and no other than its own."""
    try:
        datetime.strptime("", format)
    except re.error:
        return False
    except ValueError as error:
        return "bad directive" not in str(error) and "stray %" not in str(error)
    return True


def _finest(format: str) -> Unit | None:
    """Return the smallest unit that a strptime format tells, or None where it tells no year."""
    directives = set(re.findall(r"%(.)", format))
    if not directives & set("YyGcx"):
        return None
    if directives & set("djcxUWVaAuw"):
        return "day"
    return "month" if directives & set("mbB") else "year"


def _label(day: date, unit: Unit, iso_year: bool) -> str:
    # Above weeks, a year is theirs.
    year, week, _ = day.isocalendar() if iso_year else (day.year, 0, 0)
    match unit:
        case "day":
            return day.isoformat()
        case "week":
            return f"{year:04}-W{week:02}"
        case "month":
            return f"{year:04}-{day.month:02}"
        case "quarter":
            return f"{year:04}-Q{(day.month + 2) // 3}"
        case "year":
            return f"{year:04}"
        case "decade":
            return f"{year // 10 * 10:04}s"
        case "century":
            return f"{year // 100 * 100:04}-{year // 100 * 100 + 99:04}"
