"""How long a person waits for the command line to answer at all."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from bench.measure import Unavailable, Work, case


@case(
    claim="`antifaz --help` answers at once: data libraries are loaded only when there is data",
    against="python -c pass",
    limit=6,
    best_of=15,
)
def start(quick: bool) -> tuple[Work, Work]:
    script = Path(sys.executable).with_name("antifaz")
    if not script.exists():
        raise Unavailable("the console script 'antifaz' is not installed beside this Python")
    ours, theirs = [str(script), "--help"], [sys.executable, "-c", "pass"]
    if subprocess.run(ours, capture_output=True).returncode:
        raise Unavailable("'antifaz --help' does not work")
    return lambda: _quietly(ours), lambda: _quietly(theirs)


def _quietly(command: list[str]) -> None:
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
