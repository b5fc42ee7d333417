"""The record of processing of article 30 GDPR as a document of its own, to be completed and kept: PDF and DOCX."""

from collections.abc import Mapping
from typing import Any

from antifaz.core.messages import restored
from antifaz.releases import record
from antifaz.reports.documents import write_pdf
from antifaz.reports.docx import Cell, docx
from antifaz.reports.templating import in_language
from antifaz.reports.view import moment


def record_pdf(evidence: Mapping[str, Any], controller: Mapping[str, str], language: str = "en") -> bytes:
    """Return the record of a release as PDF, with what the controller says now."""
    document = restored(evidence) | {"article_30": record.article_30(dict(evidence), dict(controller))}
    return write_pdf("record.j2", language, **_head(document, language), evidence=document)


def record_docx(evidence: Mapping[str, Any], controller: Mapping[str, str], language: str = "en") -> bytes:
    """Return the same as a document for word processors, in which what is missing can be written."""
    document, w = restored(evidence), in_language(language)
    fields, blank = record.article_30(document, dict(controller), w), f"[{w('record.blank')}]"

    def entry(key: str, value: Any) -> str:
        return f"{w(f'record.{key}')}: {value or blank}"

    columns = [f"{each['column']}: {each['treatment']}" for each in fields["c_categories"]["personal_data"]]
    entries: dict[str, list[str]] = {
        "a": [entry(key, value) for key, value in fields["a_controller"].items()],
        "b": [fields["b_purposes"] or blank],
        "c": [entry("data_subjects", fields["c_categories"]["data_subjects"]), *columns],
        "d": [fields["d_recipients"] or blank],
        "e": [fields["e_third_country_transfers"] or blank],
        "f": [entry("original_and_release", fields["f_erasure"]["original_and_release"]), w("record.working_data")],
        "g": fields["g_measures"],
    }
    rows: list[list[Cell]] = [[w("record.field"), w("record.entry")]]
    rows += [[f"({letter}) {w(f'record.{letter}')}", lines] for letter, lines in entries.items()]
    signed: list[list[Cell]] = [["", w("sign.controller"), w("sign.officer")]]
    signed += [[w(f"sign.{key}"), "", ""] for key in ("name", "date", "signature")]
    head = _head(document, language)
    about = [str(part) for part in (head["title"], head["moment"]) if part]
    return docx(
        w("record.heading"), [" · ".join(about), w("record.intro"), rows, w("sign.intro"), signed], language=language
    )


def _head(document: Mapping[str, Any], language: str) -> dict[str, Any]:
    w = in_language(language)
    return {
        "title": str(document.get("title") or document.get("project") or w("page.untitled")),
        "eyebrow": w("record.heading"),
        "moment": moment(document["created"]) if document.get("created") else None,
    }
