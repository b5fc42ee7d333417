"""The game's formulas, against sums done by hand."""

from __future__ import annotations

import numpy as np
import pytest

from antifaz.counting.payouts import Stakes, unattacked_size

#: What Wan et al. take in their case study: funding per record, a fine per violation, and the price of an attack.
WAN = Stakes(benefit=1200, loss=300, gain=300, cost=4)


@pytest.mark.parametrize(
    ("gain", "cost", "size"),
    [(300, 4, 75), (301, 4, 76), (0.9, 0.3, 3), (0.7, 0.1, 7), (1, 3, 1), (4, 4, 1), (1e-9, 1e12, 1), (10, 3, 4)],
)
def test_an_attack_pays_below_gain_over_cost_by_their_decimals(gain: float, cost: float, size: int) -> None:
    assert unattacked_size(gain, cost) == size


def test_payouts_by_hand() -> None:
    people, lost = np.array([1, 2, 74, 75, 1000, 0]), np.array([0.0, 0.5, 0.25, 0.25, 1.0, 0.0])
    expected = [1200 - 300, 600 - 150, 900 - 300 / 74, 900, 0, 1200 - 300]
    assert WAN.payouts(people, lost).tolist() == pytest.approx(expected, abs=1e-12)
    assert WAN.attacked(people).tolist() == [True, True, True, False, False, True]


def test_without_records_there_are_no_payouts() -> None:
    assert WAN.payouts(np.zeros(0, np.int64), np.zeros(0)).size == 0
