"""Differences of moments: by hand, and against NumPy's own."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest

from antifaz import DataError
from antifaz.utility import differences, il1, il1s, il1s_by_column
from failing import failing

# Means 2 and 4, variances 1 and 4, covariance 2 and correlation 1; after: 3 and 4, 1 and 4, -2 and -1.
ORIGINAL = pa.table({"x": [1.0, 2.0, 3.0], "y": [2.0, 4.0, 6.0]})
RELEASED = pa.table({"x": [2.0, 3.0, 4.0], "y": [6.0, 4.0, 2.0]})


def test_moments_are_those_found_by_hand() -> None:
    found = differences(ORIGINAL, RELEASED)
    assert (found.columns, found.rows) == (("x", "y"), 3)
    assert found.means.difference.tolist() == [1, 0]
    assert (found.means.mean_absolute, found.means.mean_relative) == (0.5, 0.25)
    assert found.variances.difference.tolist() == [0, 0]
    assert found.covariances.difference.tolist() == [[0, -4], [-4, 0]]
    assert found.covariances.mean_absolute == pytest.approx(4 / 3)
    assert found.covariances.mean_relative == pytest.approx(2 / 3)
    np.testing.assert_allclose(found.correlations.difference, [[0, -2], [-2, 0]], atol=1e-12)


def test_eigenvalues_are_those_of_the_correlations() -> None:
    # Correlations 0.5 and 0: eigenvalues 1.5, 0.5 and 1, 1.
    before = pa.table({"x": [1.0, 0.0, -1.0, 0.0], "y": [1.0, -0.5, -0.5, 0.0]})
    assert np.corrcoef(before["x"], before["y"])[0, 1] == pytest.approx(math.sqrt(3) / 2)
    after = pa.table({"x": [1.0, 0.0, -1.0, 0.0], "y": [0.0, 1.0, 0.0, -1.0]})
    found, r = differences(before, after), math.sqrt(3) / 2
    np.testing.assert_allclose(found.eigenvalues.original, [1 + r, 1 - r], atol=1e-12)
    np.testing.assert_allclose(found.eigenvalues.released, [1, 1], atol=1e-12)
    assert found.eigen == pytest.approx(r / (1 + r) + r / (1 - r), abs=1e-12)
    assert found.il_correl == pytest.approx(0, abs=1e-12)


def test_the_same_as_numpy_on_many_columns() -> None:
    random = np.random.default_rng(1)
    before = random.normal(size=(200, 4)) @ random.normal(size=(4, 4)) + 1000
    after = before + random.normal(size=before.shape)
    tables = [pa.table({f"x{i}": side[:, i] for i in range(4)}) for side in (before, after)]
    found = differences(*tables)
    for compared, of in (
        (found.means, lambda side: side.mean(axis=0)),
        (found.covariances, lambda side: np.cov(side, rowvar=False)),
        (found.correlations, lambda side: np.corrcoef(side, rowvar=False)),
        (found.eigenvalues, lambda side: np.linalg.eigvalsh(np.corrcoef(side, rowvar=False))[::-1]),
    ):
        np.testing.assert_allclose(compared.original, of(before), rtol=1e-9)
        np.testing.assert_allclose(compared.released, of(after), rtol=1e-9)


def test_rows_that_miss_anything_are_left_out_of_both() -> None:
    before = pa.table({"x": [1.0, 2.0, 3.0, 100.0], "y": [2.0, 4.0, 6.0, None]})
    after = pa.table({"x": [2.0, 3.0, 4.0, 500.0], "y": [6.0, 4.0, 2.0, 9.0]})
    found = differences(before, after)
    assert (found.rows, found.means.difference.tolist()) == (3, [1, 0])
    with failing("differences.too-few-whole-rows", DataError):
        differences(before.slice(2), after.slice(2))


def test_a_constant_column_has_no_correlation_and_no_eigenvalue() -> None:
    constant = pa.table({"x": [1.0, 2.0, 3.0], "y": [0.1, 0.1, 0.1]})
    found = differences(constant, ORIGINAL)
    assert found.variances.original.tolist() == [1, 0]
    assert np.isnan(found.correlations.original[0, 1])
    assert math.isnan(found.eigen)
    assert math.isnan(found.il_correl)


def test_columns_that_follow_from_others_give_no_senseless_figure() -> None:
    found = differences(ORIGINAL, RELEASED)
    assert found.eigenvalues.original.tolist() == pytest.approx([2, 0], abs=1e-12)
    assert math.isnan(found.eigen)
    assert math.isnan(found.il_correl)


def test_one_column_is_enough() -> None:
    found = differences(ORIGINAL, RELEASED, "x")
    assert (found.eigen, found.il_correl, found.correlations.original.tolist()) == (0, 0, [[1]])


# sd(x) = 1 and sd(y) = 10 (n − 1); moved by 1 + 0 + 1 and by 0 + 0 + 30.
NUMBERS = pa.table({"x": [1.0, 2.0, 3.0], "y": [10, 20, 30], "t": ["a", "b", "c"]})
MOVED = pa.table({"x": [2.0, 2.0, 4.0], "y": [10, 20, 60], "t": ["a", "b", "c"]})


def test_distances_are_in_units_of_the_original_columns() -> None:
    assert il1s(NUMBERS, MOVED) == pytest.approx((2 + 3) / math.sqrt(2), abs=1e-12)
    assert il1s(NUMBERS, MOVED, columns="x") == pytest.approx(math.sqrt(2), abs=1e-12)
    assert il1s_by_column(NUMBERS, MOVED) == pytest.approx({"x": math.sqrt(2), "y": 3 / math.sqrt(2)}, abs=1e-12)


def test_the_mean_is_per_cell() -> None:
    assert il1s(NUMBERS, MOVED, mean=True) == pytest.approx(5 / math.sqrt(2) / 6, abs=1e-12)
    found = il1s_by_column(NUMBERS, MOVED, "y", mean=True)
    assert found == {"y": pytest.approx(1 / math.sqrt(2), abs=1e-12)}


def test_percentages_are_of_each_number() -> None:
    assert il1(NUMBERS, MOVED) == pytest.approx(100 + 100 / 3 + 100, abs=1e-9)
    assert il1(NUMBERS, MOVED, "x", mean=True) == pytest.approx((100 + 100 / 3) / 3, abs=1e-9)
    assert il1(pa.table({"x": [0.0, -4.0]}), pa.table({"x": [9.0, -3.0]}), mean=True) == 25


def test_cells_that_miss_in_either_table_are_left_out() -> None:
    before, after = pa.table({"x": [1.0, 2.0, 3.0, None]}), pa.table({"x": [2.0, None, 3.0, 4.0]})
    assert il1s(before, after) == pytest.approx(1 / math.sqrt(2), abs=1e-12)
    assert il1s(before, after, mean=True) == pytest.approx(1 / math.sqrt(2) / 2, abs=1e-12)
    assert il1(before, after) == 100
    nothing = pa.table({"x": pa.array([None] * 4, pa.float64())})
    assert il1s(before, nothing, mean=True) == il1(before, nothing, mean=True) == 0


def test_a_constant_column_must_stay_as_it_was() -> None:
    constant = pa.table({"x": [0.1] * 7})
    assert il1s(constant, constant) == 0
    with failing("il1s.column-constant", DataError, column="x"):
        il1s(constant, pa.table({"x": [0.1] * 6 + [0.2]}))
