"""When the privacy asked for can't be had: say the nearest that can."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from antifaz.core.messages import Message
from antifaz.counting.classes import ClassTable
from antifaz.counting.lattice import Lattice
from antifaz.counting.rollup import Levels
from antifaz.privacy.model import PrivacyModel, in_order


def nearest(lattice: Lattice, models: tuple[PrivacyModel, ...], allowed: int, highest: Levels | None = None) -> Message:
    """Say what can't be had, and what could: a smaller k, what the top achieves, or more records left out."""
    rows = lattice.rows
    asked = [_described(model) for model in models]
    failure = Message("method.no-generalization", rows=rows, asked=asked, allowed=allowed)
    if not rows:
        return Message("method.not-reached-without-records", failure=failure)
    top = lattice.class_table(highest or lattice.heights)
    reached = []
    for model in models:
        if model.class_size is not None:
            k = _largest_k(top.sizes, allowed)
            if k < model.class_size:
                reached.append(Message("method.nearest-k", k=k))
        elif not (verdict := model.judge(top)).holds:
            far = Message("method.nothing") if verdict.achieved is None else f"{verdict.achieved:.6g}"
            reached.append(Message("method.nearest-model", model=model.name, achieved=far))
    lost = _lost(top, models)
    if allowed < lost < rows:
        reached.append(Message("method.nearest-suppression", lost=lost, share=np.ceil(lost / rows * 1e4) / 1e4))
    if not reached:
        return Message("method.not-reached", failure=failure)
    return Message("method.not-reached-but", failure=failure, nearest=reached)


def _described(model: PrivacyModel) -> str:
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
