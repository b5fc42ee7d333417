"""What templates need to know of the evidence beyond its keys: levels, promises, the words of models and measures."""

import string
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote as quote

from antifaz.core.language import Words
from antifaz.core.verdicts import OUTCOME as OUTCOME
from antifaz.privacy import asked_size
from antifaz.releases import record
from antifaz.releases.criteria import CRITERIA as CRITERIA
from antifaz.releases.criteria import hipaa_checklist
from antifaz.releases.criteria_evidence import LIMIT as LIMIT
from antifaz.releases.evidence import objects, under
from antifaz.reports.templating import is_number, items

#: The risks of an assessment: where each is, which is also the key of its words.
ASSESSED_RISKS = (
    ("prosecutor", "highest"), ("prosecutor", "average"), ("prosecutor", "at_risk"), ("journalist", "highest"),
    ("journalist", "at_risk"), ("marketer", "average"), ("sample_uniqueness", "share"),
    ("population_uniqueness", "dankar"),
)  # fmt: skip

Document = Mapping[str, Any]
Level = tuple[str, int, int]

#: How the answer to "may this be handed over?" is shown.
ANSWER_SIGNS = {"yes": ("good", "✓"), "with care": ("open", "!"), "no": ("bad", "✕")}
#: Measures that are shares of a whole.
SHARES = {
    "loss", "gcp", "precision", "prosecutor", "journalist", "marketer", "highest", "average", "prosecutor_before",
    "marketer_before",
}  # fmt: skip


def levels(evidence: Document) -> list[Level]:
    """Return (attribute, level, height) of the quasi-identifiers; the method's levels serve where nothing else does."""
    chosen = dict(items(under(evidence, "method", "levels")))
    known = []
    for each in objects(evidence.get("attributes")):
        name, height = str(each.get("name", "")), each.get("height")
        level = each.get("level", chosen.get(name))
        if is_number(level) and is_number(height):
            known.append((name, int(level), int(height)))
    return known


def promised_k(evidence: Document) -> int | None:
    """Return the group size that was asked for, if one was."""
    return next((k for v in objects(evidence.get("privacy")) if (k := asked_size(v)) is not None), None)


def alone_by_exact_columns(evidence: Document) -> int:
    """Return how many records are alone with their value in the exact column where most are."""
    alone = [
        number
        for finding in objects(under(evidence, "verdict", "findings"))
        if finding.get("code") in ("column-singles-out", "sensitive-column-singles-out")
        for _, number in items(under(finding, "measured", "alone"))
        if is_number(number)
    ]
    return int(max(alone, default=0))


def sizes(side: object) -> list[Sequence[int]]:
    """Return the pairs of a size and how many classes have it."""
    sizes = under(side, "sizes")
    pairs = sizes if isinstance(sizes, list) else []
    return [pair for pair in pairs if is_pair(pair) and all(map(is_number, pair))]


def is_pair(value: object) -> bool:
    """Say whether a value is two values."""
    return isinstance(value, list | tuple) and len(value) == 2


def became(evidence: Document) -> list[tuple[str, str, str, str]]:
    """Return the name, role and type of every column, and the key of the words for what became of it."""
    protected = {v.get("attribute") for v in objects(evidence.get("privacy")) if isinstance(v.get("attribute"), str)}
    level = {name: level for name, level, _ in levels(evidence)}
    light = evidence.get("kind") == "light"
    replaced = {name: under(own, "released_as") for name, own in items(under(evidence, "method", "microaggregated"))}
    columns = []
    for attribute in objects(evidence.get("attributes")):
        name, role, kind = (str(attribute.get(key, "")) for key in ("name", "role", "type"))
        special = {
            "as_was": level.get(name) == 0,
            "covered": role in ("identifier", "person") and attribute.get("released"),
            "light": role == "quasi-identifier" and light,
            "unguarded": role == "sensitive" and name not in protected,
            f"microaggregated.{replaced.get(name)}": name in replaced,
        }
        columns.append((name, role, kind, next((key for key in reversed(special) if special[key]), role)))
    return columns


def model_key(verdict: Document, w: Words) -> str | None:
    """Return under which key the words of a verdict's model stand; None where nobody here knows the model."""
    key = f"model.{verdict.get('model', w('model.unnamed'))}"
    lenient = f"{key}.{verdict.get('blanks')}"
    return next((known for known in (lenient, key) if f"{known}.title" in w), None)


def measures(document: object) -> list[tuple[str, Any]]:
    """Return the measures that can be shown: numbers, or numbers by column, or what was not measured."""

    def plain(value: object) -> bool:
        return value is None or is_number(value)

    shown = []
    for key, value in items(document):
        parts = {name: number for name, number in items(value) if plain(number)}
        if plain(value) or parts:
            shown.append((str(key), parts or value))
    return shown


def risks(document: object) -> list[tuple[str, float]]:
    """Return the highest and the average risk, by the key of their words."""
    known = dict(items(document))
    named = (("highest", "prosecutor"), ("average", "marketer"))
    values = [(key, known.get(key, known.get(other))) for key, other in named]
    return [(key, float(value)) for key, value in values if is_number(value)]


def identifiers(evidence: Document) -> list[tuple[str, list[str], list[str]]]:
    """Return HIPAA's eighteen identifiers with the columns that are removed and released."""
    columns = under(evidence, "released", "columns")
    checklist = hipaa_checklist(objects(evidence.get("attributes")), columns if isinstance(columns, list) else None)
    return [(each.identifier, each.removed, each.released) for each in checklist]


def attack(own: object) -> tuple[str, str]:
    """Return the kind of an attack, and the column or attacker that its name speaks of."""
    name = str(own)
    for kind, start in (("inference", "inference of "), ("linkage_by", "linkage: ")):
        if name.startswith(start):
            return kind, name.removeprefix(start)
    return "", name


def membership_attacks(evidence: Document) -> list[Any]:
    """Return the attacks of an assessment that tell who was in the original."""
    return [each for each in objects(evidence.get("attacks")) if str(each.get("name", "")).startswith("membership ")]


def places(w: Words, key: str) -> list[str]:
    """Return the places of a message."""
    return [place for _, place, _, _ in string.Formatter().parse(w.messages[key]) if place is not None]


def article_30(evidence: Document, w: Words) -> dict[str, Any]:
    """Return the record of processing in a language, from what the controller said and what the evidence shows."""
    return record.article_30(dict(evidence), record.controller_fields(evidence["article_30"]), w)


def moment(created: object) -> str:
    """Return '2025-03-01 10:20 UTC' for an ISO moment; what does not look like one stays as it is."""
    day, split, time = str(created).partition("T")
    if not split or len(day) != 10:
        return str(created)
    zone = " UTC" if time.endswith(("Z", "+00:00")) else time[8:] if time[8:9] in ("+", "-") else ""
    return f"{day} {time[:5]}{zone}"
