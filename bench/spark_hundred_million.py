"""A hundred million made-up people on Spark, on one machine, within 6 GB: `python -m bench.spark_hundred_million`.

The driver and the executors are one Java process with `--memory` of heap (local[2]); what it and this process hold at
most is measured by watching them. People are made by the executors, each part with a seed of its own.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter, sleep
from typing import Any

import pyarrow as pa

import antifaz as az
from antifaz.core.errors import AntifazError
from antifaz.engines.spark.session import use_session
from bench.cases.spark import QIS, release

_PART = 500_000
#: What a row takes on disk: the source, the release and what Spark spills meanwhile.
_BYTES = 250


class Watch:
    """Notes every half second how much memory this process and all that it started hold together."""

    def __init__(self) -> None:
        """Start watching."""
        self.most, self._on = 0, True
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        while self._on:
            self.most = max(self.most, _resident(os.getpid()))
            sleep(0.5)

    def stop(self) -> int:
        """Return the most that was held, in bytes."""
        self._on = False
        self._thread.join()
        return self.most


def _resident(root: int) -> int:
    said = subprocess.run(["ps", "-eo", "pid=,ppid=,rss="], capture_output=True, text=True, check=True).stdout
    rows = [tuple(map(int, line.split())) for line in said.splitlines()]
    family, before = {root}, 0
    while len(family) > before:
        before = len(family)
        family |= {pid for pid, parent, _ in rows if parent in family}
    return sum(held for pid, _, held in rows if pid in family) * 1024


def _people(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Make a part of the people for every number that comes."""
    for batch in batches:
        for seed in batch.column(0).to_pylist():
            made = az.datasets.people(_PART, seed=seed + 1)
            income = pa.array(made.column("income").to_numpy() // 1000 * 1000)
            yield from made.set_column(made.column_names.index("income"), "income", income).to_batches(50_000)


def _make(session: Any, rows: int, place: Path) -> None:
    from pyspark.sql.pandas.types import from_arrow_schema

    schema = from_arrow_schema(az.datasets.people(1, seed=1).schema)
    parts = rows // _PART
    session.range(0, parts, 1, parts).mapInArrow(_people, schema).write.parquet(str(place))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.spark_hundred_million", description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000_000, help=f"a multiple of {_PART:,}")
    parser.add_argument("--memory", default="4GB", help="Java's heap; Python's part of the 6 GB comes on top")
    parser.add_argument("--folder", type=Path, help="where there is room on disk; a temporary folder if left out")
    parser.add_argument("--people", type=Path, help="rows that an earlier run made, instead of making them")
    parser.add_argument("--qis", default=",".join(QIS), help="the quasi-identifiers, with commas between them")
    parser.add_argument("--method", choices=["full-domain", "specialization", "two-phases"], default="full-domain")
    return parser.parse_args()


def _method(name: str) -> Any:
    if name == "full-domain":
        return az.FullDomain(suppression=0.02)
    return az.Specialization(score="loss", **({"phases": 2, "partitions": 16} if name == "two-phases" else {}))


def main() -> int:
    """Make the people, anonymize them, and say what it took."""
    asked = _arguments()
    free, wanted = shutil.disk_usage(asked.folder or tempfile.gettempdir()).free, asked.rows * _BYTES
    if free < wanted:
        print(f"{wanted / 1e9:.0f} GB of disk are needed, and {free / 1e9:.0f} GB are free.")
        return 1
    watch = Watch()
    with tempfile.TemporaryDirectory(prefix="antifaz-bench-", dir=asked.folder) as folder:
        held = use_session(master="local[2]", memory=asked.memory)
        try:
            people, qis = asked.people or Path(folder) / "people", asked.qis.split(",")
            if asked.people is None:
                began = perf_counter()
                _make(held.session, asked.rows, people)
                print(f"made {asked.rows:,} rows in {perf_counter() - began:.0f} s", flush=True)
            began = perf_counter()
            made = release(people, Path(folder) / "out", held.session, _method(asked.method), qis)
            spent = perf_counter() - began
        except AntifazError as error:
            print(f"{error} (load {os.getloadavg()[0]:.1f}, most memory {watch.stop() / 1e9:.2f} GB)")
            return 1
        finally:
            held.release()
    print(f"{asked.method}, {len(qis)} QIs: {spent:.0f} s, {made.evidence['rows']}, by step {made.evidence['seconds']}")
    print(f"classes before: {made.evidence['classes']['before']['count']:,}")
    print(f"most memory of Java and Python together: {watch.stop() / 1e9:.2f} GB; load {os.getloadavg()[0]:.1f}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
