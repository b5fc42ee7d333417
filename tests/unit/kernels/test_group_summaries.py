"""What groups of records hold: by hand, and against lists."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from antifaz.kernels.group_summaries import (
    covering_levels,
    group_ends,
    group_members,
    group_middles,
    group_modes,
    group_sets,
    merge_groups,
    number_keys,
    number_lists,
)


def ints(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def codes(*values: int) -> np.ndarray:
    return np.array(values, np.int32)


def test_the_ends_of_a_group_are_its_least_and_greatest_known_rank() -> None:
    low, high, some = np.full(4, 3, np.int32), np.full(4, -1, np.int32), np.zeros(4, np.bool_)
    # Codes 0 … 3 have ranks 2, 0, 1 and, unknown, 3. Group 2 has only what is unknown, group 3 has nobody.
    group_ends(ints(0, 1, 0, -1, 2, 1, 0), codes(0, 1, 2, 1, 3, 3, 0), codes(2, 0, 1, 3), 3, low, high, some)
    assert low.tolist() == [1, 0, 3, 3]
    assert high.tolist() == [2, 0, -1, -1]
    assert some.tolist() == [False, True, True, False]


def test_the_last_record_of_all_counts_at_both_ends() -> None:
    for rank, expected in ((0, (0, 2, False)), (4, (2, 4, False)), (5, (2, 2, True))):
        low, high, some = np.full(1, 5, np.int32), np.full(1, -1, np.int32), np.zeros(1, np.bool_)
        group_ends(ints(0, 0), codes(2, rank), codes(0, 1, 2, 3, 4, 5), 5, low, high, some)
        assert (low[0], high[0], some[0]) == expected


def test_the_codes_of_a_group_are_its_bits() -> None:
    sets = np.zeros(4, np.int64)
    # Group 2 has the last code that there may be, group 3 has nobody; who is in no group counts for none.
    group_sets(ints(0, 1, 0, -1, 2, 0), codes(0, 1, 2, 5, 62, 0), sets)
    assert sets.tolist() == [0b101, 0b10, 1 << 62, 0]


def members(groups: np.ndarray, given: np.ndarray, order: np.ndarray, many: int) -> list[list[tuple[int, int]]]:
    sizes = np.bincount(groups[groups >= 0], minlength=many)
    offsets = np.concatenate([[0], sizes]).astype(np.int64)
    work, out, counts = (np.full(sizes.sum(), -9, np.int32) for _ in range(3))
    group_members(groups, given, order, offsets, work, out, counts)
    found = list(zip(out.tolist(), counts.tolist(), strict=True))
    return [found[offsets[g] : offsets[g + 1]] for g in range(many)]


def test_the_codes_of_a_group_come_in_the_given_order_with_their_counts() -> None:
    groups, given = ints(1, 0, 1, -1, 1, 0, 1), codes(0, 2, 1, 2, 0, 2, 2)
    assert members(groups, given, codes(0, 1, 2), 3) == [[(2, 2)], [(0, 2), (1, 1), (2, 1)], []]
    assert members(groups, given, codes(2, 0, 1), 3) == [[(2, 2)], [(2, 1), (0, 2), (1, 1)], []]


def test_the_codes_of_many_groups_are_those_of_their_lists() -> None:
    random = np.random.default_rng(2)
    groups, given = random.integers(-1, 6, 200), random.integers(0, 5, 200).astype(np.int32)
    found = members(groups, given, codes(3, 1, 4, 0, 2), 6)
    for g in range(6):
        expected = Counter(given[groups == g].tolist())
        assert found[g] == [(code, expected[code]) for code in (3, 1, 4, 0, 2) if expected[code]]


def numbered(keys: np.ndarray, slots: int) -> tuple[list[int], list[int]]:
    firsts, into = np.full(keys.size, -9), np.full(keys.size, -9)
    many = number_keys(keys, np.empty(slots, np.int32), firsts, into)
    return firsts[:many].tolist(), into.tolist()


def test_keys_are_numbered_as_they_first_occur() -> None:
    assert numbered(ints(7, 5, 7, -1, 5, 0), 16) == ([0, 1, 3, 5], [0, 1, 0, 2, 1, 3])
    many = np.repeat(np.arange(30) << 40, 2)
    assert numbered(many, 32) == (list(range(0, 60, 2)), [i // 2 for i in range(60)])


def lists(given: list[list[int]], slots: int = 32) -> tuple[list[int], list[int]]:
    offsets = np.concatenate([[0], np.cumsum([len(each) for each in given])]).astype(np.int64)
    firsts, into = np.full(len(given), -9), np.full(len(given), -9)
    flat = np.array([code for each in given for code in each], np.int32)
    many = number_lists(offsets, flat, np.empty(slots, np.int32), firsts, into)
    return firsts[:many].tolist(), into.tolist()


def test_lists_are_the_same_only_if_all_of_their_codes_are() -> None:
    given = [[0, 1], [0], [0, 1], [], [1, 0], [0], [0, 1, 2], [], [0, 2]]
    assert lists(given) == ([0, 1, 3, 4, 6, 8], [0, 1, 0, 2, 3, 1, 4, 2, 5])
    # As many lists as slots but one, so that each is compared with others that begin alike.
    many = [[0] * n for n in range(15)] * 2
    assert lists(many, 16) == (list(range(15)), [*range(15)] * 2)
    alike = [[1, 2, n] for n in range(15)] * 2
    assert lists(alike, 16) == (list(range(15)), [*range(15)] * 2)


def test_a_group_rises_until_all_of_its_codes_are_one() -> None:
    up = np.array([[0, 1, 2, 3], [0, 0, 1, 1], [0, 0, 0, 1]], np.int32)
    out = np.full(5, -9)
    covering_levels(ints(0, 1, 3, 5, 7, 10), codes(2, 0, 1, 1, 2, 0, 3, 2, 3, 2), up, out)
    assert out.tolist() == [0, 1, 2, 3, 1]


def test_the_most_frequent_code_is_the_least_of_several() -> None:
    out, alone = np.full(5, -9), np.zeros(5, np.bool_)
    given, counts = codes(4, 2, 3, 1, 0, 5, 6, 7), codes(1, 3, 3, 2, 2, 1, 1, 2)
    group_modes(ints(0, 3, 4, 6, 8, 8), given, counts, out, alone)
    assert out.tolist() == [2, 1, 0, 7, -1]
    assert alone.tolist() == [False, True, True, True, True]


def test_codes_that_occur_once_are_the_most_frequent_where_none_occurs_twice() -> None:
    out, alone = np.full(2, -9), np.zeros(2, np.bool_)
    group_modes(ints(0, 1, 3), codes(4, 3, 2), codes(1, 1, 1), out, alone)
    assert (out.tolist(), alone.tolist()) == ([4, 2], [True, False])


SCALE = np.array([10.0, 20.0, 40.0, np.nan])


@pytest.mark.parametrize(
    ("given", "mean", "median"),
    [
        ({0: 1}, 10.0, 10.0),
        ({0: 1, 1: 1}, 15.0, 15.0),
        ({0: 1, 2: 2}, 30.0, 40.0),
        ({0: 2, 2: 2}, 25.0, 25.0),
        ({0: 2, 1: 1, 2: 1}, 20.0, 15.0),
        ({0: 1, 1: 2, 2: 1}, 22.5, 20.0),
        ({0: 3, 1: 1}, 12.5, 10.0),
        ({1: 1, 2: 3, 3: 9}, 35.0, 40.0),
        ({3: 2}, np.nan, np.nan),
    ],
)
def test_the_middle_of_a_group_leaves_out_what_is_unknown(given: dict[int, int], mean: float, median: float) -> None:
    # A group before it, so that it does not begin at 0.
    offsets, held = ints(0, 1, 1 + len(given)), codes(1, *given)
    counts = codes(1, *given.values())
    for wanted, expected in ((True, mean), (False, median)):
        out = np.full(2, -9.0)
        group_middles(offsets, held, counts, SCALE, wanted, out)
        np.testing.assert_equal(out, [20.0, expected])


def test_groups_that_are_alike_are_merged_in_the_order_in_which_they_occur() -> None:
    out, one_of = np.full(6, -9), np.full(3, -9)
    # Groups 0 and 2 are alike, so are 1 and 3.
    many = merge_groups(ints(3, 2, -1, 0, 1, 3), ints(1, 0, 1, 0), np.full(2, -1), out, one_of)
    assert many == 2
    assert out.tolist() == [0, 1, -1, 1, 0, 0]
    assert one_of[:2].tolist() == [3, 0]
