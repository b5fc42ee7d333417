"""What can be asked of a job, and what a service with accounts does not open."""

from __future__ import annotations

import pytest

from antifaz.core.errors import InputError, ParameterError
from antifaz.projects.yaml_file import to_yaml
from antifaz.service.dataset_sources import DatasetReference
from antifaz.service.errors import NotAllowed, NotFound
from antifaz.service.job_requests import check_request, find_released_job
from antifaz.service.job_store import Job

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
    assert check_request(row(), "run", {"levels": None, "despite": "x"}, None, accounts=False) == {"despite": "x"}


@pytest.mark.parametrize(
    ("kind", "asked"),
    [("strange", {}), ("candidates", {"k": [2, 3]}), ("frontier", {"k": [3, 2]}), ("frontier", {"k": [0, 2]}),
     ("frontier", {"k": [1, 5000]}), ("assess", {"attacks": -1}), ("assess", {"attacks": 10**9})],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(kind, asked):
    with pytest.raises(ParameterError):
        check_request(row(), kind, asked, None, accounts=False)


def test_with_accounts_a_data_set_is_needed_and_the_projects_own_source_is_not_read():
    with pytest.raises(NotAllowed):
        check_request(row(), "run", {}, None, accounts=True)
    assert check_request(row(), "run", {}, GIVEN, accounts=True) == {}


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
        check_request(row(**more), "run", {}, GIVEN, accounts=True)


def test_the_run_that_is_meant():
    known = {"owner": "ana", "project": "p", "text": "", "file": "p.yaml", "asked": {}, "dataset": None, "again": {}}
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
