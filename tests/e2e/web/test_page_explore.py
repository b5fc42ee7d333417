"""The explorer, the frontier of all methods and the candidates as a person sees them: one service, one browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from e2e.web.browsing import PATIENCE, Visit, visiting


@pytest.fixture(scope="module")
def visit(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visit]:
    with visiting(chromium, tmp_path_factory.mktemp("explore")) as found:
        yield found


@pytest.fixture(scope="module")
def six(visit: Visit) -> str:
    return str(visit.service.six_people("six people")["id"])


def document(visit: Visit, project: str) -> Any:
    return visit.service.get(f"/projects/{project}")["document"]


def test_sliders_and_levels_say_at_once_what_they_cost(visit: Visit, six: str) -> None:
    from playwright.sync_api import expect

    page = visit.page
    visit.go(f"/p/{six}/explore")
    outcome = page.locator(".outcome")
    outcome.get_by_text("This loses least").wait_for()
    # k = 2: the year as it is, and of the postcode two digits less.
    expect(outcome).to_contain_text("cod_postal → 3 digits")
    k = page.get_by_label("How many must look the same (k)")
    k.focus()
    page.keyboard.press("ArrowRight")
    expect(outcome).to_contain_text("fnac → 2 digits")
    # A level by hand that leaves people alone can't be released, and says how many it would cost.
    page.get_by_role("radiogroup", name="cod_postal").get_by_role("radio", name=re.compile("^as it is")).click()
    outcome.get_by_text("This can’t be released").wait_for()
    assert page.get_by_role("button", name="Use this and run").is_disabled()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => document.activeElement?.getAttribute('aria-checked') === 'true'")
    visit.click("Back to the best levels")
    outcome.get_by_text("This loses least").wait_for()
    # The same people on both sides.
    given, made = page.get_by_role("region", name="Input"), page.get_by_role("region", name="Output")
    given.get_by_role("cell", name="53715").first.wait_for()
    made.get_by_role("cell", name="537**").first.wait_for()
    assert given.get_by_role("row").count() == made.get_by_role("row").count()
    assert visit.violations() == [] and visit.overflow() == 0


def test_what_is_chosen_goes_into_the_settings_and_is_run(visit: Visit, six: str) -> None:
    page = visit.page
    visit.go(f"/p/{six}/explore")
    page.get_by_role("radiogroup", name="fnac").get_by_role("radio", name=re.compile("^2 digits")).click()
    page.locator(".outcome").get_by_text("Your own levels").wait_for()
    visit.click("Use this and run")
    page.get_by_role("region", name="Released", exact=True).get_by_role("cell", name="19**").first.wait_for(
        timeout=2 * PATIENCE
    )
    said = document(visit, six)
    assert said["method"]["levels"] == {"fnac": 2, "cod_postal": 2} and said["privacy"][0]["k"] == 2


def test_a_click_in_the_frontier_chooses(visit: Visit, six: str) -> None:
    page = visit.page
    visit.go(f"/p/{six}/explore")
    visit.click("Try all methods")
    point = page.get_by_role("button", name=re.compile("Mondrian, k = 3"))
    point.wait_for(timeout=2 * PATIENCE)
    point.click()
    panel = page.locator("section.panel", has=page.get_by_role("heading", name="All methods at a glance"))
    panel.get_by_role("heading", name="Mondrian, k = 3").wait_for()
    assert visit.violations() == []
    visit.click("Put it into the settings", within=panel)
    visit.sees("The settings now ask for k = 3 with Mondrian")
    said = document(visit, six)
    assert said["method"]["name"] == "mondrian" and said["privacy"][0]["k"] == 3


def test_candidates_in_words_filtered_and_side_by_side(visit: Visit) -> None:
    page = visit.page
    project = str(visit.service.six_people("others")["id"])
    visit.service.done(project, "candidates")
    visit.go(f"/p/{project}/explore")
    table = page.get_by_role("region", name="Candidates as a table")
    table.get_by_text("cod_postal → 3 digits").first.wait_for()
    every = table.get_by_role("row").count()
    page.get_by_role("group", name=re.compile("^Show only")).get_by_label("fnac").select_option(label="as it is")
    page.wait_for_function("(every) => document.querySelectorAll('table.candidates tr').length < every", arg=every)
    assert "fnac →" not in table.inner_text()
    visit.click("Show all again")
    for i in (0, 1):
        table.get_by_role("checkbox").nth(i).check()
    clips = page.get_by_role("region", name="Candidates side by side")
    clips.get_by_role("row", name=re.compile("^fnac")).wait_for()
    assert clips.get_by_role("columnheader").count() == 2 and clips.locator(".is-different").count() > 0
    assert visit.violations() == []
