"""Whole runs on large files, in processor time, against what somebody would write by hand in DuckDB.

The script (`bench/peers/duckdb_script.py`) is the limit of each case: one read, one hash pass, one write, one read. It
recodes at the levels that our run found, and neither searches, nor reads strictly, nor reports. Both sides run in
processes of their own, their start included.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.large_files import REFUSED, K, make
from bench.measure import WHOLE_RUN, Unavailable, Work, case, peak_memory

_SCRIPT = Path(__file__).parents[1] / "peers" / "duckdb_script.py"


def _processor_seconds(command: list[str]) -> tuple[float, str]:
    """Run a command; return the processor time that it took, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode == REFUSED:
        raise Unavailable(done.stdout)
    done.check_returncode()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def _both(rows: int, suffix: str, memory: str | None) -> tuple[Work, Work]:
    folder = TemporaryDirectory(prefix="antifaz-bench-")
    source = make(Path(folder.name) / f"people.{suffix}", rows)
    levels: list[str] = []

    def ours(keep: object = folder) -> float:
        with TemporaryDirectory(prefix="antifaz-bench-") as out:
            seconds, printed = _processor_seconds(_ours(source, Path(out) / "out", memory))
        levels[:] = [printed]
        return seconds

    def script() -> float:
        with TemporaryDirectory(prefix="antifaz-bench-") as out:
            words = [str(source), str(Path(out) / f"release.{suffix}"), json.dumps(json.loads(levels[0])), str(K)]
            return _processor_seconds([sys.executable, str(_SCRIPT), *words, *([memory] if memory else [])])[0]

    return ours, script


def _ours(source: Path, out: Path, memory: str | None) -> list[str]:
    return [sys.executable, "-m", "bench.large_files", str(source), str(out), *([memory] if memory else [])]


def _case(millions: int, suffix: str, memory: str | None) -> Callable[[bool], tuple[Work, Work]]:
    def prepare(quick: bool) -> tuple[Work, Work]:
        return _both(10**5 if quick else millions * 10**6, suffix, memory)

    prepare.__name__ = f"large_{millions}m_{suffix}" + (f"_{memory.lower()}" if memory else "")
    return prepare


for _millions, _suffix, _memory, _limit in (
    (1, "parquet", None, 2.5),
    (1, "csv", None, 2.5),
    (5, "parquet", None, 2),
    (5, "csv", None, 2),
    (5, "parquet", "1GB", 3),
    (5, "parquet", "1400MB", 3),
    (20, "parquet", "6GB", 3),
    (20, "parquet", "9GB", 3),
):
    _told = f" with `memory: {_memory}`" if _memory else ""
    case(
        claim=f"the whole run, {_millions} million rows × 8 QIs, nearly all distinct, {_suffix}{_told}",
        against="a script by hand in DuckDB, which is told the levels; processor time",
        limit=_limit,
        best_of=1,
        slow=_millions == 20,
        least=WHOLE_RUN,
    )(_case(_millions, _suffix, _memory))


@case(
    claim="the most memory of the whole run, 5 million rows × 8 QIs, nearly all distinct, with `memory: 1400MB`",
    against="1.4 GB: a limit is kept, or the run is refused before it starts",
    limit=1,
    best_of=1,
    unit="MB",
)
def large_5m_memory(quick: bool) -> tuple[Work, Work]:
    folder = TemporaryDirectory(prefix="antifaz-bench-")
    source = make(Path(folder.name) / "people.parquet", 10**5 if quick else 5 * 10**6)

    def ours(keep: object = folder) -> float:
        with TemporaryDirectory(prefix="antifaz-bench-") as out:
            return peak_memory(_ours(source, Path(out) / "out", "1400MB")) / 1e6

    return ours, lambda: 1400.0
