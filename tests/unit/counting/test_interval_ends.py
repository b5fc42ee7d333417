"""Ends of intervals that are rounded outward: they cover what they did, and give no rare value away."""

from __future__ import annotations

import datetime
import re
from collections import Counter
from itertools import pairwise
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import antifaz as az

ENDS = re.compile(r"\[(.+), (.+)\]")


def released(values: list[Any], k: int, method: Any) -> list[tuple[str, Any]]:
    """Release a column of numbers or dates; return every label with the value of its record."""
    frame = pd.DataFrame({"row": range(len(values)), "x": values})
    release = az.anonymize(
        frame,
        roles={"row": "insensitive", "x": "quasi-identifier"},
        privacy=az.KAnonymity(k),
        method=method,
        seed=1,
    )
    labels = release.frame.set_index("row")["x"].astype(str)
    return [(labels[i], value) for i, value in enumerate(values) if i in labels.index]


@settings(max_examples=40)
@given(st.lists(st.integers(-50, 10_000), min_size=8, max_size=60), st.integers(2, 4))
def test_spans_cover_their_records_and_begin_and_end_with_common_or_round_numbers(values: list[int], k: int) -> None:
    often, width = Counter(values), max(values) - min(values)
    found = released(values, k, az.Mondrian())
    assert min(Counter(label for label, _ in found).values()) >= k
    for label, value in found:
        ends = ENDS.fullmatch(label)
        if ends is None:
            assert float(label) == value  # all in the class have it
            continue
        low, high = map(float, ends.groups())
        assert low <= value <= high
        for end in (low, high):
            step = 2 if width < 20 else 5 if width < 500 else 10
            assert often[int(end)] >= k or end % step == 0


def test_an_oldest_person_is_not_named() -> None:
    ages = [20, 21, 22, 23, 30, 31, 32, 33, 117]
    exact = {label for label, _ in released(ages, 3, az.Mondrian(round_ends=False))}
    rounded = {label for label, _ in released(ages, 3, az.Mondrian())}
    assert any("117" in label for label in exact)
    assert not any("117" in label for label in rounded)
    assert any(label.endswith("120]") for label in rounded)


@pytest.mark.parametrize(("years", "first", "last"), [(1, "-01", "-01"), (30, "-01-01", "-12-31")])
def test_dates_begin_and_end_with_months_or_years(years: int, first: str, last: str) -> None:
    days = [datetime.date(1990, 3, 7) + datetime.timedelta(days=i * years * 30) for i in range(12)]
    for label, day in released(days, 3, az.Mondrian()):
        low, high = ENDS.fullmatch(label).groups()  # type: ignore[union-attr]
        assert datetime.date.fromisoformat(low) <= day <= datetime.date.fromisoformat(high)
        assert low.endswith(first)
        after = datetime.date.fromisoformat(high) + datetime.timedelta(days=1)
        assert high.endswith(last) if years > 10 else after.isoformat().endswith(last)


def test_dates_of_few_weeks_begin_and_end_with_weeks() -> None:
    days = [datetime.date(2024, 3, 6) + datetime.timedelta(days=4 * i) for i in range(9)]
    found = released(days, 3, az.Mondrian())
    assert len({label for label, _ in found}) == 2
    for label, day in found:
        low, high = map(datetime.date.fromisoformat, ENDS.fullmatch(label).groups())  # type: ignore[union-attr]
        assert low <= day <= high and (low.weekday(), high.weekday()) == (0, 6)


def test_times_of_one_day_begin_and_end_with_hours() -> None:
    times = [datetime.datetime(2024, 3, 6, 8, 17) + datetime.timedelta(minutes=47 * i) for i in range(9)]
    for label, time in released(times, 3, az.Mondrian()):
        low, high = map(datetime.datetime.fromisoformat, ENDS.fullmatch(label).groups())  # type: ignore[union-attr]
        assert low <= time <= high
        assert (low.minute, low.second, high.minute, high.second) == (0, 0, 59, 59)


def test_the_unit_is_that_of_the_column() -> None:
    for unit in (1000, 1, 0.1):
        values = [round(unit * i, 1) for i in (12, 13, 16, 18, 24, 27, 33, 39, 41)]
        for label, value in released(values, 3, az.Mondrian()):
            ends = [float(end) for end in ENDS.fullmatch(label).groups()]  # type: ignore[union-attr]
            assert ends[0] <= value <= ends[1]
            assert all(abs(end / (5 * unit) - round(end / (5 * unit))) < 1e-9 for end in ends)


def test_numbers_that_no_float_holds_are_covered_and_not_named() -> None:
    values = [10**18 + i for i in (-7, -1, 1, 129, 255, 511)]
    for label, value in released(values, 3, az.Mondrian()):
        low, high = map(int, ENDS.fullmatch(label).groups())  # type: ignore[union-attr]
        assert low <= value <= high and not {low, high} & set(values)


def test_spans_that_become_one_are_one_class() -> None:
    # Two groups of three, both within 20 and 25: told apart by nothing, they are one.
    found = released([21, 22, 23, 24, 24.5, 24.75, *range(100, 300, 50)], 3, az.Mondrian())
    counted = Counter(label for label, _ in found)
    assert min(counted.values()) >= 3
    bounds = sorted(tuple(map(float, ENDS.fullmatch(label).groups())) for label in counted)  # type: ignore[union-attr]
    assert all(one != other for one, other in pairwise(bounds))


def test_only_columns_that_are_spans_are_rounded() -> None:
    frame = pd.DataFrame({"x": [21, 22, 23, 31, 32, 33, 117], "y": [1, 2, 3, 4, 5, 6, 70]})
    roles = dict.fromkeys(("x", "y"), "quasi-identifier")
    how = {"release_columns": {"y": "median"}}
    losses = {
        way: az.anonymize(frame, roles=roles, privacy=az.KAnonymity(3), method=az.Mondrian(**how, **options), seed=1)
        for way, options in (("rounded", {}), ("exact", {"round_ends": False}), ("medians", {"release": "median"}))
    }
    assert sorted(losses["rounded"].frame["y"]) == sorted(losses["exact"].frame["y"])
    assert losses["rounded"].evidence["method"]["round_ends"] and not losses["exact"].evidence["method"]["round_ends"]
    assert "round_ends" not in losses["medians"].evidence["method"]


def test_small_decimals_keep_their_scale() -> None:
    values = [0.1234, 0.1311, 0.2217, 0.2518, 0.3719, 0.4421]
    for label, value in released(values, 3, az.KMembers()):
        low, high = map(float, ENDS.fullmatch(label).groups())  # type: ignore[union-attr]
        assert low <= value <= high
        assert all(abs(end / 0.005 - round(end / 0.005)) < 1e-9 for end in (low, high))
        assert max(map(len, ENDS.fullmatch(label).groups())) <= 5  # type: ignore[union-attr]
