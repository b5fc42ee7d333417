"""What a released cell says: which places of a column's scale a label covers, whoever wrote it.

Understood are the forms that antifaz and ARX write and those that people write by hand: `[20, 30)`, `[20, 29]`,
`[20, 30[`, `]20, 30]`, `20-29`, `<20`, `>= 80`, `80+`, `1986-03`, `1986-Q1`, `1986-W07`, `1986`, `1980s`, `{a, b}`,
`a|b`, `537**`, `*`. Nothing here knows the data; `covers.py` finds the values of a column that lie under a label.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from math import inf, isfinite

from antifaz.core.types import DataType
from antifaz.core.values import canonical


@dataclass(frozen=True)
class ScaleInterval:
    """A part of a scale; each end belongs to it or not."""

    low: float
    high: float
    with_low: bool = True
    with_high: bool = True

    @property
    def is_point(self) -> bool:
        """Whether it is one place only."""
        return self.low == self.high


#: How a place on a scale is read: a number is a point, a month a stretch from its first day to before the next one's.
Reader = Callable[[str], ScaleInterval | None]

_BRACKETS = re.compile(r"(?P<open>[\[\](])\s*(?P<inside>.+?)\s*(?P<close>[\[\])])", re.DOTALL)
_HALF = re.compile(r"(?P<sign><=|>=|<|>|≤|≥)\s*(?P<place>\S.*)", re.DOTALL)
_AND_MORE = re.compile(r"(?P<place>.*\S)\s*(?:\+|and (?:more|over|older))")
#: Two ends within brackets; without them a comma parts the members of a set.
_COMMA = r"\s*[,;]\s*"
#: What else stands between two ends, the clearest first: a hyphen may also be a sign or part of a date.
_BETWEEN = (r"\s*\.\.+\s*", r"\s+to\s+", r"\s*[–—]\s*", r"\s+-\s+", r"(?<=[^\s-])-")
_PARTIAL = re.compile(
    r"(?P<year>[0-9]{4})(?:(?P<decade>s)|-(?P<month>[0-9]{2})|-Q(?P<quarter>[1-4])|-W(?P<week>[0-9]{2}))?", re.ASCII
)
_THOUSANDS = re.compile(r"[+-]?[0-9]{1,3}(,[0-9]{3})+", re.ASCII)
_DECADE = re.compile(r"[0-9]{3}0s", re.ASCII)


def reader_of(kind: DataType) -> Reader | None:
    """Return how places on the scale of a column are read; None for a column whose values have no order."""
    if kind.is_number:
        return read_number
    return read_date if kind.is_ordered else None


def read_number(text: str) -> ScaleInterval | None:
    """Return the place of a number, or the ten years of a decade such as 1980s."""
    if text.isascii() and text.isdigit():
        return ScaleInterval(float(text), float(text)) if len(text) < 300 else None
    if _DECADE.fullmatch(text):
        return ScaleInterval(float(text[:-1]), float(text[:-1]) + 10, with_high=False)
    if _THOUSANDS.fullmatch(text):
        text = text.replace(",", "")
    spelled = canonical(text, DataType.DECIMAL)
    try:
        # Python itself would also take 1_000 for a number, and words for infinity.
        number = float(spelled) if spelled is not None and spelled[-1].isdigit() and "_" not in spelled else inf
    except ValueError:
        return None
    return ScaleInterval(number, number) if isfinite(number) else None


def read_date(text: str) -> ScaleInterval | None:
    """Return the days of a date, week, month, quarter, year or decade, counted from the year 1; a time is a point."""
    try:
        partial = _PARTIAL.fullmatch(text)
        if partial is None:
            moment = datetime.fromisoformat(text)
            return _days(moment.date(), 1) if len(text) <= 10 else _point(moment)
        year = int(partial["year"])
        if partial["decade"]:
            return _until(date(year // 10 * 10, 1, 1), _first_of(year // 10 * 10 + 10))
        if partial["month"]:
            return _months(year, int(partial["month"]), 1)
        if partial["quarter"]:
            return _months(year, 3 * int(partial["quarter"]) - 2, 3)
        if partial["week"]:
            return _days(date.fromisocalendar(year, int(partial["week"]), 1), 7)
        return _months(year, 1, 12)
    except (ValueError, OverflowError):
        return None


def _point(moment: datetime) -> ScaleInterval:
    place = moment.toordinal() + (moment.hour * 3600 + moment.minute * 60 + moment.second) / 86_400
    return ScaleInterval(place + moment.microsecond / 86_400e6, place + moment.microsecond / 86_400e6)


def _days(first: date, many: int) -> ScaleInterval:
    return _until(first, float((first + timedelta(days=many - 1)).toordinal() + 1))


def _months(year: int, month: int, many: int) -> ScaleInterval:
    after = (year * 12 + month - 1 + many) // 12, (month - 1 + many) % 12 + 1
    end = float(date(*after, 1).toordinal()) if after[0] <= 9999 else _first_of(10_000)
    return _until(date(year, month, 1), end)


def _first_of(year: int) -> float:
    return float(date(year, 1, 1).toordinal() if year <= 9999 else date.max.toordinal() + 1)


def _until(first: date, end: float) -> ScaleInterval:
    return ScaleInterval(float(first.toordinal()), end, with_high=False)


def read_stretch(text: str, read: Reader) -> ScaleInterval | None:
    """Return the part of a scale that a label names, or None for what is no place, interval or half-line."""
    place = read(text)
    if place is not None:
        return place
    half = _HALF.fullmatch(text)
    if half is not None:
        return _half(half["sign"], read(half["place"].strip()))
    more = _AND_MORE.fullmatch(text)
    if more is not None:
        return _half(">=", read(more["place"]))
    bracket = _BRACKETS.fullmatch(text)
    if bracket is None:
        return _between(text, read, True, True, _BETWEEN)
    # ARX writes an open end with the bracket turned outwards: [20, 30[
    return _between(bracket["inside"], read, bracket["open"] == "[", bracket["close"] == "]", (_COMMA, *_BETWEEN))


def _half(sign: str, place: ScaleInterval | None) -> ScaleInterval | None:
    if place is None:
        return None
    if sign == "<":
        return ScaleInterval(-inf, place.low, with_high=False)
    if sign in ("<=", "≤"):
        return ScaleInterval(-inf, place.high, with_high=place.with_high)
    if sign == ">":
        return ScaleInterval(place.high, inf, with_low=not place.with_high)
    return ScaleInterval(place.low, inf)


def _between(text: str, read: Reader, with_low: bool, with_high: bool, marks: Sequence[str]) -> ScaleInterval | None:
    for mark in marks:
        for found in re.finditer(mark, text):
            low, high = read(text[: found.start()].strip()), read(text[found.end() :].strip())
            if low is not None and high is not None and low.low <= high.high:
                left = _half(">=" if with_low else ">", low)
                right = _half("<=" if with_high else "<", high)
                if left is not None and right is not None:
                    return ScaleInterval(left.low, right.high, left.with_low, right.with_high)
    return None


def read_set(text: str, known: Callable[[str], bool]) -> list[str] | None:
    """Return the known members of `{a, b}`, or those of `a|b` if all are known; None for what is no such set.

    A member may hold a comma itself: parts are put together again until they are known. Braces say plainly that this
    is a set, so there a member that nobody had is passed over.
    """
    if len(text) > 2 and text[0] == "{" and text[-1] == "}":
        return _members(text[1:-1].split(","), ",", known, partly=True)
    return _members(text.split("|"), "|", known) if "|" in text else None


def _members(parts: list[str], mark: str, known: Callable[[str], bool], *, partly: bool = False) -> list[str] | None:
    members, start = [], 0
    while start < len(parts):
        # The longest that is known: of 'a', 'b' and 'a, b' the last, as its writer would have no other way to say it.
        for end in range(min(len(parts), start + 8), start, -1):
            member = canonical(mark.join(parts[start:end]))
            if member is not None and known(member):
                members.append(member)
                break
        else:
            if not partly:
                return None
            end = start + 1
        start = end
    return members or None
