"""The page on any pair of tables: what the release keeps, what it gives away, and what attackers found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from antifaz.releases.evidence import under
from antifaz.reports.documents import write_html, write_pdf
from antifaz.reports.templating import in_language


def assessment_html(assessed: Mapping[str, Any], language: str = "en", title: str | None = None) -> str:
    """Return a self-contained page of what `assess` found; only numbers and names of columns are shown."""
    return write_html("assessment.j2", language, **_context(assessed, language, title))


def assessment_pdf(assessed: Mapping[str, Any], language: str = "en", title: str | None = None) -> bytes:
    """Return the same as PDF."""
    return write_pdf("assessment.j2", language, **_context(assessed, language, title))


def _context(assessed: Mapping[str, Any], language: str, title: str | None) -> dict[str, Any]:
    w = in_language(language)
    return {
        "evidence": assessed,
        "title": title or w("assess.title"),
        "eyebrow": w("assess.eyebrow"),
        "recipient": under(assessed, "criteria", "recipient"),
        "foot": w("assess.foot"),
    }
