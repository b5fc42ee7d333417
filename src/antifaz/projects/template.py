"""The project file that `antifaz init` writes: proposals with their reasons as comments, for a person to edit."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap
from typing import Any

from antifaz.core.errors import ParameterError, hint
from antifaz.core.messages import Message
from antifaz.core.profile import ColumnProfile, Profile
from antifaz.core.roles import Role
from antifaz.core.verdicts import Proposal
from antifaz.core.yaml_flow import LONGEST_KEY, yaml_flow
from antifaz.engines.engine import Data
from antifaz.proposals.hierarchies import hierarchy as propose_hierarchy
from antifaz.proposals.k import k_anonymity
from antifaz.proposals.missing_codes import MissingCode, ProposedSet, missing_codes, proposed_sets, written_forms
from antifaz.proposals.person import with_person
from antifaz.proposals.presets import PRESETS, Preset, PresetChoice, preset_columns
from antifaz.proposals.quasi_identifiers import quasi_identifiers as propose_quasi_identifiers
from antifaz.proposals.roles import roles as propose_roles
from antifaz.proposals.survey import survey_columns
from antifaz.proposals.tails import Tail, wide_tails
from antifaz.sources.place_address import is_place, parse_place

_HEAD = """\
# A project for antifaz: what is in the data, what must hold of the release, and how to get there.
# Read every line: roles and hierarchies below are proposals. Then run:  antifaz run {file}
antifaz: 1
name: {name}
{preset}source: {source}
{missing}
# Roles: identifier (removed), person (whose row it is, where a person has several: people are counted; removed),
# quasi-identifier (generalized), sensitive (protected), insensitive (released as it is).
# decide: nothing is known of the column; give it one of these roles, for a run stops until you do.
attributes:
"""

_SURVEY = """\
# If this is a sample, these say how many people a record stands for, and who lives together:
# survey: {survey}
"""

_KNOWN = (
    "Nobody knows all of {quasi} quasi-identifiers of a person: whoever knows any {known} of them finds at least k "
    "records. Take known away to ask it of all together; little detail would be left."
)

#: What is asked for where no rule is named.
USUAL_RULE = Preset(name="gdpr", source="")
#: Sensitive columns that a new project asks diversity of.
DIVERSE = 3
#: Where more records than this share a value, classes that have another are so large that nothing else is left.
_NEARLY_ALL = 0.9
#: What such a column of few values is offered instead: a rare value is at most so many times more likely in a class.
_FEW, _LIKENESS = 10, 4

_TAIL = """
# What must hold, counted again in the released file before anyone may have it.
privacy:
{privacy}
# auto tries the methods that fit and takes what serves the purpose best: analyse (least loss), read (the same level for
# all values of a column) or numbers (numbers stay numbers). Any other method can be named instead.
method: {{name: auto, purpose: analyse}}
# audience: a known partner (known: k of at least 3), many (5), or anybody (public: 11); the verdict goes by it.
release: {{path: {out}, audience: {audience}}}
others: refuse   # a column that the file gets later stops the run until somebody gave it a role
# seed: 1          # makes a run repeatable; without it a secure one is drawn and kept in record.json
# hardened: true   # against those who know the method: it decides without seeing sensitive values
"""


@dataclass(frozen=True, kw_only=True)
class ProposedColumn:
    """A column as a new project has it, and why."""

    settings: dict[str, Any]
    reasons: tuple[Message, ...]
    #: How sure the proposal is of the role.
    confidence: float
    #: Whether the rule of the project says what becomes of it.
    by_rule: bool


@dataclass(frozen=True, kw_only=True)
class ProposedProject:
    """What a new project asks for, before anybody changes it."""

    rule: Preset
    columns: dict[str, ProposedColumn]
    #: The models that are asked for, and those of other sensitive columns, which would cost more detail.
    models: list[dict[str, Any]]
    other_models: list[dict[str, Any]]

    @property
    def roles(self) -> dict[str, str]:
        """The role of each column."""
        return {name: str(own.settings["role"]) for name, own in self.columns.items()}


def propose_project(data: Data, preset: str | None = None) -> ProposedProject:
    """Propose settings of all columns and models, by the rule that `preset` names where it names one."""
    profile, rule = data.profile(), None if preset is None else preset_by_name(preset)
    proposed = propose_roles(data)
    proposed = with_person(data, proposed)
    ruled = {} if rule is None else preset_columns(PresetChoice(name=rule.name), profile, proposed)
    columns = {}
    for name in data.schema.names:
        proposal, own = proposed[name], ruled.get(name)
        settings: dict[str, Any] = {"role": str(proposal.value)} if own is None else dict(own.settings)
        reasons: tuple[Message, ...] = (proposal.reason if own is None else own.reason,)
        if own is None and proposal.value == Role.QUASI_IDENTIFIER:
            hierarchy = propose_hierarchy(data, name)
            settings["hierarchy"], reasons = hierarchy.details, (*reasons, hierarchy.reason)
        confidence = float(str(proposal.details["confidence"]))
        columns[name] = ProposedColumn(
            settings=settings, reasons=reasons, confidence=confidence, by_rule=own is not None
        )
    chosen_rule = USUAL_RULE if rule is None else rule
    roles = {name: str(own.settings["role"]) for name, own in columns.items()}
    sensitive = [name for name in roles if roles[name] == Role.SENSITIVE and profile[name].distinct >= 2]
    surest = diverse_columns(profile, roles, proposed)
    model = k_anonymity(chosen_rule.k, profile, roles)
    return ProposedProject(
        rule=chosen_rule, columns=columns,
        models=[{"model": model.name, **model.parameters()}, *(_diversity(n) for n in sensitive if n in surest)],
        other_models=[_cheapest(profile[n]) for n in sensitive if n not in surest],
    )  # fmt: skip


def preset_by_name(name: str) -> Preset:
    """Return a rule, or raise for one that there is not."""
    if name not in PRESETS:
        raise ParameterError("preset.unknown", name=name, hint=hint(name, PRESETS))
    return PRESETS[name]


def project_template(
    data: Data,
    source: str | Path,
    project: Path,
    options: Mapping[str, Any],
    given: Mapping[str, Any] | None = None,
    types: Mapping[str, str] | None = None,
    preset: str | None = None,
) -> str:
    """Return the text of a project file with a proposal for every column.

    `given` stands as the file's source where that is not simply the path; `types` are the types given for columns;
    `preset` is the rule that columns and models are filled in from.
    """
    profile, proposed = data.profile(), propose_project(data, preset)
    elsewhere = is_place(source)
    place = str(source) if elsewhere else os.path.relpath(Path(source).resolve(), project.resolve().parent)
    stem = Path(parse_place(str(source)).name if elsewhere else source).stem
    entry = given or {"path": place, **{key: value for key, value in options.items() if value is not None}}
    codes = missing_codes(data, profile)
    rule = proposed.rule
    named = "" if preset is None else f"preset: {rule.name}   # {rule.source}; the report judges its clauses\n"
    head = _HEAD.format(
        file=project.name, name=yaml_flow(stem), source=yaml_flow(entry), missing=_missing(codes), preset=named
    )
    names, known = data.schema.names, types or {}
    forms = written_forms(data, profile)
    sets = proposed_sets(data, profile, forms)
    kept = [n for n, own in proposed.columns.items() if not Role(own.settings["role"]).names_people and not own.by_rule]
    spelled = {name: [code.code for code in own] for name, own in codes.items()}
    tails = wide_tails(data, profile, rule.k, kept, spelled)
    columns = "".join(
        _forms(forms.get(name, []), sets.get(name))
        + _tails(tails.get(name, []))
        + _column(name, proposed.columns[name], known.get(name))
        for name in names
    )
    tail = _TAIL.format(privacy=_privacy(proposed), out=yaml_flow(f"out/{stem}/"), audience=rule.audience)
    return head + _combination(data, proposed.roles) + columns + _survey(profile) + tail


def _survey(profile: Profile) -> str:
    """A line to take in where the table seems to be a survey: nobody but its maker knows what a column weighs."""
    columns = survey_columns(profile)
    if not columns:
        return ""
    return _SURVEY.format(survey=yaml_flow(columns))


def _combination(data: Data, roles: Mapping[str, str]) -> str:
    """Say which few of the quasi-identifiers matter most: a person who must give up detail may begin with others."""
    qis = [name for name, role in roles.items() if role == Role.QUASI_IDENTIFIER]
    if len(qis) < 2 or not data.rows:
        return ""
    combination = propose_quasi_identifiers(data, qis)
    return _comment(f"Of the quasi-identifiers, {combination.value} tell nearly as much as all. {combination.reason}")


def _missing(codes: Mapping[str, Sequence[MissingCode]]) -> str:
    """Write proposed codes as a comment: they are values until a person says that they are not."""
    if not codes:
        return ""
    proposed = yaml_flow({name: [code.code for code in own] for name, own in codes.items()})
    return f"# These values may mean missing. If they do, put this into the source above: missing: {proposed}\n"


def _forms(forms: Sequence[str], items: ProposedSet | None) -> str:
    """Write in which forms a column may be written as a comment: it is text until a person says which it is."""
    if items is not None:
        setting = yaml_flow(items.written)[1:-1]
        return _comment(f"It is read as text. {items.reason} To have its items protected one by one, say {setting}.")
    return _comment(f"It is read as text. To have it understood, say type: {' or '.join(forms)}.") if forms else ""


def _tails(tails: Sequence[Tail]) -> str:
    """Write proposed bounds as comments: a person decides whether the extremes matter."""
    return "".join(_comment(f"{tail.reason} To do so, add {yaml_flow(tail.written)[1:-1]}.") for tail in tails)


def _column(name: str, column: ProposedColumn, kind: str | None) -> str:
    role = {"role": column.settings["role"]} | ({} if kind is None else {"type": kind})
    key = yaml_flow(name)
    entry = f"{key}: " if len(key) <= LONGEST_KEY else f"? {key}\n  : "
    return f"{_comment(' '.join(column.reasons))}  {entry}{yaml_flow(role | column.settings)}\n"


def _privacy(proposed: ProposedProject) -> str:
    """Ask for diversity of the few columns that are surely sensitive; asked of many at once it is never reached."""
    first = proposed.models[0]
    quasi = sum(role == Role.QUASI_IDENTIFIER for role in proposed.roles.values())
    why = _comment(_KNOWN.format(known=first["known"], quasi=quasi)) if first.get("known") is not None else ""
    models = [f"  - {yaml_flow(model)}\n" for model in proposed.models]
    others = [f"  # - {yaml_flow(model)}\n" for model in proposed.other_models]
    heading = ["  # Also sensitive; each that is asked for costs detail, and time:\n"] if others else []
    return "".join([why, *models, *heading, *others])


def diverse_columns(
    profile: Profile, roles: Mapping[str, str], proposed: Mapping[str, Proposal] | None = None
) -> list[str]:
    """Return the few sensitive columns that diversity is asked of, the surest where proposals say how sure they are."""
    sensitive = [name for name, role in roles.items() if role == Role.SENSITIVE and _varies(profile[name])]

    def doubt(name: str) -> float:
        return -float(str(proposed[name].details["confidence"])) if proposed is not None else 0.0

    return sorted(sensitive, key=doubt)[:DIVERSE]


def _varies(column: ColumnProfile) -> bool:
    """Say whether a class of a few records may well have two values of a column."""
    commonest = max((records for _, records in column.common), default=0)
    return column.distinct >= 2 and commonest <= _NEARLY_ALL * (column.rows - column.missing)


def _cheapest(column: ColumnProfile) -> dict[str, Any]:
    """Return the model that protects a column for little detail."""
    if _varies(column) or column.distinct > _FEW:
        return _diversity(column.name)
    return {"model": "beta-likeness", "beta": _LIKENESS, "attribute": column.name}


def _diversity(name: str) -> dict[str, Any]:
    return {"model": "l-diversity", "kind": "distinct", "l": 2, "attribute": name}


def _comment(text: str) -> str:
    return "".join(f"  # {line}\n" for line in wrap(" ".join(text.split()), 110))
