"""Do columns keep their distributions, pairs of columns their relation, and queries their answers? From counts.

A record that says `[20, 30)` counts evenly for the values of the original's domain in it. Records that were left out
are not in the released distribution, so that it is compared by shares.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from antifaz.core.arrays import Floats, Ints
from antifaz.core.roles import Role
from antifaz.utility.ks import cumulated, ks_counts
from antifaz.utility.pair import PairColumn, TablePair, mean_known

#: A column with more values than this is counted in so many bins of neighbouring values, of about equal records.
BINS = 50
#: Two-way tables of labels are dense up to so many cells.
_DENSE = 4_000_000


@dataclass(frozen=True, kw_only=True, eq=False)
class Grid:
    """A column in at most `BINS` bins, and what each released label adds to them.

    Labels that spread alike are one pattern; the first patterns are the bins themselves.
    """

    bins: int
    bin_of: Ints = field(repr=False)
    patterns: Floats = field(repr=False)
    pattern_of: Ints = field(repr=False)


def grid(column: PairColumn, bins: int = BINS) -> Grid:
    """Put a column's values into bins, and spread its labels over them."""
    domain, covers = column.domain, column.covers
    edges = _edges(domain.counts, bins)
    many = edges.size - 1
    bin_of = np.repeat(np.arange(many), np.diff(edges))
    pattern_of = np.zeros(covers.labels, np.int64)
    if not covers.labels or not many:
        return Grid(bins=many, bin_of=bin_of, patterns=np.eye(many), pattern_of=pattern_of)
    low, high = bin_of[covers.start], bin_of[covers.stop - 1]
    first, last = np.full(covers.labels, many), np.full(covers.labels, -1)
    np.minimum.at(first, covers.owner, low)
    np.maximum.at(last, covers.owner, high)
    single = first == last
    pattern_of[single] = first[single]
    wide = np.flatnonzero(~single)
    rows = np.zeros((wide.size, many))
    place = np.full(covers.labels, -1)
    place[wide] = np.arange(wide.size)
    runs = np.flatnonzero(place[covers.owner] >= 0)
    for b in range(many):  # over bins, of which there are few, not over runs
        shared = np.minimum(covers.stop[runs], edges[b + 1]) - np.maximum(covers.start[runs], edges[b])
        np.add.at(rows[:, b], place[covers.owner[runs]], np.maximum(shared, 0))
    rows /= np.maximum(rows.sum(axis=1, keepdims=True), 1)
    distinct, which = np.unique(rows, axis=0, return_inverse=True)
    pattern_of[wide] = many + which.reshape(-1)
    return Grid(bins=many, bin_of=bin_of, patterns=np.vstack([np.eye(many), distinct]), pattern_of=pattern_of)


def _edges(counts: Ints, bins: int) -> Ints:
    """Where bins begin: at every value, or so that each bin has about the same number of records."""
    if counts.size <= bins:
        return np.arange(counts.size + 1)
    total = np.cumsum(counts)
    cuts = np.searchsorted(total, total[-1] * np.arange(1, bins) / bins) + 1
    return np.unique(np.concatenate([[0], cuts, [counts.size]]))


def distributions(pair: TablePair) -> dict[str, Any]:
    """Return what became of each column, of correlations, and of one- and two-way tables."""
    grids = {column.name: grid(column) for column in pair.columns}
    columns = {column.name: of_column(column, grids[column.name]) for column in pair.columns}
    return {
        "ks": {name: measured["ks"]["p"] for name, measured in columns.items() if "ks" in measured},
        "columns": columns,
        "correlations": correlations(pair),
        "tables": {
            "one_way": mean_known([measured["total_variation"] for measured in columns.values()]),
            **two_way(pair, grids),
        },
    }


def of_column(column: PairColumn, cells: Grid) -> dict[str, Any]:
    """Compare the distribution of a column: total variation, and for numbers KS, earth mover's distance, moments."""
    domain, covers = column.domain, column.covers
    before = np.bincount(cells.bin_of, weights=domain.counts, minlength=cells.bins).astype(np.float64)
    after = np.bincount(cells.pattern_of, weights=column.kept, minlength=len(cells.patterns)) @ cells.patterns
    measures: dict[str, Any] = {"total_variation": variation(before, after)}
    if domain.kind.is_number and domain.scale is not None:
        known, readable = ~np.isnan(domain.scale), ~np.isnan(covers.middles) & (column.kept > 0)
        place, records = domain.scale[known], domain.counts[known]
        points, released = covers.middles[readable], column.kept[readable]
        statistic, p = ks_counts(place, records, points, released)
        measures["ks"] = {"statistic": statistic, "p": p}
        measures |= _moments(place, records, points, released)
    return measures


def variation(before: Floats, after: Floats) -> float | None:
    """Return half the sum of the differences of shares: 0 the same, 1 nothing in common; None if one is empty."""
    if not before.sum() or not after.sum():
        return None
    return float(np.abs(before / before.sum() - after / after.sum()).sum() / 2)


def _moments(place: Floats, records: Ints, points: Floats, kept: Ints) -> dict[str, float | None]:
    """The earth mover's distance and the changes of mean and spread, all in standard deviations of the original."""
    nothing: dict[str, float | None] = {"earth_mover": None, "mean_moved": None, "spread_ratio": None}
    if not records.sum() or not kept.sum():
        return nothing
    middle = float(np.average(place, weights=records))
    sd = float(np.sqrt(np.average((place - middle) ** 2, weights=records)))
    if not sd:
        return nothing
    mean = float(np.average(points, weights=kept))
    width = float(np.sqrt(np.average((points - mean) ** 2, weights=kept)))
    cells = np.unique(np.concatenate([place, points]))
    gaps = np.abs(cumulated(cells, place, records) / records.sum() - cumulated(cells, points, kept) / kept.sum())[:-1]
    earth = float(np.dot(gaps, np.diff(cells)))
    return {"earth_mover": earth / sd, "mean_moved": (mean - middle) / sd, "spread_ratio": width / sd}


def correlations(pair: TablePair) -> dict[str, Any]:
    """Compare Pearson's correlations of all pairs of numbers, labels being read as the middle of what they cover."""
    numbers = [column for column in pair.columns if column.domain.kind.is_number and column.domain.scale is not None]
    before, after = {}, {}
    for one, other in combinations(numbers, 2):
        name = f"{one.name}, {other.name}"
        before[name] = _correlation([_scale(one), _scale(other)], pair.original.counts)
        middles = [column.covers.middles[column.after] for column in (one, other)]
        after[name] = _correlation(middles, np.where(pair.informative, pair.released.counts, 0))
    pairs = zip(before.values(), after.values(), strict=True)
    gaps = [abs(a - b) for a, b in pairs if a is not None and b is not None]
    changes = {"mean_change": mean_known(gaps), "largest_change": max(gaps, default=None)}
    return {"before": before, "after": after, **changes}


def _scale(column: PairColumn) -> Floats:
    return np.empty(0) if column.domain.scale is None else column.domain.scale[column.before]


def _correlation(columns: Sequence[Floats], counts: Ints) -> float | None:
    known = ~(np.isnan(columns[0]) | np.isnan(columns[1])) & (counts > 0)
    weights = counts[known].astype(np.float64)
    if not weights.size:
        return None
    centred = [values[known] - np.average(values[known], weights=weights) for values in columns]
    sums_of_squares = [float(np.dot(weights, values**2)) for values in centred]
    tiny = [1e-18 * float(np.dot(weights, values[known] ** 2)) for values in columns]
    if any(own <= least for own, least in zip(sums_of_squares, tiny, strict=True)):
        return None
    return float(np.dot(weights, centred[0] * centred[1]) / np.sqrt(sums_of_squares[0] * sums_of_squares[1]))


def two_way(pair: TablePair, grids: dict[str, Grid]) -> dict[str, Any]:
    """Return the total variation of every two-way table: mean, and the pair of columns that lost most."""
    measured: dict[tuple[str, str], float] = {}
    counts = np.where(pair.informative, pair.released.counts, 0)
    for one, other in combinations(pair.columns, 2):
        first, second = grids[one.name], grids[other.name]
        bins = first.bin_of[one.before], second.bin_of[other.before]
        patterns = first.pattern_of[one.after], second.pattern_of[other.after]
        before = _table(*bins, first.bins, second.bins, pair.original.counts)
        after = _joint_table(*patterns, first.patterns, second.patterns, counts)
        moved = variation(before.ravel(), after.ravel())
        if moved is not None:
            measured[one.name, other.name] = moved
    worst = max(measured, key=lambda names: measured[names]) if measured else None
    return {
        "two_way": mean_known(list(measured.values())),
        "two_way_largest": None if worst is None else {"columns": list(worst), "total_variation": measured[worst]},
    }


def _table(rows: Ints, columns: Ints, height: int, width: int, counts: Ints) -> Floats:
    cells = np.bincount(rows * width + columns, weights=counts, minlength=height * width)
    return np.asarray(cells, np.float64).reshape(height, width)


def _joint_table(rows: Ints, columns: Ints, first: Floats, second: Floats, counts: Ints) -> Floats:
    if len(first) * len(second) <= _DENSE:
        return np.asarray(first.T @ _table(rows, columns, len(first), len(second), counts) @ second)
    from scipy.sparse import coo_array

    cells = coo_array((counts.astype(np.float64), (rows, columns)), shape=(len(first), len(second))).tocsr()
    return np.asarray(first.T @ (cells @ second))


#: A true count below this share of the records is taken for it, so that tiny counts do not decide.
SANITY = 0.001


def query_error(pair: TablePair, random: np.random.Generator, *, queries: int = 100, most: int = 3) -> dict[str, Any]:
    """Ask random range queries of both tables: how many records lie in a range of one to `most` columns?

    A query takes columns at random among the quasi-identifiers, and in each a stretch of neighbouring values with about
    the same share of records, so that a tenth of the records would be in it if columns had no relation. In the released
    table a label counts by the share of its values that lie in the stretch; records that were left out are missing.
    The error is |released − true| / max(true, 0.1 % of the records).
    """
    columns = [column for column in pair.of(Role.QUASI_IDENTIFIER) if column.domain.size > 1]
    if not columns or not pair.rows:
        return {"queries": 0, "median_relative_error": None, "mean_relative_error": None}
    counts = np.where(pair.informative, pair.released.counts, 0).astype(np.float64)
    errors = np.empty(queries)
    for q in range(queries):
        chosen = random.choice(len(columns), int(random.integers(1, min(most, len(columns)) + 1)), replace=False)
        asked = [(columns[i], *_stretch(columns[i], 0.1 ** (1 / chosen.size), random)) for i in chosen.tolist()]
        true, estimate = _answers(pair, asked, counts)
        errors[q] = abs(estimate - true) / max(true, SANITY * pair.rows)
    median, mean = float(np.median(errors)), float(errors.mean())
    return {"queries": queries, "median_relative_error": median, "mean_relative_error": mean}


def _stretch(column: PairColumn, share: float, random: np.random.Generator) -> tuple[int, int]:
    """Draw neighbouring values that hold about this share of the records, but at least one value and not all."""
    before = column.domain.records_before
    start = int(np.searchsorted(before, random.random() * (1 - share) * before[-1], side="right")) - 1
    stop = int(np.searchsorted(before, before[start] + share * before[-1], side="left"))
    stop = min(max(stop, start + 1), column.domain.size)
    return (start, stop) if stop - start < column.domain.size else (start, stop - 1)


def _answers(pair: TablePair, asked: list[tuple[PairColumn, int, int]], counts: Floats) -> tuple[float, float]:
    inside, share = np.ones(pair.original.counts.size, np.bool_), np.ones(counts.size)
    for column, start, stop in asked:
        inside &= (column.before >= start) & (column.before < stop)
        share *= column.covers.inside(start, stop)[column.after]
    return float(pair.original.counts[inside].sum()), float(np.dot(counts, share))
