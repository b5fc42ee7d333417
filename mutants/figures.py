"""Figures per module, and the survivors by name."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from mutants import scope

Found = list[dict[str, Any]]


def read(path: Path) -> Found:
    """Read what a run found."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def page(found: Found, judged: dict[str, str]) -> str:
    """Return the table of figures and the list of survivors as Markdown; `judged` says why some can't be noticed."""
    rooms: dict[str, Found] = {}
    modules: dict[str, Found] = {}
    for each in found:
        modules.setdefault(each["module"], []).append(each)
        rooms.setdefault(scope.room(scope.SOURCE / "antifaz" / each["module"]), []).append(each)
    lines = [
        "| module | mutants | killed | killed, % | equivalent | survived | killed of those not equivalent, % |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    lines += [_row(f"`{name}`", each, judged) for name, each in modules.items()]
    lines += [_row(f"**{room}**", each, judged) for room, each in rooms.items()]
    lines += [_row("**all**", found, judged), ""]
    low, high = interval(sum(bool(each["by"]) for each in found), len(found))
    lines += [f"95 % interval of the share killed, were all a sample: {low:.1%} to {high:.1%}.", ""]
    lines += _names("Survived", [each for each in found if not each["by"] and each["name"] not in judged])
    lines += _names("Judged equivalent, and yet killed", misjudged(found, judged))
    return "\n".join(lines) + "\n"


def misjudged(found: Found, judged: dict[str, str]) -> Found:
    """Return the mutants that a test killed though they were judged to change no answer."""
    return [each for each in found if each["by"] and each["name"] in judged]


def _names(title: str, found: Found) -> list[str]:
    lines = [f"- `{each['name']}`{'' if each['covered'] else ' (no test executes it)'}" for each in found]
    return [f"{title}:", "", *lines, ""] if lines else []


def _row(title: str, found: Found, judged: dict[str, str]) -> str:
    killed = sum(bool(each["by"]) for each in found)
    same = sum(not each["by"] and each["name"] in judged for each in found)
    raw, able = _percent(killed, len(found)), _percent(killed, len(found) - same)
    return f"| {title} | {len(found):,} | {killed:,} | {raw} | {same:,} | {len(found) - killed - same:,} | {able} |"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}" if whole else "-"


def interval(killed: int, all_: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share."""
    if not all_:
        return 0.0, 1.0
    z, share = 1.96, killed / all_
    middle = share + z * z / (2 * all_)
    half = z * math.sqrt(share * (1 - share) / all_ + z * z / (4 * all_ * all_))
    return (middle - half) / (1 + z * z / all_), (middle + half) / (1 + z * z / all_)
