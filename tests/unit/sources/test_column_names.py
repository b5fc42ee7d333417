"""The names of columns: each there, each different, not too many."""

from __future__ import annotations

import pytest

from antifaz.core.errors import DataError
from antifaz.sources.column_names import MOST_COLUMNS, check_names
from failing import Like, failing, like


def test_good_names_are_given_back() -> None:
    assert check_names("t.csv", ["a", " b", "A b"]) == ["a", " b", "A b"]


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ([], like("header.no-columns", what="t.csv")),
        (["a", "", " "], like("header.column-without-name", columns=[2, 3])),
        (["a", "b", " A"], like("header.column-name-twice", columns=[1, 3])),
        (["a"] * 30, like("header.column-name-twice", columns=[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, "…"])),
        ([f"c{i}" for i in range(MOST_COLUMNS + 1)], like("header.too-many-columns", names=20001, most=20000)),
    ],
)
def test_others_are_refused_by_their_places(names: list[str], words: str | Like) -> None:
    with failing(words, DataError):
        check_names("t.csv", names)


def test_check_23_a_name_with_nul_is_refused_with_its_place():
    with failing("header.column-name-with-nul", DataError, columns=[2]):
        check_names("a.json", ["a", "b\0c"])
