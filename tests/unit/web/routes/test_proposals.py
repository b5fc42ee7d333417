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


def test_columns_are_told_with_what_they_cost_the_others(program):
    rows = "".join(f"{20 + i % 60},{'abcdefghijk'[(i // 60 * 5 + i * 7) % 11]},{i % 3}\n" for i in range(240))
    answer = program.post(f"{API}/datasets", files={"file": ("t.csv", f"age,town,group\n{rows}".encode())})
    path = f"{API}/datasets/{answer.json()['id']}/proposals/columns"
    answer = program.get(path, params={"columns": ["age", "town"], "k": 5}, headers={"accept-language": "es"})
    assert answer.status_code == 200, answer.text
    found = {one["column"]: one for one in answer.json()["columns"]}
    assert set(found) == {"age", "town"}
    for one in found.values():
        assert 0 <= one["without"] <= one["others"] <= 1 and one["proposal"] in ("leave out", "coarsen", "keep")
        assert one["message"]["code"].startswith("reason.") and one["reason"]
    # Each of the towns alone has more than five rows, so without the age the town loses nothing.
    assert (found["age"]["without"], found["age"]["others"] > 0.1) == (0.0, True)
    for wrong in ({"columns": ["age", "nobody"]}, {"columns": ["age"], "k": 0}):
        assert program.get(path, params=wrong).status_code == 400


def test_privacy_is_proposed_for_who_gets_it_and_for_wide_tables_by_what_somebody_knows(program):
    names = [f"q{i}" for i in range(24)]
    rows = "".join(",".join(str((i * (j + 3)) % 4) for j in range(26)) + "\n" for i in range(60))
    header = ",".join([*names, "ill", "pay"])
    made = program.post(f"{API}/datasets", files={"file": ("wide.csv", f"{header}\n{rows}".encode())}).json()
    path = f"{API}/datasets/{made['id']}/proposals/privacy"
    roles = {**dict.fromkeys(names[:2], "quasi-identifier"), "ill": "sensitive"}

    def proposed(**asked):
        answer = program.post(path, json=asked)
        assert answer.status_code == 200, answer.text
        return answer.json()

    ks = {audience: proposed(roles=roles, audience=audience)["privacy"][0] for audience in ("known", "many", "public")}
    assert [(one["k"], one.get("known")) for one in ks.values()] == [(3, None), (5, None), (11, None)]
    found = proposed(roles=roles)
    assert [one.get("attribute") for one in found["privacy"]] == [None, "ill"]
    assert (found["quasi_identifiers"], found["sensitive"]) == (2, 1)
    wide = proposed(roles=dict.fromkeys(names, "quasi-identifier"))["privacy"]
    assert [(one["k"], one["known"]) for one in wide] == [(5, 2)]
    # Of many sensitive columns a few are asked for: together they are never reached.
    many = proposed(roles=dict.fromkeys([*names[:5], "ill", "pay"], "sensitive") | {names[6]: "quasi-identifier"})
    assert (len(many["privacy"]), many["sensitive"]) == (4, 5)  # two of the seven have one value only
    assert program.post(path, json={"roles": roles, "audience": "nobody"}).status_code == 400
