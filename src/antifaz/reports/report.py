"""The report on a release, from its evidence, and the page on any pair of tables; as a page or as PDF.

Any part of the evidence may be missing; its section then says less or is left out. Only names of columns, numbers and
settings are shown, never a value of the data.
"""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from antifaz.core.errors import ParameterError, checked_language
from antifaz.core.language import Language
from antifaz.core.messages import restored
from antifaz.releases.evidence import Evidence, ReportEvidence, TablesEvidence, under
from antifaz.releases.perturbation_evidence import FEWEST
from antifaz.reports.documents import require_pdf, write_html, write_pdf
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
    if document.get("kind") == "table":
        return "table_report.j2", table_context(document, language)
    w = in_language(language)
    context = {
        "evidence": document,
        "title": str(document.get("title") or document.get("project") or w("page.untitled")),
        "eyebrow": w("page.release"),
        "moment": moment(document["created"]) if document.get("created") else None,
        "recipient": under(document, "criteria", "recipient"),
    }
    return ("tables.j2" if "tables" in document else "report.j2"), context


def assessment_html(assessed: Mapping[str, Any], language: str = "en") -> str:
    """Return a self-contained page of what `assess` found; only numbers and names of columns are shown."""
    return write_html("assessment.j2", language, **_context(assessed, language))


def assessment_pdf(assessed: Mapping[str, Any], language: str = "en") -> bytes:
    """Return the same as PDF."""
    return write_pdf("assessment.j2", language, **_context(assessed, language))


def comparison_html(compared: Mapping[str, Any], language: str = "en", title: str | None = None) -> str:
    """Return a self-contained page of what `compare` found: the measures of each column, and both pictures of it."""
    w = in_language(language)
    records, columns = w.count("records", compared["rows"]), w.number(len(compared["columns"]))
    return write_html(
        "perturbation.j2", language, evidence={"perturbation": compared}, title=title or w("moved.title"),
        eyebrow=w("perturbed.eyebrow"), foot=w("perturbed.foot", fewest=w.number(FEWEST)),
        about=w("perturbed.meta", records=records, columns=columns),
    )  # fmt: skip


def _context(assessed: Mapping[str, Any], language: str) -> dict[str, Any]:
    w = in_language(language)
    return {
        "evidence": assessed,
        "title": w("assess.title"),
        "eyebrow": w("assess.eyebrow"),
        "recipient": under(assessed, "criteria", "recipient"),
        "foot": w("assess.foot"),
    }


class ReportOptions(BaseModel):
    """What is wanted of the report."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    language: Language = Field(default="en", description="The language of the report.")
    recipient: str | None = Field(default=None, min_length=1, description="For whom the release is.")
    pdf: bool = Field(default=False, description="Whether to write report.pdf as well; needs the extra 'pdf'.")
    attacks: int = Field(
        default=250,
        ge=0,
        le=100_000,
        description="How many attempts each attack makes for the three criteria; 0 for none.",
    )

    def evidence(self) -> ReportEvidence:
        """Return what the evidence says of the report."""
        return ReportEvidence(language=self.language, files=["report.html", *(["report.pdf"] if self.pdf else [])])


def report_options(*, attacks: int | None = None, **options: Any) -> ReportOptions:
    """Return what is wanted of the report; a wrong value is told in one sentence, and a missing extra at once."""
    context = options if attacks is None else options | {"attacks": attacks}
    checked_language(options.get("language", "en"))
    try:
        report = ReportOptions(**context)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place, why = first["loc"][0], first["msg"]
        raise ParameterError("report.option-wrong", loc=place, reason=why[0].lower(), reason2=why[1:]) from None
    if report.pdf:
        require_pdf()
    return report


def tabulation_report_html(evidence: Mapping[str, Any], language: str = "en") -> str:
    """Return the report as one self-contained page; it shows names of columns, settings and numbers of cells."""
    return write_html("table_report.j2", language, **table_context(restored(evidence), language))


def table_context(document: Mapping[str, Any], language: str) -> dict[str, Any]:
    """Return what stands around and in the report."""
    w, created = in_language(language), document.get("created")
    return {
        "evidence": document, "title": str(document.get("project") or w("page.untitled")),
        "eyebrow": w("tabulated.eyebrow"), "moment": moment(created) if created else None,
    }  # fmt: skip
