"""What specialization loses on Adult against the proven optimum: a table for the page of benchmarks, no timing."""

from __future__ import annotations

from dataclasses import replace

from antifaz.methods import FullDomain, Method, Specialization
from antifaz.methods.method import Task
from antifaz.pipeline.prepare import make_task
from antifaz.privacy import KAnonymity
from bench.cases.specialization import TEN, adult_times, plan_for

EIGHT = tuple(name for name in TEN if name not in ("relationship", "hours-per-week"))
KS = (5, 50, 500, 1000, 5000)
WAYS: dict[str, Method] = {
    "level cuts, proven optimum": FullDomain(quality="precision"),
    "level cuts, `igpl`": Specialization(cut="level", score="igpl"),
    "level cuts, `height`": Specialization(cut="level"),
    "sub-tree cuts, `height`": Specialization(cut="subtree"),
}


def page() -> list[str]:
    """Return the section of the page: per way and k the mean height, nobody left out."""
    lines = [
        "",
        "## What specialization loses",
        "",
        "The real Adult, 32,561 records, the trees of the study it is compared with, missing values filled with the",
        "most frequent; the mean over records of Σ height / height of the tree. Less is better, nobody is left out.",
    ]
    for columns in (EIGHT, TEN):
        lines += [
            "",
            f"| {len(columns)} attributes, k | " + " | ".join(map(str, KS)) + " |",
            "|---|" + "---:|" * len(KS),
        ]
        task = make_task(plan_for(adult_times(1), columns, KS[0], WAYS["level cuts, `igpl`"]), adult_times(1))
        for name, method in WAYS.items():
            found = [_height(replace(task, models=(KAnonymity(k),)), method) for k in KS]
            lines.append(f"| {name} | " + " | ".join(f"{height:.3f}" for height in found) + " |")
    return lines


def _height(task: Task, method: Method) -> float:
    table = method.decide(task).table
    heights = [ladder.height for ladder in task.ladders]
    return sum(level / height for level, height in zip(table.mean_levels, heights, strict=True))


if __name__ == "__main__":
    print("\n".join(page()))
