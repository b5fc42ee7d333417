"""Project files: what they may say, and what is said about what they may not."""

from __future__ import annotations

import json
import re

import pytest

from antifaz.core.errors import HierarchyError, ProjectError, SchemaError, hint
from antifaz.core.roles import Role
from antifaz.methods import FullDomain
from antifaz.privacy import KAnonymity, LDiversity
from antifaz.projects.loaded_project import load_project
from failing import failing, like, near

PROJECT = {
    "antifaz": 1,
    "source": {"path": "data/people.csv", "delimiter": ";", "missing": ["?"]},
    "attributes": {
        "id": {"role": "identifier"},
        "age": {"role": "quasi-identifier", "type": "integer", "hierarchy": {"intervals": [5, 10]}},
        "town": {"role": "quasi-identifier", "hierarchy": "towns.csv"},
        "illness": {"role": "sensitive"},
    },
    "privacy": [{"model": "k-anonymity", "k": 5}, {"model": "l-diversity", "l": 2, "attribute": "illness"}],
}


def _load(tmp_path, **changes):
    path = tmp_path / "p.yaml"
    path.write_text(json.dumps({**PROJECT, **changes}, indent=1), encoding="utf-8")
    return load_project(path)


def test_everything_is_made_from_the_declarations(tmp_path):
    loaded = _load(
        tmp_path, method={"name": "full-domain", "suppression": 0.1}, engine={"threads": 2, "memory": "1 GB"}
    )
    assert loaded.models == (KAnonymity(5), LDiversity(2, attribute="illness"))
    assert loaded.method == FullDomain(suppression=0.1)
    assert loaded.project.attributes["id"].role is Role.IDENTIFIER
    assert loaded.project.source.options() == {"delimiter": ";", "missing": ("?",)}
    assert loaded.project.engine.options() == {"threads": 2, "memory": "1 GB"}
    assert loaded.folder == tmp_path
    assert set(loaded.hierarchies) == {"age", "town"}
    assert loaded.hierarchies["town"].path == tmp_path / "towns.csv"


def test_what_is_left_out_has_defaults(tmp_path):
    project = _load(tmp_path).project
    assert (project.name, project.release.path, project.release.format) == ("release", "out/", "csv")
    assert project.seed is None
    assert _load(tmp_path).method == FullDomain()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"antifaz": "one"}, like("project.key-wrong", key="antifaz", expected="1")),
        ({"nam": "x"}, like("project.unknown-key", key="nam", hint=near("name"))),
        ({"name": 7}, like("project.key-wrong", key="name", expected=like("expected.text"))),
        (
            {"privacy": {"model": "k-anonymity"}},
            like("project.key-wrong", key="privacy", expected=like("expected.list")),
        ),
        ({"privacy": ["k-anonymity"]}, like("project.key-wrong", key="privacy.0", expected=like("expected.mapping"))),
        ({"privacy": [{"k": 5}]}, "project.privacy-needs-model"),
        ({"privacy": [{"model": "k-anonymity"}]}, like("declared.parameter-needed", name="k-anonymity", where="k")),
        ({"privacy": [{"model": 5}]}, like("declared.unknown-name", kind="privacy model", name="5")),
        ({"method": {"quality": "loss"}}, "project.method-needs-key-name"),
        ({"method": "full-domain"}, like("project.key-wrong", key="method", expected=like("expected.mapping"))),
        ({"seed": "x"}, like("project.key-wrong", key="seed", expected=like("expected.whole-number"))),
        (
            {"engine": {"threads": 1.5}},
            like("project.key-wrong", key="engine.threads", expected=like("expected.whole-number")),
        ),
        ({"engine": {"memory": "2"}}, like("project.key-wrong", key="engine.memory", expected=like("expected.size"))),
        (
            {"engine": {"name": "quantum"}},
            like("project.key-wrong", key="engine.name", expected="'local', 'database', 'sql' or 'spark'"),
        ),
        ({"source": "people.csv"}, like("project.key-wrong", key="source", expected=like("expected.mapping"))),
        (
            {"source": {"path": "p.csv", "header": "perhaps"}},
            like("project.key-wrong", key="source.header", expected=like("expected.true-or-false")),
        ),
        (
            {"source": {"path": "p.csv", "missing": "?"}},
            like("project.key-wrong", key="source.missing", expected=like("expected.list")),
        ),
        ({"attributes": ["age"]}, like("project.key-wrong", key="attributes", expected=like("expected.mapping"))),
        ({"attributes": {"age": {"hierarchy": {}}}}, "hierarchy.unknown-builder"),
        ({"attributes": {"age": {"hierarchy": {"flat": True, "masking": 1}}}}, "hierarchy.made-in-several-ways"),
        ({"attributes": {"age": {"hierarchy": 5}}}, "hierarchy.not-a-builder-path-or-mapping"),
    ],
    ids=str,
)
def test_what_is_wrong_is_said_with_its_place(tmp_path, changes, words):
    with failing(words, ProjectError) as caught:
        _load(tmp_path, **changes)
    assert re.match(r"p\.yaml:\d+:\d+: ", str(caught.value))


@pytest.mark.parametrize(
    ("entry", "key"),
    [
        ({"model": "k-anonymity", "k": 0}, '"k"'),
        ({"model": "k-anonymity", "k": 5, "kk": 1}, '"kk"'),
        ({"model": "k-anonimity", "k": 5}, '"model"'),
        ({"model": "l-diversity", "l": 2, "kind": "nothing"}, '"kind"'),
    ],
)
def test_an_error_of_a_model_points_at_the_key(tmp_path, entry, key):
    with pytest.raises(ProjectError) as caught:
        _load(tmp_path, privacy=[entry])
    line, column = (int(part) for part in str(caught.value).split(":")[1:3])
    text = (tmp_path / "p.yaml").read_text(encoding="utf-8").splitlines()
    assert text[line - 1][column - 1 :].startswith(key)


def test_errors_about_columns_get_their_place(tmp_path):
    loaded = _load(tmp_path)
    for error in (
        SchemaError("column.unknown", name="town", hint=hint("town", ["age"])),
        HierarchyError("hierarchy.misses-values", ["x"], column="town", count=1),
    ):
        with failing("project.in-file", type(error), error=error.message) as caught, loaded.of_columns():
            raise error
        assert re.match(r"p\.yaml:\d+:3: ", str(caught.value))
        assert getattr(caught.value, "values", ("x",)) == ("x",)
    with failing("plan.no-quasi-identifier", SchemaError) as caught, loaded.of_columns():
        raise SchemaError("plan.no-quasi-identifier")
    assert caught.value.code == "plan.no-quasi-identifier"
