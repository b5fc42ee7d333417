"""The verdict on a new release beside earlier ones: all attacks, each alone with every release, and all together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from antifaz.core.messages import Message
from antifaz.ledger.attacks import Finding, Overlap, composition, intersections, temporal, unsorted_matching
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

    def kept_by(self, new: Entry) -> "Promise":
        """Return what the release itself keeps: k, or fewer where its own smallest class has fewer; 1 if light."""
        return replace(self, k=1 if self.light else _with_class_size(self.k, new))


@dataclass(frozen=True, kw_only=True)
class BrokenPromise:
    """A k that does not hold any more once the new release is out, and whose it is: the new one's where None."""

    release: str | None
    k: int
    smallest: int

    def as_dict(self) -> dict[str, Any]:
        """Return the form that evidence has."""
        return {"release": self.release, "k": self.k, "smallest": self.smallest}


@dataclass(frozen=True, kw_only=True)
class LedgerVerdict:
    """What was found; `earlier` tells of each release that was looked at."""

    #: The largest k that any of the releases has promised.
    k: int
    attacks: Mapping[str, Finding]
    earlier: Sequence[Mapping[str, Any]] = ()
    broken: Sequence[BrokenPromise] = ()

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
            "broken": [] if self.holds else [each.as_dict() for each in self.broken],
        }


def judge_release(new: Entry, earlier: Sequence[tuple[Mapping[str, Any], Overlap]], promise: Promise) -> LedgerVerdict:
    """Check a new release with every earlier one that shares people with it, and with all of these together.

    `earlier` are releases, each with what is told of it, its k included: what it promised must hold too. What has no
    person in common can't be put together with the new release by any of these attacks; it is told of all the same.
    """
    own = promise.k
    described, together, findings, needed = [], [], [], []
    for about, overlap in earlier:
        if not overlap.shared:
            described.append({**about, "shared": 0})
            continue
        theirs = _with_class_size(about.get("k") or 1, overlap.old)
        each = _attacks(overlap, theirs, own, promise)
        together.append(overlap)
        findings.append(each)
        needed.append(theirs)
        described.append({**about, "shared": overlap.shared} | {name: one.as_dict() for name, one in each.items()})
    attacks: dict[str, Finding] = {}
    if together:
        promised = (needed, own, promise.sensitive, dict(promise.least))
        whole = findings[0]["composition"] if len(together) == 1 else composition(together, *promised)
        attacks = {"composition": whole}
        attacks |= {name: _worst([each[name] for each in findings]) for name in ATTACKS if name != "composition"}
    shared = [about for about, overlap in earlier if overlap.shared]
    broken = _broken_promises(shared, together, findings, needed, own)
    return LedgerVerdict(k=max([own, *needed]), attacks=attacks, earlier=described, broken=broken)


def _with_class_size(k: int, entry: Entry) -> int:
    """Return what a release could promise: some models count people who are not in it, and its classes are smaller."""
    return min(k, int(entry.sizes.min())) if entry.rows else k


def _attacks(overlap: Overlap, theirs: int, own: int, promise: Promise) -> dict[str, Finding]:
    k = max(theirs, own)
    return {
        "composition": composition([overlap], [theirs], own, promise.sensitive, dict(promise.least)),
        "complementary": complementary(overlap, k),
        "temporal": temporal(overlap, k),
        "unsorted-matching": unsorted_matching(overlap, k),
    }


def _broken_promises(
    earlier: Sequence[Mapping[str, Any]],
    overlaps: Sequence[Overlap],
    findings: Sequence[Mapping[str, Finding]],
    needed: Sequence[int],
    own: int,
) -> list[BrokenPromise]:
    """Say whose k does not hold, the new release's first."""
    if not overlaps:
        return []
    sizes, _ = intersections(overlaps)
    left = [
        min([int(sizes[one.places >= 0].min()), *_smallest(each)]) for one, each in zip(overlaps, findings, strict=True)
    ]
    whose = [(None, own, min(left)), *zip((about["release"] for about in earlier), needed, left, strict=True)]
    return [BrokenPromise(release=release, k=k, smallest=smallest) for release, k, smallest in whose if smallest < k]


def _smallest(findings: Mapping[str, Finding]) -> list[int]:
    return [one.smallest for one in findings.values() if one.smallest is not None]


def _worst(findings: Sequence[Finding]) -> Finding:
    """Return the finding that exposes most people, and of these the one with the smallest set."""
    return max(findings, key=lambda one: (one.exposed, -(one.smallest if one.smallest is not None else 1 << 62)))


def finding(evidence: Mapping[str, Any]) -> str:
    """Say which attack succeeds, how far, and which promises it breaks; the sentence has no end yet."""
    failed = {name: evidence["attacks"][name] for name in ATTACKS if not evidence["attacks"][name]["holds"]}
    name = min(failed, key=lambda each: failed[each]["smallest"] or 0)
    worst = failed[name]
    others = f" (and {', '.join(each for each in failed if each != name)})" if len(failed) > 1 else ""
    records = "1 record" if worst["exposed"] == 1 else f"{worst['exposed']:,} records"
    return Message(
        "ledger.attack-exposes", guilty=" and ".join(conflicting_releases(evidence)), name=name, others=others,
        records=records, attacks=ATTACKS[name], left=_left(worst, evidence),
    )  # fmt: skip


def conflicting_releases(evidence: Mapping[str, Any]) -> list[str]:
    """Return the earlier releases with which an attack succeeds."""
    releases = [
        each["release"] for each in evidence["earlier"] if any(not each[a]["holds"] for a in ATTACKS if a in each)
    ]
    return releases or [each["release"] for each in evidence["earlier"] if each["shared"]]


def _left(attack: Mapping[str, Any], evidence: Mapping[str, Any]) -> str:
    """Say what is left where least is, and what was promised."""
    people = "1 person" if attack["smallest"] == 1 else f"{attack['smallest']:,} people"
    broken = [
        Message("ledger.own-promise", k=each["k"])
        if each["release"] is None
        else Message("ledger.earlier-promise", k=each["k"], release=each["release"])
        for each in evidence["broken"]
    ]
    if broken:
        return Message("ledger.fewer-than-promised", people=people, promises=broken)
    return Message("ledger.too-few-sensitive-values", people=people)


def ledger_warnings(evidence: Mapping[str, Any]) -> list[str]:
    """Return what somebody has to answer for."""
    warned = list(evidence["notes"])
    if "despite" in evidence:
        figures = {key: evidence[key] for key in ("smallest_intersection", "k")}
        warned.append(Message("warning.released-despite-ledger", **figures, reason=evidence["despite"]["reason"]))
    elif not evidence.get("holds", True):
        warned.append(Message("warning.hand-out-would-be-refused", finding=finding(evidence)))
    return warned
