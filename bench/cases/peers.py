"""Python packages that do comparable work, on the same table in the same run, in an environment of their own."""

from __future__ import annotations

import subprocess
import sys
from atexit import register
from functools import cache
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

import pyarrow as pa
import pyarrow.csv as csv

import antifaz as az
from antifaz.hierarchies import from_file
from antifaz.pipeline.plan import make_plan
from antifaz.pipeline.prepare import make_task
from antifaz.risk.attacks import run_attacks
from bench.data import ADULT, QIS, adult, adult_file
from bench.measure import Unavailable, Work, case

SCRIPTS = Path(__file__).parents[1] / "peers"


def _peer(script: str, *arguments: str, folder: Path | None = None, home: str = "peers") -> Work:
    """Return a work that runs a peer in its own environment and reports the seconds that the peer measured.

    The peer is given Adult's folder, or another one with tables.
    """
    python = Path(sys.prefix) / home / "bin" / "python"
    if not python.exists():
        raise Unavailable("the peers are not installed; `make bench` does it")
    if folder is None:
        adult_file()
    command = [str(python), str(SCRIPTS / script), str(folder or ADULT), *arguments]

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
        az.anonymize(data, roles=roles, hierarchies=trees, privacy=az.KAnonymity(5), seed=1, others="release")

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


KNOWN = ("age", "sex", "postcode", "education", "marital_status", "occupation")
ROLES = {**dict.fromkeys(KNOWN, "quasi-identifier"), "diagnosis": "sensitive"}


@cache
def _people(rows: int) -> Path:
    """Write people, a release of other people like them, a control group, and the first ones in classes; once."""
    folder = Path(mkdtemp(prefix="antifaz-bench-"))
    register(rmtree, folder, ignore_errors=True)
    for seed, name in enumerate(("original", "released", "control"), 1):
        csv.write_csv(az.datasets.people(rows, seed=seed).select(list(ROLES)), folder / f"{name}.csv")
    people = az.datasets.people(rows, seed=1).select(list(ROLES)).to_pydict()
    people["age"] = [f"[{age // 10 * 10}, {age // 10 * 10 + 10})" for age in people["age"]]
    people["postcode"] = [f"{code[:1]}****" for code in people["postcode"]]
    csv.write_csv(pa.table(people), folder / "classes.csv")
    return folder


@case(
    claim="500 attempts of each attack on a table of 20,000 other people, with a control group",
    against="anonymeter: singling out, linkability, inference",
    limit=1,
    best_of=1,
)
def against_anonymeter(quick: bool) -> tuple[Work, Work]:
    folder, attempts = _people(2_000 if quick else 20_000), 100 if quick else 500
    tables = [_read(folder / f"{name}.csv") for name in ("original", "released", "control")]

    def ours() -> None:
        run_attacks(*tables[:2], ROLES, control=tables[2], attacks=attempts, seed=1)

    run_attacks(*(table.slice(0, 50) for table in tables[:2]), ROLES, attacks=5, seed=1)  # compiles the kernels
    theirs = _peer(
        "anonymeter_people.py", str(attempts), ",".join(KNOWN), "diagnosis", folder=folder, home="anonymeter"
    )
    return ours, theirs


@case(
    claim="assess 2,000 people in classes of three columns, without attacks: utility, risk, population, disclosure",
    against="pycanon's nine measures of the released table",
    limit=1,
    best_of=1,
)
def against_pycanon_assess(quick: bool) -> tuple[Work, Work]:
    # Not more people: pycanon goes through the table once for every class, and some of its measures for every value.
    folder, known = _people(500 if quick else 2_000), KNOWN[:3]
    roles = {**dict.fromkeys(known, "quasi-identifier"), "diagnosis": "sensitive"}
    before, after = _read(folder / "original.csv"), _read(folder / "classes.csv")

    def ours() -> None:
        az.assess(before, after, roles, attacks=0, seed=1)

    ours()
    return ours, _peer("pycanon_people.py", "-", ",".join(known), "diagnosis", folder=folder)


def _read(path: Path) -> pa.Table:
    return csv.read_csv(path, convert_options=csv.ConvertOptions(column_types={"postcode": pa.string()}))
