"""Projects by REST: a name is one project's, and what is said of that is said in words of the service."""

import pytest

API = "/api/v1"


@pytest.fixture
def six(program):
    return program.post(f"{API}/projects", json={"name": "six", "document": {"antifaz": 1}}).json()["id"]


@pytest.fixture
def other(program):
    return program.post(f"{API}/projects", json={"name": "other", "document": {"antifaz": 1}}).json()["id"]


@pytest.mark.parametrize(
    ("verb", "path", "body"),
    [
        ("POST", "projects", {"name": "six", "document": {"antifaz": 1, "seed": 1}}),
        ("POST", "projects", {"name": " six ", "yaml": "antifaz: 1\n"}),
        ("PATCH", "projects/{other}", {"name": "six"}),
        ("POST", "projects/{other}/copy", {"name": "six"}),
    ],
)
def test_a_taken_name_is_a_conflict_and_changes_nothing(program, six, other, verb, path, body):
    before = program.get(f"{API}/projects/{six}").json()
    answer = program.request(verb, f"{API}/{path.format(other=other)}", json=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "taken")
    message = answer.json()["error"]["message"]
    assert message == "A project 'six' is there already; choose another name."
    assert program.get(f"{API}/projects/{six}").json() == before
    assert {project["name"] for project in program.get(f"{API}/projects").json()} == {"six", "other"}


def test_a_project_may_be_given_the_name_that_it_has(program, six):
    assert program.request("PATCH", f"{API}/projects/{six}", json={"name": "six"}).status_code == 200


def test_the_page_is_at_one_of_its_steps(program, six):
    place = f"{API}/projects/{six}"
    assert program.request("PUT", place, json={"step": "judge"}).json()["step"] == "judge"
    refused = program.request("PUT", place, json={"step": "jugde"})
    assert refused.status_code == 400
    assert refused.json()["error"]["message"].startswith("There is no step 'jugde'; the steps are ")
    assert program.get(place).json()["step"] == "judge"
