"""What is wanted of the report, as a project file, the command line and the library say it."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from antifaz.core.errors import ParameterError, checked_language
from antifaz.core.language import Language
from antifaz.releases.evidence import ReportEvidence
from antifaz.reports.documents import require_pdf


class ReportOptions(BaseModel):
    """What is wanted of the report."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    language: Language = Field(default="en", description="The language of the report: en, es or ca.")
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
    given = options if attacks is None else options | {"attacks": attacks}
    checked_language(options.get("language", "en"))
    try:
        report = ReportOptions(**given)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise ParameterError(
            "report.option-wrong", loc=first["loc"][0], reason=first["msg"][0].lower(), reason2=first["msg"][1:]
        ) from None
    if report.pdf:
        require_pdf()
    return report
