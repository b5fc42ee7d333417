"""Shares with their intervals."""

from __future__ import annotations

import pytest

from antifaz.risk.attacks import wilson
from antifaz.risk.attacks.shares import excess


@pytest.mark.parametrize(
    ("right", "of", "low", "high"),
    # R. Newcombe, Statistics in Medicine 17, 1998, table I, method 3.
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_intervals_are_wilsons(right: int, of: int, low: float, high: float) -> None:
    assert wilson(right / of, of) == pytest.approx((low, high), abs=5e-5)
    assert wilson(0.0, 0) == (0, 1)


def test_the_excess_is_newcombes_difference_over_what_is_left() -> None:
    # The same author's 56/70 − 48/80: 0.2, from 0.0524 to 0.3339.
    share, ends = excess(56 / 70, 70, 48 / 80, 80)
    assert share == pytest.approx(0.5)
    assert ends == pytest.approx((0.0524 / 0.4, 0.3339 / 0.4), abs=2e-4)
    assert excess(1, 10, 1, 10)[0] == 0
