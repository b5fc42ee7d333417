"""Interval risk, solved by hand."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest

from antifaz import ParameterError
from antifaz.risk import interval_risk, interval_risk_by_column
from failing import failing, near

# The sample standard deviation of 1 … 5 is √2.5 = 1.5811; of the released x it is √(2.5·4) = 3.1623.
ORIGINAL = pa.table({"x": [1.0, 2.0, 3.0, 4.0, 5.0], "y": [0.0, 0.0, 0.0, 0.0, 10.0]})
RELEASED = pa.table({"x": [2.0, 4.0, 6.0, 8.0, 10.0], "y": [0.0, 0.0, 0.0, 0.0, 10.0]})


@pytest.mark.parametrize(
    ("k", "sd", "share"),
    [
        (0.0, "released", 0.0),
        (0.32, "released", 0.2),  # 1 ≤ 1.012
        (0.31, "released", 0.0),  # 1 > 0.980
        (0.64, "original", 0.2),  # 1 ≤ 1.012
        (0.63, "original", 0.0),
        (1.0, "released", 0.6),
        (2.0, "released", 1.0),
        # The median of the released is 6, of the distances to it 2: 2.965.
        (1.02, "robust", 0.6),  # 3 ≤ 3.02
        (1.01, "robust", 0.4),
    ],
)
def test_as_many_lie_inside_as_by_hand(k: float, sd: str, share: float) -> None:
    assert interval_risk(ORIGINAL, RELEASED, "x", k=k, sd=sd) == share  # type: ignore[arg-type]


def test_the_ends_are_inside() -> None:
    before, after = pa.table({"x": [0.0, 2.0]}), pa.table({"x": [1.0, 3.0]})
    assert interval_risk(before, after, k=1 / math.sqrt(2)) == 1  # 1/√2 times the released width, which is √2
    assert interval_risk(before, after, k=0.999 / math.sqrt(2)) == 0


def test_all_columns_must_lie_inside() -> None:
    before = pa.table({"x": [1.0, 2.0, 3.0, 4.0], "y": [1.0, 2.0, 3.0, 4.0]})
    after = pa.table({"x": [1.0, 2.0, 3.0, 9.0], "y": [9.0, 2.0, 3.0, 4.0]})
    assert interval_risk(before, after) == 0.5
    assert interval_risk_by_column(before, after) == {"x": 0.75, "y": 0.75}


def test_a_constant_column_has_no_width() -> None:
    before = pa.table({"x": [5.0, 5.1, 4.9, 5.0]})
    constant = pa.table({"x": [5.0, 5.0, 5.0, 5.0]})
    assert interval_risk(before, constant, k=100) == 0.5
    assert interval_risk(constant, before, k=100, sd="original") == 0.5
    assert interval_risk(constant, constant, k=0) == 1


def test_a_blank_rules_nothing_out() -> None:
    before = pa.table({"x": [1.0, 2.0, 3.0, 4.0]})
    after = pa.table({"x": [None, 20.0, float("nan"), 40.0]})
    assert interval_risk(before, after, k=0.1) == 0.5
    assert interval_risk(before, pa.table({"x": pa.array([None] * 4, pa.float64())}), sd="robust") == 1


@pytest.mark.parametrize("k", [-0.1, float("nan"), float("inf"), "0.2", True])
def test_a_width_that_is_none_is_refused(k: object) -> None:
    with failing("interval-risk.k-negative", ParameterError):
        interval_risk(ORIGINAL, RELEASED, k=k)  # type: ignore[arg-type]


def test_an_unknown_width_names_the_known_ones() -> None:
    with failing("interval-risk.unknown-sd", ParameterError, sd="release", hint=near("released")):
        interval_risk(ORIGINAL, RELEASED, sd="release")  # type: ignore[arg-type]
