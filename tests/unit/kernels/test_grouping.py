"""Grouping packed keys: by hand, and against a dictionary."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from antifaz.kernels import grouping
from antifaz.kernels.grouping import (
    _mix,
    group_keys,
    kept_marginals,
    locate_keys,
    order_cells,
    raise_codes,
    repack,
    roll_up,
    roll_up_one,
)

WIDE = 2**64


def keys(*rows: tuple[int, ...]) -> np.ndarray:
    return np.array(rows, np.uint64)


def slots(many: int = 16) -> np.ndarray:
    return np.empty(many, np.int32)


def grouped(given: np.ndarray, counts: list[int], many: int = 16) -> tuple[list[tuple[int, ...]], list[int], list[int]]:
    out, sums, into = np.zeros_like(given), np.zeros(len(given), np.int64), np.full(len(given), -9, np.int64)
    groups = group_keys(given, np.array(counts, np.int64), slots(many), out, sums, into)
    return [tuple(row) for row in out[:groups].tolist()], sums[:groups].tolist(), into.tolist()


def test_equal_keys_are_one_group_and_groups_come_in_the_order_of_their_first() -> None:
    found = grouped(keys((5,), (7,), (5,), (9,), (7,)), [1, 2, 3, 4, 5])
    assert found == ([(5,), (7,), (9,)], [4, 7, 4], [0, 1, 0, 2, 1])


def test_keys_of_several_words_are_equal_only_in_all_of_them() -> None:
    given = keys((1, 1, 1), (1, 1, 2), (1, 2, 1), (2, 1, 1), (1, 1, 2), (1, 1, 1))
    found = grouped(given, [1, 2, 4, 8, 16, 32])
    assert found == ([(1, 1, 1), (1, 1, 2), (1, 2, 1), (2, 1, 1)], [33, 18, 4, 8], [0, 1, 2, 3, 1, 0])


@pytest.mark.parametrize("words", [1, 2])
def test_many_keys_in_few_slots_are_grouped_as_a_dictionary_would(words: int) -> None:
    random = np.random.default_rng(3)
    given = random.integers(0, 4, (64, words)).astype(np.uint64) << np.uint64(40)
    counts = random.integers(1, 9, 64).tolist()
    expected: Counter[tuple[int, ...]] = Counter()
    for row, count in zip(given.tolist(), counts, strict=True):
        expected[tuple(row)] += count
    # As few slots as there are groups and one more: nearly every search goes past others, and around the end.
    found, sums, into = grouped(given, counts, 32)
    assert dict(zip(found, sums, strict=True)) == expected
    assert [found[group] for group in into] == [tuple(row) for row in given.tolist()]


def test_the_output_may_be_the_input() -> None:
    given, counts, into = keys((3,), (4,), (3,)), np.array([1, 2, 4], np.int64), np.empty(3, np.int64)
    assert group_keys(given, counts, slots(), given, counts, into) == 2
    assert (given[:2].tolist(), counts[:2].tolist()) == ([[3], [4]], [5, 2])


@pytest.mark.parametrize("key", [1, 2**32 - 1, 2**32, 5 << 40 | 3, 2**64 - 1])
def test_the_bits_of_a_key_are_spread(key: int) -> None:
    assert int(_mix(np.uint64(key))) == (key ^ key >> 32) * 0x9E3779B97F4A7C15 % WIDE >> 32


def located(table: np.ndarray, wanted: np.ndarray, clear: np.ndarray, many: int = 16) -> list[int]:
    out = np.full(len(wanted), -9, np.int64)
    locate_keys(table, wanted, clear, slots(many), out)
    return out.tolist()


def test_keys_are_found_in_a_table_or_not() -> None:
    table = keys((8,), (16,), (24,))
    assert located(table, keys((24,), (8,), (32,), (16,), (0,)), keys((0,))) == [2, 0, -1, 1, -1]


def test_the_bits_to_clear_do_not_count() -> None:
    assert located(keys((8,), (16,)), keys((9,), (23,), (24,)), keys((7,))) == [0, 1, -1]
    table = keys((1, 4), (1, 8), (2, 4))
    assert located(table, keys((3, 4), (1, 12), (0, 4), (1, 8)), keys((2, 4))) == [-1, 1, -1, 1]


def test_a_key_is_found_where_the_table_nearly_fills_its_slots() -> None:
    table = (np.arange(15, dtype=np.uint64) << np.uint64(33)).reshape(-1, 1)
    assert located(table, table[::-1].copy(), keys((0,))) == list(range(14, -1, -1))
    both = np.concatenate([table, table + np.uint64(1)], axis=1)
    assert located(both, both, keys((0, 0))) == list(range(15))
    assert located(both, table.repeat(2, axis=1), keys((0, 0))) == [-1] * 15


#: Two fields in one word: two bits from bit 0 on, three from bit 4 on; above them bit 9 stays as it is.
SHIFTS, FIELDS = np.array([0, 4], np.uint64), np.array([3, 7], np.uint64)
#: The first field's codes become 0, 0, 1, 1; the second's 2, 2, 1, 1, 0.
FIRST = np.array([0, 0, 1, 1], np.uint64)
SECOND = np.array([2, 2, 1, 1, 0], np.uint64) << np.uint64(4)


def key(first: int, second: int, rest: int = 0) -> int:
    return first | second << 4 | rest << 9


GIVEN = np.array([key(0, 0), key(1, 1), key(2, 0), key(0, 4), key(1, 0, 1), key(3, 1), key(0, 1, 1)], np.uint64)
COUNTS = np.array([1, 2, 4, 8, 16, 32, 64], np.int64)


def all_but(shifts: np.ndarray, fields: np.ndarray) -> np.uint64:
    return ~np.bitwise_or.reduce(fields << shifts, initial=np.uint64(0))


def rolled(
    roll: Any, shifts: np.ndarray, fields: np.ndarray, starts: list[int], up: np.ndarray, clear: int = 0
) -> dict[int, int]:
    out, sums = np.zeros(7, np.uint64), np.zeros(7, np.int64)
    stays = all_but(shifts, fields) & ~np.uint64(clear)
    many = roll(GIVEN, COUNTS, stays, shifts, fields, np.array(starts, np.int64), up, slots(), out, sums)
    assert len(set(out[:many].tolist())) == many
    return dict(zip(out[:many].tolist(), sums[:many].tolist(), strict=True))


def test_codes_rise_in_all_fields_named_and_what_becomes_equal_is_added_up() -> None:
    found = rolled(roll_up, SHIFTS, FIELDS, [0, 4], np.concatenate([FIRST, SECOND]))
    assert found == {key(0, 2): 3, key(1, 2): 36, key(0, 0): 8, key(0, 2, 1): 80}


def test_one_field_rises_in_the_same_way() -> None:
    expected = {key(0, 2): 1, key(1, 2): 2, key(2, 2): 4, key(0, 0): 8, key(1, 2, 1): 16, key(3, 2): 32}
    expected[key(0, 2, 1)] = 64
    for roll in (roll_up, roll_up_one):
        assert rolled(roll, SHIFTS[1:], FIELDS[1:], [0], SECOND) == expected
    only_first = {key(0, 0): 1, key(0, 1): 2, key(1, 0): 4, key(0, 4): 8, key(0, 0, 1): 16, key(1, 1): 32}
    only_first[key(0, 1, 1)] = 64
    for roll in (roll_up, roll_up_one):
        assert rolled(roll, SHIFTS[:1], FIELDS[:1], [0], FIRST) == only_first


@pytest.mark.parametrize("roll", [roll_up, roll_up_one, grouping._roll_up])
def test_what_neither_stays_nor_rises_becomes_zero(roll: Any) -> None:
    # The first field and the bit above both become 0, the second rises.
    expected = {key(0, 2): 119, key(0, 0): 8}
    assert rolled(roll, SHIFTS[1:], FIELDS[1:], [0], SECOND, clear=key(3, 0, 1)) == expected


@pytest.mark.parametrize("roll", [roll_up, grouping._roll_up])
def test_no_field_need_rise(roll: Any) -> None:
    # The first field becomes 0, the others stay.
    expected = {key(0, 0): 5, key(0, 1): 34, key(0, 4): 8, key(0, 0, 1): 16, key(0, 1, 1): 64}
    assert rolled(roll, SHIFTS[:0], FIELDS[:0], [], SECOND[:0], clear=3) == expected


@pytest.mark.parametrize("roll", [roll_up, roll_up_one])
def test_many_keys_that_rise_are_grouped_as_a_dictionary_would(roll: Any) -> None:
    up = np.arange(64, dtype=np.uint64) // np.uint64(4) << np.uint64(36)
    given = np.arange(64, dtype=np.uint64) << np.uint64(36) | np.uint64(1)
    out, sums, field = np.zeros(64, np.uint64), np.zeros(64, np.int64), np.array([63], np.uint64)
    shift, start = np.array([36], np.uint64), np.zeros(1, np.int64)
    many = roll(given, np.arange(64), all_but(shift, field), shift, field, start, up, slots(32), out, sums)
    assert out[:many].tolist() == [group << 36 | 1 for group in range(16)]
    assert sums[:many].tolist() == [16 * group + 6 for group in range(16)]


def test_codes_rise_in_keys_of_several_words() -> None:
    given = np.array([[key(2, 1, 1), 5], [key(1, 4), 6]], np.uint64)
    out = np.zeros_like(given)
    # The first field of word 0, and the second word's own first field.
    words, starts = np.array([0, 1], np.int64), np.array([0, 4], np.int64)
    up = np.concatenate([FIRST, np.array([3, 2, 1, 0], np.uint64)])
    raise_codes(given, words, np.array([0, 0], np.uint64), np.array([3, 3], np.uint64), starts, up, out)
    assert out.tolist() == [[key(1, 1, 1), 4 | 2], [key(0, 4), 4 | 1]]


def test_codes_rise_in_fields_that_do_not_begin_at_bit_zero() -> None:
    given = np.array([[7, key(2, 1, 1)], [7, key(1, 4)]], np.uint64)
    out = np.zeros_like(given)
    raise_codes(given, np.array([1]), SHIFTS[1:], FIELDS[1:], np.zeros(1, np.int64), SECOND, out)
    assert out.tolist() == [[7, key(2, 2, 1)], [7, key(1, 0)]]


def test_a_single_key_of_several_words_keeps_those_that_do_not_rise() -> None:
    given, out = keys((1, 6, 7)), keys((9, 9, 9))
    step = np.array([0, 0, 0, 2], np.uint64)
    raise_codes(
        given, np.array([2]), np.zeros(1, np.uint64), np.array([3], np.uint64), np.zeros(1, np.int64), step, out
    )
    assert out.tolist() == [[1, 6, 6]]


def test_an_attribute_is_written_into_its_field_beside_the_others() -> None:
    out = np.array([[0, 1], [0, 2], [0, 4]], np.uint64)
    repack(np.array([0, 2, 1], np.int32), np.array([3, 0, 1], np.int32), 1, 8, out)
    assert out.tolist() == [[0, 3 << 8 | 1], [0, 1 << 8 | 2], [0, 4]]


def test_kept_records_are_counted_per_attribute_and_code() -> None:
    # Two attributes in two words: two bits from bit 4 of word 0, two bits from bit 0 of word 1.
    keys = np.array([[0 << 4 | 1, 2], [3 << 4, 1], [2 << 4, 1], [3 << 4, 2]], np.uint64)
    out = np.zeros(7, np.int64)
    kept_marginals(
        keys, np.array([1, 2, 4, 8]), np.array([True, True, False, True]), np.array([0, 1]),
        np.array([4, 0], np.uint64), np.array([3, 3], np.uint64), np.array([0, 4]), out,
    )  # fmt: skip
    assert out.tolist() == [1, 0, 0, 10, 0, 2, 9]


def test_cells_of_one_class_come_to_stand_together_in_their_order() -> None:
    out = np.full(5, -9, np.int64)
    offsets = np.array([0, 2, 2, 5], np.int64)
    order_cells(np.array([2, 0, 2, 0, 2]), offsets, out)
    assert out.tolist() == [1, 3, 0, 2, 4]
    assert offsets.tolist() == [0, 2, 2, 5]


# -- fallbacks


@pytest.mark.parametrize("words", [1, 3])
@pytest.mark.parametrize("rows", [0, 1, 50])
def test_fallbacks_group_and_locate_as_the_kernels_do(rows: int, words: int) -> None:
    random = np.random.default_rng(rows)
    given = random.integers(0, 3, (rows, words)).astype(np.uint64) << np.uint64(62)
    counts, others = random.integers(1, 9, rows), random.integers(0, 4, (20, words)).astype(np.uint64) << np.uint64(62)
    results = []
    for group, locate in ((group_keys, locate_keys), (grouping._group_keys, grouping._locate_keys)):
        out, sums, into = np.zeros_like(given), np.zeros(rows, np.int64), np.zeros(rows, np.int64)
        groups = group(given, counts, slots(128), out, sums, into)
        found = np.zeros(20, np.int64)
        locate(out[:groups], others | np.uint64(5), np.full((1, words), 7, np.uint64), slots(128), found)
        results.append((groups, out[:groups].tolist(), sums[:groups].tolist(), into.tolist(), found.tolist()))
    assert results[0] == results[1]


def test_a_fallback_may_write_over_what_it_reads() -> None:
    given, counts, into = keys((5,), (7,), (5,), (9,)), np.array([1, 2, 3, 4]), np.zeros(4, np.int64)
    assert grouping._group_keys(given, counts, slots(), given, counts, into) == 3
    assert (given[:3].tolist(), counts[:3].tolist(), into.tolist()) == ([[5], [7], [9]], [4, 2, 4], [0, 1, 0, 2])


@pytest.mark.parametrize("kernel", [roll_up, roll_up_one])
def test_fallbacks_roll_up_as_the_kernels_do(kernel: Any) -> None:
    random = np.random.default_rng(4)
    given, counts = random.integers(0, 256, 60).astype(np.uint64), random.integers(1, 5, 60)
    many = 1 if kernel is roll_up_one else 2
    shifts, fields = np.array([4, 0], np.uint64)[:many], np.array([15, 15], np.uint64)[:many]
    starts = np.array([0, 16])[:many]
    upward = np.concatenate([np.arange(16) // 4 << 4, np.arange(16) // 8]).astype(np.uint64)[: 16 * many]
    results = []
    for roll in (kernel, grouping._roll_up):
        out, sums = np.zeros(60, np.uint64), np.zeros(60, np.int64)
        stays = all_but(shifts, fields)
        groups = roll(given, counts, stays, shifts, fields, starts, upward, slots(128), out, sums)
        results.append((groups, out[:groups].tolist(), sums[:groups].tolist()))
    assert results[0] == results[1]


def test_the_other_fallbacks_write_what_the_kernels_do() -> None:
    random = np.random.default_rng(6)
    codes, upward = random.integers(0, 9, 40).astype(np.int32), random.integers(0, 4, 9).astype(np.int32)
    given, counts = random.integers(0, 2**16, (40, 2)).astype(np.uint64), random.integers(1, 5, 40)
    word, shift, field = np.array([0, 1]), np.array([3, 8], np.uint64), np.array([7, 15], np.uint64)
    table, starts = random.integers(0, 2, 24).astype(np.uint64), np.array([0, 8])
    classes = random.integers(0, 5, 40)
    offsets = np.concatenate([[0], np.cumsum(np.bincount(classes, minlength=5))])
    for kernel, fallback, args, out in [
        (repack, grouping._repack, (codes, upward, 1, 60), np.zeros((40, 2), np.uint64)),
        (raise_codes, grouping._raise_codes, (given, word, shift, field, starts, table), np.zeros((40, 2), np.uint64)),
        (kept_marginals, grouping._kept_marginals, (given, counts, counts > 2, word, shift, field, starts),
         np.zeros(24, np.int64)),
        (order_cells, grouping._order_cells, (classes, offsets), np.zeros(40, np.int64)),
    ]:  # fmt: skip
        again = out.copy()
        kernel(*args, out)
        fallback(*args, again)
        np.testing.assert_array_equal(again, out)
        assert out.any()
