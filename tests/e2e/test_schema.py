"""The printed JSON Schema takes the project files that run, and refuses those that don't."""

from __future__ import annotations

import json

import jsonschema
import pytest
import yaml

from antifaz.projects.demo import ROLES
from e2e.conftest import PROJECT


@pytest.fixture(scope="module")
def schema():
    from antifaz.projects.catalogue import project_schema

    return project_schema()


@pytest.fixture(scope="module")
def validate(schema):
    """Check a document; that the schema itself is right is tested once, because it takes long."""
    return jsonschema.Draft202012Validator(schema).validate


def test_the_command_prints_it(antifaz, schema):
    for args in (("schema",), ("schema", "--json")):
        done = antifaz(*args)
        assert (done.code, done.err) == (0, "")
        assert json.loads(done.out) == schema
    jsonschema.Draft202012Validator.check_schema(schema)


def test_the_command_prints_that_of_the_evidence(antifaz):
    done = antifaz("schema", "evidence")
    assert (done.code, done.err) == (0, "")
    printed = json.loads(done.out)
    jsonschema.Draft202012Validator.check_schema(printed)
    assert "privacy" in printed["$defs"]["Evidence"]["properties"]


def test_it_takes_what_runs(antifaz, folder, validate):
    validate(yaml.safe_load(PROJECT))
    assert antifaz("init", "people.csv", "-o", "mine.yaml").code == 0
    validate(yaml.safe_load((folder / "mine.yaml").read_text("utf-8")))


@pytest.mark.parametrize(
    "hierarchy",
    [
        "ages.csv",
        {"file": "ages.csv", "delimiter": ";"},
        {"table": [["a", "*"], ["b", "*"]]},
        {"table": {"a": ["*"]}, "suppression": True},
        {"value": "*", "children": [{"value": "a"}]},
        {"groups": [{"x": ["a", "b"]}]},
        {"intervals": [5, 10], "low": 0},
        {"masking": 1, "levels": 3},
        {"dates": ["month", "year"]},
        {"flat": True},
    ],
    ids=str,
)
def test_it_takes_every_kind_of_hierarchy(validate, hierarchy):
    project = yaml.safe_load(PROJECT)
    project["attributes"]["age"]["hierarchy"] = hierarchy
    validate(project)


def _without(key):
    project = yaml.safe_load(PROJECT)
    del project[key]
    return project


def _with(**changes):
    return {**yaml.safe_load(PROJECT), **changes}


@pytest.mark.parametrize(
    "project",
    [
        [],
        _without("antifaz"),
        _without("source"),
        _without("privacy"),
        _with(antifaz=2),
        _with(sed=1),
        _with(source={"path": "a.csv", "pth": 1}),
        _with(source={}),
        _with(attributes={"age": {"role": "quasi"}}),
        _with(attributes={"age": {"rol": "sensitive"}}),
        _with(attributes={"age": {"hierarchy": {"intervalls": [5]}}}),
        _with(privacy=[{"model": "k-anonymity", "k": 0}]),
        _with(privacy=[{"model": "k-anonymity"}]),
        _with(privacy=[{"model": "k-anonymity", "k": 5, "kk": 1}]),
        _with(privacy=[{"model": "nothing"}]),
        _with(method={"name": "nothing"}),
        _with(method={"name": "full-domain", "suppression": 2}),
        _with(engine={"threads": 0}),
        _with(engine={"memory": "much"}),
        _with(release={"format": "xml"}),
    ],
    ids=str,
)
def test_it_refuses_what_is_broken(validate, project):
    with pytest.raises(jsonschema.ValidationError):
        validate(project)


def test_it_knows_every_role(validate):
    validate(_with(attributes={name: {"role": role} for name, role in ROLES.items()}))
