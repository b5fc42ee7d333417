"""Local suppression where a blank matches anything, against the definition in plain Python."""

from __future__ import annotations

import numpy as np
import pytest

from antifaz.kernels.match_blanking import (
    _best_set,
    _differences,
    _sum_within,
    _union_set,
    blank_matching,
    count_matching,
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


def matching(codes: list[list[int]], counts: list[int]) -> tuple[list[int], list[float]]:
    given, own = np.array(codes, np.int32), np.array(counts, np.int64)
    found, weighed = own.copy(), own * 0.5
    blank = np.flatnonzero((given < 0).any(axis=1))
    count_matching(given, blank, own, own * 0.5, found, weighed)
    return found.tolist(), weighed.tolist()


def test_a_blank_matches_anything_both_ways() -> None:
    found, weighed = matching([[0, 0], [0, 1], [-1, 1], [1, -1]], [1, 2, 4, 8])
    # (-, 1) matches (0, 1) and (1, -); (1, -) matches (-, 1) only.
    assert found == [1, 2 + 4, 4 + 2 + 8, 8 + 4]
    assert weighed == [0.5, 3.0, 7.0, 6.0]


def test_a_key_of_blanks_matches_all_and_code_zero_is_no_blank() -> None:
    assert matching([[-1, -1], [0, 5], [5, 0]], [1, 2, 4])[0] == [7, 3, 5]
    assert matching([[0, -1], [1, -1], [0, 7]], [1, 2, 4])[0] == [5, 2, 5]
    assert matching([[-1, 3], [-1, 4]], [1, 2])[0] == [1, 2]
