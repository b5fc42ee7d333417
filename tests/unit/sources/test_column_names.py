"""The names of columns: each there, each different, not too many."""

from __future__ import annotations

import pytest

from antifaz.core.errors import DataError
from antifaz.sources.column_names import MOST_COLUMNS, check_names


def test_good_names_are_given_back() -> None:
    assert check_names("t.csv", ["a", " b", "A b"]) == ["a", " b", "A b"]


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ([], "t.csv has no columns"),
        (["a", "", " "], "no name for column 2, 3"),
        (["a", "b", " A"], "the columns 1, 3 have the same name"),
        (["a"] * 30, r"1, 2, 3, 4, 5, 6, 7, 8, 9, 10, … have the same name"),
        ([f"c{i}" for i in range(MOST_COLUMNS + 1)], "20001 columns; at most 20000"),
    ],
)
def test_others_are_refused_by_their_places(names: list[str], words: str) -> None:
    with pytest.raises(DataError, match=words):
        check_names("t.csv", names)
