"""The PDF says what the page says, tells a reader its language, and takes no name for markup."""

from __future__ import annotations

import io
import re
import sys
from html.parser import HTMLParser
from typing import Any

import pytest

from antifaz.core.errors import MissingExtra
from antifaz.reports.documents import require_pdf
from antifaz.reports.report import report_html, report_pdf
from failing import failing

pypdf = pytest.importorskip("pypdf")

EVIDENCE: dict[str, Any] = {
    "project": "clínica", "rows": {"read": 30162, "released": 29700, "suppressed": 462},
    "privacy": [{"model": "k-anonymity", "k": 5, "achieved": 6, "holds": True}],
    "utility": {"loss": 0.3123}, "risk": {"prosecutor": 0.2, "marketer": 0.03},
    "attributes": [{"name": "edad", "role": "quasi-identifier", "type": "integer", "level": 2, "height": 4}],
    "released": {"file": "release.csv", "sha256": "ab" * 32, "columns": ["edad"]},
    "article_30": {"a_controller": {}, "f_erasure": {}},
}  # fmt: skip


class Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.said, self.skipped = "", 0

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.skipped += tag in ("style", "svg", "title", "a")

    def handle_endtag(self, tag: str) -> None:
        self.skipped -= tag in ("style", "svg", "title", "a")

    def handle_data(self, data: str) -> None:
        if not self.skipped:
            self.said += f" {data}"


def words(text: str) -> set[str]:
    # Long words may be broken at the end of a line, and ligatures be letters of their own.
    return {word for word in re.findall(r"[^\W_]{3,9}", text) if not re.search("f[fil]|ﬁ|ﬂ|ﬀ|ﬃ", word)}


def read(made: bytes) -> tuple[Any, str]:
    document = pypdf.PdfReader(io.BytesIO(made))
    return document, "\n".join(sheet.extract_text() for sheet in document.pages)


@pytest.mark.parametrize("language", ["en", "es", "ca"])
def test_every_word_of_the_page_is_in_it(language: str) -> None:
    html = report_html(EVIDENCE, language)
    _, said = read(report_pdf(EVIDENCE, language))
    parser = Text()
    parser.feed(html)
    # What stands in the page as a whole word stands there, but for some that were broken in two.
    joined = re.sub(r"[-‐]\n|\s", "", said)
    missing = [word for word in words(parser.said) if word not in joined]
    assert missing == []
    assert "ab" * 32 in joined


def test_it_tells_its_title_and_language_and_is_tagged() -> None:
    document, _ = read(report_pdf(EVIDENCE, "ca"))
    root = document.trailer["/Root"]
    assert root["/Lang"] == "ca"
    assert root["/MarkInfo"]["/Marked"].value is True
    assert "clínica" in document.metadata.title
    assert b"pdfuaid" in document.xmp_metadata.stream.get_data()


def test_pictures_have_words() -> None:
    made = report_pdf(EVIDENCE, "en")
    alternatives: list[str] = []

    def walk(node: Any) -> None:
        node = node.get_object() if hasattr(node, "get_object") else node
        if isinstance(node, list):
            for each in node:
                walk(each)
        elif isinstance(node, dict):
            if "/Alt" in node:
                alternatives.append(str(node["/Alt"]))
            if "/K" in node:
                walk(node["/K"])

    walk(pypdf.PdfReader(io.BytesIO(made)).trailer["/Root"]["/StructTreeRoot"]["/K"])
    assert any("level 2 of 4" in words for words in alternatives)
    assert any("limit 0.09" in words for words in alternatives)


def test_the_same_page_gives_the_same_bytes() -> None:
    assert report_pdf(EVIDENCE, "es") == report_pdf(EVIDENCE, "es")


@pytest.mark.parametrize(
    "hostile",
    ['"); #panic("x', '#read("/etc/passwd")', "\\", "]#strong[", "$x$ @y <z> `w` // /* */", "日本語", "a\u202eb"],
)
def test_names_are_text(hostile: str) -> None:
    evidence = EVIDENCE | {"project": hostile, "released": {"file": hostile, "columns": [hostile]}}
    _, said = read(report_pdf(evidence | {"warnings": [hostile], "method": {"name": hostile}}, "en"))
    plain = re.sub(r"\s", "", hostile.replace("\u202e", "�"))
    if hostile != "日本語":  # whether there is a font for it depends on the machine
        assert re.sub(r"\s", "", said).count(plain) >= 3


def test_without_the_extra_one_sentence_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "typst", None)
    with failing("report.typst-missing", MissingExtra):
        require_pdf()
