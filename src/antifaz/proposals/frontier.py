"""What each k costs with one or several methods or settings, and the k that keeps the balance.

Every k is decided as a run would decide it, and nothing is written.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from antifaz.core.errors import ParameterError, PrivacyNotReached
from antifaz.core.messages import Message
from antifaz.core.progress import Progress
from antifaz.methods.method import Decision, Method, Task
from antifaz.privacy import KAnonymity, PrivacyModel
from antifaz.proposals.audiences import USUAL, audience_limit, audience_words
from antifaz.risk import prosecutor
from antifaz.utility import measure_table

Json = dict[str, Any]
#: A numeric column counts as preserved from this p-value of the Kolmogorov–Smirnov test.
PRESERVED = 0.95


def try_every_k(
    tasks: Sequence[tuple[Method, Task]],
    ks: Sequence[int],
    progress: Progress | None = None,
    audience: str = USUAL,
) -> Json:
    """Decide for every method and k, and recommend a k, and a method where there are several, with the reason.

    `audience` says whom the release is for, and so below which k nothing is recommended that reaches further.
    Other models of a task stay as they are. A k that a method can't reach ends its list.
    """
    audience_limit(audience)
    every_k, progress = sorted(set(ks)), progress or Progress()
    if not every_k or every_k[0] < 1:
        raise ParameterError("proposal.frontier-without-k")
    curves: dict[str, list[Json]] = {}
    beyond: dict[str, int | None] = {}
    named = dict(zip(curve_names([method for method, _ in tasks]), tasks, strict=True))
    for place, (name, (method, task)) in enumerate(named.items()):
        curves[name], beyond[name] = [], None
        for done, k in enumerate(every_k):
            progress.tell((place + done / len(every_k)) / len(named), f"{name}, k = {k}")
            try:
                decision = method.decide(replace(task, models=models_with_k(task.models, k)))
            except PrivacyNotReached:
                beyond[name] = k
                break
            curves[name].append(_point(name, k, decision))
    reached = {name: points for name, points in curves.items() if points}
    if not reached:
        names = " or ".join(curves)
        raise PrivacyNotReached("proposal.not-even-smallest-k", wanted=every_k[0], names=names)
    chosen = recommended(reached, audience)
    return {
        "points": [point for points in curves.values() for point in points],
        "recommended": chosen,
        "settings": {name: {"name": method.name, **method.parameters()} for name, (method, _) in named.items()},
        "unreachable_from": beyond[chosen["method"]],
    }


def spaced(low: int, high: int) -> list[int]:
    """Return some k between two, close together where they are small and further apart where they are large."""
    ks = [low]
    while ks[-1] < high:
        ks.append(min(high, max(ks[-1] + 1, round(ks[-1] * 1.4))))
    return ks


def curve_names(methods: Sequence[Method]) -> list[str]:
    """Name every method, and those of one name by the settings in which they differ: `mondrian (split: median)`."""
    names = []
    for method in methods:
        alike = [other.parameters() for other in methods if other.name == method.name]
        own = method.parameters()
        differ = [key for key in type(method).model_fields if any(one.get(key) != own.get(key) for one in alike)]
        settings = ", ".join(f"{key}: {_spelled(own.get(key))}" for key in differ)
        names.append(f"{method.name} ({settings})" if settings else method.name)
    return names


def _spelled(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def models_with_k(models: Sequence[PrivacyModel], k: int) -> tuple[PrivacyModel, ...]:
    """Return the models with another k, and k-anonymity where none has one."""
    sized = [model.with_class_size(k) for model in models if model.in_classes().class_size is not None]
    others = tuple(model for model in models if model.in_classes().class_size is None)
    return (*(dict.fromkeys(sized) or [KAnonymity(k)]), *others)


def _point(method: str, k: int, decision: Decision) -> Json:
    table = decision.table
    measured = measure_table(table)
    lost = {key: measured[key] for key in ("loss", "gcp", "ks")}
    lost["ks_min"] = min(measured["ks"].values(), default=None)
    return {"method": method, "k": k, **lost, "highest_risk": prosecutor(table.sizes), "suppressed": table.suppressed}


def recommended(curves: dict[str, list[Json]], audience: str = USUAL) -> Json:
    """Choose a k for every method, and of several methods the best one at its k.

    Best is who keeps every numeric column's distribution at the largest k; else, at its k, who loses least.
    """
    recommended = {name: _of_one(points, audience) for name, points in curves.items()}

    def worth(name: str) -> tuple[bool, int, float]:
        kept = bool(recommended[name].get("preserves"))
        here = next(point for point in curves[name] if point["k"] == recommended[name]["k"])
        return kept, recommended[name]["k"] if kept else 0, -here["gcp"]

    best = max(recommended, key=worth)
    chosen = {**recommended[best], "method": best}
    if len(recommended) > 1:
        why = "keeps-larger-k" if chosen.get("preserves") else "loses-least-at-its-k"
        if chosen.get("preserves") and any(
            other != best and recommended[other].get("preserves") and recommended[other]["k"] == chosen["k"]
            for other in recommended
        ):
            why = "loses-least-at-that-k"
        *names, last = [name for name in recommended if name != best]
        others = Message("list.or", names=names, last=last) if names else last
        chosen["reason"] = Message(f"reason.method-{why}", reason=chosen["reason"], method=best, others=others)
    return chosen


def _of_one(points: Sequence[Json], audience: str) -> Json:
    """The largest k that keeps every numeric column's distribution, else the smallest that the audience allows.

    Where every k that was reached is below that, the largest of them.
    """
    limit = audience_limit(audience)
    safe = [point for point in points if point["k"] >= limit.k]
    whom = {"audience": audience_words(audience), "wanted": limit.k, "risk": limit.risk}
    if not safe:
        return {"k": points[-1]["k"], "reason": Message("reason.largest-k-below-audience", **whom)}
    kept = [point["k"] for point in safe if point["ks_min"] is not None and point["ks_min"] >= PRESERVED]
    if kept:
        reason = Message("reason.largest-k-that-preserves", preserved=PRESERVED)
        return {"k": max(kept), "reason": reason, "preserves": True}
    return {"k": safe[0]["k"], "reason": Message("reason.k-for-audience", **whom), "preserves": False}
