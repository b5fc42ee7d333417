"""The frequency set, against a plain count."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from random import Random

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from antifaz.core.types import DataType
from antifaz.counting import frequencies
from antifaz.counting.frequencies import (
    FrequencySet,
    KeyLayout,
    Tuples,
    _in_order,
    bits,
    estimate_distinct,
    frequency_set,
    group_codes,
    layout,
    slots_for,
)
from oracles.counted import tuples_of

INTEGER = DataType.INTEGER

#: What is written, and under what it counts: answered by hand, not by the code under test.
TEXTS: dict[str | None, str | None] = {
    "é": "é",
    "e\u0301": "é",
    " é\t": "é",
    "E": "E",
    "e": "e",
    "1": "1",
    "1.0": "1.0",
    "01": "01",
    "NA": "NA",
    "": None,
    "  ": None,
    None: None,
}
NUMBERS: dict[str | None, str | None] = {
    "1": "1",
    "1.0": "1",
    "01": "1",
    "+1": "1",
    " 1 ": "1",
    "1e1": "10",
    "10": "10",
    "-0": "0",
    "0.50": "0.5",
    ".5": "0.5",
    "nan": "nan",
    "9007199254740993": "9007199254740993",
    "9007199254740992": "9007199254740992",
    "": None,
    None: None,
}
SENSES: dict[str | None, str | None] = {
    "Flu": "flu",
    " FLU ": "flu",
    "ﬂu": "flu",
    "straße": "strasse",
    "STRASSE": "strasse",
    "e\u0301": "é",
    "É": "é",
    "1": "1",
    "1.0": "1",
    "１": "1",
    "NA": "na",
    "": None,
    None: None,
}
ROWS = st.lists(st.tuples(*(st.sampled_from(list(pool)) for pool in (TEXTS, NUMBERS, SENSES))), min_size=0, max_size=40)


def counts(found: FrequencySet) -> list[tuple[tuple[str | None, ...], int]]:
    """Return each tuple by its labels, with its count."""
    labels = [domain.labels for domain in found.domains]
    keys = zip(*([labels[a][code] for code in codes] for a, codes in enumerate(found.codes)), strict=True)
    return list(zip(keys, found.counts.tolist(), strict=True))


@settings(deadline=None, max_examples=150)
@given(ROWS)
def test_tuples_and_cells_are_those_of_a_plain_count(drawn: list[tuple[str | None, ...]]) -> None:
    rows = [dict(zip(("text", "number", "s"), row, strict=True)) for row in drawn]
    found = frequency_set(tuples_of(rows, ("s", "number", "text")), ("text", "number"), ("s",), {"number": INTEGER})
    expected = Counter((TEXTS[text], NUMBERS[number]) for text, number, _ in drawn)
    counted = counts(found)
    assert len(counted) == len(expected)  # each tuple once
    assert dict(counted) == expected
    assert (found.rows, found.columns) == (len(rows), ("text", "number"))
    cells = found.cells["s"]
    seen = [
        (counted[tuple_][0], cells.domain.labels[value], count)
        for tuple_, value, count in zip(cells.tuples, cells.values, cells.counts.tolist(), strict=True)
    ]
    triples = Counter((TEXTS[text], NUMBERS[number], SENSES[s]) for text, number, s in drawn)
    assert {(*key, sense): count for key, sense, count in seen} == triples
    assert len(seen) == len(triples)
    totals = dict(zip(cells.domain.labels, cells.totals.tolist(), strict=True))
    assert totals == Counter(SENSES[s] for _, _, s in drawn)


@settings(deadline=None, max_examples=50)
@given(ROWS, st.randoms(use_true_random=False))
def test_the_order_of_rows_leaves_no_trace_in_the_codes(drawn: list[tuple[str | None, ...]], random: Random) -> None:
    names = ("text", "number", "s")
    rows = [dict(zip(names, row, strict=True)) for row in drawn]
    mixed = list(rows)
    random.shuffle(mixed)
    one, other = (frequency_set(tuples_of(r, names), names[:2], names[2:], {"number": INTEGER}) for r in (rows, mixed))
    assert [domain.labels for domain in one.domains] == [domain.labels for domain in other.domains]
    assert sorted(counts(one), key=str) == sorted(counts(other), key=str)


def test_spellings_of_a_number_are_one_value_only_in_a_numeric_column() -> None:
    rows: list[dict[str, str | None]] = [{"a": text} for text in ("1", "1.0", "01")]
    as_text = frequency_set(tuples_of(rows, ["a"]), ["a"])
    as_number = frequency_set(tuples_of(rows, ["a"]), ["a"], (), {"a": DataType.DECIMAL})
    assert sorted(counts(as_text)) == [(("01",), 1), (("1",), 1), (("1.0",), 1)]
    assert counts(as_number) == [(("1",), 3)]


def test_a_missing_value_is_a_value_of_its_own() -> None:
    rows: list[dict[str, str | None]] = [{"a": "x", "b": None}, {"a": "x", "b": ""}, {"a": "x", "b": "y"}]
    found = frequency_set(tuples_of(rows, ["a", "b"]), ["a", "b"])
    assert sorted(counts(found), key=str) == [(("x", "y"), 1), (("x", None), 2)]
    assert found.domains[1].size == 2
    assert found.domains[0].size == 1


@pytest.mark.parametrize("columns", [3, 14])
def test_many_tuples_group_as_a_plain_count(columns: int) -> None:
    # 14 columns of 100 values are 98 bits: two words.
    random = np.random.default_rng(5)
    codes = [random.integers(0, 100, 30_000, dtype=np.int32) for _ in range(columns)]
    codes = [np.concatenate([column, column[:10_000]]) for column in codes]
    weights = random.integers(1, 5, 40_000)
    first, into, found = group_codes(codes, [100] * columns, weights)
    expected: Counter[tuple[int, ...]] = Counter()
    keys = list(zip(*(column.tolist() for column in codes), strict=True))
    for key, weight in zip(keys, weights.tolist(), strict=True):
        expected[key] += weight
    assert {keys[i]: count for i, count in zip(first.tolist(), found.tolist(), strict=True)} == expected
    assert len(first) == len(expected)
    assert [keys[first[group]] for group in into.tolist()] == keys
    assert all(keys.index(keys[i]) == i for i in first[:100].tolist())


@pytest.mark.parametrize("size", [1, 2, 9, 300, 4000], ids=lambda size: f"{6 * (size - 1).bit_length()} bits")
def test_rows_that_are_sorted_are_those_of_a_plain_count(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one word, in a word and some bits, and in more than are sorted, with missing values and two spellings."""
    random = np.random.default_rng(size)
    values = (*(f"{v // 2:0{1 + v % 2}}" for v in range(2 * size)), None)
    codes = [random.integers(0, len(values), 500).astype(np.int32) for _ in range(6)]
    codes = [np.concatenate([column, column[:200]]) for column in codes]
    columns = tuple("abcdef")
    counted = Tuples(columns=columns, values=(values,) * 6, codes=tuple(codes), counts=np.ones(700, np.int64))
    rows = [tuple(values[code] for code in row) for row in zip(*codes, strict=True)]
    plain = Counter(tuple(None if v is None else str(int(v)) for v in row) for row in rows)
    hashed = frequency_set(counted, columns, types=dict.fromkeys(columns, INTEGER))
    monkeypatch.setattr(frequencies, "_MANY_ROWS", 1)
    found = frequency_set(counted, columns, types=dict.fromkeys(columns, INTEGER))
    assert dict(counts(found)) == plain
    assert counts(found) == counts(hashed)
    assert [codes.dtype for codes in (*found.codes, found.counts)] == [np.int32] * 6 + [np.int64]


@pytest.mark.parametrize("tuples", [3, 20_000, 100_000, 1_000_000, 10**12])
def test_what_is_distinct_is_estimated_from_some_rows(tuples: int) -> None:
    rows = np.random.default_rng(1).integers(0, tuples, 1_000_000)
    some = rows[::30]
    estimated = estimate_distinct(rows.size, some.size, np.unique(some).size)
    assert abs(estimated - np.unique(rows).size) <= 0.2 * np.unique(rows).size


def test_no_rows_and_no_columns() -> None:
    none = frequency_set(tuples_of([], ["a"]), ["a"])
    assert (none.rows, none.counts.size, none.domains[0].size) == (0, 0, 0)
    whole = frequency_set(Tuples(columns=(), values=(), codes=(), counts=np.array([7], np.int64)), [])
    assert (whole.rows, whole.counts.tolist()) == (7, [7])


@pytest.mark.parametrize("rows", [0, 1, 7, 8, 9, 64, 65, 1000])
def test_a_hash_table_is_at_most_half_full(rows: int) -> None:
    """Looking for a key that is not there ends at an empty slot, so there must be one near."""
    slots = slots_for(rows).size
    assert slots >= max(2 * rows, 16)
    assert slots & (slots - 1) == 0
    assert slots <= max(4 * rows, 16)


def fields(made: KeyLayout) -> list[tuple[int, int, int]]:
    """Return word, shift and width of every attribute."""
    widths = [int(mask).bit_length() for mask in made.field]
    return list(zip(made.word.tolist(), [int(shift) for shift in made.shift], widths, strict=True))


def test_bits_hold_all_codes_and_no_more() -> None:
    assert [bits(size) for size in (0, 1, 2, 3, 4, 5, 256, 257, 2**63, 2**64)] == [0, 0, 1, 2, 2, 3, 8, 9, 63, 64]


def test_one_word_holds_what_fits() -> None:
    made = layout([4, 9, 2])
    assert fields(made) == [(0, 0, 2), (0, 2, 4), (0, 6, 1)]
    assert (made.words, made.value_bits, made.value_mask.tolist()) == (1, 0, [[0]])


def test_the_sensitive_value_has_the_lowest_bits() -> None:
    made = layout([4, 9], values=5)
    assert fields(made) == [(0, 3, 2), (0, 5, 4)]
    assert (made.words, made.value_bits, made.value_mask.tolist()) == (1, 3, [[7]])


def test_exactly_sixty_four_bits_are_one_word() -> None:
    made = layout([2**32, 2**31], values=2)
    assert fields(made) == [(0, 1, 32), (0, 33, 31)]
    assert made.words == 1


def test_one_bit_more_begins_a_new_word() -> None:
    made = layout([2**32, 2**32, 2])
    assert fields(made) == [(0, 0, 32), (0, 32, 32), (1, 0, 1)]
    assert made.words == 2


def test_a_field_does_not_straddle_two_words() -> None:
    made = layout([2**40, 2**40, 2**24])
    assert fields(made) == [(0, 0, 40), (1, 0, 40), (1, 40, 24)]
    assert made.words == 2


def test_a_whole_word_for_one_attribute() -> None:
    made = layout([2**64, 2**64], values=3)
    assert fields(made) == [(1, 0, 64), (2, 0, 64)]
    assert (made.words, made.value_mask.tolist()) == (3, [[3, 0, 0]])


def test_constant_columns_take_no_room() -> None:
    made = layout([1, 1, 1])
    assert (fields(made), made.words) == ([(0, 0, 0)] * 3, 1)
    assert (fields(layout([])), layout([]).words) == ([], 1)


def test_a_constant_column_after_a_full_word_needs_no_new_word() -> None:
    made = layout([2**32, 2**32, 1])
    assert made.words == 1
    assert made.word.tolist() == [0, 0, 0]
    assert int(made.shift[2]) < 64


SIZES = st.lists(
    st.one_of(st.integers(0, 5), st.sampled_from([2**7, 2**16, 2**31, 2**32 + 1, 2**63])), min_size=0, max_size=20
)


@settings(deadline=None, max_examples=200)
@given(SIZES, st.integers(1, 1000), st.randoms(use_true_random=False))
@example([2**32, 2**31, 1, 1], 2, Random(1))
def test_fields_never_overlap_and_give_every_code_back(sizes: list[int], values: int, random: Random) -> None:
    made = layout(sizes, values)
    taken = [(0, made.value_bits)]
    for word, shift, width in fields(made):
        assert 0 <= word < made.words
        assert shift < 64
        if width:
            assert shift + width <= 64
            taken.append((64 * word + shift, 64 * word + shift + width))
    assert all(end <= begin for (_, end), (begin, _) in pairwise(sorted(taken)))
    codes = [random.randrange(max(size, 1)) for size in sizes]
    keys = [0] * made.words
    for code, (word, shift, _) in zip(codes, fields(made), strict=True):
        keys[word] |= code << shift
    assert [(keys[w] >> s) & int(mask) for (w, s, _), mask in zip(fields(made), made.field, strict=True)] == codes
    # No word is left without a field.
    used = {word for word, _, width in fields(made) if width} | {0}
    assert used == set(range(made.words))


# -- the order of groups


@pytest.mark.parametrize("highest", [3, 70_000, 2**64 - 1])
@pytest.mark.parametrize("words", [1, 2, 3])
def test_keys_are_put_in_the_order_of_lexsort(words: int, highest: int) -> None:
    random = np.random.default_rng(words)
    keys = np.unique(random.integers(0, highest, (500, words), np.uint64, endpoint=True), axis=0)
    random.shuffle(keys)
    assert _in_order(keys).tolist() == np.lexsort(keys.T).tolist()
    assert _in_order(keys[:0]).tolist() == []


def test_codes_that_become_the_same_are_one_group() -> None:
    codes, became = np.array([0, 1, 2, 1], np.int32), np.array([1, 0, 1], np.int32)
    first, group, counts = group_codes([codes], [2], np.array([5, 1, 2, 3]), [became])
    assert (first.tolist(), group.tolist(), counts.tolist()) == ([1, 0], [1, 0, 1, 0], [4, 7])
