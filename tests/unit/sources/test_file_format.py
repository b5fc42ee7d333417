"""What holds for files of all formats."""

from __future__ import annotations

import datetime

import pyarrow as pa
import pytest

from antifaz.core.errors import DataError
from antifaz.sources.file_format import blank_missing, refuse_nested
from failing import failing


def test_only_text_is_made_missing() -> None:
    table = pa.table({"s": ["?", "x", None], "l": pa.array(["NA", "?", "y"], pa.large_string()), "n": [1, 2, 3]})
    assert blank_missing(table, ()) is table
    blank = blank_missing(table, ["?", "NA", "1"])
    assert blank.to_pydict() == {"s": [None, "x", None], "l": [None, None, "y"], "n": [1, 2, 3]}
    assert blank.schema == table.schema


@pytest.mark.parametrize("values", [[[1]], [{"a": 1}], [b"x"], [datetime.timedelta(1)]])
def test_what_is_no_single_value_is_refused_by_the_name_of_its_column(values: list[object]) -> None:
    with failing("column.holds-no-single-values", DataError, column="b"):
        refuse_nested(pa.schema([("a", pa.string()), ("b", pa.array(values).type)]))


def test_categories_are_single_values() -> None:
    refuse_nested(pa.schema([("a", pa.dictionary(pa.int8(), pa.string()))]))
