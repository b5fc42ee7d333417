"""Proposes a hierarchy for a column from its type, its name and its values; and all that fit, for who knows better.

What is proposed always covers the values given: each idea is tried on all of them, and where none fits the answer is
'the value, or nothing', which fits anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from decimal import ROUND_FLOOR, Decimal
from itertools import accumulate, count
from typing import TYPE_CHECKING, Any

from antifaz.core.errors import AntifazError, ParameterError
from antifaz.core.messages import Message
from antifaz.core.profile import ColumnProfile
from antifaz.core.types import DataType
from antifaz.core.values import canonical
from antifaz.core.verdicts import Proposal
from antifaz.engines.engine import Data
from antifaz.engines.registry import open_data
from antifaz.proposals.categories import (
    Counts,
    by_bands,
    by_country,
    by_first_word,
    by_frequency,
    by_icd,
    by_occupation,
    by_schooling,
)
from antifaz.proposals.classifications import by_isco, by_nuts
from antifaz.proposals.themes import COORDINATE, HEALTH, POSTCODE
from antifaz.proposals.words import find_entry, words_of

if TYPE_CHECKING:
    from antifaz.counting.frequencies import FrequencySet

#: The first level has no more intervals than this.
INTERVALS = 20
#: No more different numbers than this are better left as they are, or left out.
FEW = 4
#: More categories than this are not read one by one.
MANY = 300
#: More diagnoses than this would fill a project file.
MOST_CODES = 2000
#: The cells of the grid of latitude and longitude, in degrees.
GRID = (0.01, 0.1, 1, 10)
#: Codes are no longer than this; longer texts of one length are something else.
LONGEST_CODE = 12

_FLAT = Proposal(value="flat", reason=Message("reason.simplest"), details={"flat": True})
#: Sixteen decimals and more are what computers make of a fraction.
_NUMBER = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,30})?")
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
    for idea in (_diagnoses, by_isco, by_nuts, _postcodes, _masking, _dates, _coordinates, _intervals, _categories):
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
        or by_bands(column, values, counts)
        or by_occupation(column, values, counts)
        or by_schooling(column, values, counts)
        or by_first_word(column, values, counts)
        or by_frequency(values, counts)
    )


def _diagnoses(column: ColumnProfile, values: list[str], counts: Counts) -> Proposal | None:
    if column.type is not DataType.TEXT or not FEW <= len(values) <= MOST_CODES:
        return None
    pointed = sum("." in value for value in values) >= 0.2 * len(values)
    return by_icd(column, values, counts) if pointed or find_entry(words_of(column.name), HEALTH) else None


def _postcodes(column: ColumnProfile, values: list[str], counts: Counts) -> Proposal | None:
    """Postcodes that were read as numbers and lost their zeros: tens, hundreds, thousands are what digits are."""
    if not column.type.is_number or not find_entry(words_of(column.name), POSTCODE) or len(set(map(len, values))) < 2:
        return None
    if not values or not all(value.isdigit() for value in values):
        return None
    widths = [10**digits for digits in range(1, max(map(len, values)))]
    reason = Message("reason.postcodes-without-zeros", widths=list(map(str, widths)))
    return Proposal(value="intervals", reason=reason, details={"intervals": widths}) if widths else None


def _coordinates(column: ColumnProfile, values: list[str], counts: Counts) -> Proposal | None:
    """Degrees by about a kilometre, ten, a hundred and a thousand: one grid, with the same cells in both columns."""
    if column.type is not DataType.DECIMAL or not find_entry(words_of(column.name), COORDINATE) or len(values) <= FEW:
        return None
    if not all(map(_NUMBER.fullmatch, values)) or any(abs(Decimal(value)) > 180 for value in values):
        return None
    return Proposal(
        value="intervals",
        reason=Message("reason.coordinates", widths=list(map(str, GRID))),
        details={"intervals": list(GRID)},
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
    years = {day.year for day in days}
    distinct = {
        "month": len({(day.year, day.month) for day in days}),
        "quarter": len({(day.year, (day.month - 1) // 3) for day in days}),
        "year": len(years),
    }
    distinct["decade"] = len({year // 10 for year in years})
    if (
        not distinct["year"] < distinct["quarter"] < distinct["month"]
    ):  # it puts nothing together that is not so already
        del distinct["quarter"]
    levels = [unit for unit, many in distinct.items() if many > 1]
    if not levels:
        return None
    return Proposal(
        value="dates",
        reason=Message("reason.dates", units=[Message(f"unit.{unit}") for unit in levels]),
        details={"dates": levels},
    )


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
    low, high = _end(ordered, sum(counts) // 100), _end(ordered[::-1], sum(counts) // 100)
    first, last = ordered[0][0], ordered[-1][0]
    # Ends that few share would show who is there; they are told only rounded, and only if that helps.
    return (low, high) if high > low and last - first > 3 * (high - low) else (first, last)


def _end(ordered: Sequence[tuple[Decimal, int]], few: int) -> Decimal:
    """Return the first number up to which there are more than a few records."""
    sums = accumulate(n for _, n in ordered)
    return next((number for (number, _), rows in zip(ordered, sums, strict=True) if rows > few), ordered[0][0])


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


def alternatives(data: Any, column: str, target: str | None = None) -> list[Proposal]:
    """Return every hierarchy that fits a column, the one that `hierarchy` proposes first; each was tried on all values.

    Args:
        data: What `antifaz.open` returned, a table or a path.
        column: The column.
        target: A sensitive column. Numbers are then also cut where that says most about it.
    """
    if not isinstance(data, Data):
        with open_data(data) as opened:
            return alternatives(opened, column, target)
    from antifaz.counting.frequencies import frequency_set  # here: it brings Numba

    names = [column] if target is None else [column, target]
    data.schema.require(names)
    types = {name: data.schema[name].type for name in names}
    counted = frequency_set(data.count(names), [column], names[1:], types)
    values = counted.domains[0].spellings
    ideas = [hierarchy(data, column), _digits(values, types[column]), _gain(values, types[column], target), _FLAT]
    fitting: list[Proposal] = []
    for idea in ideas:
        new = idea is not None and idea.details not in [other.details for other in fitting]
        if idea is not None and new and _fits(idea, counted, types[column], target):
            fitting.append(idea)
    return fitting


def _digits(values: Sequence[str], kind: DataType) -> Proposal | None:
    """Whole numbers of one length lose their last digits, such as years or codes."""
    lengths = {len(value) for value in values}
    if kind is not DataType.INTEGER or len(lengths) != 1 or not all(value.isdigit() for value in values):
        return None
    if not 2 <= min(lengths) <= LONGEST_CODE:
        return None
    return Proposal(value="masking", reason=Message("reason.numbers-of-one-length"), details={"masking": 1})


def _gain(values: Sequence[str], kind: DataType, target: str | None) -> Proposal | None:
    """Numbers cut where that says most about a sensitive column."""
    if target is None or not kind.is_number or len(values) <= FEW:
        return None
    reason = Message("reason.cut-by-information-gain", target=target)
    return Proposal(value="information-gain", reason=reason, details={"information-gain": 3, "target": target})


def _fits(proposal: Proposal, counted: FrequencySet, kind: DataType, target: str | None) -> bool:
    """Build it from all values, and bind it to them: what leaves one out is not proposed."""
    from antifaz.counting.targets import cross, target_of
    from antifaz.hierarchies import parse
    from antifaz.hierarchies.binding import bind

    domain = counted.domains[0]
    if not domain.spellings:
        return True  # nothing but blanks
    builder = parse(proposal.details)
    try:
        if builder.needs_target and target is not None:
            cells = target_of(counted, (target,), builder.name)
            if cells is None:
                return False
            known = cross(counted, domain.column, cells)[: len(domain.spellings)]
            bind(domain, builder.learn(domain.spellings, kind, known), kind)
        else:
            bind(domain, builder.build(domain.spellings, kind), kind)
    except AntifazError:
        return False
    return True
