"""What is not needed is not imported: help is quick, and the library costs nothing until it is used."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = ("numpy", "numba", "pandas", "polars", "pyarrow", "duckdb", "scipy", "pydantic", "narwhals", "yaml", "rich")


def _imported(code: str) -> set[str]:
    """Run some code in a new interpreter; return which of the heavy modules it imported."""
    tail = f"\nimport json, sys\nprint(json.dumps([m for m in {HEAVY!r} if m in sys.modules]), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code + tail], capture_output=True, check=True, text=True)
    return set(json.loads(done.stderr.splitlines()[-1]))


def test_importing_the_library_imports_nothing():
    assert _imported("import antifaz; dir(antifaz); antifaz.__version__") == set()


@pytest.mark.parametrize("args", [["--help"], ["--version"], ["-h"]])
def test_help_imports_nothing_heavy(args):
    code = (
        f"import sys; sys.argv = ['antifaz', *{args!r}]\n"
        "from antifaz.cli.main import main\n"
        "try:\n    main()\nexcept SystemExit as done:\n    assert done.code == 0\n"
    )
    assert _imported(code) == set()


@pytest.mark.parametrize("command", ["demo", "inspect", "init", "run", "verify", "schema", "candidates"])
def test_the_help_of_a_command_imports_no_engine(command):
    code = (
        f"import sys; sys.argv = ['antifaz', {command!r}, '--help']\n"
        "from antifaz.cli.main import main\n"
        "try:\n    main()\nexcept SystemExit as done:\n    assert done.code == 0\n"
    )
    assert _imported(code) & {"numpy", "numba", "pandas", "pyarrow", "duckdb", "scipy", "pydantic"} == set()
