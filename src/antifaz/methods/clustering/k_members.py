"""k-members: each group starts far from the last one and takes the records that cost least."""

from typing import ClassVar

from pydantic import Field

from antifaz.core.arrays import Ints
from antifaz.methods.clustering.base import GREEDY_HELP, Clustering, RecordBlock, gather_best

#: By default so many first records are tried, and in all so many records are grouped for it.
MOST, LOOKS = 16, 16_000


class KMembers(Clustering):
    """Each group starts with the record farthest from the last one chosen and takes k - 1 that cost least."""

    name: ClassVar[str] = "k-members"
    summary: ClassVar[str] = "Greedy clustering: each group starts far from the last and takes the records nearest it."
    details: ClassVar[str] = (
        "No hierarchies are needed; where a category has one, its labels and their loss are used. The first record is "
        "drawn with the seed, so other seeds give other groups; from several first records, the grouping that loses "
        "least is kept. Where records cost the same, the first in order is taken, and in a second run the one nearest "
        "to the group's first; again the run that loses less is kept. "
    ) + GREEDY_HELP
    formula: ClassVar[str] = "argmin_r |g ∪ r|·NCP(g ∪ r) − |g|·NCP(g)"
    source: ClassVar[str] = "Byun, Kamra, Bertino, Li: Efficient k-Anonymization Using Clustering Techniques, 2007"
    surest_of_six: ClassVar[int | None] = 100

    heeds_models: ClassVar[bool] = True
    cells_per_second: ClassVar[int | None] = 10_000

    starts: int | None = Field(
        default=None,
        ge=1,
        le=1000,
        description="From how many first records to try; if not given, 16 for up to 1,000 records, fewer for more, and "
        "one above 8,000.",
    )

    def cluster(self, part: RecordBlock) -> Ints:
        """Group greedily from random records on; keep what loses least."""
        starts = self.starts or max(min(MOST, LOOKS // max(part.rows, 1)), 1)
        firsts = part.random.permutation(part.rows)[:starts]
        return gather_best(part, firsts.tolist(), far=True)
