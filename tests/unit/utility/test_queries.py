"""Query error and predictions."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from antifaz.utility.pair import read_pair
from antifaz.utility.queries import query_error


def _random() -> np.random.Generator:
    return np.random.default_rng(7)


def test_a_copy_answers_every_query_right() -> None:
    table = pa.table({"x": list(range(100)), "y": ["a", "b", "c", "d"] * 25})
    found = query_error(read_pair(table, table), _random())
    assert found == {"queries": 100, "median_relative_error": 0, "mean_relative_error": 0}


def test_a_table_of_half_the_records_is_wrong_by_half() -> None:
    table = pa.table({"x": [i // 2 for i in range(200)]})
    found = query_error(read_pair(table, table.take(pa.array(range(0, 200, 2)))), _random())
    assert found["median_relative_error"] == found["mean_relative_error"] == pytest.approx(0.5)


def test_even_spreading_answers_even_data_right() -> None:
    table = pa.table({"x": list(range(100)) * 3})
    released = pa.table({"x": ["[0, 50)"] * 150 + ["[50, 99]"] * 150})
    assert query_error(read_pair(table, released), _random())["mean_relative_error"] == pytest.approx(0, abs=1e-9)


def test_nothing_can_be_asked_of_a_constant() -> None:
    table = pa.table({"x": [1, 1]})
    assert query_error(read_pair(table, table), _random())["queries"] == 0
