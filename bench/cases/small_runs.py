"""How long a person waits for a small table: by the command line, and by REST from workers that are warm.

The unit is what any program on this stack takes before it can begin: `python -c "import duckdb, numpy, pyarrow"`.
Wanted were 1.2 and 1.6 s by the command line, and 1 and 1.5 s by REST, where the unit takes 0.18 s.
"""

from __future__ import annotations

import atexit
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import Any

import pyarrow.csv as pacsv

import antifaz as az
from bench.measure import WHOLE_RUN, Unavailable, Work, case

IMPORTS = 'python -c "import duckdb, numpy, pyarrow"'
_LADDERS: dict[str, Any] = {
    "birth_date": {"dates": ["month", "quarter", "year", "decade"]}, "age": {"intervals": [5, 10, 20]},
    "sex": {"flat": True}, "postcode": {"masking": 1}, "education": {"flat": True}, "marital_status": {"flat": True},
    "occupation": {"flat": True}, "country": {"flat": True},
}  # fmt: skip
DOCUMENT: dict[str, Any] = {
    "antifaz": 1,
    "attributes": {
        **{name: {"role": "identifier"} for name in ("id_number", "name")},
        **{name: {"role": "quasi-identifier", "hierarchy": ladder} for name, ladder in _LADDERS.items()},
        **{name: {"role": "sensitive"} for name in ("income", "diagnosis")},
    },
    "privacy": [{"model": "k-anonymity", "k": 5}],
    "method": {"name": "full-domain", "suppression": 0.05},
    "seed": 1,
}


@case(
    claim="`antifaz run` of 1,000 rows: counted, decided, written, verified, attacked",
    against=IMPORTS,
    limit=6.6,
    least=WHOLE_RUN,
)
def small_run_1000(quick: bool) -> tuple[Work, Work]:
    return _command(1_000), _imports


@case(claim="`antifaz run` of 10,000 rows", against=IMPORTS, limit=8.8, least=WHOLE_RUN)
def small_run_10000(quick: bool) -> tuple[Work, Work]:
    return _command(10_000), _imports


@case(
    claim="the same by REST, 1,000 rows, from the request to the verified file",
    against=IMPORTS,
    limit=5.5,
    least=WHOLE_RUN,
)
def rest_run_1000(quick: bool) -> tuple[Work, Work]:
    return _requests(1_000, 1), _imports


@case(claim="the same by REST, 10,000 rows", against=IMPORTS, limit=8.3, least=WHOLE_RUN)
def rest_run_10000(quick: bool) -> tuple[Work, Work]:
    return _requests(10_000, 1), _imports


@case(claim="ten runs of 1,000 rows by REST, queued at once", against=IMPORTS, limit=44, least=WHOLE_RUN, best_of=2)
def rest_ten_runs(quick: bool) -> tuple[Work, Work]:
    return _requests(1_000, 10), _imports


def _imports() -> None:
    subprocess.run([sys.executable, "-c", "import duckdb, numpy, pyarrow"], check=True)


@cache
def _folder() -> Path:
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def _table(rows: int) -> Path:
    path = _folder() / f"people-{rows}.csv"
    if not path.exists():
        pacsv.write_csv(az.datasets.people(rows, seed=1), path)
    return path


def _command(rows: int) -> Work:
    script = Path(sys.executable).with_name("antifaz")
    if not script.exists():
        raise Unavailable("the console script 'antifaz' is not installed beside this Python")
    out, project = _folder() / f"out-{rows}", _folder() / f"project-{rows}.json"
    source, release = {"path": str(_table(rows))}, {"path": str(out)}
    project.write_text(json.dumps({**DOCUMENT, "source": source, "release": release}), encoding="utf-8")

    def work() -> float:
        shutil.rmtree(out, ignore_errors=True)
        began = perf_counter()
        subprocess.run([script, "run", project], capture_output=True, check=True)
        return perf_counter() - began

    work()  # what has to be compiled is compiled now
    return work


@cache
def _service() -> Any:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))
    try:
        from e2e.web.rest import served
    except ImportError as error:
        raise Unavailable(f"{error.name} is not installed") from None
    (place := _folder() / "served").mkdir()
    stack = ExitStack()
    atexit.register(stack.close)
    return stack.enter_context(served(place))


def _requests(rows: int, number: int) -> Callable[[], float]:
    service = _service()
    dataset = service.upload(_table(rows).read_text("utf-8"), f"people-{rows}.csv")["id"]
    project = service.project(f"people-{rows}-{number}", dataset, DOCUMENT)["id"]

    def work() -> float:
        began = perf_counter()
        for run in [service.start(project)["id"] for _ in range(number)]:
            told = service.wait(run)
            if told["state"] != "done":
                raise RuntimeError(f"a run ended as {told['state']}")
        return perf_counter() - began

    work()
    return work
