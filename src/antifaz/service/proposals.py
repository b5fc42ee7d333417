"""Proposals for a data set, as plain data."""

from collections.abc import Mapping, Sequence
from typing import Any

from antifaz.core.language import Language
from antifaz.core.messages import Message
from antifaz.core.roles import Role
from antifaz.core.verdicts import Proposal
from antifaz.engines.engine import Data
from antifaz.projects.template import DIVERSE, diverse_columns, preset_by_name, propose_project
from antifaz.proposals import propose
from antifaz.proposals.audiences import audience_limit
from antifaz.proposals.k import k_anonymity
from antifaz.proposals.person import with_person
from antifaz.proposals.survey import survey_columns


def roles(data: Data, language: Language = "en") -> dict[str, Any]:
    """Propose a role for every column, each with its reason; and say which may be a survey's weight and household."""
    proposed = propose.roles(data)
    proposed = with_person(data, proposed)
    return {
        "columns": {
            name: {"role": own.value, "confidence": own.details["confidence"], **_reason(own, language)}
            for name, own in proposed.items()
        },
        "survey": survey_columns(data.profile()),
    }


def quasi_identifiers(data: Data, columns: Sequence[str] | None, language: Language = "en") -> dict[str, Any]:
    """Propose the few columns that tell nearly as many people apart as all candidates do."""
    proposed = propose.quasi_identifiers(data, columns)
    return {"columns": proposed.details["columns"], **_reason(proposed, language), "details": proposed.details}


def columns(data: Data, columns: Sequence[str] | None, k: int, language: Language = "en") -> dict[str, Any]:
    """Say what each quasi-identifier costs the others, the most expensive first."""
    proposed = propose.columns(data, columns, k)
    return {"columns": [{"proposal": own.value, **own.details, **_reason(own, language)} for own in proposed]}


def privacy(data: Data, roles: Mapping[str, str], audience: str) -> dict[str, Any]:
    """Propose models as `antifaz init` does: the k of an audience, `known` for a wide table, and diversity."""
    profile = data.profile()
    known = {column.name: roles.get(column.name, str(Role.INSENSITIVE)) for column in profile}
    model = k_anonymity(audience_limit(audience).k, profile, known)
    sensitive = [name for name, role in known.items() if role == Role.SENSITIVE and profile[name].distinct >= 2]
    # Where there are few, nobody needs to know which are the surest.
    diverse = diverse_columns(profile, known, propose.roles(data)) if len(sensitive) > DIVERSE else sensitive
    asked = [{"model": "l-diversity", "kind": "distinct", "l": 2, "attribute": name} for name in diverse]
    quasi = sum(role == Role.QUASI_IDENTIFIER for role in known.values())
    models = [{"model": model.name, **model.parameters()}, *asked]
    return {"privacy": models, "quasi_identifiers": quasi, "sensitive": len(sensitive)}


def preset(data: Data, name: str, language: Language = "en") -> dict[str, Any]:
    """Fill in what a rule asks as `antifaz init --preset` does: settings of all columns, models, whom it is for."""
    rule, proposed = preset_by_name(name), propose_project(data, name)
    columns = {
        column: {
            "role": own.settings["role"], "confidence": own.confidence, "settings": own.settings,
            "by_rule": own.by_rule, "reason": " ".join(reason.text(language) for reason in own.reasons),
            "message": _code(own.reasons[0]),
        }
        for column, own in proposed.columns.items()
    }  # fmt: skip
    return {
        "preset": rule.name, "source": rule.source, "columns": columns, "privacy": proposed.models,
        "method": {"name": "auto", "purpose": "analyse"}, "audience": rule.audience,
    }  # fmt: skip


def hierarchy(data: Data, column: str, language: Language = "en") -> dict[str, Any]:
    """Propose a hierarchy of a column, as a project file says it."""
    proposed = propose.hierarchy(data, column)
    return {"hierarchy": proposed.details, **_reason(proposed, language)}


def _reason(proposal: Proposal, language: Language) -> dict[str, Any]:
    return {"reason": proposal.reason.text(language), "message": _code(proposal.reason)}


def _code(message: Message) -> dict[str, Any]:
    document = message.as_dict()
    return {"code": document["code"], "values": document["values"]}
