"""How many released records lie nearest to the person they were made from, and how many numbers near the original?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from antifaz.core.arrays import Flags, Floats, Ints
from antifaz.core.errors import DataError, ParameterError, hint
from antifaz.core.messages import Message

if TYPE_CHECKING:
    from antifaz.sources.paired_frames import PairedColumn

Distance = Literal["euclidean", "mahalanobis", "gower"]

#: The assignment needs all distances at once: 200 MB for so many rows.
MOST_ASSIGNED = 5_000
#: Distances that differ by less are ties: rounding must not decide who is nearest.
TIE = 1e-9


@dataclass(frozen=True, kw_only=True)
class Linkage:
    """How many released records were linked to their own original."""

    #: The expected share: whoever ties with t − 1 others is found with the chance 1/t.
    share: float
    #: The share if every tie goes wrong, and if every tie goes right.
    at_least: float
    at_most: float
    #: What guessing would reach.
    chance: float
    rows: int

    def __float__(self) -> float:
        return self.share


def linkage(
    original: Any,
    released: Any,
    columns: Sequence[str] | str | None = None,
    *,
    nearest: int = 1,
    distance: Distance | None = None,
    assignment: bool = False,
    sample: int | None = None,
) -> Linkage:
    """Link every released record to its nearest original ones; return the share whose own original is among them.

    An attacker who holds the original values of some columns does this. With several originals equally near, each is
    taken with the same chance; the shares if luck is always bad and always good are given too.

    Args:
        original: A pandas, polars or pyarrow table.
        released: The same rows in the same order, after protection.
        columns: What the attacker knows; by default all columns that both tables have, numbers and categories.
        nearest: Among how many of the nearest the own original has to be.
        distance: "euclidean", numbers divided by the standard deviation of the original column; "mahalanobis", which
            also takes correlations out; or "gower": numbers divided by their range, a category 0 if equal and else 1,
            and the mean of these. By default euclidean for numbers without missing values, and gower for all others.
        assignment: Link one to one instead, with the least total distance; for up to 5,000 rows.
        sample: Link no more than so many released records, always the same ones, each with all originals.

    Constant columns have no say. Missing values are for gower only: 0 from another missing one and 1 from all else.
    Dates and times count as numbers. Distances that differ by less than 1e-9 are ties.
    """
    from antifaz.sources.paired_frames import read_mixed  # here: it brings pyarrow

    pairs = read_mixed(original, released, columns, what="linkage")
    rows = pairs[0].original.size
    _check(nearest, distance, assignment, rows, sample)
    plain = not any(column.categories or column.missing for column in pairs)
    before, after, category = _scaled(pairs, distance or ("euclidean" if plain else "gower"))
    power = 1 if distance == "gower" or not plain else 2
    if assignment:
        return _assigned(before, after, category, power)
    drawn = np.arange(rows)
    if sample is not None and sample < rows:
        drawn = np.random.default_rng(0).choice(rows, sample, replace=False)
    nearer, equal = _ranks(before, after, category, power, nearest, drawn)
    luck = np.clip((nearest - nearer) / np.maximum(equal, 1), 0.0, 1.0)
    return Linkage(
        share=float(luck.mean()), at_least=float(((nearer < nearest) & (nearer + equal <= nearest)).mean()),
        at_most=float((nearer < nearest).mean()), chance=nearest / rows, rows=rows,
    )  # fmt: skip


def _check(nearest: int, distance: str | None, assignment: bool, rows: int, sample: int | None) -> None:
    if isinstance(nearest, bool) or not isinstance(nearest, (int, np.integer)) or not 1 <= nearest <= rows:
        raise ParameterError("linkage.nearest-out-of-bounds", rows=rows)
    if distance is not None and distance not in get_args(Distance):
        known = hint(str(distance), get_args(Distance))
        raise ParameterError("linkage.unknown-distance", distance=distance, hint=known)
    if sample is not None and sample < 1:
        raise ParameterError("linkage.sample-below-1", sample=sample)
    if assignment and nearest != 1:
        raise ParameterError("linkage.assignment-with-nearest")
    if assignment and rows > MOST_ASSIGNED:
        raise DataError("linkage.too-many-rows-to-assign", rows=rows, most=MOST_ASSIGNED)


def _scaled(pairs: Sequence[PairedColumn], distance: str) -> tuple[Floats, Floats, Flags]:
    """Both tables row by row, such that distances are sums of gaps or squares; and which columns are categories."""
    from antifaz.sources.paired_frames import standard_deviation

    category = np.array([column.categories > 0 for column in pairs])
    before = np.column_stack([column.original for column in pairs])
    after = np.column_stack([column.released for column in pairs])
    if distance == "gower":
        _divide_by_range(before, after, category)
        return before, after, category
    for column in pairs:
        if column.categories or column.missing:
            trouble = Message("risk.is-not-numbers") if column.categories else Message("risk.has-missing-values")
            raise DataError("linkage.column-needs-gower", column=column.name, trouble=trouble)
    widths = np.array([standard_deviation(column.original) for column in pairs])
    varying = widths > 0
    centre = before[:, varying].mean(axis=0)
    before, after = ((side[:, varying] - centre) / widths[varying] for side in (before, after))
    if distance == "mahalanobis" and varying.any():
        correlation = np.corrcoef(before, rowvar=False).reshape(before.shape[1], -1)
        values, vectors = np.linalg.eigh(correlation)
        if values[0] < 1e-10:
            raise DataError("linkage.columns-depend-on-each-other")
        turn = vectors / np.sqrt(values)
        before, after = before @ turn, after @ turn
    return np.ascontiguousarray(before), np.ascontiguousarray(after), category[varying]


def _divide_by_range(before: Floats, after: Floats, category: Flags) -> None:
    """Divide numbers by the range of both tables, so that no gap is more than 1."""
    for c in np.flatnonzero(~category):
        both = np.concatenate([before[:, c], after[:, c]])
        known = both[~np.isnan(both)]
        low, width = (known.min(), np.ptp(known)) if known.size else (0.0, 0.0)
        for side in (before, after):
            side[:, c] = (side[:, c] - low) / (width or 1.0)


def _band(before: Floats, after: Floats, category: Flags, power: int) -> tuple[Floats, Floats]:
    """For every record, between which sums another original is as near as its own."""
    gaps = _gaps(before, after, category, power)
    if power == 1:
        slack = TIE * before.shape[1]
        return gaps - slack, gaps + slack
    own = np.sqrt(gaps)
    # Below 0 nothing is nearer; a square would say otherwise.
    return np.where(own > TIE, (own - TIE) ** 2, -1.0), (own + TIE) ** 2


def _gaps(before: Floats, after: Floats, category: Flags, power: int) -> Floats:
    """The sum over columns for rows side by side; one of the two may be a single row, for its distance to all."""
    total = np.zeros(max(len(before), len(after)))
    for c in range(before.shape[1]):
        x, y = before[:, c], after[:, c]
        gap = np.abs(x - y) if not category[c] else (x != y).astype(np.float64)
        gap = gap**power
        missing = np.isnan(x).astype(np.int8) + np.isnan(y)
        total += np.where(missing == 0, gap, missing == 1)
    return total


def _ranks(before: Floats, after: Floats, category: Flags, power: int, nearest: int, drawn: Ints) -> tuple[Ints, Ints]:
    """For every drawn record, how many originals are nearer than its own, and how many as near (its own is)."""
    from antifaz.kernels.nearest import boxes, count_nearer

    nearer, equal = np.zeros(drawn.size, np.int64), np.full(drawn.size, len(before), np.int64)
    if before.shape[1]:
        near, far = _band(before[drawn], after[drawn], category, power)
        count_nearer(before, after[drawn], category, power, nearest, near, far, boxes(before, category), nearer, equal)
    return nearer, equal


def _assigned(before: Floats, after: Floats, category: Flags, power: int) -> Linkage:
    """Link one to one. Who looks the same is exchangeable, so a link to their group counts by its size."""
    from scipy.optimize import linear_sum_assignment  # here: the import alone costs more than a small run

    rows = len(before)
    costs = np.stack([_gaps(before, after[i : i + 1], category, power) for i in range(rows)])
    chosen = linear_sum_assignment(np.sqrt(costs) if power == 2 else costs)[1]
    twins, crowd = _groups(before), _groups(after)
    own, given = (np.unique(np.stack([crowd, who]), axis=1, return_inverse=True) for who in (twins, twins[chosen]))
    got = {(int(r), int(v)): int(n) for (r, v), n in zip(given[0].T, np.bincount(given[1].ravel()), strict=True)}
    own_links = np.array([got.get((int(r), int(v)), 0) for r, v in own[0].T])
    sizes = np.bincount(own[1].ravel())
    reached = own_links[own[1].ravel()]
    together, alike = np.bincount(crowd)[crowd], np.bincount(twins)[twins]
    sure = (reached == together) & (alike == 1)
    return Linkage(
        share=float((reached / together / alike).mean()), at_least=float(sure.mean()),
        at_most=float(np.minimum(sizes, own_links).sum() / rows), chance=1 / rows, rows=rows,
    )  # fmt: skip


def _groups(rows: Floats) -> Ints:
    if not rows.shape[1]:
        return np.zeros(len(rows), np.int64)
    return np.unique(rows, axis=0, return_inverse=True, equal_nan=True)[1].ravel().astype(np.int64)


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
    inside = _inside(original, released, columns, k, sd)
    return {name: float(np.count_nonzero(near) / near.size) for name, near in inside}


def _inside(
    original: Any, released: Any, columns: Sequence[str] | str | None, k: float, sd: str
) -> list[tuple[str, Flags]]:
    from antifaz.sources.paired_frames import read_numbers, standard_deviation  # here: it brings pyarrow

    if isinstance(k, bool) or not isinstance(k, (int, float, np.number)) or not 0 <= k < np.inf:
        raise ParameterError("interval-risk.k-negative")
    if sd not in get_args(Width):
        raise ParameterError("interval-risk.unknown-sd", sd=sd, hint=hint(str(sd), get_args(Width)))
    inside = []
    for column in read_numbers(original, released, columns, what="interval_risk"):
        deviation = _robust if sd == "robust" else standard_deviation
        width = deviation(column.original if sd == "original" else column.released)
        gaps = column.original - column.released
        np.abs(gaps, out=gaps)
        # Not "at most": a missing value must count as inside.
        inside.append((column.name, ~(gaps > k * width) if column.missing else gaps <= k * width))
    return inside


def _robust(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return _NORMAL * float(np.median(np.abs(known - np.median(known)))) if known.size else 0.0
