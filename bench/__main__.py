"""`python -m bench [names…] [--quick] [--json FILE [--resume]] [--write] [--strict]`."""

from __future__ import annotations

import argparse
import json
import os
import pkgutil
import platform
import subprocess
import sys
from dataclasses import fields, replace
from datetime import date
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import Any

from rich.console import Console
from rich.table import Table

import bench.cases
from bench import curves, heights
from bench.measure import CASES, SORT, Case, Result, run, sort_seconds

PAGE = Path(__file__).resolve().parent.parent / "docs" / "benchmarks.md"
#: The last result of every case, from which the page is made: a few cases can be measured again without the others.
MEASURED = Path(__file__).resolve().parent / "measured.json"


def main() -> int:
    """Measure what was asked for, show it, and write it where asked."""
    for module in pkgutil.iter_modules(bench.cases.__path__):
        import_module(f"bench.cases.{module.name}")
    asked = _arguments()
    messages = Console(stderr=True)
    messages.print(f"unit: {SORT} …")
    known, sort = _measured(asked.json, quick=asked.quick) if asked.resume and asked.json.exists() else ({}, None)
    if known:
        messages.print(f"{len(known)} cases were measured before, of the same code, and stand")
    sort = sort or sort_seconds(1 if asked.quick else 3)
    results = []
    chosen = _chosen(asked.names)
    for place, one in enumerate(chosen, start=1):
        if one.name in known:
            told = replace(known[one.name], claim=one.claim, against=one.against, limit=one.limit, least=one.least)
            results.append(told)
            continue
        messages.print(f"{place} of {len(chosen)}: {one.name} …", end=" ")
        began = perf_counter()
        result = run(one, sort, quick=asked.quick)
        results.append(replace(result, spent=perf_counter() - began))
        messages.print(f"{results[-1].spent:.0f} s")
        if asked.json:  # after every case: all of them take half an hour
            said = {
                "machine": _machine(),
                "code": _code(quick=asked.quick),
                "sort_seconds": sort,
                "complete": place == len(chosen),
            }
            _write(asked.json, json.dumps(said | {"results": [r.as_dict() for r in results]}, indent=2) + "\n")
    messages.print(_longest(results))
    Console(width=None if sys.stdout.isatty() else 160).print(_table(results, sort, quick=asked.quick))
    if asked.write:
        _write(MEASURED, json.dumps(_merged(results), indent=1) + "\n")
        _write(PAGE, _page(json.loads(MEASURED.read_text(encoding="utf-8"))))
    return int(
        asked.strict
        and not asked.quick
        and any(result.verdict == "over" or result.missing == "it failed" for result in results)
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure antifaz in ratios.")
    parser.add_argument("names", nargs="*", help=f"the cases to run, by default all: {', '.join(CASES)}")
    parser.add_argument("--quick", action="store_true", help="smaller data and fewer repetitions")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results to a file")
    parser.add_argument(
        "--resume",
        action="store_true",
        help="go on where a run of the same code was broken off",
    )
    parser.add_argument("--write", action="store_true", help="write the cases that were measured to docs/benchmarks.md")
    parser.add_argument("--strict", action="store_true", help="exit with 1 if a ratio is over its limit")
    asked = parser.parse_args()
    unknown = [name for name in asked.names if name not in CASES]
    if unknown:
        parser.error(f"there is no case {unknown[0]!r} (known: {', '.join(CASES)})")
    if asked.resume and not asked.json:
        parser.error("--resume needs --json FILE")
    if asked.write and asked.quick:
        parser.error("--write needs full size")
    return asked


def _measured(path: Path, *, quick: bool) -> tuple[dict[str, Result], float | None]:
    """Return what a run that was broken off measured, and its unit.

    Both sides of a case were timed in turn, so it can stand. What other code or another machine measured can't, and a
    run that was finished is begun anew.
    """
    said = json.loads(path.read_text(encoding="utf-8"))
    if said.get("complete") or said.get("code") != _code(quick=quick) or said["machine"] != _machine():
        return {}, None
    results = [_result(one) for one in said["results"]]
    return {result.name: result for result in results if result.ratio is not None}, said["sort_seconds"]


def _chosen(names: list[str]) -> list[Case]:
    return [CASES[name] for name in names or CASES]


def _table(results: list[Result], sort: float, *, quick: bool) -> Table:
    table = Table(title=f"one sort = {sort:.2f} s")
    for heading in ("case", "compared with"):
        table.add_column(heading, overflow="fold")
    for heading in ("ours (s)", "theirs (s)", "ratio", "limit", ""):
        table.add_column(heading, justify="right", no_wrap=True)
    style = {"ok": "green", "over": "bold red", "not measured": "dim"}
    for result in results:
        # Limits are for the full size: of little data, what begins every run is a large part.
        verdict = "" if quick and not result.missing else f"[{style[result.verdict]}]{result.verdict}[/]"
        table.add_row(result.name, result.missing or result.against, *_figures(result), verdict)
    return table


def _figures(result: Result) -> list[str]:
    unit = "" if result.unit == "s" else f" {result.unit}"
    sides = ["–" if value is None else f"{value:.3f}{unit}" for value in (result.ours, result.theirs)]
    # Hundredths would say nothing of a ratio that must be below one.
    ratio = "–" if result.ratio is None else f"{result.ratio:.2f}" if result.ratio >= 0.1 else f"{result.ratio:.2g}"
    return [*sides, ratio, f"{result.limit:.4g}"]


def _machine() -> str:
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors, Python {platform.python_version()}"


def _code(*, quick: bool) -> str:
    """Return which code is measured, and on which data: its commit, and what is changed since."""
    root = PAGE.parent.parent
    commands = (["git", "rev-parse", "HEAD"], ["git", "diff", "HEAD", "--", "src", "bench"])
    said = [subprocess.run(command, cwd=root, capture_output=True, check=False).stdout for command in commands]
    return sha256(b"quick" * quick + b"".join(said)).hexdigest()


def _write(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    aside = path.with_name(f".{path.name}.new")
    aside.write_text(text, encoding="utf-8")
    aside.replace(path)


def _longest(results: list[Result]) -> str:
    spent = sorted(((one.spent or 0.0, one.name) for one in results), reverse=True)
    named = ", ".join(f"{name} {seconds:.0f} s" for seconds, name in spent[:8])
    return f"{sum(seconds for seconds, _ in spent) / 60:.1f} minutes in all; the longest: {named}"


def _merged(results: list[Result]) -> dict[str, dict[str, object]]:
    """Return the last result of every case that exists; one that could not be measured now stands as it was."""
    known = json.loads(MEASURED.read_text(encoding="utf-8")) if MEASURED.exists() else {}
    today = {"date": f"{date.today():%Y-%m-%d}", "machine": _machine()}
    known |= {one.name: one.as_dict() | today for one in results if one.ratio is not None or one.name not in known}
    return {name: known[name] for name in CASES if name in known}


def _page(measured: dict[str, dict[str, Any]]) -> str:
    machines = sorted({one["machine"] for one in measured.values()})
    lines = [
        "# Benchmarks",
        "",
        'Made by `make bench ARGS=--write`; `make bench ARGS="NAME --write"` measures one case again. Every figure is',
        "a ratio of two times taken in turn in one run, the best of several each; below 1 means that antifaz took",
        f"less. The unit where nothing else compares: {SORT}.",
        "",
        f"Measured on {'; '.join(machines)}.",
        "",
        "What a search loses, not how long it takes, is on a page of its own: "
        "[heights in Adult](theory/adult-heights.md),",
        "with the optimum for k from 5 to 5000 and why some published figures would not pass the gate.",
        "",
        "The least is what anybody would have to do for the same, where that is known.",
        "",
        "| case | what it backs | compared with | the least | ours (s) | theirs (s) | ratio | limit | | measured |",
        "|---|---|---|---|---:|---:|---:|---:|---|---|",
    ]
    results = []
    for name, one in measured.items():
        case = CASES[name]
        # Words and limits are today's; only what was measured is taken from the file.
        result = replace(_result(one), claim=case.claim, against=case.against, limit=case.limit, least=case.least)
        results.append(result)
        words = [result.name, result.claim, result.missing or result.against, result.least]
        lines.append(f"| {' | '.join([*words, *_figures(result), result.verdict, one['date']])} |")
    lines += curves.draw_all(results)
    lines += heights.page()
    return "\n".join(lines) + "\n"


def _result(values: dict[str, Any]) -> Result:
    names = {field.name for field in fields(Result)}
    return Result(**{key: value for key, value in values.items() if key in names})


if __name__ == "__main__":
    sys.exit(main())
