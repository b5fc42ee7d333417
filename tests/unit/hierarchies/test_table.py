"""Tables typed in."""

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from antifaz.core.errors import HierarchyError
from antifaz.core.types import DataType
from antifaz.hierarchies import Table, table


def test_rows_and_mappings_say_the_same() -> None:
    rows = table([["a", "x", "*"], ["b", "x", "*"]]).build([], DataType.TEXT)
    mapping = table({"a": ["x", "*"], "b": ("x", "*")}).build([], DataType.TEXT)
    assert rows.paths() == mapping.paths() == [("a", "x", "*"), ("b", "x", "*")]
    assert Table([["a", "*"]]).build([], DataType.TEXT).paths() == [("a", "*")]


def test_one_label_needs_no_list() -> None:
    assert table({"M": "*", "F": "*"}).build([], DataType.TEXT).paths() == [("M", "*"), ("F", "*")]


def test_labels_as_yaml_reads_them() -> None:
    made = table([[1, 0.5, dt.date(1986, 3, 14)], [np.int64(2), Decimal("0.5"), dt.date(1986, 3, 14)]])
    assert made.rows == (("1", "0.5", "1986-03-14"), ("2", "0.5", "1986-03-14"))


def test_add_suppression_joins_several_roots() -> None:
    made = table([["a", "x"], ["b", "y"]], suppression=True).build([], DataType.TEXT)
    assert made.levels == (("a", "b"), ("x", "y"), ("*",))


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("abc", "list of lists, or a mapping"),
        (["abc"], "Line 1 of the hierarchy is not a list of labels"),
        ([["a", "*"], ["b", None]], "Line 2, level 1, is empty"),
        ([["a", False]], "Line 1, level 1, is true or false"),
        ([["a", float("nan")]], "Line 1, level 1, is not text"),
        ([["a", Decimal("sNaN")]], "is not text"),
        ([["a", 10**5000]], "is not text"),
        ([["a", {}]], "is not text"),
    ],
)
def test_bad_rows(rows: Any, said: str) -> None:
    with pytest.raises(HierarchyError, match=said):
        table(rows)


def test_bad_hierarchies_are_told_when_built() -> None:
    with pytest.raises(HierarchyError, match="Line 2 has 1 column"):
        table([["a", "*"], ["b"]]).build([], DataType.TEXT)
    with pytest.raises(HierarchyError, match="at least one value"):
        table([]).build([], DataType.TEXT)
