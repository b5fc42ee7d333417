"""The process that Spark forks its Python workers from has one thread, or leaves it to PySpark's own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from antifaz.core.machine import ONE_THREAD

pytest.importorskip("pyspark")
_DAEMON = "antifaz.engines.spark.worker_daemon"


def _run(code: str) -> str:
    environment = {name: value for name, value in os.environ.items() if name not in ONE_THREAD}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    return done.stdout.strip()


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="the system does not tell of threads")
def test_no_library_that_it_imports_starts_a_thread() -> None:
    assert _run(f"import os, {_DAEMON}; print(len(os.listdir('/proc/self/task')))") == "1"


def test_where_a_thread_runs_pyspark_forks_from_a_process_without() -> None:
    code = f"""
import os, runpy, sys, threading
threading.Thread(target=threading.Event().wait, daemon=True).start()
os.execv = lambda program, arguments: sys.exit(print(program == sys.executable, *arguments[1:]))
sys.argv = ["daemon", "pyspark.worker"]
runpy.run_module("{_DAEMON}", run_name="__main__")
"""
    assert _run(code) == "True -m pyspark.daemon pyspark.worker"
