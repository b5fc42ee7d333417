"""Attackers from files: what is said, and where a file is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from antifaz.core.errors import ProjectError, SchemaError, hint
from antifaz.projects.data_actions import read_attackers
from antifaz.risk import Attacker
from failing import Like, failing, like, near

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
        (
            "name: x\nknows: [age]\nof: 0\n",
            "a.yaml:3:1",
            like("declared.parameter-wrong", where="of", what="greater than or equal to 1"),
        ),
        (
            "- name: x\n  knows: [age]\n- name: y\n  knws: [age]\n",
            "a.yaml:4:3",
            like("project.unknown-key", key="knws", hint=near("knows")),
        ),
        ("- name: x\n", "a.yaml:1:3", like("declared.parameter-needed", where="knows")),
        (
            "attackers:\n  - {name: x, knows: [age], noise: 2}\n",
            "a.yaml:2:29",
            like("declared.parameter-wrong", where="noise", what="less than or equal to 1"),
        ),
        (
            "name: x\nknows: [age]\nexactly:\n  sex: 1\n",
            "a.yaml:3:1",
            like("declared.parameter-wrong", what="'exactly' only about columns in 'knows', which 'sex' is not"),
        ),
        ("attackers: []\n", "a.yaml:1:1", like("project.attackers-wrong")),
        (
            "attackers:\n- name: x\n  knows: a\nattacker: 1\n",
            "a.yaml:4:1",
            like("project.unknown-key", key="attacker", hint=like("hint.did-you-mean")),
        ),
        ("- 1\n", "a.yaml:1:3", like("project.attackers-wrong")),
        (
            "- {name: x, knows: a}\n- {name: x, knows: b}\n",
            "a.yaml:2:4",
            like("project.attackers-of-one-name", name="x"),
        ),
        (
            "name: [\n",
            "a.yaml:2:1",
            like("project.not-yaml", problem="expected the node content, but found '<stream end>'"),
        ),
    ],
)
def test_a_wrong_file_says_where(tmp_path: Path, text: str, where: str, says: str | Like) -> None:
    with failing(says, ProjectError) as error:
        read_attackers([_file(tmp_path, text)])
    assert str(error.value).startswith(f"{where}: ")
    assert "\n" not in str(error.value)


def test_what_does_not_fit_the_tables_says_where_too(tmp_path: Path) -> None:
    described = read_attackers([_file(tmp_path, "- name: x\n  knows:\n    - age\n    - agee\n")])
    missing = SchemaError(
        "attack.column-not-in-both-tables", what="attacker 'x'", name="agee", hint=hint("agee", ["age"])
    )
    with failing("project.in-file", SchemaError, file="a.yaml:4:7", error=missing.message), described.placed():
        raise missing
    with failing("attack.no-common-column", SchemaError) as caught, described.placed():
        raise SchemaError("attack.no-common-column")
    assert caught.value.code == "attack.no-common-column"


def test_repairs_that_a_project_names_are_in_its_evidence(tmp_path: Path) -> None:
    from antifaz.projects import actions

    people = "".join(f"{20 + i % 2};f\n" for i in range(20))
    (tmp_path / "odd.csv").write_text(f"sep=;\nage;sex\n{people}30\n\n20;f;x\n", "utf-8")
    reading = {"repair": ["sep-line", "short-rows", "blank-lines", "long-rows"]}
    project = actions.init(tmp_path / "odd.csv", tmp_path / "project.yaml", **reading)
    assert "repair: [sep-line, short-rows, blank-lines, long-rows]" in project.read_text("utf-8")
    text = project.read_text("utf-8").replace("suppression: 0.02", "suppression: 0.2")
    project.write_text(text, "utf-8")
    evidence = actions.run(project, ledger=False)
    assert evidence["rows"]["read"] == 21
    found = {repair["name"]: (repair["count"], repair["line"], repair["left_out"]) for repair in evidence["repairs"]}
    expected = {"sep-line": (1, 1, 0), "blank-lines": (1, 24, 0), "short-rows": (1, 23, 0), "long-rows": (1, 25, 1)}
    assert found == expected
    inspected = actions.inspect(tmp_path / "odd.csv", **reading)
    assert {repair["name"]: repair["count"] for repair in inspected["repairs"]} == dict.fromkeys(expected, 1)
