"""Tables typed in."""

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from antifaz.core.errors import HierarchyError
from antifaz.core.types import DataType
from antifaz.hierarchies import Table, table
from failing import Like, failing, like


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
        ("abc", "hierarchy.rows-not-lists"),
        (["abc"], like("hierarchy.line-not-a-list", line=1)),
        ([["a", "*"], ["b", None]], like("hierarchy.label-empty", where="Line 2, level 1,")),
        ([["a", False]], like("hierarchy.label-true-or-false", where="Line 1, level 1,")),
        ([["a", float("nan")]], like("hierarchy.label-not-text", where="Line 1, level 1,")),
        ([["a", Decimal("sNaN")]], "hierarchy.label-not-text"),
        ([["a", 10**5000]], "hierarchy.label-not-text"),
        ([["a", {}]], "hierarchy.label-not-text"),
    ],
)
def test_bad_rows(rows: Any, said: str | Like) -> None:
    with failing(said, HierarchyError):
        table(rows)


def test_bad_hierarchies_are_told_when_built() -> None:
    with failing("hierarchy.row-of-other-length", HierarchyError, what="line 2", row=1):
        table([["a", "*"], ["b"]]).build([], DataType.TEXT)
    with failing("hierarchy.without-values", HierarchyError):
        table([]).build([], DataType.TEXT)
