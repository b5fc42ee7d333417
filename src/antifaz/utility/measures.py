"""Every measure that evidence says of a released table, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from antifaz.counting.released_table import ReleasedTable
from antifaz.utility.classes import average_class_size, discernibility
from antifaz.utility.heights import height, precision
from antifaz.utility.ks import ks
from antifaz.utility.loss import loss
from antifaz.utility.ncp import gcp

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
