"""The loss of groups and the distance of records, by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from antifaz.kernels.clustering import (
    RecordArrays,
    _cheapest,
    _farthest,
    _least_rise,
    _take,
    add,
    by_group,
    clear,
    distance,
    fill,
    gather,
    joined,
    nearest_group,
    new_state,
    total_loss,
)
from antifaz.kernels.improvement import exchange, neighbours, regroup
from antifaz.kernels.one_pass import _apart, one_pass
from oracles.grouped import mixed_table, plain_loss

NAN = np.nan


def table(
    numbers: list[list[float]] | None = None, codes: list[int] | None = None, places: list[int] | None = None
) -> RecordArrays:
    """Return records of up to three attributes.

    A number of weight 1; a category of which one more value costs 0.25, missing (code 3) 1; and one with a hierarchy:
    codes 0 and 1 below one label at level 1, where they cost 0.5, and all below the top, where they cost 1.
    """
    many = len(numbers or codes or places or [])
    return RecordArrays(
        numbers=np.array(numbers or [[] for _ in range(many)], np.float64).reshape(many, -1),
        full=np.ones(1 if numbers else 0),
        codes=np.array(codes or [], np.int32).reshape(many, 1 if codes else 0),
        unit=np.full(1 if codes else 0, 0.25),
        blank=np.full(1 if codes else 0, 3, np.int32),
        whole=np.ones(1 if codes else 0),
        most=4,
        places=np.array(places or [], np.int32).reshape(many, 1 if places else 0),
        up=np.array([[[0, 1, 2], [0, 0, 1], [0, 0, 0]]], np.int32),
        penalty=np.array([[[0.0, 0.0, 0.0], [0.5, 0.5, 0.25], [1.0, 1.0, 1.0]]]),
    )


def loss(made: RecordArrays, *rows: int) -> float:
    return fill(made, new_state(made), np.array(rows, np.int64))


def test_numbers_lose_their_span_and_all_where_one_is_missing() -> None:
    made = table(numbers=[[0.2], [0.7], [0.5], [NAN], [NAN]])
    assert loss(made) == 0.0
    assert loss(made, 0) == 0.0
    assert loss(made, 0, 1) == pytest.approx(0.5)
    assert loss(made, 1, 2, 0) == pytest.approx(0.5)
    assert loss(made, 2, 3) == 1.0
    assert loss(made, 3, 2) == 1.0
    assert loss(made, 3, 4) == 0.0


def test_categories_lose_for_every_value_more_and_all_where_one_is_missing() -> None:
    made = table(codes=[0, 1, 1, 2, 3, 3])
    assert [loss(made, 1, 2), loss(made, 0, 1), loss(made, 0, 1, 2, 3)] == [0.0, 0.25, 0.5]
    assert [loss(made, 0, 4), loss(made, 4, 0), loss(made, 4, 5)] == [1.0, 1.0, 0.0]


def test_hierarchies_lose_what_their_common_label_costs() -> None:
    made = table(places=[0, 1, 2, 0])
    assert [loss(made, 0, 3), loss(made, 0, 1), loss(made, 1, 2), loss(made, 0, 1, 2)] == [0.0, 0.5, 1.0, 1.0]


def test_a_record_more_is_weighed_without_joining() -> None:
    made = table(numbers=[[0.0], [0.5], [1.0]], codes=[0, 1, 0], places=[0, 1, 2])
    state = new_state(made)
    add(made, state, 0)
    assert joined(made, state, 1, np.inf) == 0.5 + 0.25 + 0.5
    assert joined(made, state, 2, np.inf) == 1.0 + 0.0 + 1.0
    # Numbers alone reach the limit: the rest is not looked at.
    assert joined(made, state, 2, 1.0) == 1.0
    assert joined(made, state, 2, 1.01) == 2.0
    add(made, state, 1)
    assert joined(made, state, 0, np.inf) == 1.25
    clear(state)
    assert joined(made, state, 2, np.inf) == 0.0


def test_a_new_state_is_that_of_a_group_without_records() -> None:
    made = table(numbers=[[0.5]], codes=[2], places=[2])
    # One record, and more attributes of each kind than that.
    made = made._replace(
        numbers=np.tile(made.numbers, 2),
        full=np.ones(2),
        codes=np.tile(made.codes, 2),
        unit=np.tile(made.unit, 2),
        blank=np.tile(made.blank, 2),
        whole=np.ones(2),
        places=np.tile(made.places, 2),
        up=np.tile(made.up, (2, 1, 1)),
        penalty=np.tile(made.penalty, (2, 1, 1)),
    )
    state, cleared = new_state(made), new_state(made)
    clear(cleared)
    for empty in (state, cleared):
        assert joined(made, empty, 0, np.inf) == 0.0
        add(made, empty, 0)
        assert joined(made, empty, 0, np.inf) == 0.0
        assert empty.distinct.tolist() == [1, 1]


def test_records_are_as_far_apart_as_a_group_of_the_two_loses() -> None:
    made = table(numbers=[[0.0], [0.5], [NAN], [NAN]], codes=[0, 1, 3, 0], places=[0, 1, 2, 0])
    unit = made.unit
    assert distance(made, 0, 1, unit) == 1.25
    assert distance(made, 1, 0, unit) == 1.25
    assert distance(made, 0, 2, unit) == 3.0
    assert distance(made, 2, 3, unit) == 0.0 + 1.0 + 1.0
    assert distance(made, 0, 3, unit) == 1.0
    assert distance(made, 0, 1, np.array([0.75])) == 1.75


def test_places_are_listed_group_by_group() -> None:
    order, offsets = by_group(np.array([1, -1, 0, 1, 2]), 4)
    assert (order.tolist(), offsets.tolist()) == ([2, 0, 3, 4], [0, 1, 3, 4, 4])


def test_the_total_is_the_loss_of_every_record() -> None:
    made = table(numbers=[[0.0], [0.5], [1.0], [0.75]])
    assert total_loss(made, new_state(made), np.array([0, 0, 1, 1]), 2) == 2 * 0.5 + 2 * 0.25


LINE = [[0.0], [0.1], [0.5], [0.55], [0.9], [1.0], [0.2]]


def test_groups_grow_by_what_costs_least_from_the_farthest_on() -> None:
    made = table(numbers=LINE)
    rows = np.arange(7)
    # From 0.0: 0.1. Farthest from 0.1 is 1.0: 0.9. Farthest from 0.9 is 0.2: 0.5. What is left, 0.55, joins that.
    assert gather(made, new_state(made), rows, 2, 0).tolist() == [0, 0, 2, 2, 1, 1, 2]
    assert gather(made, new_state(made), rows[:6], 2, 4).tolist() == [1, 1, 2, 2, 0, 0]
    assert gather(made, new_state(made), rows[:6], 3, 0).tolist() == [0, 0, 0, 1, 1, 1]
    # Of records that cost the same the first is taken, though sums may differ in the last bit.
    same = table(numbers=[[0.3], [0.1], [0.5], [0.5]])
    assert gather(same, new_state(same), np.arange(4), 2, 0).tolist() == [0, 0, 1, 1]


def test_one_costs_nothing_ends_the_search() -> None:
    made = table(codes=[0, 1, 0, 1, 0, 1])
    assert gather(made, new_state(made), np.arange(6), 3, 0).tolist() == [0, 1, 0, 1, 0, 1]


def test_what_is_left_joins_the_group_whose_total_it_raises_least() -> None:
    made = mixed_table(24, 2, missing=0.0)
    groups = np.repeat([0, 1, 2, -1], [2, 4, 8, 10])
    rows = np.random.default_rng(2).permutation(24)
    members = [rows[groups == g].tolist() for g in range(3)]
    for row in rows[groups < 0].tolist():
        rises = [(len(m) + 1) * plain_loss(made, [*m, row]) - len(m) * plain_loss(made, m) for m in members]
        assert _least_rise(made, new_state(made), rows, groups, 3, row) == int(np.argmin(rises))


def test_a_record_that_is_passed_over_does_not_end_the_search() -> None:
    made, state = table(numbers=[[0.0], [0.5], [0.7], [0.2]]), new_state(table(numbers=[[0.0]]))
    add(made, state, 0)
    bound = np.array([0.0, 0.7, 0.0])
    assert _cheapest(made, state, np.array([1, 2, 3]), 3, bound, 0.0) == 2
    assert bound.tolist() == [0.5, 0.7, 0.2]


def test_of_records_equally_far_away_the_first_is_taken() -> None:
    made = table(numbers=[[0.5], [0.25], [0.75], [0.25], [1.0]])
    assert _farthest(made, np.array([0, 1, 2, 3, 4]), 4, 0) == 1
    assert _farthest(made, np.array([0, 1, 2, 3, 4]), 5, 0) == 4


def test_a_record_that_is_taken_leaves_no_gap() -> None:
    left, ids, bound = np.array([5, 6, 7, 8]), np.array([15, 16, 17, 18]), np.array([0.1, 0.2, 0.3, 0.4])
    _take(left, ids, bound, 3, 0)
    assert (left.tolist(), ids.tolist(), bound.tolist()) == ([6, 7, 7, 8], [16, 17, 17, 18], [0.2, 0.3, 0.3, 0.4])


def test_a_record_pays_for_all_of_its_new_group() -> None:
    for other, joins in [(0.74, 0), (0.65, 1)]:
        # In the first group, which lost 0.5 before, 0.5 loses 0.5 itself; in the other all three lose their span.
        made = table(numbers=[[0.0], [0.5], [other], [other], [0.5]])
        assert _least_rise(made, new_state(made), np.arange(5), np.array([0, 0, 1, 1, -1]), 2, 4) == joins


def test_the_group_that_is_cheapest_to_unite_with() -> None:
    # All records of the group count, not the last alone: 0.4 is nearer to 0.5.
    wide = table(numbers=[[0.0], [0.4], [0.5], [0.1]])
    assert nearest_group(wide, new_state(wide), np.array([0, 0, 1, 2]), 3, 0, np.ones(3, np.bool_)) == 2
    # Every record of both pays: four that are near cost less than one that is far.
    many = table(numbers=[[0.0], [0.1], [0.1], [0.1], [0.1], [0.4]])
    assert nearest_group(many, new_state(many), np.array([0, 1, 1, 1, 1, 2]), 3, 0, np.ones(3, np.bool_)) == 1
    made = table(numbers=[[0.0], [0.1], [0.2], [0.9], [0.5]])
    groups = np.array([0, 0, 1, 2, 3])
    free = np.array([True, True, True, True])
    assert nearest_group(made, new_state(made), groups, 4, 0, free) == 1
    assert nearest_group(made, new_state(made), groups, 4, 0, np.array([True, False, True, True])) == 3
    assert nearest_group(made, new_state(made), groups, 4, 2, free) == 3
    assert nearest_group(made, new_state(made), groups, 4, 0, np.array([True, False, False, False])) == -1


def test_the_nearest_groups_are_those_whose_first_record_costs_least() -> None:
    made = table(numbers=[[0.0], [0.1], [0.3], [0.3], [0.9], [1.0], [0.6]])
    groups = np.array([0, 0, 1, 1, 2, 2, 3])
    assert neighbours(made, new_state(made), groups, 4, 2).tolist() == [[1, 3], [0, 3], [3, 1], [1, 2]]
    assert neighbours(made, new_state(made), groups, 4, 3).tolist() == [[1, 3, 2], [0, 3, 2], [3, 1, 0], [1, 2, 0]]


def improved(
    numbers: list[float], groups: list[int], k: int, kinds: list[int] | None = None
) -> tuple[list[int], float]:
    made, now = table(numbers=[[number] for number in numbers]), np.array(groups)
    count = max(groups) + 1
    near = np.array([[h for h in range(count) if h != g] for g in range(count)])
    states = new_state(made), new_state(made)
    before = total_loss(made, states[0], now, count)
    gain = exchange(made, *states, now, count, k, near, np.array(kinds or [], np.int64))
    assert before - total_loss(made, states[0], now, count) == pytest.approx(gain)
    return now.tolist(), gain


def test_records_are_exchanged_or_moved_where_that_gains() -> None:
    assert improved([0.0, 1.0, 0.1, 0.9], [0, 0, 1, 1], 2) == ([1, 0, 1, 0], pytest.approx(3.2))
    # The last record is tried, too.
    assert improved([0.1, 0.1, 1.0, 0.9, 0.1], [0, 0, 1, 1, 1], 2) == ([0, 0, 1, 1, 0], pytest.approx(2.5))
    # One too many in a group moves, if the other is not full (2k - 1), and a group of k loses none.
    assert improved([0.0, 0.1, 0.9, 1.0, 0.9], [0, 0, 0, 1, 1], 2)[0] == [0, 0, 1, 1, 1]
    assert improved([0.0, 0.9, 1.0, 0.9], [0, 0, 1, 1], 2)[1] == 0.0
    assert improved([0.0, 0.1, 0.9, 1.0, 0.9, 0.9], [0, 0, 0, 1, 1, 1], 2)[0].count(1) == 3


def test_a_record_that_moved_counts_in_its_new_group() -> None:
    # 0.9 moves to {1.0, 0.95}, which is then full; 0.85 must stay.
    found, _ = improved([0.0, 0.1, 0.9, 0.85, 1.0, 0.95], [0, 0, 0, 0, 1, 1], 2)
    assert found == [0, 0, 1, 0, 1, 1]


def test_only_like_is_exchanged_for_like_where_kinds_are_given() -> None:
    assert improved([0.0, 1.0, 0.1, 0.9], [0, 0, 1, 1], 2, [0, 1, 1, 0])[0] == [1, 0, 1, 0]
    assert improved([0.0, 1.0, 0.1, 0.9], [0, 0, 1, 1], 2, [0, 1, 0, 1])[1] == 0.0
    assert improved([0.0, 1.0, 0.1, 0.9], [0, 0, 1, 1], 2, [0, 1, 2, 3]) == ([0, 0, 1, 1], 0.0)
    assert improved([0.0, 0.1, 0.9, 1.0, 0.9], [0, 0, 0, 1, 1], 2, [0, 0, 1, 2, 2])[1] == 0.0


def test_groups_are_made_anew_with_their_nearest() -> None:
    made = table(numbers=[[0.0], [0.5], [1.0], [0.05], [0.55], [0.95]])
    groups, states = np.array([0, 0, 1, 1, 2, 2]), (new_state(made), new_state(made))
    near = np.array([[1, 2], [0, 2], [0, 1]])
    before = total_loss(made, states[0], groups, 3)
    gain = regroup(made, *states, groups, 3, 2, near, 0)
    assert before - total_loss(made, states[0], groups, 3) == pytest.approx(gain)
    assert groups[0] == groups[3] != groups[1] == groups[4] != groups[2] == groups[5]


def test_one_pass_fills_all_groups() -> None:
    made = table(numbers=[[0.0], [0.02], [0.04], [0.06], [1.0], [0.5]])
    # 0.5 is nearer to the mean of the first group, 0.03; that has then five around 0.124, and gives away 0.02 and 0.5.
    assert one_pass(made, np.array([0, 4]), 3).tolist() == [0, 1, 0, 0, 1, 1]
    # Whichever comes first, and also the last of the groups gives away.
    assert one_pass(made, np.array([4, 0]), 3).tolist() == [1, 0, 1, 1, 0, 0]
    # With k = 2 it gives away three: the first fills the other group, and the rest go back to where they are nearest.
    assert one_pass(made, np.array([0, 4]), 2).tolist() == [0, 1, 0, 0, 1, 0]


def plain_apart(table: RecordArrays, centre: list[float], seed: int, row: int) -> float:
    """The distance from the mean in numbers, and from the first record in the rest."""
    apart = 0.0
    for a, mean in enumerate(centre):
        number = float(table.numbers[row, a])
        unknown = math.isnan(number) + math.isnan(mean)
        apart += [abs(number - mean), float(table.full[a]), 0.0][unknown]
    for c in range(table.codes.shape[1]):
        both = {int(table.codes[seed, c]), int(table.codes[row, c])}
        if len(both) > 1:
            apart += float(table.whole[c] if int(table.blank[c]) in both else table.unit[c])
    for p in range(table.places.shape[1]):
        one, other = int(table.places[row, p]), int(table.places[seed, p])
        level = next(i for i in range(4) if table.up[p, i, one] == table.up[p, i, other])
        apart += float(table.penalty[p, level, one])
    return apart


def plain_pass(table: RecordArrays, seeds: list[int], k: int) -> list[int]:
    rows, count = len(table.numbers), len(seeds)
    groups = [seeds.index(row) if row in seeds else -1 for row in range(rows)]
    centres = [table.numbers[seed].tolist() for seed in seeds]
    sizes = [1] * count

    def nearest(row: int, among: list[int]) -> int:
        away = {g: plain_apart(table, centres[g], seeds[g], row) for g in among}
        return min(among, key=lambda g: (away[g], g))

    for row in range(rows):
        if groups[row] < 0:
            g = groups[row] = nearest(row, list(range(count)))
            sizes[g] += 1
            for a, number in enumerate(table.numbers[row].tolist()):
                if not math.isnan(number):
                    centres[g][a] += (number - centres[g][a]) / sizes[g]
    for g in range(count):
        members = [row for row in range(rows) if groups[row] == g]
        away = {row: plain_apart(table, centres[g], seeds[g], row) for row in members}
        # The seed stays; of equals the first stay.
        by = sorted(members, key=lambda row: (row != seeds[g], away[row], row))
        for row in by[k:] if len(members) > k else []:
            groups[row], sizes[g] = -1, sizes[g] - 1
    for row in range(rows):
        if groups[row] < 0:
            needy = [g for g in range(count) if sizes[g] < k]
            groups[row] = nearest(row, needy or list(range(count)))
            sizes[groups[row]] += 1
    return groups


@pytest.mark.parametrize(
    ("seed", "rows", "k", "numbers", "codes"),
    [(1, 21, 3, 2, 2), (2, 22, 4, 1, 1), (3, 17, 2, 3, 0), (4, 25, 5, 0, 2), (5, 12, 3, 2, 1), (6, 40, 6, 2, 1)],
)
def test_all_records_are_grouped_as_the_definition_says(seed: int, rows: int, k: int, numbers: int, codes: int) -> None:
    table = mixed_table(rows, seed, numbers=numbers, codes=codes)
    seeds = np.random.default_rng(seed).permutation(rows)[: rows // k]
    found = one_pass(table, seeds, k).tolist()
    assert found == plain_pass(table, seeds.tolist(), k)
    assert min(found.count(g) for g in range(rows // k)) >= k


def test_a_record_is_apart_from_the_mean_and_from_the_first_record() -> None:
    table = mixed_table(30, 7, codes=2, missing=0.3)
    for row in range(30):
        for seed, centre in [(0, [0.5, np.nan]), (1, [np.nan, 0.25]), (2, [0.125, 1.0])]:
            expected = plain_apart(table, centre, seed, row)
            assert _apart(table, np.array(centre), seed, row, np.inf) == expected
            # Once it is not below the limit nothing more is added up.
            categories = plain_apart(
                table._replace(numbers=np.zeros((30, 0)), places=table.places[:, :0]), [], seed, row
            )
            if categories:
                assert categories <= _apart(table, np.array(centre), seed, row, categories) <= expected
                first = _apart(table, np.array(centre), seed, row, 1e-9)
                assert 0 < first <= categories
