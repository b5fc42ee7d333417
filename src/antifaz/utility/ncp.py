"""NCP and GCP: the normalized certainty penalty of a value, an attribute, a table.

`penalties` is the formula, and all measures add it up. Clustering knows it a second time, step by step while a group
grows: `methods/clustering/base.py` makes its constants (`make_table`), and the kernels (`kernels/clustering.py`, and as
bounds `kernels/search_tree.py`, `one_pass.py` and `improvement.py`) rely on two things: the penalty of numbers is the
width that a group covers, and each further category costs the same. A formula that keeps to them needs no kernel
changed; tests compare what the kernels add up with the formula written out.
"""

from typing import ClassVar

import numpy as np

from antifaz.core.arrays import Floats, Ints
from antifaz.counting.generalization import Generalization, label_extents
from antifaz.counting.released_table import Extents, ReleasedTable
from antifaz.counting.rollup import Ladder
from antifaz.utility.quality import AttributeQuality


class GlobalCertaintyPenalty(AttributeQuality):
    """The normalized certainty penalty, averaged over records and attributes."""

    name: ClassVar[str] = "gcp"
    summary: ClassVar[str] = "How wide a released value is, compared with its attribute's whole range."
    details: ClassVar[str] = (
        "For numbers the width of the values under a label over the width of the data; for categories the leaves under "
        "it, less one, over all leaves, less one. A record left out has the full penalty. 0 to 1."
    )
    formula: ClassVar[str] = "Σ over records and attributes of NCP / (records · attributes)"
    source: ClassVar[str] = "J. Xu et al., Utility-based anonymization using local recoding, KDD 2006"

    def losses(self, table: Generalization) -> list[float]:
        """Return the mean penalty of every attribute."""
        left_out = table.suppressed * self.suppressed_weight
        sums, rows = table.penalty_sums(penalties), max(table.rows, 1)
        return [(total * self.generalized_weight + left_out) / rows for total in sums]

    def least(self, ladder: Ladder, level: int, records: Ints, allowed: int) -> float:
        """Return the penalty with nobody left out, or less where leaving out costs less."""
        each = penalties(label_extents(ladder, level)) * self.generalized_weight
        each = np.minimum(each, self.suppressed_weight) if allowed else each
        return float(np.dot(records, each)) / max(int(records.sum()), 1)


def penalties(extents: Extents) -> Floats:
    """Return the normalized certainty penalty of each released value. This is the formula, for every kind of release.

    For numbers the width of what a value covers over the width of the data; for categories the values under it, less
    one, over all values, less one. What says nothing has the full penalty.
    """
    covered, whole = extents.covered, extents.whole
    if extents.is_number:
        share = np.nan_to_num(covered / whole) if whole else np.zeros(covered.size)
    else:
        share = (covered - 1) / (whole - 1) if whole > 1 else np.zeros(covered.size)
    return np.asarray(share if extents.unknown is None else np.where(extents.unknown, 1.0, share))


def mean_penalty(table: ReleasedTable) -> float:
    """Return the mean penalty over records and attributes (GCP); a record left out has penalty 1 in each."""
    if isinstance(table, Generalization):
        score = GlobalCertaintyPenalty().score(table)
        return score if isinstance(score, float) else score[0]
    # Added up over all attributes before it is divided: the last digits of earlier evidence stay what they were.
    cells = table.rows * table.attributes
    return (sum(table.penalty_sums(penalties)) + table.suppressed * table.attributes) / cells if cells else 0.0
