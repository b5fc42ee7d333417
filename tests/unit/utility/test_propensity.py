"""Propensity: what can be told apart is, and what can't is not."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from antifaz import ParameterError
from antifaz.utility import propensity
from failing import failing


def table(values: np.ndarray) -> pa.Table:
    return pa.table({f"x{i}": column for i, column in enumerate(values.T)})


def test_the_same_table_can_not_be_told_apart() -> None:
    same = table(np.random.default_rng(1).normal(size=(200, 3)))
    found = propensity(same, same)
    assert (found.pmse, found.ratio, found.accuracy) == (pytest.approx(0, abs=1e-20), pytest.approx(0, abs=1e-12), 0.5)
    assert (found.features, found.rows) == (9, 400)
    assert float(found) == found.pmse


def test_tables_without_overlap_are_always_told_apart() -> None:
    before = table(np.random.default_rng(1).normal(size=(200, 2)))
    after = table(np.random.default_rng(2).normal(size=(200, 2)) + 50)
    found = propensity(before, after)
    assert found.pmse == pytest.approx(0.25, abs=1e-3)
    assert found.accuracy == 1


def test_one_category_is_solved_by_hand() -> None:
    # 'a' is in the released table with a chance of 1/3, 'b' with 2/3: each (1/6)² from a half.
    before, after = pa.table({"t": ["a"] * 20 + ["b"] * 10}), pa.table({"t": ["a"] * 10 + ["b"] * 20})
    found = propensity(before, after)
    assert found.pmse == pytest.approx(1 / 36, rel=1e-5)
    assert found.expected == 1 / 4 / 60
    assert found.ratio == pytest.approx(60 * 4 / 36, rel=1e-5)
    assert found.accuracy == pytest.approx(2 / 3)


def test_tables_of_different_sizes_are_solved_by_hand() -> None:
    # A third of the rows is released: of those with a 2 of 8, of those with b 8 of 22.
    before, after = pa.table({"t": ["a"] * 6 + ["b"] * 14}), pa.table({"t": ["a"] * 2 + ["b"] * 8})
    found = propensity(before, after)
    expected = (8 * (2 / 8 - 1 / 3) ** 2 + 22 * (8 / 22 - 1 / 3) ** 2) / 30
    assert found.pmse == pytest.approx(expected, rel=1e-4)
    assert found.expected == pytest.approx(2 / 9 / 30)


def test_missing_is_a_value_of_its_own() -> None:
    before = pa.table({"x": pa.array([None] * 20 + [1.0] * 10)})
    after = pa.table({"x": pa.array([None] * 10 + [1.0] * 20)})
    assert propensity(before, after).pmse == pytest.approx(1 / 36, rel=1e-5)


def test_samples_of_one_distribution_reach_what_is_expected_on_average() -> None:
    random = np.random.default_rng(7)
    ratios = [
        propensity(table(random.normal(size=(300, 3))), table(random.normal(size=(500, 3)))).ratio for _ in range(60)
    ]
    # The ratio is a chi-square of 9 over 9: the mean of 60 has a standard deviation of 0.06.
    assert np.mean(ratios) == pytest.approx(1, abs=0.25)


def test_a_spread_is_seen_in_squares_only() -> None:
    random = np.random.default_rng(3)
    before, after = table(random.normal(size=(2_000, 1))), table(2 * random.normal(size=(2_000, 1)))
    assert propensity(before, after).ratio > 100
    assert propensity(before, after, degree=1).ratio < 10


def test_a_correlation_is_seen_in_products() -> None:
    random = np.random.default_rng(4)
    both = random.normal(size=(1_000, 2)) @ np.array([[1, 0.9], [0, 0.4]])
    apart = np.column_stack([both[:, 0], random.permutation(both[:, 1])])
    assert propensity(table(both), table(apart)).ratio > 50


def test_constants_and_copies_tell_nothing() -> None:
    x = np.random.default_rng(5).normal(size=100)
    constant = pa.table({"x": np.full(100, 0.1), "t": ["a"] * 100})
    found = propensity(constant, constant)
    assert (found.features, found.pmse, found.ratio) == (0, 0, 0)
    copied = pa.table({"x": x, "y": x})
    assert propensity(copied, copied, degree=1).features == 1


def test_large_tables_are_sampled_by_the_seed() -> None:
    random = np.random.default_rng(6)
    before, after = table(random.normal(size=(101_000, 1))), table(random.normal(size=(100_500, 1)))
    found = propensity(before, after, seed=1)
    assert found.rows == 200_000
    assert found == propensity(before, after, seed=1)
    assert found != propensity(before, after, seed=2)
    assert propensity(before, before, seed=1).pmse == pytest.approx(0, abs=1e-20)


def test_too_many_features_and_unknown_degrees_are_refused() -> None:
    wide = table(np.zeros((2, 50)))
    with failing("propensity.too-many-features", ParameterError, most=1000):
        propensity(wide, wide)
    with failing("propensity.degree-not-1-or-2", ParameterError):
        propensity(wide, wide, degree=3)
