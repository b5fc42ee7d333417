"""Columns in dictionary form: sorted texts and codes, one column or several at once."""

from __future__ import annotations

import pyarrow as pa
import pytest

from antifaz.sources.column_codes import encode, encode_all, encode_texts


def test_texts_are_sorted_and_missing_comes_last() -> None:
    values, codes = encode_texts(pa.chunked_array([["b", None], ["a", "b", "é"]]))
    assert values == ("a", "b", "é", None)
    assert codes.tolist() == [1, 3, 0, 1, 2]


def test_numbers_are_spelled_and_minus_zero_is_zero() -> None:
    values, codes = encode(pa.chunked_array([[10.0, -0.0, 0.0, None]]), lambda v: None if v is None else f"{v + 0.0:g}")
    assert values == ("0", "10", None)
    assert codes.tolist() == [1, 0, 0, 2]


def test_an_empty_column_has_no_values() -> None:
    values, codes = encode_texts(pa.chunked_array([], pa.string()))
    assert (values, codes.tolist()) == ((), [])


@pytest.mark.parametrize("threads", [1, 2, 9])
def test_all_columns_come_in_their_order_and_few_are_held_at_once(threads: int) -> None:
    columns = [pa.chunked_array([[f"{i} {j % (i + 1)}" for j in range(200)]]) for i in range(12)]
    fetched: list[int] = []

    def fetch(i: int) -> pa.ChunkedArray:
        fetched.append(i)
        return columns[i]

    found = encode_all([(lambda i=i: fetch(i), str) for i in range(12)], threads)
    assert fetched == list(range(11, -1, -1))
    for column, (values, codes) in zip(columns, found, strict=True):
        assert [values[code] for code in codes] == column.to_pylist()


def test_what_a_column_raises_comes_out() -> None:
    def broken() -> pa.ChunkedArray:
        raise KeyError("no such column")

    with pytest.raises(KeyError):
        encode_all([(broken, str), (lambda: pa.chunked_array([["a"]]), str)], 2)
    assert encode_all([], 2) == []
