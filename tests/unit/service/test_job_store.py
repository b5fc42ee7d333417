"""The rows of jobs: one place of their state."""

import pytest

from antifaz.core.messages import Message, in_language
from antifaz.service.errors import message_document
from antifaz.service.job_store import Job, JobStore


@pytest.fixture
def store(tmp_path):
    return JobStore(tmp_path)


def add(store, id="1", **more):
    known = {
        "owner": "ana", "project": "p", "kind": "run", "text": "", "file": "p.yaml", "asked": {}, "datasets": {},
        "again": None, "server": "here", "queued": "2026-01-01T00:00:00+00:00",
    }  # fmt: skip
    store.add(Job(id=id, **known | more))
    return id


def test_a_job_comes_back_as_it_was_kept(store):
    id = add(store, asked={"levels": {"age": 1}}, error={"code": "gone", "message": "m"}, steps=[{"name": "read"}])
    (job,) = store.jobs(id=id)
    assert (job.asked, job.error, job.steps) == (
        {"levels": {"age": 1}},
        {"code": "gone", "message": "m"},
        [{"name": "read"}],
    )
    assert (job.again, job.state, job.is_over, job.shown()["share"]) == (None, "queued", False, None)


def test_messages_of_a_job_come_back_with_their_codes(store):
    reading, gone = Message("progress.reading"), Message("service.data-lost-by-restart")
    steps = [{"name": "read", "message": reading, "seconds": 0.0, "done": True}]
    id = add(store, steps=steps, error=message_document("gone", gone), message=str(gone))
    shown = in_language("ca", store.jobs(id=id)[0].shown())
    assert shown["steps"][0]["message"] == reading.text("ca")
    assert shown["message"] == shown["error"]["message"] == gone.text("ca")
    assert gone.text("ca") != gone


def test_whoever_is_first_decides_the_end(store):
    id = add(store, state="running")
    assert store.change(id, ["running"], state="cancelled")
    assert not store.change(id, ["queued", "running"], state="done")
    assert store.jobs(id=id)[0].state == "cancelled"


def test_jobs_are_claimed_in_their_order_each_once_and_by_their_own_service_only(store):
    add(store, "a", state="cancelled")
    add(store, "b", server="elsewhere")
    add(store, "c")
    add(store, "d")
    claimed = [store.claim("here") for _ in range(3)]
    assert [job and job.id for job in claimed] == ["c", "d", None]
    assert claimed[0].state == store.jobs(id="c")[0].state == "running"
    assert claimed[0].began
