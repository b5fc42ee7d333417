"""Interval disclosure: how many released numbers lie close to the original ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np

from antifaz.core.arrays import Flags, Floats
from antifaz.core.errors import ParameterError, hint

Width = Literal["released", "original", "robust"]

#: Makes the median of absolute deviations estimate the standard deviation of normal numbers.
_NORMAL = 1.482602218505602


def interval_risk(
    original: Any, released: Any, columns: Sequence[str] | str | None = None, *, k: float = 0.2, sd: Width = "released"
) -> float:
    """Return the share of records whose original value lies within k standard deviations of the released one.

    With several columns all must lie inside. The ends belong to the interval. A value missing in either table counts
    as inside, because a blank rules nothing out. A constant column has a width of 0: inside is what is equal.

    Args:
        original: A pandas, polars or pyarrow table.
        released: The same rows in the same order, after protection.
        columns: Numeric columns; by default all that are numbers in both tables.
        k: How many standard deviations the interval reaches to either side.
        sd: The standard deviation of the "released" column (what a recipient can compute, and what sdcMicro takes), of
            the "original" one, or a "robust" one of the released: 1.4826 times the median distance to the median, which
            is 0 where more than half of the values are equal.
    """
    inside: Flags | None = None
    for _, near in _inside(original, released, columns, k, sd):
        inside = near if inside is None else np.logical_and(inside, near, out=inside)
    return 0.0 if inside is None else float(np.count_nonzero(inside) / inside.size)


def interval_risk_by_column(
    original: Any, released: Any, columns: Sequence[str] | str | None = None, *, k: float = 0.2, sd: Width = "released"
) -> dict[str, float]:
    """Return `interval_risk` of each column on its own."""
    return {
        name: float(np.count_nonzero(near) / near.size) for name, near in _inside(original, released, columns, k, sd)
    }


def _inside(
    original: Any, released: Any, columns: Sequence[str] | str | None, k: float, sd: str
) -> list[tuple[str, Flags]]:
    """By column: which records lie inside."""
    from antifaz.sources.paired_frames import read_numbers, standard_deviation  # here: it brings pyarrow

    if isinstance(k, bool) or not isinstance(k, (int, float, np.number)) or not 0 <= k < np.inf:
        raise ParameterError("interval-risk.k-negative")
    if sd not in get_args(Width):
        raise ParameterError("interval-risk.unknown-sd", sd=sd, hint=hint(str(sd), get_args(Width)))
    found = []
    for column in read_numbers(original, released, columns, what="interval_risk"):
        if sd == "robust":
            width = _robust(column.released)
        else:
            width = standard_deviation(column.released if sd == "released" else column.original)
        gaps = column.original - column.released
        np.abs(gaps, out=gaps)
        # Not "at most": a missing value must count as inside.
        near = ~(gaps > k * width) if column.missing else gaps <= k * width
        found.append((column.name, near))
    return found


def _robust(values: Floats) -> float:
    known = values[~np.isnan(values)]
    if not known.size:
        return 0.0
    return _NORMAL * float(np.median(np.abs(known - np.median(known))))
