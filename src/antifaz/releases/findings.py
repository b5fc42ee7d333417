"""The form of a finding of the verdict."""

from collections.abc import Mapping, Sequence
from typing import Any

from antifaz.core.messages import Message
from antifaz.core.roles import Role
from antifaz.core.yaml_flow import yaml_flow
from antifaz.releases.verdict_evidence import HandOver, VerdictFinding, VerdictRemedy

#: How many columns are named in words; all are in `columns`.
_NAMED = 6


def finding(
    code: str,
    weight: HandOver,
    columns: Sequence[str],
    measured: Mapping[str, Any],
    words: Message,
    remedy: VerdictRemedy,
) -> VerdictFinding:
    """Return one thing that speaks against a release, or for it: with its figures, its words and what helps."""
    return VerdictFinding(
        code=code, weight=weight, columns=list(columns), measured=dict(measured), words=words, remedy=remedy
    )


def remedy(words: Message, change: Mapping[str, Any] | None = None) -> VerdictRemedy:
    """Return what helps; `change` is the part of a project file that does."""
    line = None if change is None else ", ".join(f"{key}: {yaml_flow(value)}" for key, value in change.items())
    return VerdictRemedy(words=words, change=None if change is None else dict(change), line=line)


def removal(names: Sequence[str]) -> VerdictRemedy:
    """Return that columns are to be removed."""
    change = {"attributes": {name: {"role": str(Role.IDENTIFIER)} for name in names}}
    return remedy(Message("remedy.remove", names=first_names(names)), change)


def first_names(names: Sequence[str]) -> list[str]:
    """Return the first few names, for a sentence."""
    return [*names[:_NAMED], *(["…"] if len(names) > _NAMED else [])]
