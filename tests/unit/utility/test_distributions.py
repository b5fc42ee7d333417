"""Kept distributions, solved on paper."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from antifaz.utility.distributions import BINS, distributions, grid, query_error
from antifaz.utility.pair import read_pair


def _found(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    return distributions(read_pair(pa.table(before), pa.table(after)))


def test_a_label_is_spread_evenly_over_what_it_covers() -> None:
    found = _found({"town": ["a", "a", "a", "b"]}, {"town": ["{a, b}"] * 4})
    # ¾, ¼ against ½, ½
    assert found["columns"]["town"]["total_variation"] == pytest.approx(0.25)
    assert found["tables"]["one_way"] == pytest.approx(0.25)


def test_two_way_tables_see_a_broken_relation_that_single_columns_do_not() -> None:
    before = {"x": ["a", "a", "b", "b"], "y": ["c", "c", "d", "d"]}
    found = _found(before, {"x": ["a", "a", "b", "b"], "y": ["c", "d", "c", "d"]})
    assert found["tables"]["one_way"] == 0
    # ½, 0, 0, ½ against ¼ four times
    assert found["tables"]["two_way"] == pytest.approx(0.5)
    assert found["tables"]["two_way_largest"] == {"columns": ["x", "y"], "total_variation": pytest.approx(0.5)}
    assert _found(before, before)["tables"]["two_way"] == 0


def test_numbers_are_compared_by_the_middles_of_their_labels() -> None:
    found = _found({"n": [0, 1, 2, 3]}, {"n": ["[0, 1]", "[0, 1]", "[2, 3]", "[2, 3]"]})["columns"]["n"]
    # At ½ a half is released, a quarter original.
    assert found["ks"]["statistic"] == pytest.approx(0.25)
    deviation = np.std([0, 1, 2, 3])
    # Each moves by a half.
    assert found["earth_mover"] == pytest.approx(0.5 / deviation)
    assert found["mean_moved"] == pytest.approx(0)
    assert found["spread_ratio"] == pytest.approx(1 / deviation)


def test_correlations_before_and_after() -> None:
    before = {"x": [1, 2, 3, 4], "y": [2, 4, 6, 8]}
    found = _found(before, {"x": [1, 2, 3, 4], "y": [8, 6, 4, 2]})["correlations"]
    assert found["before"] == {"x, y": pytest.approx(1)}
    assert found["after"] == {"x, y": pytest.approx(-1)}
    assert found["mean_change"] == found["largest_change"] == pytest.approx(2)


def test_a_constant_has_no_correlation() -> None:
    found = _found({"x": [1, 2, 3], "y": [5, 5, 5]}, {"x": [1, 2, 3], "y": [5, 5, 5]})["correlations"]
    assert found["before"] == {"x, y": None}
    assert found["mean_change"] is None


def test_many_values_share_bins_and_labels_that_spread_alike_are_one_pattern() -> None:
    values = list(range(200))
    pair = read_pair(pa.table({"n": values}), pa.table({"n": [*map(str, values[:198]), "[0, 99]", "[0, 99]"]}))
    found = grid(pair.columns[0])
    assert found.bins == BINS
    assert np.bincount(found.bin_of).tolist() == [4] * BINS
    assert len(found.patterns) == BINS + 1
    assert found.patterns[-1].tolist() == [4 / 100] * 25 + [0] * 25


def test_records_that_were_left_out_are_not_in_the_distribution() -> None:
    found = _found({"x": ["a", "b"], "y": ["c", "d"]}, {"x": ["a", "*"], "y": ["c", "*"]})
    assert found["columns"]["x"]["total_variation"] == pytest.approx(0.5)


def test_nothing_released_has_no_distribution() -> None:
    found = _found({"n": [1, 2]}, {"n": ["*", "*"]})
    assert found["columns"]["n"]["total_variation"] is None
    assert found["tables"]["two_way"] is None


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
