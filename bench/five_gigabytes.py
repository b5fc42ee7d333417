"""More data than memory: `python -m bench.five_gigabytes` makes a CSV file of 5 GB and releases it within 1 GB.

Clients of a bank are made up in chunks: three numeric quasi-identifiers, and columns that only take room. The release
is made by another process, so that what it holds at most is its own.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv

from bench.cases.memory import COLUMNS

_CHUNK = 500_000
#: What the other process runs; it says what it found on its standard output.
_RUN = """
import json, sys
from pathlib import Path
import antifaz as az
from antifaz.core.progress import Progress
from antifaz.pipeline.plan import make_plan
from antifaz.pipeline.prepare import start_run
from antifaz.pipeline.release import Release

place, folder, memory, k = sys.argv[1:5]

def tell(step, share, message):
    print(f"{step}: {message}", file=sys.stderr, flush=True)

with az.open(place, memory=memory) as data:
    roles = {name: "quasi-identifier" if name in sys.argv[5:] else "insensitive" for name in data.schema.names}
    method = az.Mondrian(split="distribution", release="mode")
    plan = make_plan(
        data.schema, roles=roles, hierarchies={}, privacy=[az.KAnonymity(int(k))], method=method, seed=1
    )
    release = Release(start_run(plan, data, Progress(tell)))
    release.save(folder)
told = release.evidence
print(json.dumps({key: told[key] for key in ("rows", "seconds", "peak_memory_bytes", "notes", "privacy")}))
"""


def make(place: Path, size: int) -> int:
    """Write made-up clients until the file has the size; return how many they are."""
    random, rows = np.random.default_rng(1), 0
    with place.open("wb") as file:
        while file.tell() < size:
            chunk = _clients(random)
            pacsv.write_csv(chunk, file, pacsv.WriteOptions(include_header=not rows, quoting_style="needed"))
            rows += chunk.num_rows
    return rows


def _clients(random: np.random.Generator) -> pa.Table:
    age = random.integers(18, 95, _CHUNK)
    income = np.exp(random.normal(10, 0.7, _CHUNK)).astype(np.int64) // 100 * 100
    balance = np.exp(random.normal(7, 1.2, _CHUNK)).astype(np.int64) // 10 * 10
    table = pa.table(dict(zip(COLUMNS, (age, income, balance), strict=True)))
    table = table.append_column("contract", pa.array(random.integers(10**14, 10**15, _CHUNK)))
    notes = random.choice(["paid in time", "one reminder", "several reminders", "closed by the client"], _CHUNK)
    return table.append_column("history", pa.array(notes))


def main() -> int:
    """Make the file, release it, and print how long it took and what it held."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=float, default=5, help="gigabytes of CSV")
    parser.add_argument("--memory", default="1GB")
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--folder", type=Path, help="where to work; needs about five times the size")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=chosen.folder) as folder:
        place = Path(folder) / "clients.csv"
        rows = make(place, int(chosen.size * 1e9))
        print(f"{rows:,} clients, {place.stat().st_size / 1e9:.2f} GB", flush=True)
        began = perf_counter()
        words = [str(place), str(Path(folder) / "out"), chosen.memory, str(chosen.k), *COLUMNS]
        run = subprocess.run([sys.executable, "-c", _RUN, *words], stdout=subprocess.PIPE, text=True, check=True)
        seconds = perf_counter() - began
    told = json.loads(run.stdout)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    print(f"{seconds:,.0f} s; {told['seconds']}")
    print("; ".join(told["notes"]))
    print(
        f"measured peak: {peak / 1e6:,.0f} MB by the system, {told['peak_memory_bytes'] / 1e6:,.0f} MB by the process"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
