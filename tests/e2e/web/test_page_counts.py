"""Tables of counts and sums on the page: asked for by clicking, looked at with what is hidden, and handed out."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import Any

import antifaz as az
from e2e.web.browsing import PATIENCE, Visit, visiting

FIRMS = (
    ("north", "food", (120, 95, 110)), ("north", "steel", (900, 40, 30)), ("south", "food", (80, 130, 90)),
    ("south", "steel", (300, 310, 290)), ("west", "food", (70, 75, 60)), ("west", "steel", (210, 190, 240)),
)  # fmt: skip
ROWS = [(region, sector, turnover) for region, sector, own in FIRMS for turnover in own]
TEXT = "firm,region,sector,turnover,employees\n" + "".join(
    f"f{i:02},{region},{sector},{turnover},{5 + 7 * i}\n" for i, (region, sector, turnover) in enumerate(ROWS)
)
RULES = [az.Threshold(3), az.Dominance(n=1, k=75)]


def test_a_table_is_made_looked_at_and_handed_out(chromium: Any, tmp_path: Path) -> None:
    with visiting(chromium, tmp_path) as visit:
        data = visit.service.upload(TEXT, "firms.csv")["id"]
        made = visit.service.project("firms", data, {"antifaz": 1})["id"]
        ask_for_sums(visit, made)
        look_at_cells(visit)
        hand_it_out(visit, tmp_path)
        come_back(visit, made)
        speak(visit)


def test_other_protections_are_chosen(chromium: Any, tmp_path: Path) -> None:
    with visiting(chromium, tmp_path) as visit:
        data = visit.service.upload(TEXT, "firms.csv")["id"]
        made = visit.service.project("firms", data, {"antifaz": 1})["id"]
        visit.go(f"/p/{made}/counts")
        round_with_subtotals(visit)
        add_noise_by_key(visit)
        add_private_noise(visit)


def cells(visit: Visit) -> list[list[str]]:
    rows = visit.page.get_by_role("region", name="The protected table").locator("tbody tr").all()
    return [row.locator("th, td").all_inner_texts() for row in rows]


def make(visit: Visit, number: int) -> dict[str, Any]:
    """Make a table, wait until the page shows it, and return its evidence."""
    visit.click("Make the table")
    page, service = visit.page, visit.service
    page.locator("h2#counts-made:focus").wait_for()  # the button had the focus until then
    made = [run for run in service.get("/runs") if run["kind"] == "tabulate"]
    assert [run["state"] for run in made] == ["done"] * number
    return dict(service.get(f"/runs/{made[0]['id']}/result"))


def ask_for_sums(visit: Visit, project: str) -> None:
    page = visit.page
    visit.go(f"/p/{project}/data")
    visit.click("Make a table of counts", "link")
    visit.heading("A table of counts or sums")
    visit.sees("Add a column to count by.")
    assert page.get_by_role("button", name="Make the table").is_disabled()
    by = page.get_by_label("Count by", exact=True)
    by.select_option("region")
    by.select_option("sector")
    page.get_by_label("What a cell says").select_option("turnover")
    page.get_by_label("Who is who").select_option("firm")
    page.get_by_label("Smallest number of contributors", exact=True).fill("3")
    page.get_by_role("checkbox", name="A few dominate").check()
    assert page.get_by_label("Largest share in percent (k)", exact=True).input_value() == "75"
    assert visit.violations() == []
    assert make(visit, 1)["table"]["suppressed"] == 4


def look_at_cells(visit: Visit) -> None:
    # As docs/guides/tabulate.md has it: 900 of the 970 of the north's steel are of one firm.
    found = {row[0]: row[1:] for row in cells(visit)}
    assert found["Total"] == ["3,340", "830", "2,510"]
    assert found["west"] == ["845", "205", "640"]
    for region, (total, food, steel) in {
        "north": ("1,295", "0 to 625", "670 to 1,295"),
        "south": ("1,200", "0 to 625", "575 to 1,200"),
    }.items():
        assert found[region][0] == total
        assert [text.split() for text in found[region][1:]] == [["hidden", *food.split()], ["hidden", *steel.split()]]
    visit.sees(re.compile("^The file was read back and attacked: for 4 cells"))
    assert visit.page.locator(".tile").all_inner_texts()[3].split("\n")[:2] == ["Narrowest interval", "625"]


def hand_it_out(visit: Visit, folder: Path) -> None:
    page = visit.page
    visit.click("CSV", "link", exact=True)
    assert page.evaluate("document.activeElement.closest('#hand-out') !== null")  # nobody was named yet
    assert visit.service.get("/ledger")["releases"] == []
    page.get_by_label("Who gets it?").fill("the press")
    with page.expect_download() as taken:
        visit.click("CSV", "link", exact=True)
    table = az.tabulate(
        az.open(_written(folder)), ["region", "sector"], measure="turnover", person="firm", rules=RULES
    ).save(folder / "library")
    assert Path(taken.value.path()).read_bytes() == (table / "release.csv").read_bytes()
    (entry,) = visit.service.get("/ledger")["releases"]
    assert (entry["recipients"][0]["recipient"], entry["k"], entry["records"]) == ("the press", None, 12)
    with page.expect_download() as taken:
        visit.click("Report (HTML)", "link")
    assert "the press" not in taken.value.path().name
    assert "Table of counts or sums" in Path(taken.value.path()).read_text(encoding="utf-8")


def _written(folder: Path) -> Path:
    (folder / "firms.csv").write_text(TEXT, encoding="utf-8")
    return folder / "firms.csv"


def come_back(visit: Visit, project: str) -> None:
    """A reload shows the same table, and the form as it was asked; the step Run lists no tables."""
    visit.page.reload()
    visit.page.get_by_role("region", name="The protected table").first.wait_for()
    visit.page.get_by_role("article", name="region").wait_for()
    assert visit.page.get_by_label("What a cell says").input_value() == "turnover"
    visit.go(f"/p/{project}/run")
    visit.sees("Nothing has been run yet")
    visit.go(f"/p/{project}/counts")
    visit.page.locator("table.cells").wait_for()


def speak(visit: Visit) -> None:
    page = visit.page
    page.set_viewport_size({"width": 390, "height": 844})
    for language, word in {"es": "La tabla protegida", "ca": "La taula protegida", "en": "The protected table"}.items():
        page.get_by_role("banner").get_by_role("combobox").select_option(language)
        page.get_by_role("heading", name=word).wait_for()
        assert (visit.violations(), visit.overflow()) == ([], 0)
    page.set_viewport_size({"width": 1280, "height": 800})


def round_with_subtotals(visit: Visit) -> None:
    page = visit.page
    by = page.get_by_label("Count by", exact=True)
    by.select_option("region")
    by.select_option("employees")
    employees = page.get_by_role("article", name="employees")
    employees.get_by_role("button", name="Add subtotals").click()
    employees.get_by_role("region", name="Levels of employees").wait_for()
    page.get_by_role("radio", name=re.compile("^Round")).check()
    page.get_by_label("Base", exact=True).fill("3")
    page.get_by_role("checkbox", name="Few contributors").uncheck()
    evidence = make(visit, 1)
    assert (evidence["protection"]["name"], evidence["protection"]["base"]) == ("rounding", 3)
    labels = next(one["labels"] for one in evidence["table"]["dimensions"] if one["column"] == "employees")
    assert labels > 1 + len(ROWS)  # the values, the total, and subtotals
    rows = [[int(count) for count in row[1:]] for row in cells(visit)]
    assert rows[0] == [18, 6, 6, 6]  # the regions stand side by side, because they are fewer
    assert all(count % 3 == 0 for row in rows for count in row)
    page.get_by_role("button", name="Remove employees").click()
    employees.wait_for(state="detached")
    by.select_option("sector")


def add_noise_by_key(visit: Visit) -> None:
    page = visit.page
    page.get_by_role("radio", name=re.compile("^Cell-key noise")).check()
    visit.sees("This protection needs to know who is who")
    page.get_by_label("Who is who").select_option("firm")
    with page.expect_download() as taken:
        visit.click("Make a key and save it")
    assert taken.value.suggested_filename == "antifaz.key"
    visit.sees("This key is here")
    assert visit.violations() == []
    evidence = make(visit, 2)
    assert evidence["protection"]["name"] == "cell-key" and "key" not in evidence["protection"]
    numbers = {tuple(row[:1]): row[1:] for row in cells(visit)}
    assert set(numbers) == {("Total",), ("north",), ("south",), ("west",)}


def add_private_noise(visit: Visit) -> None:
    page = visit.page
    page.get_by_role("radio", name=re.compile("^Laplace noise")).check()
    page.get_by_role("heading", name="Which cells are sensitive").wait_for(state="detached")
    page.get_by_label("ε", exact=True).fill("4")
    evidence = make(visit, 3)
    assert evidence["protection"]["epsilon"] == 4 and evidence["rules"] == []
    visit.sees("What is promised is not an interval")
    page.get_by_label("Who gets it?").fill("the press")
    with page.expect_download(timeout=PATIENCE) as taken:
        visit.click("CSV", "link", exact=True)
    with Path(taken.value.path()).open(encoding="utf-8", newline="") as file:
        assert {row["status"] for row in csv.DictReader(file)} <= {"shown"}
    (entry,) = visit.service.get("/ledger")["releases"]
    assert entry["recipients"][0]["recipient"] == "the press"
