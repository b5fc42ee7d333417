"""Cutting rows into parts, against the definition in plain Python; every step by hand."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.kernels.distribution_split import (
    distribution_parts,
)
from antifaz.kernels.mondrian import (
    _cut_in_middle,
    _distinct,
    _median,
    _partition,
    measure,
    median_parts,
    missing_apart,
    number_parts,
    stable_order,
    workspace,
)
from antifaz.kernels.packed_mondrian import PackedRecords, packed_median_parts
from oracles.cuts import KNOWN, SPACE, Row, by_first, by_median, drawn

# -- parts

HOW = ["strict", "relaxed", "first", "packed strict", "packed relaxed"]


def cut(how: str, rows: list[Row], k: int, bounds: list[int], final: list[bool], once: bool) -> Any:
    given, buffer = np.array(rows, np.int32), np.full((len(rows), 4), -7, np.int32)
    ends, closed = np.full(len(rows) + 1, -7), np.zeros(len(rows) + 1, np.bool_)
    if how.startswith("packed"):
        shift, bits = np.array([0, 4, 8]), np.array([15, 15 << 4, 15 << 8])
        words, numbers = (given[:, :3].astype(np.int64) << shift).sum(axis=1), given[:, 3].copy()
        held = PackedRecords(words, numbers, np.full(len(rows), -7), np.full(len(rows), -7, np.int32), shift, bits)
        many = packed_median_parts(
            held, np.array(bounds), np.array(final), SPACE, k, "relaxed" in how, once, ends, closed
        )
        given = np.stack([*((words & bits[:, None]) >> shift[:, None]), numbers], axis=1)
    elif how == "first":
        many = distribution_parts(given, buffer, np.array(bounds), np.array(final), SPACE, k, once, ends, closed)
    else:
        relaxed = how == "relaxed"
        many = median_parts(given, buffer, np.array(bounds), np.array(final), SPACE, k, relaxed, once, ends, closed)
    assert ends[many] == -7
    stops = [bounds[0], *ends[:many].tolist()]
    found = [[tuple(row) for row in given[a:b].tolist()] for a, b in pairwise(stops)]
    outside = [*given[: bounds[0]].tolist(), *given[bounds[-1] :].tolist()]
    assert outside == [list(row) for row in (*rows[: bounds[0]], *rows[bounds[-1] :])]
    return list(zip(found, closed[:many].tolist(), strict=True))


def defined(how: str, rows: list[Row], k: int, once: bool) -> list[tuple[list[Row], bool]]:
    return by_first(rows, k, once) if how == "first" else by_median(rows, k, "relaxed" in how, once)


@pytest.mark.parametrize("how", HOW)
@settings(deadline=None, max_examples=25)
@given(many=st.integers(1, 40), seed=st.integers(0, 10**6), k=st.integers(1, 6), once=st.booleans())
def test_rows_are_cut_as_the_definition_says(how: str, many: int, seed: int, k: int, once: bool) -> None:
    rows = drawn(many, seed, missing=seed % 3 > 0)
    assert cut(how, rows, k, [0, many], [False], once) == defined(how, rows, k, once)


@pytest.mark.parametrize("once", [False, True])
@pytest.mark.parametrize("how", HOW)
def test_stretches_are_cut_by_themselves_and_final_ones_stay(how: str, once: bool) -> None:
    rows = drawn(60, 5)
    expected = [
        *defined(how, rows[3:25], 2, once),
        (rows[25:40], True),
        *defined(how, rows[40:44], 2, once),
        *defined(how, rows[44:57], 2, once),
    ]
    assert cut(how, rows, 2, [3, 25, 40, 44, 57], [False, True, False, False], once) == expected


@pytest.mark.parametrize("how", HOW)
def test_a_long_stretch_after_a_short_one_has_room_for_all_of_its_parts(how: str) -> None:
    rows = drawn(60, 7, missing=False)
    expected = [*defined(how, rows[:2], 1, False), *defined(how, rows[2:], 1, False)]
    assert cut(how, rows, 1, [0, 2, 60], [False, False], False) == expected


def test_every_record_gets_the_number_of_its_part() -> None:
    rows, out = np.array([[0, 4], [0, 2], [0, 0], [0, 1], [0, 3]], np.int32), np.full(5, -7)
    number_parts(rows, out, 1, np.array([2, 5]), 10)
    assert out.tolist() == [11, 11, 10, 11, -7]


# -- steps


def test_what_is_listed_is_sorted_by_code_and_equals_stay_in_order() -> None:
    codes, out = np.array([2, 0, 1, 0, 2], np.int32), np.full(5, -7, np.int32)
    stable_order(codes, 3, np.array([4, 3, 2, 1, 0], np.int32), out)
    assert out.tolist() == [3, 1, 2, 4, 0]


@pytest.mark.parametrize(("rank", "ties"), [(0, 0), (1, 0), (1, 2), (1, 9), (3, 0)])
def test_lower_ranks_and_some_equals_come_first_in_their_order(rank: int, ties: int) -> None:
    column = [9, 2, 1, 0, 1, 2, 0, 1, 9]
    rows = np.array([[value, i] for i, value in enumerate(column)], np.int32)
    buffer = np.full((9, 2), -7, np.int32)
    equal = [i for i in range(1, 8) if column[i] == rank][:ties]
    left = [i for i in range(1, 8) if column[i] < rank or i in equal]
    assert _partition(rows, buffer, 1, 8, 0, rank, ties) == 1 + len(left)
    assert rows[:, 1].tolist() == [0, *left, *(i for i in range(1, 8) if i not in left), 8]
    assert rows[:, 0].tolist() == [column[i] for i in rows[:, 1]]
    # Other parts may be cut at the same time: nothing of theirs is written to.
    assert (buffer[[0, 8]] == -7).all()


@pytest.mark.parametrize(("lo", "hi"), [(0, 2600), (1, 1026), (2, 1026), (1500, 2599), (7, 8)])
def test_ends_and_missing_of_a_part(lo: int, hi: int) -> None:
    rows = np.array(drawn(2600, 3), np.int32)
    rows[lo, 0], rows[hi - 1, 1], rows[:, 2] = 4, 6, 5
    low, high, missing = (np.full(3, -7) for _ in range(3))
    measure(rows, lo, hi, SPACE.known, low, high, missing)
    for a, known in enumerate(KNOWN):
        held = [rank for rank in rows[lo:hi, a].tolist() if rank < known]
        assert (low[a], high[a]) == ((min(held), max(held)) if held else (known, -1))
        assert missing[a] == hi - lo - len(held)
    # The least and the greatest at the very ends of a part and of a block.
    for at in (lo, hi - 1, min(lo + 1023, hi - 1), min(lo + 1024, hi - 1)):
        line = np.full((2600, 4), 3, np.int32)
        line[at, 1], line[(at - lo + 1) % (hi - lo) + lo, 1] = 0, 5
        measure(line, lo, hi, SPACE.known, low, high, missing)
        assert (low[1], high[1]) == (0 if hi - lo > 1 else 5, 5)


@pytest.mark.parametrize(
    ("missing", "cuts"), [([2, 0, 0], 0), ([1, 3, 0], 1), ([1, 1, 5], -1), ([0, 4, 2], 2), ([0, 0, 0], -1)]
)
def test_what_is_missing_is_cut_off_where_both_sides_have_k(missing: list[int], cuts: int) -> None:
    rows = np.array([[KNOWN[a] if i < missing[a] else 1 for a in range(3)] + [i] for i in range(5)], np.int32)
    found = missing_apart(rows, np.empty((5, 4), np.int32), 0, 5, SPACE.known, np.array(missing), 2)
    assert found == (-1 if cuts < 0 else 5 - missing[cuts])
    if cuts >= 0:
        assert rows[:, 3].tolist() == [*range(missing[cuts], 5), *range(missing[cuts])]


def test_distinct_ranks_are_counted_and_the_counts_are_left_at_zero() -> None:
    rows, counts = np.array([[9], [1], [3], [1], [4], [4], [0]], np.int32), np.zeros(6, np.int64)
    assert _distinct(rows, 1, 6, 0, 4, counts) == 2
    assert not counts.any()


@pytest.mark.parametrize("wide", [10, 63, 64, 65, 1000, 5000])
@pytest.mark.parametrize("size", [1, 2, 7, 16, 40])
def test_the_median_is_that_of_sorting_however_wide_the_ranks_are(size: int, wide: int) -> None:
    ranks = np.random.default_rng(size * wide).integers(3, 3 + wide, size)
    rows = np.array([0, *ranks, 9999], np.int32).reshape(-1, 1)
    counts = np.zeros(wide + 9, np.int64)
    middle = sorted(ranks.tolist())[(size - 1) // 2]
    found = _median(rows, 1, size + 1, 0, int(ranks.min()), int(ranks.max()), counts)
    assert found == (middle, (ranks < middle).sum(), (ranks == middle).sum())
    assert not counts.any()


def test_an_attribute_that_can_not_be_cut_gives_way_to_the_next() -> None:
    rows = np.array([[0, 0, 0, 0], [3, 0, 0, 1], [3, 1, 0, 2], [3, 1, 0, 3]], np.int32)
    work = workspace(3, 9)
    measure(rows, 0, 4, SPACE.known, work.low, work.high, work.missing)
    work.widths[:] = 1.0, 0.5, 0.0
    assert _cut_in_middle(rows, np.empty_like(rows), 0, 4, SPACE, 2, False, work) == 2
    work.widths[:] = 1.0, 0.0, 0.0
    assert _cut_in_middle(rows, np.empty_like(rows), 0, 4, SPACE, 2, False, work) == -1
