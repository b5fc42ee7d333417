"""IL1 and IL1s, solved by hand."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest

from antifaz import DataError
from antifaz.utility import il1, il1s, il1s_by_column
from failing import failing

# sd(x) = 1 and sd(y) = 10 (n − 1); moved by 1 + 0 + 1 and by 0 + 0 + 30.
ORIGINAL = pa.table({"x": [1.0, 2.0, 3.0], "y": [10, 20, 30], "t": ["a", "b", "c"]})
RELEASED = pa.table({"x": [2.0, 2.0, 4.0], "y": [10, 20, 60], "t": ["a", "b", "c"]})


def test_distances_are_in_units_of_the_original_columns() -> None:
    assert il1s(ORIGINAL, RELEASED) == pytest.approx((2 + 3) / math.sqrt(2), abs=1e-12)
    assert il1s(ORIGINAL, RELEASED, columns="x") == pytest.approx(math.sqrt(2), abs=1e-12)
    assert il1s_by_column(ORIGINAL, RELEASED) == pytest.approx({"x": math.sqrt(2), "y": 3 / math.sqrt(2)}, abs=1e-12)


def test_the_mean_is_per_cell() -> None:
    assert il1s(ORIGINAL, RELEASED, mean=True) == pytest.approx(5 / math.sqrt(2) / 6, abs=1e-12)
    found = il1s_by_column(ORIGINAL, RELEASED, "y", mean=True)
    assert found == {"y": pytest.approx(1 / math.sqrt(2), abs=1e-12)}


def test_percentages_are_of_each_number() -> None:
    assert il1(ORIGINAL, RELEASED) == pytest.approx(100 + 100 / 3 + 100, abs=1e-9)
    assert il1(ORIGINAL, RELEASED, "x", mean=True) == pytest.approx((100 + 100 / 3) / 3, abs=1e-9)
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
