"""When the privacy asked for can't be had: say the nearest that can."""

from __future__ import annotations

import numpy as np

from antifaz.core.messages import Message
from antifaz.counting.lattice import Lattice
from antifaz.counting.rollup import Levels
from antifaz.privacy.model import PrivacyModel, in_order


def nearest(lattice: Lattice, models: tuple[PrivacyModel, ...], allowed: int, highest: Levels | None = None) -> Message:
    """Say what can't be had, and what could: a smaller k, what the top achieves, or more records left out."""
    rows = lattice.rows
    asked = [f"{m.name} ({', '.join(f'{key}={value}' for key, value in m.parameters().items())})" for m in models]
    failure = Message("method.no-generalization", rows=rows, asked=asked, allowed=allowed)
    if not rows:
        return Message("method.not-reached-without-records", failure=failure)
    top = lattice.class_table(highest or lattice.heights)
    reached = []
    for model in models:
        if model.class_size is not None:
            # The largest k for which the records in smaller classes may all be left out, and some class remains.
            ordered = np.sort(top.sizes)
            k = int(ordered[np.cumsum(ordered) - ordered <= allowed][-1])
            if k < model.class_size:
                reached.append(Message("method.nearest-k", k=k))
        elif not (verdict := model.judge(top)).holds:
            far = Message("method.nothing") if verdict.achieved is None else f"{verdict.achieved:.6g}"
            reached.append(Message("method.nearest-model", model=model.name, achieved=far))
    # How many records fail at the top of the lattice, where fewest do under most models.
    kept = np.ones(top.sizes.size, np.bool_)
    for model in in_order(models):
        kept = model.keep(top, kept)
    lost = int(top.sizes[~kept].sum())
    if allowed < lost < rows:
        reached.append(Message("method.nearest-suppression", lost=lost, share=np.ceil(lost / rows * 1e4) / 1e4))
    if not reached:
        return Message("method.not-reached", failure=failure)
    return Message("method.not-reached-but", failure=failure, nearest=reached)


def why_not(method: str, lattice: Lattice, models: tuple[PrivacyModel, ...], allowed: int, monotone: str) -> Message:
    """Say what can't be had by a greedy method; `monotone` names what must hold of all models for the top to tell."""
    failure = nearest(lattice, models, allowed)
    if all(getattr(model, monotone) for model in models):
        return failure
    # Where generalizing can break a model, the top failing says nothing of the nodes beside the way.
    return Message("method.of-those-looked-at", name=method, failure=failure)
