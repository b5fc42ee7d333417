"""Counting who lies nearer, against all distances written out."""

from __future__ import annotations

import numpy as np
import pytest

from antifaz.kernels.nearest import LEAF, _gap, _middle, _reach, _split, _widest, boxes, count_nearer, distance

NAN = np.nan


@pytest.mark.parametrize(
    ("x", "y", "category", "power", "gap"),
    [
        (1.0, 4.0, False, 1, 3.0), (4.0, 1.0, False, 2, 9.0), (2.0, 2.0, False, 2, 0.0), (1.0, 4.0, True, 2, 1.0),
        (4.0, 4.0, True, 1, 0.0), (NAN, NAN, False, 2, 0.0), (NAN, 0.0, False, 1, 1.0), (0.5, NAN, True, 2, 1.0),
    ],
)  # fmt: skip
def test_what_a_column_adds(x: float, y: float, category: bool, power: int, gap: float) -> None:
    assert _gap(x, y, category, power) == gap


def test_a_distance_is_the_sum_over_columns() -> None:
    points, others = np.array([[0.0, 1.0, NAN]]), np.array([[9.0, 9.0, 9.0], [3.0, 2.0, NAN]])
    category = np.array([False, True, False])
    assert distance(points, 0, others, 1, category, 2) == 10.0
    assert distance(points, 0, others, 0, category, 1) == 11.0


@pytest.mark.parametrize(
    ("values", "cut"),
    [([3, 1, 2, 5, 4], 2), ([1, 1, 1, 2], 3), ([1, 1, 1, 1, 2], 4), ([1, 2, 2, 2], 1), ([7, 7, 8, 8], 2)],
)
def test_equal_values_stay_on_one_side_of_a_cut(values: list[float], cut: int) -> None:
    points = np.array([[0.0, value] for value in (99, *values, 99)])
    order = np.arange(len(points))
    found = _split(points, order, 1, 1 + len(values), 1)
    assert found == 1 + cut
    before, after = points[order[1:found], 1], points[order[found : 1 + len(values)], 1]
    assert before.max() < after.min()
    assert (order[0], order[-1]) == (0, len(points) - 1)


@pytest.mark.parametrize("seed", range(6))
def test_the_middle_is_that_of_sorting_with_missing_ones_first(seed: int) -> None:
    random = np.random.default_rng(seed)
    points = random.integers(0, 8, (11 + seed, 1)).astype(float)
    points[random.random(points.shape) < 0.2] = NAN
    expected = sorted(-np.inf if np.isnan(value) else value for value in points[1:, 0])
    order = np.arange(len(points))
    found = _middle(points, order, 1, len(points), 0)
    assert found == expected[(1 + len(points)) // 2 - 1]
    assert sorted(order.tolist()) == list(range(len(points)))


def test_the_widest_column_is_where_points_differ_most() -> None:
    low, high = np.array([0.0, 0.0, 5.0]), np.array([0.5, 3.0, 5.0])
    none, numbers = np.zeros(3, np.int64), np.zeros(3, np.bool_)
    assert _widest(low, high, none, 4, numbers) == 1
    # Different categories are 1 apart, and so is what is missing from what is not.
    assert _widest(low, np.array([0.5, 0.9, 5.0]), none, 4, np.array([True, False, False])) == 0
    assert _widest(low, np.array([0.5, 0.9, 5.0]), np.array([0, 0, 3]), 4, numbers) == 2
    assert _widest(low, np.array([0.5, 0.9, 5.0]), np.array([0, 0, 4]), 4, numbers) == 1
    assert _widest(low, low, none, 4, np.ones(3, np.bool_)) == -1


@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.parametrize("seed", range(4))
def test_a_box_reaches_from_its_nearest_to_its_farthest_point(seed: int, power: int) -> None:
    """With one column the bounds are exact; with more they may only be too wide."""
    random = np.random.default_rng(seed)
    for category in (False, True):
        held = random.integers(0, 4, (5, 1)) / 2
        held[random.random(held.shape) < 0.3] = NAN
        for value in (0.0, 0.5, 1.0, 5.0, NAN):
            holes = int(np.isnan(held).sum())
            low = np.nanmin(held, axis=0) if holes < 5 else np.array([np.inf])
            high = np.nanmax(held, axis=0) if holes < 5 else np.array([-np.inf])
            kind = np.array([category])
            least, most = _reach(np.array([value]), low, high, np.array([holes]), 5, kind, power)
            found = [_gap(value, float(each), category, power) for each in held[:, 0]]
            assert least <= min(found)
            assert most >= max(found)
            if low[0] == high[0] or holes == 5:
                assert (least, most) == (min(found), max(found))


def test_the_reach_of_a_box_by_hand() -> None:
    def reach(value: float, low: float, high: float, holes: int, *, category: bool = False) -> tuple[float, float]:
        ends = np.array([low]), np.array([high])
        return _reach(np.array([value]), *ends, np.array([holes]), 4, np.array([category]), 2)

    assert reach(2.0, 1.0, 4.0, 0) == (0.0, 4.0)
    assert reach(6.0, 1.0, 4.0, 0) == (4.0, 25.0)
    assert reach(-1.0, 1.0, 4.0, 0) == (4.0, 25.0)
    assert reach(6.0, 1.0, 4.0, 1) == (1.0, 25.0)
    assert reach(2.0, 2.0, 2.5, 1) == (0.0, 1.0)
    assert reach(2.0, np.inf, -np.inf, 4) == (1.0, 1.0)
    assert reach(NAN, 1.0, 4.0, 0) == (1.0, 1.0)
    assert reach(NAN, 1.0, 4.0, 1) == (0.0, 1.0)
    assert reach(NAN, np.inf, -np.inf, 4) == (0.0, 0.0)
    assert reach(2.0, 2.0, 2.0, 0, category=True) == (0.0, 0.0)
    assert reach(2.0, 2.0, 2.0, 1, category=True) == (0.0, 1.0)
    assert reach(3.0, 2.0, 4.0, 0, category=True) == (0.0, 1.0)
    assert reach(5.0, 2.0, 4.0, 0, category=True) == (1.0, 1.0)


def test_there_is_room_for_boxes_that_are_split_off_one_by_one() -> None:
    # Every point differs from all others in a column of its own.
    points, category = np.eye(40), np.zeros(40, np.bool_)
    tree = boxes(points, category)
    order, places, *_ = tree
    assert sorted(order.tolist()) == list(range(40))
    assert len(places) > 4 * (40 // LEAF) + 8
    nearer, equal = np.full(40, -9), np.full(40, -9)
    count_nearer(points, points, category, 2, 1000, np.full(40, 1.0), np.full(40, 2.0), tree, nearer, equal)
    assert (nearer.tolist(), equal.tolist()) == ([1] * 40, [39] * 40)


def test_few_points_are_one_box_and_more_are_two() -> None:
    for many in (LEAF, LEAF + 1):
        _, places, *_ = boxes(np.arange(many, dtype=float).reshape(many, 1), np.zeros(1, np.bool_))
        assert places[0].tolist() == [0, many, -1 if many == LEAF else 1]


@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.parametrize("seed", range(3))
def test_as_many_lie_nearer_as_comparing_all_finds(seed: int, power: int) -> None:
    random = np.random.default_rng(seed)
    points = random.integers(0, 5, (70, 3)) / 4
    points[random.random(points.shape) < 0.1] = NAN
    others, category = points[random.permutation(70)[:9]], np.array([False, True, False])
    tree = boxes(points, category)
    order, places, low, high, holes = tree
    assert sorted(order.tolist()) == list(range(70))
    left, ends = [0], []
    while left:
        b = left.pop()
        start, stop, half = places[b]
        inside = points[order[start:stop]]
        assert holes[b].tolist() == np.isnan(inside).sum(axis=0).tolist()
        for c in range(3):
            known = inside[~np.isnan(inside[:, c]), c]
            assert (low[b, c], high[b, c]) == ((known.min(), known.max()) if known.size else (np.inf, -np.inf))
        if half >= 0:
            # Two halves, one after the other, which have no more and no less.
            assert (places[half, 0], places[half, 1], places[half + 1, 1]) == (start, places[half + 1, 0], stop)
            left += [half, half + 1]
        else:
            ends.append(stop - start)
    # No box is left that could be split: the points are few, or all the same.
    assert (sum(ends), min(ends) > 0, max(ends) <= LEAF) == (70, True, True)
    near = random.integers(0, 6, 9) / 4
    far = near + random.integers(0, 3, 9) / 4
    nearer, equal = np.full(9, -9), np.full(9, -9)
    count_nearer(points, others, category, power, 1000, near, far, tree, nearer, equal)
    for i in range(9):
        all_of = [distance(others, i, points, j, category, power) for j in range(70)]
        assert nearer[i] == sum(each < near[i] for each in all_of)
        assert equal[i] == sum(near[i] <= each <= far[i] for each in all_of)
    # A box that lies within the bounds as a whole is counted as a whole.
    count_nearer(points, others, category, power, 1000, np.zeros(9), np.full(9, 99.0), tree, nearer, equal)
    assert (nearer.tolist(), equal.tolist()) == ([0] * 9, [70] * 9)
    count_nearer(points, others, category, power, 3, near, far, tree, nearer, equal)
    for i in range(9):
        assert (nearer[i] >= 3) == (
            sum(distance(others, i, points, j, category, power) < near[i] for j in range(70)) >= 3
        )
