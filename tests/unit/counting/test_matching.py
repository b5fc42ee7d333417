"""Tuples in which a blank matches anything, however many there are."""

from __future__ import annotations

import numpy as np
import pytest

from antifaz.counting import matching
from antifaz.counting.matching import count_matches


def brute_force(codes: np.ndarray, amounts: np.ndarray) -> list[float]:
    agree = ((codes[:, None] == codes[None]) | (codes[:, None] < 0) | (codes[None] < 0)).all(axis=2)
    return (agree * amounts).sum(axis=1).tolist()


@pytest.mark.parametrize("few", [0, 32, 10_000])
@pytest.mark.parametrize(("blanks", "width"), [(0.0, 2), (0.05, 3), (0.4, 3), (0.3, 1)])
def test_all_ways_count_what_comparing_all_counts(
    monkeypatch: pytest.MonkeyPatch, few: int, blanks: float, width: int
) -> None:
    """Looked up by patterns of blanks, or compared one by one: the answer is the same."""
    monkeypatch.setattr(matching, "_FEW", few)
    random = np.random.default_rng(7)
    # The highest code, 4, needs a bit more than 3.
    codes = random.integers(0, 5, (60, width)).astype(np.int32)
    codes[random.random((60, width)) < blanks] = -1
    codes = np.unique(codes, axis=0)
    counts = random.integers(1, 5, len(codes))
    found, weighed = count_matches(codes, counts)
    assert found.tolist() == brute_force(codes, counts)
    assert weighed.tolist() == brute_force(codes, counts)
    weights = counts * 0.25
    found, weighed = count_matches(codes, counts, weights)
    assert (found.tolist(), weighed.tolist()) == (brute_force(codes, counts), brute_force(codes, weights))


def test_a_column_of_blanks_and_wide_codes_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matching, "_FEW", 0)
    # Three columns of 22 bits: keys of two words.
    wide = 2**22 - 1
    codes = np.array([[wide, 0, -1], [wide, -1, wide], [0, 0, wide], [-1, 0, wide], [wide, wide, 0]], np.int32)
    counts = np.array([1, 2, 4, 8, 16])
    found, _ = count_matches(codes, counts)
    assert found.tolist() == brute_force(codes, counts)
