"""The report: the evidence of a release as one page for people, without scripts and without the network."""

from __future__ import annotations

from typing import Any

from antifaz.core.language import Words
from antifaz.reports import findings as findings
from antifaz.reports import sections as sections
from antifaz.reports.criteria import criteria
from antifaz.reports.ledger import ledger
from antifaz.reports.parts import esc, mapping, name, page
from antifaz.reports.perturbation import perturbed
from antifaz.reports.record import processing, signatures
from antifaz.reports.texts import in_language

#: Every section takes the evidence and the words of a language, and gives HTML.
_ORDER = (
    sections.verdict,
    sections.tiles,
    sections.warnings,
    sections.done,
    sections.holds,
    sections.before_after,
    perturbed,
    findings.utility,
    criteria,
    findings.risk,
    ledger,
    findings.identifiers,
    findings.limits,
    findings.checked,
    processing,
    signatures,
)


def render(evidence: dict[str, Any], language: str = "en") -> str:
    """Return the report on a release as one self-contained HTML page.

    Any part of the evidence may be missing; its section then says less or is left out. Everything that comes from the
    evidence is escaped. Only names of columns, numbers and settings are shown, never a value of the data.
    """
    w = in_language(language)
    return whole(evidence, "".join(part(evidence, w) for part in _ORDER), w)


def whole(evidence: dict[str, Any], body: str, w: Words) -> str:
    """Return the page of a release: its head, the body, and the foot."""
    title = str(evidence.get("title") or evidence.get("project") or w("page.untitled"))
    version = f" {esc(evidence['version'])}" if evidence.get("version") else ""
    return page(
        w, title=title, eyebrow=w("page.release"), meta=_meta(evidence, w), body=body,
        foot=w("page.foot", version=version),
    )  # fmt: skip


def _meta(evidence: dict[str, Any], w: Words) -> str:
    said = []
    if evidence.get("project") and evidence.get("title"):
        said.append(w("page.project", project=name(evidence["project"])))
    if evidence.get("created"):
        said.append(w("page.made", moment=esc(_moment(str(evidence["created"])))))
    recipient = mapping(evidence, "criteria").get("recipient")
    if recipient:
        said.append(w("page.for", recipient=name(recipient)))
    return f'<p class="meta">{" · ".join(said)}</p>\n' if said else ""


def _moment(created: str) -> str:
    """Return '2025-03-01 10:20 UTC' for an ISO moment; what does not look like one stays as it is."""
    day, split, time = created.partition("T")
    if not split or len(day) != 10:
        return created
    zone = " UTC" if time.endswith(("Z", "+00:00")) else time[8:] if time[8:9] in ("+", "-") else ""
    return f"{day} {time[:5]}{zone}"
