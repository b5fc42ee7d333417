"""The fewest columns that tell nearly all tuples apart: what brute force finds, and honest where it gives up."""

from __future__ import annotations

from itertools import combinations
from math import ceil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.kernels.sketches import estimated_distinct, repeats
from antifaz.proposals import combinations as module
from antifaz.proposals.combinations import exact_sizes, fewest_columns


def tuples(codes: np.ndarray, columns: tuple[int, ...]) -> int:
    return len({tuple(row) for row in codes[list(columns)].T.tolist()})


def by_brute_force(codes: np.ndarray, percent: int) -> tuple[int, ...]:
    """Count every combination; of those within the tolerance the fewest columns, then most tuples, then the first."""
    every = [some for n in range(1, len(codes) + 1) for some in combinations(range(len(codes)), n)]
    count = {some: tuples(codes, some) for some in every}
    enough = ceil((100 - percent) * count[every[-1]] / 100)
    return min((some for some in every if count[some] >= enough), key=lambda some: (len(some), -count[some], some))


@st.composite
def tables(draw: st.DrawFn) -> np.ndarray:
    columns, rows = draw(st.integers(1, 6)), draw(st.integers(1, 60))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    table = np.array([random.integers(0, draw(st.integers(1, 9)), rows) for _ in range(columns)], np.int32)
    if columns > 2 and draw(st.booleans()):
        table[1] = table[0]  # one column says what another does
    return table


@given(codes=tables(), percent=st.sampled_from([0, 5, 20, 50, 99]))
@settings(max_examples=200, deadline=None)
def test_it_is_what_brute_force_finds(codes: np.ndarray, percent: int) -> None:
    found = fewest_columns(codes, [int(column.max()) + 1 for column in codes], percent / 100)
    assert found.columns == by_brute_force(codes, percent)
    assert found.distinct == tuples(codes, found.columns)
    assert found.smallest and found.first
    assert found.counted + found.excluded == found.combinations


def made(rows: int, sizes: list[int]) -> np.ndarray:
    random = np.random.default_rng(1)
    return np.array([random.integers(0, size, rows) for size in sizes], np.int32)


def test_the_order_of_records_changes_nothing() -> None:
    sizes = [7, 5, 30, 2, 11, 3, 13]
    codes = made(3000, sizes)
    shuffled = codes[:, np.random.default_rng(2).permutation(3000)]
    for work in (20_000, 10**7):
        assert fewest_columns(codes, sizes, 0.05, work) == fewest_columns(shuffled, sizes, 0.05, work)


def test_early_doubt_and_counting_to_the_end_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = [40, 90, 3, 25, 60, 8, 120]
    codes = made(60_000, sizes)
    to_the_end = fewest_columns(codes, sizes, 0.05)
    monkeypatch.setattr(module, "EXACT", 0)
    assert fewest_columns(codes, sizes, 0.05) == to_the_end
    assert to_the_end.smallest


def test_without_the_work_it_does_not_claim_to_be_the_smallest() -> None:
    codes = made(2000, [4] * 12)
    found = fewest_columns(codes, [4] * 12, 0.05, work=1)
    assert not found.smallest and not found.first
    assert found.distinct >= found.wanted
    assert found.counted + found.excluded < found.combinations


def test_combinations_too_long_for_one_word_are_counted_exactly() -> None:
    codes = made(500, [2**30] * 5)
    codes[:, 250:] = codes[:, :250]
    assert exact_sizes(codes, [2**30] * 5, range(5)).size == 250
    assert exact_sizes(codes, [2**30] * 5, range(5), np.arange(500)).sum() == 500 * 499 // 2
    assert fewest_columns(codes, [2**30] * 5, 0.05).columns == (0,)


def test_a_sketch_is_near_the_count() -> None:
    codes = made(50_000, [300, 200])
    exact = tuples(codes, (0, 1))
    bits = np.zeros(2**19 // 64, np.uint64)
    sketched = estimated_distinct(codes, np.array([0, 1]), np.array([1, 300], np.uint64), bits)
    assert abs(sketched - exact) < 0.01 * exact


def test_repeats_are_counted_zero_among_them() -> None:
    codes = np.array([[0, 0, 1, 2, 1, 0, 3]], np.int32)
    one, slots = np.ones(1, np.uint64), np.zeros(1 << 14, np.uint64)
    assert repeats(codes, np.array([0]), one, 7, np.inf, slots) == (3, 7, False)
    assert repeats(codes, np.array([0]), one, 2, np.inf, slots)[2]
