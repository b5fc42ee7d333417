"""Attackers from files: what is said, and where a file is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from antifaz.core.errors import ProjectError, SchemaError
from antifaz.projects.attackers import read_attackers
from antifaz.risk import Attacker

NEIGHBOUR = "name: a neighbour\nknows: [age, postcode]\nof: 200\nexactly: {age: 2, postcode: first 3}\nnoise: 0.1\n"


def _file(folder: Path, text: str, name: str = "a.yaml") -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def test_one_or_several_in_yaml_or_json(tmp_path: Path) -> None:
    one = Attacker(
        name="a neighbour", knows=["age", "postcode"], of=200, exactly={"age": 2, "postcode": "first 3"}, noise=0.1
    )
    assert read_attackers([_file(tmp_path, NEIGHBOUR)]).attackers == (one,)
    listed = _file(
        tmp_path, '{"attackers": [{"name": "x", "knows": "age"}, {"name": "y", "knows": ["sex"]}]}', "b.json"
    )
    assert [each.who for each in read_attackers([tmp_path / "a.yaml", listed]).attackers] == ["a neighbour", "x", "y"]
    assert read_attackers([]).attackers == ()


@pytest.mark.parametrize(
    ("text", "where", "says"),
    [
        ("name: x\nknows: [age]\nof: 0\n", "a.yaml:3:1", "of should be greater"),
        (
            "- name: x\n  knows: [age]\n- name: y\n  knws: [age]\n",
            "a.yaml:4:3",
            "no key 'knws' here.*did you mean 'knows'",
        ),
        ("- name: x\n", "a.yaml:1:3", "'knows' is needed"),
        ("attackers:\n  - {name: x, knows: [age], noise: 2}\n", "a.yaml:2:29", "noise should be less"),
        ("name: x\nknows: [age]\nexactly:\n  sex: 1\n", "a.yaml:3:1", "'sex' is not"),
        ("attackers: []\n", "a.yaml:1:1", "each a mapping"),
        ("attackers:\n- name: x\n  knows: a\nattacker: 1\n", "a.yaml:4:1", "no key 'attacker'.*did you mean"),
        ("- 1\n", "a.yaml:1:3", "each a mapping"),
        ("- {name: x, knows: a}\n- {name: x, knows: b}\n", "a.yaml:2:4", "two attackers are called 'x'"),
        ("name: [\n", "a.yaml:2:1", "expected"),
    ],
)
def test_a_wrong_file_says_where(tmp_path: Path, text: str, where: str, says: str) -> None:
    with pytest.raises(ProjectError, match=says) as error:
        read_attackers([_file(tmp_path, text)])
    assert str(error.value).startswith(f"{where}: ")
    assert "\n" not in str(error.value)


def test_what_does_not_fit_the_tables_says_where_too(tmp_path: Path) -> None:
    described = read_attackers([_file(tmp_path, "- name: x\n  knows:\n    - age\n    - agee\n")])
    with pytest.raises(SchemaError, match=r"^a.yaml:4:7: attacker 'x': there is no column 'agee'"), described.placed():
        raise SchemaError("attacker 'x': there is no column 'agee' in both tables.")
    with pytest.raises(SchemaError, match=r"^something else"), described.placed():
        raise SchemaError("something else")
