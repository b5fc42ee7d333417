"""What the page says must be so, and what people do with it must be at hand: one service and one browser for all."""

from __future__ import annotations

import hashlib
import os
import re
import signal
import zipfile
from collections.abc import Iterator
from time import monotonic
from typing import Any

import pytest

from e2e.web.browsing import PATIENCE, Visit, visiting
from e2e.web.rest import SIX, SIX_PROJECT


@pytest.fixture(scope="module")
def visit(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visit]:
    with visiting(chromium, tmp_path_factory.mktemp("companion"), accept_downloads=True) as found:
        yield found


@pytest.fixture(scope="module")
def six(visit: Visit) -> str:
    """The project of the six people, run once with k = 2."""
    project = str(visit.service.six_people("six people")["id"])
    visit.service.done(project)
    return project


def to(visit: Visit, step: str) -> None:
    visit.click(step, within=visit.page.get_by_role("navigation", name="Steps"))


def test_the_title_of_a_step_has_the_focus_and_help_is_no_dialog(visit: Visit, six: str) -> None:
    page = visit.page
    visit.go(f"/p/{six}/judge")
    to(visit, "Roles")
    visit.page.wait_for_function("() => document.activeElement?.matches('h1')")
    assert page.locator("h1:focus").inner_text().startswith("What does each column")
    mark = page.get_by_role("button", name="Help: Quasi-identifier").first
    mark.hover()
    page.get_by_role("note", name="Quasi-identifier").wait_for()
    page.mouse.move(5, 5)
    page.get_by_role("note").wait_for(state="detached")
    mark.click()
    page.mouse.move(5, 5)
    assert page.get_by_role("note", name="Quasi-identifier").is_visible() and page.get_by_role("dialog").count() == 0
    assert visit.violations() == []
    page.keyboard.press("Escape")
    page.get_by_role("note").wait_for(state="detached")


def test_a_result_that_is_out_of_date_says_so_and_is_not_handed_out(visit: Visit, six: str) -> None:
    page = visit.page
    visit.go(f"/p/{six}/privacy")
    page.get_by_role("article", name="k-anonymity").get_by_role("spinbutton").first.fill("3")
    visit.sees("Saved")
    to(visit, "Release")
    visit.sees("This is out of date")
    assert page.get_by_role("link", name="CSV", exact=True).count() == 0
    to(visit, "Run")
    page.locator(".work .state", has_text="out of date").wait_for()
    assert page.locator(".steps li.done").last.inner_text().startswith("Privacy")
    visit.click("Anonymize now")
    page.locator(".work .state", has_text="done").wait_for(timeout=2 * PATIENCE)


def test_the_fingerprints_are_those_of_the_files(visit: Visit, six: str) -> None:
    page = visit.page
    visit.service.done(six)
    visit.go(f"/p/{six}/release")
    page.get_by_label("Who gets it?").fill("the archive")
    prints = page.locator(".prints")
    for name in ("CSV", "XLSX"):
        with page.expect_download(timeout=PATIENCE) as started:
            visit.click(name, role="link", exact=True)
        digest = hashlib.sha256(started.value.path().read_bytes()).hexdigest()
        prints.locator("li", has_text=started.value.suggested_filename).get_by_text(digest[:12]).first.wait_for()


def test_what_was_verified_is_shown_while_attacks_are_being_tried(visit: Visit) -> None:
    """The worker is halted in its attacks, as one whose attacks take long; nothing may be taken away until they are."""
    page, service = visit.page, visit.service
    project = service.post("/projects/example")["id"]
    run = service.start(project)["id"]
    worker = halted(visit, run)
    try:
        visit.go(f"/p/{project}/run")
        visit.click("Look at it now", role="link")
        visit.heading("Judge the release")
        visit.sees("Attacks are still being tried")
        first = page.get_by_role("region", name="The first rows")
        first.get_by_role("row").nth(20).wait_for()
        columns = service.get(f"/runs/{run}/verified")["first_rows"]["columns"]
        assert first.get_by_role("columnheader").all_inner_texts() == columns
        assert page.get_by_role("heading", name="May this be handed over?").count() == 0
        assert visit.violations() == []
        to(visit, "Release")
        visit.sees("The files can be downloaded once the attacks have been tried")
        for path in ("result", "release", "release/evidence"):
            assert service.client.get(f"/runs/{run}/{path}").status_code == 404
        assert page.locator(".downloads").count() == 0
        to(visit, "Judge")
    finally:
        os.kill(worker, signal.SIGCONT)
    # They arrive by themselves, with the answer.
    page.get_by_role("heading", name="May this be handed over?").wait_for(timeout=2 * PATIENCE)
    page.locator(".criterion").first.wait_for()
    assert page.get_by_text("Attacks are still being tried").count() == 0
    assert service.get(f"/runs/{run}/result")["criteria"]["singling_out"]["measured"] is True
    assert service.client.get(f"/runs/{run}/verified").status_code == 404


def halted(visit: Visit, run: str) -> int:
    """Wait until a run has verified its rows, halt its process, and return that."""
    until = monotonic() + PATIENCE / 1000
    while monotonic() < until:
        told = visit.service.get(f"/runs/{run}")
        assert told["state"] in ("queued", "running"), told
        if told["verified"]:
            (worker,) = visit.service.workers()
            os.kill(worker, signal.SIGSTOP)
            return worker
    raise AssertionError(told)


def test_what_speaks_against_handing_over_is_remedied_by_a_click(visit: Visit) -> None:
    project = str(visit.service.six_people("remedied")["id"])
    visit.service.done(project)
    before = visit.service.get(f"/projects/{project}")["document"]
    visit.go(f"/p/{project}/judge")
    panel = visit.page.get_by_role("region", name="May this be handed over?")
    for words in ("Ask for k = 3", "Ask for different values in every class"):
        finding = panel.get_by_role("listitem").filter(has_text=words)
        visit.click("Put it into the settings", within=finding)
        finding.get_by_text("It is in the settings now").wait_for()
    visit.sees("This is out of date")
    assert visit.violations() == []
    said = visit.service.get(f"/projects/{project}")["document"]
    diversity = {"model": "l-diversity", "kind": "distinct", "l": 2, "attribute": "dolencia"}
    assert said["privacy"] == [{"model": "k-anonymity", "k": 3}, diversity]
    assert said["attributes"] == before["attributes"]


def test_how_a_file_was_read_is_said_in_the_language_shown(visit: Visit) -> None:
    data = visit.service.upload(SIX, "six.csv", types={"fnac": "text", "cod_postal": "text"})
    project = visit.service.project("in words", data["id"], SIX_PROJECT)["id"]
    visit.go(f"/p/{project}/data")
    visit.sees("delimiter ,")
    languages = visit.page.get_by_role("banner").get_by_role("combobox")
    languages.select_option("ca")
    visit.sees("separador ,")
    languages.select_option("en")
    visit.sees("delimiter ,")


def test_sixty_columns_get_their_roles_at_once(visit: Visit) -> None:
    page = visit.page
    long = "how satisfied is the person with the service of the town hall in general"
    names = [*(f"answer_{i}" for i in range(58)), long, "age"]
    rows = "".join(",".join(str((n * 7 + i) % 5 + 20) for i in range(60)) + "\n" for n in range(40))
    data = visit.service.upload(",".join(names) + "\n" + rows, "wide.csv")
    project = visit.service.project("wide", data["id"], {"antifaz": 1})["id"]
    visit.go(f"/p/{project}/roles")
    page.get_by_label("Find a column").fill("answer_1")
    page.get_by_label("Select all columns shown").check()
    visit.sees("11 columns are selected")
    visit.click("Sensitive", within=page.get_by_role("group", name="A role for all selected columns"))
    visit.sees("Saved")
    roles = visit.service.get(f"/projects/{project}")["document"]["attributes"]
    assert {name for name in names if roles[name]["role"] == "sensitive"} >= {
        "answer_1",
        *(f"answer_1{i}" for i in range(10)),
    }
    page.get_by_label("Find a column").fill("satisfied")
    name = page.locator(f"[title='{long}']")
    assert name.evaluate("one => one.scrollWidth > one.clientWidth")
    assert visit.violations() == []
    page.set_viewport_size({"width": 390, "height": 844})
    try:
        assert visit.overflow() <= 0
    finally:
        page.set_viewport_size({"width": 1280, "height": 800})


def test_two_runs_are_compared_in_words(visit: Visit) -> None:
    page = visit.page
    project = visit.service.six_people("two runs")["id"]
    visit.service.done(project)
    document = SIX_PROJECT | {"privacy": [{"model": "k-anonymity", "k": 3}]}
    visit.service.client.put(f"/projects/{project}", json={"document": document}).raise_for_status()
    visit.service.done(project)
    visit.go(f"/p/{project}/judge")
    compared = page.get_by_role("region", name="Compare two runs")
    compared.get_by_text("The first asks for k = 2, the second for k = 3.").wait_for()
    compared.get_by_text("Both use Full-domain generalization.").wait_for()
    compared.get_by_text("The second loses more detail").wait_for()
    compared.get_by_text("In the second a person is harder to find").wait_for()
    to(visit, "Run")
    page.locator(".work", has_text="k = 3 · Full-domain generalization").wait_for()


def test_the_ledger_says_who_has_what_and_forgets_with_a_reason(visit: Visit) -> None:
    page = visit.page
    project = visit.service.six_people("a trial")["id"]
    run = visit.service.done(project)
    visit.service.post(f"/runs/{run['id']}/release/data", {"format": "csv", "to": "the ministry", "despite": "a trial"})
    visit.go("/")
    visit.click("Ledger", role="link", within=page.get_by_role("banner"))
    line = page.get_by_role("row").filter(has_text="a trial").filter(has_text="the ministry")
    line.get_by_text("handed out", exact=True).wait_for()
    assert visit.violations() == []
    visit.click("Forget release", within=line)
    page.get_by_label("Why may it be forgotten?").fill("It never left the house.")
    visit.click("Forget", within=page.get_by_role("dialog"), exact=True)
    line.get_by_text("It never left the house.").wait_for()
    line.get_by_text("forgotten", exact=True).wait_for()


def test_the_record_of_processing_is_asked_for_and_comes_out_as_documents(visit: Visit) -> None:
    page = visit.page
    project = visit.service.six_people("with a record")["id"]
    run = visit.service.done(project)
    visit.go(f"/p/{project}/release")
    visit.sees("7 still to be filled in")
    page.get_by_label("Controller", exact=True).fill("The town hall")
    page.get_by_label("Purposes", exact=True).fill("Statistics")
    visit.sees("5 still to be filled in")
    record = page.get_by_role("region", name="Before it leaves: the record of processing")
    with page.expect_download(timeout=PATIENCE) as started:
        visit.click("DOCX", role="link", within=record)
    with zipfile.ZipFile(started.value.path()) as archive:
        assert "The town hall" in archive.read("word/document.xml").decode()
    visit.sees("Saved")
    kept = visit.service.get(f"/runs/{run['id']}/release/record")
    assert (
        kept["article_30"]["a_controller"]["name"] == "The town hall"
        and kept["article_30"]["b_purposes"] == "Statistics"
    )
    # The release is what was asked for: who answers for it changes nothing in it.
    assert page.get_by_text("This is out of date").count() == 0
    assert visit.violations() == []


def test_a_hierarchy_is_built_by_a_rule_that_shows_what_it_makes_of_the_values(visit: Visit) -> None:
    page = visit.page
    data = visit.service.upload(
        "age,sex,n\n" + "".join(f"{20 + n % 40},{'fm'[n % 2]},{n}\n" for n in range(80)), "ages.csv"
    )
    roles = {name: {"role": "quasi-identifier", "hierarchy": {"flat": True}} for name in ("age", "sex")}
    project = visit.service.project("by a rule", data["id"], {"antifaz": 1, "attributes": roles})["id"]
    visit.go(f"/p/{project}/roles")
    visit.click("What each column costs the others")
    costs = page.get_by_role("region", name="What each column costs the others")
    # Forty ages of two people each: none is left as it is, and without them the sexes lose nothing.
    costs.get_by_role("row", name=re.compile(r"^age .* 0%")).wait_for()
    costs.get_by_role("row", name=re.compile("^sex ")).wait_for()
    assert visit.violations() == []
    visit.go(f"/p/{project}/hierarchies")
    column = page.get_by_role("region", name="age", exact=True)
    visit.click("Edit", within=column)
    visit.click("By a rule", role="radio", within=column)
    column.get_by_label("Rule", exact=True).select_option("intervals")
    column.get_by_label("Widths of the intervals").fill("7; 14")
    column.get_by_text("[56, 63)").first.wait_for()
    column.get_by_label("Intervals begin at").fill("20")
    column.get_by_text("[55, 62)").first.wait_for()
    assert visit.violations() == []
    visit.click("Use this rule", within=column)
    visit.sees("Saved")
    assert visit.service.get(f"/projects/{project}")["document"]["attributes"]["age"]["hierarchy"] == {
        "intervals": [7, 14],
        "origin": 20,
    }
    column.get_by_label("Rule", exact=True).select_option("groups")
    visit.click("Add a group", within=column)
    column.get_by_label("Group 1", exact=True).fill("twenty")
    column.get_by_label("Values of group 1").fill("20; 21")
    column.get_by_label("All other values become").fill("older")
    column.get_by_text("older").first.wait_for()


def test_nothing_is_left_behind_and_several_projects_are_deleted_and_everything_is_erased(visit: Visit) -> None:
    """The last one: nothing is there after it."""
    page = visit.page
    for name in ("one", "two", "three"):
        visit.service.project(name, None, SIX_PROJECT)
    for _ in range(2):  # somebody begins, and goes away
        visit.go("/")
        visit.click("Start with my data")
        visit.heading("Choose the data")
    visit.go("/")
    page.locator(".project-card").first.wait_for()
    assert page.get_by_role("link", name="New project").count() == 0
    assert sum(one["untouched"] for one in visit.service.get("/projects")) == 1
    for name in ("one", "two"):
        page.get_by_label(f"Select {name}", exact=True).check()
    assert visit.violations() == []
    visit.click("Delete selected (2)")
    visit.click("Delete", within=page.get_by_role("dialog"), exact=True)
    page.get_by_role("link", name="one", exact=True).wait_for(state="detached")
    assert {"one", "two"}.isdisjoint(one["name"] for one in visit.service.get("/projects"))
    visit.click("Erase everything")
    visit.click("Yes, erase", within=page.get_by_role("dialog"))
    visit.sees("What was erased")
    assert visit.service.get("/projects") == visit.service.get("/runs") == visit.service.get("/datasets") == []
