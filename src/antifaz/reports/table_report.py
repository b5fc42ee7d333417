"""The report on a table of counts or sums, from its evidence: a page that loads and runs nothing."""

from collections.abc import Mapping
from typing import Any

from antifaz.core.messages import restored
from antifaz.reports.documents import write_html
from antifaz.reports.templating import in_language
from antifaz.reports.view import moment


def table_report_html(evidence: Mapping[str, Any], language: str = "en") -> str:
    """Return the report as one self-contained page; it shows names of columns, settings and numbers of cells."""
    return write_html("table_report.j2", language, **table_context(restored(evidence), language))


def table_context(document: Mapping[str, Any], language: str) -> dict[str, Any]:
    """Return what stands around and in the report."""
    w, created = in_language(language), document.get("created")
    return {
        "evidence": document, "title": str(document.get("project") or w("page.untitled")),
        "eyebrow": w("tabulated.eyebrow"), "moment": moment(created) if created else None,
    }  # fmt: skip
