"""Rank swapping: who changes places with whom."""

from __future__ import annotations

import numpy as np

from antifaz.kernels.swapping import swap_ranks


def swapped(width: int, draws: list[float], n: int) -> list[int]:
    partners = np.arange(n)
    swap_ranks(width, np.array(draws), partners)
    return partners.tolist()


def test_ranks_are_paired_as_drawn_among_those_at_most_so_far_ahead() -> None:
    assert swapped(1, [0.0, 0.0], 4) == [1, 0, 3, 2]
    assert swapped(1, [0.9, 0.9], 5) == [1, 0, 3, 2, 4]
    # 0 draws the last of 1, 2; then 1 draws of what is left of 2, 3: 3.
    assert swapped(2, [0.99, 0.0], 4) == [2, 3, 0, 1]
    assert swapped(3, [0.34, 0.0], 4) == [2, 3, 0, 1]
    # Every pair takes the next draw: 0 the first of all, 2 the second of 5, 4, 3, and 3 what is left.
    assert swapped(5, [0.0, 0.4, 0.99], 6) == [1, 0, 4, 5, 2, 3]
    # A draw that rounds up to the whole pool takes the last.
    assert swapped(3, [1.0, 0.0], 4) == [3, 2, 1, 0]


def test_pairs_are_mutual_and_near() -> None:
    random = np.random.default_rng(5)
    for width in (1, 2, 5):
        partners = np.array(swapped(width, random.random(20).tolist(), 40))
        assert partners[partners].tolist() == list(range(40))
        assert np.abs(partners - np.arange(40)).max() <= width
        assert (partners == np.arange(40)).sum() <= 1
