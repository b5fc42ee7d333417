"""Large files for the cases of whole runs: people of eight quasi-identifiers, nearly all combinations distinct.

`python -m bench.large_files SOURCE FOLDER [MEMORY]` releases one in a process of its own, as the cases do.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv
import pyarrow.parquet as pq

import antifaz as az
from antifaz.cli.main import collect_garbage_seldom
from antifaz.cli.terminal import spare_pandas
from antifaz.core.errors import ParameterError
from antifaz.pipeline.plan import make_plan
from antifaz.pipeline.prepare import start_run
from antifaz.pipeline.release import Release

K = 5
#: The exit code of a run that was refused before it started.
REFUSED = 3
_CHUNK = 500_000
QUASI_IDENTIFIERS = ("age", "income", "zip", "born", "sex", "education", "occupation", "country")


def hierarchies() -> dict[str, Any]:
    """Return the hierarchies whose levels `bench/peers/duckdb_script.py` writes in SQL."""
    return {
        "age": az.hierarchy.intervals(5, 10, 20, 40),
        "income": az.hierarchy.intervals(1_000, 10_000, 100_000),
        "zip": az.hierarchy.masking(),
        "born": az.hierarchy.dates("month", "year"),
        **{name: az.hierarchy.flat() for name in QUASI_IDENTIFIERS[4:]},
    }


def people(rows: int, random: np.random.Generator) -> pa.Table:
    """Make up people."""

    def word(name: str, size: int) -> pa.Array:
        weights = 1 / np.arange(1, size + 1)
        codes = random.choice(size, rows, p=weights / weights.sum()).astype(np.int32)
        words = pa.array([f"{name} {i:02d}" for i in range(size)])
        return pa.DictionaryArray.from_arrays(pa.array(codes), words).cast(pa.string())

    age = np.clip(random.normal(45, 18, rows), 18, 95).astype(np.int64)
    born = (np.datetime64("2026-01-01") - (age * 365.25 + random.integers(0, 365, rows)).astype(np.int64)).astype(
        "datetime64[D]"
    )
    codes = (10_000 + 80_000 * random.beta(2, 3, rows)).astype(np.int64)
    columns: dict[str, Any] = {
        "age": age,
        "income": np.exp(random.normal(10.2, 0.6, rows)).astype(np.int64),
        "zip": pa.array(codes).cast(pa.string()),
        "born": pa.array(born).cast(pa.string()),
        "sex": word("sex", 2),
        "education": word("education", 16),
        "occupation": word("occupation", 41),
        "country": word("country", 41),
        "diagnosis": word("diagnosis", 200),
    }
    return pa.table(columns)


def make(place: Path, rows: int) -> Path:
    """Write so many people to a Parquet or CSV file, in pieces, so that making it takes little memory."""
    random = np.random.default_rng(1)
    first = people(1, np.random.default_rng(1)).schema
    options = csv.WriteOptions(quoting_style="needed")
    parquet = place.suffix == ".parquet"
    with pq.ParquetWriter(place, first) if parquet else csv.CSVWriter(place, first, write_options=options) as writer:
        for start in range(0, rows, _CHUNK):
            writer.write_table(people(min(_CHUNK, rows - start), random))
    return place


def release(source: Path, folder: Path, memory: str | None = None) -> dict[str, int]:
    """Release a file in its own format, and return the levels that were found."""
    roles = {**dict.fromkeys(QUASI_IDENTIFIERS, "quasi-identifier"), "diagnosis": "insensitive"}
    with az.open(source, memory=memory) as data:
        plan = make_plan(
            data.schema, roles=roles, hierarchies=hierarchies(), privacy=[az.KAnonymity(K)], seed=1,
            method=az.FullDomain(suppression=0.05),
        )  # fmt: skip
        released = Release(start_run(plan, data))
        released.save(folder, source.suffix[1:])
        return {one["name"]: one["level"] for one in released.evidence["attributes"] if "level" in one}


if __name__ == "__main__":
    collect_garbage_seldom()  # both as the command does
    spare_pandas()
    try:
        sys.stdout.write(json.dumps(release(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:4])))
    except ParameterError as refused:
        sys.stdout.write(f"refused: {refused}")
        sys.exit(REFUSED)
