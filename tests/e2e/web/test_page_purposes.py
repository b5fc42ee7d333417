"""Who gets it and what for, by clicking: k by the recipient, three measured cards, costs of columns, a late list."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from e2e.web.browsing import PATIENCE, Visit, visiting

ATTRIBUTES = {
    "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [5, 10, 20]}},
    "pay": {"role": "quasi-identifier", "hierarchy": {"intervals": [10, 20]}},
    "ill": {"role": "sensitive"},
}
TEXT = "age,pay,ill\n" + "".join(f"{20 + i % 30},{i % 40},{'abc'[i % 3]}\n" for i in range(240))


def test_a_recipient_and_a_purpose_are_chosen(chromium: Any, tmp_path: Path) -> None:
    with visiting(chromium, tmp_path) as visit:
        data = visit.service.upload(TEXT, "people.csv")["id"]
        made = visit.service.project("purposes", data, {"antifaz": 1, "attributes": ATTRIBUTES})["id"]
        look_at_costs(visit, made)
        go_past_what_is_not_chosen(visit, made)
        choose_who_gets_it(visit, made)
        measure(visit, made)
        start_while_the_list_is_late(visit, made)


def document(visit: Visit, project: str) -> dict[str, Any]:
    return dict(visit.service.get(f"/projects/{project}")["document"])


def look_at_costs(visit: Visit, project: str) -> None:
    visit.go(f"/p/{project}/roles")
    visit.click("What each column costs the others")
    table = visit.page.get_by_role("region", name="What each column costs the others")
    table.wait_for()
    assert {row.split("\t")[0] for row in table.locator("tbody tr").all_inner_texts()} == {"age", "pay"}
    # Other columns are other costs: what was shown goes.
    visit.role_of("ill", "Quasi-identifier").check()
    table.wait_for(state="detached")
    visit.role_of("ill", "Sensitive").check()


def go_past_what_is_not_chosen(visit: Visit, project: str) -> None:
    visit.go(f"/p/{project}/privacy")
    steps = visit.page.get_by_role("navigation", name="Steps")
    visit.click("Run", within=steps)
    visit.sees("One thing is still missing")
    steps.get_by_role("button", name="Hierarchies (done)").wait_for()
    assert steps.get_by_role("button", name="Privacy (done)").count() == 0


def choose_who_gets_it(visit: Visit, project: str) -> None:
    page = visit.page
    visit.go(f"/p/{project}/privacy")
    page.get_by_role("heading", name=re.compile("^We propose k = 5")).wait_for()
    page.get_by_role("radio", name=re.compile("^Anybody")).check()
    page.get_by_role("heading", name=re.compile("^We propose k = 11")).wait_for()
    visit.click("Take it")
    page.get_by_role("heading", name="Privacy and method are chosen").wait_for()
    page.get_by_role("radio", name=re.compile("^A known partner")).check()
    k = page.get_by_role("article", name="k-anonymity").get_by_label("k", exact=True)
    page.wait_for_function("field => field.value === '3'", arg=k.element_handle())
    # A k of one's own stays, and what is usual is said.
    k.fill("4")
    k.press("Tab")
    page.get_by_role("radio", name=re.compile("^Anybody")).check()
    visit.sees("k = 4 is less than is usual for these recipients: 11.")
    visit.click("Take k = 11")
    page.wait_for_function("field => field.value === '11'", arg=k.element_handle())


def measure(visit: Visit, project: str) -> None:
    page = visit.page
    visit.click("Measure the three on my data")
    cards = page.locator(".purposes .card")
    page.locator(".measured").nth(2).wait_for(timeout=3 * PATIENCE)
    for place in range(3):
        said = cards.nth(place).inner_text()
        assert re.search(r"\d %? ?of the detail lost|% of the detail lost", said), said
        assert "records left out" in said
        assert cards.nth(place).get_by_role("group", name="One record as it would be released").count() == 1
    assert visit.violations() == []
    page.get_by_role("radio", name=re.compile("^Read tables")).check()
    page.get_by_text("These figures are of an earlier state").wait_for(state="detached")
    page.get_by_text("Saved").first.wait_for()
    said = document(visit, project)
    assert said["release"]["audience"] == "public"
    assert said["privacy"][0]["k"] == 11 and said["privacy"][1]["attribute"] == "ill"
    assert said["method"] == {"name": "auto", "purpose": "read"}
    # All methods are there by their names.
    page.get_by_text(re.compile(r"^More: \d+ methods by their names")).click()
    page.get_by_role("radio", name=re.compile("^Mondrian")).check()
    page.get_by_role("heading", name="Options of Mondrian").wait_for()
    page.get_by_role("radio", name=re.compile("^Train and analyse")).check()


def start_while_the_list_is_late(visit: Visit, project: str) -> None:
    """A run that is started while the page asks for the list is not in the answer, and stays on the page."""
    page, held = visit.page, []
    page.route("**/api/v1/runs", lambda route: held.append((route, route.fetch())))
    visit.go(f"/p/{project}/run")
    visit.click("Anonymize now")
    for _ in range(600):
        if [run for run in visit.service.get("/runs") if run["kind"] == "run"] and held:
            break
        page.wait_for_timeout(100)
    for route, answer in held:
        assert all(run["kind"] != "run" for run in answer.json())
        route.fulfill(response=answer)
    page.unroute("**/api/v1/runs")
    page.locator("article.work[data-kind=run]").wait_for()
    page.locator("article.work[data-kind=run][data-state=done]").wait_for(timeout=3 * PATIENCE)
