"""Ctrl-C or SIGTERM at any moment: nothing is left, neither beside the target nor among the temporary files."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from e2e.conftest import COMMAND, contents, write_people

PROJECT = """\
antifaz: 1
source: {path: people.csv}
attributes:
  id_number: {role: identifier}
  name: {role: identifier}
  birth_date: {role: quasi-identifier, hierarchy: {dates: [month, year, decade]}}
  sex: {role: quasi-identifier, hierarchy: {flat: true}}
  postcode: {role: quasi-identifier, hierarchy: {masking: 1}}
others: release
privacy: [{model: k-anonymity, k: 5}]
method: {name: full-domain, suppression: 0.05}
release: {path: out}
"""


@pytest.fixture(scope="module")
def large(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("large")
    write_people(folder / "people.csv", 300_000)
    (folder / "project.yaml").write_text(PROJECT, encoding="utf-8")
    return folder


def _spilling(folder: Path, temporary: Path) -> bool:
    """The data is being read into the private database."""
    # By name: Python itself tries the folder out with a file of its own, and stopped there leaves it.
    return any(temporary.glob("antifaz-spill-*"))


def _writing(folder: Path, temporary: Path) -> bool:
    """The rows are being written to the private folder beside the target."""
    return any(folder.glob(".out.antifaz-partial-*/release.csv"))


@pytest.mark.parametrize(("moment", "sent"), [(_spilling, signal.SIGINT), (_writing, signal.SIGTERM)])
def test_nothing_is_left(large, tmp_path, moment, sent):
    before = contents(large)
    process = subprocess.Popen(
        [str(COMMAND), "run", "project.yaml"],
        cwd=large,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while process.poll() is None and not moment(large, tmp_path):
        time.sleep(0.002)
    process.send_signal(sent)
    out, err = process.communicate()
    assert process.returncode == 130, err
    assert out == ""
    assert err.strip() == "Stopped; nothing was written."
    assert contents(large) == before
    assert list(tmp_path.iterdir()) == []
