"""The ledger from the command line: what was released is remembered, and a second release has to reckon with it."""

from __future__ import annotations

import json
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

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


def handed(antifaz: Run, folder: str, to: str = "the board", *more: str) -> dict[str, Any]:
    """Hand a folder out, and return what the ledger says of it."""
    done = antifaz("hand-out", folder, "--to", to, "--json", *more)
    assert done.code == 0, done.err
    return json.loads(done.out)


def listed(antifaz: Run) -> list[dict[str, Any]]:
    return json.loads(antifaz("ledger", "list", "--json").out)


def test_check_07_two_releases_of_sweeneys_example(antifaz: Run, patients: Path) -> None:
    first = antifaz("run", "project.yaml", "--out", "one", "--levels", BY_YEAR, "--json")
    assert first.code == 0, first.err
    evidence = json.loads(first.out)
    assert evidence["state"] == "draft" and evidence["ledger"]["dataset"] == "patients"
    assert listed(antifaz) == []
    given = handed(antifaz, "one")
    assert given["state"] == "handed out" and given["ledger"]["recipient"] == "the board"
    again = antifaz("run", "project.yaml", "--out", "again", "--levels", BY_YEAR, "--json")
    told = json.loads(again.out)["ledger"]
    assert again.code == 0 and told["holds"] and told["smallest_intersection"] == 2
    assert handed(antifaz, "again")["ledger"]["earlier"][0]["recipients"] == ["the board"]

    second = antifaz("run", "project.yaml", "--out", "two", "--levels", BY_PLACE, "--json")
    assert second.code == 0 and not json.loads(second.out)["ledger"]["holds"]
    assert any("handing it out would be refused" in warning for warning in json.loads(second.out)["warnings"])
    refused = antifaz("hand-out", "two", "--to", "the board")
    assert refused.code == 1 and json.loads((patients / "two" / "evidence.json").read_text())["state"] == "draft"
    assert refused.err.count("\n") == 1 and "composition attack" in refused.err and "leaves 1 person" in refused.err

    assert [(row["state"], row["recipients"][0]["recipient"]) for row in listed(antifaz)] == [
        ("handed out", "the board")
    ] * 2
    for row in listed(antifaz):
        assert antifaz("ledger", "forget", row["release"], "--reason", "never sent").code == 0
    handed(antifaz, "two")
    assert "never sent" in antifaz("ledger", "show", listed(antifaz)[0]["release"]).out


def test_experiments_on_ones_own_data_are_free(antifaz: Run, patients: Path) -> None:
    for k in (2, 3, 4, 2):
        changed(patients, re.search(r"k: \d", (patients / "project.yaml").read_text())[0], f"k: {k}")
        assert antifaz("run", "project.yaml", "--out", "out").code == 0
    assert listed(antifaz) == []
    handed(antifaz, "out")
    assert [row["k"] for row in listed(antifaz)] == [2]


def test_check_07_a_folder_that_was_changed_after_its_check_is_refused(antifaz: Run, patients: Path) -> None:
    assert antifaz("run", "project.yaml", "--out", "out").code == 0
    rows = patients / "out" / "release.csv"
    kept = rows.read_bytes()
    for spoil in (
        lambda: rows.write_bytes(kept + kept.splitlines()[-1] + b"\n"),
        lambda: (patients / "out" / "report.html").write_text("nothing to see"),
        lambda: (patients / "out" / "people.csv").write_text(PEOPLE),
        lambda: rows.unlink(),
    ):
        assert antifaz("run", "project.yaml", "--out", "out").code == 0
        spoil()
        done = antifaz("hand-out", "out", "--to", "the board")
        assert done.code == 2 and "not what was checked" in done.err, done.err
        assert listed(antifaz) == []
        (patients / "out" / "people.csv").unlink(missing_ok=True)
    assert antifaz("run", "project.yaml", "--out", "out").code == 0
    (patients / "out").rename(patients / "moved")
    handed(antifaz, "moved")
    rows = patients / "moved" / "release.csv"
    rows.write_bytes(rows.read_bytes()[:-3])
    done = antifaz("hand-out", "moved", "--to", "somebody else")
    assert done.code == 2 and "not what was checked" in done.err


def test_check_07_what_one_recipient_has_is_judged_and_what_all_have_together(antifaz: Run, patients: Path) -> None:
    for name, levels in (("year", BY_YEAR), ("place", BY_PLACE)):
        assert antifaz("run", "project.yaml", "--out", name, "--levels", levels).code == 0
    handed(antifaz, "year", "the board")
    other = antifaz("hand-out", "place", "--to", "the press")
    assert other.code == 1 and "what all recipients have together" in other.err
    same = antifaz("hand-out", "place", "--to", " the  board ")
    assert same.code == 1 and "what the recipient has already" in same.err
    given = handed(antifaz, "place", "the press", "--despite", "they are kept apart")
    assert given["ledger"]["holds_for_recipient"] and not given["ledger"]["holds"]
    assert given["ledger"]["despite"]["reason"] == "they are kept apart"
    # The same to one more: it is the same release, with two recipients.
    handed(antifaz, "year", "the archive", "--despite", "for the record")
    assert [{one["recipient"] for one in row["recipients"]} for row in listed(antifaz)] == [
        {"the board", "the archive"}, {"the press"},
    ]  # fmt: skip
    assert "archive" in antifaz("ledger", "list").out


def test_a_pipeline_runs_and_hands_out_in_one(antifaz: Run, patients: Path) -> None:
    with (patients / "project.yaml").open("a") as file:
        file.write("release: {to: the ministry}\n")
    done = antifaz("run", "project.yaml", "--out", "one", "--levels", BY_YEAR, "--json")
    assert done.code == 0 and json.loads(done.out)["state"] == "handed out"
    assert listed(antifaz)[0]["recipients"][0]["recipient"] == "the ministry"
    refused = antifaz("run", "project.yaml", "--out", "two", "--levels", BY_PLACE)
    assert refused.code == 1 and not (patients / "two").exists() and len(listed(antifaz)) == 1
    # Handing it out again to the same one changes nothing.
    handed(antifaz, "one", "the ministry")
    assert len(listed(antifaz)) == 1


def test_check_07_an_earlier_promise_counts_and_what_breaks_is_said(antifaz: Run, patients: Path) -> None:
    changed(patients, "k: 2", "k: 4")
    everybody = "race=1,born=4,gender=1,zip=5"
    assert antifaz("run", "project.yaml", "--out", "four", "--levels", everybody).code == 0
    first = handed(antifaz, "four")["ledger"]["release"]
    changed(patients, "k: 4", "k: 2")
    done = antifaz("run", "project.yaml", "--out", "two", "--levels", BY_YEAR, "--json")
    told = json.loads(done.out)["ledger"]
    assert (told["k"], told["broken"]) == (4, [{"release": first, "k": 4, "smallest": 2}])
    refused = antifaz("hand-out", "two", "--to", "the board")
    assert refused.code == 1 and f"the release {first} has promised k = 4" in refused.err


def test_a_folder_that_no_ledger_knows_is_not_handed_out(antifaz: Run, patients: Path) -> None:
    assert antifaz("run", "project.yaml", "--out", "out", ANTIFAZ_LEDGER="off").code == 0
    done = antifaz("hand-out", "out", "--to", "the board")
    assert done.code == 2 and "made without the ledger" in done.err
    assert "turned off" in antifaz("hand-out", "out", "--to", "x", ANTIFAZ_LEDGER="off").err
    assert "evidence.json" in antifaz("hand-out", "nowhere", "--to", "x").err
    assert antifaz("hand-out", "out").code == 2
    assert antifaz("run", "project.yaml", "--out", "out").code == 0
    other = str(patients / "other.sqlite")
    assert "no draft" in antifaz("hand-out", "out", "--to", "x", ANTIFAZ_LEDGER=other).err


def test_check_07_of_two_hand_outs_at_once_the_second_sees_the_first(antifaz: Run, patients: Path) -> None:
    for name, levels in (("year", BY_YEAR), ("place", BY_PLACE)):
        assert antifaz("run", "project.yaml", "--out", name, "--levels", levels).code == 0
    with ThreadPoolExecutor(2) as both:
        done = list(both.map(lambda name: antifaz("hand-out", name, "--to", f"who gets {name}"), ("year", "place")))
    assert sorted(one.code for one in done) == [0, 1] and len(listed(antifaz)) == 1


def test_a_reason_lets_it_pass_and_is_kept(antifaz: Run, patients: Path) -> None:
    assert antifaz("run", "project.yaml", "--out", "one", "--levels", BY_YEAR).code == 0
    handed(antifaz, "one")
    changed(patients, "{dataset: patients}", "{dataset: patients, despite: the first was withdrawn}")
    done = antifaz("run", "project.yaml", "--out", "two", "--levels", BY_PLACE, "--json")
    assert done.code == 0, done.err
    given = handed(antifaz, "two")["ledger"]
    assert given["despite"]["reason"] == "the first was withdrawn"
    for name in ("evidence.json", "record.json", "report.html"):
        assert "the first was withdrawn" in (patients / "two" / name).read_text()
    shown = antifaz("ledger", "show", given["release"])
    assert "✘ composition: smallest intersection 1" in shown.out and "the first was withdrawn" in shown.out


def test_a_check_says_beforehand(antifaz: Run, patients: Path) -> None:
    assert "No earlier release" in antifaz("ledger", "check", "project.yaml").out
    assert antifaz("run", "project.yaml", "--out", "one", "--levels", BY_YEAR).code == 0
    handed(antifaz, "one")
    (patients / "people.csv").write_text(PEOPLE + "13,white,1967,male,02138,fever\n", encoding="utf-8")
    found = antifaz("ledger", "check", "project.yaml", "--json")
    assert found.code == 1 and json.loads(found.out)["attacks"]["temporal"]["smallest"] == 1
    assert len(listed(antifaz)) == 1
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


SEVERAL = """\
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
      zip: {role: quasi-identifier, type: text, hierarchy: {masking: 1}}
      problem: {role: sensitive}
    method: {name: full-domain, suppression: 0}
  visits:
    source: {path: visits.csv}
    attributes:
      ssn: {role: identifier}
      ward: {role: quasi-identifier, hierarchy: {flat: true}}
      day: {role: sensitive}
privacy: [{model: k-anonymity, k: 2}]
ledger: {person: [ssn]}
"""


@pytest.fixture
def several(patients: Path) -> Path:
    (patients / "visits.csv").write_text(
        "ssn,ward,day\n" + "".join(f"{i},{'ab'[i % 2]},{i // 4}\n" for i in range(1, 13)), encoding="utf-8"
    )
    (patients / "both.yaml").write_text(SEVERAL, encoding="utf-8")
    return patients


def test_several_tables_of_one_project(antifaz: Run, several: Path) -> None:
    for _ in range(2):
        done = antifaz("run", "both.yaml", "--json")
        assert done.code == 0, done.err
        assert json.loads(done.out)["state"] == "draft"
        whole = handed(antifaz, "out")
        assert whole["state"] == "handed out" and {each["state"] for each in whole["tables"].values()} == {"handed out"}
    assert all(len(table["ledger"]["earlier"]) == 1 and table["ledger"]["holds"] for table in whole["tables"].values())
    assert len(listed(antifaz)) == 4


def test_check_07_a_table_that_is_renamed_does_not_pass(antifaz: Run, several: Path) -> None:
    project = several / "both.yaml"
    project.write_text(SEVERAL.replace("zip: {role: quasi-identifier, type: text, hierarchy: {masking: 1}}",
                                       "zip: {role: identifier}"))  # fmt: skip
    assert antifaz("run", "both.yaml").code == 0
    handed(antifaz, "out")
    other = SEVERAL.replace("born: {role: quasi-identifier, type: text, hierarchy: {masking: 1}}",
                            "born: {role: identifier}").replace("  people:", "  persons:")  # fmt: skip
    project.write_text(other)
    done = antifaz("run", "both.yaml", "--out", "second", "--json")
    assert done.code == 0, done.err
    told = json.loads(done.out)["tables"]["persons"]["ledger"]
    assert not told["holds"] and told["earlier"][0]["shared"] == 12
    refused = antifaz("hand-out", "second", "--to", "the board")
    assert refused.code == 1 and len(listed(antifaz)) == 2
