"""What the ledger has to say to people: why a release is refused, and what somebody has to answer for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from antifaz.ledger.verdict import ATTACKS


def refusal(told: Mapping[str, Any]) -> str:
    """Say in one sentence which attack succeeds, how far, and what can be done."""
    return (
        f"{finding(told)}; if an earlier one never left the house, say so with 'antifaz ledger forget "
        f"{_guilty(told)[0]} --reason …', and to release all the same give the reason with --despite."
    )


def finding(told: Mapping[str, Any]) -> str:
    """Say which attack succeeds, and how far; the sentence has no end yet."""
    failed = {name: told["attacks"][name] for name in ATTACKS if not told["attacks"][name]["holds"]}
    name = min(failed, key=lambda each: failed[each]["smallest"] or 0)
    found = failed[name]
    others = f" (and {', '.join(each for each in failed if each != name)})" if len(failed) > 1 else ""
    records = "1 record" if found["exposed"] == 1 else f"{found['exposed']:,} records"
    guilty = " and ".join(_guilty(told))
    return (
        f"Together with the earlier release {guilty}, the {name} attack{others} exposes {records}: "
        f"{ATTACKS[name]} leaves {_left(found, told['k'])} (the smallest intersection), so nothing is released"
    )


def _guilty(told: Mapping[str, Any]) -> list[str]:
    """Return the earlier releases with which an attack succeeds."""
    found = [each["release"] for each in told["earlier"] if any(not each[a]["holds"] for a in ATTACKS if a in each)]
    return found or [each["release"] for each in told["earlier"] if each["shared"]]


def _left(found: Mapping[str, Any], k: int) -> str:
    """Say what is left where least is."""
    people = "1 person" if found["smallest"] == 1 else f"{found['smallest']:,} people"
    if found["smallest"] < k:
        return f"{people} where k = {k} are promised"
    return f"{people}, but too few values of a sensitive attribute among them"


def ledger_warnings(told: Mapping[str, Any]) -> list[str]:
    """Return what somebody has to answer for."""
    warned = list(told["notes"])
    if "despite" in told:
        warned.append(
            "Released although the smallest intersection with earlier releases is "
            f"{told['smallest_intersection']}, where k = {told['k']} is promised; the reason given: "
            f"{told['despite']['reason']}"
        )
    return warned
