"""l-greedy: groups that start in sorted order and take what costs least."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.clustering import Table
from antifaz.methods.clustering.blocks import Clustering, gather_best


class LGreedy(Clustering):
    """Each group starts with the first record left, the least varied attribute leading, and takes what costs least."""

    name: ClassVar[str] = "l-greedy"
    summary: ClassVar[str] = "Greedy clustering in sorted order: each group takes the records nearest its first."
    details: ClassVar[str] = (
        "Records are sorted by all attributes, that with the least variance first; nothing is drawn at random. Where "
        "records cost the same, the first in order is taken, and in a second run the one nearest to the group's first; "
        "the run that loses less is kept. No hierarchies are needed; where a category has one, its labels and their "
        "loss are used. Less than k records left in the end join the groups where they cost least. Other models than "
        "k-anonymity are reached by uniting the groups they refuse with the nearest. Time grows with the square of the "
        "number of records; blocks bound it."
    )
    formula: ClassVar[str] = "argmin_r |g ∪ r|·NCP(g ∪ r) − |g|·NCP(g)"
    source: ClassVar[str] = "Liang, Samavi: Optimization-based k-anonymity algorithms, Computers & Security 93, 2020"

    def cluster(self, table: Table, k: int, random: np.random.Generator) -> NDArray[np.int64]:
        """Sort, then group greedily from the first record on."""
        order = sorted_rows(table)
        groups = np.empty(order.size, np.int64)
        groups[order] = gather_best(table, order, k, 0, farthest=False)
        return groups


def sorted_rows(table: Table) -> NDArray[np.int64]:
    """Return the rows in lexicographic order, the attribute with the least variance first; equals by row."""
    parts = []
    for columns in (table.numbers, table.codes, table.places):
        parts += [columns[:, a].astype(np.float64) for a in range(columns.shape[1])]
    if not parts:
        return np.arange(table.numbers.shape[0])
    # A missing value comes last and weighs nothing in the variance.
    keys = sorted(parts, key=_variance, reverse=True)
    return np.lexsort(keys)


def _variance(column: NDArray[np.float64]) -> float:
    known = column[~np.isnan(column)]
    width = float(np.ptp(known)) if known.size else 0.0
    return float(np.var(known / width)) if width else 0.0
