"""What released labels cover: which of a column's original values `[20, 30)`, `{a, b}`, `537**` or `*` stand for.

Understood are the labels that antifaz and ARX write: a value as it was; `*` and a blank; stretches of numbers and dates
(`[20, 30)`, `[20, 30[`, `]20, 30]`, `[20-29]`, `20-29`, `< 20`, `>= 90`); sets; digits or letters hidden by `*`; weeks,
months, quarters, years, decades and centuries of dates. What a word such as "Higher education" covers can't be seen
from the word: it has to be told, and counts as covering anything where it is not.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from antifaz.core.values import ANY, canonical

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: What a label is: it covers some values; anything; or it is blank, which may hide anything.
SOME, ALL, BLANK = 0, 1, 3

_FIRST = datetime(1, 1, 1, tzinfo=UTC)
_END = r"(?P<{}>[^,;\[\]()]+?)"
_COMMA = re.compile(rf"(?P<left>[\[\]()])\s*{_END.format('low')}\s*[,;]\s*{_END.format('high')}\s*(?P<right>[\[\]()])")
_SIGNED = r"(?P<{}>[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)"
_DASH = re.compile(rf"\[?\s*{_SIGNED.format('low')}\s*[-–]\s*{_SIGNED.format('high')}\s*\]?")
_CODE = re.compile(r"0[0-9]+")
_HALF = re.compile(r"(?P<sign><=|>=|<|>|≤|≥)\s*(?P<end>.+)")
_PERIOD = re.compile(
    r"(?P<year>[0-9]{4})(?:-(?P<month>[0-9]{2})|-Q(?P<quarter>[1-4])|-W(?P<week>[0-9]{2})|(?P<decade>s)"
    r"|-(?P<last>[0-9]{4}))?"
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Covering:
    """What each label of one column covers: a stretch where values have a place on a scale, else a list of values."""

    #: Per label: SOME, ALL or BLANK.
    states: NDArray[np.int8]
    #: Per label, where values are on a scale: from where to where, both ends included; NaN where it is not SOME.
    low: Floats
    high: Floats
    #: Where values are categories: those of label i are `members[offsets[i]:offsets[i + 1]]`.
    offsets: Ints
    members: Ints
    #: The labels that were not understood, and so count as ALL.
    unknown: Ints


def places(values: Sequence[str]) -> Floats | None:
    """Return where values lie on a scale if all are numbers, or all dates or times (as days); else None.

    Digits with a zero in front, such as those of a postcode, are a code and not a number.
    """
    if not values or any(_CODE.fullmatch(text) for text in values):
        return None
    for read in (_number, _days):
        found = np.fromiter((_or_nan(read(text)) for text in values), np.float64, len(values))
        if np.isfinite(found).all():
            return found
        if not np.isnan(found[:100]).any():
            # Mostly numbers: what is none of them has no place, and the column is no scale.
            return None
    return None


def covering(
    labels: Sequence[str | None],
    values: Sequence[str],
    scale: Floats | None,
    told: Mapping[str, Iterable[str]] | None = None,
) -> Covering:
    """Say for every label which values it covers; `told` holds what words stand for, as a hierarchy knows it."""
    reader = _Reader(values, scale, told or {})
    states = np.full(len(labels), SOME, np.int8)
    low, high = np.full(len(labels), np.nan), np.full(len(labels), np.nan)
    lists: list[Ints] = []
    unknown = []
    for i, label in enumerate(labels):
        held, stretch, states[i] = reader.read(label)
        if states[i] == ALL and not reader.understood:
            unknown.append(i)
        if stretch is not None:
            low[i], high[i] = stretch
        lists.append(held)
    offsets = np.concatenate([[0], np.cumsum([held.size for held in lists], dtype=np.int64)]).astype(np.int64)
    members = np.concatenate([*lists, np.empty(0, np.int64)]).astype(np.int64)
    return Covering(
        states=states, low=low, high=high, offsets=offsets, members=members, unknown=np.array(unknown, np.int64)
    )


_Read = tuple[Ints, "tuple[float, float] | None", int]
_NONE = np.empty(0, np.int64)


class _Reader:
    """Reads the labels of one column."""

    def __init__(self, values: Sequence[str], scale: Floats | None, told: Mapping[str, Iterable[str]]) -> None:
        self.values, self.scale = values, scale
        self.code = {value: i for i, value in enumerate(values)}
        self.dates = scale is not None and bool(values) and _number(values[0]) is None
        self.told = {canonical(label): members for label, members in told.items()}
        self.by_text = sorted(self.code)
        self.understood = True

    def read(self, label: str | None) -> _Read:
        """Return the values covered, where they are categories; the stretch, where not; and the state."""
        label, self.understood = canonical(label), True
        if label is None:
            return _NONE, None, BLANK
        if set(label) == {ANY}:
            return _NONE, None, ALL
        if label in self.told:
            return self._held(self.told[label])
        if label in self.code:
            return self._codes([self.code[label]])
        found = self._stretch(label) if self.scale is not None else None
        if found is not None:
            return _NONE, found, SOME
        if label[0] == "{" and label[-1] == "}":
            return self._set(label[1:-1])
        if ANY in label:
            return self._masked(label)
        self.understood = False
        return _NONE, None, ALL

    def _codes(self, codes: Sequence[int]) -> _Read:
        if self.scale is None:
            return np.array(codes, np.int64), None, SOME
        held = self.scale[np.array(codes, np.int64)]
        # A list of numbers counts as the stretch between its ends; an empty one is nowhere near any.
        return _NONE, (float(held.min()), float(held.max())) if held.size else (np.inf, np.inf), SOME

    def _held(self, members: Iterable[str]) -> _Read:
        spelled = (canonical(member) for member in members)
        return self._codes([self.code[text] for text in spelled if text in self.code])

    def _set(self, inside: str) -> _Read:
        """Members are separated by a comma; a value that has one in it may be one of them."""
        parts, codes, begin = inside.split(", "), [], 0
        while begin < len(parts):
            for end in range(len(parts), begin, -1):
                text = ", ".join(parts[begin:end]).strip()
                if text in self.code:
                    codes.append(self.code[text])
                    begin = end - 1
                    break
            begin += 1
        return self._codes(codes)

    def _masked(self, label: str) -> _Read:
        """Values of the same length that show what is not hidden; a single `*` at the end may hide several signs."""
        shown = label[: label.index(ANY)]
        near = self.by_text[bisect_left(self.by_text, shown) : bisect_left(self.by_text, shown + "\U0010ffff")]
        pattern = re.compile("".join("." if sign == ANY else re.escape(sign) for sign in label))
        held = [value for value in near if pattern.fullmatch(value)]
        if not held and label == shown + ANY:
            held = near
        return self._codes([self.code[value] for value in held])

    def _stretch(self, label: str) -> tuple[float, float] | None:
        read = _days if self.dates else _number
        # First, because Python takes a week for its Monday.
        if self.dates and (period := _period(label)) is not None:
            return period
        if (point := read(label)) is not None:
            return point, point
        if (found := _COMMA.fullmatch(label)) is not None:
            low, high = read(found["low"]), read(found["high"])
            if low is None or high is None:
                return None
            return _open(low, found["left"] in "](", 1), _open(high, found["right"] in "[)", -1)
        if not self.dates and (found := _DASH.fullmatch(label)) is not None:
            low, high = read(found["low"]), read(found["high"])
            # Whole numbers: 29.5 would lie in 20-29 if it were ages.
            return None if low is None or high is None or low > high else (low, high)
        if (found := _HALF.fullmatch(label)) is not None and (end := read(found["end"])) is not None:
            sign, below = found["sign"], found["sign"] in ("<", "<=", "≤")
            return (-np.inf, _open(end, sign == "<", -1)) if below else (_open(end, sign == ">", 1), np.inf)
        return None


def _open(end: float, excluded: bool, inwards: int) -> float:
    """An end that does not belong moves to the next number."""
    return float(np.nextafter(end, np.inf * inwards)) if excluded else end


def _or_nan(number: float | None) -> float:
    return np.nan if number is None else number


def _number(text: str) -> float | None:
    try:
        found = float(text)
    except ValueError:
        return None
    return found if np.isfinite(found) and "_" not in text else None


def _days(text: str) -> float | None:
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return ((moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - _FIRST) / timedelta(days=1)


def _period(label: str) -> tuple[float, float] | None:
    """The first and the last moment of a month, quarter, week, year, decade or stretch of years."""
    found = _PERIOD.fullmatch(label)
    if found is None:
        return None
    year, last = int(found["year"]), int(found["last"] or found["year"]) + (9 if found["decade"] else 0)
    try:
        if found["week"]:
            begin = date.fromisocalendar(year, int(found["week"]), 1)
            end = begin + timedelta(days=7)
        else:
            quarter = int(found["quarter"] or 0)
            first = int(found["month"] or (3 * quarter - 2 if quarter else 1))
            months = 1 if found["month"] else 3 if quarter else 12
            begin = date(year, first, 1)
            beyond = first + months - 1
            end = date(last + beyond // 12, beyond % 12 + 1, 1)
    except ValueError:
        return None
    return float(begin.toordinal() - 1), _open(float(end.toordinal() - 1), True, -1)
