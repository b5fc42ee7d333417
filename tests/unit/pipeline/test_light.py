"""Operations in project files, and light projects: what is released, what is told, and what is refused."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest
import yaml

import antifaz as az
from antifaz.projects.actions import candidates_of, frontier_of
from failing import failing, like, near

NAMES = ["Zebedäus Quint", "Xanthippe Volt", "Wolfram Umber", "Ygritte Tarn"]
ROWS = [
    {"name": name, "age": str(20 + i), "salary": str(1000 * i), "visit": f"2024-03-{i + 10}", "city": "Friedrichshafen"}
    for i, name in enumerate(NAMES * 3)
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    (tmp_path / "keys").mkdir()
    az.mask.new_key(tmp_path / "keys" / "k.key")
    with (tmp_path / "data" / "people.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(ROWS[0]))
        writer.writeheader()
        writer.writerows(ROWS)
    return tmp_path


def _project(folder: Path, attributes: dict, **more) -> Path:
    said = {"antifaz": 1, "kind": "light", "source": {"path": "data/people.csv"}, "attributes": attributes}
    path = folder / "project.yaml"
    said |= {"release": {"path": "out"}, "seed": 7, "others": "release"}
    path.write_text(yaml.safe_dump({**said, **more}, sort_keys=False))
    return path


def _released(folder: Path) -> list[dict[str, str]]:
    with (folder / "out" / "release.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


KEY = {"name": "pseudonymize", "key": "keys/k.key"}


def test_a_light_project_does_its_operations_and_says_that_nothing_was_evaluated(folder):
    attributes = {
        "name": {"role": "identifier", "operation": KEY},
        "salary": {"operation": {"name": "top-code", "at": 5000}},
        "age": {"operation": [{"name": "bottom-code", "percentile": 50}, {"name": "round", "base": 10}]},
        "city": {"role": "identifier"},
    }
    evidence = az.run(_project(folder, attributes))
    rows = _released(folder)
    assert list(rows[0]) == ["name", "age", "salary", "visit"]  # an identifier without an operation goes
    assert sorted(int(row["salary"]) for row in rows) == [0, 1000, 2000, 3000, 4000, *[5000] * 7]
    # Half of the ages 20 to 31 do not exceed 25: those below become 25, and 25 goes to the even ten.
    assert sorted({row["age"] for row in rows}) == ["20", "30"]
    assert sum(row["age"] == "20" for row in rows) == 6
    assert len({row["name"] for row in rows}) == 4
    assert [row["visit"] for row in rows] != sorted(row["visit"] for row in rows)  # in random order
    assert evidence["kind"] == "light"
    assert evidence["privacy"] == []
    assert "not anonymous" in evidence["evaluated"]
    assert any("GDPR art. 4(5)" in warning for warning in evidence["warnings"])
    told = {attribute["name"]: attribute for attribute in evidence["attributes"]}
    assert told["salary"]["operations"] == [{"name": "top-code", "at": 5000}]
    assert told["name"]["released"] is True
    assert told["city"]["released"] is False
    report = (folder / "out" / "report.html").read_text("utf-8")
    assert "No privacy was evaluated" in report
    assert "Operations on columns" in report
    record = json.loads((folder / "out" / "record.json").read_text("utf-8"))
    treated = {one["column"]: one["treatment"] for one in record["article_30"]["c_categories"]["personal_data"]}
    assert treated["name"] == "released after pseudonymize"
    assert treated["city"] == "removed"


def test_check_13_neither_raw_values_nor_keys_nor_tables_are_in_any_file_of_the_release(folder):
    table = {name: f"person {i}" for i, name in enumerate(NAMES)}
    attributes = {
        "name": {"role": "identifier", "operation": {"name": "substitute", "table": table}},
        "city": {"operation": {"name": "encrypt", "key": "keys/k.key", "cipher": "aes-gcm"}},
        "visit": {"operation": {"name": "suppress", "where": {"column": "name", "equals": NAMES[0]}}},
    }
    az.run(_project(folder, attributes))
    secret = (folder / "keys" / "k.key").read_text().strip()
    for path in (folder / "out").iterdir():
        content = path.read_text("utf-8")
        for canary in (*NAMES, "Friedrichshafen", secret, "k.key"):
            assert canary not in content, (path.name, canary)
    rows = _released(folder)
    assert {row["name"] for row in rows} == set(table.values())
    assert sum(not row["visit"] for row in rows) == 3


def test_in_a_complete_project_the_gate_counts_what_the_operations_left(folder):
    attributes = {
        "name": {"role": "identifier", "operation": KEY},
        "age": {
            "role": "quasi-identifier", "hierarchy": {"flat": True}, "operation": {"name": "round", "base": 100},
        },
    }  # fmt: skip
    privacy = [{"model": "k-anonymity", "k": 12}]
    evidence = az.run(_project(folder, attributes, kind="complete", privacy=privacy))
    assert evidence["method"]["levels"] == {"age": 0}  # all ages are 0 already: nothing needs generalizing
    assert evidence["privacy"][0]["achieved"] == 12
    assert {row["age"] for row in _released(folder)} == {"0"}
    assert evidence["risk"]["singled_out_before"] == 0
    assert {row["name"] for row in _released(folder)}.isdisjoint(NAMES)
    assert evidence["attributes"][0]["operations"][0]["key"] == "given"


def test_all_is_repeatable_by_the_seed(folder):
    attributes = {
        "name": {"operation": {"name": "substitute", "made": True}},
        "visit": {"operation": {"name": "shift-dates", "person": "name", "days": 20}},
    }
    releases = []
    for seed in (1, 1, 2):
        az.run(_project(folder, attributes, sample=6, seed=seed))
        releases.append(_released(folder))
    assert releases[0] == releases[1] != releases[2]
    assert len(releases[0]) == 6
    shape = {tuple(c.isupper() for c in name) for name in NAMES}
    assert {tuple(c.isupper() for c in row["name"]) for row in releases[0]} <= shape


@pytest.mark.parametrize(
    ("attributes", "more", "words"),
    [
        (
            {"name": {"operation": {"name": "pseudonymise"}}},
            {},
            like("operation.unknown", name="pseudonymise", hint=near("pseudonymize")),
        ),
        ({"name": {"operation": "mask"}}, {}, "project.operation-needs-name"),
        (
            {"name": {"operation": [{"name": "mask"}, {"name": "mask", "frist": 1}]}},
            {},
            like("declared.unknown-parameter", name="frist"),
        ),
        ({"name": {"operation": {"name": "pseudonymize"}}}, {}, like("pseudonymize.needs-key", column="name")),
        ({"name": {"operation": {"name": "encrypt", "key": "no"}}}, {}, "operation.key-file-not-readable"),
        ({"name": {"operation": {"name": "round", "base": 1}}}, {}, "round.column-not-numbers"),
        (
            {"name": {"operation": {"name": "substitute", "table": {}}}},
            {},
            like("substitute.table-misses-values", left=12),
        ),
        ({"nam": {"operation": {"name": "mask"}}}, {}, like("column.unknown", name="nam", hint=near("name"))),
        ({}, {"privacy": [{"model": "k-anonymity", "k": 2}]}, "project.light-with-privacy"),
        ({}, {"kind": "complete"}, like("project.key-needed", key="privacy")),
        ({}, {"sample": 13}, like("sample.more-rows-than-there-are", number=13, rows=12)),
        ({}, {"sample": 1.5}, "sample.neither-share-nor-number"),
    ],
)
def test_what_is_wrong_is_one_sentence_with_its_line(folder, attributes, more, words):
    with failing(words, az.InputError) as refused:
        az.run(_project(folder, attributes, **more))
    assert not any(name in str(refused.value) for name in NAMES)
    assert re.match(r"project\.yaml:\d+:\d+: ", str(refused.value))
    assert str(refused.value).count("project.yaml") == 1
    assert not (folder / "out").exists()


@pytest.mark.parametrize("place", ["data", "out"])
def test_a_key_beside_the_data_or_in_the_release_is_refused(folder, place):
    (folder / place).mkdir(exist_ok=True)
    az.mask.new_key(folder / place / "k.key")
    attributes = {"name": {"operation": {"name": "encrypt", "key": f"{place}/k.key"}}}
    with pytest.raises(az.InputError):
        az.run(_project(folder, attributes))
    if place == "data":
        with failing("operation.key-file-beside-data", az.ParameterError):
            az.run(_project(folder, attributes))


def test_candidates_and_frontier_need_models(folder):
    project = _project(folder, {})
    for ask in (lambda: candidates_of(project), lambda: frontier_of(project, [2])):
        with failing("plan.light-has-no-models", az.InputError):
            ask()


def test_the_schema_knows_operations_and_light_projects(folder):
    import jsonschema

    from antifaz.projects.catalogue import project_schema

    validate = jsonschema.Draft202012Validator(project_schema()).validate
    good = yaml.safe_load(_project(folder, {"name": {"operation": [KEY, {"name": "mask"}]}}, sample=0.5).read_text())
    validate(good)
    for bad in ({**good, "privacy": []}, {**good, "kind": "complete"}):
        with pytest.raises(jsonschema.ValidationError):
            validate(bad)
    good["attributes"]["name"]["operation"] = {"name": "mask", "frist": 1}
    with pytest.raises(jsonschema.ValidationError):
        validate(good)
