"""Documents from templates: as one page that loads and runs nothing, or as PDF, set by Typst without the network."""

from functools import cache
from typing import Any

from antifaz.core.errors import MissingExtra
from antifaz.reports import charts, perturbation_charts, view
from antifaz.reports.templating import Html, Templates, Typst


@cache
def _templates(kind: type[Templates], language: str) -> Templates:
    return kind(language, view=view, charts=charts, perturbation_charts=perturbation_charts)


def write_html(template: str, language: str, **context: Any) -> str:
    """Return a document as one self-contained page."""
    return _templates(Html, language).get_template(template).render(context)


def write_pdf(template: str, language: str, **context: Any) -> bytes:
    """Return a document as a PDF that says its title and language, and tags what is a heading, table or picture."""
    typst = require_pdf()
    source = _templates(Typst, language).get_template(template).render(context).encode("utf-8")
    try:
        made: bytes = typst.compile(source, format="pdf", pdf_standards=["ua-1"])
    except typst.TypstError:
        # PDF/UA refuses, for example, a name in a script that no font here has.
        made = typst.compile(source, format="pdf")
    return made


def require_pdf() -> Any:
    """Return Typst, or say in one sentence which extra is missing."""
    try:
        import typst
    except ModuleNotFoundError:
        raise MissingExtra("report.typst-missing") from None
    return typst
