"""The same project file on Spark: the same release, in parts, in the same folder."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from e2e import test_compat
from e2e.conftest import changed, needs_spark


@pytest.fixture(autouse=True)
def _java():
    """Leave Spark's tests out where Spark can't run, but not in CI."""
    needs_spark()


def _rows(*paths):
    found = []
    for path in paths:
        with path.open(encoding="utf-8", newline="") as file:
            found += [tuple(row.items()) for row in csv.DictReader(file)]
    return sorted(found)


def test_the_command_line_chooses_the_engine(antifaz, folder):
    assert antifaz("run", "project.yaml", "--out", "here").code == 0
    done = antifaz("run", "project.yaml", "--engine", "spark")
    assert (done.code, done.err) == (0, "")
    out = folder / "out"
    assert {path.name for path in out.iterdir()} == {"release.csv", "evidence.json", "report.html", "record.json"}
    parts = sorted((out / "release.csv").iterdir())
    assert all(path.name.startswith("part-") for path in parts)
    assert _rows(*parts) == _rows(folder / "here" / "release.csv")
    there, here = (json.loads((folder / name / "evidence.json").read_bytes()) for name in ("out", "here"))
    for said in ("rows", "method", "privacy", "utility", "risk", "classes"):
        assert there[said] == here[said], said
    assert there["released"] | {"fingerprint": ""} == {
        "file": "release.csv", "format": "csv", "parts": len(parts), "fingerprint": "",
        "rows": here["released"]["rows"], "columns": here["released"]["columns"],
    }  # fmt: skip
    assert not list(folder.glob(".*antifaz*"))


def test_sparks_input_with_a_master(antifaz, tmp_path):
    test_compat.prepare(tmp_path)
    done = antifaz("run", *test_compat.FILES, "--k", 20, "--k-first", 25, "--seed", 1, "--json", "--out", "here")
    there = antifaz(
        "run", *test_compat.FILES, "--k", 20, "--k-first", 25, "--seed", 1, "--json", "--master", "local[2]"
    )
    assert (done.code, there.code) == (0, 0), there.err
    here, there = json.loads(done.out), json.loads(there.out)
    assert here["method"] == there["method"]
    parts = sorted((Path(there["folder"]) / "release.csv").iterdir())
    assert _rows(*parts) == _rows(tmp_path / here["folder"] / "release.csv")


def test_what_is_wrong_is_one_sentence_and_nothing_is_written(antifaz, folder):
    changed(folder, "{name: local, threads: 2}", '{name: spark, master: "lokal"}')
    done = antifaz("run", "project.yaml")
    assert done.code != 0
    assert "master must be" in done.err
    assert "Traceback" not in done.err
    assert not (folder / "out").exists()
