"""Every measure that evidence says of a released table, by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from antifaz.counting.generalization import Generalization
from antifaz.counting.released_table import ReleasedTable
from antifaz.utility.classes import average_class_size, discernibility
from antifaz.utility.heights import height, precision
from antifaz.utility.ks import ks
from antifaz.utility.loss import Loss
from antifaz.utility.ncp import mean_penalty


def loss(table: Any, released: Any = None, columns: Sequence[str] | str | None = None, **options: Any) -> float:
    """Return the loss of a released table with the usual aggregate; see `Loss`. Without levels it is the GCP.

    Or of two frames, the original and the released one, with the options of `lost_detail`.
    """
    if not isinstance(table, ReleasedTable):
        return _of_frames("loss", table, released, columns, options)
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
        return _of_frames("gcp", table, released, columns, options)
    return mean_penalty(table)


def _of_frames(name: str, original: Any, released: Any, columns: Any, options: dict[str, Any]) -> float:
    from antifaz.utility.lost_detail import lost_detail  # here: it brings pyarrow and DuckDB

    return float(lost_detail(original, released, columns, **options)[name])


MEASURES: dict[str, Callable[..., Any]] = {
    "loss": loss,
    "gcp": gcp,
    "height": height,
    "precision": precision,
    "discernibility": discernibility,
    "average_class_size": average_class_size,
    "ks": ks,
}
#: Those that are about levels of hierarchies.
_OF_LEVELS = ("height", "precision")


def measure_table(table: ReleasedTable) -> dict[str, Any]:
    """Measure what the release still tells."""
    if table.has_levels:
        return {name: measure(table) for name, measure in MEASURES.items()}
    found = {name: measure(table) for name, measure in MEASURES.items() if name not in ("loss", *_OF_LEVELS)}
    # Without levels the loss is the GCP, which takes long where there are many groups.
    return {"loss": found["gcp"], **found}
