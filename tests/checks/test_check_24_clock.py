"""Check 24: the clock decides nothing about the rows."""

from __future__ import annotations

from pathlib import Path

from properties.test_determinism import output

#: What Python runs first: it is thirty years later.
LATER = """
import time
_time, _ns = time.time, time.time_ns
time.time = lambda: _time() + 30 * 365 * 86400
time.time_ns = lambda: _ns() + 30 * 365 * 86400 * 10**9
"""


def test_check_24_the_clock_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(LATER, encoding="utf-8")
    assert output() == output(PYTHONPATH=str(tmp_path))
