"""Labels as antifaz, ARX and people write them."""

from __future__ import annotations

from datetime import date
from math import inf

import pytest

from antifaz.core.types import DataType
from antifaz.hierarchies.label_forms import ScaleInterval, read_date, read_number, read_set, read_stretch, reader_of


@pytest.mark.parametrize(
    ("text", "low", "high", "with_low", "with_high"),
    [
        ("37", 37, 37, True, True),
        ("-3.50", -3.5, -3.5, True, True),
        ("1,250", 1250, 1250, True, True),
        ("[20, 30)", 20, 30, True, False),
        ("[20, 29]", 20, 29, True, True),
        ("(20, 30]", 20, 30, False, True),
        ("[20, 30[", 20, 30, True, False),
        ("]20, 30]", 20, 30, False, True),
        ("[20-29]", 20, 29, True, True),
        ("20-29", 20, 29, True, True),
        ("-5--1", -5, -1, True, True),
        ("20 – 29", 20, 29, True, True),
        ("20 to 29", 20, 29, True, True),
        ("[1,000, 2,000)", 1000, 2000, True, False),
        ("<20", -inf, 20, True, False),
        ("< 20", -inf, 20, True, False),
        ("<=20", -inf, 20, True, True),
        ("≤ 20", -inf, 20, True, True),
        (">80", 80, inf, False, True),
        (">=80", 80, inf, True, True),
        (">= 80.5", 80.5, inf, True, True),
        ("80+", 80, inf, True, True),
        ("1980s", 1980, 1990, True, False),
    ],
)
def test_stretches_of_numbers(text: str, low: float, high: float, with_low: bool, with_high: bool) -> None:
    assert read_stretch(text, read_number) == ScaleInterval(low, high, with_low, with_high)


@pytest.mark.parametrize("text", ["", "*", "young", "20 years", "[30, 20]", "[20", "1_000", "nan", "inf", "2*", "--"])
def test_what_is_no_stretch_of_numbers(text: str) -> None:
    assert read_stretch(text, read_number) is None


@pytest.mark.parametrize(
    ("text", "first", "after"),
    [
        ("1986-03-14", date(1986, 3, 14), date(1986, 3, 15)),
        ("1986-03", date(1986, 3, 1), date(1986, 4, 1)),
        ("1986-12", date(1986, 12, 1), date(1987, 1, 1)),
        ("1986-Q4", date(1986, 10, 1), date(1987, 1, 1)),
        ("1986-W01", date(1985, 12, 30), date(1986, 1, 6)),
        ("1986", date(1986, 1, 1), date(1987, 1, 1)),
        ("1980s", date(1980, 1, 1), date(1990, 1, 1)),
        ("1900-1999", date(1900, 1, 1), date(2000, 1, 1)),
        ("[1986-03-01, 1986-03-31]", date(1986, 3, 1), date(1986, 4, 1)),
        ("[1986-03, 1986-05)", date(1986, 3, 1), date(1986, 5, 1)),
    ],
)
def test_stretches_of_days(text: str, first: date, after: date) -> None:
    assert read_stretch(text, read_date) == ScaleInterval(first.toordinal(), after.toordinal(), True, False)


def test_after_a_month_begins_with_the_next() -> None:
    assert read_stretch("> 1986-03", read_date) == ScaleInterval(date(1986, 4, 1).toordinal(), inf)
    assert read_stretch("<= 1986-03", read_date) == ScaleInterval(-inf, date(1986, 4, 1).toordinal(), True, False)


def test_a_moment_is_a_point_within_its_day() -> None:
    day = date(1986, 3, 14).toordinal()
    assert read_date("1986-03-14T12:00:00") == ScaleInterval(day + 0.5, day + 0.5)


@pytest.mark.parametrize("text", ["1986-13", "1986-02-30", "1986-W60", "0000", "spring"])
def test_what_is_no_date(text: str) -> None:
    assert read_date(text) is None


def test_only_numbers_and_dates_have_a_scale() -> None:
    assert reader_of(DataType.INTEGER) is read_number
    assert reader_of(DataType.DATETIME) is read_date
    assert reader_of(DataType.TEXT) is reader_of(DataType.BOOLEAN) is None


def test_sets_of_known_values() -> None:
    known = {"a", "b", "Smith, John", "c|d"}.__contains__
    assert read_set("{a, b}", known) == ["a", "b"]
    assert read_set("a|b", known) == ["a", "b"]
    assert read_set("{a, Smith, John}", known) == ["a", "Smith, John"]
    assert read_set("a|c|d", known) == ["a", "c|d"]
    # Braces say that it is a set, so what nobody had is passed over; a bar may be anything.
    assert read_set("{a, z}", known) == ["a"]
    for text in ("{z}", "{}", "a", "a|z", "{a"):
        assert read_set(text, known) is None
