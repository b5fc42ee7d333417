"""Greedy grouping with the search tree: the groups that asking every record would give."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from antifaz.kernels.clustering import RecordArrays
from antifaz.methods.clustering.greedy import gather_many

#: Losses nearer than this tie.
NEAR = 1e-12
#: A hierarchy of five values: a, b | c, d, e | all, and a level beyond; what each level costs.
UP = np.array([[[0, 1, 2, 3, 4], [0, 0, 1, 1, 1], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0]]], np.int32)
COST = np.array([[[0.0] * 5, [0.25, 0.25, 0.5, 0.5, 0.5], [1.0] * 5, [1.0] * 5]])


@st.composite
def tables(draw: st.DrawFn) -> RecordArrays:
    rows = draw(st.integers(1, 90))
    random = np.random.default_rng(draw(st.integers(0, 10**6)))
    numbers, codes = draw(st.integers(0, 2)), draw(st.integers(0, 3))
    values = random.integers(0, draw(st.sampled_from([3, 10, 1000])), (rows, numbers)) / 7
    values[random.random((rows, numbers)) < draw(st.sampled_from([0.0, 0.2]))] = np.nan
    return RecordArrays(
        numbers=values,
        full=np.nan_to_num(np.array([np.ptp(c[~np.isnan(c)]) if (~np.isnan(c)).any() else 0.0 for c in values.T])),
        codes=random.integers(0, 6, (rows, codes)).astype(np.int32),
        unit=np.full(codes, 1 / 5),
        # The last code of the first category is what is missing.
        blank=np.array([5, -1, -1][:codes], np.int32),
        whole=np.ones(codes),
        most=6,
        places=random.integers(0, 5, (rows, 1)).astype(np.int32),
        up=UP,
        penalty=COST,
    )


def plain_loss(table: RecordArrays, rows: list[int], apart: bool = False) -> float:
    """What a group loses, by the definition; with `apart`, different categories lie as far apart as can be."""
    loss = 0.0
    for a in range(table.numbers.shape[1]):
        held = [float(table.numbers[r, a]) for r in rows]
        known = [v for v in held if not math.isnan(v)]
        mixed = 0 < len(known) < len(held)
        loss += float(table.full[a]) if mixed else (max(known) - min(known) if known else 0.0)
    for c in range(table.codes.shape[1]):
        codes = {int(table.codes[r, c]) for r in rows}
        whole = len(codes) > 1 and (apart or int(table.blank[c]) in codes)
        loss += float(table.whole[c]) if whole else (len(codes) - 1) * float(table.unit[c])
    places = {int(table.places[r, 0]) for r in rows}
    level = next(i for i in range(4) if len({int(UP[0, i, p]) for p in places}) == 1)
    return loss + float(COST[0, level, min(places)])


def plain_gather(table: RecordArrays, k: int, first: int, far: bool, near: bool) -> list[int]:
    left, groups, last, count = list(range(table.numbers.shape[0])), [-1] * table.numbers.shape[0], -1, 0
    while len(left) >= k:
        if not count:
            seed = first
        elif far:
            away = {row: plain_loss(table, [row, last]) for row in left}
            seed = next(row for row in left if away[row] >= max(away.values()) - NEAR)
        else:
            seed = left[0]
        group = [seed]
        left.remove(seed)
        while len(group) < k:
            losses = {row: plain_loss(table, [*group, row]) for row in left}
            ties = [row for row in left if losses[row] <= min(losses.values()) + NEAR]
            if near:
                away = {row: plain_loss(table, [row, seed], apart=True) for row in ties}
                ties = [row for row in ties if away[row] <= min(away.values()) + NEAR]
            group.append(ties[0])
            left.remove(ties[0])
        for row in group:
            groups[row] = count
        last, count = group[-1], count + 1
    for row in left:
        members = [[r for r, g in enumerate(groups) if g == at] for at in range(count)]
        rises = [(len(m) + 1) * plain_loss(table, [*m, row]) - len(m) * plain_loss(table, m) for m in members]
        groups[row] = next(at for at, rise in enumerate(rises) if rise <= min(rises) + NEAR)
    return groups


def alike(table: RecordArrays, row: int) -> list[bytes]:
    return [part[row].tobytes() for part in (table.numbers, table.codes, table.places)]


@pytest.mark.parametrize("near", [False, True])
@pytest.mark.parametrize("far", [False, True])
@settings(deadline=None, max_examples=80)
@given(table=tables(), data=st.data())
def test_the_tree_finds_what_asking_every_record_finds(
    far: bool, near: bool, table: RecordArrays, data: st.DataObject
) -> None:
    rows = table.numbers.shape[0]
    k, first = data.draw(st.integers(1, min(rows, 12))), data.draw(st.integers(0, rows - 1)) if far else 0
    # Of records that are alike in all, the first is taken, whichever was meant.
    first = next(row for row in range(rows) if alike(table, row) == alike(table, first))
    found: NDArray[np.int64] = gather_many(table, np.arange(rows), k, first, far=far, near=near)
    assert found.tolist() == plain_gather(table, k, first, far, near)


def test_a_tree_that_is_built_anew_forgets_nothing() -> None:
    random = np.random.default_rng(2)
    table = RecordArrays(
        numbers=random.random((400, 2)),
        full=np.ones(2),
        codes=random.integers(0, 6, (400, 2)).astype(np.int32),
        unit=np.full(2, 1 / 5),
        blank=np.full(2, -1, np.int32),
        whole=np.ones(2),
        most=6,
        places=random.integers(0, 5, (400, 1)).astype(np.int32),
        up=UP,
        penalty=COST,
    )
    found = gather_many(table, np.arange(400), 3, 17, far=True, near=True)
    assert found.tolist() == plain_gather(table, 3, 17, True, True)
    assert set(Counter(found.tolist()).values()) <= {3, 4}
