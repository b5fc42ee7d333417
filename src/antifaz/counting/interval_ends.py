"""The ends of intervals, rounded outward: no exact value that only few people have is read off a label."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import numpy as np

from antifaz.core.arrays import Floats, Ints
from antifaz.core.types import DataType
from antifaz.counting.records import QuasiIdentifier, Records, days_of

#: Ends of numbers are multiples of at least the hundredth part of the column's range, and of five of its units; or of
#: two, where the whole column has less than twenty: all spans would be the same.
_PARTS, _UNITS, _FEW_UNITS, _FEW = 100, 5, 2, 20
#: Beyond this a whole number is not the only one that is stored as its float.
_EXACT = 2.0**53
#: Columns of dates that reach less far than days say (first) have ends at multiples of so many days (second); 7 days
#: are weeks from Monday, since the scale begins with one. Longer ones have months, and from ten years on years.
_DAYS = ((1, 1 / 24), (14, 2.0), (92, 7.0))
_TEN_YEARS = 3653


def round_ends(records: Records, columns: Collection[str], k: int, totals: Sequence[Ints] | None = None) -> Records:
    """Return the records with rounded ends in the columns that are released as intervals.

    `totals` says how often codes occur, where the records are elsewhere.
    """
    counts = totals or [_counts(records, a) for a in records.attributes]
    pairs = zip(records.attributes, counts, strict=True)
    rounded = (_rounded(a, count, k) if a.column in columns else a for a, count in pairs)
    return replace(records, attributes=tuple(rounded))


def _counts(records: Records, attribute: QuasiIdentifier) -> Ints:
    """Return how many records have each code, or how many people."""
    size = attribute.domain.size
    if records.people is None:
        return np.bincount(attribute.codes, minlength=size)
    return records.people.moved(attribute.codes.astype(np.int64), size, ()).heads


def _rounded(attribute: QuasiIdentifier, counts: Ints, k: int) -> QuasiIdentifier:
    """Return the attribute with the ends that intervals are written with, where fewer than k records have a value.

    Numbers go to the next multiple of a round step (1, 2 or 5 times a power of ten), dates to the first or last day of
    a month, or of a year where the column reaches over ten years, or of weeks or days where it is short. `counts` says
    how often each code occurs in all rows.
    """
    scale = attribute.scale
    if scale is None:
        return attribute
    rare = (counts < k) & ~np.isnan(scale)
    if not rare.any() or not attribute.range:
        return attribute
    low, high = scale.copy(), scale.copy()
    ends = _numbers if attribute.kind.is_number else _moments
    low[rare], high[rare] = ends(scale, scale[rare], attribute)
    # A rounding error must not leave the value outside.
    return replace(attribute, outward=(np.minimum(low, scale), np.maximum(high, scale)))


def _numbers(scale: Floats, rare: Floats, attribute: QuasiIdentifier) -> tuple[Floats, Floats]:
    step = _step(scale, attribute.range)
    low, high = np.floor(rare / step) * step, np.ceil(rare / step) * step
    digits = max(0, -int(np.floor(np.log10(step))))
    if digits < 300:
        low, high = np.round(low, digits), np.round(high, digits)
    # The float of such a number may lie on the other side of a multiple than the number itself.
    vague = np.abs(rare) >= _EXACT
    return np.where(vague & (low == rare), low - step, low), np.where(vague & (high == rare), high + step, high)


def _step(scale: Floats, width: float) -> float:
    """Return the least of 1, 2, 5, 10, … that is not below the hundredth of a range, nor below five units."""
    unit, largest = _unit(scale), float(np.nanmax(np.abs(scale)))
    least = max(width / _PARTS, unit * (_FEW_UNITS if width < _FEW * unit else _UNITS))
    if largest >= _EXACT:
        least = max(least, 2 * float(np.spacing(largest)))
    power = 10.0 ** np.floor(np.log10(least))
    return float(next(times * power for times in (1, 2, 5, 10) if times * power >= least * (1 - 1e-9)))


def _unit(scale: Floats) -> float:
    """Return the power of ten that all numbers are multiples of: 1000 for wages in thousands, 0.1 for grades."""
    known = scale[~np.isnan(scale)]
    for digits in range(-15, 7):
        if np.array_equal(np.round(known, digits), known):
            return float(10.0**-digits)
    return 0.0


def _moments(_: Floats, rare: Floats, attribute: QuasiIdentifier) -> tuple[Floats, Floats]:
    kind, width = attribute.kind, attribute.range
    # The last moment that belongs to a span: a day, or a second.
    last = 1.0 if kind is DataType.DATE else 1 / 86400
    for reach, step in _DAYS:
        if width <= reach and (step >= 1 or kind is not DataType.DATE):
            begin = np.floor(rare / step + 1e-9) * step
            return begin, begin + step - last
    bounds = [_calendar(place, whole_years=width > _TEN_YEARS) for place in rare.tolist()]
    low, after = np.array(bounds).T
    return low, after - last


def _calendar(place: float, *, whole_years: bool) -> tuple[float, float]:
    """Return the first day of the month or year that a date or time is in, and the day after its last."""
    moment = datetime(1, 1, 1, tzinfo=UTC) + timedelta(days=place)
    first = date(moment.year, 1 if whole_years else moment.month, 1)
    month = 12 if whole_years else moment.month
    if moment.year == date.max.year and month == 12:
        return days_of(first), days_of(date.max) + 1
    return days_of(first), days_of(date(moment.year + month // 12, month % 12 + 1, 1))
