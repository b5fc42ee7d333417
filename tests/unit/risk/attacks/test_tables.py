"""What the labels of a release say to attackers, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from antifaz.core.types import DataType
from antifaz.hierarchies.covers import kind_of, make_domain
from antifaz.risk.attacks.tables import ALL, BLANK, SOME, are_words, read_labels

AGES = ["5", "19", "20", "29", "29.5", "30", "95"]
WORDS = ["a", "b", "b, c", "doctor", "08001", "08002", "08112", "8001"]
DAYS = ["1979-12-31", "1980-01-01", "1980-03-31", "1980-04-01", "1989-12-31", "1999-12-31 23:59:00"]


def covered(label: str | None, values: list[str], **label_members: list[str]) -> list[str] | str:
    given = [*values, None]
    domain, _ = make_domain("c", kind_of(values), given, np.ones(len(given), np.int64), label_members=label_members)
    found = read_labels(domain, [label])
    if found.cells.states[0] != SOME:
        return {ALL: "anything", BLANK: "blank"}[int(found.cells.states[0])]
    if domain.scale is None:
        return [str(domain.values[i]) for i in found.members]
    low, high = found.cells.low[0], found.cells.high[0]
    return [str(value) for value, at in zip(domain.values, domain.scale, strict=True) if low <= at <= high]


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("29", ["29"]), ("29.0", ["29"]), ("*", "anything"), ("**", "anything"), (None, "blank"), (" ", "blank"),
        ("[20, 30)", ["20", "29", "29.5"]), ("[20, 30]", ["20", "29", "29.5", "30"]),
        ("(20, 30]", ["29", "29.5", "30"]),
        ("[20, 30[", ["20", "29", "29.5"]), ("]20, 30]", ["29", "29.5", "30"]), ("[20-29]", ["20", "29"]),
        ("20-29", ["20", "29"]), ("[-5-19]", ["5", "19"]), ("< 20", ["5", "19"]), (">= 30", ["30", "95"]),
        (">95", []), ("≤ 5", ["5"]), ("{19, 20}", ["19", "20"]), ("2*", ["20", "29"]), ("old", "anything"), ("44", []),
        ("[20, old)", "anything"), ("9-1", "anything"), ("[100, 200)", []), ("95+", ["95"]),
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
    assert covered("Sea", WORDS, Sea=["sailor"]) == []


def test_an_interval_keeps_the_ends_that_it_spells() -> None:
    domain, _ = make_domain("c", DataType.INTEGER, ["20", "21", "50", None], np.ones(4, np.int64))
    cells = read_labels(domain, ["[10, 30)", "{20, 50}", "2*", "28"]).cells
    # The first reaches to 30, though nobody is older than 21; a set and a mask reach as far as their values do.
    np.testing.assert_array_equal(cells.low, [10, 20, 20, 28])
    np.testing.assert_array_equal(cells.high, [np.nextafter(30, 0), 50, 21, 28])


def test_what_is_not_understood_is_counted() -> None:
    domain, _ = make_domain("c", DataType.TEXT, ["a", None], np.ones(2, np.int64))
    assert read_labels(domain, ["x", "*", "y", "a", None]).unknown.tolist() == [True, False, True, False, False]


def test_words_are_fewer_than_what_they_stand_for() -> None:
    domain, _ = make_domain("c", DataType.TEXT, ["a", "b", "c", "d", None], np.ones(5, np.int64))
    assert are_words(["vowel", "other"], domain, read_labels(domain, ["vowel", "other"]))
    assert not are_words(["a", "b", "c", "e"], domain, read_labels(domain, ["a", "b", "c", "e"]))


def test_digits_with_a_zero_in_front_are_a_code() -> None:
    assert kind_of(["08001", "28001"]) is DataType.TEXT
    assert kind_of([]) is kind_of([None]) is DataType.TEXT
    assert kind_of(["1", "x"]) is kind_of(["1,5", "2"]) is kind_of(["1980s"]) is DataType.TEXT
    assert kind_of(["0", "0.5", "10", None]) is DataType.DECIMAL
    assert kind_of(["0001-01-02", "1980-03-31 12:00"]) is DataType.DATETIME
