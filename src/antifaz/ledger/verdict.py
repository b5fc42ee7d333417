"""The verdict on a new release beside earlier ones: all attacks, each alone with every release, and all together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from antifaz.core.messages import Message
from antifaz.ledger.attacks import Finding, composition, temporal, unsorted
from antifaz.ledger.complementary import complementary
from antifaz.ledger.entry import Entry
from antifaz.ledger.overlap import Meeting, met

#: The attacks, in the order in which a refusal names them, with what each does.
ATTACKS = {
    "composition": Message("ledger.by-composition"),
    "complementary": Message("ledger.by-joining"),
    "temporal": Message("ledger.by-subtracting"),
    "unsorted-matching": Message("ledger.by-order-of-rows"),
}


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What must hold: k, and per sensitive attribute how many values must be left."""

    k: int
    sensitive: Sequence[str] = ()
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


def judged(new: Entry, earlier: Sequence[tuple[Mapping[str, Any], Entry]], wanted: Wanted) -> LedgerVerdict:
    """Check a new release with every earlier one that shares people with it, and with all of these together.

    `earlier` are releases, each with what is told of it. What has no person in common can't be put together with the
    new release by any of these attacks; it is told of all the same.
    """
    meetings = met(new, [entry for _, entry in earlier])
    told, together, found = [], [], []
    for (about, _), meeting in zip(earlier, meetings, strict=True):
        if not meeting.shared:
            told.append({**about, "shared": 0})
            continue
        each = _each(meeting, wanted)
        together.append(meeting)
        found.append(each)
        told.append({**about, "shared": meeting.shared} | {name: one.as_dict() for name, one in each.items()})
    attacks = {}
    if together:
        whole = found[0]["composition"] if len(together) == 1 else _composed(together, wanted)
        attacks = {"composition": whole}
        attacks |= {name: _worst([each[name] for each in found]) for name in ATTACKS if name != "composition"}
    return LedgerVerdict(k=wanted.k, attacks=attacks, earlier=told)


def _each(meeting: Meeting, wanted: Wanted) -> dict[str, Finding]:
    return {
        "composition": _composed([meeting], wanted),
        "complementary": complementary(meeting, wanted.k),
        "temporal": temporal(meeting, wanted.k),
        "unsorted-matching": unsorted(meeting, wanted.k),
    }


def _composed(meetings: Sequence[Meeting], wanted: Wanted) -> Finding:
    return composition(meetings, wanted.k, wanted.sensitive, dict(wanted.least))


def _worst(found: Sequence[Finding]) -> Finding:
    """Return the finding that exposes most people, and of these the one with the smallest set."""
    return max(found, key=lambda one: (one.exposed, -(one.smallest if one.smallest is not None else 1 << 62)))
