"""The report and the assessment in a real browser: nothing loaded, nothing run, readable by everybody."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import antifaz as az
from antifaz.reports.report import assessment_html, report_html
from e2e.conftest import PROJECT, write_people

LANGUAGES = ("en", "es", "ca")


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], dict[str, Any]]:
    """A release and its assessment."""
    folder = tmp_path_factory.mktemp("report")
    write_people(folder / "people.csv", 300)
    (folder / "sex.csv").write_text("female;*\nmale;*\n", encoding="utf-8")
    (folder / "project.yaml").write_text(f"{PROJECT}report: {{recipient: 'A & B <c>'}}\n", encoding="utf-8")
    roles = dict.fromkeys(("age", "sex", "postcode"), "quasi-identifier") | {"diagnosis": "sensitive"}
    told = az.run(folder / "project.yaml")
    return told, az.assess(folder / "people.csv", folder / "out/release.csv", roles, attacks=50, seed=1)


@pytest.fixture(params=LANGUAGES)
def pages(request: pytest.FixtureRequest, judged: tuple[Any, Any], tmp_path: Path) -> tuple[str, list[Path]]:
    """Both as pages in one language."""
    language = request.param
    (tmp_path / "report.html").write_text(report_html(judged[0], language), encoding="utf-8")
    (tmp_path / "assessment.html").write_text(assessment_html(judged[1], language), encoding="utf-8")
    return language, [tmp_path / "report.html", tmp_path / "assessment.html"]


def test_check_38_pages_are_quiet_whole_and_named(chromium: Any, pages: tuple[str, list[Path]]) -> None:
    language, places = pages
    for place in places:
        for width, scheme in ((1280, "light"), (390, "light"), (390, "dark")):
            page = chromium.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
            said: list[str] = []
            asked: list[str] = []
            page.on("console", lambda message, said=said: said.append(message.text))
            page.on("pageerror", lambda error, said=said: said.append(str(error)))
            page.on("request", lambda request, asked=asked: asked.append(request.url))
            page.goto(place.as_uri())
            assert said == []
            assert asked == [place.as_uri()]
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            # What is wider than the page can be reached by the keyboard.
            wide = (
                "[...document.querySelectorAll('.scroll')].filter(e => e.scrollWidth > e.clientWidth && e.tabIndex < 0)"
            )
            assert page.evaluate(f"{wide}.length") == 0
            assert page.evaluate("document.documentElement.lang") == language
            assert page.evaluate("document.scripts.length") == 0
            page.close()


def test_headings_tables_and_pictures_can_be_found_by_ear(chromium: Any, pages: tuple[str, list[Path]]) -> None:
    for place in pages[1]:
        page = chromium.new_page(viewport={"width": 1280, "height": 900})
        page.goto(place.as_uri())
        levels = page.evaluate("[...document.querySelectorAll('h1,h2,h3,h4,h5,h6')].map(h => +h.tagName[1])")
        assert levels[0] == 1 and levels.count(1) == 1
        assert all(later - earlier <= 1 for earlier, later in pairwise(levels))
        names = page.evaluate(
            "[...document.querySelectorAll('svg')].map(s => s.getAttribute('aria-labelledby').split(' ')"
            ".map(i => document.getElementById(i).textContent.length > 5))"
        )
        assert names and all(all(each) and len(each) == 2 for each in names)
        assert page.evaluate("[...document.querySelectorAll('table')].every(t => t.caption && t.caption.textContent)")
        assert page.evaluate("[...document.querySelectorAll('th')].every(t => t.scope)")
        # The first key press reaches the link past the head.
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "main"
        page.close()


def test_nothing_is_cut_off_in_charts(chromium: Any, pages: tuple[str, list[Path]]) -> None:
    for place in pages[1]:
        for width in (1280, 390):
            page = chromium.new_page(viewport={"width": width, "height": 900})
            page.goto(place.as_uri())
            out = page.evaluate(
                "[...document.querySelectorAll('svg text')].filter(t => {const a = t.getBoundingClientRect(),"
                " b = t.ownerSVGElement.getBoundingClientRect(); return a.right > b.right + 2 || a.left < b.left - 2})"
                ".map(t => t.textContent)"
            )
            assert out == []
            meet = page.evaluate(
                "[...document.querySelectorAll('svg')].flatMap(s => {const r = [...s.querySelectorAll('text')]"
                ".map(t => [t.textContent, t.getBoundingClientRect()]); return r.flatMap(([n, a], i) => r.slice(i + 1)"
                ".filter(([m, b]) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 4 &&"
                " b.top < a.bottom - 4).map(([m]) => [n, m]))})"
            )
            assert meet == []
            page.close()
