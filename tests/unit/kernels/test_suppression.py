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
    # What is enough without any blank is not looked beyond.
    assert best(ints(3, 2, 2, 5), ints(9, 2, 2, 9), 3, masks) == 0
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
    # As many attributes as fit a mask.
    assert _union_set(ints(1, 1), 2, ints(0, 2**63 - 1)) == 2**63 - 1


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


#: All sets of three attributes, smaller ones first.
THREE = sorted(range(8), key=lambda s: (s.bit_count(), s))


def agreeing(table: list[list[int]], t: int, without: int = 0) -> list[int]:
    """Which tuples match a tuple, were the attributes of a set blank."""
    return [
        u
        for u, row in enumerate(table)
        if all(x == y or x < 0 or y < 0 or without >> a & 1 for a, (x, y) in enumerate(zip(row, table[t], strict=True)))
    ]


def plain_blanking(table: list[list[int]], counts: list[int], k: int, order: list[int]) -> None:
    def matched(t: int) -> int:
        return sum(counts[u] for u in agreeing(table, t))

    for t in order:
        if matched(t) >= k:
            continue
        enough = [s for s in THREE if sum(counts[u] for u in agreeing(table, t, s)) >= k]
        chosen = 7
        if enough:
            few = [s for s in enough if s.bit_count() == enough[0].bit_count()]
            needy = [u for u in range(len(table)) if matched(u) < k]
            chosen = max(few, key=lambda s: sum(counts[u] for u in agreeing(table, t, s) if u in needy))
        table[t] = [-1 if chosen >> a & 1 else x for a, x in enumerate(table[t])]


@pytest.mark.parametrize("seed", range(6))
def test_blanking_is_as_the_definition_says_and_what_is_not_needed_comes_back(seed: int) -> None:
    random = np.random.default_rng(seed)
    table = np.unique(random.integers(0, 3, (9, 3)), axis=0).astype(np.int32)
    counts, original = random.integers(1, 3, len(table)), table.copy()
    order, expected = random.permutation(len(table)), table.tolist()
    plain_blanking(expected, counts.tolist(), 4, order.tolist())
    found, size = found_in(table, counts), ints(*(s.bit_count() for s in THREE))
    blank_matching(table, counts, found, 4, order, ints(*THREE), size, False)
    assert table.tolist() == expected
    assert found.tolist() == found_in(table, counts).tolist()
    first, records = random.permutation(3), 0
    for t in order.tolist():
        for a in first.tolist():
            if expected[t][a] < 0:
                before = [agreeing(expected, u) for u in range(len(table))]
                expected[t][a] = int(original[t, a])
                after = [agreeing(expected, u) for u in range(len(table))]
                changed = [u for u in range(len(table)) if u == t or before[u] != after[u]]
                if min(sum(counts[v] for v in after[u]) for u in changed) < 4:
                    expected[t][a] = -1
                else:
                    records += int(counts[t])
    assert restore_matching(table, original, counts, found, 4, order, first) == records
    assert table.tolist() == expected
    assert found.tolist() == found_in(table, counts).tolist()


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
    # Who has just k lends nothing, and where nothing is missing nobody does.
    assert gathered([[0, 2, 3]], [1], [1, 0, 3, 9], 3) == ([(0, 5, 1), (3, 5, 2)], [0, 0, 3, 7], 6)
    assert gathered([[0, 1, 2]], [1], [2, 1, 9, 9], 3) == ([(0, 5, 2), (1, 5, 1)], [0, 0, 9, 9], 6)
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


def test_one_that_is_put_back_comes_after_those_of_the_same_cost() -> None:
    # Tuples 0, 1 and 4 are rare. The second gathering takes tuple 0; the third then costs as much as the first.
    rare = np.array([True, True, False, False, True])
    members, starts, left = ints(4, 3, 0, 0, 1, 2), ints(0, 2, 3, 6), ints(3, 1, 9, 9, 1)
    out = [np.full(20, -9) for _ in range(3)]
    lines = gather(members, starts, ints(1, 1, 1), rare, 3, 10.0, 4.0, left, ints(5), *out)
    written = list(zip(*(column[:lines].tolist() for column in out), strict=True))
    assert written == [(0, 5, 3), (4, 6, 1), (3, 6, 2), (1, 7, 1), (2, 7, 2)]


@pytest.mark.parametrize("last", [1, 2])
def test_all_that_are_put_back_are_taken_later_and_only_once(last: int) -> None:
    # Tuples 0 to 3 are rare; the first gathering takes 0 and 1. Then the second costs 1.5 cells, the third 3 or 1.5.
    rare = np.array([True, True, True, True, False, False])
    members, starts, left = ints(0, 1, 0, 2, 4, 0, 3, 5), ints(0, 2, 5, 8), ints(2, 1, 2, last, 9, 9)
    out = [np.full(20, -9) for _ in range(3)]
    lines = gather(members, starts, ints(1, 1, 1), rare, 3, 10.0, 4.0, left, ints(5), *out)
    written = list(zip(*(column[:lines].tolist() for column in out), strict=True))
    assert written == [(0, 5, 2), (1, 5, 1), (2, 6, 2), (4, 6, 1), (3, 7, last), (5, 7, 3 - last)]


def test_all_of_the_same_cost_are_taken() -> None:
    assert gathered([[0], [1]], [1, 1], [3, 4, 9, 9], 3) == ([(0, 5, 3), (1, 6, 4)], [0, 0, 9, 9], 7)


def test_a_gathering_that_blanks_nothing_costs_nothing() -> None:
    assert gathered([[0, 1]], [0], [1, 2, 9, 9], 3) == ([(0, 5, 1), (1, 5, 2)], [0, 0, 9, 9], 6)


def test_one_that_now_costs_just_the_limit_waits_for_those_that_cost_less() -> None:
    # The second takes tuple 0 away; the first then costs 6 cells for tuple 1, and the third 3.
    written, _, _ = gathered([[0, 1, 2], [0, 3], [1, 3]], [2, 1, 1], [2, 1, 9, 9], 3, 6.0)
    assert written == [(0, 5, 2), (3, 5, 1), (1, 6, 1), (3, 6, 2)]


def plain_gathering(
    sets: list[list[int]], width: list[int], left: list[int], rare: list[bool], k: int, limit: float
) -> list[tuple[int, int, int]]:
    """Cheapest first, by quarters of a cell; who costs more by then waits at the end of those who cost as much."""

    def cost(e: int) -> float:
        few = sum(left[t] for t in sets[e] if rare[t])
        spare = sum(max(0, left[t] - k) for t in sets[e] if not rare[t])
        return width[e] * max(few, k) / few if few and few + spare >= k else np.inf

    waiting: list[list[int]] = [[] for _ in range(int(4 * limit) + 1)]
    for e in range(len(sets)):
        if cost(e) <= limit:
            waiting[int(4 * cost(e))].append(e)
    written, group = [], 0
    for place, line in enumerate(waiting):
        for e in line:  # it may grow at its end
            if cost(e) > limit:
                continue
            if int(4 * cost(e)) > place:
                waiting[int(4 * cost(e))].append(e)
                continue
            needed = k
            for t in sorted(sets[e], key=lambda t: not rare[t]):
                taken = left[t] if rare[t] else min(max(0, left[t] - k), max(0, needed))
                if taken:
                    written.append((t, group, taken))
                    left[t], needed = left[t] - taken, needed - taken
            group += 1
    return written


@pytest.mark.parametrize("seed", range(5))
def test_many_gatherings_are_taken_as_the_definition_says(seed: int) -> None:
    random = np.random.default_rng(seed)
    rare, left = [True] * 8 + [False] * 3, [*random.integers(1, 4, 8).tolist(), *random.integers(4, 9, 3).tolist()]
    sets = [random.permutation(11)[: random.integers(1, 5)].tolist() for _ in range(25)]
    width, remaining = random.integers(1, 4, 25), np.array(left)
    starts, out = np.concatenate([[0], np.cumsum([len(each) for each in sets])]), [np.full(90, -9) for _ in range(3)]
    members = np.array([t for each in sets for t in each])
    lines = gather(members, starts, width, np.array(rare), 4, 9.0, 4.0, remaining, ints(0), *out)
    expected = plain_gathering(sets, width.tolist(), left, rare, 4, 9.0)
    assert list(zip(*(column[:lines].tolist() for column in out), strict=True)) == expected
    assert remaining.tolist() == left
