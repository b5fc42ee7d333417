"""Times of other programs that can't run here: measured once, elsewhere, in sorts of that machine.

They lie beside the repository where they are known; a case that needs one is not measured without it.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from bench.measure import Unavailable, Work, sort_seconds

FOLDER = Path(__file__).parents[2] / "shared" / "golden"


@cache
def _read(name: str) -> Any:
    path = FOLDER / name
    if not path.exists():
        raise Unavailable(f"not compared: the recorded times ({name}) are not beside the repository")
    return json.loads(path.read_text(encoding="utf-8"))


def python_peer(tool: str, run: str) -> float:
    """Return the sorts that a Python program took for a run; the name of the tool is how its entry begins."""
    for entry in _read("python_peers.json")["runs"]:
        if entry["tool"].startswith(tool) and entry["case"] == run and entry.get("sorts"):
            return float(entry["sorts"])
    raise Unavailable(f"not compared: no time of {tool} is recorded for {run}")


def sdc_micro(task: str) -> float:
    """Return the sorts that sdcMicro took for a task."""
    sorts = _read("sdc_timings.json")["tasks"].get(task)
    if sorts is None:
        raise Unavailable(f"not compared: no time of sdcMicro is recorded for {task}")
    return float(sorts)


def best_of_arx(table: str, k: int, suppression: float) -> float:
    """Return the best score that ARX's heuristics reached on a table with many quasi-identifiers."""
    asked = (table, k, suppression)
    cases = _read("arx_wide.json")["cases"]
    scores = [one["score"] for one in cases if (one["table"], one["k"], one["suppression"]) == asked]
    if not scores:
        raise Unavailable(f"not compared: no score of ARX is recorded for {table}, k={k}, {suppression:.0%}")
    return float(min(scores))


def recorded(sorts: float, quick: bool) -> Work:
    """Return a work that takes, on this machine, so many of the sorts that the run began with."""
    seconds = sorts * sort_seconds(1 if quick else 3)
    return lambda: seconds
