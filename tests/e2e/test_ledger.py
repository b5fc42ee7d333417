"""The ledger from the command line: what was released is remembered, and a second release has to reckon with it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from e2e.conftest import Run, changed

#: The private table of Sweeney 2002, figure 4, by year of birth.
PEOPLE = """\
ssn,race,born,gender,zip,problem
1,black,1965,male,02141,short of breath
2,black,1965,male,02141,chest pain
3,black,1965,female,02138,painful eye
4,black,1965,female,02138,wheezing
5,black,1964,female,02138,obesity
6,black,1964,female,02138,chest pain
7,white,1964,male,02138,short of breath
8,white,1965,female,02139,hypertension
9,white,1964,male,02139,obesity
10,white,1964,male,02139,fever
11,white,1967,male,02138,vomiting
12,white,1967,male,02138,back pain
"""
PROJECT = """\
antifaz: 1
name: patients
source: {path: people.csv}
attributes:
  ssn: {role: identifier}
  race: {role: quasi-identifier, hierarchy: {flat: true}}
  born: {role: quasi-identifier, type: text, hierarchy: {masking: 1}}
  gender: {role: quasi-identifier, hierarchy: {flat: true}}
  zip: {role: quasi-identifier, type: text, hierarchy: {masking: 1}}
  problem: {role: sensitive}
privacy: [{model: k-anonymity, k: 2}]
ledger: {dataset: patients}
"""
BY_YEAR, BY_PLACE = "race=1,born=0,gender=1,zip=2", "race=1,born=1,gender=1,zip=0"
GT1 = """\
race,born,gender,zip,problem
black,1965,male,02141,short of breath
black,1965,male,02141,chest pain
person,1965,female,0213*,painful eye
person,1965,female,0213*,wheezing
black,1964,female,02138,obesity
black,1964,female,02138,chest pain
white,1964,male,0213*,short of breath
person,1965,female,0213*,hypertension
white,1964,male,0213*,obesity
white,1964,male,0213*,fever
white,1967,male,02138,vomiting
white,1967,male,02138,back pain
"""
GT3 = """\
race,born,gender,zip,problem
black,1965,male,02141,short of breath
black,1965,male,02141,chest pain
black,1965,female,02138,painful eye
black,1965,female,02138,wheezing
black,1964,female,02138,obesity
black,1964,female,02138,chest pain
white,1960-69,male,02138,short of breath
white,1960-69,human,02139,hypertension
white,1960-69,human,02139,obesity
white,1960-69,human,02139,fever
white,1960-69,male,02138,vomiting
white,1960-69,male,02138,back pain
"""


@pytest.fixture
def antifaz(antifaz: Run, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Run a command with a ledger of the test's own, where nothing else is."""
    ledger = str(tmp_path_factory.mktemp("ledger") / "ledger.sqlite")
    return lambda *args, **env: antifaz(*args, **{"ANTIFAZ_LEDGER": ledger, **env})


@pytest.fixture
def patients(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    (tmp_path / "project.yaml").write_text(PROJECT, encoding="utf-8")
    return tmp_path


def test_check_07_two_releases_of_sweeneys_example(antifaz: Run, patients: Path) -> None:
    first = antifaz("run", "project.yaml", "--out", "one", "--levels", BY_YEAR, "--json")
    assert first.code == 0, first.err
    assert json.loads(first.out)["ledger"]["dataset"] == "patients"
    again = antifaz("run", "project.yaml", "--out", "one", "--levels", BY_YEAR, "--json")
    told = json.loads(again.out)["ledger"]
    assert again.code == 0 and told["holds"] and told["smallest_intersection"] == 2

    second = ("run", "project.yaml", "--out", "two", "--levels", BY_PLACE)
    refused = antifaz(*second)
    assert refused.code == 1 and not (patients / "two").exists()
    assert refused.err.count("\n") == 1 and "composition attack" in refused.err and "leaves 1 person" in refused.err

    listed = json.loads(antifaz("ledger", "list", "--json").out)
    assert [row["state"] for row in listed] == ["released", "released"]
    for row in listed:
        assert antifaz("ledger", "forget", row["release"], "--reason", "never sent").code == 0
    assert antifaz(*second).code == 0
    assert "never sent" in antifaz("ledger", "show", listed[0]["release"]).out


def test_a_reason_lets_it_pass_and_is_kept(antifaz: Run, patients: Path) -> None:
    assert antifaz("run", "project.yaml", "--out", "one", "--levels", BY_YEAR).code == 0
    changed(patients, "{dataset: patients}", "{dataset: patients, despite: the first was withdrawn}")
    done = antifaz("run", "project.yaml", "--out", "two", "--levels", BY_PLACE, "--json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["ledger"]["despite"]["reason"] == "the first was withdrawn"
    shown = antifaz("ledger", "show", json.loads(done.out)["ledger"]["release"])
    assert "✘ composition: smallest intersection 1" in shown.out and "the first was withdrawn" in shown.out
    assert "smallest intersection with earlier releases is 1" in antifaz(
        "run", "project.yaml", "--out", "two"
    ).out.replace("\n", " ")


def test_a_check_says_beforehand(antifaz: Run, patients: Path) -> None:
    assert "No earlier release" in antifaz("ledger", "check", "project.yaml").out
    assert antifaz("run", "project.yaml", "--out", "one", "--levels", BY_YEAR).code == 0
    (patients / "people.csv").write_text(PEOPLE + "13,white,1967,male,02138,fever\n", encoding="utf-8")
    found = antifaz("ledger", "check", "project.yaml", "--json")
    assert found.code == 1 and json.loads(found.out)["attacks"]["temporal"]["smallest"] == 1
    assert len(json.loads(antifaz("ledger", "list", "--json").out)) == 1
    changed(patients, "{dataset: patients}", "{keep: false}")
    assert "nothing to check" in antifaz("ledger", "check", "project.yaml").err
    done = antifaz("run", "project.yaml", "--json")
    assert done.code == 0 and "ledger" not in json.loads(done.out)


def test_two_tables_that_anybody_released(antifaz: Run, tmp_path: Path) -> None:
    (tmp_path / "gt1.csv").write_text(GT1, encoding="utf-8")
    (tmp_path / "gt3.csv").write_text(GT3, encoding="utf-8")
    both = ("ledger", "check", "gt3.csv", "gt1.csv", "--qi", "race,born,gender,zip")
    found = antifaz(*both, "--k", 2)
    assert found.code == 1 and "✘ complementary: smallest intersection 1" in found.out
    assert "✘ unsorted-matching: smallest intersection 1" in found.out
    assert antifaz(*both, "--k", 1).code == 0
    usage = antifaz("ledger", "check", "gt3.csv", "gt1.csv")
    assert usage.code == 2 and "--qi and --k" in usage.err


@pytest.mark.parametrize("said", ["{datset: x}", "{person: [nobody]}", "{despite: ' '}"])
def test_what_can_not_be_meant_is_said(antifaz: Run, patients: Path, said: str) -> None:
    changed(patients, "{dataset: patients}", said)
    done = antifaz("run", "project.yaml")
    assert done.code == 2 and done.err.count("\n") == 1 and not (patients / "out").exists()


def test_a_ledger_that_can_not_be_read_stops_the_run(antifaz: Run, patients: Path) -> None:
    broken = patients / "broken.sqlite"
    broken.write_bytes(b"not a database" * 400)
    done = antifaz("run", "project.yaml", ANTIFAZ_LEDGER=str(broken))
    assert done.code == 2 and done.err.count("\n") == 1 and "damaged" in done.err
    assert not (patients / "out").exists()
    assert antifaz("run", "project.yaml", ANTIFAZ_LEDGER="off").code == 0
    assert "turned off" in antifaz("ledger", "list", ANTIFAZ_LEDGER="off").err


def test_several_tables_of_one_project(antifaz: Run, patients: Path) -> None:
    (patients / "visits.csv").write_text(
        "ssn,ward,day\n" + "".join(f"{i},{'ab'[i % 2]},{i // 4}\n" for i in range(1, 13)), encoding="utf-8"
    )
    (patients / "both.yaml").write_text(
        """\
antifaz: 1
name: both
tables:
  people:
    source: {path: people.csv}
    attributes:
      ssn: {role: identifier}
      born: {role: quasi-identifier, type: text, hierarchy: {masking: 1}}
      race: {role: identifier}
      gender: {role: identifier}
      zip: {role: identifier}
      problem: {role: sensitive}
  visits:
    source: {path: visits.csv}
    attributes:
      ssn: {role: identifier}
      ward: {role: quasi-identifier, hierarchy: {flat: true}}
      day: {role: sensitive}
privacy: [{model: k-anonymity, k: 2}]
ledger: {person: [ssn]}
""",
        encoding="utf-8",
    )
    for _ in range(2):
        done = antifaz("run", "both.yaml", "--json")
        assert done.code == 0, done.err
    told = json.loads(done.out)["tables"]
    assert all(len(table["ledger"]["earlier"]) == 1 and table["ledger"]["holds"] for table in told.values())
    assert len(json.loads(antifaz("ledger", "list", "--json").out)) == 4
