"""Files that don't open at once, by clicking: their lines, the repairs, a preview, sheets, columns of fixed width."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import openpyxl

from e2e.web.browsing import Visit, visiting

ODD = "Informe de mayo\n\nname;age;pay\nAna;31;1.200,50\nEva;?\nLeo;40;3,5\n\nTotal;71;1204\n"


def test_a_file_is_mended_a_sheet_chosen_and_widths_told(chromium: Any, tmp_path: Path) -> None:
    (tmp_path / "odd.csv").write_text(ODD, encoding="utf-8")
    (tmp_path / "fixed.dat").write_text("Ana  31\nLeo  40\n", encoding="utf-8")
    workbook(tmp_path / "people.xlsx")
    (tmp_path / "served").mkdir()
    with visiting(chromium, tmp_path / "served") as visit:
        mend(visit, tmp_path / "odd.csv")
        choose_a_sheet(visit, tmp_path / "people.xlsx")
        tell_widths(visit, tmp_path / "fixed.dat")
        assert [one["name"] for one in visit.service.get("/datasets")] == ["fixed.dat", "people.xlsx", "odd.csv"]


def workbook(path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.title = "people"
    for row in (["name", "age"], ["Ana", 31], ["Leo", 40]):
        book.active.append(row)
    book.create_sheet("more").append(["town"])
    book["more"].append(["Olot"])
    book.save(path)


def begin(visit: Visit, path: Path) -> Any:
    visit.go("/")
    visit.click("Start with my data")
    visit.heading("Choose the data")
    visit.page.locator("input[type=file]").first.set_input_files(path)
    return visit.page.get_by_role("region", name="A file from this computer")


def opened(visit: Visit) -> dict[str, Any]:
    visit.click("Open it like this")
    visit.page.get_by_role("button", name="Yes, go on").wait_for()
    return dict(visit.service.get("/datasets")[0])


def mend(visit: Visit, path: Path) -> None:
    look = begin(visit, path)
    visit.page.get_by_role("heading", name="odd.csv can't be read as it is").wait_for()
    visit.sees(re.compile(r"^Line 3 has \d fields where the first one has \d\."))  # and no option of a command
    picture = look.get_by_role("region", name="The first lines of the file")
    assert picture.locator("tr.wrong").inner_text().split() == ["3", "(here)", "name", "age", "pay"]
    assert picture.locator("td.wrong").all_inner_texts() == ["age"]
    assert look.get_by_role("region", name="What it would be read as").count() == 0
    assert visit.page.get_by_role("button", name="Open it like this").is_disabled()
    assert visit.service.get("/datasets") == []
    # One repair is not enough, and what is wrong then is marked.
    look.get_by_label("2 lines above the header are left out.").check()
    picture.locator("tr.wrong", has_text="Eva").wait_for()
    visit.click("Choose all of them", within=look)
    preview = look.get_by_role("region", name="What it would be read as")
    preview.wait_for()
    assert preview.locator("tbody tr").count() == 4
    look.get_by_label("The last line, 8, which sums up the others, is left out.").check()
    preview.get_by_text("Total").wait_for(state="detached")
    look.get_by_label("Decimal sign").select_option("decimal(comma)")
    preview.get_by_text("1200.50").wait_for()
    look.get_by_label("“?” means missing in age").check()
    preview.locator("td .missing").nth(1).wait_for()
    assert visit.violations() == []
    made = opened(visit)
    assert (made["rows"], made["columns"][1]["missing"]) == (3, 1)
    assert set(made["options"]["repair"]) == {"title-lines", "blank-lines", "short-rows", "totals-line"}
    (project,) = visit.service.get("/projects")
    source = visit.service.get(f"/projects/{project['id']}")["document"]["source"]
    assert (set(source["repair"]), source["missing"]) == (set(made["options"]["repair"]), {"age": ["?"]})


def choose_a_sheet(visit: Visit, path: Path) -> None:
    look = begin(visit, path)
    look.get_by_role("radio", name="more 2 rows × 1 columns").check()
    look.get_by_role("region", name="What it would be read as").get_by_text("Olot").wait_for()
    made = opened(visit)
    assert (made["options"]["sheet"], [column["name"] for column in made["columns"]]) == ("more", ["town"])


def tell_widths(visit: Visit, path: Path) -> None:
    visit.go("/")
    visit.click("Start with my data")
    visit.page.get_by_label("Show me the file before it is opened").check()
    visit.page.locator("input[type=file]").first.set_input_files(path)
    look = visit.page.get_by_role("region", name="A file from this computer")
    visit.click("Choose another file", within=look)
    visit.sees("Drop a file here")
    visit.page.locator("input[type=file]").first.set_input_files(path)
    look.get_by_text("Separator, encoding, header, missing values").click()
    look.get_by_label("Separator of columns").select_option("fixed")
    visit.click("Try it", within=look)
    look.get_by_text("····5···10").wait_for()
    look.get_by_label("Columns and their widths").fill("name 5\nage 2")
    look.get_by_label("Names of the columns").select_option("false")
    visit.click("Try it", within=look)
    preview = look.get_by_role("region", name="What it would be read as")
    preview.get_by_text("40").wait_for()
    assert preview.locator("tbody tr").count() == 2
    made = opened(visit)
    assert (made["rows"], made["options"]["widths"]) == (2, {"name": 5, "age": 2})
