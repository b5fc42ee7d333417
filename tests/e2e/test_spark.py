"""The same project file on Spark: the same release, in parts, in the same folder."""

from __future__ import annotations

import csv
import json
import os
import shutil

import pytest

from e2e.conftest import changed


@pytest.fixture(autouse=True)
def _java():
    """Leave Spark's tests out where Spark can't run, but not in CI."""
    if not os.environ.get("CI"):
        pytest.importorskip("pyspark", reason="install it: pip install antifaz[spark]")
    if not (shutil.which("java") or os.environ.get("JAVA_HOME") or os.environ.get("CI")):
        pytest.skip("Spark needs Java 17 or newer")


def _rows(*paths):
    found = []
    for path in paths:
        with path.open(encoding="utf-8", newline="") as file:
            found += [tuple(row.items()) for row in csv.DictReader(file)]
    return sorted(found)


def test_run_on_spark(antifaz, folder):
    assert antifaz("run", "project.yaml", "--out", "here").code == 0
    changed(folder, "{name: local, threads: 2}", '{name: spark, master: "local[2]", memory: 1GB}')
    done = antifaz("run", "project.yaml")
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


def test_what_is_wrong_is_one_sentence_and_nothing_is_written(antifaz, folder):
    changed(folder, "{name: local, threads: 2}", '{name: spark, master: "lokal"}')
    done = antifaz("run", "project.yaml")
    assert done.code != 0
    assert "master must be" in done.err
    assert "Traceback" not in done.err
    assert not (folder / "out").exists()
