"""What attackers found in a release, and what they may conclude who know the method, as findings of the verdict."""

from collections.abc import Iterator, Sequence
from typing import Any

from antifaz.core.messages import Message
from antifaz.methods import METHODS
from antifaz.proposals.audiences import AUDIENCES, USUAL
from antifaz.releases.criteria_evidence import Attack
from antifaz.releases.evidence import Evidence
from antifaz.releases.findings import finding_of, first_names, raise_k, remedy_of
from antifaz.releases.verdict_evidence import VerdictFinding

#: From this gain over the control, an attacker concludes more often than not.
_SURE = 0.5
#: What is promised of the illnesses of the six people of `Method.surest_of_six`, in hundredths.
PROMISED = 50


def attack_findings(evidence: Evidence, audience: str | None) -> Iterator[VerdictFinding]:
    """Yield where attackers found more than of people who are not in the release."""
    criteria = evidence.criteria
    if criteria is None:
        return
    if not criteria.singling_out.measured and not criteria.linkability.measured:
        yield _not_attacked(criteria.singling_out.reason or "not_asked")
        return
    limit = AUDIENCES[audience or USUAL]
    for attack in criteria.singling_out.attacks:
        if _leaks(attack):
            yield _singled_out(attack, evidence)
    linked = [attack for attack in criteria.linkability.attacks if _leaks(attack)]
    if linked:
        yield _linkage_finding(max(linked, key=lambda attack: attack.success), limit.risk, limit.k, evidence)
    inferred = [attack for attack in criteria.inference.attacks if _leaks(attack)]
    for weight in ("no", "with care"):
        own = [each for each in inferred if (each.excess_interval[0] >= _SURE) == (weight == "no")]
        if own:
            yield _inference_finding(sorted(own, key=lambda attack: -attack.excess), weight)


def _leaks(attack: Attack) -> bool:
    """Say whether an attack finds surely more than of people who are not in the release, and more than by chance.

    Taking a person out of a balanced class makes their value the rarest there: the control may be below chance.
    """
    return attack.excess_interval[0] > 0 and attack.interval[0] > attack.chance


def _not_attacked(reason: str) -> VerdictFinding:
    change = {"report": {"attacks": 250}} if reason == "not_asked" else None
    words = Message("remedy.ask-for-attacks") if change else Message("remedy.assess")
    return finding_of(
        "attacks-not-tried", "with care", (), {"reason": reason}, Message("finding.attacks-not-tried"),
        remedy_of(words, change),
    )  # fmt: skip


def _singled_out(attack: Attack, evidence: Evidence) -> VerdictFinding:
    """By quasi-identifiers that is what the method should have stopped; by any columns it takes other knowledge."""
    by_any = attack.name == "singling out by any columns"
    figures = {"success": attack.success, "control": attack.control}
    measured = {"attack": attack.name, **figures, "attempts": attack.number}
    if by_any:
        words = Message("finding.attacker-singles-out-by-any-columns", **figures)
        if evidence.risk is None or evidence.risk.singled_out_after:
            words = Message("finding.attacker-singles-out-by-exact-values", **figures)
        remedy = remedy_of(Message("remedy.coarsen-exact-columns"))
        return finding_of("attacker-singles-out-by-any-columns", "with care", (), measured, words, remedy)
    k = 2 * (evidence.risk.k if evidence.risk is not None else AUDIENCES[USUAL].k)
    words, remedy = Message("finding.attacker-singles-out", **figures), raise_k(k, evidence)
    return finding_of("attacker-singles-out", "no", (), measured, words, remedy)


def _linkage_finding(attack: Attack, risk: float, k: int, evidence: Evidence) -> VerdictFinding:
    """Whom somebody is hidden among still makes a guess; up to the accepted risk that is what k promises."""
    figures = {"success": attack.success, "control": attack.control, "risk": risk}
    measured = {"attack": attack.name, **figures, "attempts": attack.number}
    if attack.interval[0] <= risk:
        words, remedy = (
            Message("finding.attacker-links-within-risk", **figures),
            remedy_of(Message("remedy.nothing-needed")),
        )
        return finding_of("attacker-links-within-risk", "yes", (), measured, words, remedy)
    larger_k = max(k, 2 * (evidence.risk.k if evidence.risk is not None else 1))
    words, remedy = Message("finding.attacker-links", **figures), raise_k(larger_k, evidence)
    return finding_of("attacker-links", "no", (), measured, words, remedy)


def _inference_finding(attacks: Sequence[Attack], weight: Any) -> VerdictFinding:
    """Sensitive columns of which attackers conclude more than they could of others; the first is the worst."""
    columns = [attack.name.removeprefix("inference of ").partition(":")[0] for attack in attacks]
    worst = {"success": attacks[0].success, "control": attacks[0].control}
    measured = {"attack": attacks[0].name, **worst, "attempts": attacks[0].number}
    words = Message("finding.attacker-infers", name=columns[0], **worst)
    if len(columns) > 1:
        words = Message("finding.attacker-infers-columns", names=first_names(columns), name=columns[0], **worst)
    models = [{"model": "l-diversity", "kind": "distinct", "l": 3, "attribute": column} for column in columns]
    return finding_of(
        "attacker-infers", weight, columns, measured, words,
        remedy_of(Message("remedy.demand-different-values", names=first_names(columns)), {"privacy": models}),
    )  # fmt: skip


def known_method_findings(evidence: Evidence) -> Iterator[VerdictFinding]:
    """Yield what those conclude who know the method, where something is promised of sensitive values."""
    if evidence.hardened or not any(getattr(verdict, "attribute", None) for verdict in evidence.privacy):
        return
    method = getattr(evidence.method, "chosen", None) or evidence.method.name
    surest = METHODS[method].surest_of_six if method in METHODS.names else None
    words, measured = Message("finding.method-known-not-measured"), {}
    if surest is not None:
        measured = {"promised": PROMISED, "surest": surest}
        words = Message("finding.method-known", method=method, **measured)
    remedy = remedy_of(Message("remedy.harden"), None if surest is None else {"hardened": True})
    yield finding_of("method-known", "yes", (), measured, words, remedy)
