"""Ages and salaries, perturbed in every way that antifaz knows: tables and pictures.

    python salaries.py                      # 714 ages, 148,651 salaries; pages in out/, beside this file
    python salaries.py --rows 5000 --out /tmp/pages

The cells (`# %%`) can be run one by one in an editor that knows them. Nobody in the data exists.
"""

# %% What is needed
from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

import antifaz as az

HERE = Path(__file__).resolve().parent
AGES, SALARIES = 714, 148_651
#: The same seeds, the same figures. Of a small column one run is luck, so its figures are means of several.
SEEDS = {"age": range(1, 21), "salary": range(1, 2)}


# %% The data: a small column of whole numbers, and a large one with cents
def make_data(rows: int = SALARIES) -> dict[str, pa.Table]:
    """Make up both tables; each is a data set of its own, with one column."""
    ages, salaries = az.datasets.salaries(AGES, seed=0), az.datasets.salaries(rows, seed=0)
    return {"age": ages.select(["age"]), "salary": salaries.select(["salary"])}


# %% The methods, each with the parameters that the figures are for
class Trial(NamedTuple):
    """One way to perturb a column."""

    method: str
    parameters: str
    perturb: Callable[..., Any]
    options: dict[str, Any]


def trials(column: str) -> list[Trial]:
    """Return what is tried on a column. Noise is tried without bounds, and then as one would release it."""
    sound = {"low": 0, "keep_type": True}
    base = {"age": 10, "salary": 10_000}[column]
    return [
        Trial("additive noise", "p=0.2", az.perturb.additive_noise, {"p": 0.2}),
        Trial("additive noise", "p=0.2, from 0", az.perturb.additive_noise, {"p": 0.2, **sound}),
        Trial("additive noise", "p=0.5, from 0", az.perturb.additive_noise, {"p": 0.5, **sound}),
        Trial("noise, restored", "p=0.2", az.perturb.correlated_noise, {"p": 0.2, "restore": True}),
        Trial("multiplicative", "p=0.3", az.perturb.multiplicative_noise, {"p": 0.3}),
        Trial("multiplicative", "p=0.3, lognormal", az.perturb.multiplicative_noise, {"p": 0.3, "kind": "lognormal"}),
        Trial("rank swap", "p=0.2", az.perturb.rank_swap, {"p": 0.2}),
        Trial("rank swap", "p=0.02", az.perturb.rank_swap, {"p": 0.02}),
        Trial("rank swap, blocks", "p=0.2", az.perturb.rank_swap_blocks, {"p": 0.2}),
        Trial("microaggregation", "k=5", az.perturb.microaggregate, {"k": 5}),
        Trial("microaggregation", "k=5, optimal", az.perturb.microaggregate, {"k": 5, "method": "optimal"}),
        Trial("microaggregation", "k=5, median", az.perturb.microaggregate, {"k": 5, "aggregate": "median"}),
        Trial("microaggregation", "k=100", az.perturb.microaggregate, {"k": 100}),
        Trial("rounding", f"base={base}", az.perturb.rounding, {"base": base}),
        Trial("shuffling", "", az.perturb.shuffle, {}),
    ]


# %% Perturb, measure, draw
class Result(NamedTuple):
    """A line of the table, and where its page is."""

    trial: Trial
    #: Means over the seeds, by name.
    figures: dict[str, float]
    page: Path


def try_all(table: pa.Table, column: str, out: Path) -> list[Result]:
    """Perturb a column in every way, measure what became of it, and write a page for each."""
    results = []
    for number, trial in enumerate(trials(column), start=1):
        page = out / f"{column}-{number:02d}-{'-'.join(trial.method.replace(',', '').split())}.html"
        title = f"{column}: {trial.method} {trial.parameters}".strip()
        runs = []
        for seed in SEEDS[column]:
            released = trial.perturb(table, column, seed=seed, **trial.options)
            # The pictures are of the first run.
            found = az.compare(table, released, column, html=None if runs else page, title=title)
            runs.append(figures(found, column))
        means = {name: float(np.mean([run[name] for run in runs])) for name in runs[0]}
        results.append(Result(trial, means, page))
    return results


def figures(found: dict[str, Any], column: str) -> dict[str, float]:
    """Pick what the table shows out of all measures of one run."""
    own = found["columns"][column]
    return {
        "interval_risk": own["interval_risk"],
        "linkage": found["together"]["linkage"]["share"],
        "il1s": own["il1s_per_record"],
        "mean": 100 * own["mean"]["change"],
        "sd": 100 * own["sd"]["change"],
        "ks_p": own["ks"]["p"],
    }


def show(column: str, table: pa.Table, results: Sequence[Result]) -> str:
    """Return the table of a column as text."""
    values = table[column].to_numpy()
    lines = [
        f"{column}: {values.size:,} records, mean {values.mean():,.2f}, standard deviation {values.std(ddof=1):,.2f}",
        f"{'method':<18} {'parameters':<16} {'risk 0.2':>8} {'linked':>9} {'IL1s/n':>8} {'mean %':>7} {'sd %':>7} "
        f"{'KS p':>6}",
    ]
    for trial, figure, _ in results:
        lines.append(
            f"{trial.method:<18} {trial.parameters:<16} {figure['interval_risk']:8.4f} {figure['linkage']:9.6f} "
            f"{figure['il1s']:8.5f} {figure['mean']:+7.2f} {figure['sd']:+7.2f} {figure['ks_p']:6.3f}"
        )
    return "\n".join(lines)


# %% Several columns at once: what becomes of a relation
def relation(salaries: pa.Table) -> str:
    """Perturb base pay and total pay, which go together, and return how their correlation fares as text."""
    total = salaries["salary"].to_numpy()[:10_000]
    pay = pa.table({"base": total * np.random.default_rng(0).uniform(0.4, 1, total.size), "total": total})
    names, seed = ["base", "total"], 1
    ways = {
        "additive noise, p=0.5": az.perturb.additive_noise(pay, names, p=0.5, seed=seed),
        "correlated noise, p=0.5": az.perturb.correlated_noise(pay, names, p=0.5, seed=seed),
        "correlated, restored": az.perturb.correlated_noise(pay, names, p=0.5, restore=True, seed=seed),
        "rank swap, p=0.2": az.perturb.rank_swap(pay, names, p=0.2, seed=seed),
        "microaggregation, k=5": az.perturb.microaggregate(pay, names, k=5),
        "microaggregation, k=100": az.perturb.microaggregate(pay, names, k=100),
        "shuffling, one by one": az.perturb.shuffle(az.perturb.shuffle(pay, "base", seed=seed), "total", seed=seed),
        "shuffling, together": az.perturb.shuffle(pay, names, seed=seed),
    }
    lines = [f"base and total pay of {total.size:,} records: correlation {_correlation(pay):.3f}"]
    for way, released in ways.items():
        linked = az.risk.linkage(pay, released, names).share
        lines.append(f"{way:<24} correlation {_correlation(released):6.3f}   linked {linked:8.5f}")
    return "\n".join(lines)


def _correlation(table: pa.Table) -> float:
    return float(np.corrcoef(*(column.to_numpy() for column in table.columns))[0, 1])


# %% Categories: PRAM, here on ages in tens
def categories(ages: pa.Table) -> str:
    """Change bands of ages at random, and return how many changed and what became of the frequencies as text."""
    bands = [f"{age // 10 * 10:02d}-{age // 10 * 10 + 9:02d}" for age in ages["age"].to_pylist()]
    before = pa.table({"band": bands})
    after = az.perturb.pram(before, "band", keep=0.8, seed=1)
    changed = np.mean([a != b for a, b in zip(before["band"].to_pylist(), after["band"].to_pylist(), strict=True)])
    lines = [f"bands of ten years, each kept with the chance 0.8 by PRAM: {changed:.1%} changed"]
    for band in sorted(set(bands)):
        sides = [side["band"].to_pylist().count(band) for side in (before, after)]
        lines.append(f"{band}: {sides[0]:4d} before, {sides[1]:4d} after")
    return "\n".join(lines)


# %% All of it
def contents(results: Iterable[Result]) -> str:
    """Return a page that leads to the others."""
    links = [
        f'<li><a href="{page.name}">{page.name.split("-")[0]}: {trial.method} {trial.parameters}</a></li>'
        for trial, _, page in results
    ]
    head = '<head><meta charset="utf-8"/><title>Ages and salaries</title></head>'
    body = f"<body><h1>Ages and salaries, before and after</h1><ul>{''.join(links)}</ul></body>"
    return f'<!DOCTYPE html>\n<html lang="en">{head}{body}</html>\n'


def main(arguments: Sequence[str] | None = None) -> dict[str, list[Result]]:
    """Print the tables and write the pages."""
    parser = argparse.ArgumentParser(description="Perturb ages and salaries in every way, and compare.")
    parser.add_argument("--rows", type=int, default=SALARIES, help="how many salaries (%(default)s)")
    parser.add_argument("--out", type=Path, default=HERE / "out", help="where the pages go (%(default)s)")
    asked = parser.parse_args(arguments)
    data = make_data(asked.rows)
    found = {column: try_all(table, column, asked.out) for column, table in data.items()}
    parts = [show(column, data[column], results) for column, results in found.items()]
    parts += [relation(data["salary"]), categories(data["age"])]
    (asked.out / "index.html").write_text(contents([r for rows in found.values() for r in rows]), encoding="utf-8")
    sys.stdout.write("\n\n".join([*parts, f"The pages are in {asked.out}; begin with index.html."]) + "\n")
    return found


# %%
if __name__ == "__main__":
    main()
