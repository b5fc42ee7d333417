"""Jobs that are killed, cancelled, stopped or many: none is stuck, none is half done, nothing is left."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pyarrow.csv
import pytest

from antifaz.datasets import people
from e2e.web.rest import SIX, SIX_PROJECT, Served, ends, served

#: A run that takes long enough to be stopped in the middle, wherever it is.
SLOW = {
    "antifaz": 1,
    "attributes": {
        "id_number": {"role": "identifier"},
        "name": {"role": "identifier"},
        "birth_date": {"role": "identifier"},
        "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [5, 10, 20, 40]}},
        "income": {"role": "quasi-identifier", "hierarchy": {"intervals": [1000, 10000, 100000, 1000000]}},
        "diagnosis": {"role": "sensitive"},
    },
    "privacy": [{"model": "k-anonymity", "k": 5}],
    "method": {"name": "k-members"},
    "others": "release",
}


@pytest.fixture(scope="module")
def slow_text(tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("data") / "people.csv"
    pyarrow.csv.write_csv(people(200_000, seed=1), path)
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with served(tmp_path_factory.mktemp("service"), "--jobs", "1") as found:
        yield found


@pytest.fixture(scope="module")
def slow(service, slow_text) -> str:
    """A project whose run takes long enough."""
    return slow_project(service, slow_text)


@pytest.fixture
def before(service) -> list[str]:
    """What earlier tests left in the folders of jobs."""
    return left(service.work)


def working(service: Served, run: str, step: str | None = None) -> int:
    """Wait until a run is in a step, and return its process."""
    until = time.monotonic() + 120
    while time.monotonic() < until:
        told = service.get(f"/runs/{run}")
        assert told["state"] in ("queued", "running"), told
        names = [one["name"] for one in told["steps"] if not one["done"]]
        if service.workers() and told["state"] == "running" and (step is None or step in names):
            return service.workers()[0]
        time.sleep(0.02)
    raise AssertionError(told)


def left(work: Path) -> list[str]:
    """What is in the folders of jobs."""
    return [
        str(path.relative_to(work)) for name in ("aside", "releases", "results") for path in (work / name).iterdir()
    ]


def slow_project(service: Served, slow_text: str):
    return service.project("slow", service.upload(slow_text)["id"], SLOW)["id"]


@pytest.mark.parametrize("step", [None, "read", "decide"])
def test_check_25_a_killed_worker_interrupts_its_run_and_the_queue_goes_on(service, slow, before, step):
    killed = service.start(slow)
    after = service.start(service.six_people(f"after {step}")["id"])
    os.kill(working(service, killed["id"], step), signal.SIGKILL)
    told = service.wait(killed["id"])
    assert told["state"] == "interrupted"
    assert "Run it again" in told["error"]["message"]
    assert service.wait(after["id"])["state"] == "done"
    assert sorted(left(service.work)) == sorted([*before, f"releases/{after['id']}"])


def test_check_25_a_cancelled_run_ends_with_its_process_and_leaves_nothing(service, slow, before):
    run, waiting = service.start(slow), service.start(slow)
    worker = working(service, run["id"], "decide")
    assert service.post(f"/runs/{waiting['id']}/cancel")["state"] == "cancelled"
    service.post(f"/runs/{run['id']}/cancel")
    assert service.wait(run["id"], seconds=20)["state"] == "cancelled"
    assert ends(worker)
    assert sorted(left(service.work)) == sorted(before)
    assert service.post(f"/runs/{run['id']}/cancel")["state"] == "cancelled"
    assert service.client.delete(f"/runs/{run['id']}").status_code == 200
    assert service.client.get(f"/runs/{run['id']}").status_code == 404


def test_a_run_that_goes_on_is_not_deleted(service, slow):
    project = service.project("deleted", service.get(f"/projects/{slow}")["dataset"], SLOW)["id"]
    run = service.start(project)
    assert service.client.delete(f"/runs/{run['id']}").status_code == 409
    assert service.client.delete(f"/projects/{project}").status_code == 409
    service.post(f"/runs/{run['id']}/cancel")
    service.wait(run["id"])
    assert service.client.delete(f"/projects/{project}").status_code == 200
    assert service.get("/runs", project=project) == []


def test_check_26_two_runs_of_one_project_are_two_releases(service, before):
    project = service.six_people()["id"]
    both = [service.start(project) for _ in range(2)]
    told = [service.wait(run["id"]) for run in both]
    assert [one["state"] for one in told] == ["done", "done"]
    assert [one["number"] for one in told] == [1, 2]
    assert sorted(left(service.work)) == sorted([*before, *(f"releases/{run['id']}" for run in both)])


def test_check_25_a_killed_service_leaves_no_job_stuck(tmp_path, slow_text):
    (tmp_path / "six.csv").write_text(SIX, encoding="utf-8")
    service = Served(tmp_path, "--jobs", "1")
    try:
        running = service.start(slow_project(service, slow_text))
        uploaded = service.start(service.six_people("uploaded")["id"])
        types = {"fnac": "text", "cod_postal": "text"}
        by_path = service.post("/datasets/path", {"path": str(tmp_path / "six.csv"), "options": {"types": types}})
        reached = service.start(service.project("by path", by_path["id"], SIX_PROJECT)["id"])
        own = service.start(
            service.project("own", None, SIX_PROJECT | {"source": {"path": str(tmp_path / "six.csv")}})["id"]
        )
        worker = working(service, running["id"], "decide")
    finally:
        service.kill()
    with served(tmp_path) as again:
        assert ends(worker)
        assert again.get(f"/runs/{running['id']}")["state"] == "interrupted"
        lost = again.get(f"/runs/{uploaded['id']}")
        assert lost["state"] == "interrupted"
        assert "choose the data again" in lost["error"]["message"]
        assert again.wait(reached["id"])["state"] == "done"
        assert again.wait(own["id"])["state"] == "done"
        assert sorted(left(again.work)) == sorted(f"releases/{run['id']}" for run in (reached, own))
        project = next(one for one in again.get("/projects") if one["name"] == "uploaded")
        shown = again.get(f"/projects/{project['id']}")
        assert shown["dataset"] is None
        assert "hoose the data again" in shown["problems"][0]["message"]


def test_a_service_that_is_stopped_interrupts_what_runs_and_keeps_the_queue(tmp_path, slow_text):
    (tmp_path / "six.csv").write_text(SIX, encoding="utf-8")
    with served(tmp_path, "--jobs", "1") as service:
        running = service.start(slow_project(service, slow_text))
        source = {"path": str(tmp_path / "six.csv")}
        queued = service.start(service.project("own", None, SIX_PROJECT | {"source": source})["id"])
        working(service, running["id"], "decide")
    with served(tmp_path) as again:
        told = again.get(f"/runs/{running['id']}")
        assert (told["state"], "stopped" in told["error"]["message"]) == ("interrupted", True)
        assert again.wait(queued["id"])["state"] == "done"


def test_check_26_two_services_share_a_work_folder_without_taking_each_others_jobs(tmp_path, slow_text):
    with served(tmp_path) as first:
        run = first.start(slow_project(first, slow_text))
        worker = working(first, run["id"], "decide")
        os.kill(worker, signal.SIGSTOP)  # it must not be over before the other service is there
        with served(tmp_path) as second:
            assert second.get(f"/runs/{run['id']}")["state"] == "running"
            assert second.wait(second.start(second.six_people()["id"])["id"])["state"] == "done"
        assert first.get(f"/runs/{run['id']}")["state"] == "running"
        os.kill(worker, signal.SIGCONT)
        first.post(f"/runs/{run['id']}/cancel")
        assert first.wait(run["id"])["state"] == "cancelled"
