"""NCP and GCP: the normalized certainty penalty of a value, an attribute, a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from antifaz.counting.generalization import Generalization
from antifaz.counting.ladders import Ladder
from antifaz.utility.quality import AttributeQuality


class Penalty(AttributeQuality):
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
        return [(total * self.generalized_weight + left_out) / max(table.rows, 1) for total in table.sums(penalties)]

    def least(self, ladder: Ladder, level: int, records: NDArray[np.int64], allowed: int) -> float:
        """Return the penalty with nobody left out, or less where leaving out costs less."""
        each = penalties(ladder, level) * self.generalized_weight
        each = np.minimum(each, self.suppressed_weight) if allowed else each
        return float(np.dot(records, each)) / max(int(records.sum()), 1)


def penalties(ladder: Ladder, level: int) -> NDArray[np.float64]:
    """Return the penalty of each label: width over the data's width for numbers, (leaves − 1)/(all − 1) otherwise."""
    if ladder.spans is not None:
        low, high = ladder.spans[level].T
        whole = np.nanmax(ladder.spans[0][:, 1]) - np.nanmin(ladder.spans[0][:, 0]) if low.size else 0.0
        return np.nan_to_num((high - low) / whole) if whole else np.zeros(low.size)
    if ladder.leaves <= 1:
        return np.zeros(ladder.size(level))
    return (ladder.shares[level] * ladder.leaves - 1) / (ladder.leaves - 1)


def gcp(table: Any, released: Any = None, columns: Sequence[str] | str | None = None, **options: Any) -> float:
    """Return the mean penalty over records and attributes; a suppressed record has penalty 1 in each.

    Of a generalization, which holds both sides; or of two frames, the original and the released one, with the options
    of `lost_detail`.
    """
    if not isinstance(table, Generalization):
        from antifaz.utility.recoded import lost_detail  # here: it brings pyarrow and DuckDB

        return float(lost_detail(table, released, columns, **options)["gcp"])
    score = Penalty().score(table)
    return score if isinstance(score, float) else score[0]
