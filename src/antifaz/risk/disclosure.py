"""Attribute disclosure: what a class gives away about a sensitive value, without anybody being re-identified.

Everything follows from how often each value occurs in each class: one entry per pair that occurs, so memory and time
are linear in those pairs, but for a sort.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from antifaz.core.arrays import Codes, Flags, Floats, Ints
from antifaz.core.errors import ParameterError
from antifaz.core.types import DataType
from antifaz.core.values import sense
from antifaz.counting.frequencies import group_codes
from antifaz.risk.keys import arrow, read_codes, read_keys

#: Values of a class within this share of the attribute's range, or below one node of its hierarchy, are similar.
SIMILAR = 0.1


@dataclass(frozen=True, kw_only=True, eq=False)
class Values:
    """One sensitive attribute in classes: entries (class, value, how often), by class, the most frequent first."""

    sizes: Ints = field(repr=False)
    owner: Ints = field(repr=False)
    value: Ints = field(repr=False)
    counts: Ints = field(repr=False)
    #: The values: text as a reader takes it, None for missing; in the order of numbers where they are numbers.
    labels: tuple[str | None, ...] = field(repr=False)
    numbers: Floats | None = field(repr=False)

    @property
    def records(self) -> int:
        """How many records there are."""
        return int(self.sizes.sum())

    @property
    def starts(self) -> Ints:
        """Where the entries of each class begin."""
        return np.searchsorted(self.owner, np.arange(self.sizes.size))

    def share(self, classes: Flags) -> float:
        """Return the share of records in some classes."""
        return float(self.sizes[classes].sum() / self.records) if self.records else 0.0


def gather(
    classes: Ints, sizes: Ints, codes: Codes, counts: Ints, texts: Sequence[str | None], kind: DataType = DataType.TEXT
) -> Values:
    """Count a sensitive attribute in classes of some sizes, from tuples.

    Of each tuple: its class (-1: none), the position of its value in `texts`, the values as read, and its records.
    """
    senses = [sense(text) for text in texts]
    labels, numbers = _ordered(sorted({text for text in senses if text is not None}), kind)
    whole: tuple[str | None, ...] = (*labels, None) if None in senses else tuple(labels)
    if numbers is not None and len(whole) > numbers.size:
        numbers = np.append(numbers, np.nan)
    place = {text: i for i, text in enumerate(whole)}
    own = np.fromiter((place[text] for text in senses), np.int32, len(senses))
    some = classes >= 0
    pairs = [classes[some].astype(np.int32), own[codes[some]]]
    first, _, summed = group_codes(pairs, [max(sizes.size, 1), max(len(whole), 1)], counts[some])
    owner, value = pairs[0][first].astype(np.int64), pairs[1][first].astype(np.int64)
    order = np.lexsort((value, -summed, owner))
    owner, value, summed = owner[order], value[order], summed[order]
    return Values(sizes=sizes, owner=owner, value=value, counts=summed, labels=whole, numbers=numbers)


def _ordered(texts: list[str], kind: DataType) -> tuple[list[str], Floats | None]:
    if not kind.is_number:
        return texts, None
    try:
        numbers = np.array([float(text) for text in texts], np.float64)
    except ValueError:
        return texts, None  # what was released instead of a number is a label, and equal only to itself
    order = np.argsort(numbers, kind="stable")
    return [texts[i] for i in order], numbers[order]


def disclosure(values: Values, *, exclusions: int = 3, parents: Ints | None = None) -> dict[str, Any]:
    """Return what the classes give away about a sensitive attribute.

    Attackers may know of up to `exclusions` values that somebody does not have them. `parents` are the nodes of a
    hierarchy above the values, where there is one.
    """
    different = np.bincount(values.owner, minlength=values.sizes.size)
    uneven, distances = skewness(values), ordered_distances(values)
    return {
        "distinct": len(values.labels),
        "least_distinct": int(different.min()) if different.size else 0,
        "homogeneity": {"records": values.share(different == 1), "classes": int((different == 1).sum())},
        "background_knowledge": [
            {"exclusions": j, "records": values.share(different <= j + 1), "confidence": confidence(values, j)}
            # Who may rule out all values but one knows anyway.
            for j in range(1, min(exclusions, len(values.labels) - 2) + 1)
        ],
        "confidence": confidence(values, 0),
        "skewness": {
            "largest": float(uneven.max(initial=0.0)),
            "average": float(np.dot(values.sizes, uneven) / values.records) if values.records else 0.0,
        },
        "ordered_distance": float(distances.max()) if distances is not None and distances.size else None,
        "similarity": similarity(values, parents),
    }


def confidence(values: Values, exclusions: int) -> float:
    """Return how sure an attacker can be of somebody's value, at most, who rules out so many other values.

    He does best by ruling out the most frequent ones but the first: r₁/(n − r₂ − … − r_{j+1}).
    """
    if not values.owner.size:
        return 0.0
    starts = values.starts
    rank = np.arange(values.owner.size) - starts[values.owner]
    ruled_out = np.where((rank >= 1) & (rank <= exclusions), values.counts, 0)
    left = values.sizes - np.bincount(values.owner, weights=ruled_out, minlength=values.sizes.size)
    return float((values.counts[starts] / left).max())


def skewness(values: Values) -> Floats:
    """Return of each class how far its distribution is from that of the table: half the sum of |q − p|."""
    totals = np.bincount(values.value, weights=values.counts, minlength=len(values.labels))
    p = totals / max(values.records, 1)
    q = values.counts / values.sizes[values.owner]
    # Only what a class has more of needs to be added up: it has as much less of the rest.
    more = np.maximum(q - p[values.value], 0)
    return np.bincount(values.owner, weights=more, minlength=values.sizes.size).astype(np.float64)


def ordered_distances(values: Values) -> Floats | None:
    """Return of each class the earth mover's distance by rank: Σ|cumulated q − cumulated p|/(m − 1); None for text.

    Between two values that a class has, its cumulated q stands still while that of p climbs, so each such run is known
    from prefix sums once the place is found where p overtakes q.
    """
    many = len(values.labels)
    if values.numbers is None or many < 2 or not values.owner.size:
        return None
    climb = np.cumsum(np.bincount(values.value, weights=values.counts, minlength=many)) / values.records
    prefix = np.concatenate([[0.0], np.cumsum(climb)])
    order = np.lexsort((values.value, values.owner))
    owner, start = values.owner[order], values.value[order]
    first = np.concatenate([[True], owner[1:] != owner[:-1]])
    stop = np.append(np.where(first[1:], many, start[1:]), many)
    share = values.counts[order] / values.sizes[owner]
    so_far = np.cumsum(share)
    so_far -= (so_far - share)[first][np.cumsum(first) - 1]
    below = np.clip(np.searchsorted(climb, so_far, side="right"), start, stop)
    runs = so_far * (below - start) - (prefix[below] - prefix[start])
    runs += (prefix[stop] - prefix[below]) - so_far * (stop - below)
    runs += np.where(first, prefix[start], 0.0)
    return np.bincount(owner, weights=runs, minlength=values.sizes.size) / (many - 1)


def similarity(values: Values, parents: Ints | None = None) -> dict[str, Any]:
    """Return the share of records in classes whose values differ but mean nearly the same.

    For numbers: the whole class within a tenth of the attribute's range. With a hierarchy: all below one node of the
    first level. Either way it says at least as much as homogeneity, which it includes.
    """
    similar: dict[str, Any] = {}
    starts = values.starts
    if values.numbers is not None and values.owner.size:
        numbers = values.numbers[values.value]
        known = ~np.isnan(values.numbers)
        whole = float(np.ptp(values.numbers[known])) if known.any() else 0.0
        width = np.maximum.reduceat(numbers, starts) - np.minimum.reduceat(numbers, starts)
        alone = np.bincount(values.owner, minlength=values.sizes.size) == 1
        similar["within_range"] = values.share(alone | (width <= SIMILAR * whole))
        similar["narrowest_range"] = float(np.nanmin(width)) / whole if whole and not np.isnan(width).all() else None
    if parents is not None and values.owner.size:
        nodes = parents[values.value]
        same = np.maximum.reduceat(nodes, starts) == np.minimum.reduceat(nodes, starts)
        similar["below_one_node"] = values.share(same)
    return similar


@dataclass(frozen=True, kw_only=True, eq=False)
class Diversity:
    """Per record, in the order of the table: the diversity of its class, after three definitions."""

    #: How many different values the class has.
    distinct: Ints = field(repr=False)
    #: The number of equally frequent values that would leave as much open.
    entropy: Floats = field(repr=False)
    #: The largest l of recursive (c, l)-diversity.
    recursive: Ints = field(repr=False)


def l_diversity(frame: Any, columns: Sequence[str] | str, sensitive: str, *, c: float = 2) -> Diversity:
    """Say of every record how diverse a sensitive attribute is in its class.

    After A. Machanavajjhala et al., l-diversity: privacy beyond k-anonymity, ICDE 2006. Blanks are values of their own.

    Args:
        frame: A pandas, polars or pyarrow table.
        columns: The key: records with equal values are a class.
        sensitive: The attribute that should stay unknown.
        c: How many times as frequent as the rest the most frequent value may be, for recursive diversity: l is the
            largest for which n₁ < c·(n_l + … + n_m), counts in falling order; 1 where none is.
    """
    if not c > 0:
        raise ParameterError("l-diversity.c-not-positive", c=c)
    table = arrow(frame)
    keys = read_keys(table, columns, "l_diversity")
    values, size = read_codes(table, sensitive, "l_diversity")
    classes, sizes = keys.counts.size, keys.counts
    pair = [keys.tuple_of.astype(np.int32), values + np.int32(1)]
    first, _, counts = group_codes(pair, [max(classes, 1), size + 1], np.ones(keys.rows, np.int64))
    owner = keys.tuple_of[first]
    # By class, the most frequent value first.
    order = np.lexsort((-counts, owner))
    owner, counts = owner[order], counts[order]
    parts = counts / sizes[owner]
    entropy = np.exp(-np.bincount(owner, weights=parts * np.log(parts), minlength=classes))
    distinct, recursive = np.bincount(owner, minlength=classes), _recursive(owner, counts, sizes, c)
    at = keys.tuple_of
    return Diversity(distinct=distinct[at], entropy=entropy[at], recursive=recursive[at])


def _recursive(owner: Ints, counts: Ints, sizes: Ints, c: float) -> Ints:
    """The largest l of every class: 1, and one more for every value that may be taken away from the rest."""
    starts = np.searchsorted(owner, np.arange(sizes.size))
    before = np.cumsum(counts) - counts
    # For l = 2, 3, …: what is left from the l-th value on. The first value stands for no l beyond 1.
    rest = sizes[owner] - (before - before[starts][owner])
    place = np.arange(owner.size) - starts[owner]
    holds = (place >= 1) & (c * rest > counts[starts][owner])
    # What is left shrinks with l, so those that hold come first.
    return 1 + np.bincount(owner[holds], minlength=sizes.size)
