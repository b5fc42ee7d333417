"""What a worker starts with."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from antifaz.service.worker_environment import worker_environment

COUNTED = """
import pyarrow as pa
pa.array(range(1000))
with open("/proc/self/status") as status:
    print(next(line.split()[1] for line in status if line.startswith("VmData:")))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="The limit is one of Linux.")
def test_arrow_takes_no_memory_of_a_worker_before_it_is_needed(tmp_path: Path) -> None:
    """Its first array of 8 kB counted as 1 GB, of which a limit left too little to start a thread."""
    taken = subprocess.run(
        [sys.executable, "-c", COUNTED], env=worker_environment(tmp_path), capture_output=True, check=True
    )
    assert int(taken.stdout) < 500_000


def test_a_worker_calculates_in_one_thread_unless_somebody_wants_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    assert worker_environment(tmp_path)["OPENBLAS_NUM_THREADS"] == "1"
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "4")
    assert worker_environment(tmp_path)["OPENBLAS_NUM_THREADS"] == "4"
