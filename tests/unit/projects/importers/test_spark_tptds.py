"""SparkTPTDS's input: every key is checked, with one sentence; nothing is written where something is wrong."""

from __future__ import annotations

import csv
import json
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import antifaz as az
from antifaz.projects.importers.spark_tptds import categorical_trees_schema, data_information_schema, result_name
from failing import Like, failing, like, near

TREES = {"city": {"value": "Spain", "children": [
    {"value": "north", "children": [{"value": "Deva"}, {"value": "Soria"}]},
    {"value": "south", "children": [{"value": "Ronda"}]},
]}}  # fmt: skip
INFORMATION: dict[str, Any] = {
    "attributes_to_remove": ["id"],
    "sensitive_attributes": ["ill", "rich"],
    "categorical_attributes": ["city"],
    "continous_attributes": ["age"],
    "dataset_missing_values": True,
    "save_anonymization_result": True,
    "result_file_name": "result",
    "partitions": 2,
    "file_path": "people.csv",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    cities = ["Deva", "Soria", "Ronda", "Deva", "?"]
    with (tmp_path / "people.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "age", "city", "ill", "rich"])
        for n in range(200):
            rows.writerow([n, 20 + n % 40 + n % 2 / 2, cities[n % 5], "yes" if n % 40 > 20 else "no", n % 3 == 0])
    write(tmp_path, INFORMATION, TREES)
    return tmp_path


def write(folder: Path, information: object, trees: object) -> None:
    (folder / "d.json").write_text(json.dumps(information), encoding="utf-8")
    (folder / "t.json").write_text(json.dumps(trees), encoding="utf-8")


def run(folder: Path, k: int = 5, **options: Any) -> Any:
    return az.compat.spark_tptds(folder / "d.json", folder / "t.json", k=k, seed=1, **options)


def released_rows(release: Any) -> Counter[tuple[str, ...]]:
    with (Path(release.evidence["folder"]) / "release.csv").open(encoding="utf-8", newline="") as file:
        return Counter(map(tuple, csv.reader(file)))


def test_a_run(folder: Path) -> None:
    release = run(folder, k_first=8)
    place = folder / f"result_k5_{date.today().isoformat()}"
    assert release.evidence["folder"] == str(place)
    with (place / "release.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 200
    assert set(rows[0]) == {"age", "city", "ill", "rich"}
    assert min(Counter((row["age"], row["city"]) for row in rows).values()) >= 5
    # '?' was filled with the most frequent city, and every city is a label of one level of the tree.
    cities = {row["city"] for row in rows}
    assert any(cities <= level for level in ({"Spain"}, {"north", "south"}, {"Deva", "Soria", "Ronda"}))
    method = release.evidence["method"]
    assert (method["phases"], method["partitions"], method["k_first"]) == (2, 2, 8)
    assert (method["cut"], method["score"]) == ("level", "igpl")


def test_only_returned(folder: Path) -> None:
    write(folder, INFORMATION | {"save_anonymization_result": False, "partitions": 1}, TREES)
    before = set(folder.iterdir())
    release = run(folder)
    assert release.frame.num_rows == 200
    assert release.evidence["method"]["phases"] == 1
    assert set(folder.iterdir()) == before


def test_the_name_has_k_and_the_date() -> None:
    assert result_name("tds", 50, date(2026, 3, 9)) == "tds_k50_2026-03-09"


def test_the_schemas_take_what_runs() -> None:
    jsonschema.validate(INFORMATION, data_information_schema())
    jsonschema.validate(TREES, categorical_trees_schema())
    for schema in (data_information_schema(), categorical_trees_schema()):
        jsonschema.Draft202012Validator.check_schema(schema)


BROKEN: list[tuple[dict[str, Any], Like]] = [
    ({"partitions": 0}, like("data-information.key-wrong", key="partitions", what="greater than or equal to 1")),
    ({"partitions": "3"}, like("data-information.key-wrong", key="partitions", what="a whole number")),
    (
        {"dataset_missing_values": "?"},
        like("data-information.key-wrong", key="dataset_missing_values", what=like("expected.true-or-false")),
    ),
    ({"sensitive_attributes": []}, like("data-information.key-wrong", key="sensitive_attributes", what="not empty")),
    (
        {"categorical_attributes": "city"},
        like("data-information.key-wrong", key="categorical_attributes", what="a list"),
    ),
    ({"file_path": 7}, like("data-information.key-wrong", key="file_path", what="text")),
    (
        {"result_file_name": "../x"},
        like("data-information.key-wrong", key="result_file_name", what=like("expected.plain-name")),
    ),
    (
        {"continuous_attributes": ["age"]},
        like("data-information.unknown-key", key="continuous_attributes", hint=near("continous_attributes")),
    ),
]


@pytest.mark.parametrize(("change", "said"), BROKEN, ids=str)
def test_a_bad_key_is_named(folder: Path, change: dict[str, Any], said: str) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(INFORMATION | change, data_information_schema())
    write(folder, INFORMATION | change, TREES)
    refused(folder, az.ProjectError, said)


def test_without_partitions_one_machine_has_one_phase(folder: Path) -> None:
    given = {key: value for key, value in INFORMATION.items() if key != "partitions"}
    jsonschema.validate(given, data_information_schema())
    write(folder, given, TREES)
    assert run(folder).evidence["method"]["phases"] == 1


def test_an_object_per_line_as_spark_writes_json(folder: Path) -> None:
    with (folder / "people.csv").open(encoding="utf-8", newline="") as file:
        rows = [{**row, "age": float(row["age"])} for row in csv.DictReader(file)]
    (folder / "people.json").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    released = released_rows(run(folder, k=6))
    write(folder, INFORMATION | {"file_path": "people.json"}, TREES)
    assert released_rows(run(folder, k=6, out=folder / "other")) == released


@pytest.mark.parametrize("depth", [1, 2])
def test_the_depth_of_numeric_trees(folder: Path, depth: int) -> None:
    release = run(folder, depth=depth)
    (age,) = (each for each in release.evidence["attributes"] if each["name"] == "age")
    assert age["height"] == depth + 1


def test_a_release_goes_through_the_ledger(folder: Path, tmp_path: Path) -> None:
    ledger = az.Ledger(tmp_path / "ledger.sqlite")
    release = run(folder, ledger=ledger)
    assert (release.evidence["state"], ledger.releases()) == ("draft", [])
    az.hand_out(release.evidence["folder"], to="the ministry", ledger=ledger)
    (noted,) = ledger.releases()
    assert (noted["k"], noted["place"]) == (5, release.evidence["folder"])
    assert [one["recipient"] for one in noted["recipients"]] == ["the ministry"]


@pytest.mark.parametrize("key", [key for key in INFORMATION if key != "partitions"])
def test_every_other_key_is_needed(folder: Path, key: str) -> None:
    write(folder, {name: value for name, value in INFORMATION.items() if name != key}, TREES)
    refused(folder, az.ProjectError, like("data-information.key-needed", key=key))


def test_an_attribute_has_one_role(folder: Path) -> None:
    write(folder, INFORMATION | {"attributes_to_remove": ["age"]}, TREES)
    refused(
        folder,
        az.ProjectError,
        like("data-information.named-twice", name="age", first="attributes_to_remove", key="continous_attributes"),
    )


@pytest.mark.parametrize(
    ("trees", "said"),
    [
        ({}, like("categorical-trees.tree-needed", name="city")),
        ({**TREES, "town": TREES["city"]}, like("categorical-trees.unknown-attribute", name="town")),
        (
            {"city": {"children": []}},
            like("categorical-trees.tree-wrong", name="city", error=like("hierarchy.node-without-value")),
        ),
        ({"city": {"value": "a", "children": [{"value": "b"}, TREES["city"]]}}, "hierarchy.leaves-at-different-depths"),
        ({"city": {"value": "a", "children": [{"value": "b"}, {"value": "b"}]}}, "hierarchy.values-twice-in-level"),
    ],
    ids=str,
)
def test_a_bad_tree_is_named(folder: Path, trees: dict[str, Any], said: str) -> None:
    write(folder, INFORMATION, trees)
    refused(folder, az.InputError, said)


def test_a_tree_that_goes_round_is_refused(folder: Path) -> None:
    node: dict[str, Any] = {"value": "a"}
    node["children"] = [node]
    with failing("hierarchy.node-in-two-places", az.HierarchyError, why=like("hierarchy.node-refers-back")):
        az.compat.spark_tptds(INFORMATION, {"city": node}, k=5)


def test_all_values_without_a_leaf_are_named(folder: Path) -> None:
    write(folder, INFORMATION, {"city": {"value": "Spain", "children": [{"value": "Deva"}]}})
    error = refused(folder, az.HierarchyError, like("hierarchy.misses-values", column="city", count=2))
    assert error.values == ("Ronda", "Soria")


def test_k_and_its_bounds(folder: Path) -> None:
    refused(folder, az.ParameterError, like("project.k-above-records", k=201, rows=200), k=201)
    refused(folder, az.ParameterError, like("project.k-first-below-k", k=5), k_first=4)
    refused(folder, az.ParameterError, like("declared.parameter-wrong", where="k"), k=0)
    refused(folder, az.ParameterError, "project.session-needs-spark", engine="local", session=object())
    refused(folder, az.ParameterError, "project.master-needs-spark", engine="local", master="local[1]")


def test_words_are_no_numbers(folder: Path) -> None:
    write(folder, INFORMATION | {"continous_attributes": ["city"], "categorical_attributes": []}, {})
    refused(folder, az.ProjectError, like("data-information.not-numbers", name="city"))


def test_files_that_are_no_json(folder: Path) -> None:
    (folder / "d.json").write_text('{"a": }', encoding="utf-8")
    refused(folder, az.ProjectError, like("project.not-json", file="d.json", line=1, column=7))
    (folder / "d.json").unlink()
    refused(folder, az.ProjectError, "project.other-file-not-readable")


def refused(folder: Path, kind: type[az.AntifazError], expected: str | Like, **options: Any) -> Any:
    before = set(folder.iterdir())
    with failing(expected, kind) as caught:
        run(folder, **options)
    assert set(folder.iterdir()) == before
    return caught.value
