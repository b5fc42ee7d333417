"""Proposes a hierarchy for a column from its type, its name and its values.

What is proposed always covers the values given: each idea is tried on all of them, and where none fits the answer is
'the value, or nothing', which fits anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from decimal import ROUND_FLOOR, Decimal
from itertools import count
from typing import Any

from antifaz.core.errors import AntifazError, ParameterError
from antifaz.core.messages import Message
from antifaz.core.profile import ColumnProfile
from antifaz.core.types import DataType
from antifaz.core.values import canonical
from antifaz.core.verdicts import Proposal
from antifaz.engines.engine import Data
from antifaz.engines.opening import open_data
from antifaz.proposals.categories import Counts, by_country, by_first_word, by_frequency, by_schooling
from antifaz.proposals.words import POSTCODE, find_entry, words_of

#: The first level has no more intervals than this.
INTERVALS = 20
#: No more different numbers than this are better left as they are, or left out.
FEW = 4
#: More categories than this are not read one by one.
MANY = 300
#: Codes are no longer than this; longer texts of one length are something else.
LONGEST_CODE = 12

_NUMBER = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,15})?")
_CODE = re.compile(r"(?=.*[0-9])[A-Z0-9][A-Z0-9 .-]*", re.IGNORECASE | re.ASCII)


def hierarchy(data: Any, column: str | Sequence[str], counts: Counts = None) -> Proposal:
    """Return a proposed hierarchy; `details` is what a project file says, such as `{"intervals": [5, 10, 20]}`.

    `data` is what `antifaz.open` returned, a table or a path, and `column` a column's name. Or `data` is the profile of
    one column and `column` all its different values, and then `counts` says how many records have each, if known.
    Missing values are passed over.
    """
    if isinstance(data, ColumnProfile):
        if isinstance(column, str):
            raise ParameterError("proposal.values-not-a-list")
        return _of_values(data, column, counts)
    if not isinstance(column, str):
        raise ParameterError("proposal.column-not-named")
    if not isinstance(data, Data):
        with open_data(data) as opened:
            return hierarchy(opened, column)
    kind, counted = data.schema[column].type, data.count([column])
    met: dict[str, int] = {}
    for place, n in zip(counted.codes[0].tolist(), counted.counts.tolist(), strict=True):
        value = canonical(counted.values[0][place], kind)
        if value is not None:
            met[value] = met.get(value, 0) + n
    missing = data.rows - sum(met.values())
    described = ColumnProfile(name=column, type=kind, rows=data.rows, missing=missing, distinct=len(met))
    return _of_values(described, list(met), met)


def _of_values(column: ColumnProfile, values: Sequence[str], counts: Counts) -> Proposal:
    clean = sorted({known for value in values if (known := canonical(value, column.type)) is not None})
    for idea in (_masking, _dates, _intervals, _categories):
        proposal = idea(column, clean, counts)
        if proposal is not None and _covers(proposal, clean, column.type):
            return proposal
    return Proposal(value="flat", reason=Message("reason.nothing-in-common"), details={"flat": True})


def _covers(proposal: Proposal, values: Sequence[str], kind: DataType) -> bool:
    """Say whether it can be built from the values: what leaves one out is not proposed."""
    from antifaz.hierarchies import parse

    try:
        parse(proposal.details).build(values, kind)
    except AntifazError:
        return False
    return True


def _categories(column: ColumnProfile, values: list[str], counts: Counts) -> Proposal | None:
    if column.type is not DataType.TEXT or not FEW <= len(values) <= MANY:
        return None
    return (
        by_country(column, values, counts)
        or by_schooling(column, values, counts)
        or by_first_word(column, values, counts)
        or by_frequency(values, counts)
    )


def _masking(column: ColumnProfile, values: list[str], counts: Counts) -> Proposal | None:
    """Codes of one length, whose first characters say most; a number is a code only if its name says postcode."""
    if column.type is not DataType.TEXT and not (column.type.is_number and find_entry(words_of(column.name), POSTCODE)):
        return None
    lengths = {len(value) for value in values}
    if len(lengths) != 1 or not 1 < min(lengths) <= LONGEST_CODE or not all(map(_CODE.fullmatch, values)):
        return None
    return Proposal(value="masking", reason=Message("reason.codes-of-one-length"), details={"masking": 1})


def _dates(column: ColumnProfile, values: list[str], counts: Counts) -> Proposal | None:
    if column.type not in (DataType.DATE, DataType.DATETIME) or not values:
        return None
    try:
        days = [datetime.fromisoformat(value).date() for value in values]
    except ValueError:
        return None
    levels = [unit for unit, key in _UNITS.items() if len({key(day) for day in days}) > 1]
    if not levels:
        return None
    return Proposal(
        value="dates",
        reason=Message("reason.dates", units=[Message(f"unit.{unit}") for unit in levels]),
        details={"dates": levels},
    )


def _month(day: date) -> int:
    return day.year * 12 + day.month


def _year(day: date) -> int:
    return day.year


def _decade(day: date) -> int:
    return day.year // 10


_UNITS = {"month": _month, "year": _year, "decade": _decade}


def _intervals(column: ColumnProfile, values: list[str], counts: Counts) -> Proposal | None:
    if not column.type.is_number or len(values) <= FEW or not all(map(_NUMBER.fullmatch, values)):
        return None
    numbers = [Decimal(value) for value in values]
    low, high = _middle(numbers, [counts.get(value, 0) for value in values]) if counts else (min(numbers), max(numbers))
    widths = _widths(low, high, whole=column.type is DataType.INTEGER)
    if not widths:
        return None
    plain = [_plain(width) for width in widths]
    details: dict[str, object] = {"intervals": plain}
    reason = Message("reason.intervals", widths=list(map(str, plain)))
    if (low, high) != (min(numbers), max(numbers)):
        ends = {}
        if low > min(numbers):
            ends["low"] = _plain(_interval(low, widths[-1]) * widths[-1])
        if high < max(numbers):
            ends["high"] = _plain((_interval(high, widths[-1]) + 1) * widths[-1])
        details |= ends
        shown = [str(end) for end in ends.values()]
        reason = Message("reason.intervals-with-ends", widths=list(map(str, plain)), ends=shown)
    return Proposal(value="intervals", reason=reason, details=details)


def _plain(number: Decimal) -> int | float:
    return int(number) if number == number.to_integral_value() else float(number)


def _middle(numbers: Sequence[Decimal], counts: Sequence[int]) -> tuple[Decimal, Decimal]:
    """Return the ends of the numbers; where a hundredth of the records stretch them threefold, those of the others."""
    ordered = sorted(zip(numbers, counts, strict=True))
    beyond, rows = sum(counts) // 100, 0
    low, high = ordered[0][0], ordered[-1][0]
    for number, n in ordered:
        rows += n
        if rows > beyond:
            low = number
            break
    rows = 0
    for number, n in reversed(ordered):
        rows += n
        if rows > beyond:
            high = number
            break
    first, last = ordered[0][0], ordered[-1][0]
    # Ends that few share would show who is there; they are told only rounded, and only if that helps.
    return (low, high) if high > low and last - first > 3 * (high - low) else (first, last)


def _widths(low: Decimal, high: Decimal, *, whole: bool) -> list[Decimal]:
    """Return round widths, each a multiple of the one before, from at most `INTERVALS` intervals down to two."""
    widths: list[Decimal] = []
    for width in _round_numbers(high - low, whole=whole):
        intervals = _interval(high, width) - _interval(low, width) + 1
        if intervals < 2:
            break
        if intervals <= INTERVALS and (not widths or width % widths[-1] == 0):
            widths.append(width)
            if intervals == 2:  # around zero there are two for ever
                break
    return widths


def _interval(number: Decimal, width: Decimal) -> Decimal:
    return (number / width).to_integral_value(rounding=ROUND_FLOOR)


def _round_numbers(span: Decimal, *, whole: bool) -> Iterator[Decimal]:
    """Give 1, 2, 5, 10, 20, 50, … from well below a twentieth of the span on; for whole numbers from 2 on."""
    for exponent in count(span.adjusted() - 2):
        for first in (1, 2, 5):
            number = Decimal(first).scaleb(exponent)
            if not whole or number >= 2:
                yield number
