"""Information gain: every cut is the best one by brute force, on whole and real numbers."""

from __future__ import annotations

import sys
from decimal import Decimal
from itertools import pairwise
from math import log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.core.errors import HierarchyError, ParameterError
from antifaz.core.types import DataType
from antifaz.hierarchies import InformationGain, describe, information_gain, parse
from failing import failing


def paths(counted: dict[str, list[int]], depth: int = 3, **options: object) -> list[tuple[str, ...]]:
    counts = np.array(list(counted.values()), np.int64)
    return information_gain(depth, **options).learn(list(counted), DataType.DECIMAL, counts).paths()


# -- the oracle: plain Python, from the definition


def entropy(rows: list[list[int]]) -> float:
    sums = [sum(column) for column in zip(*rows, strict=True)]
    total = sum(sums)
    return -sum(n / total * log2(n / total) for n in sums if n) if total else 0.0


def gain(rows: list[list[int]], cut: int) -> float:
    total = sum(map(sum, rows))
    sides = (rows[:cut], rows[cut:])
    return entropy(rows) - sum(sum(map(sum, side)) / total * entropy(side) for side in sides) if total else 0.0


def best(rows: list[list[int]]) -> int:
    cuts = range(1, len(rows))
    most = max(gain(rows, cut) for cut in cuts)
    near = [cut for cut in cuts if gain(rows, cut) > most - 1e-10]
    return min(near, key=lambda cut: (abs(sum(map(sum, rows[:cut])) - sum(map(sum, rows[cut:]))), cut))


def expected(counted: dict[str, list[int]], depth: int) -> list[tuple[str, ...]]:
    ordered = sorted(counted, key=Decimal)
    levels, parts = [], [ordered]
    for _ in range(depth + 1):
        if levels and all(len(part) == 1 for part in parts):
            break
        names = [part[0] if len(part) == 1 else f"[{part[0]}, {part[-1]}]" for part in parts]
        levels.append([name for name, part in zip(names, parts, strict=True) for _ in part])
        halves = []
        for part in parts:
            cut = best([counted[value] for value in part]) if len(part) > 1 else 1
            halves += [part[:cut], part[cut:]] if len(part) > 1 else [part]
        parts = halves
    return list(zip(ordered, *reversed(levels), strict=True))


numbers = st.decimals(-50, 50, allow_nan=False, places=1).map(lambda number: str(number.normalize() + 0))


@settings(max_examples=150, deadline=None)
@given(st.integers(1, 4).flatmap(lambda n: st.dictionaries(
    numbers.filter(lambda text: "E" not in text), st.lists(st.integers(0, 6), min_size=n, max_size=n),
    min_size=1, max_size=14,
)), st.integers(1, 5))  # fmt: skip
def test_every_cut_is_the_best_one(counted: dict[str, list[int]], depth: int) -> None:
    assert paths(counted, depth) == expected(counted, depth)


# -- by hand


def test_a_tree_by_hand() -> None:
    counted = {"30": [0, 4], "20": [5, 0], "21": [5, 0], "31.5": [0, 3], "40": [2, 2]}
    assert paths(counted, 2) == [
        ("20", "20", "[20, 21]", "[20, 40]"),
        ("21", "21", "[20, 21]", "[20, 40]"),
        ("30", "[30, 31.5]", "[30, 40]", "[20, 40]"),
        ("31.5", "[30, 31.5]", "[30, 40]", "[20, 40]"),
        ("40", "40", "[30, 40]", "[20, 40]"),
    ]


def test_without_any_gain_the_records_are_halved() -> None:
    assert [row[1] for row in paths({str(n): [1] for n in range(8)}, 1)] == ["[0, 3]"] * 4 + ["[4, 7]"] * 4


def test_it_stops_where_only_single_values_are_left() -> None:
    assert paths({"7": [1, 2]}) == [("7", "7")]
    assert paths({"7": [1, 2], "9": [2, 1]}) == [("7", "[7, 9]"), ("9", "[7, 9]")]
    assert paths({"7": [1, 2]}, suppression=True) == [("7", "7", "*")]


def test_inner_nodes_have_two_children_at_most_and_parents_of_leaves_may_have_more() -> None:
    random = np.random.default_rng(3)
    made = information_gain(4).learn(
        [str(n) for n in range(300)], DataType.INTEGER, random.integers(0, 9, (300, 3)).astype(np.int64)
    )
    assert made.height == 5
    for h in range(1, made.height):
        assert np.bincount(made.parents(h)).max() <= 2
    assert np.bincount(made.parents(0)).max() > 2


def test_many_classes_are_looked_at_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(5)
    counted = {str(n): random.integers(0, 3, 40).tolist() for n in range(30)}
    whole = paths(counted)
    # The package's name `information_gain` is the function.
    monkeypatch.setattr(sys.modules[InformationGain.__module__], "_AT_ONCE", 64)
    assert paths(counted) == whole == expected(counted, 3)


# -- as declared


def test_it_is_said_as_others_are() -> None:
    assert parse({"information-gain": 2, "target": "income"}) == InformationGain(2, target="income")
    assert parse({"information-gain": None, "depth": 2}) == InformationGain(2)
    assert parse({"information-gain": None}) == information_gain()
    made = information_gain(2, target=["income", "class"])
    assert made.targets() == ("income", "class")
    assert parse(describe(made)) == made
    assert information_gain().targets() == ()
    assert information_gain(target="income").targets() == ("income",)


def test_bad_input() -> None:
    with failing("hierarchy.builder-needs-data", HierarchyError):
        information_gain().build(["1", "2"], DataType.INTEGER)
    with failing("hierarchy.values-not-numbers", HierarchyError, count=2) as caught:
        paths({"1": [1], "old": [1], "NaN": [1]})
    assert caught.value.values == ("NaN", "old")
    with failing("hierarchy.no-values-to-cut", HierarchyError):
        information_gain().learn([], DataType.INTEGER, np.zeros((0, 2), np.int64))
    for bad, where in (({"depth": 0}, "depth"), ({"depth": 21}, "depth"), ({"target": []}, "target.str")):
        with failing("declared.parameter-wrong", ParameterError, where=where):
            InformationGain(**bad)


def test_labels_nest() -> None:
    def bounds(label: str) -> tuple[float, float]:
        ends = label.strip("[]").split(", ")
        return float(ends[0]), float(ends[-1])

    for row in paths({str(n): [n % 3, n % 5] for n in range(40)}, 4):
        for below, above in pairwise(row):
            assert bounds(above)[0] <= bounds(below)[0] <= bounds(below)[1] <= bounds(above)[1]
