"""Combinations are numbered from 0 in their order, whatever the numbers of each column."""

from __future__ import annotations

import numpy as np
import pytest

from antifaz.core.arrays import number_combinations, number_pairs


@pytest.mark.parametrize("columns", [1, 2, 3, 5])
def test_combinations_have_the_numbers_that_sorting_them_gives(columns: int) -> None:
    random = np.random.default_rng(columns)
    made = [random.integers(-1, 4, 60) * 1_000 for _ in range(columns)]
    rows = list(zip(*(column.tolist() for column in made), strict=True))
    ranks = {row: i for i, row in enumerate(sorted(set(rows)))}
    assert number_combinations(made, 60).tolist() == [ranks[row] for row in rows]


def test_pairs_are_combinations_of_two() -> None:
    one, other = np.array([0, 2, 0, 2, 1]), np.array([5, -1, 5, 5, 5], np.int32)
    assert number_pairs(one, other).tolist() == [0, 2, 0, 3, 1]


def test_without_columns_all_rows_are_one_and_without_rows_there_are_none() -> None:
    assert number_combinations([], 3).tolist() == [0, 0, 0]
    assert number_combinations([np.zeros(0, np.int64)], 0).tolist() == []
