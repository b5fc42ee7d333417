"""Ends of intervals that are rounded outward: they cover what they did, and give no rare value away."""

from __future__ import annotations

import datetime
import re
from collections import Counter
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
    found = released(values, k, az.Mondrian(round_ends=True))
    assert min(Counter(label for label, _ in found).values()) >= k
    for label, value in found:
        ends = ENDS.fullmatch(label)
        if ends is None:
            assert float(label) == value  # all in the class have it
            continue
        low, high = map(float, ends.groups())
        assert low <= value <= high
        for end in (low, high):
            assert often[int(end)] >= k or end % 5 == 0
            assert often[int(end)] >= k or width < 500 or end % 10 == 0


def test_an_oldest_person_is_not_named() -> None:
    ages = [20, 21, 22, 23, 30, 31, 32, 33, 117]
    exact = {label for label, _ in released(ages, 3, az.Mondrian())}
    rounded = {label for label, _ in released(ages, 3, az.Mondrian(round_ends=True))}
    assert any("117" in label for label in exact)
    assert not any("117" in label for label in rounded)
    assert any(label.endswith("120]") for label in rounded)


@pytest.mark.parametrize(("years", "first", "last"), [(1, "-01", "-01"), (30, "-01-01", "-12-31")])
def test_dates_begin_and_end_with_months_or_years(years: int, first: str, last: str) -> None:
    days = [datetime.date(1990, 3, 7) + datetime.timedelta(days=i * years * 30) for i in range(12)]
    for label, day in released(days, 3, az.Mondrian(round_ends=True)):
        low, high = ENDS.fullmatch(label).groups()  # type: ignore[union-attr]
        assert datetime.date.fromisoformat(low) <= day <= datetime.date.fromisoformat(high)
        assert low.endswith(first)
        after = datetime.date.fromisoformat(high) + datetime.timedelta(days=1)
        assert high.endswith(last) if years > 10 else after.isoformat().endswith(last)


def test_small_decimals_keep_their_scale() -> None:
    values = [0.1234, 0.1311, 0.2217, 0.2518, 0.3719, 0.4421]
    for label, value in released(values, 3, az.KMembers(round_ends=True)):
        low, high = map(float, ENDS.fullmatch(label).groups())  # type: ignore[union-attr]
        assert low <= value <= high
        assert all(abs(end / 0.005 - round(end / 0.005)) < 1e-9 for end in (low, high))
        assert max(map(len, ENDS.fullmatch(label).groups())) <= 5  # type: ignore[union-attr]
