"""Proposals by REST: names of columns hold whatever people put into them."""

import itertools

import pytest

from antifaz.projects import actions
from antifaz.projects.yaml_file import parse_yaml
from antifaz.proposals.presets import PRESETS

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


PATIENTS = "name,zip,birth_date,ward,diagnosis\n" + "".join(
    f"Patient {i},{('10001', '03601', '94103')[i % 3]},19{20 + i % 70}-0{1 + i % 9}-11,{'abcd'[i % 4]},{'xyz'[i % 3]}\n"
    for i in range(60)
)


@pytest.mark.parametrize("name", PRESETS)
def test_a_rule_fills_in_what_the_command_does(program, tmp_path, name):
    (tmp_path / "patients.csv").write_text(PATIENTS)
    path = actions.init(tmp_path / "patients.csv", tmp_path / "project.yaml", preset=name)
    wanted = parse_yaml(path.read_text(), path).data
    data = program.post(f"{API}/datasets", files={"file": ("patients.csv", PATIENTS.encode())}).json()["id"]
    told = {"name": name, "dataset": data, "preset": name}
    made = program.post(f"{API}/projects", json=told).json()["document"]
    answer = program.get(
        f"{API}/datasets/{data}/proposals/preset", params={"name": name}, headers={"accept-language": "es"}
    )
    assert answer.status_code == 200, answer.text
    found = answer.json()
    settings = {column: own["settings"] for column, own in found["columns"].items()}
    assert made["preset"] == wanted["preset"] == found["preset"] == name
    assert made["attributes"] == wanted["attributes"] == settings
    assert made["privacy"] == wanted["privacy"] == found["privacy"]
    assert made["method"] == wanted["method"] == found["method"]
    assert made["release"]["audience"] == wanted["release"]["audience"] == found["audience"]
    ruled = {column for column, own in found["columns"].items() if own["by_rule"]}
    assert ruled == ({"name", "zip", "birth_date"} if name == "hipaa-safe-harbor" else set())
    if ruled:
        assert found["columns"]["name"]["reason"].startswith("Puerto seguro")


def test_a_rule_that_is_none_is_refused_and_one_without_data(program, dataset):
    answer = program.get(f"{API}/datasets/{dataset}/proposals/preset", params={"name": "hipaa"})
    assert answer.status_code == 400 and answer.json()["error"]["reason"]["code"] == "preset.unknown"
    for told in ({}, {"dataset": dataset, "document": {"antifaz": 1}}):
        answer = program.post(f"{API}/projects", json={"name": "ruled", "preset": "gdpr", **told})
        assert answer.status_code == 400, answer.text
        assert answer.json()["error"]["reason"]["code"] == "service.preset-needs-data"


def test_what_clauses_ask_has_words_in_every_language(program):
    for language, words in {"en": "Telephone numbers", "es": "Números de teléfono"}.items():
        meta = program.get(f"{API}/meta", params={"language": language}).json()
        assert [one["name"] for one in meta["presets"]] == list(PRESETS)
        assert meta["clauses"]["telephone"] == words
