"""The certainty penalty of numbers."""

from __future__ import annotations

import pytest

from antifaz.utility import gcp, height
from unit.utility.test_measures import ages


def test_numbers_lose_the_width_of_what_is_under_their_label() -> None:
    # 20…29 and 30…39 are 9 wide, 40…50 is 10 wide, all together 30: four, three and three people.
    assert gcp(ages(1)) == pytest.approx((4 * 9 + 3 * 9 + 3 * 10) / 30 / 10)
    assert gcp(ages(2)) == 1
    assert gcp(ages(0)) == 0
    assert gcp(ages(1, 4)) == pytest.approx((4 * 9 / 30 + 6) / 10)


def test_a_missing_number_that_stays_missing_loses_nothing() -> None:
    assert gcp(ages(1, 1, None)) == pytest.approx((4 * 9 + 3 * 9 + 3 * 10) / 30 / 11)
    assert height(ages(1, 1, None)) == pytest.approx(0.5)
