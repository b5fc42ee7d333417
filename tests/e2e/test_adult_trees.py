"""The example of Adult's trees, on made-up people who use their words."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "adult-trees"


@pytest.mark.parametrize("project", ["project.yaml", "two-phases.yaml"])
def test_the_example_runs_on_made_up_people(tmp_path: Path, project: str) -> None:
    folder = tmp_path / "example"
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("adult.csv", "out*"))
    subprocess.run([sys.executable, folder / "make_up.py", "2000"], check=True)
    command = [Path(sys.executable).with_name("antifaz"), "run", folder / project, "--out", tmp_path / "out", "--json"]
    told = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    with (tmp_path / "out" / "release.csv").open(encoding="utf-8", newline="") as file:
        rows = [tuple(row[name] for name in told["method"]["levels"]) for row in csv.DictReader(file)]
    assert len(rows) == 2000 and min(Counter(rows).values()) >= 5
    assert told["privacy"][0]["holds"]
