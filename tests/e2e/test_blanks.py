"""Blanks that match any value, as people ask for them: in a project file and on the command line."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

PROJECT = """\
antifaz: 1
name: survey
source: {path: survey.csv}
attributes:
  region: {role: quasi-identifier}
  work: {role: quasi-identifier}
  sex: {role: quasi-identifier}
privacy: [{model: k-anonymity, k: 3, blanks: match}]
method: {name: local-suppression, reading: match, combinations: {2: 4}}
release: {path: out/}
seed: 1
"""
QIS = ("--qi", "region,work,sex")


@pytest.fixture
def survey(tmp_path):
    random = np.random.default_rng(3)
    sizes = {"region": 0.4, "work": 0.4, "sex": 0.7}
    table = pa.table({name: [f"{name} {v}" for v in random.geometric(p, 200)] for name, p in sizes.items()})
    pyarrow.csv.write_csv(table, tmp_path / "survey.csv")
    (tmp_path / "project.yaml").write_text(PROJECT, encoding="utf-8")
    return tmp_path


def test_a_project_file_asks_for_the_reading_and_everything_says_so(antifaz, survey):
    done = antifaz("run", "project.yaml")
    assert done.code == 0, done.err
    told = json.loads((survey / "out" / "evidence.json").read_text(encoding="utf-8"))
    (verdict,) = told["privacy"]
    below = told["risk"]["singled_out_after"]
    assert (verdict["blanks"], verdict["holds"], below > 0) == ("match", True, True)
    assert f"{below} of 200 records look like fewer than 3" in verdict["note"]
    assert told["method"]["combinations"] == {"2": 4}
    report = (survey / "out" / "report.html").read_text(encoding="utf-8")
    assert "a blank matching any value" in report
    assert report.count(verdict["note"]) >= 2
    assert "taken to match any value" in done.out.replace("\n", " ")

    match = antifaz("verify", "out/release.csv", *QIS, "--k", 3, "--blanks", "match", "--json")
    assert (match.code, json.loads(match.out)["privacy"]) == (0, [verdict])
    pairs = antifaz("verify", "out/release.csv", "--qi", "region,work", "--k", 4, "--blanks", "match")
    assert (pairs.code, "holds" in pairs.out, "look like fewer than 4" in pairs.out) == (0, True, True)
    strict = antifaz("verify", "out/release.csv", *QIS, "--k", 3)
    assert (strict.code, f"{below} fail" in strict.out) == (1, True)


def test_a_reading_that_the_privacy_does_not_share_is_refused_in_one_sentence(antifaz, survey):
    (survey / "project.yaml").write_text(PROJECT.replace(", blanks: match", ""), encoding="utf-8")
    done = antifaz("run", "project.yaml")
    assert done.code == 2
    assert "reaches k-anonymity with blanks 'match' and nothing else" in " ".join(done.err.split())
    assert not (survey / "out").exists()


def test_blanks_without_k_say_nothing(antifaz, survey):
    done = antifaz("verify", "survey.csv", *QIS, "--blanks", "match")
    assert done.code == 2
    assert "--blanks goes with --k" in done.err
