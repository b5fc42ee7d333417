"""The project file that `antifaz init` writes: proposals with their reasons as comments, for a person to edit."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from textwrap import wrap
from typing import Any

from antifaz.core.profile import ColumnProfile, Profile
from antifaz.core.roles import Role
from antifaz.core.verdicts import Proposal
from antifaz.engines.engine import Data
from antifaz.proposals import hierarchy as propose_hierarchy
from antifaz.proposals import quasi_identifiers as propose_quasi_identifiers
from antifaz.proposals import roles as propose_roles

_HEAD = """\
# A project for antifaz: what is in the data, what must hold of the release, and how to get there.
# Read every line: roles and hierarchies below are proposals. Then run:  antifaz run {file}
antifaz: 1
name: {name}
source: {source}

# Roles: identifier (removed), quasi-identifier (generalized), sensitive (protected), insensitive (released as it is).
attributes:
"""

_TAIL = """
# What must hold, counted again in the released file before anyone may have it.
privacy:
{privacy}
# full-domain: every value of a column goes to the same level of its hierarchy; the least lossy combination is found.
# suppression: the largest share of records that may be left out.
method: {{name: full-domain, quality: loss, suppression: 0.02}}
release: {{path: {out}}}
# seed: 1          # makes a run repeatable; without it a secure one is drawn and kept in record.json
# hardened: true   # against those who know the method: it decides without seeing sensitive values
"""


def project_template(
    data: Data,
    source: Path,
    project: Path,
    options: Mapping[str, Any],
    given: Mapping[str, Any] | None = None,
    types: Mapping[str, str] | None = None,
) -> str:
    """Return the text of a project file with a proposal for every column.

    `given` stands as the file's source where that is not simply the path; `types` are the types given for columns.
    """
    profile = data.profile()
    proposed = propose_roles(data)
    place = os.path.relpath(source.resolve(), project.resolve().parent)
    entry = given or {"path": place, **{key: value for key, value in options.items() if value is not None}}
    head = _HEAD.format(file=project.name, name=_yaml(source.stem), source=_yaml(entry))
    names, known = data.schema.names, types or {}
    columns = "".join(_column(data, profile[name], proposed[name], known.get(name)) for name in names)
    tail = _TAIL.format(privacy=_privacy(profile, proposed), out=_yaml(f"out/{source.stem}/"))
    return head + _combination(data, proposed) + columns + tail


def _combination(data: Data, proposed: Mapping[str, Proposal]) -> str:
    """Say which few of the quasi-identifiers matter most: a person who must give up detail may begin with others."""
    qis = [name for name, proposal in proposed.items() if proposal.value == Role.QUASI_IDENTIFIER]
    if len(qis) < 2 or not data.rows:
        return ""
    combination = propose_quasi_identifiers(data, qis)
    return _comment(f"Of the quasi-identifiers, {combination.value} tell nearly as much as all. {combination.reason}")


def _column(data: Data, column: ColumnProfile, proposal: Proposal, kind: str | None) -> str:
    name = column.name
    attribute: dict[str, Any] = {"role": proposal.value} | ({} if kind is None else {"type": kind})
    reason: str = proposal.reason
    if proposal.value == Role.QUASI_IDENTIFIER:
        hierarchy = propose_hierarchy(data, name)
        attribute["hierarchy"] = hierarchy.details
        reason = f"{reason} {hierarchy.reason}"
    return f"{_comment(reason)}  {_yaml(name)}: {_yaml(attribute)}\n"


def _privacy(profile: Profile, proposed: Mapping[str, Proposal]) -> str:
    lines = ["  - {model: k-anonymity, k: 5}\n"]
    for name, proposal in proposed.items():
        if proposal.value == Role.SENSITIVE and profile[name].distinct >= 2:
            lines.append(f"  - {{model: l-diversity, kind: distinct, l: 2, attribute: {_yaml(name)}}}\n")
    return "".join(lines)


def _yaml(value: Any) -> str:
    """Write a value in YAML's flow form: JSON, which is YAML too, with plain words left unquoted."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_yaml(key)}: {_yaml(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_yaml(inner) for inner in value) + "]"
    text = str(value)
    if isinstance(value, str) and text.replace("-", "").replace("_", "").isalpha() and text.isascii():
        return text if text.lower() not in _WORDS and text[0] != "-" else json.dumps(text)
    return json.dumps(value, ensure_ascii=False)


#: Plain words that YAML would not read as text.
_WORDS = {"yes", "no", "on", "off", "true", "false", "null", "y", "n"}


def _comment(text: str) -> str:
    return "".join(f"  # {line}\n" for line in wrap(" ".join(text.split()), 110))
