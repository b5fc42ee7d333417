"""Proposes a k from what each k costs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from antifaz.core.errors import ParameterError
from antifaz.core.verdicts import Proposal


def k(frontier: Mapping[str, Any]) -> Proposal:
    """Return the k with the best balance of privacy and loss, and why; `frontier` is what `antifaz.frontier` returned.

    It is the one recommended there, or a larger one that costs exactly as much. The proposal's `details` have its
    figures, and under 'next' those of the next larger k that was tried.
    """
    try:
        points = sorted(frontier["points"], key=lambda point: int(point["k"]))
        chosen, why = int(frontier["recommended"]["k"]), str(frontier["recommended"]["reason"])
        here = next(place for place, point in enumerate(points) if point["k"] == chosen)
    except (KeyError, TypeError, StopIteration):
        raise ParameterError("Give what antifaz.frontier returned: its points and the one recommended.") from None
    recommended = chosen
    while here + 1 < len(points) and all(points[here + 1].get(key) == points[here].get(key) for key in _COSTS):
        here += 1  # more privacy for nothing
    point, following = points[here], points[here + 1] if here + 1 < len(points) else None
    chosen = int(point["k"])
    said = f"k = {chosen}: {why}. A guess at who is who"
    if chosen != recommended:
        said = f"k = {chosen} costs no more than k = {recommended}, and that is: {why}. A guess at who is who"
    said += f" is then right at most {_share(point['highest_risk'])} of the time"
    said += f", and {_share(point['loss'])} of the detail is lost"
    if following is not None:
        said += f"; with k = {following['k']} it would be {_share(following['loss'])}"
    elif frontier.get("unreachable_from") is not None:
        said += f"; k = {frontier['unreachable_from']} can't be reached"
    details = {"k": chosen, **{key: point[key] for key in _FIGURES if key in point}}
    if following is not None:
        details["next"] = {"k": following["k"], **{key: following[key] for key in _FIGURES if key in following}}
    return Proposal(value=str(chosen), reason=f"{said}.", details=details)


#: Where these are the same, the release is.
_COSTS = ("loss", "gcp", "ks_min", "suppressed")
_FIGURES = ("loss", "gcp", "ks_min", "highest_risk", "suppressed")


def _share(number: float) -> str:
    return f"{number:.1%}"
