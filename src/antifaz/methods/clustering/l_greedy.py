"""l-greedy: groups that start in sorted order and take what costs least."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from antifaz.methods.clustering.base import Clustering
from antifaz.methods.clustering.greedy_best import RecordBlock, gather_best


class LGreedy(Clustering):
    """Each group starts with the first record left, the least varied attribute leading, and takes what costs least."""

    name: ClassVar[str] = "l-greedy"
    summary: ClassVar[str] = "Greedy clustering in sorted order: each group takes the records nearest its first."
    details: ClassVar[str] = (
        "Records are sorted by all attributes, that with the least variance first; nothing is drawn at random. Where "
        "records cost the same, the first in order is taken, and in a second run the one nearest to the group's first; "
        "the run that loses less is kept. No hierarchies are needed; where a category has one, its labels and their "
        "loss are used. Less than k records left in the end join the groups where they cost least. Under other models "
        "than k-anonymity a group exchanges its last records for ones of the sensitive values it lacks, and grows "
        "beyond k if need be, until all models pass it; only what they refuse even then is united with the nearest. "
        "Groups are found exactly, with a search tree, and in blocks above 100,000 records."
    )
    formula: ClassVar[str] = "argmin_r |g ∪ r|·NCP(g ∪ r) − |g|·NCP(g)"
    source: ClassVar[str] = "Liang, Samavi: Optimization-based k-anonymity algorithms, Computers & Security 93, 2020"

    heeds_models: ClassVar[bool] = True

    def cluster(self, part: RecordBlock) -> NDArray[np.int64]:
        """Group greedily from the first record on: blocks hold their records in the order wanted."""
        return gather_best(part, [0], far=False)
