"""What labels cover, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from antifaz.counting.covering import ALL, BLANK, SOME, covering, places

AGES = ["5", "19", "20", "29", "29.5", "30", "95"]
WORDS = ["a", "b", "b, c", "doctor", "08001", "08002", "08112", "8001"]
DAYS = ["1979-12-31", "1980-01-01", "1980-03-31", "1980-04-01", "1989-12-31", "1999-12-31 23:59:00"]


def covered(label: str | None, values: list[str], **told: list[str]) -> list[str] | str:
    scale = places(values)
    found = covering([label], values, scale, told)
    if found.states[0] != SOME:
        return {ALL: "anything", BLANK: "blank"}[int(found.states[0])]
    if scale is None:
        return [values[i] for i in found.members]
    return [value for value, place in zip(values, scale, strict=True) if found.low[0] <= place <= found.high[0]]


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("29", ["29"]), ("29.0", ["29"]), ("*", "anything"), ("**", "anything"), (None, "blank"), (" ", "blank"),
        ("[20, 30)", ["20", "29", "29.5"]), ("[20, 30]", ["20", "29", "29.5", "30"]),
        ("(20, 30]", ["29", "29.5", "30"]),
        ("[20, 30[", ["20", "29", "29.5"]), ("]20, 30]", ["29", "29.5", "30"]), ("[20-29]", ["20", "29"]),
        ("20-29", ["20", "29"]), ("[-5-19]", ["5", "19"]), ("< 20", ["5", "19"]), (">= 30", ["30", "95"]),
        (">95", []), ("≤ 5", ["5"]), ("{19, 20}", ["19", "20"]), ("2*", ["20", "29"]), ("old", "anything"), ("44", []),
        ("[20, old)", "anything"), ("9-1", "anything"),
    ],
)  # fmt: skip
def test_labels_of_numbers(label: str | None, expected: object) -> None:
    assert covered(label, AGES) == expected


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("a", ["a"]), ("{a, b}", ["a", "b"]), ("{a, b, c}", ["a", "b, c"]), ("{b, z}", ["b"]),
        ("080**", ["08001", "08002"]),
        ("08*", ["08001", "08002", "08112"]), ("****1", ["08001"]), ("d*****", ["doctor"]), ("9****", []),
        ("Health", "anything"), ("[1, 2)", "anything"),
    ],
)  # fmt: skip
def test_labels_of_categories(label: str, expected: object) -> None:
    assert covered(label, WORDS) == expected


@pytest.mark.parametrize(
    ("label", "first", "last"),
    [
        ("1980", 1, 3), ("1980-01", 1, 1), ("1980-Q1", 1, 2), ("1980-W01", 0, 1), ("1980s", 1, 4), ("1900-1999", 0, 5),
        ("[1980-01-01, 1980-04-01)", 1, 2), (">= 1989-12-31", 4, 5), ("1980-03-31", 2, 2),
    ],
)  # fmt: skip
def test_labels_of_dates(label: str, first: int, last: int) -> None:
    assert covered(label, DAYS) == DAYS[first : last + 1]


def test_a_word_covers_what_was_told() -> None:
    assert covered("Health", WORDS, Health=["doctor", "nurse"]) == ["doctor"]
    assert covered("young", AGES, young=["5", "19"]) == ["5", "19"]


def test_what_is_not_understood_is_counted() -> None:
    assert covering(["x", "*", "y", "a", None], ["a"], None).unknown.tolist() == [0, 2]


def test_digits_with_a_zero_in_front_are_a_code() -> None:
    assert places(["08001", "28001"]) is None
    assert places([]) is None
    assert places(["1", "x"]) is None
    np.testing.assert_array_equal(places(["0", "0.5", "10"]), [0, 0.5, 10])
    np.testing.assert_array_equal(places(["0001-01-02"]), [1])
