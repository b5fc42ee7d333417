"""Domains: the distinct values of a column, each under the one spelling or sense by which it is counted."""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from operator import ne

import numpy as np

from antifaz.core.arrays import Codes
from antifaz.core.types import DataType
from antifaz.core.values import all_match, canonical_values, is_number, sense

#: Numbers that differ also as floating-point numbers, and in the same order, where they have fifteen digits at most.
_SHORT_NUMBER = re.compile(r"(?=.{1,15}(?:\n|\Z))-?[0-9]+(?:\.[0-9]+)?")


@dataclass(frozen=True, kw_only=True, eq=False)
class Domain:
    """A column's values as read, and the code under which each is counted.

    Codes follow the sorted spellings (numbers by value), so they don't depend on the order of rows; a missing value
    has the last code.
    """

    column: str
    values: tuple[str | None, ...]
    codes: Codes
    spellings: tuple[str, ...]
    has_missing: bool

    @property
    def size(self) -> int:
        """The number of codes, missing included."""
        return len(self.spellings) + self.has_missing

    @property
    def labels(self) -> tuple[str | None, ...]:
        """The spelling behind each code; None for missing."""
        return (*self.spellings, None) if self.has_missing else self.spellings

    @property
    def respelled(self) -> int:
        """How many values are released under another spelling than the one they were read with."""
        labels = (*self.spellings, None)
        return sum(map(ne, self.values, map(labels.__getitem__, self.codes.tolist())))


def qi_domain(column: str, values: Sequence[str | None], kind: DataType) -> Domain:
    """Return the domain of a quasi-identifier: one code per spelling that would be released."""
    return _domain(column, values, canonical_values(values, kind))


def sensitive_domain(column: str, values: Sequence[str | None]) -> Domain:
    """Return the domain of a sensitive attribute: one code per sense, so spellings are no diversity."""
    return _domain(column, values, [sense(value) for value in values])


def _domain(column: str, values: Sequence[str | None], folded: Sequence[str | None]) -> Domain:
    different = dict.fromkeys(folded)  # in their order, which is nearly sorted
    has_missing = None in different
    spellings = _in_order(sorted(text for text in different if text is not None))
    place: dict[str | None, int] = dict(zip(spellings, range(len(spellings)), strict=True))
    place[None] = len(spellings)
    codes = np.fromiter(map(place.__getitem__, folded), np.int32, len(folded))
    return Domain(column=column, values=tuple(values), codes=codes, spellings=spellings, has_missing=has_missing)


def _in_order(texts: list[str]) -> tuple[str, ...]:
    """Sort by number where all are numbers, else leave them sorted by text."""
    if all_match(_SHORT_NUMBER, texts):
        places = np.argsort(np.fromiter(map(float, texts), np.float64, len(texts)), kind="stable")
        return tuple(map(texts.__getitem__, places.tolist()))
    if all(map(is_number, texts)):
        with suppress(InvalidOperation):  # an exponent beyond all bounds
            return tuple(sorted(texts, key=lambda text: (Decimal(text), text)))
    return tuple(texts)
