"""k-members: groups that start far from each other and take what costs least."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.clustering import Table
from antifaz.methods.clustering.blocks import Clustering, gather_best


class KMembers(Clustering):
    """Each group starts with the record farthest from the last one chosen and takes k - 1 that cost least."""

    name: ClassVar[str] = "k-members"
    summary: ClassVar[str] = "Greedy clustering: each group starts far from the last and takes the records nearest it."
    details: ClassVar[str] = (
        "No hierarchies are needed; where a category has one, its labels and their loss are used. The first record is "
        "drawn with the seed, so other seeds give other groups. Where records cost the same, the first row is taken, "
        "and in a second run the one nearest to the group's first; the run that loses less is kept. Less than k "
        "records left in the end join the groups where they cost least. Other models than k-anonymity are reached by "
        "uniting the groups they refuse with the nearest. Time grows with the square of the number of records; blocks "
        "bound it."
    )
    formula: ClassVar[str] = "argmin_r |g ∪ r|·NCP(g ∪ r) − |g|·NCP(g)"
    source: ClassVar[str] = "Byun, Kamra, Bertino, Li: Efficient k-Anonymization Using Clustering Techniques, 2007"

    def cluster(self, table: Table, k: int, random: np.random.Generator) -> NDArray[np.int64]:
        """Group greedily from a random record on."""
        rows = table.numbers.shape[0]
        first = int(random.integers(rows)) if rows else 0
        return gather_best(table, np.arange(rows), k, first, farthest=True)
