"""The frontier: what each k costs, and the k that keeps the balance between privacy and what the data still tells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from antifaz.core.errors import ParameterError, PrivacyNotReached
from antifaz.core.progress import Progress
from antifaz.engines.engine import Data
from antifaz.methods.method import Decision, Task
from antifaz.privacy import KAnonymity, PrivacyModel
from antifaz.projects.plan import Plan
from antifaz.projects.task import make_task
from antifaz.releases.evidence import utility
from antifaz.risk import prosecutor

#: A numeric column counts as preserved from this p-value of the Kolmogorov–Smirnov test.
PRESERVED = 0.95


def frontier(plan: Plan, data: Data, ks: Sequence[int], progress: Progress | None = None) -> dict[str, Any]:
    """Decide for every k, without writing anything, and recommend one with its reason.

    Other models of the plan stay as they are. A k that can't be reached ends the list.
    """
    if not ks or min(ks) < 1:
        raise ParameterError("The frontier needs at least one k, each 1 or more.")
    told = progress or Progress()
    with told.step("count", "counting distinct combinations"):
        task = make_task(plan, data, told)
    points, beyond = [], None
    with told.step("decide", "one k after another"):
        for done, k in enumerate(sorted(set(ks))):
            told.tell(done / len(ks), f"k = {k}")
            try:
                decision = plan.method.decide(replace(task, models=_with_k(task, k)))
            except PrivacyNotReached:
                beyond = k
                break
            points.append(_point(plan, k, decision))
    if not points:
        raise PrivacyNotReached(f"Not even k = {min(ks)} can be reached with {plan.method.name} on these records.")
    return {"points": points, "recommended": _recommended(points), "unreachable_from": beyond}


def _with_k(task: Task, k: int) -> tuple[PrivacyModel, ...]:
    others = tuple(model for model in task.models if not isinstance(model, KAnonymity))
    asked = [model.blanks for model in task.models if isinstance(model, KAnonymity)]
    return (KAnonymity(k, blanks="match" if asked and "value" not in asked else "value"), *others)


def _point(plan: Plan, k: int, decision: Decision) -> dict[str, Any]:
    table = decision.generalization
    measured = utility(table)
    return {
        "method": plan.method.name,
        "k": k,
        "loss": measured["loss"],
        "gcp": measured["gcp"],
        "ks": measured["ks"],
        "ks_min": min(measured["ks"].values(), default=None),
        "highest_risk": prosecutor(table.sizes),
        "suppressed": table.suppressed,
    }


def _recommended(points: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The largest k at which every numeric column keeps its distribution; without such columns, where loss turns up."""
    if any(point["ks_min"] is not None for point in points):
        kept = [point["k"] for point in points if point["ks_min"] >= PRESERVED]
        if kept:
            reason = f"the largest k at which every numeric column keeps its distribution (p ≥ {PRESERVED})"
            return {"k": max(kept), "reason": reason, "preserves": True}
        reason = f"no k of these keeps every numeric column's distribution (p ≥ {PRESERVED}); the smallest loses least"
        return {"k": points[0]["k"], "reason": reason, "preserves": False}
    knee = _knee([point["k"] for point in points], [point["gcp"] for point in points])
    return {"k": knee, "reason": "up to it each further record to hide among costs little; beyond it more"}


def _knee(ks: Sequence[int], losses: Sequence[float]) -> int:
    """The k farthest below the straight line between the ends of the curve."""
    if len(ks) < 3 or losses[-1] == losses[0]:
        return ks[-1]
    span, rise = ks[-1] - ks[0], losses[-1] - losses[0]
    below = [(k - ks[0]) / span - (loss - losses[0]) / rise for k, loss in zip(ks, losses, strict=True)]
    return ks[below.index(max(below))]
