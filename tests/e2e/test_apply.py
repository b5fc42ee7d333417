"""Freeze and apply from the command line, with the ledger asked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from e2e.conftest import Run
from e2e.test_ledger import PEOPLE

PROJECT = """\
antifaz: 1
name: patients
source: {path: people.csv}
attributes:
  ssn: {role: identifier}
  race: {role: quasi-identifier, hierarchy: {table: [[black, '*'], [white, '*']]}}
  born: {role: quasi-identifier, type: text, hierarchy: {masking: 1}}
  gender: {role: identifier}
  zip: {role: quasi-identifier, type: text, hierarchy: {masking: 1}}
  problem: {role: sensitive}
privacy: [{model: k-anonymity, k: 2}]
method: {name: full-domain}
release: {path: out/}
seed: 1
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "project.yaml").write_text(PROJECT)
    return tmp_path


def test_rows_that_come_later_are_recoded_as_earlier_ones_and_the_ledger_is_asked(folder: Path, antifaz: Run) -> None:
    ledger = {"ANTIFAZ_LEDGER": str(folder / "ledger")}
    assert antifaz("run", "project.yaml", "--recoding", "private/recoding.json", **ledger).code == 0
    kept = json.loads((folder / "private/recoding.json").read_text())
    assert kept["antifaz_recoding"] == 1
    (folder / "new.csv").write_text(PEOPLE.splitlines()[0] + "\n13,black,1965,female,02138,asthma\n")
    done = antifaz("apply", "private/recoding.json", "new.csv", "-o", "second", "--to", "Ana", "--json", **ledger)
    assert done.code == 0, done.err
    evidence = json.loads(done.out)
    first = (folder / "out/release.csv").read_text().splitlines()
    header, *new = (folder / "second/release.csv").read_text().splitlines()
    assert header == first[0]
    labels = {line.rsplit(",", 1)[0] for line in first[1:]}
    assert len(new) == 1
    assert new[0].rsplit(",", 1)[0] in labels
    assert evidence["state"] == "handed out"
    assert evidence["ledger"]["checked"] is True
    assert (folder / "second/report.html").is_file()
    # The same person again, to somebody who has the first: the ledger knows.
    assert "Ana" in antifaz("ledger", "list", **ledger).out


def test_what_is_unknown_is_named_on_the_terminal(folder: Path, antifaz: Run) -> None:
    assert antifaz("run", "project.yaml", "--recoding", "recoding.json", ANTIFAZ_LEDGER="off").code == 0
    (folder / "new.csv").write_text(PEOPLE.splitlines()[0] + "\n13,green,1965,female,02138,asthma\n")
    done = antifaz("apply", "recoding.json", "new.csv", "-o", "second", ANTIFAZ_LEDGER="off")
    race = json.loads((folder / "recoding.json").read_text())["columns"]["race"]
    assert race["level"] == 0
    assert done.code == 2
    assert "'race'" in done.err.splitlines()[-2]
    assert done.err.splitlines()[-1] == "  values: 'green'"
    assert not (folder / "second").exists()


def test_a_recoding_stays_out_of_the_release(folder: Path, antifaz: Run) -> None:
    done = antifaz("run", "project.yaml", "--recoding", "out/recoding.json", ANTIFAZ_LEDGER="off")
    assert done.code == 2
    assert "inside of the release" in done.err
    assert not (folder / "out").exists()
