"""The report: the evidence of a release for people, as a page or as PDF.

Any part of the evidence may be missing; its section then says less or is left out. Only names of columns, numbers and
settings are shown, never a value of the data.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from antifaz.core.messages import restored
from antifaz.releases.evidence import Evidence, TablesEvidence, under
from antifaz.reports.documents import write_html, write_pdf
from antifaz.reports.templating import in_language
from antifaz.reports.view import moment

AnyEvidence = Evidence | TablesEvidence | Mapping[str, Any]


def report_html(evidence: AnyEvidence, language: str = "en") -> str:
    """Return the report on a release, of one table or of several, as one self-contained page."""
    template, context = _report(evidence, language)
    return write_html(template, language, **context)


def report_pdf(evidence: AnyEvidence, language: str = "en") -> bytes:
    """Return the same report as PDF."""
    template, context = _report(evidence, language)
    return write_pdf(template, language, **context)


def _report(evidence: AnyEvidence, language: str) -> tuple[str, dict[str, Any]]:
    """Return the template, and what stands around and in it."""
    document = restored(evidence if isinstance(evidence, Mapping) else evidence.document())
    w = in_language(language)
    context = {
        "evidence": document,
        "title": str(document.get("title") or document.get("project") or w("page.untitled")),
        "eyebrow": w("page.release"),
        "moment": moment(document["created"]) if document.get("created") else None,
        "recipient": under(document, "criteria", "recipient"),
    }
    return ("tables.j2" if "tables" in document else "report.j2"), context
