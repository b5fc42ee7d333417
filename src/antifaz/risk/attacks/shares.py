"""Shares with their intervals: how sure one can be of a success that was seen in some attempts."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from antifaz.core.messages import Message

#: The 97.5 % point of the normal distribution.
_Z = 1.959963984540054


def wilson(share: float, number: float) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share that was seen in so many attempts; 0 to 1 for none.

    An attempt may succeed in part (one of three records that look alike). Such shares vary less than yes and no, so the
    interval is then wider than it would have to be.
    """
    if number <= 0:
        return 0.0, 1.0
    share = min(max(share, 0.0), 1.0)
    square = _Z * _Z / number
    middle = (share + square / 2) / (1 + square)
    half = _Z / (1 + square) * math.sqrt(share * (1 - share) / number + square / (4 * number))
    low, high = max(middle - half, 0.0), min(middle + half, 1.0)
    # Rounding must not push the share itself out.
    return min(low, share), max(high, share)


def excess(success: float, number: float, control: float, controls: float) -> tuple[float, tuple[float, float]]:
    """Return what was found beyond the control, as a share of what could have been; and its 95 % interval.

    (success − control)/(1 − control), Abbott's correction. The interval is Newcombe's for the difference of two shares,
    divided by the same.
    """
    if control >= 1:
        return 0.0, (-1.0, 1.0)
    (low, high), (control_low, control_high) = wilson(success, number), wilson(control, controls)
    gap, rest = success - control, 1 - control
    under = math.hypot(success - low, control_high - control)
    over = math.hypot(high - success, control - control_low)
    ends = (max((gap - under) / rest, -1.0), min((gap + over) / rest, 1.0))
    return max(gap / rest, -1.0), ends


def result(
    name: str,
    found: Sequence[float],
    control: Sequence[float],
    chance: float,
    *,
    reading: Callable[..., Message],
    **more: Any,
) -> dict[str, Any]:
    """Return an attack's figures as plain data; `reading` makes the sentence that says what `success` is."""
    success, base = (math.fsum(part) / len(part) if part else 0.0 for part in (found, control))
    beyond, ends = excess(success, len(found), base, len(control))
    return {
        "name": name,
        "success": success,
        "control": base,
        "chance": chance,
        "interval": list(wilson(success, len(found))),
        "control_interval": list(wilson(base, len(control))),
        "number": len(found),
        "excess": beyond,
        "excess_interval": list(ends),
        "reading": _verdict(reading(success=_percent(success)), base, beyond, ends, chance),
        **more,
    }


def _verdict(reading: Message, control: float, beyond: float, ends: tuple[float, float], chance: float) -> Message:
    """Say what was found, and whether it is more than of people who are not in the table."""
    values = {"reading": reading, "control": _percent(control), "chance": _percent(chance)}
    if ends[0] > 0:
        return Message("attack.is-a-leak", beyond=_percent(beyond), **values)
    return Message("attack.is-no-leak", **values)


def _percent(share: float) -> Message:
    if 0 < share < 0.001:
        return Message("attack.below-percent", share=0.1)
    return Message("attack.percent", share=100 * share)
