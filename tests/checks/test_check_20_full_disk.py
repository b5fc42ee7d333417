"""Check 20: a disk that fills up ends a command with a sentence, and leaves the old release or none."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from e2e.conftest import COMMAND

PROJECT = """\
antifaz: 1
source: {path: people.csv}
attributes:
  age: {role: quasi-identifier, hierarchy: {intervals: [10, 50]}}
  note: {role: insensitive}
privacy: [{model: k-anonymity, k: 5}]
release: {path: disk/out}
seed: 1
"""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder with a project that releases to a disk of two megabytes."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        assert not os.environ.get("CI"), "a small disk must be mountable in CI"
        pytest.skip("only root may mount a small disk to fill")
    (tmp_path / "project.yaml").write_text(PROJECT, encoding="utf-8")
    yield tmp_path
    subprocess.run(["umount", str(disk)], check=True)


def _rows(folder: Path, many: int) -> None:
    lines = "".join(f"{i % 90},{os.urandom(300).hex()}\n" for i in range(many))
    (folder / "people.csv").write_text(f"age,note\n{lines}", encoding="utf-8")


def _run(folder: Path, *command: str, **env: str) -> subprocess.CompletedProcess[str]:
    told = {**os.environ, **env}
    return subprocess.run([COMMAND, *command], cwd=folder, capture_output=True, text=True, check=False, env=told)


def test_check_20_a_full_disk_keeps_the_old_release_and_is_said(folder: Path) -> None:
    disk = folder / "disk"
    _rows(folder, 500)
    done = _run(folder, "run", "project.yaml")
    assert done.returncode == 0, done.stderr
    before = {path.name: path.read_bytes() for path in (disk / "out").iterdir()}
    _rows(folder, 5000)
    done = _run(folder, "run", "project.yaml")
    assert done.returncode == 2
    assert "the disk is full" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert {path.name: path.read_bytes() for path in (disk / "out").iterdir()} == before
    assert [path.name for path in disk.iterdir()] == ["out"]


def test_check_20_a_full_disk_for_temporary_files_ledger_and_store_is_said(folder: Path) -> None:
    disk = folder / "disk"
    _rows(folder, 500)
    with (disk / "filler").open("wb", buffering=0) as file, pytest.raises(OSError):
        while True:
            file.write(bytes(4096))
    for command, env in (
        (("run", "project.yaml"), {"ANTIFAZ_LEDGER": str(disk / "ledger.sqlite")}),
        (("project", "add", "project.yaml"), {"ANTIFAZ_STORE": str(disk / "projects.sqlite")}),
    ):
        done = _run(folder, *command, **env)
        assert done.returncode == 2, (command, done.stderr)
        assert len(done.stderr.strip().splitlines()) <= 2, done.stderr
        assert "internal" not in done.stderr
        assert "Traceback" not in done.stderr
    assert not (disk / "out").exists()
