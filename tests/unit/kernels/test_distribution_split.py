"""Cutting slices off rows by distribution, every step by hand; whole cuts are in `test_mondrian`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from antifaz.kernels.distribution_split import (
    Moments,
    Slicing,
    _column_order,
    standardized_span,
    trim,
    walk,
)
from oracles.cuts import plain_spread


@pytest.mark.parametrize("category", [False, True])
@pytest.mark.parametrize("values", [[0, 1], [3, 4, 9], [5, 5, 6, 7, 7], [1000, 1001, 1003]])
def test_values_are_as_wide_as_their_span_squared_over_their_variance(values: list[int], category: bool) -> None:
    squares = sum(v * v for v in values)
    found = standardized_span(min(values), max(values), len(values), sum(values), squares, category)
    assert found == pytest.approx(plain_spread(values, category), rel=1e-12)
    assert standardized_span(4, 4, 2, 8, 32, category) == 0.0


def test_rows_that_are_gone_are_trimmed_from_both_ends() -> None:
    order = np.array([3, 1, 0, 2, 4], np.int32)
    gone = np.array([False, True, False, True, True])
    assert trim(order, gone, 0, 4) == (2, 3)
    assert trim(order, gone, 3, 3) == (3, 3)
    gone[:] = True
    assert trim(order, gone, 1, 3) == (4, 3)
    gone[order[0]] = False
    assert trim(order, gone, 0, 4) == (0, 0)


@pytest.mark.parametrize("wide", [1, 5, 63, 64, 65, 127, 128, 129, 300, 5000, 70000])
@pytest.mark.parametrize("size", [1, 9, 40])
def test_rows_are_sorted_by_one_attribute_and_equals_stay_in_order(size: int, wide: int) -> None:
    ranks = np.random.default_rng(size * wide).integers(7, 7 + wide, size)
    ranks[-1], ranks[0] = 7, 6 + wide
    rows = np.array([[0, 0], *([0, rank] for rank in ranks), [0, 0]], np.int32)
    out = np.full(size, -7, np.int32)
    _column_order(rows, 1, size + 1, 1, int(ranks.min()), int(ranks.max()), out)
    assert out.tolist() == sorted(range(size), key=lambda i: (ranks[i], i))


def slicing(order: Any, gone: Any) -> Slicing:
    none = np.zeros(1, np.int64)
    moments = Moments(none, none, none, none, none, none > 0)
    return Slicing(order.reshape(1, -1), none, none, gone, moments, np.full(order.size, -7, np.int32))


def test_the_first_cut_is_where_k_rows_are_behind_and_the_value_ends() -> None:
    rows = np.array([[9], [0], [0], [1], [1], [2], [2]], np.int32)
    gone = np.array([False, True, False, False, False, False])

    def first(k: int, head: int = 0) -> tuple[int, int]:
        state = slicing(np.arange(6, dtype=np.int32), gone)
        return walk(rows, 1, 0, state, head, 0, k, 6, np.empty(1, np.int64))[:2]

    assert [first(k) for k in (1, 2, 3, 4, 5)] == [(2, 1), (4, 3), (4, 3), (6, 5), (6, 5)]
    assert first(1, 2) == (4, 2)


@pytest.mark.parametrize("room", [1, 2, 9])
@pytest.mark.parametrize(
    ("at", "taken", "least", "most"),
    [(0, 0, 1, 9), (0, 2, 4, 9), (0, 0, 3, 4), (2, 1, 1, 6), (0, 5, 3, 9), (0, 0, 7, 9)],
)
def test_places_where_the_value_changes_are_found_on_the_way_up(
    at: int, taken: int, least: int, most: int, room: int
) -> None:
    order, ranks = np.array([5, 0, 3, 1, 4, 2, 6, 7], np.int32), np.array([0, 1, 2, 0, 1, 0, 2, 3], np.int32)
    gone = np.array([False, False, False, True, False, False, False, False])
    state, places = slicing(order, gone), np.full(room, -7)
    found = state.found
    stop, many, cuts = walk(ranks.reshape(-1, 1), 0, 0, state, at, taken, least, most, places)
    rows, expected, here, last = [], [], at, None
    while here < 8 and taken + len(rows) <= most:
        row = int(order[here])
        if not gone[row]:
            if last is not None and ranks[row] != last and taken + len(rows) >= least:
                expected.append(taken + len(rows))
                if len(expected) == room:
                    break
            last = int(ranks[row])
            rows.append(row)
        here += 1
    assert (stop, many, cuts) == (here, len(rows), len(expected))
    assert found[:many].tolist() == rows
    assert places[:cuts].tolist() == expected
    assert (found[many:] == -7).all()
