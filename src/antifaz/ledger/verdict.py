"""The verdict on a new release beside earlier ones: all attacks, each alone with every release, and all together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from antifaz.core.messages import Message
from antifaz.ledger.attacks import Finding, composition, find_overlaps, temporal, unsorted_matching
from antifaz.ledger.complementary import complementary
from antifaz.ledger.entry import Entry

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
        return not any(attack.exposed for attack in self.attacks.values())

    @property
    def smallest(self) -> int | None:
        """The smallest set that any attack narrows somebody down to."""
        sizes = [attack.smallest for attack in self.attacks.values() if attack.smallest is not None]
        return min(sizes, default=None)

    def as_dict(self) -> dict[str, Any]:
        """Return the form that evidence has."""
        return {
            "k": self.k,
            "holds": self.holds,
            "smallest_intersection": self.smallest,
            "exposed": max((attack.exposed for attack in self.attacks.values()), default=0),
            "attacks": {name: attack.as_dict() for name, attack in self.attacks.items()},
            "earlier": [dict(release) for release in self.earlier],
        }


def judge_release(new: Entry, earlier: Sequence[tuple[Mapping[str, Any], Entry]], promise: Promise) -> LedgerVerdict:
    """Check a new release with every earlier one that shares people with it, and with all of these together.

    `earlier` are releases, each with what is told of it. What has no person in common can't be put together with the
    new release by any of these attacks; it is told of all the same.
    """
    overlaps = find_overlaps(new, [entry for _, entry in earlier])
    k, promised = promise.k, (promise.k, promise.sensitive, dict(promise.least))
    described, together, findings = [], [], []
    for (about, _), overlap in zip(earlier, overlaps, strict=True):
        if not overlap.shared:
            described.append({**about, "shared": 0})
            continue
        each = {
            "composition": composition([overlap], *promised),
            "complementary": complementary(overlap, k),
            "temporal": temporal(overlap, k),
            "unsorted-matching": unsorted_matching(overlap, k),
        }
        together.append(overlap)
        findings.append(each)
        described.append({**about, "shared": overlap.shared} | {name: one.as_dict() for name, one in each.items()})
    attacks = {}
    if together:
        whole = findings[0]["composition"] if len(together) == 1 else composition(together, *promised)
        attacks = {"composition": whole}
        attacks |= {name: _worst([each[name] for each in findings]) for name in ATTACKS if name != "composition"}
    return LedgerVerdict(k=k, attacks=attacks, earlier=described)


def _worst(findings: Sequence[Finding]) -> Finding:
    """Return the finding that exposes most people, and of these the one with the smallest set."""
    return max(findings, key=lambda one: (one.exposed, -(one.smallest if one.smallest is not None else 1 << 62)))


def refusal(evidence: Mapping[str, Any]) -> str:
    """Say in one sentence which attack succeeds, how far, and what can be done."""
    return Message("ledger.refused", finding=finding(evidence), guilty=_guilty(evidence)[0])


def finding(evidence: Mapping[str, Any]) -> str:
    """Say which attack succeeds, and how far; the sentence has no end yet."""
    failed = {name: evidence["attacks"][name] for name in ATTACKS if not evidence["attacks"][name]["holds"]}
    name = min(failed, key=lambda each: failed[each]["smallest"] or 0)
    worst = failed[name]
    others = f" (and {', '.join(each for each in failed if each != name)})" if len(failed) > 1 else ""
    records = "1 record" if worst["exposed"] == 1 else f"{worst['exposed']:,} records"
    return Message(
        "ledger.attack-exposes", guilty=" and ".join(_guilty(evidence)), name=name, others=others, records=records,
        attacks=ATTACKS[name], left=_left(worst, evidence["k"]),
    )  # fmt: skip


def _guilty(evidence: Mapping[str, Any]) -> list[str]:
    """Return the earlier releases with which an attack succeeds."""
    releases = [
        each["release"] for each in evidence["earlier"] if any(not each[a]["holds"] for a in ATTACKS if a in each)
    ]
    return releases or [each["release"] for each in evidence["earlier"] if each["shared"]]


def _left(attack: Mapping[str, Any], k: int) -> str:
    """Say what is left where least is."""
    people = "1 person" if attack["smallest"] == 1 else f"{attack['smallest']:,} people"
    if attack["smallest"] < k:
        return Message("ledger.fewer-than-k", people=people, k=k)
    return Message("ledger.too-few-sensitive-values", people=people)


def ledger_warnings(evidence: Mapping[str, Any]) -> list[str]:
    """Return what somebody has to answer for."""
    warned = list(evidence["notes"])
    if "despite" in evidence:
        figures = {key: evidence[key] for key in ("smallest_intersection", "k")}
        warned.append(Message("warning.released-despite-ledger", **figures, reason=evidence["despite"]["reason"]))
    return warned
