"""Records: the quasi-identifiers of every row as codes, for methods that group rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta

import numpy as np

from antifaz.core.arrays import Codes, Flags, Floats, Ints
from antifaz.core.errors import DataError
from antifaz.core.messages import Message
from antifaz.core.types import DataType
from antifaz.counting.domains import Domain, qi_domain, sensitive_domain
from antifaz.counting.frequencies import Tuples, group_codes
from antifaz.counting.people import People, people_by_row, person_codes
from antifaz.counting.rollup import Ladder

#: Days are counted from here; a time without an offset is taken for one of UTC.
_FIRST = datetime(1, 1, 1, tzinfo=UTC)
#: The difference and the sum of two numbers up to here are numbers still.
_LARGEST = 1e300


@dataclass(frozen=True, kw_only=True, eq=False)
class QuasiIdentifier:
    """One quasi-identifier of all rows: a code per row, and what the codes mean."""

    domain: Domain
    kind: DataType
    #: One code per row.
    codes: Codes
    #: Where values are numbers or dates: the place of every code on a scale; NaN for missing. None for categories.
    scale: Floats | None
    #: The hierarchy, where there is one.
    ladder: Ladder | None = None
    #: Per code the lower and the upper end of intervals that begin or end there; None where these are the values.
    outward: tuple[Floats, Floats] | None = None

    @property
    def column(self) -> str:
        """The name of the column."""
        return self.domain.column

    @property
    def range(self) -> float:
        """How far the numbers of the data lie apart; 0 for a constant column, and for categories."""
        if self.scale is None or np.isnan(self.scale).all():
            return 0.0
        return float(np.nanmax(self.scale) - np.nanmin(self.scale))

    @property
    def written_ends(self) -> tuple[Floats, Floats]:
        """Per code the numbers that intervals are written with, which begin or end there; NaN for categories."""
        scale = self.scale if self.scale is not None else np.full(self.domain.size, np.nan)
        return self.outward or (scale, scale)

    @property
    def covered_ends(self) -> tuple[Floats, Floats]:
        """Per code the least and the greatest number of the data in intervals that begin or end there.

        Whoever has the label and the data finds the same: what lies beyond them is nobody's.
        """
        low, high = self.written_ends
        if self.outward is None or self.scale is None:
            return low, high
        there = np.sort(self.scale[~np.isnan(self.scale)])
        first = np.searchsorted(there, low).clip(max=there.size - 1)
        last = np.searchsorted(there, high, "right") - 1
        return np.where(np.isnan(low), np.nan, there[first]), np.where(np.isnan(high), np.nan, there[last])

    @property
    def unplaced(self) -> bool:
        """Whether some value is there and has no place: infinite, or not a number. It counts as missing."""
        return self.scale is not None and bool(np.isnan(self.scale[: len(self.domain.spellings)]).any())

    def spell(self, place: float) -> str | None:
        """Write a place on the scale as a value of the column: whole numbers without a point, dates as dates."""
        if np.isnan(place):
            return None
        if self.kind.is_number:
            # Beyond 2^53 the digits of a whole number would say more than is known.
            exact = self.kind is DataType.INTEGER or abs(place) < 2**53
            return str(int(place)) if float(place).is_integer() and exact else repr(float(place))
        moment = _FIRST + timedelta(seconds=round(place * 86400))
        return moment.date().isoformat() if self.kind is DataType.DATE else moment.strftime("%Y-%m-%d %H:%M:%S")

    def spell_ends(self, codes: Ints, side: int) -> list[str | None]:
        """Write the lower (0) or the upper (1) ends of intervals that begin or end at these codes."""
        spellings = self.domain.spellings
        if self.outward is None or self.scale is None:
            return [spellings[code] for code in codes.tolist()]
        places = self.outward[side][codes]
        moved = places != self.scale[codes]
        texts = {place: self.spell(place) for place in set(places[moved].tolist())}
        each = zip(codes.tolist(), places.tolist(), moved.tolist(), strict=True)
        return [texts[place] if other else spellings[code] for code, place, other in each]


def days_of(day: date) -> float:
    """Return the place of a day on the scale of dates."""
    return float((day - _FIRST.date()).days)


@dataclass(frozen=True, kw_only=True, eq=False)
class SensitiveColumn:
    """One sensitive attribute of all rows."""

    domain: Domain
    codes: Codes
    up: tuple[Codes, ...] | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class Records:
    """All rows: their quasi-identifiers and the sensitive attributes that models ask about."""

    attributes: tuple[QuasiIdentifier, ...]
    sensitive: Mapping[str, SensitiveColumn] = field(default_factory=dict)
    rows: int
    #: Whether these are copies made from counts, so that only what is the same for equal records can be applied.
    copies: bool = False
    #: Whose row each is, where there is a person key.
    people: People | None = None

    @property
    def number(self) -> int:
        """How many records there are, or people where they are counted: no class has more."""
        return self.rows if self.people is None else self.people.number

    def take(self, rows: Flags | Ints) -> "Records":
        """Return some of the rows."""
        attributes = tuple(replace(own, codes=own.codes[rows]) for own in self.attributes)
        sensitive = {name: replace(own, codes=own.codes[rows]) for name, own in self.sensitive.items()}
        many = int(np.count_nonzero(rows)) if rows.dtype == np.bool_ else rows.size
        people = self.people and self.people.part(rows)
        return replace(self, attributes=attributes, sensitive=sensitive, rows=many, people=people)

    def once_per_person(self) -> tuple["Records", Ints]:
        """Return one of the equal rows of each person, and which of these stands for every row; else all rows."""
        if self.people is None:
            return self, np.arange(self.rows)
        columns = [self.people.persons.astype(np.int32), *(own.codes for own in self.attributes)]
        sizes = [self.people.number, *(own.domain.size for own in self.attributes)]
        first, which, _ = group_codes(columns, sizes, np.ones(self.rows, np.int64))
        return replace(self.take(first), people=None, sensitive={}), which


def records(
    counted: Tuples,
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str] = (),
    types: Mapping[str, DataType] | None = None,
    ladders: Mapping[str, Ladder] | None = None,
    trees: Mapping[str, tuple[Codes, ...]] | None = None,
    *,
    copies: bool = False,
    person: Sequence[str] = (),
) -> Records:
    """Make the records of what an engine read: tuples of which every one stands for one row, in the rows' order."""
    kinds, at = types or {}, {name: i for i, name in enumerate(counted.columns)}
    attributes = []
    for name in quasi_identifiers:
        kind = kinds.get(name, DataType.TEXT)
        domain = qi_domain(name, counted.values[at[name]], kind)
        codes, scale, ladder = domain.codes[counted.codes[at[name]]], _scale(domain, kind), (ladders or {}).get(name)
        attributes.append(QuasiIdentifier(domain=domain, kind=kind, codes=codes, scale=scale, ladder=ladder))
    columns = {}
    for name in sensitive:
        domain = sensitive_domain(name, counted.values[at[name]])
        codes, up = domain.codes[counted.codes[at[name]]], (trees or {}).get(name)
        columns[name] = SensitiveColumn(domain=domain, codes=codes, up=up)
    people = None
    if person:
        persons = person_codes([(counted.values[at[name]], counted.codes[at[name]]) for name in person])
        people = people_by_row(
            persons, {n: (own.codes.astype(np.int64), own.domain.size) for n, own in columns.items()}
        )
    rows = counted.counts.size
    return Records(attributes=tuple(attributes), sensitive=columns, rows=rows, copies=copies, people=people)


def warnings_about(records: Records) -> tuple[str, ...]:
    """Say which columns have values that no method can place."""
    return tuple(
        Message("warning.column-has-infinite-values", column=a.column) for a in records.attributes if a.unplaced
    )


def spread_out(counted: Tuples) -> Tuples:
    """Return tuples of which each stands for one record again: as many copies of each as were counted."""
    codes = tuple(np.repeat(part, counted.counts) for part in counted.codes)
    return replace(counted, codes=codes, counts=np.ones(counted.rows, np.int64))


def _scale(domain: Domain, kind: DataType) -> Floats | None:
    """The place of every code on a scale: numbers as they are, dates and times as days; None for categories."""
    if not kind.is_ordered:
        return None
    try:
        places = [_place(text, kind) for text in domain.spellings]
    except ValueError:
        return None
    scale = np.array([*places, *([np.nan] if domain.has_missing else [])], np.float64)
    # What is infinite or not a number has no place.
    scale[~np.isfinite(scale)] = np.nan
    require_differences(domain.column, scale)
    return scale


def require_differences(column: str, numbers: Floats) -> None:
    """Raise where two numbers of a column may be so far apart that their difference is none."""
    if np.any(np.abs(numbers) > _LARGEST):
        raise DataError("column.number-beyond-1e300", column=column)


def _place(text: str, kind: DataType) -> float:
    if kind.is_number:
        return float(text)
    moment = datetime.fromisoformat(text)
    return ((moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - _FIRST) / timedelta(days=1)
