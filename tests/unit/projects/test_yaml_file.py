"""Reading YAML and JSON with the place of every key."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from antifaz.core.errors import ProjectError
from antifaz.projects import yaml_file
from antifaz.projects.yaml_file import parse_yaml, read_yaml
from failing import failing, like


def _read(tmp_path, text):
    path = tmp_path / "p.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_yaml(path)


def test_the_place_of_every_key_is_known(tmp_path):
    document = _read(tmp_path, "a: 1\nb:\n  - {c: 2, d: 3}\n  - e\n")
    assert document.data == {"a": 1, "b": [{"c": 2, "d": 3}, "e"]}
    assert document.where(("a",)) == "p.yaml:1:1"
    assert document.where(("b", 0, "d")) == "p.yaml:3:12"
    assert document.where(("b", 1)) == "p.yaml:4:5"
    assert document.where(("b", 0, "nothing", "deeper")) == "p.yaml:3:5"
    assert document.where(("nothing",)) == "p.yaml:1:1"


@pytest.mark.parametrize("key", ["no", "yes", "2020", "1.0", "0x1f", "2020-01-01", "null", "~", "1:30", "on", "="])
def test_keys_are_text(tmp_path, key):
    assert _read(tmp_path, f"{key}: 1\n").data == {key: 1}


def test_a_key_in_quotes_means_itself(tmp_path):
    assert _read(tmp_path, "\"a b\": 1\n'c': 2\n").data == {"a b": 1, "c": 2}


def test_merge_keys_and_aliases_work(tmp_path):
    text = "base: &b {role: sensitive, type: text}\nmine: {<<: *b, type: date}\nagain: *b\n"
    assert _read(tmp_path, text).data["mine"] == {"role": "sensitive", "type": "date"}
    assert _read(tmp_path, text).data["again"] == {"role": "sensitive", "type": "text"}


def test_json_is_read_as_json(tmp_path):
    data = {"big": 1e5, "text": '\U0001f600 \t"', "list": [1, None, True], "no": False}
    for indent in (None, 2, "\t"):
        document = _read(tmp_path, json.dumps(data, indent=indent))
        assert document.data == data
        assert document.where(("big",)).startswith("p.yaml:")


def test_yaml_in_its_flow_form_is_not_json(tmp_path):
    assert _read(tmp_path, "{a: 1, b: [x, y]}").data == {"a": 1, "b": ["x", "y"]}


def test_a_byte_order_mark_is_skipped(tmp_path):
    assert _read(tmp_path, b"\xef\xbb\xbfa: 1\n").data == {"a": 1}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: 1\nb: 2\na: 3\n", like("project.key-twice", file="p.yaml", line=3, column=1, key="a", first=1)),
        ('{"a": {"b": 1, "b": 2}}', like("project.key-twice", key="b")),
        ("a: [1, 2\n", like("project.not-yaml", file="p.yaml:2:1")),
        ("a: b: c\n", like("project.not-yaml", file="p.yaml:1:5")),
        ("\ta: 1\n", like("project.not-yaml", file="p.yaml:1:1")),
        ("? [x]\n: 1\n", like("project.not-yaml", problem="a key is text, not a list or a mapping")),
        ("a: !!python/name:os.system\n", like("project.not-yaml", file="p.yaml:1:4")),
        ("&a {x: *a}\n", "project.too-many-parts"),
        ("[" * 3000, "project.neither-yaml-nor-json"),
        (b"a: \xff\n", "project.not-utf-8"),
        (b"\x00", "project.neither-yaml-nor-json"),
    ],
    ids=lambda part: str(part)[:24],
)
def test_what_can_not_be_read_is_said_with_its_place(tmp_path, text, words):
    with failing(words, ProjectError):
        _read(tmp_path, text)


def test_files_that_are_not_there(tmp_path):
    with failing("project.file-not-found", ProjectError):
        read_yaml(tmp_path / "nothing.yaml")
    with failing("project.is-a-folder", ProjectError):
        read_yaml(tmp_path)


def test_an_empty_file_holds_nothing(tmp_path):
    assert _read(tmp_path, "").data is None
    assert _read(tmp_path, "# only a comment\n").data is None


@pytest.mark.parametrize(
    "text",
    [
        "a: 1\nb: {c: [x, 'y z', \"\\u00e9\"], d: null}\n",
        "país: 'Ñandú'  # año\n姓名: [\U0001f600, é]\nlast: {ñ: 1}\n",
        "base: &b {role: sensitive}\nmine: {<<: *b, type: date}\n",
        "text: |\n  two\n  lines\nfolded: >-\n  one\n  line\nwhen: 2020-01-01\nyes: no\n1.0: 1e5\n",
        "",
        "- a\n- - b\n  - {}\n",
    ],
)
def test_both_parsers_read_the_same_at_the_same_places(monkeypatch, text):
    quick = parse_yaml(text, Path("p.yaml"))
    monkeypatch.setattr(yaml_file, "_FastLoader", yaml_file._Loader)
    slow = parse_yaml(text, Path("p.yaml"))
    assert quick == slow
    assert str(quick.data) == str(slow.data)  # types too


@pytest.mark.parametrize("text", ["a:\t1\n", "a: 1\t\n", "a: [1,\t2]\n", "a: x\ty\n", "a: 1 \t# said\n", "a: 'x\ty'\n"])
def test_both_parsers_take_the_same_tabs(monkeypatch, text):
    def read():
        try:
            return parse_yaml(text, Path("p.yaml"))
        except ProjectError as error:
            return str(error)

    quick = read()
    monkeypatch.setattr(yaml_file, "_FastLoader", yaml_file._Loader)
    assert quick == read()


@pytest.mark.parametrize("part", ["[", "- ", "{a: ", "? "])
def test_a_file_that_is_nested_without_end_is_refused(part):
    with failing("project.neither-yaml-nor-json"):
        parse_yaml(part * 100_000, Path("p.yaml"))
