"""The commands as people run them: in a process of their own, in a folder of their own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.csv
import pytest

from antifaz.datasets import people
from e2e import preloaded
from e2e.preloaded import needs_a_real_start

#: The command beside the interpreter that runs the tests.
COMMAND = Path(sys.executable).with_name("antifaz")
#: What can open no window takes two thirds of the processor time.
CHROMIUM = next(filter(Path.exists, map(Path, ("/usr/bin/chromium-headless-shell", "/usr/bin/chromium"))), None)

PROJECT = """\
antifaz: 1
name: people
source: {path: people.csv}
attributes:
  id_number: {role: identifier}
  name: {role: identifier}
  birth_date: {role: identifier}
  age: {role: quasi-identifier, hierarchy: {intervals: [5, 10, 20, 40]}}
  sex: {role: quasi-identifier, hierarchy: {file: sex.csv}}
  postcode: {role: quasi-identifier, hierarchy: {masking: 1}}
  education: {role: insensitive}
  marital_status: {role: insensitive}
  occupation: {role: insensitive}
  country: {role: insensitive}
  income: {role: insensitive}
  diagnosis: {role: sensitive}
privacy:
  - {model: k-anonymity, k: 5}
  - {model: l-diversity, kind: distinct, l: 2, attribute: diagnosis}
method: {name: full-domain, quality: loss, suppression: 0.02}
engine: {name: local, threads: 2}
release: {path: out/}
seed: 1
"""


@dataclass(frozen=True)
class Result:
    """How a command ended and what it said."""

    code: int
    out: str
    err: str


Run = Callable[..., Result]


@pytest.fixture
def antifaz(tmp_path: Path) -> Run:
    """Run a command in the test's folder."""

    def run(*args: object, cwd: Path | None = None, **env: str) -> Result:
        if not needs_a_real_start(env):
            code, out, err = preloaded.run([str(arg) for arg in args], cwd or tmp_path, {**os.environ, **env})
            return Result(code, out.decode(), err.decode())
        done = subprocess.run(
            [str(COMMAND), *map(str, args)],
            cwd=cwd or tmp_path,
            env={**os.environ, **env},
            capture_output=True,
            check=False,
        )
        return Result(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a data file, a hierarchy and a project file that can be run."""
    write_people(tmp_path / "people.csv", 300)
    (tmp_path / "sex.csv").write_text("female;*\nmale;*\n", encoding="utf-8")
    (tmp_path / "project.yaml").write_text(PROJECT, encoding="utf-8")
    return tmp_path


def needs_spark() -> None:
    """Leave a test out where Spark can't run, but not in CI."""
    if os.environ.get("CI"):
        return
    pytest.importorskip("pyspark", reason="install it: pip install antifaz[spark]")
    if not (shutil.which("java") or os.environ.get("JAVA_HOME")):
        pytest.skip("Spark needs Java: install a JDK, 17 or newer")


def write_people(path: Path, rows: int) -> None:
    """Write made-up people as CSV."""
    pyarrow.csv.write_csv(people(rows, seed=2), path)


def changed(folder: Path, old: str, new: str, name: str = "project.yaml") -> Path:
    """Change the project file in one place."""
    text = (folder / name).read_text(encoding="utf-8")
    assert text.count(old) == 1
    (folder / name).write_text(text.replace(old, new), encoding="utf-8")
    return folder / name


def contents(folder: Path) -> dict[str, bytes | None]:
    """Everything in a folder: files with their bytes, folders with None."""
    found = sorted(folder.rglob("*"))
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in found}


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """Debian's Chromium. One per module: its event loop must not outlive the tests that need it."""
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        _missing("the package playwright is not installed: pip install playwright")
    if CHROMIUM is None:
        _missing("there is no Chromium: apt install chromium-headless-shell")
    with sync_playwright() as play:
        # Scripts of pages that live for a test are not worth being optimized: a sixth less of the processor.
        options = ["--no-sandbox", "--disable-gpu", "--js-flags=--no-opt"]
        browser = play.chromium.launch(executable_path=str(CHROMIUM), args=options)
        yield browser
        browser.close()


def _missing(what: str) -> None:
    if os.environ.get("CI"):
        pytest.fail(f"The page must be tested in CI: {what}")
    pytest.skip(what)
