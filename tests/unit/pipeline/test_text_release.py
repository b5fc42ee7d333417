"""Rows written as text: the file that is named, the delimiter that is chosen, read back by another reader."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

import antifaz as az
from antifaz.core.errors import InputError, ParameterError, ProjectError
from failing import failing

PEOPLE = az.datasets.people(60, seed=1).select(["name", "age", "sex", "diagnosis"])
ROLES = {"name": "identifier", "age": "quasi-identifier", "sex": "quasi-identifier", "diagnosis": "sensitive"}
HIERARCHIES = {"age": az.hierarchy.intervals(20, 40), "sex": az.hierarchy.flat()}


def project(folder: Path, release: dict[str, Any]) -> Path:
    PEOPLE.to_pandas().to_csv(folder / "people.csv", index=False)
    attributes: dict[str, Any] = {name: {"role": role} for name, role in ROLES.items()}
    attributes["age"]["hierarchy"] = {"intervals": [20, 40]}
    attributes["sex"]["hierarchy"] = {"flat": True}
    wanted = {"antifaz": 1, "source": {"path": "people.csv"}, "attributes": attributes, "release": release}
    wanted["privacy"] = [{"model": "k-anonymity", "k": 3}]
    path = folder / "project.yaml"
    path.write_text(yaml.safe_dump(wanted, allow_unicode=True), encoding="utf-8")
    return path


def read(path: Path, delimiter: str) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file, delimiter=delimiter))


@pytest.mark.parametrize(
    ("release", "name", "delimiter"),
    [
        ({"path": "out/people.txt", "delimiter": "|"}, "people.txt", "|"),
        ({"path": "out/people.txt"}, "people.txt", ";"),
        ({"path": "out/", "format": "txt", "delimiter": " "}, "release.txt", " "),
        ({"path": "out/", "delimiter": ";"}, "release.csv", ";"),
        ({"path": "out/mine.tsv"}, "mine.tsv", "\t"),
    ],
)
def test_a_project_says_file_and_delimiter(tmp_path: Path, release: dict[str, Any], name: str, delimiter: str) -> None:
    path = project(tmp_path, release)
    for _ in range(2):  # the second replaces the first
        evidence = az.run(path)
    assert evidence["released"]["file"] == name
    assert evidence["released"].get("delimiter", delimiter) == delimiter
    assert {each.name for each in (tmp_path / "out").iterdir()} == {
        name, "evidence.json", "record.json", "report.html",
    }  # fmt: skip
    header, *rows = read(tmp_path / "out" / name, delimiter)
    assert header == ["age", "sex", "diagnosis"]
    assert len(rows) == evidence["rows"]["released"]
    assert sorted(row[2] for row in rows) == sorted(PEOPLE["diagnosis"].to_pylist())


def test_a_file_of_others_is_not_replaced(tmp_path: Path) -> None:
    path = project(tmp_path, {"path": "out/people.txt"})
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "people.txt").write_text("mine")
    with failing("release.target-not-free", InputError):
        az.run(path)
    assert (tmp_path / "out" / "people.txt").read_text() == "mine"


def test_the_library_and_the_command_line_name_the_file(tmp_path: Path) -> None:
    release = az.anonymize(PEOPLE, roles=ROLES, hierarchies=HIERARCHIES, privacy=az.KAnonymity(3), seed=1)
    assert release.save(tmp_path / "out" / "a.txt", delimiter="|") == tmp_path / "out"
    assert read(tmp_path / "out" / "a.txt", "|")[0] == ["age", "sex", "diagnosis"]
    assert json.loads((tmp_path / "out" / "evidence.json").read_text())["released"]["delimiter"] == "|"
    az.run(project(tmp_path, {"delimiter": "|"}), out=tmp_path / "other" / "b.txt")
    assert read(tmp_path / "other" / "b.txt", "|")[0] == ["age", "sex", "diagnosis"]
    for wrong, format in (('"', "txt"), ("||", "txt"), ("|", "parquet")):
        with failing("release.delimiter-wrong", ParameterError):
            release.save(tmp_path / "no", format, delimiter=wrong)
    with pytest.raises(ProjectError, match="delimiter"):
        az.run(project(tmp_path, {"delimiter": "||"}))
    assert not (tmp_path / "no").exists()
