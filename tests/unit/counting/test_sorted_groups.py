"""Groups of sorted rows, against Python's own grouping, however the rows are cut into batches."""

from __future__ import annotations

from itertools import groupby

import numpy as np
import pytest

from antifaz.counting.sorted_groups import known_ends, lengths, starts, whole_groups

ROWS = sorted([(0, 1, 3), (0, 1, 5), (0, 1, 5), (0, 2, 9), (1, 0, 0), (1, 0, 4), (2, 2, 2), (2, 2, 2), (2, 3, 1)])


def batches(size: int) -> list[list[np.ndarray]]:
    parts = [ROWS[at : at + size] for at in range(0, len(ROWS), size)]
    return [[np.array(column) for column in zip(*part, strict=True)] for part in parts]


@pytest.mark.parametrize("size", [1, 2, 3, 4, len(ROWS)])
@pytest.mark.parametrize("by", [1, 2, 3])
def test_groups_are_whole_and_in_order(size: int, by: int) -> None:
    expected = [list(rows) for _, rows in groupby(ROWS, key=lambda row: row[:by])]
    found = []
    for begin, columns in whole_groups(batches(size), by):
        rows = list(zip(*(column.tolist() for column in columns), strict=True))
        ends = begin + lengths(begin, len(rows))
        found += [rows[start:end] for start, end in zip(begin, ends, strict=True)]
    assert found == expected


def test_nothing_has_no_groups() -> None:
    assert list(whole_groups([], 2)) == []


def test_where_runs_begin() -> None:
    columns = [np.array([1, 1, 1, 2]), np.array([0, 0, 3, 3])]
    assert starts(columns).tolist() == [0, 2, 3]
    assert starts(columns[:1]).tolist() == [0, 3]


def test_ends_of_what_is_known() -> None:
    # Places from 7 on are missing; a group may have nothing else.
    low, high, missing = known_ends(np.array([3, 5, 7, 8, 7, 2]), 7, np.array([0, 3, 5]))
    assert low.tolist() == [3, 7, 2]
    assert high.tolist() == [5, -1, 2]
    assert missing.tolist() == [True, True, False]
