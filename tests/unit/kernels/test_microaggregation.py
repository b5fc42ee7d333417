"""Choosing the nearest, and closing the gaps they leave, against sorting."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from antifaz.kernels.microaggregation import (
    _centroid,
    _drop,
    _farthest,
    _measure,
    _nearest,
    _nearest_few,
    mdav_groups,
    optimal_groups,
)


@pytest.mark.parametrize("choose", [_nearest_few, _nearest])
@pytest.mark.parametrize(("k", "left", "values"), [(1, 5, 3), (3, 9, 4), (8, 8, 3), (64, 90, 20)])
def test_a_few_nearest_come_by_distance_and_of_equals_the_higher_rows(
    choose: object, k: int, left: int, values: int
) -> None:
    distances = np.random.default_rng(k).integers(1, values, left + 2).astype(float)
    distances[left:] = 0.0  # rows that are gone
    chosen = np.full(k, -7)
    choose(distances, left, chosen)  # type: ignore[operator]
    assert chosen.tolist() == sorted(range(left), key=lambda i: (distances[i], -i))[:k]


@pytest.mark.parametrize(
    ("k", "left", "values"), [(65, 65, 9), (65, 66, 9), (65, 120, 3), (80, 200, 1000), (100, 150, 2)]
)
def test_many_nearest_are_the_same_rows_as_by_sorting(k: int, left: int, values: int) -> None:
    distances = np.random.default_rng(left).integers(1, values, left + 3).astype(float)
    distances[left:] = 0.0
    chosen = np.full(k + 1, -7)
    _nearest(distances, left, chosen[:k])
    assert sorted(chosen[:k].tolist()) == sorted(sorted(range(left), key=lambda i: (distances[i], -i))[:k])
    assert chosen[k] == -7


def test_the_nearest_of_many_at_one_distance_are_the_highest_rows() -> None:
    distances = np.full(100, 2.0)
    distances[[3, 50]] = 1.0
    chosen = np.zeros(70, np.int64)
    _nearest(distances, 100, chosen)
    assert sorted(chosen.tolist()) == [3, *range(31, 100)]


def test_centre_distances_and_the_farthest() -> None:
    columns, out = np.array([[0.0, 2.0, 4.0, 99.0], [1.0, 1.0, 4.0, 99.0]]), np.full(4, -7.0)
    centre = np.zeros(2)
    _centroid(columns, 3, centre)
    assert centre.tolist() == [2.0, 2.0]
    _measure(columns, np.array([1.0, 10.0]), 3, centre, out)
    assert out.tolist() == [4.0 + 10.0, 0.0 + 10.0, 4.0 + 40.0, -7.0]
    assert _farthest(np.array([1.0, 3.0, 3.0, 9.0]), 3) == 1
    assert _farthest(np.array([5.0, 3.0, 5.0]), 3) == 0


def test_rows_that_are_gone_leave_no_gap() -> None:
    for many in (1, 2, 3, 5):
        for gone in combinations(range(5), many):
            columns, rows = np.arange(12.0).reshape(2, 6), np.arange(10, 16)
            kept = [i for i in range(5) if i not in gone]
            assert _drop(columns, rows, 5, np.array(gone[::-1])) == len(kept)
            assert rows[: len(kept)].tolist() == [10 + i for i in kept]
            assert columns[:, : len(kept)].tolist() == [[float(i) for i in kept], [6.0 + i for i in kept]]


def test_groups_of_mdav_by_hand() -> None:
    # Around 4.5: 0 is the first of the farthest; 13 is farthest from it.
    line = [0.0, 1.0, 2.0, 5.0, 6.0, 13.0, 3.0, 12.0, 0.5, 2.5]
    groups = np.full(10, -7)
    made = mdav_groups(np.array([line]), np.ones(1), 3, groups)
    parts = [sorted(line[i] for i in np.flatnonzero(groups == g)) for g in range(made)]
    assert parts == [[6.0, 12.0, 13.0], [0.0, 0.5, 1.0], [2.0, 2.5, 3.0, 5.0]]
    groups[:] = -7
    assert mdav_groups(np.array([line[:5]]), np.ones(1), 3, groups[:5]) == 1
    assert groups.tolist() == [0] * 5 + [-7] * 5
    assert mdav_groups(np.zeros((1, 0)), np.ones(1), 3, groups[:0]) == 0


def test_a_seed_is_in_its_own_group_however_many_are_like_it() -> None:
    # Of the three tens the first is the seed, and the highest its nearest.
    groups = np.full(8, -7)
    assert mdav_groups(np.array([[10.0, 10.0, 10.0, 0.0, 1.0, 2.0, 3.0, 4.0]]), np.ones(1), 2, groups) == 4
    assert groups.tolist() == [0, 2, 0, 1, 1, 3, 3, 2]


@pytest.mark.parametrize(("n", "k"), [(3, 3), (5, 2), (7, 2), (9, 3), (8, 1)])
def test_no_grouping_of_sorted_numbers_is_better(n: int, k: int) -> None:
    ordered = np.sort(np.random.default_rng(n * k).integers(0, 30, n)).astype(float)

    def within(cuts: tuple[int, ...]) -> float:
        parts = [ordered[a:b] for a, b in zip((0, *cuts), (*cuts, n), strict=True)]
        return sum(((part - part.mean()) ** 2).sum() for part in parts) if min(map(len, parts)) >= k else np.inf

    groups = np.full(n, -7)
    made = optimal_groups(ordered, k, groups)
    assert groups[0] == 0
    assert groups[-1] == made - 1
    cuts = tuple((np.flatnonzero(np.diff(groups)) + 1).tolist())
    assert np.diff(groups).max(initial=0) <= 1
    best = min(within(each) for many in range(n) for each in combinations(range(1, n), many))
    assert within(cuts) == pytest.approx(best)


def test_of_groupings_that_are_as_good_the_last_group_is_the_smallest() -> None:
    groups = np.full(5, -7)
    assert optimal_groups(np.array([1.0, 1.0, 1.0, 1.0, 1.0]), 2, groups) == 2
    assert groups.tolist() == [0, 0, 0, 1, 1]
