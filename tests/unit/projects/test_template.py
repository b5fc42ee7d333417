"""What `init` writes can be read again, whatever the columns are called."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pytest
import yaml

import antifaz as az
from antifaz.core.yaml_flow import yaml_flow
from antifaz.engines.local import data as local_data
from antifaz.engines.local.data import open_local
from antifaz.projects.actions import init, run
from antifaz.projects.loaded_project import load_project
from antifaz.projects.template import project_template

NAMES = [
    "age", "no", "Yes", "null", "~", "2020", "1e5", "a b", "a: b", "a #b", "- a", "-", "{x}", "[y]", "&z", "*w", "!t",
    "%p", "@at", "`b`", "'q'", '"dq"', "ñandú", "日本", "new\nline", "tab\there", "back\\slash", "<<", "=", "?", ":",
    ",", "antifaz", "role", "\U0001f600", "e\u0301", "long " * 300,
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_any_name_of_a_column_comes_back(tmp_path, name):
    project = tmp_path / "p.yaml"
    table = pa.table({name: ["a", "b"] * 20, "other column": range(40)})
    with open_local(table) as data:
        project.write_text(project_template(data, tmp_path / "data.csv", project, {}), encoding="utf-8")
        loaded = load_project(project)
        data.schema.require(list(loaded.project.attributes))
    assert list(loaded.project.attributes) == [name, "other column"]


@pytest.mark.parametrize(
    "file", ["data.csv", "with space.csv", "no.csv", "it's #1.csv", "2020.csv", "ñ.csv", "a: b.csv"]
)
def test_any_name_of_a_file_comes_back(tmp_path, file):
    project = tmp_path / "deep/er/p.yaml"
    project.parent.mkdir(parents=True)
    with open_local(pa.table({"a": ["x"] * 20})) as data:
        text = project_template(data, tmp_path / file, project, {"delimiter": "\t", "missing": ("?", "NA")})
    project.write_text(text, encoding="utf-8")
    source = load_project(project).project.source
    assert (loaded := (project.parent / source.path).resolve()) == (tmp_path / file).resolve(), loaded
    assert (source.delimiter, source.missing) == ("\t", ("?", "NA"))


def test_check_13_a_value_that_few_records_share_is_not_in_the_file(tmp_path):
    jobs = ["cook"] * 50 + ["clerk"] * 30 + ["nurse"] * 16 + ["Lord High Canary"] * 4 + ["Lady Canary"] * 4
    places = ["Spain"] * 60 + ["France"] * 20 + ["Italy"] * 15 + ["Peru"] * 9
    with open_local(pa.table({"occupation": jobs, "country": places})) as data:
        text = project_template(data, tmp_path / "data.csv", tmp_path / "p.yaml", {})
    assert "Canary" not in text
    assert "Peru" not in text
    assert "clerk" in text


def test_long_labels_come_back(tmp_path):
    """YAML takes no text of more than 1,024 characters for a key, unless a question mark says that it is one."""
    project, hierarchy = tmp_path / "p.yaml", {"groups": [{"x" * 2000: ["a", "b"], "y": ["c"]}]}
    with open_local(pa.table({"age": range(40)})) as data:
        text = project_template(data, tmp_path / "data.csv", project, {})
    project.write_text(
        text.replace("attributes:\n", f"attributes:\n  z: {yaml_flow({'hierarchy': hierarchy})}\n"), "utf-8"
    )
    assert load_project(project).project.attributes["z"].hierarchy == hierarchy


def test_diversity_is_not_asked_where_nearly_all_records_share_a_value(tmp_path):
    flags = {"default": ["no"] * 98 + ["yes"] * 2, "loan": ["no"] * 80 + ["yes"] * 20}
    with open_local(pa.table({"age": range(100), **flags})) as data:
        text = project_template(data, tmp_path / "data.csv", tmp_path / "p.yaml", {})
    told = [line.strip() for line in text.splitlines() if "attribute: " in line]
    offered = "- {model: beta-likeness, beta: 4, attribute: default}"
    assert told == ["- {model: l-diversity, kind: distinct, l: 2, attribute: loan}", f"# {offered}"]
    # Taken in, it holds: of a class no more than five times as many are in default as of all.
    pa.csv.write_csv(pa.table({"age": range(100), **flags}), tmp_path / "data.csv")
    (tmp_path / "p.yaml").write_text(text.replace(f"# {offered}", offered) + "seed: 1\n", encoding="utf-8")
    run(tmp_path / "p.yaml", ledger=False)
    released = pa.csv.read_csv(next((tmp_path / "out").rglob("*.csv"))).to_pylist()
    classes = Counter(row["age"] for row in released)
    rare = Counter(row["age"] for row in released if row["default"] == "yes")
    assert rare.total() == 2
    assert all(many / classes[age] <= 5 * 0.02 for age, many in rare.items())


def test_columns_are_described_once(tmp_path, monkeypatch):
    described = []
    whole = local_data.profile
    monkeypatch.setattr(local_data, "profile", lambda relation: described.append(relation) or whole(relation))
    with open_local(pa.table({"age": range(40), "note": ["x", "y"] * 20})) as data:
        project_template(data, tmp_path / "data.csv", tmp_path / "p.yaml", {})
    assert len(described) == 1


def test_what_nobody_knows_is_written_down_as_to_decide(tmp_path):
    project = tmp_path / "p.yaml"
    with open_local(pa.table({"age": [*range(40)], "xyz": ["red", "blue"] * 19 + ["green"] * 2})) as data:
        project.write_text(project_template(data, tmp_path / "data.csv", project, {}), encoding="utf-8")
    assert str(load_project(project).project.attributes["xyz"].role) == "decide"


def test_diversity_is_asked_of_the_surest_sensitive_columns_only(tmp_path):
    names = ["income", "diagnosis", "religion", "debt", "zzz"]
    table = pa.table({"age": [i % 30 for i in range(60)], **{name: [i % 17 for i in range(60)] for name in names}})
    with open_local(table) as data:
        text = project_template(data, tmp_path / "data.csv", tmp_path / "p.yaml", {})
    (tmp_path / "p.yaml").write_text(text, encoding="utf-8")
    models = load_project(tmp_path / "p.yaml").models
    assert [model.attribute for model in models[1:]] == ["income", "diagnosis", "religion"]
    assert text.count("# - {model: l-diversity") == 2


def test_of_many_quasi_identifiers_nobody_is_taken_to_know_all(tmp_path: Path) -> None:
    """No name says what the columns are about, and asked of all together nothing would be left."""
    answers = ("yes", "no", "maybe")
    table = pa.table({f"c{i}": [answers[(row * (i + 7) + row // 3) % 3] for row in range(300)] for i in range(1, 31)})
    pyarrow.csv.write_csv(table, tmp_path / "survey.csv")
    path = init(tmp_path / "survey.csv", tmp_path / "project.yaml")
    project = yaml.safe_load(path.read_text("utf-8"))
    assert {one["role"] for one in project["attributes"].values()} == {"quasi-identifier"}
    assert project["privacy"] == [{"model": "k-anonymity", "k": 5, "known": 2}]
    assert az.run(path)["privacy"][0]["holds"]
