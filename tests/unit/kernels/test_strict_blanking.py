"""Local suppression where a blank is a value of its own, against the definition in plain Python."""

from __future__ import annotations

import numpy as np
import pytest

from antifaz.kernels.strict_blanking import _cost, gather

RARE = np.array([True, True, False, False])


def ints(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


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
