"""The story of six people by clicking: from a file to a verified release and an emptied store."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import antifaz as az
from e2e.web.browsing import PATIENCE, Visit, visiting
from e2e.web.rest import SIX
from watching import files_below

#: The select of a column's type shows that it was read anew as text.
IS_TEXT = """name => [...document.querySelectorAll("select")].some(
    one => one.ariaLabel?.endsWith(name) && one.value === "text" && !one.disabled)"""
CANARIES = ("neumonía", "fractura brazo", "apendicitis")


def test_six_people_from_a_file_to_an_emptied_store(chromium: Any, tmp_path: Path) -> None:
    source = tmp_path / "six.csv"
    source.write_text(SIX, encoding="utf-8")
    served = tmp_path / "served"
    served.mkdir()
    with visiting(chromium, served, accept_downloads=True) as visit:
        choose_data(visit, source)
        assert not found_in(served, CANARIES), "uploaded data is on the disk in clear"
        choose_roles(visit)
        build_hierarchies(visit)
        ask_for_two(visit)
        choose_among_the_five(visit)
        look_at_both_tables(visit)
        judge(visit)
        file = take_it(visit, tmp_path)
        (verdict,) = az.verify(file, ["fnac", "cod_postal"], az.KAnonymity(2))
        assert verdict.holds and verdict.achieved == 2
        rows = file.read_text(encoding="utf-8").splitlines()
        assert len(rows) == 7 and all(row.startswith("19**,") for row in rows[1:])
        finish(visit)
        assert not found_in(served / "work", CANARIES)


def found_in(folder: Path, texts: tuple[str, ...]) -> list[str]:
    needles = [text.encode() for text in texts]
    return [str(path) for path, content in files_below(folder) if any(needle in content for needle in needles)]


def choose_data(visit: Visit, source: Path) -> None:
    visit.click("Start with my data")
    visit.heading("Choose the data")
    visit.page.locator("input[type=file]").first.set_input_files(source)
    visit.sees("Does this look right?")
    # Years and postcodes are labels here, masked digit by digit.
    visit.page.get_by_text("What the columns hold").click()
    for column in ("fnac", "cod_postal"):
        visit.page.get_by_label(f"Type of {column}").select_option("text")
        visit.page.wait_for_function(IS_TEXT, arg=column)
    visit.click("Yes, go on")


def choose_roles(visit: Visit) -> None:
    visit.page.get_by_role("table").wait_for()
    roles = {
        "fnac": "Quasi-identifier",
        "sexo": "Insensitive",
        "cod_postal": "Quasi-identifier",
        "dolencia": "Sensitive",
    }
    for column, role in roles.items():
        visit.role_of(column, role).check()
    visit.click("Next: Hierarchies")


def build_hierarchies(visit: Visit) -> None:
    """Take what is proposed, masking a digit at a time, and remove the levels above the second."""
    visit.heading()
    for column in ("fnac", "cod_postal"):
        panel = visit.page.get_by_role("region", name=column, exact=True)
        visit.click("Edit", within=panel)
        panel.get_by_role("table").wait_for()
        while panel.get_by_role("button", name=re.compile("^Remove level [3-9]")).count():
            panel.get_by_role("button", name=re.compile("^Remove level")).last.click()
        panel.get_by_text("It covers all values and is consistent.").wait_for()
        shown = panel.locator("thead th").count()
        assert shown == 3, f"{column}: {shown} columns"
        visit.click("Done", within=panel)
    visit.click("Next: Privacy")


def ask_for_two(visit: Visit) -> None:
    visit.heading()
    # The button comes with the proposal, which the service has to work out first.
    visit.page.locator(".proposal").get_by_role("button").first.click()
    visit.page.get_by_role("article", name="k-anonymity").wait_for()
    diverse = visit.page.get_by_role("article", name=re.compile("diversity"))
    while diverse.count():
        diverse.first.get_by_role("button", name=re.compile("^Remove")).click()
    anonymous = visit.page.get_by_role("article", name=re.compile("^k-anonymity"))
    anonymous.get_by_role("spinbutton").first.fill("2")
    visit.page.get_by_text("methods by their names").click()
    visit.page.get_by_role("radio", name=re.compile("^Full-domain")).check()
    visit.page.get_by_label("Measure to keep low", exact=True).select_option("height")
    visit.page.get_by_label("Records that may be left out (share)", exact=True).fill("0")
    visit.page.get_by_text("Saved").first.wait_for()
    visit.click("Next: Run")


def choose_among_the_five(visit: Visit) -> None:
    visit.click("List all that would do")
    visit.page.locator("[data-kind=candidates][data-state=done]").wait_for()
    visit.click("See what came out")
    visit.sees("5 combinations of 9 satisfy it.")
    nodes = visit.page.locator(".lattice [role=button]")
    assert nodes.count() == 9
    said = [node.locator("title").text_content() for node in nodes.all()]
    holding = sorted(text.split(":")[0] for text in said if "not satisfy" not in text)
    assert holding == ["[0, 2]", "[1, 2]", "[2, 0]", "[2, 1]", "[2, 2]"]
    best = sorted(text.split(":")[0] for text in said if "among the best" in text)
    assert best == ["[0, 2]", "[2, 0]"]
    listed = visit.page.locator("table.candidates tbody th button").all_text_contents()
    assert sorted(listed) == holding
    # By keyboard: from [0, 2] two to the right, which is [2, 0].
    visit.page.get_by_role("button", name=re.compile(r"^\[0, 2\]:")).focus()
    visit.page.keyboard.press("ArrowRight")
    visit.page.keyboard.press("ArrowRight")
    visit.page.locator(".node-details .vector", has_text="[2, 0]").wait_for()
    visit.click("Apply this one")
    visit.sees("[2, 0] was applied")


def look_at_both_tables(visit: Visit) -> None:
    visit.sees("The released rows are in random order")
    original = visit.page.get_by_role("region", name="Original", exact=True)
    released = visit.page.get_by_role("region", name="Released", exact=True)
    original.get_by_text("1986").first.wait_for()
    released.get_by_text("19**").first.wait_for()
    assert released.get_by_text("1986").count() == 0
    visit.click("Next: Judge")


def judge(visit: Visit) -> None:
    visit.sees("k-anonymity: asked k = 2, found 2. It holds.")
    visit.page.locator("figure.chart canvas").first.wait_for()
    visit.click("Next: Release")


def take_it(visit: Visit, folder: Path) -> Path:
    visit.page.get_by_label("Who gets it?").fill("the archive")
    with visit.page.expect_download(timeout=PATIENCE) as started:
        visit.click("CSV", role="link", exact=True)
    file = folder / "taken.csv"
    started.value.save_as(file)
    prints = visit.page.locator(".prints code").all_text_contents()
    from hashlib import sha256

    assert sha256(file.read_bytes()).hexdigest() in prints
    visit.click("Next: Finish")
    return file


def finish(visit: Visit) -> None:
    visit.sees("Will be erased")
    visit.page.get_by_label("Keep the released tables here").uncheck()
    visit.click("Erase and check")
    visit.click("Yes, erase")
    visit.page.locator(".notice.good", has_text="It is gone.").wait_for()
    assert visit.page.get_by_role("main").get_by_text("still there").count() == 0
    assert visit.page.locator("main").get_by_text("gone", exact=True).count() >= 2
    assert visit.service.get("/datasets") == []
