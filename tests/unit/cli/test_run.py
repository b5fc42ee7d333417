"""antifaz run, on files that need a word or two to be read."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result

from antifaz.cli.main import cli

ROWS = "".join(f"{20 + i % 30};{'fm'[i % 2]};{('flu', 'cold')[i % 3 > 0]}\n" for i in range(60))
ODD = "sep=;\nSurvey of 2026;;\nage;sex;illness\n" + ROWS + "40;f\nTotal;60;\n"
REPAIRS = ("sep-line", "title-lines", "short-rows", "totals-line")


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(cli, list(arguments), standalone_mode=False)


def project(folder: Path, source: dict[str, Any]) -> str:
    attributes = {
        "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [10, 20]}},
        "sex": {"role": "quasi-identifier", "hierarchy": {"flat": True}},
        "illness": {"role": "sensitive"},
    }
    wanted = {"antifaz": 1, "source": source, "attributes": attributes, "release": {"path": "out/"}}
    path = folder / "project.yaml"
    path.write_text(yaml.safe_dump(wanted | {"privacy": [{"model": "k-anonymity", "k": 3}]}), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("packed", [False, True])
def test_repairs_are_named_on_the_command_line_and_told_in_the_evidence(tmp_path: Path, packed: bool) -> None:
    (tmp_path / "odd.csv").write_text(ODD, encoding="utf-8")
    with zipfile.ZipFile(tmp_path / "odd.zip", "w") as archive:
        archive.write(tmp_path / "odd.csv", "odd.csv")
    path = project(tmp_path, {"path": "odd.zip" if packed else "odd.csv", "repair": ["sep-line"]})
    refused = invoke("run", path)
    assert "--repair short-rows" in str(refused.exception)
    assert not (tmp_path / "out").exists()
    named = [word for name in REPAIRS[1:] for word in ("--repair", name)]
    done = invoke("run", path, "--json", *named)
    assert done.exception is None, done.exception
    counts = {repair["name"]: repair["count"] for repair in json.loads(done.output)["repairs"]}
    assert counts == dict.fromkeys(REPAIRS, 1)
    evidence = json.loads((tmp_path / "out" / "evidence.json").read_text(encoding="utf-8"))
    assert {repair["name"] for repair in evidence["repairs"]} == {*REPAIRS}
    assert evidence["rows"]["read"] == 61
    wrong = invoke("run", path, "--repair", "short-row")
    assert "short-rows" in str(wrong.exception)


def test_text_of_fixed_width_goes_from_inspect_to_a_release(tmp_path: Path) -> None:
    lines = "".join(f"{20 + i % 30:<4}{'fm'[i % 2]}{('flu', 'cold')[i % 3 > 0]:>6}\n" for i in range(60))
    (tmp_path / "people.txt").write_text(lines, encoding="utf-8")
    seen = invoke("inspect", str(tmp_path / "people.txt"), "--widths", "age=4,sex=1,illness=6", "--json")
    assert seen.exception is None, seen.exception
    assert [column["type"] for column in json.loads(seen.output)["columns"]] == ["integer", "text", "text"]
    made = tmp_path / "made.yaml"
    written = invoke("init", str(tmp_path / "people.txt"), "--widths", "age=4,sex=1,illness=6", "-o", str(made))
    assert written.exception is None, written.exception
    assert yaml.safe_load(made.read_text())["source"]["widths"] == {"age": 4, "sex": 1, "illness": 6}
    done = invoke("run", project(tmp_path, yaml.safe_load(made.read_text())["source"]), "--json")
    assert done.exception is None, done.exception
    assert json.loads(done.output)["rows"]["read"] == 60
    short = invoke("inspect", str(tmp_path / "people.txt"), "--widths", "age=4,sex=1")
    assert "line 1" in str(short.exception)
