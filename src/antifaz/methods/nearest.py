"""When the privacy asked for can't be had: say the nearest that can."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from antifaz.counting.classes import ClassTable
from antifaz.counting.lattice import Lattice
from antifaz.counting.rollup import Levels
from antifaz.privacy.model import PrivacyModel, in_order


def nearest(lattice: Lattice, models: tuple[PrivacyModel, ...], allowed: int, highest: Levels | None = None) -> str:
    """Say what can't be had, and what could: a smaller k, what the top achieves, or more records left out."""
    rows = lattice.rows
    asked = " and ".join(_said(model) for model in models)
    said = f"No generalization of these {rows:,} records satisfies {asked} with at most {allowed:,} of them left out"
    if not rows:
        return f"{said}; there are none."
    top = lattice.class_table(highest or lattice.heights)
    reached = []
    for model in models:
        if model.class_size is not None:
            k = _largest_k(top.sizes, allowed)
            if k < model.class_size:
                reached.append(f"k = {k} could be reached")
        elif not (verdict := model.judge(top)).holds:
            far = "nothing" if verdict.achieved is None else f"{verdict.achieved:.6g}"
            reached.append(f"{model.name} reaches {far} with everything at its most general")
    lost = _lost(top, models)
    if allowed < lost < rows:
        reached.append(f"leaving out {lost:,} records (suppression: {np.ceil(lost / rows * 1e4) / 1e4:g}) would do")
    return f"{said}; the nearest: {'; '.join(reached)}." if reached else f"{said}."


def _said(model: PrivacyModel) -> str:
    return f"{model.name} ({', '.join(f'{key}={value}' for key, value in model.parameters().items())})"


def _largest_k(sizes: NDArray[np.int64], allowed: int) -> int:
    """The largest k for which the records in smaller classes may all be left out, and some class remains."""
    ordered = np.sort(sizes)
    lost = np.concatenate([[0], np.cumsum(ordered)])[:-1]
    return int(ordered[lost <= allowed][-1])


def _lost(top: ClassTable, models: tuple[PrivacyModel, ...]) -> int:
    """How many records fail at the top of the lattice, where fewest do under most models."""
    kept = np.ones(top.sizes.size, np.bool_)
    for model in in_order(models):
        kept = model.keep(top, kept)
    return int(top.sizes[~kept].sum())
