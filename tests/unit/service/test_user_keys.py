"""Keys of the page: in memory, by their owner, and put into a project only where one of its operations names them."""

import base64

import pytest

from antifaz.core.errors import InputError, ParameterError
from antifaz.service.errors import NotFound
from antifaz.service.user_keys import UserKeys, with_keys
from antifaz.service.worker import _load
from failing import failing


def test_a_key_is_its_owners_and_never_another_one_under_its_name():
    keys = UserKeys()
    text = keys.make("ana", "a.key")
    assert len(base64.b64decode(text)) == 64
    assert (keys.names("ana"), keys.names("ben"), keys.for_job("ben")) == (["a.key"], [], {})
    keys.add("ana", "a.key", text + "\n")  # the same one once more is the same one
    with failing("service.key-name-taken", InputError, name="a.key"):
        keys.make("ana", "a.key")
    with failing("operation.key-of-wrong-length", ParameterError):
        keys.add("ana", "b.key", "short")
    with failing("service.key-not-found", NotFound):
        keys.forget("ben", "a.key")
    assert keys.forget_all("ana") and not keys.forget_all("ana")


@pytest.mark.parametrize("name", ["", "../a.key", "/a", ".hidden", "a/b", "x" * 101])
def test_a_name_that_could_be_a_place_is_refused(name):
    with failing("service.key-name-wrong", InputError):
        UserKeys().make("ana", name)


def test_keys_stand_where_operations_name_them():
    told = {"a.key": base64.b64encode(bytes(range(32))).decode()}
    given = {
        "attributes": {"x": {"operation": [{"name": "encrypt", "key": "a.key"}, {"key": "b.key"}]}},
        "name": "a.key",
    }
    made = with_keys(given, told)
    assert made["attributes"]["x"]["operation"] == [{"name": "encrypt", "key": bytes(range(32))}, {"key": "b.key"}]
    assert made["name"] == "a.key" and given["attributes"]["x"]["operation"][0]["key"] == "a.key"


@pytest.mark.parametrize(("engine", "master"), [("{name: spark}", "local[1]"), ("{name: local}", None)])
def test_the_master_of_the_service_is_that_of_projects_on_spark(engine, master):
    text = f"antifaz: 1\nsource: {{path: a.csv}}\nattributes: {{}}\nkind: light\nengine: {engine}\n"
    spec = {"text": text, "file": "project.yaml", "kind": "run", "asked": {}, "tables": {}, "spark": "local[1]"}
    assert _load(spec).project.engine.master == master
