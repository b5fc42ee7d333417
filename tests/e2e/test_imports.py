"""What is not needed is not imported: help is quick, and the library costs nothing until it is used."""

from __future__ import annotations

import json
import subprocess
import sys

import pyarrow.csv as pacsv
import pytest

from antifaz.datasets import people

HEAVY = ("numpy", "numba", "pandas", "polars", "pyarrow", "duckdb", "scipy", "pydantic", "narwhals", "yaml", "rich")


def _imported(code: str, modules: tuple[str, ...] = HEAVY) -> set[str]:
    """Run some code in a new interpreter; return which of these modules it imported."""
    tail = f"\nimport json, sys\nprint(json.dumps([m for m in {modules!r} if m in sys.modules]), file=sys.stderr)"
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


_PROJECT = """
antifaz: 1
source: {{path: people.csv}}
release: {{path: out}}
seed: 1
attributes:
  id_number: {{role: identifier}}
  name: {{role: identifier}}
  birth_date: {{role: quasi-identifier, hierarchy: {{dates: [month, year, decade]}}}}
  age: {{role: quasi-identifier, hierarchy: {{intervals: [5, 10, 20]}}}}
  sex: {{role: quasi-identifier, hierarchy: {{flat: true}}}}
  postcode: {{role: quasi-identifier, hierarchy: {{masking: 1}}}}
  income: {{role: sensitive}}
  diagnosis: {{role: sensitive}}
others: drop
privacy:
  - {{model: k-anonymity, k: 5}}
{more}
method: {{name: full-domain, suppression: 0.05}}
"""
_LATE = {"numba", "pandas", "polars", "scipy", "narwhals"}
#: What other methods, several tables, and lists of candidates need.
_OF_OTHER_METHODS = (
    *(f"antifaz.methods.{family}" for family in ("clustering", "specialization", "suppression")),
    "antifaz.methods.recoding.datafly", "antifaz.proposals.auto",
    *(f"antifaz.pipeline.{own}" for own in ("assessment", "candidates", "purposes", "several_tables")),
)  # fmt: skip


@pytest.mark.parametrize(
    "more",
    ["", "  - {model: l-diversity, l: 2, attribute: diagnosis}", "  - {model: t-closeness, t: 0.9, attribute: income}"],
)
@pytest.mark.parametrize("rows", [1_000, 10_000])
def test_a_small_run_imports_only_what_it_needs(tmp_path, rows, more):
    """What is not imported takes no time: pandas, SciPy and Numba took longer than the rest of such a run."""
    pacsv.write_csv(people(rows, seed=1), tmp_path / "people.csv")
    (tmp_path / "project.yaml").write_text(_PROJECT.format(more=more), "utf-8")
    code = (
        "import os, sys; sys.argv = ['antifaz', 'run', 'project.yaml', '--json']\n"
        f"os.chdir({str(tmp_path)!r})\n"
        "from antifaz.cli.main import main\n"
        "try:\n    main()\nexcept SystemExit as done:\n    assert done.code == 0\n"
    )
    assert _imported(code, (*HEAVY, *_OF_OTHER_METHODS)) & {*_LATE, *_OF_OTHER_METHODS} == set()
    assert (tmp_path / "out" / "release.csv").exists()
    assert json.loads((tmp_path / "out" / "evidence.json").read_text())["criteria"]["linkability"]["attacks"]


def test_the_command_line_converts_to_pandas_all_the_same():
    code = (
        "from antifaz.cli.terminal import progress\nimport pyarrow as pa, sys\n"
        "with progress():\n    table = pa.table({'a': [1, None]})\n"
        "assert 'pandas' not in sys.modules\n"
        "frame = table.to_pandas()\n"
        "assert pa.Table.from_pandas(frame).num_rows == 2 and pa.array(frame['a'], from_pandas=True).null_count == 1"
    )
    assert "pandas" in _imported(code)
