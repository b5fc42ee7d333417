"""What notebooks show of the library's results, parsed as HTML."""

from __future__ import annotations

import copy
import json
import pickle
import re
from html.parser import HTMLParser
from typing import Any

import pyarrow as pa
import pytest

import antifaz as az
from antifaz.reports.templating import style

VOID = {"line", "polyline", "br", "img"}
HOSTILE = '<img src=x onerror="alert(1)">'


class Parsed(HTMLParser):
    """The tags, attributes and text of a fragment; every tag that opens is closed, in order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.rows: list[list[str]] = []
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        self._open += [] if tag in VOID else [tag]
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" in self._open:
            return
        self.text += data
        if {"td", "th"} & set(self._open):
            self.rows[-1][-1] += data


def shown(value: Any) -> Parsed:
    parsed = Parsed(value._repr_html_())
    assert {"script", "link", "iframe", "img"}.isdisjoint(parsed.tags)
    assert not [name for name, _ in parsed.attributes if name.startswith("on") or name == "id"]
    return parsed


ROLES = {"name": "identifier", "age": "quasi-identifier", "sex": "quasi-identifier", "diagnosis": "sensitive"}
HIERARCHIES = {"age": az.hierarchy.intervals(10, 40), "sex": az.hierarchy.flat()}


def people() -> pa.Table:
    rows = az.datasets.people(300, seed=1).select(["age", "sex", "diagnosis"])
    return rows.append_column("name", pa.array([f"Person{i:03}" for i in range(rows.num_rows)]))


@pytest.fixture(scope="module")
def release() -> Any:
    return az.anonymize(
        people(), roles=ROLES, hierarchies=HIERARCHIES, privacy=[az.KAnonymity(5), az.LDiversity(2)], seed=1
    )


def test_a_release_shows_what_holds_its_figures_and_the_first_released_rows(release: Any) -> None:
    html = shown(release)
    rows = release.evidence["rows"]
    assert "✓ All 2 requirements hold" in html.text
    assert str(rows["released"]) in html.text
    (k, *_) = (row for row in html.rows if row[0] == "k-anonymity (k = 5)")
    assert k == ["k-anonymity (k = 5)", f"smallest group: {release.evidence['privacy'][0]['achieved']}", "✓ holds", "0"]
    assert [str(value) for value in release.frame.slice(0, 1).to_pylist()[0].values()] in html.rows
    # Nothing was tried for it, and the identifier is not there.
    assert "verdict" not in release.evidence
    assert "Person" not in html.text


def test_evidence_and_verdict_show_the_answer(release: Any) -> None:
    judged = copy.copy(release)
    verdict = shown(judged.verdict)
    assert judged.verdict["words"] in verdict.text
    for finding in judged.verdict["findings"]:
        assert finding["words"] in verdict.text
    evidence = shown(judged.evidence)
    assert judged.verdict["words"] in evidence.text
    assert "Measures of utility" in evidence.text


def test_what_does_not_hold_is_said() -> None:
    html = shown(az.verify(people(), ["age", "sex"], az.KAnonymity(50)))
    assert html.rows[1][2] == "✕ fails"


def test_proposals_show_their_reasons() -> None:
    proposed = az.propose.roles(people())
    html = shown(proposed)
    assert [row[0] for row in html.rows[1:]] == ["age", "sex", "diagnosis", "name"]
    assert [row[1] for row in html.rows[1:]] == [proposal.value for proposal in proposed.values()]
    age = proposed["age"]
    assert str(age.reason) in shown(age).text
    assert "Person" not in html.text


def test_candidates_and_the_frontier_show_their_figures() -> None:
    asked: Any = {"roles": ROLES, "hierarchies": HIERARCHIES, "seed": 1}
    candidates = az.candidates(people(), privacy=az.KAnonymity(5), **asked)
    html = shown(candidates)
    best = candidates[0]
    assert html.rows[0][:2] == ["age", "sex"]
    assert html.rows[1][:2] == [str(level) for level in best.levels.values()]
    assert len(html.rows) == 1 + min(10, len(candidates))
    frontier = az.frontier(people(), k=[2, 5], **asked)
    html = shown(frontier)
    assert "polyline" in html.tags
    assert [row[0] for row in html.rows[1:]] == ["2", "5"]
    assert str(frontier["recommended"]["reason"]) in html.text


def test_names_and_cells_are_never_markup() -> None:
    table = pa.table({HOSTILE: [1, 1, 2, 2], "text": [HOSTILE] * 4})
    roles = {HOSTILE: "quasi-identifier", "text": "insensitive"}
    release = az.anonymize(table, roles=roles, hierarchies={HOSTILE: az.hierarchy.flat()}, privacy=az.KAnonymity(2))
    assert HOSTILE in shown(release).text
    release.verdict  # noqa: B018
    for value in (release.evidence, release.verdict, az.propose.roles(table)):
        shown(value)


def test_a_wide_table_is_cut() -> None:
    table = pa.table({f"c{i}": [1, 1] for i in range(30)})
    roles = dict.fromkeys(table.column_names, "insensitive") | {"c0": "quasi-identifier"}
    html = shown(az.anonymize(table, roles=roles, hierarchies={"c0": "flat"}, privacy=az.KAnonymity(2)))
    assert "18 more columns" in html.text
    assert html.rows[-1] == ["1"] * 12


def test_they_are_plain_data_everywhere_else(release: Any) -> None:
    evidence = release.evidence
    assert json.loads(json.dumps(evidence)) == evidence
    assert pickle.loads(pickle.dumps(evidence))._repr_html_() == evidence._repr_html_()
    assert evidence == dict(evidence)


def test_colours_are_those_of_the_notebook() -> None:
    # Text has no colour of its own, and no background: both themes are readable. The edge of an answer stands out from
    # white and from what dark themes use.
    css = style("inline/inline.css")
    assert set(re.findall(r"[^-]color: ([^;]+);", css)) == {"inherit"}
    assert set(re.findall(r"background: ([^;]+);", css)) == {"none"}
    for colour in re.findall(r"border-color: (#\w{6})", css):
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        own = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
        assert 1.05 / (own + 0.05) >= 3, colour
        assert (own + 0.05) / (0.006 + 0.05) >= 3, colour
