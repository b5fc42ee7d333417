"""Which classes of a node satisfy the models."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from antifaz.counting.lattice import Lattice
from antifaz.counting.rollup import Levels
from antifaz.privacy.model import PrivacyModel


def passing(
    lattice: Lattice,
    levels: Levels,
    models: Sequence[PrivacyModel],
    allowed: int,
    kept: NDArray[np.bool_] | None = None,
) -> NDArray[np.bool_] | None:
    """Return the classes (of those kept so far) that satisfy the models, or None once more than `allowed` records fail.

    Models are judged in the given order; see `privacy.model.in_order`.
    """
    sizes = lattice.sizes(levels)
    for model in models:
        table = lattice.class_table(levels, model.sensitive())
        if kept is None and not model.whole_table:
            kept = model.passes(table)
        else:
            kept = model.keep(table, np.ones(sizes.size, np.bool_) if kept is None else kept)
        if not kept.all() and (not allowed or int(sizes[~kept].sum()) > allowed):
            return None
    return np.ones(sizes.size, np.bool_) if kept is None else kept
