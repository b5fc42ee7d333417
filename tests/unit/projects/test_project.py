"""Project files: what they may say, and what is said about what they may not."""

from __future__ import annotations

import json

import pytest

from antifaz.core.errors import HierarchyError, ProjectError, SchemaError
from antifaz.core.roles import Role
from antifaz.methods import FullDomain
from antifaz.privacy import KAnonymity, LDiversity
from antifaz.projects.project import load_project

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
        ({"antifaz": "one"}, "antifaz should be 1"),
        ({"nam": "x"}, "no key 'nam' here .did you mean 'name'"),
        ({"name": 7}, "name should be text; put it in quotes"),
        ({"privacy": {"model": "k-anonymity"}}, "privacy should be a list"),
        ({"privacy": ["k-anonymity"]}, "privacy.0 should be a mapping"),
        ({"privacy": [{"k": 5}]}, "needs the key 'model'"),
        ({"privacy": [{"model": "k-anonymity"}]}, "'k' is needed"),
        ({"privacy": [{"model": 5}]}, "no privacy model '5'"),
        ({"method": {"quality": "loss"}}, "needs the key 'name'"),
        ({"method": "full-domain"}, "method should be a mapping"),
        ({"seed": "x"}, "seed should be a whole number"),
        ({"engine": {"threads": 1.5}}, "engine.threads should be a whole number"),
        ({"engine": {"memory": "2"}}, "engine.memory should be a size such as 2GB"),
        ({"engine": {"name": "quantum"}}, "engine.name should be 'local'"),
        ({"source": "people.csv"}, "source should be a mapping"),
        ({"source": {"path": "p.csv", "header": "perhaps"}}, "source.header should be true or false"),
        ({"source": {"path": "p.csv", "missing": "?"}}, "source.missing should be a list"),
        ({"attributes": ["age"]}, "attributes should be a mapping"),
        ({"attributes": {"age": {"hierarchy": {}}}}, "A hierarchy can't be made"),
        ({"attributes": {"age": {"hierarchy": {"flat": True, "masking": 1}}}}, "made in one way"),
        ({"attributes": {"age": {"hierarchy": 5}}}, "A hierarchy is"),
    ],
    ids=str,
)
def test_what_is_wrong_is_said_with_its_place(tmp_path, changes, words):
    with pytest.raises(ProjectError, match=rf"p\.yaml:\d+:\d+: .*{words}"):
        _load(tmp_path, **changes)


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
    for error in (SchemaError("There is no column 'town' (did you mean 'age'?)."), HierarchyError("'town'", ["x"])):
        with pytest.raises(type(error), match=r"p.yaml:\d+:3: .*'town'") as caught, loaded.of_columns():
            raise error
        assert getattr(caught.value, "values", ("x",)) == ("x",)
    with pytest.raises(SchemaError, match=r"^nothing named"), loaded.of_columns():
        raise SchemaError("nothing named")
