"""Intervals: exact, nested, with coded ends."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antifaz.core.errors import HierarchyError, ParameterError
from antifaz.core.types import DataType
from antifaz.hierarchies import Intervals, intervals
from failing import Like, failing, like


def paths(values: list[str], *widths: Any, **options: Any) -> list[tuple[str, ...]]:
    return intervals(*widths, **options).build(values, DataType.DECIMAL).paths()


def test_ages() -> None:
    assert paths(["39", "7", "23"], 5, 10, 20) == [
        ("7", "[5, 10)", "[0, 10)", "[0, 20)", "*"),
        ("23", "[20, 25)", "[20, 30)", "[20, 40)", "*"),
        ("39", "[35, 40)", "[30, 40)", "[20, 40)", "*"),
    ]


def test_tenths_are_exact() -> None:
    assert paths(["0.3", "0.29", "-0.1"], 0.1, "0.5") == [
        ("-0.1", "[-0.1, 0)", "[-0.5, 0)", "*"),
        ("0.29", "[0.2, 0.3)", "[0, 0.5)", "*"),
        ("0.3", "[0.3, 0.4)", "[0, 0.5)", "*"),
    ]
    huge = "123456789012345678901234567890123456789.1"
    assert paths([huge], 10)[0][1] == (
        "[123456789012345678901234567890123456780, 123456789012345678901234567890123456790)"
    )


def test_origin_moves_the_bounds() -> None:
    assert paths(["17", "18"], 10, origin=18) == [("17", "[8, 18)", "*"), ("18", "[18, 28)", "*")]


def test_low_and_high_share_a_label_and_cut_intervals() -> None:
    assert paths(["3", "18", "64", "88", "89", "99"], 5, 10, low=17, high=89) == [
        ("3", "< 17", "< 17", "*"),
        ("18", "[17, 20)", "[17, 20)", "*"),
        ("64", "[60, 65)", "[60, 70)", "*"),
        ("88", "[85, 89)", "[80, 89)", "*"),
        ("89", ">= 89", ">= 89", "*"),
        ("99", ">= 89", ">= 89", "*"),
    ]


def test_closed_labels() -> None:
    assert paths(["20", "29"], 10, closed=True) == [("20", "[20-29]", "*"), ("29", "[20-29]", "*")]
    assert paths(["20.0"], 10, closed=True) == [("20", "[20-29]", "*")]
    with failing("hierarchy.values-not-whole-numbers", HierarchyError, broken=1) as caught:
        paths(["20.5", "20"], 10, closed=True)
    assert caught.value.values == ("20.5",)


def test_without_a_top_the_last_level_is_one_interval() -> None:
    assert paths(["1", "7"], 5, 10, top=False) == [("1", "[0, 5)", "[0, 10)"), ("7", "[5, 10)", "[0, 10)")]
    with failing("hierarchy.no-single-root", HierarchyError, levels=2):
        paths(["1", "7"], 5, top=False)
    assert paths(["1", "7"], 5, top=False, suppression=True)[0] == ("1", "[0, 5)", "*")


def test_what_is_not_a_number() -> None:
    with failing("hierarchy.values-not-numbers", HierarchyError, count=4) as caught:
        paths(["1", "x", "NaN", "Infinity", "1e999999999"], 5)
    assert caught.value.values == ("1e999999999", "Infinity", "NaN", "x")
    with failing("hierarchy.without-values", HierarchyError):
        paths([], 5)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            {"widths": (5, 7)},
            like("declared.parameter-wrong", where="widths", what="each a multiple of the one before, and larger"),
        ),
        (
            {"widths": (5, 5)},
            like("declared.parameter-wrong", where="widths", what="each a multiple of the one before, and larger"),
        ),
        ({"widths": (0,)}, like("declared.parameter-wrong", where="widths", what="above 0")),
        ({"widths": ()}, like("declared.parameter-wrong", where="widths", what="at least one width")),
        ({"widths": "wide"}, like("declared.parameter-wrong", where="widths.0")),
        ({"widths": 5, "low": 3, "high": 3}, like("declared.parameter-wrong", where="high", what="above low")),
        (
            {"widths": 0.5, "closed": True},
            like(
                "declared.parameter-wrong",
                where="closed",
                what="false where widths, origin, low or high are not whole numbers",
            ),
        ),
        ({"widths": 5, "origin": "nan"}, like("declared.parameter-wrong", where="origin")),
        (
            {"widths": 5, "origin": "1e5000"},
            like("declared.parameter-wrong", where="origin", what="a number of at most 400 digits"),
        ),
    ],
)
def test_bad_parameters(options: dict[str, Any], said: str | Like) -> None:
    with failing(said, ParameterError):
        Intervals(**options)


def test_parameters_are_numbers() -> None:
    said = intervals(0.1, 1, low=-3).parameters()
    assert (said["widths"], said["low"], said["origin"]) == ([0.1, 1], -3, 0)
    assert Intervals.parse(said) == intervals("0.1", 1, low=-3)
    assert intervals(Decimal("0.12345678901234567890123")).parameters()["widths"] == ["0.12345678901234567890123"]


NUMBER = st.decimals(-1000, 1000, places=2)


@given(values=st.lists(NUMBER, min_size=1, max_size=20), origin=NUMBER, low=st.none() | NUMBER)
def test_every_number_lies_in_its_interval(values: list[Decimal], origin: Decimal, low: Decimal | None) -> None:
    made = intervals("0.25", 1, 50, origin=origin, low=low).build([str(v) for v in set(values)], DataType.DECIMAL)
    for path in made.paths():
        for label in path[1:-1]:
            if label.startswith("<"):
                assert low is not None
                assert Decimal(path[0]) < low
            else:
                begin, end = label[1:-1].split(", ")
                assert Decimal(begin) <= Decimal(path[0]) < Decimal(end)


@given(
    values=st.sets(st.integers(-(10**20), 10**20) | st.integers(-50, 50), min_size=1, max_size=20),
    origin=st.integers(-9, 9),
    low=st.none() | st.integers(-60, 0),
    high=st.none() | st.integers(1, 60),
)
def test_whole_numbers_of_any_size_get_the_intervals_of_plain_arithmetic(
    values: set[int], origin: int, low: int | None, high: int | None
) -> None:
    made = intervals(5, 20, origin=origin, low=low, high=high).build([str(v) for v in values], DataType.INTEGER)
    expected = []
    for value in sorted(values):
        labels = []
        for width in (5, 20):
            begin = (value - origin) // width * width + origin
            ends = (
                begin if low is None else max(begin, low),
                begin + width if high is None else min(begin + width, high),
            )
            below, above = low is not None and value < low, high is not None and value >= high
            labels.append(f"< {low}" if below else f">= {high}" if above else f"[{ends[0]}, {ends[1]})")
        expected.append((str(value), *labels, "*"))
    assert made.paths() == expected
