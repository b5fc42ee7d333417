"""NCP and GCP: the normalized certainty penalty of a value, an attribute, a table (Xu et al. 2006)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from antifaz.counting.generalization import Generalization
from antifaz.counting.ladders import Ladder


def penalties(ladder: Ladder, level: int) -> NDArray[np.float64]:
    """Return the penalty of each label: width over the data's width for numbers, (leaves − 1)/(all − 1) otherwise."""
    if ladder.spans is not None:
        low, high = ladder.spans[level].T
        whole = np.nanmax(ladder.spans[0][:, 1]) - np.nanmin(ladder.spans[0][:, 0]) if low.size else 0.0
        return np.nan_to_num((high - low) / whole) if whole else np.zeros(low.size)
    if ladder.leaves <= 1:
        return np.zeros(ladder.size(level))
    return (ladder.shares[level] * ladder.leaves - 1) / (ladder.leaves - 1)


def gcp(table: Generalization) -> float:
    """Return the mean penalty over records and attributes; a suppressed record has penalty 1 in each."""
    if not table.rows or not table.ladders:
        return 0.0
    total = float(table.suppressed * len(table.ladders))
    for ladder, level, kept in zip(table.ladders, table.levels, table.marginals, strict=True):
        total += float(np.dot(kept, penalties(ladder, level)))
    return total / (table.rows * len(table.ladders))
