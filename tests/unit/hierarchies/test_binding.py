"""A hierarchy bound to the values of a column."""

from __future__ import annotations

import numpy as np
import pytest

from antifaz.core.errors import HierarchyError
from antifaz.core.types import DataType
from antifaz.counting.domains import qi_domain
from antifaz.counting.rollup import Ladder
from antifaz.hierarchies import Hierarchy
from antifaz.hierarchies.binding import bind

ROWS = [["1", "low", "*"], ["2", "low", "*"], ["3", "high", "*"], ["4", "high", "*"]]


def ladder(values: list[str | None], rows: list[list[str]] = ROWS, kind: DataType = DataType.TEXT) -> Ladder:
    return bind(qi_domain("a", values, kind), Hierarchy.from_rows(rows, kind=kind), kind)


def test_only_labels_that_occur_are_listed_but_shares_are_of_the_whole_hierarchy() -> None:
    made = ladder(["1", "2"])
    assert made.labels == (("1", "2"), ("low",), ("*",))
    assert [codes.tolist() for codes in made.up] == [[0, 1], [0, 0], [0, 0]]
    assert [shares.tolist() for shares in made.shares] == [[0.25, 0.25], [0.5], [1.0]]
    assert (made.leaves, made.height, made.size(0), made.size(1)) == (4, 2, 2, 1)


def test_missing_is_a_leaf_of_its_own_until_anything() -> None:
    made = ladder(["1", None, "3"])
    assert made.labels == (("1", "3", None), ("low", "high", None), ("*",))
    assert made.leaves == 5
    assert [codes.tolist() for codes in made.up] == [[0, 1, 2], [0, 1, 2], [0, 0, 0]]
    assert [shares.tolist() for shares in made.shares] == [[0.2, 0.2, 0.2], [0.4, 0.4, 0.2], [1.0]]


def test_missing_stays_missing_under_a_root_that_says_something() -> None:
    made = ladder(["1", None], [["1", "number"], ["2", "number"]])
    assert made.labels == (("1", None), ("number", None))
    assert made.shares[1].tolist() == [2 / 3, 1 / 3]


def test_a_column_of_nothing_but_missing() -> None:
    made = ladder([None])
    assert made.labels == ((None,), (None,), ("*",))
    assert [shares.tolist() for shares in made.shares] == [[0.2], [0.2], [1.0]]


def test_values_that_are_not_covered_are_named_apart_from_the_message() -> None:
    with pytest.raises(HierarchyError) as caught:
        ladder(["1", "7", "9"])
    assert str(caught.value) == "The hierarchy of 'a' misses 2 value(s) of the data."
    assert caught.value.values == ("7", "9")


def test_leaves_of_a_numeric_column_are_numbers() -> None:
    made = ladder(["1.0", "02"], kind=DataType.INTEGER)
    assert made.labels[0] == ("1", "2")
    with pytest.raises(HierarchyError):
        ladder(["1.0", "02"])


def test_spans_are_what_the_data_has_under_a_label() -> None:
    made = ladder(["1", "3", "4", None], kind=DataType.INTEGER)
    assert made.spans is not None
    np.testing.assert_array_equal(made.spans[0], [[1, 1], [3, 3], [4, 4], [np.nan, np.nan]])
    np.testing.assert_array_equal(made.spans[1], [[1, 1], [3, 4], [np.nan, np.nan]])
    np.testing.assert_array_equal(made.spans[2], [[1, 4]])
    assert ladder(["1", "3"]).spans is None
    assert ladder([None], kind=DataType.INTEGER).spans is None


def test_a_step_goes_from_one_level_to_another() -> None:
    made = ladder(["1", "2", "3"])
    assert made.step(0, 1, 0).tolist() == [0, 0, 1]
    assert made.step(0, 1, 5).tolist() == [0, 0, 32]
    assert made.step(1, 2, 0).tolist() == [0, 0]
    assert made.step(0, 1, 5) is made.step(0, 1, 5)
    # What it remembers is nobody's business.
    assert "_steps" not in repr(made)
    assert ladder([]).step(0, 1, 5).tolist() == []
