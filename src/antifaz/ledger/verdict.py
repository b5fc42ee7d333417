"""The verdict on a new release beside earlier ones: all attacks, each alone with every release, and all together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from antifaz.core.messages import Message
from antifaz.ledger.attacks import Finding, composition, temporal, unsorted_matching
from antifaz.ledger.complementary import complementary
from antifaz.ledger.entry import Entry
from antifaz.ledger.overlap import Overlap, find_overlaps

#: The attacks, in the order in which a refusal names them, with what each does.
ATTACKS = {
    "composition": Message("ledger.by-composition"),
    "complementary": Message("ledger.by-joining"),
    "temporal": Message("ledger.by-subtracting"),
    "unsorted-matching": Message("ledger.by-order-of-rows"),
}


@dataclass(frozen=True, kw_only=True)
class Promise:
    """What a release promises, which must hold beside the earlier ones too."""

    k: int
    #: Whether nothing is promised: no privacy was evaluated.
    light: bool = False
    sensitive: Sequence[str] = ()
    #: Per sensitive attribute how many values must be left.
    least: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class LedgerVerdict:
    """What was found; `earlier` tells of each release that was looked at."""

    k: int
    attacks: Mapping[str, Finding]
    earlier: Sequence[Mapping[str, Any]] = ()

    @property
    def holds(self) -> bool:
        """Whether nobody is exposed by any attack."""
        return not any(found.exposed for found in self.attacks.values())

    @property
    def smallest(self) -> int | None:
        """The smallest set that any attack narrows somebody down to."""
        sizes = [found.smallest for found in self.attacks.values() if found.smallest is not None]
        return min(sizes, default=None)

    @property
    def worst(self) -> str | None:
        """The attack that exposes somebody to the smallest set; None where all holds."""
        failed = [name for name in ATTACKS if name in self.attacks and self.attacks[name].exposed]
        return min(failed, key=lambda name: self.attacks[name].smallest or 0, default=None)

    def as_dict(self) -> dict[str, Any]:
        """Return the form that evidence has."""
        return {
            "k": self.k,
            "holds": self.holds,
            "smallest_intersection": self.smallest,
            "exposed": max((found.exposed for found in self.attacks.values()), default=0),
            "attacks": {name: found.as_dict() for name, found in self.attacks.items()},
            "earlier": [dict(told) for told in self.earlier],
        }


def judge_release(new: Entry, earlier: Sequence[tuple[Mapping[str, Any], Entry]], promise: Promise) -> LedgerVerdict:
    """Check a new release with every earlier one that shares people with it, and with all of these together.

    `earlier` are releases, each with what is told of it. What has no person in common can't be put together with the
    new release by any of these attacks; it is told of all the same.
    """
    overlaps = find_overlaps(new, [entry for _, entry in earlier])
    told, together, found = [], [], []
    for (about, _), overlap in zip(earlier, overlaps, strict=True):
        if not overlap.shared:
            told.append({**about, "shared": 0})
            continue
        each = _each(overlap, promise)
        together.append(overlap)
        found.append(each)
        told.append({**about, "shared": overlap.shared} | {name: one.as_dict() for name, one in each.items()})
    attacks = {}
    if together:
        whole = found[0]["composition"] if len(together) == 1 else _composed(together, promise)
        attacks = {"composition": whole}
        attacks |= {name: _worst([each[name] for each in found]) for name in ATTACKS if name != "composition"}
    return LedgerVerdict(k=promise.k, attacks=attacks, earlier=told)


def _each(overlap: Overlap, promise: Promise) -> dict[str, Finding]:
    return {
        "composition": _composed([overlap], promise),
        "complementary": complementary(overlap, promise.k),
        "temporal": temporal(overlap, promise.k),
        "unsorted-matching": unsorted_matching(overlap, promise.k),
    }


def _composed(overlaps: Sequence[Overlap], promise: Promise) -> Finding:
    return composition(overlaps, promise.k, promise.sensitive, dict(promise.least))


def _worst(found: Sequence[Finding]) -> Finding:
    """Return the finding that exposes most people, and of these the one with the smallest set."""
    return max(found, key=lambda one: (one.exposed, -(one.smallest if one.smallest is not None else 1 << 62)))


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
