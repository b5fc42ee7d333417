"""The clusterings: k-members and l-greedy, which take what costs least; Hilbert; one-pass k-means; and MDAV."""

from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from antifaz.core.errors import DataError, ParameterError
from antifaz.counting.records import QuasiIdentifier, Records
from antifaz.kernels.clustering import one_pass
from antifaz.methods.arrays import Floats, Ints
from antifaz.methods.clustering.base import Clustering, RecordBlock, gather_best, hilbert_order
from antifaz.methods.clustering.grouping import Grouping
from antifaz.methods.method import Task
from antifaz.methods.microaggregation import GroupingMethod, group_numbers

#: By default so many first records are tried, and in all so many records are grouped for it.
MOST, LOOKS = 16, 16_000


_GREEDY = (
    "Less than k records left in the end join the groups where they cost least. Under other models than k-anonymity a "
    "group exchanges its last records for ones of the sensitive values it lacks, and grows beyond k if need be, until "
    "all models pass it; only what they refuse even then is united with the nearest. Groups are found exactly, with a "
    "search tree, and in blocks above 100,000 records."
)


class KMembers(Clustering):
    """Each group starts with the record farthest from the last one chosen and takes k - 1 that cost least."""

    name: ClassVar[str] = "k-members"
    summary: ClassVar[str] = "Greedy clustering: each group starts far from the last and takes the records nearest it."
    details: ClassVar[str] = (
        "No hierarchies are needed; where a category has one, its labels and their loss are used. The first record is "
        "drawn with the seed, so other seeds give other groups; from several first records, the grouping that loses "
        "least is kept. Where records cost the same, the first in order is taken, and in a second run the one nearest "
        "to the group's first; again the run that loses less is kept. "
    ) + _GREEDY
    formula: ClassVar[str] = "argmin_r |g ∪ r|·NCP(g ∪ r) − |g|·NCP(g)"
    source: ClassVar[str] = "Byun, Kamra, Bertino, Li: Efficient k-Anonymization Using Clustering Techniques, 2007"

    heeds_models: ClassVar[bool] = True

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


class LGreedy(Clustering):
    """Each group starts with the first record left, the least varied attribute leading, and takes what costs least."""

    name: ClassVar[str] = "l-greedy"
    summary: ClassVar[str] = "Greedy clustering in sorted order: each group takes the records nearest its first."
    details: ClassVar[str] = (
        "Records are sorted by all attributes, that with the least variance first; nothing is drawn at random. Where "
        "records cost the same, the first in order is taken, and in a second run the one nearest to the group's first; "
        "the run that loses less is kept. No hierarchies are needed; where a category has one, its labels and their "
        "loss are used. "
    ) + _GREEDY
    formula: ClassVar[str] = "argmin_r |g ∪ r|·NCP(g ∪ r) − |g|·NCP(g)"
    source: ClassVar[str] = "Liang, Samavi: Optimization-based k-anonymity algorithms, Computers & Security 93, 2020"

    heeds_models: ClassVar[bool] = True

    def cluster(self, part: RecordBlock) -> Ints:
        """Group greedily from the first record on: blocks hold their records in the order wanted."""
        return gather_best(part, [0], far=False)


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

    def cluster(self, part: RecordBlock) -> Ints:
        """Cut the order into runs of k."""
        order = hilbert_order(part.table)
        groups = np.empty(order.size, np.int64)
        groups[order] = np.minimum(np.arange(order.size) // part.k, max(order.size // part.k - 1, 0))
        return groups


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

    def cluster(self, part: RecordBlock) -> Ints:
        """Draw the centres and let every record join one."""
        if not part.rows:
            return np.zeros(0, np.int64)
        seeds = np.sort(part.random.choice(part.rows, max(part.rows // part.k, 1), replace=False))
        groups: Ints = one_pass(part.table, seeds, part.k)
        return groups


class Mdav(Grouping):
    """Group records around those farthest from the average, and release every group as its mean."""

    numbers_only: ClassVar[bool] = True
    #: What the common checks try; `optimal` is for one column and has tests of its own.
    examples: ClassVar[tuple[dict[str, Any], ...]] = (
        {},
        {"method": "single"},
        {"method": "pca"},
        {"release": "interval"},
    )
    name: ClassVar[str] = "mdav"
    summary: ClassVar[str] = "Microaggregation: records with close numbers form groups of k, released as their mean."
    details: ClassVar[str] = (
        "For quasi-identifiers that are numbers without missing values; every column counts alike, whatever its unit. "
        "MDAV looks at all pairs of rows in the worst case, k times fewer in general; with one quasi-identifier, "
        "sorting does. 'optimal' finds the grouping of one column that loses least, 'single' sorts by the first "
        "quasi-identifier and 'pca' by the first principal component: fast, and coarser. Groups are made for k alone: "
        "other models are judged, and refused where they do not hold. Whole numbers are released as whole numbers "
        "unless keep_type is false, so sums are kept only approximately."
    )
    formula: ClassVar[str] = (
        "distance(x, y) = Σ_j (x_j − y_j)² / Var_j; groups = the k nearest to the row farthest from the centroid, and "
        "the k nearest to the row farthest from that, until fewer than 2k are left"
    )
    source: ClassVar[str] = (
        "J. Domingo-Ferrer and V. Torra, Ordinal, continuous and heterogeneous k-anonymity through microaggregation, "
        "DMKD 11, 2005; S. Hansen and S. Mukherjee, A polynomial algorithm for optimal univariate microaggregation, "
        "IEEE TKDE 15(4), 2003"
    )

    method: GroupingMethod = Field(
        default="mdav",
        description="How records are grouped: mdav, optimal (one quasi-identifier only), single, or pca.",
    )
    release: Literal["interval", "mode", "median", "mean"] = Field(
        default="mean", description="A group is released as one value for all, or as the span of its values ([20, 29])."
    )

    def group(self, records: Records, task: Task) -> tuple[Ints, dict[str, Any]]:
        """Return the group of every record, and what was done."""
        columns = [_numbers(self.name, attribute) for attribute in records.attributes]
        if not columns:
            raise ParameterError("method.needs-a-number", name=self.name)
        if self.method == "optimal" and len(columns) > 1:
            raise ParameterError("method.optimal-needs-one-quasi-identifier", name=self.name, columns=len(columns))
        k = task.k
        return group_numbers(np.stack(columns, axis=1), k, self.method), {"k": k, "grouped by": self.method}


def _numbers(name: str, attribute: QuasiIdentifier) -> Floats:
    if attribute.scale is None or not attribute.kind.is_number:
        raise ParameterError(
            "method.quasi-identifier-not-numbers", name=name, column=attribute.column, kind=attribute.kind.value
        )
    numbers = attribute.scale[attribute.codes]
    missing = int(np.isnan(numbers).sum())
    if missing:
        raise DataError("method.column-has-missing-numbers", name=name, column=attribute.column, missing=missing)
    return numbers
