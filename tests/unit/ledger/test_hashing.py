"""Keyed hashes of cells, and what is done with them, against plain Python."""

from __future__ import annotations

import hashlib
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antifaz.core.types import DataType
from antifaz.ledger.hashing import distinct, hash_cells, hash_traced, mix_hashes, occurrences, recognized_as, text_hash

KEY = bytes(range(16))
TEXTS = st.lists(st.one_of(st.none(), st.text(max_size=5)), max_size=20)


def _hashes(texts: list[str | None], **how: bool) -> list[int]:
    values, places = hash_cells(pa.array(texts, pa.string()), KEY, **how)
    return values[places].tolist()


@given(TEXTS)
def test_equal_cells_have_equal_hashes_and_others_do_not(texts: list[str | None]) -> None:
    hashes = _hashes(texts, exact=True)
    assert len(set(zip(texts, hashes, strict=True))) == len(set(texts)) == len(set(hashes))
    assert all(text is None or text_hash(text, KEY) == one for text, one in zip(texts, hashes, strict=True))


def test_case_and_blanks_count_where_labels_are_compared() -> None:
    assert len(set(_hashes(["Ávila ", "ávila", " ÁVILA"], exact=True))) == 3
    assert len(set(_hashes(["Ávila ", "ávila", " ÁVILA", "A\u0301vila"]))) == 1


@pytest.mark.parametrize(
    ("kind", "same", "other"),
    [
        (DataType.INTEGER, ["1001", "01001", " 1001", "1001.0", "+1001"], ["1002", "10010"]),
        (DataType.DECIMAL, ["1", "1.0", "1.00", "01"], ["1.01"]),
        (DataType.TEXT, ["01001", " 01001 ", "01001\t"], ["1001", "01001.0"]),
        (DataType.TEXT, ["José", "Jose\u0301", "JOSÉ", "José\u00a0"], ["Jose"]),
    ],
)
def test_people_are_recognized_as_the_policy_says(kind: DataType, same: list[str], other: list[str]) -> None:
    assert len({recognized_as(text, kind) for text in same}) == 1
    assert not {recognized_as(text, kind) for text in other} & {recognized_as(same[0], kind)}


@given(TEXTS)
def test_a_cell_that_was_hashed_elsewhere_has_the_same_hash(texts: list[str | None]) -> None:
    plain = [None if text is None else f"t{text}" for text in texts]

    def elsewhere(text: str | None) -> str | None:
        known = None if text is None else recognized_as(text)
        if known is None:
            return None
        return "h" + hashlib.sha256((KEY.hex() + known).encode(errors="surrogatepass")).hexdigest()[:16]

    values, places, seen = hash_traced(pa.array(plain, pa.string()), KEY, DataType.TEXT)
    hashed, there, nothing = hash_traced(pa.array([elsewhere(text) for text in texts], pa.string()), KEY, DataType.TEXT)
    assert values[places].tolist() == hashed[there].tolist()
    assert set(seen.to_pylist()) == {text for text in texts if text is not None} and len(nothing) == 0


def test_another_key_gives_other_hashes() -> None:
    assert text_hash("Ana", KEY) != text_hash("Ana", bytes(16))


def test_the_order_of_what_is_mixed_matters() -> None:
    zero, one, two = np.zeros(1, np.uint64), np.uint64(1), np.uint64(2)
    assert mix_hashes(mix_hashes(zero, one), two) != mix_hashes(mix_hashes(zero, two), one)


@given(st.lists(st.integers(0, 5), max_size=20))
def test_distinct_and_occurrences_are_what_sets_and_counters_say(values: list[int]) -> None:
    assert distinct(np.array(values, np.uint64)).tolist() == sorted(set(values))
    seen: Counter[int] = Counter()
    expected = []
    for value in values:
        expected.append(seen[value])
        seen[value] += 1
    assert occurrences(np.array(values, np.uint64)).tolist() == expected
