"""Keyed hashes of cells, and what is done with them, against plain Python."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from antifaz.ledger.hashing import distinct, hash_cells, mix_hashes, occurrences, text_hash, words

KEY = words(bytes(range(16)))
TEXTS = st.lists(st.one_of(st.none(), st.text(max_size=5)), max_size=20)


def _hashes(texts: list[str | None], **how: bool) -> list[int]:
    values, places = hash_cells(pa.array(texts, pa.string()), KEY, **how)
    return values[places].tolist()


@given(TEXTS)
def test_equal_cells_have_equal_hashes_and_others_do_not(texts: list[str | None]) -> None:
    hashes = _hashes(texts)
    assert len(set(zip(texts, hashes, strict=True))) == len(set(texts)) == len(set(hashes))
    assert all(text is None or text_hash(text, KEY) == one for text, one in zip(texts, hashes, strict=True))


def test_case_and_blanks_count_unless_folded() -> None:
    assert len(set(_hashes(["Ávila ", "ávila", " ÁVILA"]))) == 3
    assert len(set(_hashes(["Ávila ", "ávila", " ÁVILA"], folded=True))) == 1


def test_another_key_gives_other_hashes() -> None:
    assert text_hash("Ana", KEY) != text_hash("Ana", words(bytes(16)))


def test_the_hash_is_siphash_of_the_text() -> None:
    # The first vector of its authors: 16 bytes of key, 0 to 15, and no message.
    assert text_hash("", KEY) == np.uint64(0x726FDB47DD0E0E31)


def test_the_order_of_what_is_mixed_matters() -> None:
    zero, one, two = np.zeros(1, np.uint64), np.uint64(1), np.uint64(2)
    assert mix_hashes(mix_hashes(zero, one), two) != mix_hashes(mix_hashes(zero, two), one)


@given(st.lists(st.integers(0, 5), max_size=20))
def test_distinct_and_occurrences_are_what_sets_and_counters_say(values: list[int]) -> None:
    array = np.array(sorted(values), np.uint64)
    assert distinct(np.array(values, np.uint64)).tolist() == sorted(set(values))
    seen: Counter[int] = Counter()
    expected = []
    for value in sorted(values):
        expected.append(seen[value])
        seen[value] += 1
    assert occurrences(array).tolist() == expected
