"""The report says what the evidence says, to people, and runs nothing."""

from __future__ import annotations

import copy
import json
import re
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any

import pytest

from antifaz.releases.criteria import criteria
from antifaz.reports.report import report_html
from antifaz.reports.templating import ENGLISH, esc


def attack(name: str, success: float, control: float, chance: float) -> dict[str, Any]:
    ends = [round(success - 0.004, 3), round(success + 0.005, 3)]
    more = {"excess": success - control, "excess_interval": [success - control - 0.01, success - control + 0.01]}
    return {
        "name": name, "success": success, "interval": ends, "control": control, "control_interval": [0.0, 1.0],
        "chance": chance, "number": 250, **more,
    }  # fmt: skip


HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>"
VOID = {"meta", "br", "rect", "line", "circle"}

EVIDENCE: dict[str, Any] = {
    "antifaz": 1, "project": "adult", "title": "Adults of 1994", "created": "2025-06-01T10:21:33Z", "version": "9.9.9",
    "rows": {"read": 30162, "released": 29700, "suppressed": 462},
    "method": {"name": "full-domain", "levels": {"age": 2, "sex": 0}, "quality": "loss", "seed": 271828182},
    "privacy": [
        {"model": "k-anonymity", "k": 5, "achieved": 6, "holds": True, "failing": 0},
        {"model": "l-diversity", "kind": "distinct", "l": 2, "attribute": "illness", "achieved": 3, "holds": True},
        {"model": "plug-in", "q": 3, "achieved": 0.25, "holds": True},
    ],
    "utility": {"loss": 0.3123, "precision": 0.7, "discernibility": 1234567, "ks": {"age": 0.99}, "own_measure": 4.5},
    "risk": {"singled_out_before": 3811, "singled_out_after": 0, "prosecutor": 0.2, "marketer": 0.03},
    "seconds": {"read": 0.1, "decide": 0.25}, "peak_memory_bytes": 312_000_000,
    "classes": {
        "before": {"count": 9000, "smallest": 1, "average": 3.35, "largest": 40,
                   "sizes": [[1, 3811], [3, 100], [40, 2]]},
        "after": {"count": 120, "smallest": 6, "average": 247.5, "largest": 900, "sizes": [[6, 5], [900, 1]]},
    },
    "attributes": [
        {"name": "passport", "role": "identifier", "type": "text"},
        {"name": "age", "role": "quasi-identifier", "type": "integer", "level": 2, "height": 4},
        {"name": "sex", "role": "quasi-identifier", "type": "text", "level": 0, "height": 1},
        {"name": "illness", "role": "sensitive", "type": "text"},
    ],
    "criteria": criteria(
        [attack("linkage", 0.031, 0.02, 0.005), attack("singling out by one column", 0.3, 0.36, 0.2),
         attack("inference of illness", 0.5, 0.2, 0.1)],
        {"prosecutor": 0.2, "marketer": 0.03}, recipient="Hospital",
    ).document(),
    "article_30": {"a_controller": {"name": "Clinic"}, "b_purposes": "research", "f_erasure": {}},
    "released": {"file": "out.csv", "format": "csv", "sha256": "ab" * 32, "rows": 29700, "columns": ["age", "sex"]},
    "warnings": ["Column 'x' was not named."], "checked_by": "an independent verifier",
}  # fmt: skip


class Balance(HTMLParser):
    """Checks that tags close in order, and collects what a page can be made to do."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-1:]}"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data


def parse(page: str) -> Balance:
    balance = Balance()
    balance.feed(page)
    balance.close()
    assert balance.open == []
    return balance


def text(page: str) -> str:
    return re.sub(r"\s+", " ", parse(page).text.replace("\u00a0", " "))


def poison(value: Any) -> Any:
    """Put hostile text at every key and every string of the evidence that is not one of ours."""
    if isinstance(value, dict):
        return {k: poison(v) for k, v in value.items()} | {HOSTILE: 1, HOSTILE + "2": HOSTILE}
    if isinstance(value, list):
        return [poison(v) for v in value]
    return HOSTILE if isinstance(value, str) else value


def test_says_what_the_evidence_says() -> None:
    said = text(report_html(EVIDENCE))
    for words in (
        "Adults of 1994", "2025-06-01 10:21 UTC", "30,162 records read, 29,700 released", "462", "full-domain",
        "level 2 of 4", "All 3 requirements hold", "at least 5 records", "smallest group: 6", "values of illness",
        "q = 3", "3,811", "31.2 %", "1,234,567", "0.99", "Own measure", "20.0 %", "3.0 %", "limit 0.09",
        "Column 'x' was not named.", "an independent verifier", "ab" * 32, "0.35", "312 MB", "2.7 % to 3.6 %",
        "removed: passport", "antifaz 9.9.9", "Judged for this recipient: Hospital", "50.0 % (49.6 % to 50.5 %)",
        "control 20.0 %, chance 10.0 %", "Controller: Clinic", "Purpose: research",
    ):  # fmt: skip
        assert words in said, words


def test_failing_requirement_is_said_first() -> None:
    evidence = copy.deepcopy(EVIDENCE)
    evidence["privacy"][1] |= {"holds": False, "failing": 1200}
    said = text(report_html(evidence))
    assert "1 of 3 requirements not met" in said
    assert "must not be passed on" in said
    assert "1,200 records failing" in said
    assert "requirements hold" not in said
    # Whoever leaves the answer out has not said yes.
    assert "1 of 1 requirement not met" in text(report_html({"privacy": [{"model": "k-anonymity", "k": 2}]}))


def test_limits_are_always_said() -> None:
    for evidence in ({}, EVIDENCE):
        said = text(report_html(evidence))
        assert "does not stop attribute disclosure" in said
        assert said.count("anonymous") == 1
        assert "Nor does k-anonymity alone stop singling out" in said
        assert "never calls data “anonymous” by itself" in said


def test_nothing_is_claimed_that_the_evidence_does_not_show() -> None:
    assert "does not say that the released file was checked" in text(report_html({}))
    assert "read back" in text(report_html(EVIDENCE))
    assert "limits what can be learned" in text(report_html(EVIDENCE))
    only_k = text(report_html(EVIDENCE | {"privacy": EVIDENCE["privacy"][:1]}))
    assert "no requirement limits what can be learned" in only_k


def test_what_must_stay_inside_stays_inside() -> None:
    evidence = copy.deepcopy(EVIDENCE)
    evidence["method"]["decision"] = {"suppressed": [["CANARY", "CANARY"]], "cuts": ["CANARY"]}
    evidence["seed"] = 314159265
    page = report_html(evidence)
    assert "CANARY" not in page
    assert "271828182" not in page
    assert "314159265" not in page


def test_hostile_names_do_nothing() -> None:
    parsed = parse(report_html(poison(EVIDENCE)))
    allowed = {
        "html", "head", "meta", "title", "style", "body", "header", "main", "footer", "section", "h1", "h2", "h3", "p",
        "div", "span", "strong", "bdi", "dl", "dt", "dd", "ul", "li", "table", "caption", "thead", "tbody", "tr", "th",
        "td", "figure", "figcaption", "svg", "desc", "rect", "line", "circle", "text", "code", "a",
    }  # fmt: skip
    assert {tag for tag, _ in parsed.tags} <= allowed
    attributes = {key for _, given in parsed.tags for key in given}
    assert not {key for key in attributes if key.startswith("on")} and "src" not in attributes
    assert HOSTILE in parsed.text


@pytest.mark.parametrize("column", ["a\u202eb", "a\x00b", "a\ud800b", "x" * 5000, "", "–", "日本語"])
def test_odd_names_can_be_written(column: str) -> None:
    evidence = {"attributes": [{"name": column, "role": "quasi-identifier", "level": 1, "height": 2}]}
    report_html(evidence).encode("utf-8")
    assert "\u202e" not in report_html(evidence)


def test_no_network_and_no_script() -> None:
    page = report_html(EVIDENCE)
    assert "http" not in page.replace("http-equiv", "")
    assert re.findall('href="[^"]*"', page) == ['href="#main"']
    for word in ("src=", "url(", "@import", "<script", "<link", "javascript:"):
        assert word not in page
    assert "default-src 'none'; style-src 'unsafe-inline'; img-src data:" in page


def test_accessible() -> None:
    page = report_html(EVIDENCE)
    parsed = parse(page)
    levels = [int(tag[1]) for tag, _ in parsed.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(later - earlier <= 1 for earlier, later in pairwise(levels))
    ids = [given["id"] for _, given in parsed.tags if "id" in given]
    assert len(ids) == len(set(ids))
    for tag, given in parsed.tags:
        if tag == "svg":
            assert given["role"] == "img"
        if tag == "th":
            assert given["scope"] in ("row", "col")
        for reference in (given.get("aria-labelledby") or "").split():
            assert reference in ids
    assert page.count("<table>") == page.count("<caption>") > 0
    assert page.count("<svg") == page.count("<figcaption>") == page.count('<p class="shows">') == 4
    assert parsed.tags[0] == ("html", {"lang": "en"})


@pytest.mark.parametrize("missing", [*EVIDENCE, None])
def test_copes_with_missing_parts(missing: str | None) -> None:
    parse(report_html({} if missing is None else {k: v for k, v in EVIDENCE.items() if k != missing}))


@pytest.mark.parametrize("junk", [None, [], {}, "text", 3, float("nan"), [None], [[1]], {"a": None}])
def test_copes_with_junk(junk: Any) -> None:
    for key in EVIDENCE:
        parse(report_html(EVIDENCE | {key: junk}))
    parse(report_html(dict.fromkeys(EVIDENCE, junk)))


def test_the_same_evidence_gives_the_same_bytes() -> None:
    assert report_html(EVIDENCE) == report_html(json.loads(json.dumps(EVIDENCE)))


@pytest.mark.parametrize(
    ("value", "said"),
    [(0, "0"), (1234567, "1,234,567"), (0.31, "0.31"), (0.02, "0.02"), (17.25, "17.2"), (2.0, "2"),
     (12345.6, "12,346"),
     (1e-9, "1.0e-09"), (float("nan"), "—"), (None, "—"), (True, "yes"), (-0.5, "-0.5"),
     (999.99, "1,000"), (170.4, "170")],
)  # fmt: skip
def test_numbers(value: object, said: str) -> None:
    assert ENGLISH.number(value) == said


@pytest.mark.parametrize(
    ("share", "said"),
    [(0, "0 %"), (1, "100 %"), (0.3123, "31.2 %"), (0.0003, "0.03 %"), (0.00001, "below 0.01 %"),
     (0.9999, "above 99.9 %"), (None, "—"), (float("inf"), "—")],
)  # fmt: skip
def test_percentages(share: object, said: str) -> None:
    assert ENGLISH.percent(share).replace("\u00a0", " ") == said


def test_small_words() -> None:
    assert ENGLISH.count("records", 1) == "1 record"
    assert ENGLISH.count("records", 2000) == "2,000 records"
    assert ENGLISH.size(312_000_000) == "312 MB"
    assert ENGLISH.size(5_400_000_000) == "5.4 GB"
    assert ENGLISH.size(0) == "—"
    assert esc("<a b=\"c\" d='e'>") == "&lt;a b=&quot;c&quot; d=&#x27;e&#x27;&gt;"
