"""The wheel as somebody meets it who has nothing but pip: a new environment, a new folder, no source beside it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

#: One call of the library, on made-up people.
_LIBRARY = """
import antifaz as az
people = az.datasets.people(500, seed=1).select(["age", "sex", "diagnosis"])
release = az.anonymize(
    people,
    roles={"age": "quasi-identifier", "sex": "quasi-identifier", "diagnosis": "sensitive"},
    hierarchies={"age": az.hierarchy.intervals(5, 10, 20, 40), "sex": az.hierarchy.flat()},
    privacy=[az.KAnonymity(5)], seed=1,
)
assert release.evidence["privacy"][0]["holds"] and release.frame.num_rows == release.evidence["rows"]["released"]
assert "site-packages" in az.__file__, az.__file__
"""
#: Every extra is used once; a PDF and a spreadsheet are real files, the page's files are where the service looks.
_EXTRAS = """
import importlib.util, pathlib, antifaz
from antifaz.web import app
page = pathlib.Path(app.__file__).parent / "page"
assert (page / "index.html").exists() and (page / "vendor" / "preact.module.js").exists()
for name in ("cryptography", "keyring", "sqlalchemy", "psycopg", "pymysql", "fastexcel", "sklearn", "typst",
             "pyspark", "fastapi", "uvicorn", "python_multipart"):
    importlib.import_module(name)
"""
_TYPED = "import antifaz as az\nreveal_type(az.KAnonymity(5))\n"
_WRONG = "import antifaz as az\naz.verify(1, quasi_identifiers=2, privacy=3, no_such=4)\n"


class Fresh:
    """A new environment of one interpreter."""

    def __init__(self, folder: Path, interpreter: str) -> None:
        """Make the environment; `folder` must not exist."""
        folder.mkdir()
        self.work = folder / "work"
        self.work.mkdir()
        subprocess.run([interpreter, "-m", "venv", str(folder / "venv")], check=True)
        self.bin = folder / "venv" / "bin"
        self.python = self.bin / "python"
        self.version = self._do(self.python, "-c", "import platform; print(platform.python_version())").strip()

    def install(self, wheel: Path) -> None:
        """Install the wheel with all extras, and nothing else."""
        self._do(self.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", f"{wheel}[all]")
        self._do(self.python, "-m", "pip", "check")

    def pins(self) -> str:
        """Return what is installed beside the package, each with its version, for `pip install --constraint`."""
        lines = self._do(self.python, "-m", "pip", "freeze", "--exclude", "antifaz").splitlines()
        return "".join(f"{line}\n" for line in lines if "==" in line)

    def tried(self) -> Iterator[str]:
        """Use it; say what worked."""
        yield self._do(self.bin / "antifaz", "--version").strip()
        said = self._do(self.bin / "antifaz", "demo", "--rows", "3000", "--out", "demo", "--pdf", "--json")
        rows = json.loads(said)["rows"]
        made = sorted(path.name for path in (self.work / "demo").iterdir())
        yield f"antifaz demo released {rows['released']} of {rows['read']} records: {', '.join(made)}"
        self._do(self.python, "-c", _LIBRARY)
        yield "az.anonymize holds what was asked"
        self._do(self.python, "-c", _EXTRAS)
        yield "the packages of every extra can be imported, and the page's files are there"
        yield self._types()

    def _types(self) -> str:
        """Ask mypy about two lines of a user's: it must know the types, and see a mistake."""
        shown = self._mypy("typed.py", _TYPED)
        if "antifaz.privacy.k_anonymity.KAnonymity" not in shown:
            raise SystemExit(f"mypy does not find the types of the installed package:\n{shown}")
        wrong = self._mypy("wrong.py", _WRONG)
        if "error" not in wrong or "no_such" not in wrong:
            raise SystemExit(f"mypy does not see a wrong argument:\n{wrong}")
        return "mypy finds the types"

    def _mypy(self, name: str, code: str) -> str:
        (self.work / name).write_text(code, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-m", "mypy", "--strict", "--python-executable", str(self.python), name],
            cwd=self.work, capture_output=True, text=True, check=False,
        )  # fmt: skip
        return done.stdout + done.stderr

    def _do(self, *command: object) -> str:
        """Run something in the empty folder, with nothing of ours on the path; return what it prints."""
        clean = {
            key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "ANTIFAZ", "VIRTUAL_"))
        }
        clean["ANTIFAZ_LEDGER"] = str(self.work / "ledger.sqlite")
        done = subprocess.run(
            list(map(str, command)), cwd=self.work, env=clean, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise SystemExit(f"{' '.join(map(str, command[:4]))} failed:\n{done.stdout}{done.stderr}")
        return done.stdout
