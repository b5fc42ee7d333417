"""What a data protection officer signs: the three European criteria, the risk limit and HIPAA's list, as evidence.

Opinion 05/2014 (WP 216) of the European data protection authorities asks of anonymization whether someone can be
singled out, whether records of one person can be linked, and whether something can be inferred about a person. Each is
answered by attacks that were tried.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from antifaz.proposals.hipaa import IDENTIFIERS, hipaa_identifier
from antifaz.releases.criteria_evidence import LIMIT, Attack, Criteria, Criterion, HipaaIdentifier, Reason, RiskLimit
from antifaz.releases.evidence import AttributeEvidence, RiskEvidence

#: The criteria, with how the names of the attacks begin that answer each.
CRITERIA = {"singling_out": "singling out", "linkability": "linkage", "inference": "inference"}


def criterion_of(attack: Mapping[str, Any]) -> str | None:
    """Return which criterion an attack answers, by its name."""
    name = str(attack.get("name", ""))
    return next((criterion for criterion, start in CRITERIA.items() if name.startswith(start)), None)


def criteria(
    attacks: Sequence[Mapping[str, Any]],
    risk: RiskEvidence | Mapping[str, Any] | None,
    *,
    recipient: str | None,
    reason: Reason | None = None,
) -> Criteria:
    """Sort attacks by what they answer, and compare the risks with the limit; `reason` says why none was tried."""
    known = risk.document() if isinstance(risk, RiskEvidence) else risk or {}
    highest, average = known.get("highest", known.get("prosecutor")), known.get("average", known.get("marketer"))
    limit = RiskLimit(
        threshold=LIMIT,
        highest=highest,
        highest_within=None if highest is None else highest <= LIMIT,
        average=average,
        average_within=None if average is None else average <= LIMIT,
    )
    answers = {key: _criterion([a for a in attacks if criterion_of(a) == key], reason, key) for key in CRITERIA}
    return Criteria(source="Opinion 05/2014 (WP 216)", recipient=recipient or None, risk=limit, **answers)


def _criterion(attacks: Sequence[Mapping[str, Any]], reason: Reason | None, key: str) -> Criterion:
    if not attacks:
        why = reason or ("no_sensitive" if key == "inference" else "unfit")
        return Criterion(measured=False, reason=why, beyond_control=None, worst=None, attacks=[])
    tried = [Attack(**{field: attack[field] for field in Attack.model_fields}) for attack in attacks]
    worst = max(tried, key=lambda attack: (attack.excess, attack.success))
    beyond = any(attack.excess_interval[0] > 0 for attack in tried)
    return Criterion(measured=True, reason=None, beyond_control=beyond, worst=worst, attacks=tried)


def hipaa_checklist(
    attributes: Iterable[AttributeEvidence | Mapping[str, Any]], released: Sequence[str] | None = None
) -> list[HipaaIdentifier]:
    """Return all eighteen identifiers with the columns whose names point to them.

    `released` are the columns of the released file, where known; else every column but the identifiers counts.
    """
    checklist = {key: HipaaIdentifier(identifier=key, removed=[], released=[]) for key in IDENTIFIERS}
    for attribute in attributes:
        known = attribute.document() if isinstance(attribute, AttributeEvidence) else attribute
        column = str(known.get("name", ""))
        key = hipaa_identifier(column)
        if key is not None:
            gone = known.get("role") == "identifier" if released is None else column not in released
            (checklist[key].removed if gone else checklist[key].released).append(column)
    return list(checklist.values())
