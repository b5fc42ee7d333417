"""The figures of docs/theory/adult-two-phases.md, counted again in plain Python on the real Adult.

The trees are those of `test_adult_specialization`, that of the hours cut there without antifaz.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import antifaz as az
from antifaz.methods import Task
from oracles.test_adult_specialization import TEN, all_trees, records, task

PAGE = Path(__file__).resolve().parents[2] / "docs" / "theory" / "adult-two-phases.md"
#: The order in which the document prints levels.
ORDER = (
    "workclass", "education", "marital-status", "occupation", "relationship", "race", "sex", "native-country", "age",
    "hours-per-week",
)  # fmt: skip
HEIGHTS = (3, 3, 2, 1, 1, 1, 1, 3, 4, 4)
Levels = tuple[int, ...]


def rows_of(name: str) -> list[list[str]]:
    """The rows of the tables that an experiment wrote into the page."""
    (part,) = re.findall(rf"<!-- experiment: {re.escape(name)} -->(.*?)<!-- end -->", PAGE.read_text("utf-8"), re.S)
    lines = [line for line in part.splitlines() if line.startswith("| ") and "---" not in line]
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]


def read(levels: str) -> Levels:
    return tuple(map(int, levels.split(",")))


@cache
def sizes(levels: Levels) -> Counter[tuple[str, ...]]:
    known = [all_trees()[name] for name in ORDER]
    pairs = list(zip(ORDER, known, levels, strict=True))
    return Counter(tuple(tree[row[name]][level] for name, tree, level in pairs) for row in records())


def climbed(levels: Levels) -> str:
    return f"{sum(level / height for level, height in zip(levels, HEIGHTS, strict=True)):.3f}"


TABLE = {int(row[0]): row for row in rows_of("s1-table-5.6")[1:]}


@pytest.mark.parametrize("k", TABLE)
def test_the_levels_of_the_page(k: int) -> None:
    _, theirs, height, smallest, ours, own_height, own_smallest, more, _, least = TABLE[k]
    for levels, climbs, size in ((theirs, height, smallest), (ours, own_height, own_smallest)):
        assert climbed(read(levels)) == climbs
        assert min(sizes(read(levels)).values()) == int(size) >= k
    # What is said of them: one phase ends where the document does, but for a class of exactly k.
    assert more == theirs
    assert (ours == theirs) == (min(sizes(read(ours)).values()) > k)
    assert float(least) <= float(own_height)


@pytest.mark.parametrize("k", TABLE)
def test_one_phase_and_partitions_end_there(k: int) -> None:
    counted = task(k, TEN)
    for partitions, said in zip((1, 3, 5, 20), (TABLE[k][5], *TABLE[k][8].split(" / ")), strict=True):
        two = {"phases": 2, "partitions": partitions, "k_first": 2 * k} if partitions > 1 else {}
        fresh = Task(**{**vars(counted), "random": np.random.default_rng(1)})
        levels = az.Specialization(score="igpl", **two).decide(fresh).details["levels"]
        own = tuple(levels[name] for name in ORDER)
        assert min(sizes(own).values()) >= k
        assert climbed(own) == said


def test_what_the_page_says_of_the_ways() -> None:
    smallest = {levels: min(sizes(levels).values()) for levels in (
        (3, 3, 1, 1, 1, 1, 1, 3, 3, 4), (3, 2, 1, 1, 1, 1, 1, 3, 4, 4), (3, 3, 1, 1, 0, 1, 1, 3, 4, 4),
    )}  # fmt: skip
    assert list(smallest.values()) == [1186, 6553, 17]


def test_repeated_rows_change_nothing_but_k() -> None:
    """Ten times Adult with 10k is Adult with k; and nobody is lost where everybody is there ten times."""
    times = {(row[0], int(row[2])): row for row in rows_of("s1-tables-5.7-5.12")[1:] if re.fullmatch(r"5\.\d+", row[0])}
    assert times["5.12", 5][7] == "0.000 / 0.000 / 0.000"
    for k in (5, 50, 500):
        assert times["5.12", 10 * k][6] == times["5.6", k][6]
        assert times["5.12", 10 * k][8] == str(10 * min(sizes(read(TABLE[k][1])).values()))
    for number in ("5.9", "5.11"):
        for k in TABLE:
            assert "not k-anonymous" in times[number, k][8]
