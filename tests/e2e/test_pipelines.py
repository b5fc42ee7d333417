"""The guide to pipelines: what its tests as documents don't run, is run here as far as this machine can.

Airflow, Prefect, dbt and a container engine are not among our dependencies. Their files are parsed, what they would
call is called, and the SQL of dbt is counted beside the verifier.
"""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import duckdb
import jinja2
import pyarrow as pa
import pytest
import yaml

import antifaz as az
from antifaz.cli.main import cli
from e2e.conftest import Run

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs" / "guides" / "pipelines.md").read_text(encoding="utf-8")
CONTAINERFILE = ROOT / "package" / "Containerfile"
RELEASED = re.search(r"cat > released\.csv <<'END'\n(.*?)^END$", GUIDE, re.M | re.S)


def fenced(kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```$", GUIDE, re.M | re.S)


@pytest.fixture
def released(tmp_path: Path) -> Path:
    assert RELEASED is not None
    path = tmp_path / "released.csv"
    path.write_text(RELEASED[1], encoding="utf-8")
    return path


def _ci_commands() -> list[str]:
    github, gitlab = (yaml.safe_load(text) for text in fenced("yml")[1:])
    steps = [step["run"] for step in github["jobs"]["verify"]["steps"] if "run" in step]
    return [command for command in [*steps, *gitlab["verify"]["script"]] if command.startswith("antifaz")]


@pytest.mark.parametrize("command", _ci_commands())
def test_jobs_of_continuous_integration_pass_and_fail_by_the_exit_code(
    command: str, released: Path, antifaz: Run
) -> None:
    words = shlex.split(command.partition(" > ")[0])[1:]
    assert antifaz(*words).code == 0
    assert antifaz(*["4" if word == "3" else word for word in words]).code == 1
    released.unlink()
    missing = antifaz(*words)
    assert (missing.code, missing.out, missing.err) == (2, "", "Error: There is no file released.csv.\n")


def test_a_verdict_is_printed_as_json_also_when_it_does_not_hold(released: Path, antifaz: Run) -> None:
    told = antifaz("verify", released, "--qi", "age,sex", "--k", "4", "--json")
    assert told.code == 1
    (verdict,) = json.loads(told.out)["privacy"]
    assert (verdict["k"], verdict["achieved"], verdict["holds"], verdict["failing"]) == (4, 3, False, 6)


@pytest.mark.parametrize("k", range(1, 8))
def test_the_test_of_dbt_finds_what_the_verifier_finds(k: int) -> None:
    """A row of the statement is a class below k; a missing value is a value for both."""
    text = fenced("sql")[0]
    body = re.sub(r"{% (test|endtest).*?%}", "", text)
    table = pa.table({"age": [1, 1, 1, 2, 2, None, None, 3], "sex": list("ffmmmff") + [None]})
    statement = jinja2.Environment().from_string(body).render(model="rows", quasi_identifiers=["age", "sex"], k=k)
    with duckdb.connect() as connection:
        connection.register("rows", table)
        found = connection.sql(statement).fetchall()
    (verdict,) = az.verify(table, ["age", "sex"], [az.KAnonymity(max(k, 2))]) if k > 1 else (None,)
    assert sum(row[-1] for row in found) == (0 if verdict is None else verdict.failing)


class _Dbt:
    """What a Python model asks of dbt."""

    def __init__(self, rows: Any) -> None:
        self._rows = rows

    def config(self, **said: str) -> None:
        assert said == {"materialized": "table"}

    def ref(self, name: str) -> Any:
        assert name == "released"
        return duckdb.from_arrow(self._rows)


def test_the_python_model_of_dbt_passes_rows_on_or_raises() -> None:
    names: dict[str, Any] = {}
    (code,) = [text for text in fenced("python") if text.startswith("def model(")]
    exec(compile(code, "checked.py", "exec"), names)
    alike = pa.table({"age": ["[30, 40)"] * 3, "sex": ["*"] * 3})
    assert len(names["model"](_Dbt(alike), None)) == 3
    with pytest.raises(ValueError, match="k-anonymity does not hold: 2 records fail"):
        names["model"](_Dbt(alike.slice(1)), None)


def _instructions() -> list[tuple[str, str]]:
    lines = re.sub(r"\\\n", " ", CONTAINERFILE.read_text(encoding="utf-8")).splitlines()
    kept = [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]
    return [(line.split()[0], line.split(maxsplit=1)[1]) for line in kept]


def _copied() -> list[str]:
    said = [words.split() for name, words in _instructions() if name == "COPY"]
    return [source for words in said if not words[0].startswith("--from") for source in words[:-1]]


def test_the_container_runs_as_nobody_special_and_its_parts_are_there() -> None:
    said = _instructions()
    known = {"FROM", "WORKDIR", "COPY", "RUN", "ENV", "USER", "VOLUME", "EXPOSE", "ENTRYPOINT", "CMD"}
    assert {name for name, _ in said} <= known
    assert all((ROOT / source).exists() for source in _copied())
    last = [name for name, _ in said][::-1].index("FROM")
    final = dict(said[-last:])
    assert int(final["USER"]) > 0
    names = [name for name, _ in said]
    assert names.index("USER") < names.index("ENTRYPOINT")
    assert final["WORKDIR"] == final["VOLUME"] == "/data"
    places = dict(part.split("=") for part in final["ENV"].split())
    assert all(places[name].startswith("/data/") for name in ("XDG_DATA_HOME", "NUMBA_CACHE_DIR"))
    start = [*json.loads(final["ENTRYPOINT"]), *json.loads(final["CMD"])]
    assert start == ["antifaz", "--help"]
    extras = re.search(r"\.\[(.*?)\]", dict(said)["RUN"] + str(said))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert extras is not None and set(extras[1].split(",")) <= set(project["optional-dependencies"])
    assert project["scripts"].keys() == {"antifaz"}


def test_the_container_copies_what_the_package_is_built_from() -> None:
    said = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project, build = said["project"], said["tool"]["hatch"]
    wanted = [project["readme"], *project["license-files"], build["version"]["path"]]
    wanted += build["build"]["targets"]["wheel"]["packages"]
    assert [path for path in wanted if not any(Path(path).is_relative_to(copied) for copied in _copied())] == []


def test_commands_in_the_container_are_commands() -> None:
    shown = re.sub(r"\\\n", " ", GUIDE + CONTAINERFILE.read_text(encoding="utf-8"))
    found = re.findall(r"(?:boxed|podman run) [^\n]*? antifaz ([a-z][^\n]+)", shown)
    assert len(found) == 4
    for words in map(shlex.split, found):
        command = cli.get_command(cli.make_context("antifaz", [], resilient_parsing=True), words[0])
        assert command is not None
        command.make_context(words[0], words[1:])  # raises on options that are not there
