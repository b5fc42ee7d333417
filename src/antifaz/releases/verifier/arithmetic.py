"""What the verifier counts with: sums by group, correctly rounded ratios, and integers that never overflow."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.core.arrays import Floats, Ints

Integers = NDArray[Any]  # int64, or Python's own integers where 64 bits could overflow
Tree = Mapping[str | None, Sequence[str]]


@dataclass(frozen=True)
class JudgedAttribute:
    """One sensitive attribute, ready to be judged; `totals` are the records of the reference table per label."""

    sizes: Ints
    classes: Ints
    values: Ints
    counts: Ints
    labels: tuple[str | None, ...]
    numeric: bool
    totals: Ints
    tree: Tree | None

    @property
    def whole(self) -> int:
        """The number of records of the reference table."""
        return int(self.totals.sum())


def sum_by(amounts: NDArray[Any], groups: Ints, many: int) -> NDArray[Any]:
    """Add up amounts by group."""
    sums = np.zeros(many, dtype=amounts.dtype)
    np.add.at(sums, groups, amounts)
    return sums


def largest(amounts: Floats, sensitive: JudgedAttribute) -> Floats:
    """Return the largest amount of each class."""
    found = np.full(len(sensitive.sizes), -np.inf)
    np.maximum.at(found, sensitive.classes, amounts)
    return found


def divide(above: Integers, below: Integers) -> Floats:
    """Return correctly rounded ratios of integers; something divided by nothing is infinite."""
    pairs = zip(above.tolist(), below.tolist(), strict=True)
    # Python's division of integers rounds once, whatever their size.
    return np.array([a / b if b else math.inf for a, b in pairs], dtype=np.float64)


def integer_type(sensitive: JudgedAttribute, factor: int) -> Any:
    """Return int64 where `factor` products of two counts fit into it, and Python's endless integers where not."""
    largest = max(sensitive.whole, int(sensitive.sizes.max()))
    return np.int64 if factor * largest * largest < 2**62 else object


def is_finite(label: str | None) -> bool:
    """Say whether a label is a finite number, or missing."""
    try:
        return label is None or Decimal(label).is_finite()
    except InvalidOperation:
        return False
