"""Types of columns."""

from __future__ import annotations

from antifaz.core.types import DataType


def test_which_types_are_numbers_and_which_have_an_order() -> None:
    assert [kind for kind in DataType if kind.is_number] == [DataType.INTEGER, DataType.DECIMAL]
    assert [kind for kind in DataType if kind.is_ordered and not kind.is_number] == [DataType.DATE, DataType.DATETIME]
