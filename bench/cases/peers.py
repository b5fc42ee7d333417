"""Python packages that do comparable work, on the same table in the same run, in an environment of their own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import antifaz as az
from antifaz.hierarchies import from_file
from antifaz.projects.plan import make_plan
from antifaz.projects.task import make_task
from bench.data import ADULT, QIS, adult, adult_file
from bench.measure import Unavailable, Work, case

SCRIPTS = Path(__file__).parents[1] / "peers"


def _peer(script: str, *arguments: str) -> Work:
    """Return a work that runs a peer in its own environment and reports the seconds that the peer measured."""
    python = Path(sys.prefix) / "peers" / "bin" / "python"
    if not python.exists():
        raise Unavailable("the peers are not installed; `make bench` does it")
    adult_file()
    command = [str(python), str(SCRIPTS / script), str(ADULT), *arguments]

    def work() -> float:
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise Unavailable(f"{script} does not run here")
        return float(done.stdout.split()[-1])

    return work


@case(
    claim="Adult, 8 QIs, k=5, nobody left out: decide, apply and verify",
    against="anjana, which decides and applies",
    limit=0.2,
    best_of=2,
)
def against_anjana(quick: bool) -> tuple[Work, Work]:
    data = adult()
    trees = {name: from_file(ADULT / f"adult_hierarchy_{name}.csv", delimiter=";") for name in QIS}
    roles = dict.fromkeys(QIS, "quasi-identifier")

    def ours() -> None:
        az.anonymize(data, roles=roles, hierarchies=trees, privacy=az.KAnonymity(5), seed=1)

    ours()
    return ours, _peer("anjana_adult.py", "5", "0")


@case(claim="k and l of Adult, 7 QIs, from the rows", against="pycanon", limit=1, best_of=2)
def against_pycanon(quick: bool) -> tuple[Work, Work]:
    table = adult().to_arrow()
    models = [az.KAnonymity(5), az.LDiversity(2, attribute="occupation")]

    def ours() -> None:
        az.verify(table, QIS[:7], models)

    ours()
    return ours, _peer("pycanon_adult.py")


@case(
    claim="Adult, 8 QIs, k=5, by Mondrian: count, decide and apply, 200 times faster",
    against="anonypy, which decides and applies",
    limit=1 / 200,
    best_of=1,
)
def against_anonypy(quick: bool) -> tuple[Work, Work]:
    table = adult().to_arrow()
    if quick:
        table = table.slice(0, 3_000)
    roles = dict.fromkeys(QIS, "quasi-identifier")

    data = az.open(table)
    plan = make_plan(data.schema, roles=roles, hierarchies={}, privacy=[az.KAnonymity(5)], method=az.Mondrian(), seed=1)

    def ours() -> None:
        data.apply(plan.method.decide(make_task(plan, data)).recoding, key=1).collect()

    ours()
    return ours, _peer("anonypy_adult.py", "5", str(table.num_rows))
