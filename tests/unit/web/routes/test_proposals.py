"""Proposals by REST: names of columns hold whatever people put into them."""

import itertools

import pytest

API = "/api/v1"
NAMES = ["a, b", "a", "b & c=1"]


@pytest.fixture
def dataset(program):
    """Columns whose names hold what separates things elsewhere; the first two tell the rows apart, the last nothing."""
    rows = "".join(f"{x},{y},same\n" for x, y in itertools.product(range(6), range(7)))
    answer = program.post(f"{API}/datasets", files={"file": ("odd.csv", f'"a, b",a,b & c=1\n{rows}'.encode())})
    return answer.json()["id"]


def test_a_comma_in_a_name_does_not_make_two_of_it(program, dataset):
    answer = program.get(f"{API}/datasets/{dataset}/proposals/quasi-identifiers", params={"columns": NAMES})
    assert answer.status_code == 200, answer.text
    found = answer.json()
    assert found["columns"] == ["a, b", "a"]
    assert found["details"]["distinct"] == 42


def test_candidates_are_only_those_that_are_said(program, dataset):
    told = {"columns": ["a, b", "b & c=1"]}
    found = program.get(f"{API}/datasets/{dataset}/proposals/quasi-identifiers", params=told).json()
    assert found["columns"] == ["a, b"]
    whole = program.get(f"{API}/datasets/{dataset}/proposals/quasi-identifiers")
    assert whole.status_code == 200


def test_a_name_that_is_none_is_refused(program, dataset):
    answer = program.get(f"{API}/datasets/{dataset}/proposals/quasi-identifiers", params={"columns": ["a, b,a"]})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad-input")


def test_the_other_proposals_know_such_a_name_too(program, dataset):
    assert set(program.get(f"{API}/datasets/{dataset}/proposals/roles").json()["columns"]) == set(NAMES)
    answer = program.get(f"{API}/datasets/{dataset}/proposals/hierarchy", params={"column": "a, b"})
    assert answer.status_code == 200, answer.text
