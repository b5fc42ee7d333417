"""Kolmogorov's distribution against SciPy's, on both sides of every border between formulas."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from antifaz.utility.ks import chance


@pytest.mark.parametrize("size", [1, 2, 7, 50, 139, 140, 141, 199, 1_500, 99_999, 100_001, 1_000_000])
def test_it_is_that_of_scipy(size: int) -> None:
    for far in (0.01, 0.1, 0.3, 0.5, 0.7, 1.0, 1.3, 1.48, 1.49, 1.9, 2.1, 4.0, 19.0):
        distance = min(far / size**0.5, 1.0)
        assert chance(distance, size) == pytest.approx(stats.kstwo.sf(distance, size), rel=1e-8, abs=1e-11), far


def test_two_samples_by_hand() -> None:
    # Of two places in the unit interval, both are within d of where they should be with the chance 2 (2d - 1/2)^2 …
    assert chance(0.4, 2) == pytest.approx(float(1 - 2 * Fraction(3, 10) ** 2))
    # … for d up to a half, and beyond it with the chance 1 - 2 (1 - d)^2.
    assert chance(0.7, 2) == pytest.approx(float(2 * Fraction(3, 10) ** 2))


def test_nothing_and_everything() -> None:
    assert chance(0.0, 5) == 1 and chance(1.0, 5) == pytest.approx(0, abs=1e-3)
    assert chance(0.04, 10) == 1  # no ten values lie so evenly
    assert chance(0.9, 10**9) == 0


def test_more_than_a_million() -> None:
    # The two tails overlap, which SciPy leaves out: 2 Σ (-1)^(j - 1) exp(-2 j² z²) is the limit.
    size, far = 4_000_000.0, 1.5
    j = np.arange(1, 20)
    limit = float(2 * ((-1.0) ** (j - 1) * np.exp(-2 * j**2 * far**2)).sum())
    assert chance(far / size**0.5, size) == pytest.approx(limit, abs=2e-5)
    assert chance(far / size**0.5, size) == pytest.approx(stats.kstwo.sf(far / size**0.5, size), abs=1e-7)
