"""Moving and exchanging records against trying everything, with losses written out."""

from __future__ import annotations

import numpy as np
import pytest

from antifaz.kernels.clustering import RecordArrays, gather, new_state
from antifaz.kernels.improvement import (
    _anew,
    _best_partner,
    _lacking,
    _lists,
    _refresh,
    _replace,
    exchange,
    neighbours,
    regroup,
)
from oracles.grouped import mixed_table, plain_loss

TINY = 1e-12


def total(table: RecordArrays, *groups: list[int]) -> float:
    return sum(len(rows) * plain_loss(table, rows) for rows in groups if rows)


def plain_exchange(table: RecordArrays, groups: list[int], k: int, near: np.ndarray, kinds: list[int]) -> float:
    """The definition: each record once, where it gains most; of equal gains the first that was tried."""
    gained = 0.0
    for row in range(len(groups)):
        g = groups[row]
        best, choice = TINY, None
        for h in near[g].tolist():
            mine = [r for r, at in enumerate(groups) if at == g]
            theirs = [r for r, at in enumerate(groups) if at == h]
            before = total(table, mine, theirs)
            rest = [r for r in mine if r != row]
            if not kinds and len(mine) > k and len(theirs) < 2 * k - 1:
                gain = before - total(table, rest, [*theirs, row])
                if gain > best + TINY:
                    best, choice = gain, (h, -1)
            # Of equal gains it depends on how members are listed which is first, so the tables here have none.
            for other in theirs:
                if not kinds or kinds[row] == kinds[other]:
                    left = [r for r in theirs if r != other]
                    gain = before - total(table, [*rest, other], [*left, row])
                    if gain > best + TINY:
                        best, choice = gain, (h, other)
        if choice is not None:
            gained += best
            groups[row] = choice[0]
            if choice[1] >= 0:
                groups[choice[1]] = g
    return gained


def uneven(rows: int, seed: int) -> RecordArrays:
    """Records whose gains are hardly ever the same."""
    made = mixed_table(rows, seed, codes=1)
    return made._replace(
        numbers=np.where(np.isnan(made.numbers), np.nan, np.random.default_rng(seed).random((rows, 2)))
    )


@pytest.mark.parametrize("kinds", [False, True])
@pytest.mark.parametrize(("seed", "k"), [(1, 2), (2, 3), (3, 2), (4, 4), (5, 1)])
def test_every_record_goes_where_trying_all_finds_most_to_gain(seed: int, k: int, kinds: bool) -> None:
    random = np.random.default_rng(seed)
    count, rows = 4, 4 * k + 6
    table = uneven(rows, seed)
    groups = np.concatenate([np.repeat(np.arange(count), k), random.integers(0, 2, 6)])
    random.shuffle(groups)
    own = random.integers(0, 2, rows) if kinds else np.zeros(0, np.int64)
    states = new_state(table), new_state(table)
    near = neighbours(table, states[0], groups, count, 2)
    expected = groups.tolist()
    gain = plain_exchange(table, expected, k, near, own.tolist())
    assert exchange(table, *states, groups, count, k, near, own) == pytest.approx(gain)
    assert groups.tolist() == expected


@pytest.mark.parametrize("many", [1, 2, 4])
def test_neighbours_are_those_that_raise_the_loss_least_and_of_equals_the_first(many: int) -> None:
    table = mixed_table(30, 8, numbers=1)
    groups = np.random.default_rng(8).integers(0, 5, 30)
    members = [[r for r in range(30) if groups[r] == g] for g in range(5)]
    found = neighbours(table, new_state(table), groups, 5, many)
    for g in range(5):
        rise = {h: plain_loss(table, [*members[g], members[h][0]]) for h in range(5) if h != g}
        assert found[g].tolist() == sorted(rise, key=lambda h: (rise[h], h))[:many]


def test_members_are_listed_with_room_to_grow() -> None:
    members, sizes = _lists(np.array([1, 0, 1, 1]), 3, 2)
    assert sizes.tolist() == [1, 3, 0]
    assert members.tolist() == [[1, -1, -1, -1], [0, 2, 3, -1], [-1, -1, -1, -1]]
    assert _lists(np.array([0, 0, 0, 0]), 1, 2)[0].tolist() == [[0, 1, 2, 3, -1]]
    assert _lists(np.array([0, 1]), 2, 3)[0].shape == (2, 6)


def test_a_record_is_replaced_taken_out_or_put_in() -> None:
    members, sizes = np.array([[4, 5, 6, -1], [7, 8, -1, -1]]), np.array([3, 2])
    _replace(members, sizes, 0, 5, 9)
    assert (members[0].tolist(), sizes.tolist()) == ([4, 9, 6, -1], [3, 2])
    _replace(members, sizes, 0, 4, -1)
    assert (members[0, :2].tolist(), sizes.tolist()) == ([6, 9], [2, 2])
    _replace(members, sizes, 1, -1, 3)
    assert (members[1, :3].tolist(), sizes.tolist()) == ([7, 8, 3], [2, 3])
    _replace(members, sizes, 0, 9, 0)
    assert (members[0, :2].tolist(), sizes.tolist()) == ([6, 0], [2, 3])


def test_what_a_group_loses_without_each_of_its_records() -> None:
    table = mixed_table(6, 9)
    state, losses, without = new_state(table), np.full(3, -7.0), np.full(6, -7.0)
    rows = [5, 0, 3]
    _refresh(table, state, np.array(rows), losses, without, 1)
    assert losses.tolist() == [-7.0, plain_loss(table, rows), -7.0]
    assert without.tolist() == [
        plain_loss(table, [r for r in rows if r != row]) if row in rows else -7.0 for row in range(6)
    ]
    assert _lacking(table, state, np.array([2]), 2) == 0.0


def test_a_partner_is_looked_for_only_where_it_may_pay() -> None:
    """Bounds that say nothing can be gained are believed; with true ones the best partner is found."""
    table = uneven(8, 3)
    rows, others = np.array([0, 1, 2]), np.array([3, 4, 5, 6])
    state, spare, losses, without = new_state(table), new_state(table), np.zeros(2), np.zeros(8)
    _refresh(table, state, rows, losses, without, 0)
    _refresh(table, state, others, losses, without, 1)
    _lacking(table, state, rows, 0)
    before = total(table, [0, 1, 2], [3, 4, 5, 6])
    gains = {
        other: before - total(table, [1, 2, other], [0, *(r for r in (3, 4, 5, 6) if r != other)])
        for other in (3, 4, 5, 6)
    }
    partner = max(gains, key=lambda other: gains[other])
    nobody, both = np.zeros(0, np.int64), (losses[0], losses[1])
    found = _best_partner(table, state, spare, 0, rows, others, both, without, -9.0, nobody)
    assert found == (pytest.approx(gains[partner]), partner)
    for least in (gains[partner] - 1e-6, gains[partner] + 1e-6):
        gain, other = _best_partner(table, state, spare, 0, rows, others, both, without, least, nobody)
        assert other == (partner if least < gains[partner] else -1)
        assert gain == pytest.approx(max(least, gains[partner]))
    second = max((other for other in gains if other != partner), key=lambda other: gains[other])
    wrong = [without.copy() for _ in range(3)]
    wrong[0][0] = wrong[1][partner] = 100.0
    # By the first bound it may pay, by the second, which knows what this group would lose, not.
    mine = 3 * plain_loss(table, [1, 2, partner])
    wrong[2][0], wrong[2][partner] = -100.0, (before - mine + 9.0) / 4 + 0.01
    for bounds, expected in zip(wrong, (-1, second, second), strict=True):
        assert _best_partner(table, state, spare, 0, rows, others, both, bounds, -9.0, nobody)[1] == expected


@pytest.mark.parametrize(("seed", "k", "turn"), [(1, 2, 0), (2, 3, 1), (3, 2, 3)])
def test_grouping_anew_gains_what_it_says_and_keeps_k(seed: int, k: int, turn: int) -> None:
    random = np.random.default_rng(seed)
    table, count = uneven(6 * k + 1, seed), 5
    groups = np.concatenate([np.repeat(np.arange(count), k), np.zeros(k + 1, np.int64)])
    random.shuffle(groups)
    states = new_state(table), new_state(table)
    near = neighbours(table, states[0], groups, count, 2)

    def listed() -> list[list[int]]:
        return [np.flatnonzero(groups == g).tolist() for g in range(int(groups.max()) + 1)]

    before = total(table, *listed())
    gain = regroup(table, *states, groups, count, k, near, turn)
    assert gain > 0
    assert before - total(table, *listed()) == pytest.approx(gain)
    assert min(map(len, listed())) >= k
    # The first group had 2k + 1 records: made anew with its nearest it has more parts than before.
    assert len(listed()) > count


def test_many_full_groups_become_as_many_more_as_there_are_records_for() -> None:
    # Six groups of 2k - 1 at once: ten of k.
    table = uneven(30, 6)
    groups = np.tile(np.arange(6), 5)
    states = new_state(table), new_state(table)
    near = neighbours(table, states[0], groups, 6, 5)
    assert regroup(table, *states, groups, 6, 3, near, 0) > 0
    assert np.bincount(groups).tolist() == [3] * 10


@pytest.mark.parametrize(("seed", "k"), [(1, 2), (2, 3), (3, 2)])
def test_a_few_groups_are_exchanged_among_each_other_until_nothing_gains(seed: int, k: int) -> None:
    table = uneven(5 * k + 1, seed)
    states = new_state(table), new_state(table)
    expected = gather(table, states[0], np.arange(5 * k + 1), k, 2).tolist()
    near = np.array([[h for h in range(5) if h != g] for g in range(5)])
    while plain_exchange(table, expected, k, near, []) > TINY:
        pass
    assert _anew(table, *states, k, 2).tolist() == expected


def test_all_groups_are_tried_also_with_few_neighbours() -> None:
    table = uneven(10, 1)._replace(
        numbers=np.array([0.0, 0.0, 0.1, 0.1, 0.2, 0.2, 0.8, 1.0, 0.8, 1.0]).reshape(10, 1),
        full=np.ones(1),
        codes=np.zeros((10, 1), np.int32),
        places=np.zeros((10, 1), np.int32),
    )
    groups, states = np.repeat(np.arange(5), 2), (new_state(table), new_state(table))
    gain = regroup(table, *states, groups, 5, 2, np.array([[1], [0], [1], [4], [3]]), 0)
    assert gain == pytest.approx(0.8)
    assert groups[6] == groups[8] != groups[7] == groups[9]


def test_new_groups_are_numbered_without_gaps() -> None:
    # Two pairs of groups of 2k - 1, far apart: each pair becomes three.
    far, near = np.repeat([0.0, 9.0], 6), np.tile([0.0, 0.1, 0.2, 0.3, 0.4, 0.5], 2)
    table = uneven(12, 2)._replace(numbers=np.column_stack([far, near]))
    groups, states = np.tile([0, 1], 6) + np.repeat([0, 2], 6), (new_state(table), new_state(table))
    assert regroup(table, *states, groups, 4, 2, np.array([[1], [0], [3], [2]]), 0) > 0
    assert np.bincount(groups).tolist() == [2] * 6
