"""The form of a finding of the verdict: its words, its figures and its remedy, a part of the project file."""

from collections.abc import Mapping, Sequence
from typing import Any

from antifaz.core.messages import Message
from antifaz.core.roles import Role
from antifaz.core.yaml_flow import yaml_flow
from antifaz.releases.evidence import Evidence
from antifaz.releases.verdict_evidence import HandOver, VerdictFinding, VerdictRemedy

#: From this share of records that are alone with their value, a column points at people rather than at an outlier.
MANY_ALONE = 0.01
#: How many columns are named in words; all are in `columns`.
_NAMED = 6


def finding_of(
    code: str,
    weight: HandOver,
    columns: Sequence[str],
    measured: Mapping[str, Any],
    words: Message,
    remedy: VerdictRemedy,
) -> VerdictFinding:
    """Return a finding; the answer is the worst of their weights."""
    return VerdictFinding(
        code=code, weight=weight, columns=list(columns), measured=dict(measured), words=words, remedy=remedy
    )


def remedy_of(words: Message, change: Mapping[str, Any] | None = None) -> VerdictRemedy:
    """Return what helps, and the part of the project file that says so where one line does."""
    line = None if change is None else ", ".join(f"{key}: {yaml_flow(value)}" for key, value in change.items())
    return VerdictRemedy(words=words, change=None if change is None else dict(change), line=line)


def remove_columns(names: Sequence[str]) -> VerdictRemedy:
    """Return the remedy of leaving columns out."""
    change = {"attributes": {name: {"role": str(Role.IDENTIFIER)} for name in names}}
    return remedy_of(Message("remedy.remove", names=first_names(names)), change)


def first_names(names: Sequence[str]) -> list[str]:
    """Return the first few names, for a sentence."""
    return [*names[:_NAMED], *(["…"] if len(names) > _NAMED else [])]


def raise_k(k: int, evidence: Evidence) -> VerdictRemedy:
    """Ask for a larger k, and of all columns together where only some were taken to be known."""
    models = [v.model_dump() for v in evidence.privacy if v.model == "k-anonymity"]
    limited = any(one.get("known") for one in models)
    k = max([k, *(int(one["k"]) for one in models if limited)])
    words = Message("remedy.ask-of-all-columns" if limited else "remedy.raise-k", k=k)
    return remedy_of(words, {"privacy": [{"model": "k-anonymity", "k": k}]})
