"""Check 35: raw rows are never on the disk in clear, neither while a run goes on nor after it was killed."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

from checks.unpacking import files_holding
from e2e.conftest import COMMAND
from watching import paths_below, size_of

#: In a column that is removed, and in one that is made coarser: neither is ever released.
NAME, STREET = "Quillon-Ferradas", "Wexmoorgate"
PROJECT = """\
antifaz: 1
source: {path: raw/people.csv}
attributes:
  name: {role: identifier}
  street: {role: quasi-identifier, hierarchy: {flat: true}}
  age: {role: quasi-identifier, hierarchy: {intervals: [10, 50]}}
  illness: {role: sensitive}
privacy: [{model: k-anonymity, k: 5}]
method: {name: full-domain, suppression: 0.05}
engine: {name: local, threads: 1%s}
release: {path: kept/out}
seed: 1
"""
ROWS = 30_000


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Many rows, all of which hold canaries."""
    ages = np.random.default_rng(1).integers(0, 90, ROWS)
    lines = (f"{NAME}-{i},{STREET} {i},{age},{'flu' if i % 3 else 'gout'}" for i, age in enumerate(ages))
    return "name,street,age,illness\n" + "\n".join(lines) + "\n"


def _started(folder: Path, people: str, memory: str) -> subprocess.Popen[bytes]:
    for name in ("raw", "kept", "kept/tmp"):
        (folder / name).mkdir()
    (folder / "raw/people.csv").write_text(people, encoding="utf-8")
    (folder / "project.yaml").write_text(PROJECT % memory, encoding="utf-8")
    return _run(folder)


def _run(folder: Path) -> subprocess.Popen[bytes]:
    kept = folder / "kept"
    places = {name: str(kept / "tmp") for name in ("TMPDIR", "TEMP", "TMP", "XDG_CACHE_HOME")}
    env = {**os.environ, **places, "ANTIFAZ_LEDGER": str(kept / "ledger.sqlite"), "XDG_DATA_HOME": str(kept)}
    command = [COMMAND, "run", "project.yaml"]
    return subprocess.Popen(command, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


@pytest.mark.parametrize("memory", ["", ", memory: 1GB"], ids=["in memory", "in a file"])
def test_check_35_nothing_raw_is_on_the_disk_during_and_after_a_run(tmp_path: Path, people: str, memory: str) -> None:
    run = _started(tmp_path, people, memory)
    looks, seen, sizes = 0, [], [0]
    while run.poll() is None:
        seen += files_holding(tmp_path / "kept", [NAME, STREET])
        sizes.append(sum(size_of(p) for p in paths_below(tmp_path / "kept") if p.name == "rows.db"))
        looks += 1
        time.sleep(0.02)
    said = run.communicate()[0]
    assert run.returncode == 0, said
    assert looks > 3
    assert max(sizes) > 0 or not memory, "the rows were to lie in a file"
    assert seen == []
    assert files_holding(tmp_path / "kept", [NAME, STREET]) == []
    assert NAME.encode() not in said
    assert list((tmp_path / "kept/tmp").glob("antifaz-*")) == []


def test_check_35_a_killed_run_leaves_nothing_raw_and_the_next_removes_its_rest(tmp_path: Path, people: str) -> None:
    run, kept = _started(tmp_path, people, ", memory: 1GB"), tmp_path / "kept"
    while run.poll() is None and not any(size_of(p) for p in paths_below(kept) if p.name == "rows.db"):
        time.sleep(0.01)
    run.send_signal(signal.SIGKILL)
    run.communicate()
    assert run.returncode == -signal.SIGKILL
    assert any(kept.rglob("rows.db")), "it was killed too late"
    assert files_holding(kept, [NAME, STREET]) == []
    again = _run(tmp_path)
    assert (again.wait(), again.communicate()[0][:0]) == (0, b"")
    assert list((kept / "tmp").glob("antifaz-*")) == []
    assert [path.name for path in kept.iterdir() if "partial" in path.name] == []
