"""Hilbert: neighbours on a space-filling curve form groups of k."""

from typing import ClassVar

import numpy as np

from antifaz.core.arrays import Ints
from antifaz.methods.clustering.base import Clustering, RecordBlock, hilbert_order


class Hilbert(Clustering):
    """Orders the records along a Hilbert curve and cuts the order into runs of k."""

    name: ClassVar[str] = "hilbert"
    summary: ClassVar[str] = "Fast clustering: neighbours on a Hilbert curve through all attributes form groups of k."
    details: ClassVar[str] = (
        "Takes little more time than sorting and loses more than k-members or l-greedy. Categories lie on the curve in "
        "the order of their values, or of their hierarchy. The last group takes what is left. Other models than "
        "k-anonymity are reached by uniting the groups they refuse with the nearest."
    )
    source: ClassVar[str] = "Ghinita, Karras, Kalnis, Mamoulis: Fast Data Anonymization with Low Information Loss, 2007"
    surest_of_six: ClassVar[int | None] = 100

    def cluster(self, part: RecordBlock) -> Ints:
        """Cut the order into runs of k."""
        order = hilbert_order(part.table)
        groups = np.empty(order.size, np.int64)
        groups[order] = np.minimum(np.arange(order.size) // part.k, max(order.size // part.k - 1, 0))
        return groups
