"""Counting the different combinations of columns in a bitmap, or until enough repeat."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from antifaz.kernels.sketches import _block_keys, _spread, estimated_distinct, next_combination, repeats

WIDE = 2**64


@pytest.mark.parametrize("key", [1, 2**32, 2**40 + 77, 2**64 - 1])
def test_the_bits_of_a_combination_are_spread(key: int) -> None:
    mixed = (key ^ key >> 32) * 0x9E3779B97F4A7C15 % WIDE
    mixed = (mixed ^ mixed >> 29) * 0xBF58476D1CE4E5B9 % WIDE
    assert int(_spread(np.uint64(key))) == mixed ^ mixed >> 32


def test_keys_are_made_block_by_block() -> None:
    codes = np.arange(3 * 2050, dtype=np.int32).reshape(3, 2050)
    keys = np.full(2048, 99, np.uint64)
    chosen, factors = np.array([2, 0]), np.array([10, 1], np.uint64)
    assert _block_keys(codes, chosen, factors, 0, keys) == 2048
    assert keys[[0, 1, 2047]].tolist() == [41000, 41011, 10 * 6147 + 2047]
    assert _block_keys(codes, chosen, factors, 2048, keys) == 2
    assert keys[:3].tolist() == [10 * 6148 + 2048, 10 * 6149 + 2049, 41022]


def test_the_estimate_is_that_of_linear_counting() -> None:
    codes = np.array([[0, 1, 2, 0, 1], [0, 0, 0, 0, 1]], np.int32)
    factors, bits = np.array([1, 3], np.uint64), np.full(2, 7, np.uint64)
    # Four different combinations in 128 bits, none of which share a bit here.
    found = estimated_distinct(codes, np.array([0, 1]), factors, bits)
    assert sum(int(word).bit_count() for word in bits) == 4
    assert found == pytest.approx(-128 * np.log(1 - 4 / 128))
    places = {int(_spread(np.uint64(key))) % 128 for key in (0, 1, 2, 4)}
    assert {w * 64 + b for w in range(2) for b in range(64) if int(bits[w]) >> b & 1} == places


def test_all_blocks_of_a_long_table_are_estimated() -> None:
    codes = np.arange(5000, dtype=np.int32).reshape(1, -1)
    found = estimated_distinct(codes, np.zeros(1, np.int64), np.ones(1, np.uint64), np.zeros(1024, np.uint64))
    assert found == pytest.approx(5000, rel=0.02)


def test_a_full_bitmap_tells_nothing() -> None:
    codes = np.arange(3000, dtype=np.int32).reshape(1, -1)
    assert estimated_distinct(codes, np.zeros(1, np.int64), np.ones(1, np.uint64), np.zeros(1, np.uint64)) == np.inf


def repeated(column: list[int], allowed: int, doubt: float = np.inf, slots: int = 8192) -> tuple[int, int, bool]:
    codes = np.array([column], np.int32)
    found = repeats(codes, np.zeros(1, np.int64), np.ones(1, np.uint64), allowed, doubt, np.full(slots, 5, np.uint64))
    return int(found[0]), int(found[1]), bool(found[2])


def test_records_that_repeat_an_earlier_one_are_counted_zero_too() -> None:
    assert repeated([0, 1, 0, 2, 1, 1, 0], 7) == (4, 7, False)
    assert repeated([0, 1, 0, 2, 1, 1, 0], 4) == (4, 7, False)
    assert repeated([0, 1, 0, 2, 1, 1, 0], 3) == (4, 7, True)
    assert repeated([3, 4, 5], 0) == (0, 3, False)


def test_reading_ends_when_it_is_known_that_too_many_repeat() -> None:
    column = [1] * 3000
    assert repeated(column, 2000) == (2047, 2048, True)
    assert repeated(column, 2500) == (2999, 3000, True)
    # By chance: where nearly all may repeat, all that were read do; with doubt, one would read on.
    assert repeated(column, 2990, 0.0) == (2047, 2048, True)
    assert repeated([*range(1, 2049), *[1] * 952], 960, 500.0) == (952, 3000, False)
    # As many as are allowed are not too many.
    assert repeated([3, 4, 5], 0, 0.0) == (0, 3, False)


def test_a_workspace_that_fills_up_is_said_to_be_too_small() -> None:
    column = list(range(1, 5001))
    assert repeated(column, 5000, slots=4096) == (-1, 2048, False)
    # Three quarters of 8192 take three blocks of 2048: after the first two nothing more might fit.
    assert repeated(column, 5000, slots=8192) == (0, 5000, False)
    assert repeated([*range(1, 2049)], 5000, slots=4096) == (0, 2048, False)


@pytest.mark.parametrize("wanted", [0, 5, 6, 11, 12, 24, 41, 1000])
def test_combinations_that_may_have_enough_tuples_come_in_order(wanted: float) -> None:
    sizes, many = np.array([2.0, 3.0, 4.0, 1.0, 5.0, 2.0]), 3
    best = np.ones((7, many + 1))
    for c in range(7):
        for n in range(1, many + 1):
            left = sorted(sizes[c:], reverse=True)[:n]
            best[c, n] = np.prod(left) if len(left) == n else 0.0
    place, first, found = np.zeros(many, np.int64), True, []
    while next_combination(place, first, sizes, best, wanted, 10_000) > 0:
        found.append(tuple(place.tolist()))
        first = False
    expected = [each for each in combinations(range(6), many) if np.prod(sizes[list(each)]) >= wanted]
    assert found == expected


def test_steps_that_do_not_suffice_are_said() -> None:
    sizes, best = np.full(4, 2.0), np.full((5, 3), 8.0)
    place = np.zeros(2, np.int64)
    assert next_combination(place, True, sizes, best, 1, 2) == -1
    assert next_combination(place, True, sizes, best, 1, 3) == 1
    assert place.tolist() == [0, 1]
    assert next_combination(place, False, sizes, best, 1, 10) == 9
    assert place.tolist() == [0, 2]
