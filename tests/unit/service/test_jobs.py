"""The queue, with real processes, and with what a service that was killed left in it."""

from __future__ import annotations

import json
import stat
import time

import pytest

from antifaz.projects.store import open_store
from antifaz.projects.store_actions import runs_of
from antifaz.service.dataset_sources import DatasetReference
from antifaz.service.errors import Busy, Gone, NotFound
from antifaz.service.job_store import OVER, Job
from antifaz.service.jobs import JobQueue

TEXT = """\
antifaz: 1
name: few
source: {path: few.csv}
attributes:
  age: {role: quasi-identifier, hierarchy: {intervals: [10]}}
privacy: [{model: k-anonymity, k: 2}]
"""


class Nowhere:
    """Data sets, none of which is there."""

    def reference(self, id, owner):
        raise NotFound("There is no such data set.")

    def again(self, said):
        return DatasetReference(name="few.csv", origin="path", source=dict(said["source"]), again=said)


@pytest.fixture
def jobs(tmp_path):
    found = JobQueue(tmp_path / "work", Nowhere(), project_store=tmp_path / "projects.sqlite")
    found.start()
    yield found
    found.stop()


@pytest.fixture
def project(tmp_path):
    (tmp_path / "few.csv").write_text("age\n" + "\n".join(f"{20 + i % 10}" for i in range(30)) + "\n", encoding="utf-8")
    with open_store(tmp_path / "projects.sqlite", "ana") as store:
        store.add("few", TEXT, str(tmp_path), "project.yaml")
        return store.project("few")["id"]


def over(jobs, id):
    until = time.monotonic() + 120
    while (told := jobs.get(id, "ana"))["state"] not in OVER:
        assert time.monotonic() < until
        time.sleep(0.05)
    return told


def kept_job(store, **more):
    known = {
        "id": "1" * 32, "owner": "ana", "project": "p", "kind": "run", "asked": {}, "text": TEXT,
        "file": "project.yaml", "dataset": None, "again": {}, "server": "gone", "state": "running",
        "queued": "2026-01-01T00:00:00+00:00",
    }  # fmt: skip
    job = Job(**known | more)
    store.add(job)
    return job.id


def test_a_job_goes_from_the_queue_to_its_release(jobs, project):
    told = over(jobs, jobs.add("ana", project, "run", {})["id"])
    assert (told["state"], told["number"], told["share"]) == ("done", 1, 1.0)
    assert json.loads(jobs.result_of(told["id"], "ana").read_text())["privacy"][0]["holds"]
    for path in (jobs.store.path, jobs.result_of(told["id"], "ana")):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(jobs.aside.iterdir()) == []


def test_another_person_sees_nothing_of_it(jobs, project):
    id = jobs.add("ana", project, "candidates", {})["id"]
    for ask in (jobs.get, jobs.cancel, jobs.delete, jobs.result_of, jobs.release_of):
        with pytest.raises(NotFound):
            ask(id, "berta")
    with pytest.raises(NotFound):
        jobs.add("berta", project, "run", {})
    assert jobs.all("berta") == []
    with pytest.raises(Busy):
        jobs.delete(id, "ana")
    over(jobs, id)
    assert all(one["gone"] for one in jobs.delete(id, "ana"))
    assert jobs.all("ana") == []


def test_what_a_killed_service_left_is_settled(tmp_path):
    first = JobQueue(tmp_path / "work", Nowhere(), project_store=tmp_path / "projects.sqlite")
    running = kept_job(first.store, id="a" * 32)
    published = kept_job(first.store, id="b" * 32)
    uploaded = kept_job(first.store, id="c" * 32, state="queued", dataset="gone", again=None)
    reached = kept_job(first.store, id="d" * 32, state="queued")
    (first.releases / running).mkdir()
    (first.releases / published).mkdir()
    (first.releases / published / "evidence.json").write_text("{}", encoding="utf-8")
    (first.aside / running).mkdir()
    second = JobQueue(tmp_path / "work", Nowhere(), project_store=tmp_path / "projects.sqlite")
    second.start()
    try:
        assert second.get(running, "ana")["state"] == "interrupted"
        assert second.get(published, "ana")["state"] == "done"
        lost = second.get(uploaded, "ana")
        assert (lost["state"], lost["error"]["code"]) == ("interrupted", "gone")
        told = over(second, reached)  # its project does not exist, and that is said
        assert (told["state"], told["error"]["code"]) == ("failed", "not-found")
        assert not (second.releases / running).exists()
        assert list(second.aside.iterdir()) == []
    finally:
        second.stop()


def test_the_run_of_a_stored_project_follows_the_job_also_after_a_kill(tmp_path, project):
    place = tmp_path / "projects.sqlite"
    first = JobQueue(tmp_path / "work", Nowhere(), project_store=place)
    with open_store(place, "ana") as store:
        for _ in range(2):
            with store.held() as held:
                store.begin(store.project("few"), held)
    published = kept_job(first.store, id="a" * 32, project=project, number=1)
    kept_job(first.store, id="b" * 32, project=project, number=2)
    (first.releases / published).mkdir()
    (first.releases / published / "evidence.json").write_text('{"seconds": {"read": 1.5}}', encoding="utf-8")
    second = JobQueue(tmp_path / "work", Nowhere(), project_store=place)
    second.start()
    second.stop()
    done, killed = runs_of("few", store=place, owner="ana")
    assert (done["state"], done["seconds"], done["place"]) == ("done", 1.5, str(second.releases / published))
    assert killed["state"] == "interrupted"


def test_a_failed_and_a_cancelled_job_are_runs_of_the_project(tmp_path, jobs, project):
    failed = jobs.add("ana", project, "run", {"levels": {"nobody": 1}})
    assert over(jobs, failed["id"])["state"] == "failed"
    waiting = jobs.add("ana", project, "run", {})
    jobs.cancel(waiting["id"], "ana")
    assert over(jobs, waiting["id"])["state"] == "cancelled"
    told = runs_of("few", store=tmp_path / "projects.sqlite", owner="ana")
    assert told[0]["state"] == "failed"
    assert told[0]["error"] == jobs.get(failed["id"], "ana")["message"]
    assert [run["state"] for run in told[1:]] in ([], ["stopped"])


def test_jobs_of_a_service_that_lives_are_not_touched(tmp_path, jobs):
    id = kept_job(jobs.store, server=jobs._lock.key)
    other = JobQueue(tmp_path / "work", Nowhere(), project_store=tmp_path / "projects.sqlite")
    import antifaz.service.jobs as module

    patience, module._PATIENCE = module._PATIENCE, 0.2
    try:
        other.start()
        assert other.get(id, "ana")["state"] == "running"
    finally:
        module._PATIENCE = patience
        other.stop()


def test_an_erased_release_is_gone_and_not_unknown(jobs):
    id = kept_job(jobs.store, state="done")
    with pytest.raises(Gone):
        jobs.release_of(id, "ana")
    with pytest.raises(Gone):
        jobs.result_of(id, "ana")
