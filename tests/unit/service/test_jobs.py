"""The queue, with real processes, and with what a service that was killed left in it."""

from __future__ import annotations

import json
import stat
import time

import pytest

from antifaz.core.errors import InputError, ParameterError
from antifaz.core.machine import processors
from antifaz.projects.store import open_store
from antifaz.projects.store_actions import runs_of
from antifaz.projects.yaml_file import to_yaml
from antifaz.service import jobs as jobs_module
from antifaz.service.dataset_sources import DatasetReference
from antifaz.service.errors import Busy, Gone, NotAllowed, NotFound
from antifaz.service.job_request import check_request, find_released_job
from antifaz.service.job_store import OVER, Job
from antifaz.service.jobs import JobQueue
from antifaz.service.worker import _engine_within_limits

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
def jobs(tmp_path, workers):
    found = JobQueue(tmp_path / "work", Nowhere(), project_store=tmp_path / "projects.sqlite", workers=workers)
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
        "file": "project.yaml", "datasets": {}, "again": {}, "server": "gone", "state": "running",
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


@pytest.mark.parametrize(("table", "state"), [(None, "cancelled"), ("people_released", "done")])
def test_what_was_cancelled_is_cancelled_unless_its_rows_are_in_a_database_already(jobs, table, state):
    id = kept_job(jobs.store, state="running")
    (job,) = jobs.store.jobs(id=id)
    folder = jobs.releases / id
    folder.mkdir()
    (folder / "evidence.json").write_text(json.dumps({"released": {"table": table}}), encoding="utf-8")
    jobs._end(job, "cancelled", "")
    assert jobs.get(id, "ana")["state"] == state
    assert folder.exists() == (state == "done")


def test_what_a_killed_service_left_is_settled(tmp_path):
    first = JobQueue(tmp_path / "work", Nowhere(), project_store=tmp_path / "projects.sqlite")
    running = kept_job(first.store, id="a" * 32)
    published = kept_job(first.store, id="b" * 32)
    uploaded = kept_job(first.store, id="c" * 32, state="queued", datasets={"": "gone"}, again=None)
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
    assert [run["state"] for run in told[1:]] in ([], ["cancelled"])


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


def test_jobs_run_at_a_time_and_those_of_others_come_between(tmp_path, workers, project):
    place = tmp_path / "projects.sqlite"
    with open_store(place, "berta") as store:
        store.add("few", TEXT, str(tmp_path), "project.yaml")
        bertas = store.project("few")["id"]
    queue = JobQueue(tmp_path / "work", Nowhere(), project_store=place, workers=workers, at_once=1, memory="2GB")
    queue.start()
    try:
        anas = [queue.add("ana", project, "candidates", {})["id"] for _ in range(4)]
        late = queue.add("berta", bertas, "candidates", {})["id"]
        ends = [over(queue, id)["ended"] for id in anas]
        told = queue.get(late, "berta")
    finally:
        queue.stop()
    assert told["state"] == "done"
    assert told["began"] <= ends[-2], "she came last and did not wait for all of the first one's"


def test_a_project_can_not_raise_the_memory_and_threads_of_the_service():
    engine = _engine_within_limits({"memory": "900GB", "threads": 5000, "name": "local"}, "2000000000B")
    assert engine == {"memory": "2000000000B", "threads": processors(), "name": "local"}
    assert _engine_within_limits({}, None) == {}
    assert _engine_within_limits({}, "4KB", 2) == {"memory": "2000B"}


def test_check_21_a_job_that_needs_more_memory_than_its_process_may_have_fails_in_words(
    tmp_path, workers, project, monkeypatch
):
    with open_store(tmp_path / "projects.sqlite", "ana") as store:
        greedy = store.project("few")["text"] + "engine: {name: local, memory: 900GB}\n"
        store.add("greedy", greedy, str(tmp_path), "greedy.yaml")
        id = store.project("greedy")["id"]
    told = []
    for overhead in (0, jobs_module._OVERHEAD):
        monkeypatch.setattr(jobs_module, "_OVERHEAD", overhead)
        place = {"project_store": tmp_path / "projects.sqlite", "workers": workers}
        queue = JobQueue(tmp_path / "work", Nowhere(), at_once=1, memory="64MB", **place)
        queue.start()
        try:
            told.append(over(queue, queue.add("ana", id, "run", {})["id"]))
        finally:
            queue.stop()
    assert told[0]["state"] in ("failed", "interrupted")
    # Which library finds out first is not ours to say; each has words for it.
    assert "memory" in str(told[0]["error"]["message"])
    assert told[1]["state"] == "done"


# -- what can be asked of a job, and what a service with accounts does not open

GIVEN = DatasetReference(name="a.csv", origin="upload", source={"path": "a.csv"})
WHOLE = {
    "antifaz": 1,
    "source": {"path": "/etc/passwd"},
    "attributes": {"age": {"role": "quasi-identifier", "hierarchy": {"masking": 1}}},
    "privacy": [{"model": "k-anonymity", "k": 2}],
}


def row(**more):
    return {"text": to_yaml(WHOLE | more), "folder": "/nowhere", "file": "project.yaml"}


def test_what_is_not_said_is_left_out():
    assert check_request(row(), "run", {"levels": None, "despite": "x"}, {}, accounts=False) == {"despite": "x"}


@pytest.mark.parametrize(
    ("kind", "asked"),
    [("strange", {}), ("candidates", {"k": [2, 3]}), ("frontier", {"k": [3, 2]}), ("frontier", {"k": [0, 2]}),
     ("frontier", {"k": [1, 5000]}), ("assess", {"attacks": -1}), ("assess", {"attacks": 10**9})],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(kind, asked):
    with pytest.raises(ParameterError):
        check_request(row(), kind, asked, {}, accounts=False)


def test_with_accounts_a_data_set_is_needed_and_the_projects_own_source_is_not_read():
    with pytest.raises(NotAllowed):
        check_request(row(), "run", {}, {}, accounts=True)
    assert check_request(row(), "run", {}, {"": GIVEN}, accounts=True) == {}


@pytest.mark.parametrize(
    "more",
    [
        {"attributes": {"age": {"role": "quasi-identifier", "hierarchy": {"file": "/etc/passwd"}}}},
        {"attributes": {"age": {"role": "quasi-identifier", "hierarchy": "/etc/passwd"}}},
        {"attributes": {"age": {"operation": {"name": "substitute", "table": "/etc/passwd"}}}},
        {"attributes": {"age": {"operation": [{"name": "pseudonymize", "key": "/home/x/key"}]}}},
        {"attributes": {"age": {"operation": {"name": "encrypt", "key": "keyring:antifaz/x"}}}},
        {"privacy": [{"model": "k-map", "k": 2, "population": "/etc/passwd"}]},
        {"engine": {"name": "spark", "master": "spark://elsewhere:7077"}},
    ],
)
def test_check_31_with_accounts_nothing_of_the_machine_is_opened(more):
    with pytest.raises(NotAllowed):
        check_request(row(**more), "run", {}, {"": GIVEN}, accounts=True)


def test_the_run_that_is_meant():
    known = {"owner": "ana", "project": "p", "text": "", "file": "p.yaml", "asked": {}, "datasets": {}, "again": {}}
    jobs = [
        Job(id=id, kind=kind, state=state, server="s", queued="", **known)
        for id, kind, state in (
            ("a", "run", "done"),
            ("b", "run", "done"),
            ("c", "run", "failed"),
            ("d", "candidates", "done"),
        )
    ]
    assert find_released_job(jobs, None).id == "b"
    assert find_released_job(jobs, "a").id == "a"
    for wrong in ("c", "d", "e"):
        with pytest.raises(NotFound):
            find_released_job(jobs, wrong)
    with pytest.raises(InputError):
        find_released_job(jobs[2:], None)
