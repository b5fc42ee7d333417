"""What the ledger has to say to people: why a release is refused, and what somebody has to answer for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from antifaz.core.messages import Message
from antifaz.ledger.verdict import ATTACKS


def refusal(told: Mapping[str, Any]) -> str:
    """Say in one sentence which attack succeeds, how far, and what can be done."""
    return Message("ledger.refused", finding=finding(told), guilty=_guilty(told)[0])


def finding(told: Mapping[str, Any]) -> str:
    """Say which attack succeeds, and how far; the sentence has no end yet."""
    failed = {name: told["attacks"][name] for name in ATTACKS if not told["attacks"][name]["holds"]}
    name = min(failed, key=lambda each: failed[each]["smallest"] or 0)
    found = failed[name]
    others = f" (and {', '.join(each for each in failed if each != name)})" if len(failed) > 1 else ""
    records = "1 record" if found["exposed"] == 1 else f"{found['exposed']:,} records"
    guilty = " and ".join(_guilty(told))
    return Message(
        "ledger.attack-exposes",
        guilty=guilty,
        name=name,
        others=others,
        records=records,
        attacks=ATTACKS[name],
        left=_left(found, told["k"]),
    )


def _guilty(told: Mapping[str, Any]) -> list[str]:
    """Return the earlier releases with which an attack succeeds."""
    found = [each["release"] for each in told["earlier"] if any(not each[a]["holds"] for a in ATTACKS if a in each)]
    return found or [each["release"] for each in told["earlier"] if each["shared"]]


def _left(found: Mapping[str, Any], k: int) -> str:
    """Say what is left where least is."""
    people = "1 person" if found["smallest"] == 1 else f"{found['smallest']:,} people"
    if found["smallest"] < k:
        return Message("ledger.fewer-than-k", people=people, k=k)
    return Message("ledger.too-few-sensitive-values", people=people)


def ledger_warnings(told: Mapping[str, Any]) -> list[str]:
    """Return what somebody has to answer for."""
    warned = list(told["notes"])
    if "despite" in told:
        warned.append(
            Message(
                "warning.released-despite-ledger",
                smallest_intersection=told["smallest_intersection"],
                k=told["k"],
                reason=told["despite"]["reason"],
            )
        )
    return warned
