"""l-greedy: each group starts with the first record left in sorted order and takes those that cost least."""

from typing import ClassVar

from antifaz.core.arrays import Ints
from antifaz.methods.clustering.base import GREEDY_HELP, Clustering, RecordBlock, gather_best


class LGreedy(Clustering):
    """Each group starts with the first record left, the least varied attribute leading, and takes what costs least."""

    name: ClassVar[str] = "l-greedy"
    summary: ClassVar[str] = "Greedy clustering in sorted order: each group takes the records nearest its first."
    details: ClassVar[str] = (
        "Records are sorted by all attributes, that with the least variance first; nothing is drawn at random. Where "
        "records cost the same, the first in order is taken, and in a second run the one nearest to the group's first; "
        "the run that loses less is kept. No hierarchies are needed; where a category has one, its labels and their "
        "loss are used. "
    ) + GREEDY_HELP
    formula: ClassVar[str] = "argmin_r |g ∪ r|·NCP(g ∪ r) − |g|·NCP(g)"
    source: ClassVar[str] = "Liang, Samavi: Optimization-based k-anonymity algorithms, Computers & Security 93, 2020"
    surest_of_six: ClassVar[int | None] = 100

    heeds_models: ClassVar[bool] = True
    cells_per_second: ClassVar[int | None] = 8_000

    def cluster(self, part: RecordBlock) -> Ints:
        """Group greedily from the first record on: blocks hold their records in the order wanted."""
        return gather_best(part, [0], far=False)
