"""S4: k-members and l-greedy on the marks of 500 students, beside the printed losses and a bound that none can beat."""

from __future__ import annotations

from itertools import combinations
from time import perf_counter
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

import antifaz as az
from experiments import experiment, table

Numbers = NDArray[np.float64]
MARKS, NUMBERS = ("participation", "exam", "practice"), ("participation", "exam", "practice", "year")
QIS = (*NUMBERS, "professor")
ROLES = {"id": "identifier", **dict.fromkeys(QIS, "quasi-identifier")}
#: What the document prints; of k between these only a picture.
PRINTED = {2: "0.52 %", 40: "5.09 %"}
SIZES = (2, 3, 5, 10, 20, 40)
#: The document's spans end with the data's own values.
L_GREEDY, K_MEMBERS = az.LGreedy(round_ends=False), az.KMembers(round_ends=False)


def students(seed: int, fractions: bool = False) -> pa.Table:
    """Return 500 students as the document makes them up; with fractions, marks are not rounded to whole ones."""
    made = az.datasets.students(500, seed)
    if fractions:
        random = np.random.default_rng(seed)
        for name in MARKS:
            marks = np.clip(random.normal(6, 2, made.num_rows), 0, 10)
            made = made.set_column(made.column_names.index(name), name, pa.array(marks))
    return made


def gaps(people: pa.Table) -> Numbers:
    """Return of every two students the NCP that a group of just the two would have: the least of any with both."""
    total = np.zeros((people.num_rows, people.num_rows))
    for name in NUMBERS:
        values = people[name].to_numpy().astype(np.float64)
        total += np.abs(values[:, None] - values[None]) / np.ptp(values)
    taught = np.array(people["professor"].to_pylist())
    return total + (taught[:, None] != taught[None]) / (np.unique(taught).size - 1)


def least_gcp(people: pa.Table, k: int) -> float:
    """Return a GCP that no grouping falls below: in a group of k everybody is with k − 1 others.

    The group's NCP is at least that of the person and the farthest of these, who is at best the (k − 1)-th nearest.
    """
    nearest = np.sort(gaps(people), axis=1)  # the first is the person
    return float(nearest[:, k - 1].mean()) / len(QIS)


def released(people: pa.Table, method: Any, k: int) -> tuple[float, float]:
    """Release the students, and return the GCP, counted from the released rows by the definition, and the seconds."""
    start = perf_counter()
    release = az.anonymize(people, roles=ROLES, privacy=az.KAnonymity(k), method=method, seed=1)
    rows = release.frame
    return counted_gcp(people, rows), perf_counter() - start


def counted_gcp(people: pa.Table, rows: pa.Table) -> float:
    """Return the GCP by equations 1 to 4 of the document, from the labels of released rows."""
    total = 0.0
    for name in NUMBERS:
        whole = np.ptp(people[name].to_numpy().astype(np.float64))
        for label, count in zip(*_counts(rows[name]), strict=True):
            low, high = (float(end) for end in str(label).strip("[]").split(",")) if "," in str(label) else (0.0, 0.0)
            total += count * (high - low) / whole
    professors = len(set(people["professor"].to_pylist()))
    for label, count in zip(*_counts(rows["professor"]), strict=True):
        total += count * (len(str(label).strip("{}").split(",")) - 1) / (professors - 1)
    return total / (rows.num_rows * len(QIS))


def percent(share: float) -> str:
    """Return a share as the document prints it."""
    return f"{100 * share:.2f} %"


def _counts(column: pa.ChunkedArray) -> tuple[list[Any], list[int]]:
    found = column.value_counts()
    return found.field("values").to_pylist(), found.field("counts").to_pylist()


@experiment("s4-figure-2", "S4, Figure 2 and section 5")
def figure_2(quick: bool) -> str:
    """Group 500 students with each k."""
    whole, parts = students(1), students(1, fractions=True)
    methods = (L_GREEDY, K_MEMBERS, az.LGreedy(improve=True, round_ends=False))
    rows = []
    for method in () if quick else methods:
        released(whole, method, 2)  # so that compiling is not timed
    for k in (2, 40) if quick else SIZES:
        found = [released(whole, method, k) for method in methods]
        shown = [percent(gcp) for gcp, _ in found]
        bounds = [percent(least_gcp(people, k)) for people in (whole, parts)]
        times = f"{found[0][1]:.2f}, {found[1][1]:.2f}"
        rows.append([k, PRINTED.get(k, "–"), *bounds, *shown, times])
    ours = ["l-greedy", "k-members", "l-greedy, improved", "seconds of l-greedy and k-members"]
    head = ["k", "printed", "no grouping is below", "… with fractional marks", *ours]
    return table(head, rows) + "\n" + _average(quick)


def _average(quick: bool) -> str:
    """The averages over all k from 2 to 40, as the document gives them."""
    sizes = range(2, 41, 38 if quick else 1)
    people = students(1)
    own = [np.mean([released(people, method, k)[0] for k in sizes]) for method in (L_GREEDY, K_MEMBERS)]
    bound = np.mean([least_gcp(people, k) for k in sizes])
    rows: list[list[object]] = [["l-greedy", "2.70 %", percent(own[0])], ["k-members", "2.71 %", percent(own[1])]]
    return table(["mean over k = 2 to 40", "printed", "ours"], [*rows, ["no grouping is below", "–", percent(bound)]])


@experiment("s4-table-1", "S4, Tables 1 to 3 and section 3")
def worked_example(quick: bool) -> str:
    """Work out the NCP of the document's two groupings of nine students, and what ours gives of them."""
    columns = {
        "participation": [6, 10, 5, 4, 5, 5, 4, 5, 5],
        "exam": [8, 3, 6, 4, 7, 6, 4, 7, 6],
        "practice": [5, 5, 8, 10, 9, 8, 10, 9, 6],
        "year": [2022, 2021, 2022, 2020, 2018, 2022, 2020, 2018, 2022],
        "professor": ["Jana"] * 3 + ["John"] * 3 + ["Richard"] * 3,
    }
    nine = pa.table({"id": [str(i) for i in range(9)], **columns})
    groupings = {"Table 2": [0, 0, 0, 1, 1, 1, 2, 2, 2], "Table 3": [0, 0, 1, 2, 2, 2, 1, 1, 0]}
    rows: list[list[object]] = []
    for name, groups in groupings.items():
        parts = [group_ncp(nine, [i for i, own in enumerate(groups) if own == g]) for g in range(3)]
        own = sum(3 * sum(part.values()) for part in parts) / (9 * len(QIS))
        second = parts[groups[1]]
        rows.append([name, f"{second['practice']:.2f}", f"{second['professor']:.2f}", f"{own:.4f}"])
    trios = combinations(range(9), 3)
    costs = {trio: sum(group_ncp(nine, list(trio)).values()) for trio in trios}
    best = min(_partitions(tuple(range(9)), costs))
    for name, method in (("l-greedy", L_GREEDY), ("k-members", K_MEMBERS)):
        rows.append([name, "–", "–", f"{released(nine, method, 3)[0]:.4f}"])
    rows.append(["the best of all 280 groupings", "–", "–", f"{best * 3 / (9 * len(QIS)):.4f}"])
    return table(["grouping, k = 3", "NCP of practice, row 2", "NCP of professor, row 2", "GCP"], rows)


def group_ncp(people: pa.Table, members: list[int]) -> dict[str, float]:
    """Return the NCP of a group by attribute, by equations 1 and 2."""
    found = {}
    for name in QIS:
        values = people[name].to_pylist()
        own = [values[i] for i in members]
        if name == "professor":
            found[name] = (len(set(own)) - 1) / (len(set(values)) - 1)
        else:
            found[name] = (max(own) - min(own)) / (max(values) - min(values))
    return found


def _partitions(left: tuple[int, ...], costs: dict[tuple[int, ...], float]) -> list[float]:
    """The costs of all ways to part what is left into threes."""
    if not left:
        return [0.0]
    first, rest = left[0], left[1:]
    return [
        costs[first, *two] + cost
        for two in combinations(rest, 2)
        for cost in _partitions(tuple(i for i in rest if i not in two), costs)
    ]
