"""The example is made up, so it is there again after a restart: what was interrupted is run again by one click."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from e2e.web.browsing import PATIENCE, WINDOW, Visit
from e2e.web.rest import Served, served


def example(service: Served) -> Any:
    project = service.post("/projects/example")
    assert project["problems"] == []
    return project


def test_an_interrupted_run_of_the_example_is_run_again(tmp_path: Path) -> None:
    service = Served(tmp_path, "--jobs", "1")
    try:
        project = example(service)
        before = service.get(f"/datasets/{project['dataset']}/rows", count=3)
        running = service.start(project["id"], "frontier", k=[2, 900])["id"]
        service.wait(running, ("running",))
        waiting = service.start(project["id"])["id"]
    finally:
        service.kill()
    with served(tmp_path) as again:
        # What was waiting goes on by itself; what was running asks for a click.
        assert again.wait(waiting)["state"] == "done"
        assert again.wait(running)["state"] == "interrupted"
        found = again.get(f"/projects/{project['id']}")
        assert (found["dataset"], found["problems"]) == (project["dataset"], [])
        assert again.get(f"/datasets/{project['dataset']}/rows", count=3) == before
        assert again.done(project["id"])["state"] == "done"


def test_what_was_erased_stays_erased(tmp_path: Path) -> None:
    with served(tmp_path) as service:
        project = example(service)
        service.post("/finish", {"project": project["id"]})
        assert service.client.get(f"/datasets/{project['dataset']}").status_code == 404
        alone = service.post("/datasets/example", {"name": "six-people"})["id"]
        assert service.client.delete(f"/datasets/{alone}").is_success
        assert service.client.get(f"/datasets/{alone}").status_code == 404
    with served(tmp_path) as again:
        found = again.get(f"/projects/{project['id']}")
        assert found["dataset"] is None
        assert again.client.post(f"/projects/{project['id']}/runs", json={}).status_code == 404


def test_an_id_that_nobody_made_is_nothing(tmp_path: Path) -> None:
    with served(tmp_path) as service:
        for id in ("people.5.zz", "nobody.5.000000000000000000000000", "people.9999999.0", "..", "people"):
            assert service.client.get(f"/datasets/{id}/rows").status_code == 404, id


def test_one_click_on_the_page(chromium: Any, tmp_path: Path) -> None:
    service = Served(tmp_path)
    try:
        project = example(service)["id"]
        run = service.start(project)["id"]
        service.wait(run, ("running",))
    finally:
        service.kill()
    with served(tmp_path) as again:
        assert again.wait(run)["state"] == "interrupted"
        root = str(again.client.base_url).split("/api/")[0]
        context = chromium.new_context(**WINDOW)
        try:
            visit = Visit(again, context, root)
            visit.sign_in()
            visit.go(f"/p/{project}/run")
            visit.click("Run again")
            visit.page.locator("[data-kind=run][data-state=done]").wait_for(timeout=3 * PATIENCE)
            assert not visit.problems
        finally:
            context.close()
