"""The tree over records: its boxes and bounds by their definitions, its answers against asking every record."""

from __future__ import annotations

import math

import numpy as np
import pytest

from antifaz.kernels.clustering import RecordArrays, fill, joined, new_state
from antifaz.kernels.growing import grow, grow_all, rises, start
from antifaz.kernels.search_tree import NEVER, _away, _box, _rise, cheapest, farthest, shift
from antifaz.methods.clustering.greedy import GreedySearch, _empty_nodes
from oracles.grouped import UP, mixed_table, plain_loss

NAN = np.nan
#: Losses nearer than this tie.
NEAR = 1e-12


def one_column(
    numbers: list[float] | None = None, codes: list[int] | None = None, places: list[int] | None = None
) -> RecordArrays:
    """Return records of one attribute: the other two kinds are empty."""
    many = len(numbers or codes or places or [])
    like = mixed_table(many, 0)
    return like._replace(
        numbers=np.array(numbers or [], np.float64).reshape(many, 1 if numbers else 0),
        full=np.ones(1 if numbers else 0),
        codes=np.array(codes or [], np.int32).reshape(many, 1 if codes else 0),
        unit=like.unit[: 1 if codes else 0],
        blank=like.blank[: 1 if codes else 0],
        whole=like.whole[: 1 if codes else 0],
        places=np.array(places or [], np.int32).reshape(many, 1 if places else 0),
        up=UP[: 1 if places else 0],
    )


# -- the tree


def goes_left(table: RecordArrays, rows: list[int]) -> set[int] | None:
    """Return which points go left by the definition of a cut; None where all are alike."""
    choices: list[tuple[float, set[int]]] = []
    for a in range(table.numbers.shape[1]):
        known = {r: float(table.numbers[r, a]) for r in rows if not math.isnan(table.numbers[r, a])}
        if known:
            low, high = min(known.values()), max(known.values())
            gap = len(known) < len(rows)
            middle = high if gap else low + 0.5 * (high - low)
            weight = 0.5 * (float(table.full[a]) if gap else high - low)
            choices.append((weight, {r for r, number in known.items() if number <= middle}))
    for c in range(table.codes.shape[1]):
        held = {r: int(table.codes[r, c]) for r in rows}
        least, most = min(held.values()), max(held.values())
        weight = float(table.unit[c]) if least < most else 0.0
        choices.append((weight, {r for r, code in held.items() if 2 * code < least + most}))
    for p in range(table.places.shape[1]):
        held = {r: int(table.places[r, p]) for r in rows}
        level = next(i for i in range(4) if len({int(table.up[p, i, x]) for x in held.values()}) == 1)
        mine = held[rows[0]]
        weight = 0.5 * float(table.penalty[p, level, mine]) if level else 0.0
        below = max(level - 1, 0)
        choices.append((weight, {r for r, x in held.items() if table.up[p, below, x] == table.up[p, below, mine]}))
    best = max(weight for weight, _ in choices)
    return next(side for weight, side in choices if weight == best) if best > 0 else None


@pytest.mark.parametrize(
    ("seed", "numbers", "codes", "missing"), [(1, 2, 2, 0.1), (2, 1, 1, 0.0), (3, 0, 2, 0.0), (4, 2, 0, 0.3)]
)
def test_every_node_has_the_box_of_its_points_and_is_cut_where_they_differ_most(
    seed: int, numbers: int, codes: int, missing: float
) -> None:
    whole = mixed_table(70, seed, numbers=numbers, codes=codes, missing=missing)
    kinds = np.random.default_rng(seed).integers(0, 70, 70)
    made = GreedySearch(whole, np.arange(70), kinds)
    table, nodes, points = made.table, made.nodes, made.points
    left, seen = [0], 0
    while left:
        node = left.pop()
        seen += 1
        inside = list(range(nodes.start[node], nodes.stop[node]))
        part = table.numbers[inside]
        for a in range(numbers):
            known = part[~np.isnan(part[:, a]), a]
            ends = (known.min(), known.max()) if known.size else (np.inf, -np.inf)
            assert (nodes.low[node, a], nodes.high[node, a]) == ends
            assert nodes.gap[node, a] == (known.size < len(inside))
        assert nodes.least[node].tolist() == table.codes[inside].min(axis=0).tolist()
        assert nodes.most[node].tolist() == table.codes[inside].max(axis=0).tolist()
        places = table.places[inside, 0]
        assert nodes.level[node, 0] == next(i for i in range(4) if len(set(UP[0, i, places])) == 1)
        assert nodes.place[node, 0] in places
        bits = {int(points.kind[point]) % 64 for point in inside}
        assert int(nodes.kinds[node]) == sum(1 << bit for bit in bits)
        assert points.live[node] == len(inside)
        assert points.first[node] == min(points.queue[points.next[point]] for point in inside)
        child = nodes.child[node]
        if not child:
            assert len(inside) <= 8 or goes_left(table, inside) is None
            assert (points.leaf[inside] == node).all()
            continue
        assert len(inside) > 8
        assert (nodes.parent[child], nodes.parent[child + 1]) == (node, node)
        assert (nodes.start[child], nodes.stop[child + 1]) == (inside[0], inside[-1] + 1)
        assert nodes.stop[child] == nodes.start[child + 1]
        # Of a hierarchy the label of the box's own place goes left, and that is the first of the points as they came.
        first = next(point for point in inside if table.places[point, 0] == nodes.place[node, 0])
        ordered = [first, *(point for point in inside if point != first)]
        assert set(range(nodes.start[child], nodes.stop[child])) == goes_left(table, ordered)
        left += [child, child + 1]
    assert seen == nodes.start.size


def test_a_record_that_is_taken_is_gone_from_all_nodes_above_until_it_is_put_back() -> None:
    made = GreedySearch(mixed_table(40, 6), np.arange(40))
    nodes, points = made.nodes, made.points
    before = points.live.tolist(), points.first.tolist()
    deepest = int(np.argmax(points.leaf))
    taken = [shift(nodes, points, deepest, 1)]
    node, above = int(points.leaf[deepest]), set()
    while node >= 0:
        above.add(node)
        node = int(nodes.parent[node])
    assert [b - a for a, b in zip(points.live.tolist(), before[0], strict=True)] == [
        int(node in above) for node in range(nodes.start.size)
    ]
    assert shift(nodes, points, deepest, -1) == taken[0]
    assert (points.live.tolist(), points.first.tolist()) == before


def test_equal_records_are_one_point_and_are_taken_in_their_order() -> None:
    made = GreedySearch(one_column(numbers=[0.5, 0.25, 0.5, 0.5]), np.arange(4))
    point = int(made.point_of[0])
    assert [shift(made.nodes, made.points, point, 1) for _ in range(3)] == [0, 2, 3]
    assert (made.points.live.tolist(), made.points.first.tolist()) == ([1], [1])
    assert shift(made.nodes, made.points, int(made.point_of[1]), 1) == 1
    assert (made.points.live.tolist(), made.points.first.tolist()) == ([0], [NEVER])


# -- the bounds


def bounds(table: RecordArrays, box: list[int], group: list[int]) -> float:
    nodes, state = _empty_nodes(table, 1), new_state(table)
    _box(table, nodes, 0, np.array(box), np.zeros(table.numbers.shape[0], np.int64))
    fill(table, state, np.array(group))
    return float(_rise(table, state, nodes, 0, np.inf))


def least(table: RecordArrays, box: list[int], group: list[int]) -> float:
    state = new_state(table)
    fill(table, state, np.array(group))
    return min(float(joined(table, state, row, np.inf)) for row in box)


SCALE = one_column(numbers=[step / 8 for step in range(9)])
WORDS = one_column(codes=[0, 1, 2, 3, 4])
TREE = one_column(places=[0, 1, 2, 3, 4])


@pytest.mark.parametrize("table", [SCALE, WORDS, TREE], ids=["numbers", "categories", "hierarchy"])
def test_of_one_attribute_the_bound_is_what_the_cheapest_point_costs(table: RecordArrays) -> None:
    many = table.numbers.shape[0]
    stretches = [list(range(a, b + 1)) for a in range(many) for b in range(a, many)]
    if table is TREE:
        stretches = [[0], [3], [0, 1], [1, 0], [2, 3, 4], [4, 2, 3], [0, 1, 2, 3, 4], [3, 4, 0, 1, 2]]
    for box in stretches:
        for group in ([0], [many - 1], [1, 2], [2, 4], [0, many - 1]):
            assert bounds(table, box, group) == least(table, box, group)


def test_bounds_of_what_is_missing() -> None:
    known = one_column(numbers=[0.0, 0.25, NAN, NAN, 0.75])
    # A box with something missing: nothing is certain but what the group loses now.
    assert bounds(known, [0, 2], [1, 4]) == 0.5
    # A group that lacks something loses all, unless it and the box may both be missing throughout.
    assert bounds(known, [0, 1], [4, 2]) == 1.0
    assert bounds(known, [0, 2], [4, 2]) == 1.0
    assert bounds(known, [0, 1], [2, 3]) == 1.0
    assert bounds(known, [0, 2], [2, 3]) == 0.0
    words = one_column(codes=[0, 1, 5, 5, 2, 4])
    assert bounds(words, [0], [2, 3]) == 1.0
    assert bounds(words, [2], [2, 3]) == 0.0
    assert bounds(words, [2], [0, 2]) == 1.0
    assert bounds(words, [1, 4], [0, 2]) == 1.0
    # A box from 4 to missing holds the group's code, so it may cost nothing.
    assert bounds(words, [5, 2], [2, 3]) == 0.0
    assert bounds(words, [0, 1], [2, 3]) == 1.0


def test_a_bound_adds_up_all_attributes_until_it_is_above_the_limit() -> None:
    table = mixed_table(4, 3, missing=0.0)._replace(
        numbers=np.array([[0.0, 0.0], [0.5, 0.25], [0.0, 0.0], [1.0, 1.0]]),
        codes=np.array([[0, 0], [1, 1], [0, 0], [2, 2]], np.int32),
        places=np.array([[0], [1], [0], [4]], np.int32),
    )
    assert bounds(table, [1], [0]) == least(table, [1], [0]) == 0.75 + 2 / 8 + 0.25
    nodes, state = _empty_nodes(table, 1), new_state(table)
    _box(table, nodes, 0, np.array([1]), np.zeros(4, np.int64))
    fill(table, state, np.array([0]))
    assert [_rise(table, state, nodes, 0, limit) for limit in (0.74, 0.75, 0.875)] == [0.75, 0.875, 1.25]


def away(table: RecordArrays, box: list[int], row: int, *, strict: bool, far: bool) -> float:
    nodes = _empty_nodes(table, 1)
    _box(table, nodes, 0, np.array(box), np.zeros(table.numbers.shape[0], np.int64))
    return float(_away(table, nodes, 0, row, strict, far))


@pytest.mark.parametrize("table", [SCALE, WORDS, TREE], ids=["numbers", "categories", "hierarchy"])
def test_of_one_attribute_a_box_begins_and_ends_at_its_nearest_and_farthest_point(table: RecordArrays) -> None:
    many = table.numbers.shape[0]
    stretches = [list(range(a, b + 1)) for a in range(many) for b in range(a, many)]
    if table is TREE:
        stretches = [[0], [3], [0, 1], [1, 0], [2, 3, 4], [4, 2, 3], [0, 1, 2, 3, 4], [3, 4, 0, 1, 2]]
    for box in stretches:
        for row in range(many):
            near = [plain_loss(table, [row, each], apart=True) for each in box]
            assert away(table, box, row, strict=True, far=False) == min(near)
            apart = [plain_loss(table, [row, each]) for each in box]
            assert away(table, box, row, strict=False, far=True) == max(apart)


def test_how_far_what_is_missing_may_be() -> None:
    known = one_column(numbers=[0.0, 0.25, NAN, 0.75])
    assert away(known, [0, 1], 2, strict=True, far=False) == 1.0
    assert away(known, [0, 2], 2, strict=True, far=False) == 0.0
    assert away(known, [0, 2], 3, strict=True, far=False) == 0.0
    assert [away(known, box, 3, strict=False, far=True) for box in ([0, 2], [0, 1])] == [1.0, 0.75]
    assert away(known, [0, 1], 2, strict=False, far=True) == 1.0
    words = one_column(codes=[0, 1, 5, 4])
    # Different by as little as can be, near; with what is missing in the box, as far as can be.
    assert away(words, [1], 0, strict=False, far=False) == 1 / 8
    assert away(words, [2], 0, strict=False, far=False) == 1.0
    assert away(words, [2, 3], 0, strict=False, far=False) == 1 / 8
    assert away(words, [2, 3], 0, strict=False, far=True) == 1.0
    assert away(words, [0, 1], 2, strict=False, far=False) == 1.0
    assert away(words, [2], 2, strict=False, far=True) == 0.0
    assert away(words, [1], 0, strict=True, far=False) == 1.0


# -- the answers


def left_over(made: GreedySearch) -> list[int]:
    """The places of records that are left."""
    points = made.points
    return sorted(
        int(place) for p in range(points.next.size) for place in points.queue[points.next[p] : points.stop[p]]
    )


def plain_cheapest(table: RecordArrays, group: list[int], left: list[int], near: bool) -> int:
    losses = {row: plain_loss(table, [*group, row]) for row in left}
    ties = [row for row in left if losses[row] <= min(losses.values()) + NEAR]
    if near:
        apart = {row: plain_loss(table, [row, group[0]], apart=True) for row in ties}
        ties = [row for row in ties if apart[row] <= min(apart.values()) + NEAR]
    return ties[0]


@pytest.mark.parametrize("near", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_groups_grow_by_the_cheapest_of_the_kinds_that_are_allowed(seed: int, near: bool) -> None:
    whole = mixed_table(60, seed + 10, missing=0.1 * seed)
    kinds = np.random.default_rng(seed).integers(0, 3, 60)
    made = GreedySearch(whole, np.arange(60), kinds)
    allowed = np.array([True, False, True])
    while len(left := left_over(made)) > 30:
        point = start(made.table, made.nodes, made.points, made.groups, made.point_of, made.at, False)
        assert point == made.point_of[left[0]]
        members, places = np.full(6, -7), np.full(6, -7)
        members[0], places[0] = point, shift(made.nodes, made.points, point, 1)
        size = grow(made.table, made.state, made.nodes, made.points, members, places, 1, 5, near, allowed)
        group = [left.pop(0)]
        while len(group) < 5:
            group.append(plain_cheapest(whole, group, [row for row in left if allowed[kinds[row]]], near))
            left.remove(group[-1])
        assert (size, places.tolist()) == (5, [*group, -7])
        assert members[:5].tolist() == made.point_of[group].tolist()
        made.groups[group] = 0


def test_a_group_that_finds_no_more_of_its_kinds_stays_as_large_as_it_is() -> None:
    made = GreedySearch(one_column(numbers=[0.0, 0.25, 0.5, 1.0]), np.arange(4), np.array([0, 1, 0, 1]))
    point = int(made.point_of[0])
    members, places = np.array([point, -7, -7, -7]), np.array([shift(made.nodes, made.points, point, 1), -7, -7, -7])
    kinds = np.array([True, False])
    found = grow(made.table, made.state, made.nodes, made.points, members, places, 1, 4, False, kinds)
    assert (found, places.tolist()) == (2, [0, 2, -7, -7])
    # It goes on from what it has, also where that is more than one.
    found = grow(made.table, made.state, made.nodes, made.points, members, places, 2, 3, False, ~kinds)
    assert (found, places.tolist()) == (3, [0, 2, 1, -7])


def test_a_group_takes_in_the_first_point_of_the_tree_as_any_other() -> None:
    for row in range(4):
        made = GreedySearch(one_column(numbers=[0.0, 0.25, 0.5, 1.0]), np.arange(4))
        point = int(made.point_of[row])
        members, places = np.full(4, -7), np.full(4, -7)
        members[0], places[0] = point, shift(made.nodes, made.points, point, 1)
        every = np.ones(1, np.bool_)
        assert grow(made.table, made.state, made.nodes, made.points, members, places, 1, 4, False, every) == 4
        assert (sorted(members), sorted(places)) == ([0, 1, 2, 3], [0, 1, 2, 3])


@pytest.mark.parametrize("seed", range(3))
def test_the_farthest_is_found_as_by_asking_all(seed: int) -> None:
    whole = mixed_table(60, seed + 20)
    made = GreedySearch(whole, np.arange(60))
    for last in (0, 17, 40):
        left = left_over(made)
        apart = {row: plain_loss(whole, [row, last]) for row in left}
        expected = next(row for row in left if apart[row] >= max(apart.values()) - NEAR)
        at = farthest(made.table, made.nodes, made.points, int(made.point_of[last]))
        assert at == made.point_of[expected]
        made.at[2] = made.point_of[last]
        assert start(made.table, made.nodes, made.points, made.groups, made.point_of, made.at, True) == at
        for row in left[::3]:
            shift(made.nodes, made.points, int(made.point_of[row]), 1)


def test_what_a_box_says_can_not_win_is_not_looked_at() -> None:
    """A point that lies outside the box of its node is not found: nobody looks there."""
    made = GreedySearch(one_column(numbers=[step / 32 for step in range(32)]), np.arange(32))
    state, any_kind = new_state(made.table), np.ones(1, np.bool_)
    fill(made.table, state, made.point_of[:1])
    shift(made.nodes, made.points, int(made.point_of[0]), 1)
    moved = int(made.point_of[31])
    made.table.numbers[moved] = 0.0
    assert cheapest(made.table, state, made.nodes, made.points, 0, False, any_kind) == made.point_of[1]
    made.table.numbers[moved], made.table.numbers[made.point_of[4]] = 31 / 32, 9.0
    assert farthest(made.table, made.nodes, made.points, int(made.point_of[0])) == moved


def test_the_rise_of_every_group_by_every_record() -> None:
    table = mixed_table(12, 30)
    groups = np.array([0, 1, 1, 0, 2, 2, 2, 0, 0, -1, -1, -1])
    rows, out = np.array([9, 11, 10]), np.full((3, 3), -7.0)
    rises(table, new_state(table), groups, 3, rows, out)
    members = [[r for r in range(12) if groups[r] == g] for g in range(3)]
    assert out.tolist() == [
        [(len(m) + 1) * plain_loss(table, [*m, int(r)]) - len(m) * plain_loss(table, m) for r in rows] for m in members
    ]


def test_groups_are_made_until_few_points_or_too_few_records_are_left() -> None:
    for enough, k, groups in [(10, 2, 5), (11, 2, 5), (9, 2, 6), (-1, 2, 10), (-1, 3, 6), (20, 2, 0)]:
        made = GreedySearch(one_column(numbers=[step / 32 for step in range(20)]), np.arange(20))
        tree = made.table, made.state, made.nodes, made.points
        grow_all(*tree, made.groups, made.point_of, k, made.at, False, False, enough)
        assert made.groups.tolist() == [*np.repeat(np.arange(groups), k), *[-1] * (20 - groups * k)]
        assert made.at[:3].tolist() == [groups, 20 - groups * k, made.point_of[groups * k - 1] if groups else -1]
