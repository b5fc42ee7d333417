import pyarrow as pa

from antifaz.sources.server_rows import csv_batches, driver_array


def test_missing_is_not_the_empty_text_and_signs_of_csv_are_text():
    pieces = [b'1,a\n,""\n', b'3,"a""b,\nc"\n4,\n']
    table = pa.Table.from_batches(csv_batches(pieces, [pa.int64(), pa.string()]))
    assert table.to_pydict() == {"c0": [1, None, 3, 4], "c1": ["a", "", 'a"b,\nc', None]}


def test_one_column_may_have_nothing_in_a_row():
    table = pa.Table.from_batches(csv_batches([b'\n""\nx\n\n'], [pa.string()]))
    assert table.to_pydict() == {"c0": [None, "", "x", None]}


def test_words_that_look_missing_or_like_numbers_stay_text():
    table = pa.Table.from_batches(csv_batches([b"NULL\nnan\n007\n true \n"], [pa.string()]))
    assert table["c0"].to_pylist() == ["NULL", "nan", "007", " true "]


def test_no_piece_is_no_batch():
    assert list(csv_batches([], [pa.string()])) == []


def test_drivers_may_give_text_as_bytes_and_numbers_as_text():
    assert driver_array([b"\xc3\xa9", None, b""], pa.string()).to_pylist() == ["é", None, ""]
    assert driver_array(["1", None, b"2"], pa.int64()).to_pylist() == [1, None, 2]
