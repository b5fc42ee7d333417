"""Diversity per record: how much is left open about a sensitive value by the records that share a key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from antifaz.core.arrays import Floats, Ints
from antifaz.core.errors import ParameterError
from antifaz.counting.frequencies import group_codes
from antifaz.risk.keys import arrow, read_codes, read_keys


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
    distinct = np.bincount(owner, minlength=classes)
    recursive = _recursive(owner, counts, sizes, c)
    return Diversity(
        distinct=distinct[keys.tuple_of], entropy=entropy[keys.tuple_of], recursive=recursive[keys.tuple_of]
    )


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
