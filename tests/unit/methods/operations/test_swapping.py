"""Rank swapping against its definition: the window, the distribution, what stays."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import pairwise, product
from math import factorial, lcm

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import antifaz as az
from antifaz.kernels.swapping import swap_ranks
from antifaz.sources.column_values import stable_order

SOME = settings(deadline=None, max_examples=80)
Chances = dict[tuple[int, ...], Fraction]


def defined(n: int, width: int) -> Chances:
    """The distribution of the partners, by the definition word by word, in exact fractions."""
    found: Counter[tuple[int, ...]] = Counter()

    def go(rank: int, partners: list[int], swapped: set[int], chance: Fraction) -> None:
        if rank == n:
            found[tuple(partners)] += chance  # type: ignore[assignment]
            return
        ahead = [j for j in range(rank + 1, min(rank + width, n - 1) + 1) if j not in swapped]
        if rank in swapped or not ahead:
            go(rank + 1, partners, swapped, chance)
            return
        for j in ahead:
            after = list(partners)
            after[rank], after[j] = j, rank
            go(rank + 1, after, swapped | {rank, j}, chance / len(ahead))

    go(0, list(range(n)), set(), Fraction(1))
    return dict(found)  # type: ignore[arg-type]


@pytest.mark.parametrize(("n", "width"), [(1, 1), (2, 1), (5, 1), (5, 2), (6, 3), (7, 3), (6, 5), (8, 4)])
def test_the_kernel_draws_exactly_the_distribution_that_is_defined(n: int, width: int) -> None:
    # Cells of equal size for every number of choices there can be: going through all is the exact distribution.
    cells = lcm(*range(1, width + 1))
    found: Counter[tuple[int, ...]] = Counter()
    for draws in product((np.arange(cells) + 0.5) / cells, repeat=n // 2):
        partners = np.arange(n)
        swap_ranks(width, np.array(draws, np.float64), partners)
        found[tuple(partners.tolist())] += 1
    total = cells ** (n // 2)
    assert {key: Fraction(times, total) for key, times in found.items()} == defined(n, width)


@SOME
@given(st.integers(1, 300), st.floats(0.001, 1), st.integers(0, 10_000))
def test_every_value_changes_places_once_and_within_the_window(n: int, p: float, seed: int) -> None:
    frame = pa.table({"x": np.random.default_rng(seed).permutation(n)})
    before = frame["x"].to_numpy()
    after = az.perturb.rank_swap(frame, columns="x", p=p, seed=seed)["x"].to_numpy()
    place = dict(zip(before.tolist(), after.tolist(), strict=True))  # values are their own ranks
    assert all(place[place[rank]] == rank for rank in range(n))
    assert max(abs(a - b) for a, b in place.items()) <= max(1, int(p * n + 1e-9))
    # Whoever stayed had nobody left ahead: any two who stayed are farther apart than the window.
    stayed = sorted(rank for rank in range(n) if place[rank] == rank)
    assert all(b - a > max(1, int(p * n + 1e-9)) for a, b in pairwise(stayed))


@SOME
@given(st.lists(st.integers(-3, 3), max_size=60), st.integers(0, 10_000))
def test_multisets_are_kept_and_missing_values_stay_in_their_rows(numbers: list[int], seed: int) -> None:
    values = [None if x == 3 else x for x in numbers]
    frame = pa.table({"x": pa.array(values, pa.int64()), "row": pa.array(range(len(values)), pa.int64())})
    for name in ("rank_swap", "rank_swap_blocks"):
        made = getattr(az.perturb, name)(frame, columns="x", p=0.3, seed=seed)
        assert made.schema.equals(frame.schema)
        assert Counter(made["x"].to_pylist()) == Counter(values)
        assert made["x"].is_null().equals(frame["x"].is_null())
        assert made["row"].equals(frame["row"])


@SOME
@given(st.integers(1, 200), st.floats(0.001, 1), st.integers(0, 10_000))
def test_nothing_leaves_its_block(n: int, p: float, seed: int) -> None:
    before = np.random.default_rng(seed).permutation(n)
    after = az.perturb.rank_swap_blocks(pa.table({"x": before}), columns="x", p=p, seed=seed)["x"].to_numpy()
    size = max(2, int(p * n + 1e-9))
    blocks = np.arange(n) // size
    if n % size == 1 and n > 1:
        blocks[-1] = blocks[-2]
    np.testing.assert_array_equal(blocks[before], blocks[after])
    assert sorted(after) == list(range(n))


def test_a_value_that_remains_alone_joins_the_block_before() -> None:
    frame = pa.table({"x": list(range(11))})
    last = {
        az.perturb.rank_swap_blocks(frame, columns="x", p=0.5, seed=seed)["x"].to_pylist()[-1] for seed in range(100)
    }
    assert last == {5, 6, 7, 8, 9, 10}


def test_all_permutations_of_a_block_are_as_likely() -> None:
    frame = pa.table({"x": [1, 2, 3, 4, 11, 12, 13, 14]})
    runs = 2_400
    found = Counter(
        tuple(az.perturb.rank_swap_blocks(frame, columns="x", p=0.5, seed=seed)["x"].to_pylist()[4:])
        for seed in range(runs)
    )
    expected = runs / factorial(4)
    assert len(found) == factorial(4)
    # Chi-square with 23 degrees of freedom has mean 23 and standard deviation √46.
    assert sum((times - expected) ** 2 / expected for times in found.values()) < 23 + 5 * np.sqrt(46)


def test_ranks_move_farther_as_p_grows_and_columns_move_apart() -> None:
    x = np.random.default_rng(1).lognormal(size=5_000)
    frame = pa.table({"a": x, "b": x})
    shifts = []
    for p in (0.01, 0.1, 0.5):
        made = az.perturb.rank_swap(frame, columns=["a", "b"], p=p, seed=1)
        ranks = np.argsort(np.argsort(made["a"].to_numpy())) - np.argsort(np.argsort(x))
        shifts.append(np.abs(ranks).max())
        assert p * 5_000 * 0.9 < shifts[-1] <= p * 5_000
        assert not made["a"].equals(made["b"])


def test_whole_numbers_that_no_float_holds_are_swapped_exactly() -> None:
    values = [2**62 + 1, 2**62, 2**62 + 2, 2**62 + 3]
    made = az.perturb.rank_swap(pa.table({"x": values}), columns="x", p=0.25, seed=1)["x"].to_pylist()
    # One rank apart at most: the lowest pair and the highest pair change places.
    assert made == [2**62, 2**62 + 1, 2**62 + 3, 2**62 + 2]


@SOME
@given(st.lists(st.integers(-4, 4) | st.just(-0.0), max_size=80))
def test_the_quick_order_is_the_stable_one(numbers: list[float]) -> None:
    for kind in (np.float64, np.int64):
        values = np.array(numbers, kind)
        np.testing.assert_array_equal(stable_order(values), np.argsort(values, kind="stable"))
