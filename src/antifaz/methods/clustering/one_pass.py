"""One-pass k-means: every record joins the nearest of n/k centres; then sizes are evened out."""

from typing import ClassVar

import numpy as np

from antifaz.core.arrays import Ints
from antifaz.kernels.one_pass import one_pass
from antifaz.methods.clustering.base import Clustering, RecordBlock


class OnePass(Clustering):
    """Every record joins the nearest of n/k centres in one pass; then sizes are evened out."""

    name: ClassVar[str] = "one-pass"
    summary: ClassVar[str] = "Fast clustering: one pass of k-means around n/k random records, then sizes evened out."
    details: ClassVar[str] = (
        "n/k records are drawn with the seed as centres. Every record joins the nearest, which moves to the mean of "
        "its numbers; its categories stay those of the record drawn. Then groups of more than k give away the records "
        "farthest from their centre: these fill groups of less than k, and the rest go where they are nearest. Faster "
        "than k-members and l-greedy, and loses more. Other models than k-anonymity are reached by uniting the groups "
        "they refuse with the nearest."
    )
    source: ClassVar[str] = "Lin, Wei: An Efficient Clustering Method for k-Anonymization, PAIS 2008"
    surest_of_six: ClassVar[int | None] = 100

    def cluster(self, part: RecordBlock) -> Ints:
        """Draw the centres and let every record join one."""
        if not part.rows:
            return np.zeros(0, np.int64)
        seeds = np.sort(part.random.choice(part.rows, max(part.rows // part.k, 1), replace=False))
        groups: Ints = one_pass(part.table, seeds, part.k)
        return groups
