"""Rows grouped by numbers that lie close together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antifaz.counting.microaggregation import group_numbers
from antifaz.kernels import microaggregation as kernels
from antifaz.methods.operations.perturb import microaggregate
from unit.methods.clustering.test_mdav import METHODS
from unit.methods.operations.test_microaggregate import FEW, matrices


def mdav_in_python(values: np.ndarray, k: int) -> list[set[int]]:
    """The definition, word by word."""
    # Along memory, as in the code: another order of adding up could part columns that vary alike.
    spread = np.ascontiguousarray(values.T).var(axis=1)
    constant = values.max(axis=0) == values.min(axis=0)
    weights = np.where(constant, 0.0, 1.0 / np.where(constant, 1.0, spread))

    def far(a: np.ndarray, b: np.ndarray) -> float:
        total = 0.0
        for weight, x, y in zip(weights, a, b, strict=True):
            total += weight * (x - y) * (x - y)
        return total

    def nearest(seed: np.ndarray, among: list[int], first: int | None) -> list[int]:
        return sorted(among, key=lambda i: (i != first, far(values[i], seed), -i))[:k]

    left, groups = list(range(len(values))), []
    while len(left) >= 2 * k:
        many = len(left)
        centre = sum(values[i] for i in left) / many
        seed = max(left, key=lambda i: (far(values[i], centre), -i))
        other = max(left, key=lambda i: (far(values[i], values[seed]), -i))
        for point, first in [(seed, seed), (other, None)][: 2 if many >= 3 * k else 1]:
            groups.append(set(nearest(values[point], left, first)))
            left = [i for i in left if i not in groups[-1]]
    return [*groups, set(left)]


def members(groups: np.ndarray) -> list[set[int]]:
    return [set(np.flatnonzero(groups == g)) for g in range(int(groups.max()) + 1)]


@FEW
@given(matrices(), st.integers(2, 5))
def test_mdav_follows_its_definition(values: np.ndarray, k: int) -> None:
    values = np.column_stack([values, values[:, 0] ** 2])
    if len(values) >= 2 * k:
        assert members(group_numbers(values, k, "mdav")) == mdav_in_python(values, k)


@pytest.mark.parametrize("k", [3, 70])
def test_the_nearest_are_those_of_a_full_sort(k: int) -> None:
    assert 3 <= kernels.FEW < 70  # one on either side
    random = np.random.default_rng(3)
    for _ in range(20):
        distances = random.integers(0, 40, 200).astype(np.float64)
        chosen = np.empty(k, np.int64)
        kernels._nearest(distances, 200, chosen)
        assert set(chosen) == set(np.lexsort((-np.arange(200), distances))[:k])


def test_mdav_with_many_in_a_group_follows_its_definition() -> None:
    values = np.random.default_rng(4).integers(0, 12, (300, 2)).astype(np.float64)
    assert members(group_numbers(values, 70, "mdav")) == mdav_in_python(values, 70)


@FEW
@given(matrices(), st.integers(1, 6), st.sampled_from(METHODS))
def test_groups_have_k_to_2k_less_one_rows(values: np.ndarray, k: int, method: Any) -> None:
    if k > len(values):
        return
    groups = group_numbers(values, k, method)
    sizes = np.bincount(groups)
    assert sizes.min() >= k
    assert sizes.max() <= max(2 * k - 1, 1)
    np.testing.assert_array_equal(groups, group_numbers(values, k, method))


@FEW
@given(st.lists(st.integers(-30, 30), min_size=1, max_size=14), st.integers(1, 4))
def test_optimal_loses_as_little_as_the_best_of_all_partitions(numbers: list[int], k: int) -> None:
    if k > len(numbers):
        return
    values = np.array(numbers, np.float64)
    groups = group_numbers(values[:, None], k, "optimal")
    sizes = np.bincount(groups)
    assert k <= sizes.min()
    assert sizes.max() <= max(2 * k - 1, 1)
    lost = sum(_squares(values[groups == g].tolist()) for g in range(sizes.size))
    assert lost == pytest.approx(_least(sorted(values.tolist()), k), abs=1e-9)
    assert lost <= _loss(values, group_numbers(values[:, None], k, "mdav")) + 1e-9


def _squares(part: list[float]) -> float:
    middle = sum(part) / len(part)
    return sum((x - middle) ** 2 for x in part)


def _least(ordered: list[float], k: int) -> float:
    """Try every partition of the sorted values into runs of at least k."""
    if not ordered:
        return 0.0
    return min(
        (
            _squares(ordered[:size]) + _least(ordered[size:], k)
            for size in range(k, len(ordered) + 1)
            if size == len(ordered) or len(ordered) - size >= k
        ),
        default=float("inf"),
    )


def _loss(values: np.ndarray, groups: np.ndarray) -> float:
    return sum(_squares(values[groups == g].tolist()) for g in range(int(groups.max()) + 1))


# Powers of two, because any other factor would round, and rounding parts distances that tie.
@pytest.mark.parametrize("scale", [2.0**-1000, 0.5, 2.0**1010])
def test_the_unit_of_a_column_does_not_matter(scale: float) -> None:
    values = np.random.default_rng(5).integers(-100, 100, (60, 3)).astype(np.float64)
    units = values * np.array([scale, 1.0, 2.0**40])
    for method in METHODS:
        assert members(group_numbers(units, 4, method)) == members(group_numbers(values, 4, method))  # type: ignore[arg-type]


def test_the_component_has_the_sign_of_its_first_greatest_loading() -> None:
    # Of two columns that fall together both loadings are of one size: the first column's rises.
    values = np.array([[1.0, -1.0], [2.0, -2.0], [3.0, -3.0], [4.0, -4.0], [5.0, -5.0]])
    assert group_numbers(values, 2, "pca").tolist() == [0, 0, 1, 1, 1]
    assert group_numbers(-values, 2, "pca").tolist() == [1, 1, 1, 0, 0]


def test_fewer_than_2k_records_are_one_group_and_constant_columns_have_no_say() -> None:
    frame = pa.table({"x": [1.0, 2.0, 6.0], "same": [0.1, 0.1, 0.1]})
    for method in (*METHODS, "onedims"):
        released = microaggregate(frame, columns=["x", "same"], k=2, method=method)  # type: ignore[arg-type]
        assert released["x"].to_pylist() == [3.0] * 3
        assert released["same"].to_pylist() == [0.1] * 3
    many = np.random.default_rng(6).normal(size=(50, 2))
    wider = np.column_stack([many, np.full(50, 0.1)])
    assert members(group_numbers(wider, 4, "mdav")) == members(group_numbers(many, 4, "mdav"))
    assert np.bincount(group_numbers(np.full((50, 2), 0.1), 4, "mdav")).min() >= 4
