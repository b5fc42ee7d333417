"""The engine suite: every method that decides on counts gives the same release on every engine, however it is parted.

Run as a program it is the part that needs a Spark session of its own: the cases named, on separate executor processes.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import antifaz as az
from antifaz.engines.local.data import open_local

#: PySpark leaves it to the collector to close the sockets through which it hands tables over.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")
ROLES = {
    "name": "identifier", "age": "quasi-identifier", "sex": "quasi-identifier", "postcode": "quasi-identifier",
    "marital_status": "quasi-identifier", "diagnosis": "sensitive",
}  # fmt: skip
PARTS = (1, 8)
CLUSTER = "local-cluster[2,1,1024]"


@dataclass(frozen=True)
class Case:
    """A method, and what must hold."""

    method: Any
    models: list[Any] = field(default_factory=lambda: [az.KAnonymity(4)])
    missing: dict[str, str] = field(default_factory=dict)
    hardened: bool = False
    microaggregate: dict[str, str] = field(default_factory=dict)
    #: Columns that have no hierarchy.
    plain: tuple[str, ...] = ()


def _diverse() -> list[Any]:
    return [az.KAnonymity(4), az.LDiversity(2, attribute="diagnosis")]


CASES = {
    "full-domain": Case(az.FullDomain()),
    "full-domain with suppression": Case(az.FullDomain(suppression=0.05), _diverse()),
    "full-domain in rounds": Case(az.FullDomain(suppression=0.05, rounds=3)),
    "full-domain, missing left out": Case(az.FullDomain(suppression=0.05), missing={"sex": "drop"}),
    "full-domain, one age for each class": Case(
        az.FullDomain(suppression=0.05), microaggregate={"age": "mean"}, plain=("age",)
    ),
    "full-domain, ages and sexes replaced": Case(
        az.FullDomain(suppression=0.05), _diverse(), microaggregate={"age": "interval", "sex": "mode"}, plain=("sex",)
    ),
    "datafly": Case(az.Datafly(suppression=0.05)),
    "bottom-up": Case(az.BottomUp()),
    "level cuts": Case(az.Specialization(), _diverse()),
    "sub-tree cuts": Case(az.Specialization(cut="subtree")),
    "level cuts in two phases": Case(az.Specialization(phases=2, partitions=3, k_first=6)),
    "sub-tree cuts in two phases": Case(az.Specialization(cut="subtree", phases=2, partitions=3, k_first=6)),
    "hardened full-domain": Case(az.FullDomain(suppression=0.05), _diverse(), hardened=True),
    "hardened sub-tree cuts": Case(az.Specialization(cut="subtree"), _diverse(), hardened=True),
    "hardened mondrian": Case(az.Mondrian(), [az.KAnonymity(4)], hardened=True),
    "mondrian": Case(az.Mondrian(), _diverse()),
    "mondrian that keeps distributions": Case(az.Mondrian(split="distribution", release="mode")),
}
#: Those that are also run on executors in processes of their own.
APART = ("full-domain with suppression", "sub-tree cuts in two phases")


#: Those that are also run on one part: what differs by parts is counting, replacing in classes, and work of executors.
WHOLE = (*APART, "full-domain, ages and sexes replaced", "mondrian")


def release_of(data: Any, case: Case) -> tuple[str, dict[str, Any]]:
    """Return the hash of the sorted released rows, and what evidence says that must not depend on the engine."""
    hierarchies = {
        "age": az.hierarchy.intervals(5, 10, 20),
        "sex": az.hierarchy.flat(),
        "postcode": az.hierarchy.masking(1),
        "marital_status": az.hierarchy.flat(),
    }
    release = az.anonymize(
        data,
        roles=ROLES,
        hierarchies={name: own for name, own in hierarchies.items() if name not in case.plain},
        microaggregate=case.microaggregate,
        privacy=case.models,
        method=case.method,
        missing=case.missing,
        hardened=case.hardened,
        others="release",
        seed=1,
    )
    told = ("rows", "method", "privacy", "utility", "risk", "classes", "warnings")
    return rows_hash(release.frame), {key: release.evidence[key] for key in told}


def rows_hash(frame: Any) -> str:
    table = frame if isinstance(frame, pa.Table) else frame.toArrow()
    rows = sorted(repr([None if cell is None else str(cell) for cell in row.values()]) for row in table.to_pylist())
    return hashlib.sha256("\n".join([repr(table.column_names), *rows]).encode()).hexdigest()


def differing(one: Any, other: Any, place: str = "") -> list[str]:
    """Say where two documents differ; numbers may, by a share of 1e-9."""
    if isinstance(one, dict) and isinstance(other, dict):
        names = sorted(one.keys() | other.keys())
        return [part for n in names for part in differing(one.get(n), other.get(n), f"{place}.{n}")]
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)) and len(one) == len(other):
        pairs = enumerate(zip(one, other, strict=True))
        return [part for i, (a, b) in pairs for part in differing(a, b, f"{place}[{i}]")]
    same = one == pytest.approx(other, rel=1e-9, nan_ok=True) if isinstance(one, float) else one == other
    return [] if same else [f"{place}: {one!r} is not {other!r}"]


@pytest.fixture(scope="module")
def expected(table: pa.Table) -> dict[str, tuple[str, dict[str, Any]]]:
    """What one machine releases."""
    with open_local(table, threads=1) as data:
        return {name: release_of(data, case) for name, case in CASES.items()}


@pytest.fixture(scope="module")
def parted(spark: Any, table: pa.Table) -> Iterator[dict[int, Any]]:
    """The same table on Spark, in one part and in eight."""
    from antifaz.engines.spark.data import open_spark

    whole = spark.createDataFrame(table)
    opened = {parts: open_spark(whole.repartition(parts).persist(), session=spark) for parts in PARTS}
    yield opened
    for data in opened.values():
        data.close()
    spark.catalog.clearCache()


@pytest.mark.parametrize(("name", "parts"), [*((name, 8) for name in CASES), *((name, 1) for name in WHOLE)])
def test_check_18_every_method_gives_the_same_release(
    parted: dict[int, Any], expected: dict[str, tuple[str, dict[str, Any]]], name: str, parts: int
) -> None:
    assert parted[parts].frame.rdd.getNumPartitions() == parts
    rows, told = release_of(parted[parts], CASES[name])
    assert not differing(told, expected[name][1])
    assert rows == expected[name][0]


@pytest.mark.parametrize("parts", PARTS)
def test_check_18_parts_of_text_give_the_same_release(
    spark: Any, table: pa.Table, expected: dict[str, tuple[str, dict[str, Any]]], tmp_path: Path, parts: int
) -> None:
    from antifaz.engines.spark.data import open_spark

    size = -(-table.num_rows // parts)
    for i in range(parts):
        pyarrow.csv.write_csv(table.slice(i * size, size), tmp_path / f"part-{i}.csv")
    with open_spark(tmp_path, session=spark) as data:
        rows, told = release_of(data, CASES[APART[0]])
    assert (rows, differing(told, expected[APART[0]][1])) == (expected[APART[0]][0], [])


def test_tuples_as_numbers_give_the_same_release(
    parted: dict[int, Any], expected: dict[str, tuple[str, dict[str, Any]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Large tables are counted otherwise than small ones."""
    monkeypatch.setattr("antifaz.engines.spark.count.FEW", 0)
    rows, told = release_of(parted[8], CASES[APART[0]])
    assert (rows, differing(told, expected[APART[0]][1])) == (expected[APART[0]][0], [])


def test_executors_in_processes_of_their_own(
    spark: Any, table: pa.Table, expected: dict[str, tuple[str, dict[str, Any]]], tmp_path: Path
) -> None:
    for i in range(3):
        pq.write_table(table.slice(200 * i, 200), tmp_path / f"{i}.parquet")
    command = [sys.executable, __file__, str(tmp_path), APART[1]]
    # Executors get no options of the driver's, but all of Java reads these.
    environment = os.environ | {"JDK_JAVA_OPTIONS": os.environ["SPARK_SUBMIT_OPTS"]}
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300, env=environment)
    assert done.returncode == 0, done.stderr[-2000:]
    said = json.loads(done.stdout.splitlines()[-1])
    assert said.pop("executors") == 2
    assert said == {APART[1]: expected[APART[1]][0]}


def _on_a_cluster(place: str, names: list[str]) -> dict[str, Any]:
    from antifaz.engines.spark.data import open_spark

    with open_spark(place, master=CLUSTER, memory="1GB") as data:
        found: dict[str, Any] = {name: release_of(data, CASES[name])[0] for name in names}
        # The driver is counted too.
        found["executors"] = data.session.sparkContext._jsc.sc().getExecutorMemoryStatus().size() - 1
    return found


if __name__ == "__main__":
    print(json.dumps(_on_a_cluster(sys.argv[1], sys.argv[2:])))
