"""Proposed top- and bottom-coding: the ends of numeric columns where a few people lie far from all others."""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from antifaz.core.arrays import Floats, Ints
from antifaz.core.messages import Message, as_data
from antifaz.core.profile import Profile
from antifaz.engines.engine import Data

#: Columns with more values than this are not looked at.
_MOST_VALUES = 200_000
#: Of a table with fewer than so many times k records all is a tail.
_LEAST_RECORDS = 20
#: A tail is proposed where fewer than k records take more than this share of the range.
_WIDE = 0.1


@dataclass(frozen=True)
class Tail:
    """An end of a column, and the operation that would hide who lies there."""

    operation: str
    at: Decimal
    reason: Message

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"operation": self.operation, "at": format(self.at, "f"), "reason": as_data(self.reason)}

    @property
    def written(self) -> dict[str, Any]:
        """What a project file says about the column to have it done."""
        number = int(self.at) if self.at == self.at.to_integral_value() else float(self.at)
        return {"operation": {"name": self.operation, "at": number}}


def wide_tails(
    data: Data, profile: Profile, k: int, columns: Collection[str], codes: Mapping[str, Collection[str]]
) -> dict[str, list[Tail]]:
    """Return the wide tails of numeric columns among those named.

    A bound is rounded so that at least k records lie on it or beyond and no extreme value shows. `codes` are values
    that may mean missing, per column; they are no numbers.
    """
    found = {}
    for column in profile:
        known = column.rows - column.missing
        if column.name not in columns or not column.type.is_number or known < _LEAST_RECORDS * k:
            continue
        if not 2 < column.distinct <= _MOST_VALUES:
            continue
        tails = _tails(column.name, *_numbers(data, column.name, codes.get(column.name, ())), k)
        if tails:
            found[column.name] = tails
    return found


def _numbers(data: Data, column: str, codes: Collection[str]) -> tuple[Floats, Ints]:
    """The different numbers of a column in order, and how many records have each."""
    counted = data.count([column])
    known = []
    for code, count in zip(counted.codes[0].tolist(), counted.counts.tolist(), strict=True):
        text = counted.values[0][code]
        if text is None or text.strip() in codes:
            continue
        try:
            number = float(text)
        except ValueError:
            continue
        if math.isfinite(number):
            known.append((number, count))
    known.sort()
    return np.array([number for number, _ in known]), np.array([count for _, count in known], np.int64)


def _tails(name: str, numbers: Floats, counts: Ints, k: int) -> list[Tail]:
    if counts.sum() < _LEAST_RECORDS * k:
        return []
    # The outermost numbers that k records lie on or beyond.
    low = float(numbers[np.searchsorted(np.cumsum(counts), k)])
    high = float(numbers[::-1][np.searchsorted(np.cumsum(counts[::-1]), k)])
    least, most = float(numbers[0]), float(numbers[-1])
    if high <= low:
        return []
    # A tenth to a hundredth of what lies between; whole numbers stay whole.
    unit = Decimal(10) ** math.floor(math.log10((high - low) / 10))
    if (numbers == np.floor(numbers)).all():
        unit = max(unit, Decimal(1))
    top = (Decimal(repr(high)) / unit).to_integral_value("ROUND_FLOOR") * unit
    bottom = (Decimal(repr(low)) / unit).to_integral_value("ROUND_CEILING") * unit
    if bottom >= top:
        return []
    tails = []
    if least < low and (low - least) > _WIDE * (most - least):
        share, few = (low - least) / (most - least), int(counts[numbers < low].sum())
        together = int(counts[numbers <= float(bottom)].sum())
        about = {"name": name, "few": few, "share": share, "at": format(bottom, "f"), "together": together}
        tails.append(Tail("bottom-code", bottom, Message("reason.bottom-code", **about)))
    if high < most and (most - high) > _WIDE * (most - least):
        share, few = (most - high) / (most - least), int(counts[numbers > high].sum())
        together = int(counts[numbers >= float(top)].sum())
        about = {"name": name, "few": few, "share": share, "at": format(top, "f"), "together": together}
        tails.append(Tail("top-code", top, Message("reason.top-code", **about)))
    return tails
