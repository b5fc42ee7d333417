"""What the rows contribute to a table: distinct tuples of dimensions, person and amount, counted where the rows are."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation

import numpy as np

from antifaz.core.arrays import Codes, Flags, Ints
from antifaz.core.errors import DataError, ParameterError
from antifaz.core.values import same_text
from antifaz.counting.domains import qi_domain
from antifaz.counting.frequencies import Tuples
from antifaz.counting.people import person_codes
from antifaz.engines.engine import Data
from antifaz.hierarchies import HierarchyBuilder
from antifaz.tabulation.dimensions import BoundDimension, bind_dimension

#: Amounts with more decimals are rounded to so many.
MOST_DECIMALS = 6
#: Sums of amounts, in units, stay below this: solvers compute with binary fractions of 53 bits.
_LARGEST = 1 << 50
#: The keys of contributors are whole numbers below this, and so are those of cells.
KEYS = 1 << 32


@dataclass(frozen=True, kw_only=True, eq=False)
class Contributions:
    """What was counted: entries that each stand for some records, or for one person in one combination of values."""

    dimensions: tuple[BoundDimension, ...]
    measure: str | None
    decimals: int
    #: The code of each entry in each dimension.
    codes: tuple[Codes, ...]
    #: What each record of an entry contributes, in units; ones where records or people are counted.
    amounts: Ints
    #: How many records each entry stands for.
    records: Ints
    #: The person of each entry; None where records are counted.
    persons: Ints | None
    #: The key of each person.
    keys: Ints = field(default_factory=lambda: np.zeros(0, np.int64), repr=False)
    #: How many records have no amount, and are not in the table.
    without_amount: int = 0
    #: Whether amounts were rounded to the decimals.
    rounded: bool = False


def contributions(
    data: Data,
    dimensions: Mapping[str, HierarchyBuilder],
    *,
    measure: str | None = None,
    person: Sequence[str] = (),
    secret: bytes | None = None,
) -> Contributions:
    """Count what a table is made of. Rows stay where they are; only distinct tuples come out."""
    names = [*dimensions, *([] if measure is None else [measure]), *person]
    if not dimensions:
        raise ParameterError("tabulation.no-dimensions")
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ParameterError("tabulation.column-twice", column=twice)
    data.schema.require(names)
    if measure is not None and not data.schema[measure].type.is_number:
        raise ParameterError("tabulation.measure-not-a-number", column=measure, type=str(data.schema[measure].type))
    counted = data.count(names)
    at = {name: place for place, name in enumerate(counted.columns)}
    amounts, kept, decimals, rounded = _amounts(counted, None if measure is None else at[measure], measure)
    bound, codes = [], []
    for name, builder in dimensions.items():
        kind = data.schema[name].type
        domain = qi_domain(name, counted.values[at[name]], kind)
        bound.append(bind_dimension(domain, builder, kind))
        codes.append(domain.codes[counted.codes[at[name]]][kept])
    columns = [(counted.values[at[name]], counted.codes[at[name]][kept]) for name in person]
    persons = person_codes(columns) if person else None
    keys = np.zeros(0, np.int64) if secret is None or persons is None else _keys(columns, persons, secret)
    return Contributions(
        dimensions=tuple(bound), measure=measure, decimals=decimals, codes=tuple(codes), amounts=amounts[kept],
        records=counted.counts[kept], persons=persons, keys=keys, without_amount=int(counted.counts[~kept].sum()),
        rounded=rounded,
    )  # fmt: skip


def _amounts(counted: Tuples, place: int | None, measure: str | None) -> tuple[Ints, Flags, int, bool]:
    """Return the amount of each tuple in units, which tuples have one, how many decimals, and whether it is exact."""
    if place is None or measure is None:
        many = counted.counts.size
        return np.ones(many, np.int64), np.ones(many, np.bool_), 0, False
    numbers = [_number(text, measure) for text in counted.values[place]]
    exponent = max((-int(number.as_tuple().exponent) for number in numbers if number is not None), default=0)
    decimals = min(max(exponent, 0), MOST_DECIMALS)
    units = [0 if number is None else int(number.scaleb(decimals).to_integral_value()) for number in numbers]
    codes = counted.codes[place]
    total = sum(unit * count for unit, count in zip(units, np.bincount(codes, counted.counts, len(units)), strict=True))
    if total >= _LARGEST:
        raise DataError("tabulation.sum-too-large", column=measure)
    missing = np.array([number is None for number in numbers], np.bool_)
    return np.array(units, np.int64)[codes], ~missing[codes], decimals, exponent > decimals


def _number(text: str | None, measure: str) -> Decimal | None:
    """Read an amount; what is not finite is no amount, and what is negative is refused: no rule covers it."""
    if text is None or not text.strip():
        return None
    try:
        number = Decimal(text.strip()).normalize()
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite():
        raise DataError("tabulation.amount-not-finite", column=measure)
    if number < 0:
        raise DataError("tabulation.amount-negative", column=measure)
    if number.adjusted() > 15:
        raise DataError("tabulation.sum-too-large", column=measure)
    return number


def _keys(columns: Sequence[tuple[Sequence[str | None], Codes]], persons: Ints, secret: bytes) -> Ints:
    """Return the key of each person: a keyed hash of who it is, the same in every table."""
    _, first = np.unique(persons, return_index=True)
    folded = [[same_text(text) for text in texts] for texts, _ in columns]
    keys = []
    for entry in first.tolist():
        who = "\x1f".join(texts[codes[entry]] for texts, (_, codes) in zip(folded, columns, strict=True))
        hashed = hashlib.blake2b(who.encode(), key=secret[:64], digest_size=4)
        keys.append(int.from_bytes(hashed.digest(), "big"))
    return np.array(keys, np.int64)
