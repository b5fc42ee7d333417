"""A project as a script: it runs, and its release is that of the project to the byte."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import antifaz as az
from antifaz.projects.actions import script_of
from failing import failing

SOURCE = Path(az.__file__).parents[1]
HOSTILE = "di\"agnosis'\\n"
PROJECT = """\
antifaz: 1
name: "it's"
source: {path: data/people.csv, delimiter: ";"}
attributes:
  name: {role: identifier}
  age: {role: quasi-identifier, missing: drop, hierarchy: {intervals: [10, 20, 40], low: 20}}
  sex: {role: quasi-identifier, hierarchy: {file: data/sex.csv}}
  "di\\"agnosis'\\\\n": {role: sensitive}
privacy:
  - {model: k-anonymity, k: 3}
  - {model: l-diversity, kind: entropy, l: 1.5}
method: {name: %s}
release: {path: out/people.txt, delimiter: "|", audience: many}
controller: {name: Somebody}
report: {attacks: 0}
seed: 4
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    people = az.datasets.people(120, seed=3).to_pylist()
    (tmp_path / "data").mkdir()
    rows = [f"p{i};{row['age'] if i % 9 else ''};{row['sex']};{row['diagnosis']}" for i, row in enumerate(people)]
    quoted = '"' + HOSTILE.replace('"', '""') + '"'
    (tmp_path / "data/people.csv").write_text("\n".join([f"name;age;sex;{quoted}", *rows]) + "\n")
    sexes = sorted({row["sex"] for row in people})
    (tmp_path / "data/sex.csv").write_text("".join(f"{sex},*\n" for sex in sexes))
    return tmp_path


def run(script: Path) -> str:
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=False, timeout=300,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("method", ["full-domain, suppression: 0.1, quality: precision", "specialization"])
def test_the_release_is_the_same_to_the_byte(folder: Path, method: str) -> None:
    project = folder / "project.yaml"
    project.write_text(PROJECT % method)
    az.run(project)
    expected = (folder / "out/people.txt").read_bytes()
    (folder / "out").rename(folder / "by-project")
    script = folder / "scripts" / "release.py"
    text = script_of(project, script)
    assert script.read_text() == text
    assert "controller" in text
    assert str(folder) not in text
    assert "'holds': True" in run(script)
    assert (folder / "out/people.txt").read_bytes() == expected


def test_it_reads_like_something_that_a_person_wrote(folder: Path) -> None:
    project = folder / "project.yaml"
    project.write_text(PROJECT % "full-domain")
    text = script_of(project)
    assert "az.hierarchy.intervals([10, 20, 40], low=20)" in text
    assert "az.hierarchy.from_file(HERE / 'data/sex.csv')" in text
    assert "privacy=[az.KAnonymity(k=3), az.LDiversity(l=1.5, kind='entropy')]" in text
    assert "method=az.FullDomain()" in text
    compile(text, "script", "exec")


def test_what_the_library_does_not_do_is_refused(folder: Path) -> None:
    project = folder / "project.yaml"
    project.write_text(
        (PROJECT % "full-domain").replace("{role: sensitive}", "{role: sensitive, operation: {name: suppress}}")
    )
    with failing("script.operations-not-in-library", az.InputError):
        script_of(project)
