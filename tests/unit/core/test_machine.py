"""What the machine has for the program."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from antifaz.core import machine


def test_a_process_that_ended_is_not_alive() -> None:
    child = subprocess.Popen([sys.executable, "-c", "pass"])
    child.wait()
    assert machine.is_alive(os.getpid())
    assert not machine.is_alive(child.pid)


def test_processors_are_those_this_process_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3, 5, 7}, raising=False)
    assert machine.processors() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert machine.processors() == 1


def test_the_limit_of_a_container_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {
        "/proc/meminfo": "MemTotal: 9 kB\nMemAvailable: 4000 kB\n",
        "/sys/fs/cgroup/memory.max": "3000",
        "/sys/fs/cgroup/memory.current": "1000",
    }
    monkeypatch.setattr(Path, "read_text", lambda path, encoding: texts[str(path)])
    assert machine.available_memory() == 2000
    texts["/sys/fs/cgroup/memory.max"] = "max"
    assert machine.available_memory() == 4000 * 1024
