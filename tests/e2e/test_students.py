"""The marks of 500 made-up students, from the file to a verified release, counted independently."""

import csv
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2] / "examples" / "students" / "project.yaml"
QIS = ["participation", "exam", "practice", "year", "professor"]


def antifaz(*words):
    script = Path(sys.executable).with_name("antifaz")
    return subprocess.run([str(script), *words], capture_output=True, text=True)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("students") / "out"
    done = antifaz("run", str(PROJECT), "--out", str(folder), "--json")
    assert done.returncode == 0, done.stderr
    return folder, json.loads(done.stdout)


def test_every_group_has_five(run):
    folder, evidence = run
    with (folder / "release.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 500
    assert "id" not in rows[0]
    classes = Counter(tuple(row[name] for name in QIS) for row in rows)
    assert min(classes.values()) >= 5
    assert evidence["risk"]["singled_out_after"] == 0


def test_every_span_covers_as_many_marks_as_were_read(run):
    """The released spans, taken as a whole, can hold the marks that went in: the least and the greatest are there."""
    folder, _ = run
    with (PROJECT.parent / "students.csv").open(encoding="utf-8", newline="") as file:
        before = [int(row["exam"]) for row in csv.DictReader(file)]
    ends = []
    with (folder / "release.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            ends += [int(part) for part in row["exam"].strip("[]").split(",")]
    assert (min(ends), max(ends)) == (min(before), max(before))


def test_the_frontier_of_the_example():
    done = antifaz("frontier", str(PROJECT), "--k", "2-4", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [point["k"] for point in found["points"]] == [2, 3, 4]
    losses = [point["gcp"] for point in found["points"]]
    assert losses == sorted(losses)
