"""Local suppression: which cells are blanked or given back, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from antifaz.kernels.gathering import _cost, gather
from antifaz.kernels.suppression import (
    _best_set,
    _differences,
    _sum_within,
    _union_set,
    blank_matching,
    restore_matching,
)


def ints(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def codes(*rows: tuple[int, ...]) -> np.ndarray:
    return np.array(rows, np.int32)


def found_in(table: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Count by hand how many records agree with each tuple where neither is blank."""
    agree = ((table[:, None] == table[None]) | (table[:, None] < 0) | (table[None] < 0)).all(axis=2)
    return (agree * counts).sum(axis=1)


def test_tuples_differ_where_neither_is_blank() -> None:
    masks = np.full(5, -9)
    _differences(codes((0, 1, 0), (0, 0, 0), (1, 1, 2), (-1, 1, 2), (5, -1, 0)), 0, masks)
    assert masks.tolist() == [0, 0b010, 0b101, 0b100, 0b001]
    _differences(codes((0, 1), (-1, 0)), 1, masks[:2])
    assert masks[:2].tolist() == [0b10, 0]


def test_a_set_sums_up_all_sets_within_it() -> None:
    sums = ints(1, 2, 4, 8, 16, 32, 64, 128)
    _sum_within(sums, 3)
    assert sums.tolist() == [1, 3, 5, 15, 17, 51, 85, 255]


#: All sets of two attributes, the smaller ones first.
SETS, SIZE = ints(0, 1, 2, 3), ints(0, 1, 1, 2)


def best(counts: np.ndarray, found: np.ndarray, k: int, masks: np.ndarray, *, first: bool = False) -> int:
    return _best_set(2, counts, found, k, masks, SETS, SIZE, first)


def test_of_the_smallest_sets_the_one_is_blanked_that_helps_most_others() -> None:
    masks, counts = ints(0, 1, 2, 3), ints(1, 2, 2, 5)
    # Either attribute gives 3 records; tuple 2 is below k itself.
    assert best(counts, ints(1, 9, 2, 9), 3, masks) == 2
    assert best(counts, ints(1, 2, 9, 9), 3, masks) == 1
    assert best(counts, ints(1, 2, 2, 9), 3, masks) == 1
    assert best(counts, ints(1, 9, 2, 9), 3, masks, first=True) == 1
    # Exactly k is enough; one more needs both.
    assert best(counts, ints(1, 3, 3, 9), 3, masks) == 1
    assert best(counts, ints(1, 2, 2, 9), 4, masks) == 3
    # A tuple with exactly k needs no help: nobody is helped by either, so the first stays.
    assert best(counts, ints(1, 3, 2, 9), 3, masks) == 2


def test_where_nothing_is_enough_all_is_blanked() -> None:
    assert best(ints(1, 1, 1, 1), ints(1, 1, 1, 1), 9, ints(0, 1, 2, 3)) == 3


def test_with_many_attributes_the_nearest_tuples_are_joined_until_there_are_enough() -> None:
    masks = ints(0, 0b0111, 0b0100, 0b1100, 0b1000)
    assert _union_set(ints(2, 9, 1, 1, 1), 2, masks) == 0
    assert _union_set(ints(2, 9, 1, 1, 1), 3, masks) == 0b0100
    # After 0100, tuples 3 and 4 are one attribute away: the first, 3, is taken and brings 4 along.
    assert _union_set(ints(2, 9, 1, 1, 1), 4, masks) == 0b1100
    assert _union_set(ints(2, 9, 1, 1, 1), 6, masks) == 0b1111
    assert _union_set(ints(2, 9, 1, 1, 1), 99, masks) == 0b1111


def blanked(table: np.ndarray, counts: np.ndarray, k: int, order: list[int], *, sets: bool = True) -> np.ndarray:
    found = found_in(table, counts)
    many, size = (SETS, SIZE) if sets else (ints(), ints())
    blank_matching(table, counts, found, k, np.array(order, np.int64), many, size, False)
    assert found.tolist() == found_in(table, counts).tolist()
    return table


@pytest.mark.parametrize("sets", [True, False])
def test_rare_tuples_are_blanked_until_they_match_k_and_those_that_do_stay(sets: bool) -> None:
    table = blanked(codes((0, 0), (0, 1), (5, 5)), ints(3, 1, 3), 3, [0, 1, 2], sets=sets)
    assert table.tolist() == [[0, 0], [0, -1], [5, 5]]


def test_what_was_done_for_one_helps_the_next() -> None:
    table = blanked(codes((0, 0), (0, 1), (7, 7)), ints(1, 1, 2), 2, [0, 1, 2])
    assert table.tolist() == [[0, -1], [0, 1], [7, 7]]


def test_only_tuples_that_are_named_are_blanked() -> None:
    table = blanked(codes((0, 0), (0, 1), (3, 1)), ints(1, 1, 1), 2, [2])
    assert table.tolist() == [[0, 0], [0, 1], [-1, 1]]


def restored(table: np.ndarray, original: np.ndarray, counts: np.ndarray, k: int, first: list[int]) -> int:
    found = found_in(table, counts)
    order = np.arange(len(table))
    many = restore_matching(table, original, counts, found, k, order, np.array(first, np.int64))
    assert found.tolist() == found_in(table, counts).tolist()
    return int(many)


ORIGINAL = codes((0, 0), (0, 1), (0, 2))


def test_a_cell_is_given_back_where_all_still_match_k() -> None:
    # (0, -) matches 3 in all; with its 0 back it would match only itself and lose nobody who needs it.
    table = codes((0, -1), (0, 1), (0, 2))
    assert restored(table, ORIGINAL, ints(2, 2, 2), 2, [0, 1]) == 2
    assert table.tolist() == ORIGINAL.tolist()


def test_a_cell_stays_blank_where_it_or_another_would_match_too_few() -> None:
    table = codes((0, -1), (0, 1), (0, 2))
    assert restored(table, ORIGINAL, ints(1, 2, 2), 2, [0, 1]) == 0
    assert restored(table, ORIGINAL, ints(2, 1, 2), 2, [0, 1]) == 0
    assert restored(table, ORIGINAL, ints(2, 1, 2), 3, [0, 1]) == 0
    assert table.tolist() == [[0, -1], [0, 1], [0, 2]]


def test_a_blank_that_was_blank_before_stays() -> None:
    table, original = codes((-1, -1), (1, 1), (0, 1), (1, 0)), codes((-1, 0), (1, 1), (0, 1), (1, 0))
    assert restored(table, original, ints(1, 3, 3, 3), 3, [0, 1]) == 1
    assert table.tolist() == original.tolist()


@pytest.mark.parametrize(("first", "expected"), [([0, 1], [0, -1]), ([1, 0], [-1, 0])])
def test_the_first_attribute_that_can_be_given_back_is(first: list[int], expected: list[int]) -> None:
    table, original = codes((-1, -1), (0, 1), (1, 0)), codes((0, 0), (0, 1), (1, 0))
    assert restored(table, original, ints(1, 3, 3), 3, first) == 1
    assert table[0].tolist() == expected


RARE = np.array([True, True, False, False])


@pytest.mark.parametrize(
    ("left", "k", "cost"),
    [
        # Rare records 3, of 3 needed: two cells each.
        ([1, 2, 3, 3], 3, 2.0),
        # Rare 1, of 3 needed: two are lent, by one that can spare them exactly.
        ([1, 0, 5, 3], 3, 6.0),
        ([1, 0, 4, 4], 3, 6.0),
        # One short.
        ([1, 0, 4, 3], 3, -1.0),
        # Who has fewer than k lends nothing, and takes nothing away either.
        ([1, 0, 4, 1], 3, -1.0),
        ([1, 0, 5, 1], 3, 6.0),
        ([0, 0, 9, 9], 3, -1.0),
        ([4, 1, 3, 3], 3, 2.0),
    ],
)
def test_a_gathering_costs_the_cells_it_blanks_per_rare_record(left: list[int], k: int, cost: float) -> None:
    assert _cost(ints(9, 0, 1, 2, 3, 9), 1, 5, np.array(left), RARE, k, 2) == cost


def gathered(
    sets: list[list[int]], width: list[int], left: list[int], k: int, limit: float = 10.0
) -> tuple[list[tuple[int, int, int]], list[int], int]:
    starts = np.concatenate([[0], np.cumsum([len(each) for each in sets])]).astype(np.int64)
    remaining, group = np.array(left, np.int64), ints(5)
    out = [np.full(20, -9) for _ in range(3)]
    members = np.array([t for each in sets for t in each], np.int64)
    lines = gather(members, starts, np.array(width), RARE, k, limit, 4.0, remaining, group, *out)
    written = list(zip(*(column[:lines].tolist() for column in out), strict=True))
    return written, remaining.tolist(), int(group[0])


def test_rare_tuples_that_look_the_same_go_into_one_group() -> None:
    assert gathered([[0, 1]], [1], [1, 2, 9, 9], 3) == ([(0, 5, 1), (1, 5, 2)], [0, 0, 9, 9], 6)


def test_frequent_ones_lend_what_is_missing_and_no_more() -> None:
    assert gathered([[0, 2, 3]], [1], [1, 0, 4, 9], 3) == ([(0, 5, 1), (2, 5, 1), (3, 5, 1)], [0, 0, 3, 8], 6)


def test_cheaper_gatherings_are_taken_first_and_what_is_left_is_weighed_again() -> None:
    # Both gatherings have tuple 0. The second is cheaper; the first then has only tuple 1, and costs 3 cells for it.
    written, left, group = gathered([[0, 1, 2], [0, 3]], [2, 1], [2, 1, 9, 9], 3)
    assert written == [(0, 5, 2), (3, 5, 1), (1, 6, 1), (2, 6, 2)]
    assert (left, group) == ([0, 0, 7, 8], 7)


def test_of_equal_cost_the_first_comes_first_and_one_with_nothing_left_is_passed_over() -> None:
    written, left, group = gathered([[0, 1], [0, 1], [1, 0]], [1, 1, 1], [2, 1, 9, 9], 3)
    assert (written, left, group) == ([(0, 5, 2), (1, 5, 1)], [0, 0, 9, 9], 6)


def test_what_costs_more_than_the_limit_is_not_taken() -> None:
    assert gathered([[0, 2]], [1], [1, 0, 9, 0], 3, 3.0)[2] == 6
    assert gathered([[0, 2]], [1], [1, 0, 9, 0], 3, 2.9) == ([], [1, 0, 9, 0], 5)
    # The cheaper one takes tuple 0 away; the other would then cost 6 cells for tuple 1.
    assert gathered([[0, 1, 2], [0, 3]], [2, 1], [2, 1, 9, 9], 3, 5.0)[1] == [0, 1, 9, 8]
    assert gathered([[0, 1, 2], [0, 3]], [2, 1], [2, 1, 9, 9], 3, 6.0)[1] == [0, 0, 7, 8]
