"""Figures per module, and the survivors by name."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from mutants import scope
from mutants.changes import Mutant

Found = list[dict[str, Any]]


def key(mutant: Mutant) -> str:
    """Name a mutant so that it is found again as long as its module stays the same."""
    return f"{scope.short(mutant.path)} {mutant.number} {mutant.function or ''}: {mutant.before} => {mutant.after}"


def read(path: Path) -> Found:
    """Read what a run found."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def page(found: Found) -> str:
    """Return the table of figures and the list of survivors as Markdown."""
    modules: dict[str, Found] = {}
    for each in found:
        modules.setdefault(each["module"], []).append(each)
    lines = ["| module | mutants | killed | survived | killed, % |", "|---|--:|--:|--:|--:|"]
    lines += [_row(f"`{name}`", each) for name, each in modules.items()]
    rooms: dict[str, Found] = {}
    for each in found:
        rooms.setdefault(scope.room(scope.SOURCE / "antifaz" / each["module"]), []).append(each)
    lines += [_row(f"**{room}**", each) for room, each in rooms.items()]
    lines += [_row("**all**", found), ""]
    low, high = interval(sum(bool(each["by"]) for each in found), len(found))
    lines += [f"95 % interval of the share killed, were all a sample: {low:.1%} to {high:.1%}.", ""]
    for each in found:
        if not each["by"]:
            untested = "" if each["covered"] else " (no test executes it)"
            where = f"{each['module']}:{each['line']} {each['function'] or 'module'}"
            lines.append(f"- {where}: `{each['before']}` → `{each['after']}`{untested}")
    return "\n".join(lines) + "\n"


def _row(name: str, found: Found) -> str:
    killed = sum(bool(each["by"]) for each in found)
    share = 100 * killed / len(found) if found else 100.0
    return f"| {name} | {len(found):,} | {killed:,} | {len(found) - killed:,} | {share:.1f} |"


def interval(killed: int, all_: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share."""
    if not all_:
        return 0.0, 1.0
    z, share = 1.96, killed / all_
    middle = share + z * z / (2 * all_)
    half = z * math.sqrt(share * (1 - share) / all_ + z * z / (4 * all_ * all_))
    return (middle - half) / (1 + z * z / all_), (middle + half) / (1 + z * z / all_)
