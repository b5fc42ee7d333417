"""The ends of intervals, rounded outward: no exact value that only few people have is read off a label."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import numpy as np

from antifaz.core.arrays import Floats, Ints
from antifaz.core.types import DataType
from antifaz.counting.records import QuasiIdentifier, Records, days_of

#: Ends are multiples of at least the hundredth part of the column's range, and of five of its units.
_PARTS, _UNITS = 100, 5


def round_ends(records: Records, k: int, totals: Sequence[Ints] | None = None) -> Records:
    """Return the records with rounded ends; `totals` says how often codes occur, where the records are elsewhere."""
    counts = totals or [_counts(records, a) for a in records.attributes]
    pairs = zip(records.attributes, counts, strict=True)
    return replace(records, attributes=tuple(_rounded(attribute, count, k) for attribute, count in pairs))


def _counts(records: Records, attribute: QuasiIdentifier) -> Ints:
    """Return how many records have each code, or how many people."""
    size = attribute.domain.size
    if records.people is None:
        return np.bincount(attribute.codes, minlength=size)
    return records.people.moved(attribute.codes.astype(np.int64), size, ()).heads


def _rounded(attribute: QuasiIdentifier, counts: Ints, k: int) -> QuasiIdentifier:
    """Return the attribute with the ends that intervals are written with, where fewer than k records have a value.

    Numbers go to the next multiple of a round step (1, 2 or 5 times a power of ten), dates to the first or last day of
    a month, or of a year where the column reaches over ten years. `counts` says how often each code occurs in all rows.
    """
    scale = attribute.scale
    if scale is None:
        return attribute
    rare = (counts < k) & ~np.isnan(scale)
    if not rare.any() or not attribute.range:
        return attribute
    low, high = scale.copy(), scale.copy()
    if attribute.kind.is_number:
        step = _step(scale, attribute.range)
        low[rare], high[rare] = np.floor(scale[rare] / step) * step, np.ceil(scale[rare] / step) * step
        digits = max(0, -int(np.floor(np.log10(step))))
        low, high = (np.where(rare, np.round(ends, digits), ends) if digits < 300 else ends for ends in (low, high))
    else:
        whole_years = attribute.range > 3653
        bounds = [_calendar(place, attribute.kind, whole_years) for place in scale[rare].tolist()]
        low[rare], high[rare] = np.array(bounds).T
    # A rounding error must not leave the value outside.
    return replace(attribute, outward=(np.minimum(low, scale), np.maximum(high, scale)))


def _step(scale: Floats, width: float) -> float:
    """Return the least of 1, 2, 5, 10, … that is not below the hundredth of a range, nor below five units."""
    least = max(width / _PARTS, _UNITS * _unit(scale))
    power = 10.0 ** np.floor(np.log10(least))
    return float(next(times * power for times in (1, 2, 5, 10) if times * power >= least * (1 - 1e-9)))


def _unit(scale: Floats) -> float:
    """Return 1 for whole numbers; other numbers have no unit worth the name."""
    known = scale[~np.isnan(scale)]
    return 1.0 if np.all(known == np.floor(known)) else 0.0


def _calendar(place: float, kind: DataType, whole_years: bool) -> tuple[float, float]:
    """Return the first and the last moment of the month or year that a date or time is in."""
    moment = datetime(1, 1, 1, tzinfo=UTC) + timedelta(days=place)
    first = date(moment.year, 1 if whole_years else moment.month, 1)
    month = 12 if whole_years else moment.month
    beyond = moment.year == date.max.year and month == 12
    last = date.max if beyond else date(moment.year + month // 12, month % 12 + 1, 1) - timedelta(days=1)
    end = days_of(last)
    return days_of(first), end if kind is DataType.DATE else end + 1 - 1 / 86400
