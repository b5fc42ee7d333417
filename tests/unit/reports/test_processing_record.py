"""The record of article 30 as a document: for word processors and as PDF, in every language."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ET
import zipfile

import pytest

from antifaz.core.language import LANGUAGES, words
from antifaz.reports.docx import docx
from antifaz.reports.processing_record import record_docx, record_pdf

EVIDENCE = {
    "project": "people",
    "rows": {"read": 6, "released": 6, "suppressed": 0},
    "attributes": [{"name": "age & <sex>", "role": "quasi-identifier", "level": 1, "height": 2, "type": "integer"}],
    "privacy": [{"model": "k-anonymity", "k": 2, "achieved": 2, "holds": True}],
    "article_30": {},
}
SAID = {"name": "The town <hall>", "purposes": "Statistics & planning"}


def text_of(document: bytes) -> list[str]:
    with zipfile.ZipFile(io.BytesIO(document)) as archive:
        assert archive.testzip() is None
        parts = {name: ET.fromstring(archive.read(name)) for name in archive.namelist()}
    assert {"[Content_Types].xml", "_rels/.rels", "word/document.xml", "word/styles.xml"} <= parts.keys()
    return [node.text or "" for node in parts["word/document.xml"].iter() if node.tag.endswith("}t")]


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_the_controller_said_is_in_it_and_what_is_missing_is_asked_for(language: str) -> None:
    w = words("reports", language)
    told = text_of(record_docx(EVIDENCE, SAID, language))
    assert f"{w('record.name')}: The town <hall>" in told
    assert "Statistics & planning" in told
    assert f"{w('record.contact')}: [{w('record.blank')}]" in told
    assert any(line.startswith("age & <sex>: ") for line in told)
    assert record_docx(EVIDENCE, SAID, language) == record_docx(EVIDENCE, SAID, language)


def test_a_control_character_is_no_part_of_the_document() -> None:
    assert text_of(docx("a\x00b", [[["x\x0b", ["y", "z"]]]])) == ["a\ufffdb", "x\ufffd", "y", "z", ""]


def test_it_is_a_pdf_too() -> None:
    pytest.importorskip("typst")
    assert record_pdf(EVIDENCE, SAID, "es").startswith(b"%PDF-")
