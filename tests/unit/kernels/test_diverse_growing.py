"""Groups that need different sensitive values: small tables solved by hand, and what every grouping keeps to."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.kernels.clustering import RecordArrays
from antifaz.kernels.diverse_growing import EXCHANGE, GROW, SPARE, few_codes, grow_diverse, new_diversity
from antifaz.methods.clustering.greedy import GreedySearch


def numbers_only(values: Sequence[float]) -> RecordArrays:
    none = np.zeros((len(values), 0), np.int32)
    return RecordArrays(
        numbers=np.array(values, float)[:, None], full=np.array([np.ptp(values)], float), codes=none, unit=np.zeros(0),
        blank=np.zeros(0, np.int32), whole=np.zeros(0), most=1, places=none, up=np.zeros((0, 1, 1), np.int32),
        penalty=np.zeros((0, 1, 1)),
    )  # fmt: skip


def grouped(values: Sequence[float], sensitive: list[list[int]], needs: list[int], k: int, way: int) -> list[int]:
    """Return the group of every record, -1 for none; each line of `sensitive` is an attribute."""
    codes, kinds = np.unique(np.array(sensitive), axis=1, return_inverse=True)
    s = GreedySearch(numbers_only(values), np.arange(len(values)), kinds.reshape(-1).astype(np.int64))
    diversity = new_diversity(s.kinds, codes.astype(np.int64), np.array(needs))
    s.enough = -1
    grow_diverse(s.table, s.state, s.nodes, s.points, s.groups, s.point_of, k, s.at, False, False, -1, diversity, way)
    return [int(g) for g in s.groups]


def test_the_last_records_are_exchanged_or_the_group_grows() -> None:
    line, ab = [0, 1, 2, 10, 11, 12], [0, 0, 1, 1, 1, 0]
    # 0 and 1 have the same value: the nearest other one is at 2; then 1 takes the one at 10.
    assert grouped(line, [ab], [2], 2, EXCHANGE) == [0, 1, 0, 1, 2, 2]
    assert grouped(line, [ab], [2], 2, GROW) == [0, 0, 0, 1, 1, 1]
    assert grouped(line, [ab], [2], 3, EXCHANGE) == [0, 0, 0, 1, 1, 1]
    assert grouped(line, [ab], [1], 2, EXCHANGE) == [0, 0, 1, 1, 2, 2]


def test_scarce_values_are_spared_for_groups_that_lack_them() -> None:
    line, rare = [0, 1, 2, 3, 4, 5, 6, 7, 8], [0, 1, 1, 0, 0, 1, 0, 0, 0]
    # Three groups of three and three records with the rare value: each group has just one of them.
    spared = grouped(line, [rare], [2], 3, SPARE)
    assert sorted(spared) == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert [[rare[i] for i in range(9) if spared[i] == g].count(1) for g in range(3)] == [1, 1, 1]
    # Not spared, two go into the first, and the last group lacks one: its records stay without a group.
    assert grouped(line, [rare], [2], 3, EXCHANGE) == [0, 0, 0, 1, 1, 1, -1, -1, -1]


def test_a_record_that_brings_all_that_lacks_is_preferred() -> None:
    # At 2 only one attribute differs from 0 and 1, at 3 both do.
    assert grouped([0, 1, 2, 3], [[0, 0, 1, 1], [0, 0, 0, 1]], [2, 2], 2, EXCHANGE)[:4] == [0, -1, -1, 0]


def test_values_that_are_nowhere_leave_all_without_a_group() -> None:
    assert grouped([0, 1, 2], [[0, 0, 0]], [2], 2, EXCHANGE) == [-1, -1, -1]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 40), st.integers(1, 6), st.sampled_from([EXCHANGE, SPARE, GROW]))
def test_every_group_has_enough_records_and_values(seed: int, rows: int, k: int, way: int) -> None:
    random = np.random.default_rng(seed)
    sensitive = np.stack([random.integers(0, 1 + random.integers(1, 6), rows) for _ in range(2)])
    groups = np.array(grouped(random.random(rows).round(1).tolist(), sensitive.tolist(), [2, 3], k, way))
    for g in range(groups.max() + 1):
        inside = groups == g
        assert inside.sum() >= k
        assert len(set(sensitive[0, inside])) >= 2
        assert len(set(sensitive[1, inside])) >= 3


@pytest.mark.parametrize("most", [4, 8])
def test_few_codes_differ_only_where_the_values_do(most: int) -> None:
    codes = np.random.default_rng(1).zipf(1.5, 500).clip(0, 40).astype(np.int32)
    few = few_codes(codes, most)
    assert set(few) == set(range(most))
    assert len(set(zip(few.tolist(), codes.tolist(), strict=True))) == len(set(codes.tolist()))
    commonest = np.bincount(codes).argmax()
    assert set(codes[few == 0]) == {commonest}
