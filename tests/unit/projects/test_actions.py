"""Every use case as one function."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
import yaml

import antifaz as az
from antifaz.core.errors import HierarchyError, InputError, ParameterError, PrivacyNotReached, SchemaError
from antifaz.core.progress import Progress
from antifaz.projects import actions
from antifaz.projects.demo import demo
from failing import failing, like, near

ROLES = {"name": "identifier", "age": "quasi-identifier", "sex": "quasi-identifier", "diagnosis": "sensitive"}
HIERARCHIES = {"age": az.hierarchy.intervals(5, 20), "sex": az.hierarchy.flat()}


@pytest.fixture
def people():
    return az.datasets.people(200, seed=1).select(["name", "age", "sex", "diagnosis", "income"])


def _anonymize(people, **changes):
    given = {"roles": ROLES, "hierarchies": HIERARCHIES, "privacy": az.KAnonymity(3), "seed": 1, "others": "release"}
    return az.anonymize(people, **given | changes)


def test_anonymize(people):
    release = _anonymize(people)
    assert release.frame.column_names == ["age", "sex", "diagnosis", "income"]
    assert release.evidence["rows"] == {"read": 200, "released": 200, "suppressed": 0}
    assert release.evidence["warnings"] == ["No role was given for income: released as they are (insensitive)."]
    assert az.verify(release.frame, ["age", "sex"], az.KAnonymity(3))[0].holds


def test_the_same_seed_gives_the_same_rows_in_the_same_order(people):
    assert _anonymize(people).frame.equals(_anonymize(people).frame)
    assert not _anonymize(people).frame.equals(_anonymize(people, seed=2).frame)
    assert not _anonymize(people, seed=None).frame.equals(_anonymize(people, seed=None).frame)


def test_a_release_can_be_saved_and_read_again(people, tmp_path):
    release = _anonymize(people)
    folder = release.save(tmp_path / "out")
    told = json.loads((folder / "evidence.json").read_text("utf-8"))
    assert told["released"]["rows"] == 200
    assert told["released"]["columns"] == ["age", "sex", "diagnosis", "income"]
    with az.open(folder / "release.csv") as data:
        assert data.to_arrow().num_rows == 200


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"roles": {"agee": "sensitive"}}, SchemaError, like("column.unknown", hint=near("age"))),
        ({"roles": {"age": "quasi"}}, SchemaError, "column.unknown-role"),
        ({"roles": {"name": "identifier"}, "hierarchies": {}}, SchemaError, "plan.no-quasi-identifier"),
        ({"hierarchies": {"sexx": "x.csv"}}, SchemaError, like("column.unknown", name="sexx")),
        (
            {"hierarchies": {"age": az.hierarchy.flat()}},
            HierarchyError,
            like("plan.method-needs-hierarchy", column="sex"),
        ),
        ({"privacy": []}, ParameterError, "plan.no-privacy-model"),
        ({"privacy": az.LDiversity(2, attribute="income")}, ParameterError, "model.not-sensitive-attribute"),
        (
            {"privacy": az.KAnonymity(201)},
            PrivacyNotReached,
            like("method.not-reached-but", nearest=[like("method.nearest-k", k=200)]),
        ),
    ],
)
def test_what_can_not_be_done_is_said(people, changes, error, words):
    with failing(words, error):
        _anonymize(people, **changes)


def test_numbers_that_are_not_generalized_stay_numbers():
    table = pa.table({"q": [1.0, 1.0, 2.5, 2.5], "i": [1, 1, 2, 2], "s": ["a", "b", "a", "b"]})
    release = az.anonymize(
        table,
        roles={"q": "quasi-identifier", "i": "quasi-identifier", "s": "sensitive"},
        hierarchies={"q": az.hierarchy.flat(), "i": az.hierarchy.flat()},
        privacy=az.KAnonymity(2),
        seed=1,
    )
    assert release.frame.schema.field("q").type == pa.float64()
    assert release.frame.schema.field("i").type == pa.int64()


def test_verify_counts_missing_values_as_values():
    frame = pa.table({"q": ["a", "a", None], "s": ["x", " X", "y"]})
    verdicts = az.verify(frame, ["q"], [az.KAnonymity(2), az.LDiversity(2, attribute="s")])
    assert [verdict.achieved for verdict in verdicts] == [1, 1]
    assert [verdict.failing for verdict in verdicts] == [1, 3]


def test_verify_takes_paths_and_opened_data(people, tmp_path):
    pyarrow.csv.write_csv(people, tmp_path / "p.csv")
    with az.open(tmp_path / "p.csv") as data:
        assert az.verify(data, ["sex"], az.KAnonymity(5)) == az.verify(tmp_path / "p.csv", ["sex"], az.KAnonymity(5))


def test_steps_are_told(people):
    told = []
    _anonymize(people, progress=Progress(lambda step, share, message: told.append(step)))
    assert {"read", "count", "decide", "apply", "verify"} <= set(told)


def test_inspect_shows_no_rare_value(tmp_path):
    random = np.random.default_rng(1)
    table = pa.table({"town": [*random.choice(["Berlin", "Bonn"], 99), "CANARY"], "age": [*range(99), 999999]})
    pyarrow.csv.write_csv(table, tmp_path / "p.csv")
    found = actions.inspect(tmp_path / "p.csv")
    assert found["rows"] == 100
    assert "CANARY" not in str(found)
    assert "999999" not in str(found)


def test_init_writes_a_project_that_loads_and_runs(people, tmp_path):
    pyarrow.csv.write_csv(people, tmp_path / "p.csv")
    path = actions.init(tmp_path / "p.csv", tmp_path / "deeper/p.yaml")
    assert yaml.safe_load(path.read_text("utf-8"))["source"] == {"path": "../p.csv"}
    told = actions.run(path)
    assert told["rows"]["read"] == 200
    with failing("file.exists-already", InputError):
        actions.init(tmp_path / "p.csv", path)


def test_a_target_that_can_not_be_replaced_is_refused_before_the_data_is_read(people, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out/mine.txt").write_text("mine", encoding="utf-8")
    project = {"antifaz": 1, "source": {"path": "nothing.csv"}, "attributes": {}, "privacy": []}
    (tmp_path / "p.yaml").write_text(json.dumps(project), encoding="utf-8")
    with failing("release.target-not-free", InputError, what=like("release.holds-strange-files")):
        actions.run(tmp_path / "p.yaml")
    with failing("file.not-found-near", InputError, path=str(tmp_path / "nothing.csv")):
        actions.run(tmp_path / "p.yaml", out=tmp_path / "elsewhere")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "p.yaml"]


def test_the_demo_is_repeatable(tmp_path):
    for name in ("one", "other"):
        demo(tmp_path / name, rows=300, seed=5)
    assert (tmp_path / "one/release.csv").read_bytes() == (tmp_path / "other/release.csv").read_bytes()


@pytest.mark.parametrize(
    ("said", "given", "expected"),
    [
        ({"name": "local", "threads": 2}, {"name": "spark"}, {"engine": "spark", "threads": 2}),
        ({"name": "local"}, {"master": "local[2]"}, {"engine": "spark", "master": "local[2]"}),
        ({"master": "yarn", "tuples": 9, "threads": 2}, {"name": "local"}, {"engine": "local", "threads": 2}),
        ({"master": "yarn"}, {"name": "spark"}, {"engine": "spark", "master": "yarn"}),
        ({"master": "yarn"}, {}, {"engine": "spark", "master": "yarn"}),
    ],
)
def test_the_engine_that_is_given_wins_over_the_file(tmp_path, said, given, expected):
    table = {"source": {"path": "p.csv"}, "attributes": {}}
    whole = {"antifaz": 1, "engine": said, "privacy": []}
    for number, project in enumerate(({**whole, **table}, {**whole, "tables": {"one": table}})):
        path = tmp_path / f"{number}.yaml"
        path.write_text(json.dumps(project), encoding="utf-8")
        first = actions.explain(path, engine=given)["steps"][0]
        assert {key: value for key, value in first["with"].items() if key != "source"} == expected
    with failing("project.master-needs-spark", ParameterError):
        actions.run(tmp_path / "0.yaml", engine={"name": "local", "master": "local[2]"})
