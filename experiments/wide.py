"""Tables with many quasi-identifiers: what each method keeps, takes and needs on 10 to 60 columns."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from experiments import experiment, table

#: The records, k, and the numbers of columns.
ROWS, K, WIDTHS = 10_000, 5, (10, 20, 30, 60)
METHODS = ("full-domain", "specialization", "mondrian", "l-greedy", "local-suppression")
COLORS = ("#4e79a7", "#f28e2b", "#59a14f", "#b07aa1", "#e15759")
PICTURES = Path(__file__).resolve().parent.parent / "docs" / "assets"

#: One run in a process of its own, so that its memory is its own.
_RUN = """
import json, resource, sys, time
import numpy as np, pyarrow as pa
import antifaz as az
rows, k, width, name, known = json.loads(sys.argv[1])
random = np.random.default_rng(1)
# A survey as they come: columns of 2 to 60 answers, most people giving one of few, and all depending on a hidden trait.
trait = random.normal(size=rows)
columns = {}
for a in range(width):
    answers = (2, 3, 5, 8, 20, 60)[a % 6]
    place = 0.4 * trait + random.normal(size=rows)
    columns[f"c{a:02}"] = np.clip(np.abs(place) ** 2 / 8 * answers, 0, answers - 1).astype(int)
data = pa.table(columns)
methods = {
    "full-domain": az.FullDomain(checks=300), "specialization": az.Specialization(cut="subtree"),
    "mondrian": az.Mondrian(), "l-greedy": az.LGreedy(), "local-suppression": az.LocalSuppression(),
}
roles, flat, wide = dict.fromkeys(columns, "quasi-identifier"), az.hierarchy.flat(), az.hierarchy.intervals(4, 16)
trees = {name: wide if own.max() >= 7 else flat for name, own in columns.items()}
began = time.process_time()
release = az.anonymize(
    data, roles=roles, hierarchies=trees, privacy=[az.KAnonymity(k, known=known)], method=methods[name], seed=1,
)
frame = release.frame
seconds = time.process_time() - began
values = {column: set(map(str, own)) for column, own in columns.items()}
exact = sum(str(cell) in values[column] for column in columns for cell in frame[column].to_pylist())
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(json.dumps({"exact": exact / rows / width, "seconds": seconds, "bytes": peak}))
"""


def run(rows: int, width: int, method: str, known: int | None = None) -> dict[str, Any] | None:
    """Release a survey of so many columns; None where that fails or takes more than half an hour."""
    asked = json.dumps([rows, K, width, method, known])
    try:
        done = subprocess.run([sys.executable, "-c", _RUN, asked], capture_output=True, text=True, timeout=1800)
    except subprocess.TimeoutExpired:
        return None
    return dict(json.loads(done.stdout.splitlines()[-1])) if done.returncode == 0 else None


@experiment("wide", "tables with many quasi-identifiers")
def wide(quick: bool) -> str:
    """Measure every method on every number of columns."""
    rows, widths, methods = (500, WIDTHS[:1], METHODS[-1:]) if quick else (ROWS, WIDTHS, METHODS)
    found = {name: [run(rows, width, name) for width in widths] for name in methods}
    known = {name: [run(rows, width, name, 2) for width in widths] for name in methods}
    if not quick:
        for file, made in (("wide.svg", found), ("wide-known.svg", known)):
            (PICTURES / file).write_text(_lines(made, widths), encoding="utf-8")
    return "\n".join(
        f"{title}\n\n"
        + table(
            ["", *(f"{width} columns" for width in widths)],
            [[name, *(_cell(one) for one in row)] for name, row in made.items()],
        )
        for title, made in ((f"k = {K}, all columns known:", found), (f"k = {K}, any two columns known:", known))
    )


def _cell(one: dict[str, Any] | None) -> str:
    if one is None:
        return "not in half an hour"
    return f"{one['exact']:.0%} exact, {one['seconds']:.0f} s, {one['bytes'] / 1e9:.1f} GB"


def _lines(made: dict[str, list[dict[str, Any] | None]], widths: Sequence[int]) -> str:
    """Draw the share of exact cells against the number of columns."""
    left, top, wide, high = 60, 20, 420, 240

    def at(width: int, share: float) -> tuple[float, float]:
        return left + wide * (width - widths[0]) / (widths[-1] - widths[0]), top + high * (1 - share)

    parts = []
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        y = at(widths[0], share)[1]
        parts.append(f'<line x1="{left}" x2="{left + wide}" y1="{y}" y2="{y}" stroke="#ddd"/>')
        parts.append(f'<text x="{left - 8}" y="{y + 4}" text-anchor="end">{share:.0%}</text>')
    for width in widths:
        x = at(width, 0)[0]
        parts.append(f'<text x="{x}" y="{top + high + 20}" text-anchor="middle">{width}</text>')
    parts.append(f'<text x="{left + wide / 2}" y="{top + high + 40}" text-anchor="middle">quasi-identifiers</text>')
    for place, (name, row) in enumerate(made.items()):
        color, points = COLORS[place], [at(w, one["exact"]) for w, one in zip(widths, row, strict=True) if one]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{color}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{color}"/>' for x, y in points]
        y = top + 10 + 20 * place
        parts.append(f'<rect x="{left + wide + 20}" y="{y - 9}" width="12" height="12" fill="{color}"/>')
        parts.append(f'<text x="{left + wide + 38}" y="{y + 2}">{name}</text>')
    style = 'font-family="sans-serif" font-size="12" fill="#555"'
    inside = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 310" {style}>\n'
        f"<title>Share of cells released exactly, by the number of quasi-identifiers</title>\n{inside}\n</svg>\n"
    )
