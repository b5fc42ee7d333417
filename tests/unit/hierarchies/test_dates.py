"""Dates along the calendar."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antifaz.core.errors import HierarchyError, ParameterError
from antifaz.core.types import DataType
from antifaz.hierarchies import Dates, dates
from failing import Like, failing, like


def paths(values: list[str], *levels: str, **options: Any) -> list[tuple[str, ...]]:
    return dates(*levels, **options).build(values, DataType.DATE).paths()


def test_month_year_decade_by_default() -> None:
    assert paths(["2001-12-31", "1986-03-14"]) == [
        ("1986-03-14", "1986-03", "1986", "1980s", "*"),
        ("2001-12-31", "2001-12", "2001", "2000s", "*"),
    ]


def test_quarters_and_centuries() -> None:
    assert paths(["1986-03-31", "1986-04-01"], "quarter", "century") == [
        ("1986-03-31", "1986-Q1", "1900-1999", "*"),
        ("1986-04-01", "1986-Q2", "1900-1999", "*"),
    ]


def test_weeks_and_the_year_they_belong_to() -> None:
    assert paths(["1986-03-14", "1985-12-30"], "week", "year") == [
        ("1985-12-30", "1986-W01", "1986", "*"),
        ("1986-03-14", "1986-W11", "1986", "*"),
    ]


def test_times_stay_as_they_are() -> None:
    assert paths(["1986-03-14T23:30:00+02:00", "1986-03-14 01:00"], "day", "year") == [
        ("1986-03-14 01:00", "1986-03-14", "1986", "*"),
        ("1986-03-14T23:30:00+02:00", "1986-03-14", "1986", "*"),
    ]


def test_years_and_months_alone() -> None:
    assert paths(["1996", "1986"], "decade", "century") == [
        ("1986", "1980s", "1900-1999", "*"),
        ("1996", "1990s", "1900-1999", "*"),
    ]
    assert paths(["1986-03"], "year") == [("1986-03", "1986", "*")]
    with failing("hierarchy.dates-too-coarse", HierarchyError, count=1, unit="year", levels="month") as caught:
        paths(["1986", "1986-03-14"])
    assert caught.value.values == ("1986",)


def test_other_formats() -> None:
    assert paths(["14/03/1986", "01/02/1990"], "year", format="%d/%m/%Y") == [
        ("14/03/1986", "1986", "*"),
        ("01/02/1990", "1990", "*"),
    ]
    assert paths(["03/86"], "month", format="%m/%y") == [("03/86", "1986-03", "*")]
    with failing("hierarchy.dates-too-coarse", HierarchyError, unit="year"):
        paths(["86"], "month", format="%y")
    with failing(
        "hierarchy.values-not-dates", HierarchyError, count=1, wanted=like("hierarchy.dates-written", format="%d/%m/%Y")
    ):
        paths(["1986-03-14"], format="%d/%m/%Y")


def test_what_is_no_date() -> None:
    with failing("hierarchy.values-not-dates", HierarchyError, count=4, wanted=like("hierarchy.iso-dates")) as caught:
        paths(["1986-03-14", "1986-13", "0000", "1986-02-30", "soon"])
    assert caught.value.values == ("0000", "1986-02-30", "1986-13", "soon")
    assert "soon" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            {"levels": ("week", "month")},
            like(
                "declared.parameter-wrong",
                what="without weeks or without months and quarters, because weeks straddle them",
            ),
        ),
        (
            {"levels": ("week", "quarter")},
            like(
                "declared.parameter-wrong",
                what="without weeks or without months and quarters, because weeks straddle them",
            ),
        ),
        (
            {"levels": ("year", "month")},
            like("declared.parameter-wrong", what="from the smallest unit to the largest, each once"),
        ),
        (
            {"levels": ("year", "year")},
            like("declared.parameter-wrong", what="from the smallest unit to the largest, each once"),
        ),
        ({"levels": ()}, like("declared.parameter-wrong", what="at least one unit")),
        (
            {"levels": "yaer"},
            like(
                "declared.parameter-wrong",
                where="levels.0",
                what="'day', 'week', 'month', 'quarter', 'year', 'decade' or 'century'",
            ),
        ),
        ({"format": "%d/%m"}, like("declared.parameter-wrong", what="one with a year in it, such as %d/%m/%Y")),
    ],
)
def test_bad_parameters(options: dict[str, Any], said: str | Like) -> None:
    with failing(said, ParameterError):
        Dates(**options)


@given(days=st.sets(st.dates(), min_size=1, max_size=30))
def test_units_nest_for_any_dates(days: set[Any]) -> None:
    values = [day.isoformat() for day in days]
    for levels in (("month", "quarter", "year", "decade", "century"), ("week", "year", "decade", "century")):
        made = dates(*levels).build(values, DataType.DATE)  # raises if a label had two parents
        assert made.leaves == tuple(sorted(values))


@pytest.mark.parametrize("format", ["%Y%Y", "%Y-%Q", "%d/%m/%Y%"])
def test_check_23_a_format_that_nobody_can_read_by_is_refused(format):
    with failing("declared.parameter-wrong", ParameterError):
        dates(format=format)
