"""The report: the evidence of a release as one page for people, without scripts and without the network."""

from __future__ import annotations

from typing import Any

from antifaz.releases import report_findings as findings
from antifaz.releases import report_sections as sections
from antifaz.releases.report_parts import esc, name
from antifaz.releases.report_perturbed import perturbed
from antifaz.releases.report_style import CSS, POLICY

_ORDER = (
    sections.verdict,
    sections.tiles,
    sections.warnings,
    sections.done,
    sections.holds,
    sections.before_after,
    perturbed,
    findings.utility,
    findings.risk,
    findings.identifiers,
    findings.limits,
    findings.checked,
)


def render(evidence: dict[str, Any]) -> str:
    """Return the report on a release as one self-contained HTML page.

    Any part of the evidence may be missing; its section then says less or is left out. Everything that comes from the
    evidence is escaped. Only names of columns, numbers and settings are shown, never a value of the data.
    """
    return page(evidence, "".join(part(evidence) for part in _ORDER))


def page(evidence: dict[str, Any], body: str) -> str:
    """Return a whole page: its head with title and policy, the body, and the foot."""
    title = str(evidence.get("title") or evidence.get("project") or "Untitled release")
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{esc(title)}: release report</title>\n<style>{CSS}</style>\n</head>\n<body>\n"
        f'<header>\n<p class="eyebrow">Release report</p>\n<h1>{esc(title)}</h1>\n{_meta(evidence)}</header>\n'
        f"<main>\n{body}</main>\n{_footer(evidence)}</body>\n</html>\n"
    )


def _meta(evidence: dict[str, Any]) -> str:
    said = []
    if evidence.get("project") and evidence.get("title"):
        said.append(f"Project {name(evidence['project'])}")
    if evidence.get("created"):
        said.append(f"Made {esc(_moment(str(evidence['created'])))}")
    if evidence.get("recipient"):
        said.append(f"For {name(evidence['recipient'])}")
    return f'<p class="meta">{" · ".join(said)}</p>\n' if said else ""


def _moment(created: str) -> str:
    """Return '2025-03-01 10:20 UTC' for an ISO moment; what does not look like one stays as it is."""
    day, split, time = created.partition("T")
    if not split or len(day) != 10:
        return created
    zone = " UTC" if time.endswith(("Z", "+00:00")) else time[8:] if time[8:9] in ("+", "-") else ""
    return f"{day} {time[:5]}{zone}"


def _footer(evidence: dict[str, Any]) -> str:
    version = f" {esc(evidence['version'])}" if evidence.get("version") else ""
    return (
        f"<footer><p>Made by antifaz{version} from the evidence document of the release (evidence.json), which holds "
        "the same numbers for programs. This page loads nothing and runs nothing.</p></footer>\n"
    )
