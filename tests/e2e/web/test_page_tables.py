"""A project of two tables by clicking: made, run, judged and taken away; what is released is counted again here."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from hashlib import sha256
from pathlib import Path
from typing import Any

import yaml

from e2e.web.browsing import PATIENCE, Visit, visiting
from e2e.web.test_tables import ACCOUNTS, CLIENTS, joined, smallest


def test_two_tables_are_made_run_judged_and_taken_away(chromium: Any, tmp_path: Path, antifaz: Any) -> None:
    (tmp_path / "clients.csv").write_text(CLIENTS, encoding="utf-8")
    (tmp_path / "accounts.csv").write_text(ACCOUNTS, encoding="utf-8")
    (tmp_path / "served").mkdir()
    with visiting(chromium, tmp_path / "served", accept_downloads=True) as visit:
        add_both(visit, tmp_path)
        say_what_is_the_same(visit)
        assert visit.violations() == []
        choose_roles(visit)
        take_hierarchies(visit)
        ask_for_k(visit, {"clients": 5, "accounts": 6})
        visit.click("Anonymize now")
        visit.page.locator("[data-kind=run][data-state=done]").wait_for(timeout=3 * PATIENCE)
        visit.click("See what came out")
        look_at_each(visit)
        judge_each(visit)
        found = take(visit, tmp_path)
        check_rows(found)
        same_by_command(visit, tmp_path, found, antifaz)
        change_and_see_that_it_is_out_of_date(visit)


def add_both(visit: Visit, folder: Path) -> None:
    visit.click("Start with my data")
    visit.heading("Choose the data")
    visit.page.locator("input[type=file]").first.set_input_files(folder / "clients.csv")
    visit.click("Add a table")
    visit.page.locator("input[type=file]").last.set_input_files(folder / "accounts.csv")
    visit.page.get_by_role("navigation", name="Tables of this project").get_by_role(
        "button", name="accounts"
    ).wait_for()
    visit.page.get_by_role("region", name="Preview").get_by_text("branch").first.wait_for()


def say_what_is_the_same(visit: Visit) -> None:
    new = visit.page.get_by_role("form", name="Choose the columns that are the same")
    for clients, accounts, name in (("number", "holder", "client"), ("town", "branch", "place")):
        new.get_by_label("Column of clients").select_option(clients)
        new.get_by_label("Column of accounts").select_option(accounts)
        new.get_by_label("Called").fill(name)
        visit.click("They are the same", within=new)
        visit.page.get_by_role("article", name=name, exact=True).wait_for()
    client = visit.page.get_by_role("article", name="client", exact=True)
    client.get_by_label("What becomes of its values").select_option("substitute")
    visit.page.get_by_text("Saved").first.wait_for()
    visit.click("Roles", within=visit.page.get_by_role("navigation", name="Steps"))


def choose_roles(visit: Visit) -> None:
    for table, own in (
        (
            "clients",
            {"number": "Identifier", "name": "Identifier", "town": "Quasi-identifier", "age": "Quasi-identifier"},
        ),
        ("accounts", {"balance": "Insensitive"}),
    ):
        for column, role in own.items():
            visit.role_of(column, role).check()
        if table == "clients":
            visit.click("Next table: accounts")
            # What is the same in both tables has the same role.
            visit.role_of("holder", "Identifier").wait_for()
            assert visit.role_of("holder", "Identifier").is_checked()
            assert visit.role_of("branch", "Quasi-identifier").is_checked()
    visit.click("Next: Hierarchies")


def take_hierarchies(visit: Visit) -> None:
    for column, onward in (("town", "Next table: accounts"), ("branch", "Next: Privacy")):
        panel = visit.page.get_by_role("region", name=column, exact=True)
        panel.wait_for()
        if column == "town":
            visit.click("Take all", within=visit.page.locator(".proposal"))
        # The hierarchy of one is that of the other.
        panel.locator(".badge.good").wait_for()
        visit.page.get_by_text("Saved").first.wait_for()
        visit.click(onward)


def ask_for_k(visit: Visit, wanted: dict[str, int]) -> None:
    for table, k in wanted.items():
        visit.page.locator(".tab.is-on", has_text=table).wait_for()
        visit.page.locator(".proposal").get_by_role("button").first.click()
        model = visit.page.get_by_role("article", name="k-anonymity")
        model.get_by_role("spinbutton").first.fill(str(k))
        visit.page.get_by_label("Records that may be left out (share)", exact=True).fill("0")
        visit.page.get_by_text("Saved").first.wait_for()
        visit.click("Next table: accounts" if table == "clients" else "Next: Run")


def look_at_each(visit: Visit) -> None:
    released = visit.page.get_by_role("region", name="Released", exact=True)
    released.get_by_text("town").first.wait_for()
    visit.click("Next table: accounts")
    released.get_by_text("branch").first.wait_for()
    visit.click("Next: Judge")


def judge_each(visit: Visit) -> None:
    together = visit.page.get_by_role("region", name="All tables").first
    together.wait_for()
    assert together.get_by_text("holds", exact=True).count() == 2
    visit.sees("each became one of its own")
    visit.sees(re.compile(r"k-anonymity: asked k = 5, found \d+\. It holds\."))
    assert visit.violations() == []
    visit.click("Next table: accounts")
    visit.sees(re.compile(r"k-anonymity: asked k = 6, found \d+\. It holds\."))
    visit.click("Try the attacks")
    visit.page.locator("figure.chart canvas").first.wait_for()
    visit.click("Next: Release")


def take(visit: Visit, folder: Path) -> dict[str, list[dict[str, str]]]:
    """Download each table and all in one file; they are the same rows, and have the fingerprints that are shown."""
    found = {}
    visit.page.get_by_label("Who gets it?").fill("the archive")
    for table in ("clients", "accounts"):
        panel = visit.page.get_by_role("region", name=f"The released table {table}")
        with visit.page.expect_download(timeout=PATIENCE) as started:
            visit.click("CSV", role="link", within=panel, exact=True)
        content = saved(started.value, folder / f"{table}.out")
        found[table] = list(csv.DictReader(content.decode().splitlines()))
        assert printed(visit, content)
    with visit.page.expect_download(timeout=PATIENCE) as started:
        visit.click("ZIP (XLSX)", role="link")
    assert printed(visit, saved(started.value, folder / "all-xlsx.zip"))
    with visit.page.expect_download(timeout=PATIENCE) as started:
        visit.click("ZIP (CSV)", role="link")
    content = saved(started.value, folder / "all.zip")
    assert printed(visit, content)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        inside = {name: archive.read(name) for name in archive.namelist()}
    assert not [name for name in inside if "record" in name]
    for table, rows in found.items():
        assert list(csv.DictReader(inside[f"{table}/release.csv"].decode().splitlines())) == rows
        assert f"{table}/report.html" in inside and f'href="{table}/report.html"' in inside["report.html"].decode()
    return found


def saved(download: Any, path: Path) -> bytes:
    download.save_as(path)
    return path.read_bytes()


def printed(visit: Visit, content: bytes) -> bool:
    visit.page.locator(".prints code", has_text=sha256(content).hexdigest()).wait_for()
    return True


def check_rows(found: dict[str, list[dict[str, str]]]) -> None:
    clients, accounts = found["clients"], found["accounts"]
    assert (len(clients), len(accounts)) == (10, 16)
    assert smallest(clients, ("town", "age")) >= 5
    assert smallest(accounts, ("branch",)) >= 6
    assert not {row["number"] for row in clients} & {f"c{40210 + i}" for i in range(10)}
    before = (list(csv.DictReader(text.splitlines())) for text in (CLIENTS, ACCOUNTS))
    assert joined(clients, accounts, "number", "holder") == joined(*before, "number", "holder")


def same_by_command(visit: Visit, folder: Path, found: dict[str, list[dict[str, str]]], antifaz: Any) -> None:
    """The saved project, given a seed, is run by the command line: the same levels, and the same classes."""
    (made,) = visit.service.get("/projects")
    text = visit.service.client.get(f"/projects/{made['id']}/file").text
    document = yaml.safe_load(text)
    assert document["repeated"][1]["columns"] == {"clients": "town", "accounts": "branch"}
    (folder / "bank.yaml").write_text(text, encoding="utf-8")
    done = antifaz("run", folder / "bank.yaml", "--out", folder / "out")
    assert done.code == 0, done.err
    for table, columns in (("clients", ("town", "age")), ("accounts", ("branch", "balance"))):
        with (folder / "out" / table / "release.csv").open(encoding="utf-8") as file:
            own = sorted(tuple(row[name] for name in columns) for row in csv.DictReader(file))
        assert own == sorted(tuple(row[name] for name in columns) for row in found[table])


def change_and_see_that_it_is_out_of_date(visit: Visit) -> None:
    steps = visit.page.get_by_role("navigation", name="Steps")
    visit.click("Privacy", within=steps)
    visit.page.get_by_role("article", name="k-anonymity").get_by_role("spinbutton").first.fill("4")
    visit.page.get_by_text("Saved").first.wait_for()
    visit.click("Release", within=steps)
    visit.sees("This is out of date")
    assert visit.page.get_by_role("link", name="CSV", exact=True).count() == 0
    visit.click("Judge", within=steps)
    visit.sees("This is out of date")
    visit.click("Run it again")
    visit.heading("Run the anonymization")
    visit.click("Anonymize now")
    visit.page.locator("[data-kind=run][data-state=done]").nth(1).wait_for(timeout=3 * PATIENCE)
    visit.click("Release", within=steps)
    visit.page.get_by_role("link", name="CSV", exact=True).first.wait_for()
    assert visit.page.get_by_text("This is out of date").count() == 0
