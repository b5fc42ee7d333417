"""Utility: what a release still tells. One file per family of measures."""

from collections.abc import Callable, Sequence
from typing import Any

from antifaz.core.registry import Registry
from antifaz.counting.generalization import Generalization
from antifaz.counting.released_table import ReleasedTable
from antifaz.utility.classes import (
    Ambiguity,
    Classification,
    ClassSize,
    Discernibility,
    average_class_size,
    discernibility,
)
from antifaz.utility.differences import Compared, Differences, differences, il1, il1s, il1s_by_column
from antifaz.utility.entropy import Divergence, Entropy, NormalizedEntropy
from antifaz.utility.ks import KolmogorovSmirnov, ks, ks_columns, ks_counts
from antifaz.utility.loss import LevelSum, Loss, Precision, height, lost_detail, precision
from antifaz.utility.ncp import GlobalCertaintyPenalty, mean_penalty
from antifaz.utility.payout import Payout
from antifaz.utility.propensity import Propensity, propensity
from antifaz.utility.quality import Quality

BUILTIN: tuple[type[Quality], ...] = (
    Loss, LevelSum, Precision, Discernibility, ClassSize, Entropy, NormalizedEntropy, Ambiguity, Divergence,
    GlobalCertaintyPenalty, Classification, Payout,
)  # fmt: skip
QUALITIES: Registry[Quality] = Registry("quality model", BUILTIN, group="antifaz.qualities")

__all__ = [
    "BUILTIN", "MEASURES", "QUALITIES", "Ambiguity", "ClassSize", "Classification", "Compared", "Differences",
    "Discernibility", "Divergence", "Entropy", "GlobalCertaintyPenalty", "KolmogorovSmirnov", "LevelSum", "Loss",
    "NormalizedEntropy", "Payout", "Precision", "Propensity", "Quality", "average_class_size", "differences",
    "discernibility", "gcp", "height", "il1", "il1s", "il1s_by_column", "ks", "ks_columns", "ks_counts", "loss",
    "lost_detail", "precision", "propensity",
]  # fmt: skip  # fmt: skip


def loss(table: Any, released: Any = None, columns: Sequence[str] | str | None = None, **options: Any) -> float:
    """Return the loss of a released table with the usual aggregate; see `Loss`. Without levels it is the GCP.

    Or of two frames, the original and the released one, with the options of `lost_detail`.
    """
    if not isinstance(table, ReleasedTable):
        return float(lost_detail(table, released, columns, **options)["loss"])
    if not isinstance(table, Generalization):
        return mean_penalty(table)
    score = Loss().score(table)
    return score if isinstance(score, float) else score[0]


def gcp(table: Any, released: Any = None, columns: Sequence[str] | str | None = None, **options: Any) -> float:
    """Return the mean penalty over records and attributes; a suppressed record has penalty 1 in each.

    Of a released table, which holds both sides; or of two frames, the original and the released one, with the options
    of `lost_detail`.
    """
    if not isinstance(table, ReleasedTable):
        return float(lost_detail(table, released, columns, **options)["gcp"])
    return mean_penalty(table)


MEASURES: dict[str, Callable[..., Any]] = {
    "loss": loss, "gcp": gcp, "height": height, "precision": precision, "discernibility": discernibility,
    "average_class_size": average_class_size, "ks": ks,
}  # fmt: skip
#: Those that are about levels of hierarchies.
_OF_LEVELS = ("height", "precision")


def measure_table(table: ReleasedTable) -> dict[str, Any]:
    """Measure what the release still tells."""
    if table.has_levels:
        return {name: measure(table) for name, measure in MEASURES.items()}
    measures = {name: measure(table) for name, measure in MEASURES.items() if name not in ("loss", *_OF_LEVELS)}
    # Without levels the loss is the GCP, which takes long where there are many groups.
    return {"loss": measures["gcp"], **measures}
