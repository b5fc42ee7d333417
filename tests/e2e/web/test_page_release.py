"""A release written into databases from the page: what happened is said, and the release stays to be seen and taken."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from e2e.web.browsing import PATIENCE, visiting
from e2e.web.rest import SIX_PROJECT
from e2e.web.test_mariadb import Database, opened
from e2e.web.test_mariadb import database as database

sqlalchemy = pytest.importorskip("sqlalchemy")


@pytest.fixture(scope="module")
def other(database: Database) -> Iterator[Database]:
    found = Database(database.engine)
    yield found
    found.drop()


def test_a_table_is_written_and_everything_else_stays(
    chromium: Any, tmp_path: Path, database: Database, other: Database
) -> None:
    with visiting(chromium, tmp_path, accept_downloads=True) as visit:
        page = visit.page
        made = visit.service.project("people", opened(visit.service, database)["id"], SIX_PROJECT)
        visit.service.done(made["id"])
        visit.go(f"/p/{made['id']}/release")
        name = page.get_by_label("Name of the table", exact=True)
        name.fill("people_released")
        visit.click("Write the table")
        # Nothing is written before it is said who gets it.
        recipient = page.get_by_label("Who gets it?")
        assert recipient.evaluate("own => own === document.activeElement")
        there = visit.service.post("/datasets/database/tables", {**database.where, "password": database.password})
        assert there["tables"] == ["people"]
        recipient.fill("the archive")
        visit.click("Write the table")
        page.get_by_text("The table people_released was written.").wait_for(timeout=3 * PATIENCE)
        assert name.input_value() == "people_released"
        assert visit.violations() == []
        # A name that is taken is no privacy that was not reached.
        visit.click("Write the table")
        failed = page.locator(".work[data-state=failed]")
        failed.wait_for(timeout=3 * PATIENCE)
        assert failed.locator(".state").inner_text() == "failed"
        into_the_other(visit, other)
        with page.expect_download(timeout=PATIENCE) as started:
            visit.click("CSV", role="link", exact=True)
        started.value.save_as(tmp_path / "taken.csv")
        with (tmp_path / "taken.csv").open(encoding="utf-8") as file:
            taken = sorted(tuple(row[key] for key in sorted(row)) for row in csv.DictReader(file))
        for target, table in ((database, "people_released"), (other, "copied")):
            assert sorted(tuple(row[key] for key in sorted(row)) for row in target.rows(table)) == taken
        visit.click("Explore", within=page.get_by_role("navigation", name="Steps"))
        page.get_by_role("region", name="Released", exact=True).get_by_text("537**").first.wait_for()
        assert page.locator(".notice.bad").count() == 0


def into_the_other(visit: Any, other: Database) -> None:
    page = visit.page
    page.get_by_label("Which database", exact=True).select_option("other")
    page.get_by_label("Kind of database", exact=True).select_option("mariadb")
    page.get_by_label("Database", exact=True).fill(other.name)
    page.get_by_label("User", exact=True).fill(other.name)
    page.get_by_label("Password", exact=True).fill(other.password)
    page.get_by_label("Name of the table", exact=True).fill("copied")
    visit.click("Write the table")
    page.get_by_text("The table copied was written.").wait_for(timeout=3 * PATIENCE)


def test_a_project_that_releases_into_a_table_says_where_its_rows_are(
    chromium: Any, tmp_path: Path, database: Database
) -> None:
    with visiting(chromium, tmp_path) as visit:
        document = SIX_PROJECT | {"release": {"table": "straight", "to": "the archive"}}
        made = visit.service.project("straight", opened(visit.service, database)["id"], document)
        visit.service.done(made["id"])
        assert len(database.rows("straight")) == 6
        for step in ("explore", "judge", "release"):
            visit.go(f"/p/{made['id']}/{step}")
            if step != "judge":
                visit.sees("The rows are in the database")
            visit.page.get_by_role("navigation", name="Steps").wait_for()
            assert visit.page.locator(".notice.bad").count() == 0
        assert visit.page.get_by_role("link", name="CSV", exact=True).count() == 0
