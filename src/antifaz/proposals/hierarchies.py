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

from antifaz.core.profile import ColumnProfile
from antifaz.core.types import DataType
from antifaz.core.values import canonical
from antifaz.core.verdicts import Proposal
from antifaz.proposals.words import POSTCODE, found, words_of

#: The first level has no more intervals than this.
INTERVALS = 20
#: No more different numbers than this are better left as they are, or left out.
FEW = 4
#: Codes are no longer than this; longer texts of one length are something else.
LONGEST_CODE = 12

_NUMBER = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,15})?")
_CODE = re.compile(r"(?=.*[0-9])[A-Z0-9][A-Z0-9 .-]*", re.IGNORECASE | re.ASCII)


def hierarchy(column: ColumnProfile, values: Sequence[str]) -> Proposal:
    """Return a proposed hierarchy; `details` is what a project file says, such as `{"intervals": [5, 10, 20]}`.

    `values` are all the different values of the column; missing ones are passed over.
    """
    clean = sorted({known for value in values if (known := canonical(value, column.type)) is not None})
    proposal = _masking(column, clean) or _dates(column, clean) or _intervals(column, clean)
    if proposal is not None:
        return proposal
    return Proposal(
        value="flat",
        reason="Nothing is known of what its values have in common: each is kept, or becomes '*'.",
        details={"flat": True},
    )


def _masking(column: ColumnProfile, values: list[str]) -> Proposal | None:
    """Codes of one length, whose first characters say most; a number is a code only if its name says postcode."""
    if column.type is not DataType.TEXT and not (column.type.is_number and found(words_of(column.name), POSTCODE)):
        return None
    lengths = {len(value) for value in values}
    if len(lengths) != 1 or not 1 < min(lengths) <= LONGEST_CODE or not all(map(_CODE.fullmatch, values)):
        return None
    return Proposal(
        value="masking",
        reason="Its values are codes of one length: one more character from the right becomes '*' at each level.",
        details={"masking": 1},
    )


def _dates(column: ColumnProfile, values: list[str]) -> Proposal | None:
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
        reason=f"Its values are dates: known by {', then by '.join(levels)}, level by level.",
        details={"dates": levels},
    )


def _month(day: date) -> int:
    return day.year * 12 + day.month


def _year(day: date) -> int:
    return day.year


def _decade(day: date) -> int:
    return day.year // 10


_UNITS = {"month": _month, "year": _year, "decade": _decade}


def _intervals(column: ColumnProfile, values: list[str]) -> Proposal | None:
    if not column.type.is_number or len(values) <= FEW or not all(map(_NUMBER.fullmatch, values)):
        return None
    numbers = [Decimal(value) for value in values]
    widths = _widths(min(numbers), max(numbers), whole=column.type is DataType.INTEGER)
    if not widths:
        return None
    said = [int(width) if width == width.to_integral_value() else float(width) for width in widths]
    return Proposal(
        value="intervals",
        reason=f"Its values are numbers: put into intervals {', then '.join(map(str, said))} wide, level by level.",
        details={"intervals": said},
    )


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
