"""Searching for who fits best, and counting who fits, against asking every tuple."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from antifaz.kernels.attacks import ALL, BLANK, HINT, MISS, MISSING, ONE, SOME, count_prefixes, gap_cost, search
from antifaz.risk.attacks import tables as cells

FAR = 10**9
Cell = tuple[float, float, int]


@dataclass
class Column:
    """A column of cells on a scale, stretches first by their lower ends; or of categories, by what each costs."""

    cells: list[Cell] | None = None
    costs: list[int] | None = None

    @property
    def size(self) -> int:
        return len(self.cells or self.costs or [])


def point(x: float) -> Cell:
    return (x, x, SOME)


def asking(low: float = 0.0, high: float | None = None, state: int = SOME, same: int = -1, unit: int = 1000) -> Any:
    return [low, low if high is None else high, state, same, unit]


def laid_out(columns: list[Column], rows: list[tuple[int, ...]], lead: int) -> dict[str, Any]:
    """Return the arrays that both kernels ask for."""
    codes = np.array(rows, np.int32)
    order = np.argsort(codes[:, lead], kind="stable").astype(np.int32)
    many = np.bincount(codes[:, lead], minlength=columns[lead].size)
    reach = [high for _, high, state in columns[lead].cells or [] if state == SOME]
    base = np.cumsum([0, *(column.size for column in columns)])
    return {
        "codes": codes[order],
        "order": order,
        "runs": np.concatenate([[0], np.cumsum(many)]),
        "reach": np.maximum.accumulate(np.array(reach, np.float64)),
        "base": base,
        "scaled": np.array([column.cells is not None for column in columns]),
        "cells": np.array([cell for c in columns for cell in c.cells or [(0, 0, 0)] * c.size], np.float64),
        "dense": np.array([cost for c in columns for cost in c.costs or [7] * c.size], np.int64),
    }


def searched(
    columns: list[Column], rows: list[tuple[int, ...]], asked: list[Any], *, lead: int = 0, part: int = 1,
    minus: int = 0, cap: int = FAR, skip: int = -1, best: int = FAR, floor: int = -1, found: int = 0,
    counts: list[int] | None = None, **other: Any,
) -> tuple[int, list[int]] | int:  # fmt: skip
    """Return the least cost and who costs it; or the cost that is below the floor."""
    given = laid_out(columns, rows, lead) | other
    out = np.full(len(rows) + found, -7, np.int64)
    cost, many = search(
        given["codes"], np.array(counts or [1] * len(rows)), lead, given["order"], given["runs"], given["reach"],
        given["base"], given["scaled"], given["cells"], given["dense"], np.array(asked, np.float64), part, minus, cap,
        skip, best, floor, found, out,
    )  # fmt: skip
    return int(cost) if many < 0 else (int(cost), out[:many].tolist())


def plain_cost(column: Column, item: int, asked: list[Any]) -> int:
    """What a cell costs, by the definition."""
    low, high, state, same, unit = asked
    if column.costs is not None:
        return 0 if column.costs[item] == 0 else column.costs[item] if same < 0 else same
    if same >= 0:
        return int(same)
    first, last, kind = (column.cells or [])[item]
    if kind == state == SOME:
        gap = max(first - high, low - last)
        return 0 if gap <= 0 else int(min(ONE, MISS + gap * unit))
    if ALL in {kind, state}:
        return HINT
    if {kind, state} == {MISSING, BLANK}:
        return 0
    return HINT if BLANK in {kind, state} else ONE


def test_states_are_those_that_cells_are_made_with() -> None:
    assert (SOME, ALL, MISSING, BLANK) == (cells.SOME, cells.ALL, cells.MISSING, cells.BLANK) == (0, 1, 2, 3)


@pytest.mark.parametrize(
    ("cell", "asked", "cost"),
    [
        ((2.0, 5.0, SOME), asking(5.0, 9.0), 0),
        ((2.0, 5.0, SOME), asking(0.0, 2.0), 0),
        ((2.0, 5.0, SOME), asking(7.0), MISS + 2000),
        ((2.0, 5.0, SOME), asking(-1.0, 1.0), MISS + 1000),
        ((2.0, 5.0, SOME), asking(5000.0), ONE),
        ((2.0, 5.0, SOME), asking(state=ALL), HINT),
        ((0.0, 0.0, ALL), asking(7.0), HINT),
        ((0.0, 0.0, ALL), asking(state=MISSING), HINT),
        ((0.0, 0.0, BLANK), asking(state=MISSING), 0),
        ((0.0, 0.0, MISSING), asking(state=BLANK), 0),
        ((0.0, 0.0, BLANK), asking(7.0), HINT),
        ((7.0, 7.0, SOME), asking(state=BLANK), HINT),
        ((0.0, 0.0, MISSING), asking(0.0), ONE),
        ((0.0, 0.0, SOME), asking(state=MISSING), ONE),
        ((0.0, 0.0, MISSING), asking(state=MISSING), ONE),
        ((0.0, 0.0, BLANK), asking(state=BLANK), HINT),
    ],
)
def test_what_two_cells_cost(cell: Cell, asked: list[Any], cost: int) -> None:
    assert gap_cost(*cell, np.array(asked, np.float64)) == cost == plain_cost(Column(cells=[cell]), 0, asked)


def drawn(seed: int) -> tuple[list[Column], list[tuple[int, ...]], list[int]]:
    """Return two columns on a scale and one of categories, and tuples of them."""
    random = np.random.default_rng(seed)

    def scale() -> Column:
        lows = np.sort(random.integers(0, 9, 5))
        stretches = [(float(low), float(low + random.integers(0, 4)), SOME) for low in lows]
        return Column(cells=[*stretches, (0.0, 0.0, ALL), (0.0, 0.0, BLANK if seed % 2 else MISSING)])

    columns = [scale(), Column(costs=[ONE, 0, ONE, 0]), scale()]
    rows = list(zip(*(random.integers(0, column.size, 24).tolist() for column in columns), strict=True))
    return columns, rows, random.integers(1, 3, 24).tolist()


def questions(seed: int) -> list[list[list[Any]]]:
    random = np.random.default_rng(seed + 50)
    low, wide = (random.integers(0, 12, 2).tolist() for _ in range(2))
    one, two = (asking(float(a), float(a + b // 4)) for a, b in zip(low, wide, strict=True))
    words = asking()
    return [
        [one, words, two], [two, words, one], [asking(state=MISSING), words, one], [one, words, asking(state=ALL)],
        [asking(same=3), words, two], [one, asking(same=5), two], [asking(20.0), words, two],
        [asking(-3.0), words, asking(same=0)],
    ]  # fmt: skip


@pytest.mark.parametrize("lead", [0, 1, 2])
@pytest.mark.parametrize("seed", range(4))
def test_who_costs_least_is_found_as_by_asking_all(seed: int, lead: int) -> None:
    columns, rows, counts = drawn(seed)
    for asked in questions(seed):
        costs = [sum(map(plain_cost, columns, row, asked)) for row in rows]
        least = min(costs)
        who = [t for t, cost in enumerate(costs) if cost == least]
        for best in (FAR, least + 1, least):
            cost, found = searched(columns, rows, asked, lead=lead, best=best, floor=least)  # type: ignore[misc]
            assert (cost, sorted(found)) == (least, who)
        assert searched(columns, rows, asked, lead=lead, best=least - 1) == (least - 1, [])
        # At the first who costs less than the floor it ends.
        below = searched(columns, rows, asked, lead=lead, best=least + 1, floor=least + 1)
        assert below == least
        # One record of a tuple does not count: with one only, the tuple is passed over.
        for skip in who[:2]:
            others = [cost for t, cost in enumerate(costs) if t != skip or counts[t] > 1]
            left = [t for t, cost in enumerate(costs) if cost == min(others) and (t != skip or counts[t] > 1)]
            cost, found = searched(columns, rows, asked, lead=lead, skip=skip, counts=counts)  # type: ignore[misc]
            assert (cost, sorted(found)) == (min(others), left)


LINE = Column(cells=[point(float(x)) for x in range(10)])
ROWS = [(x,) for x in range(10)]


def test_who_was_found_before_stays_while_nobody_costs_less() -> None:
    at_four = [asking(4.0)]
    assert searched([LINE], ROWS, at_four, best=0, found=2) == (0, [-7, -7, 4])
    assert searched([LINE], ROWS, at_four, best=1, found=2) == (0, [4])


def test_only_so_much_may_be_spent_on_the_leading_column() -> None:
    # Two columns of numbers; the second fits everywhere, so all cost comes from the first.
    columns, asked = [LINE, Column(cells=[point(0.0)])], [asking(4.5), asking(0.0)]
    rows = [(x, 0) for x in (1, 2, 6, 7, 9)]
    cost = MISS + 1500
    assert searched(columns, rows, asked) == (cost, [2])
    for limits in ({"cap": cost}, {"best": 2 * cost, "part": 2}, {"best": cost + 9, "minus": 9}):
        assert searched(columns, rows, asked, **limits) == (cost, [2])  # type: ignore[arg-type]
    for limits in ({"cap": cost - 1}, {"best": 2 * cost - 1, "part": 2}, {"best": cost + 9, "minus": 10}):
        assert searched(columns, rows, asked, **limits)[1] == []  # type: ignore[arg-type, index]
    # Categories, too: what fits is looked at first, and what does not only if it may pay.
    words = [Column(costs=[ONE, 0]), LINE]
    rows = [(0, 4), (1, 9), (0, 9)]
    assert searched(words, rows, [asking(), asking(4.0)]) == (MISS + 5000, [1])
    assert searched(words, rows[::2], [asking(), asking(4.0)]) == (ONE, [0])
    assert searched(words, rows[::2], [asking(), asking(4.0)], cap=ONE - 1) == (FAR, [])


@pytest.mark.parametrize("poisoned", [0, 9])
def test_outwards_it_ends_where_no_gap_can_be_made_up_for(poisoned: int) -> None:
    """A tuple that lies where by its order it can't is not found: nobody looks there."""
    asked = [asking(4.0)]
    given = laid_out([LINE], ROWS, 0)
    given["cells"][poisoned, :2] = 4.0
    given["cells"][4, :2] = 4.001
    # 4.001 costs MISS + 1; at 3 and 5 it is seen that all others cost more.
    assert searched([LINE], ROWS, asked, cells=given["cells"], reach=given["reach"]) == (MISS + 1, [4])
    # As long as the best is what lies there costs, it is looked at.
    near = [(x,) for x in (poisoned, 3 if poisoned == 0 else 5)]
    assert searched([LINE], near, asked)[0] == MISS + 1000  # type: ignore[index]


def test_a_stretch_that_reaches_far_is_found_behind_shorter_ones() -> None:
    column = Column(cells=[(0.0, 8.0, SOME), point(1.0), point(2.0), point(9.0), (0.0, 0.0, ALL)])
    rows = [(item,) for item in range(5)]
    assert searched([column], rows, [asking(7.0)]) == (0, [0])
    assert searched([column], rows, [asking(9.0)]) == (0, [3])
    assert searched([column], rows, [asking(8.5)]) == (HINT, [4])
    assert searched([column], rows[:4], [asking(8.75, unit=4)]) == (MISS + 1, [3])
    assert searched([column], rows[:4], [asking(8.25, unit=4)]) == (MISS + 1, [0])


def test_where_all_costs_the_same_nobody_lies_too_far_away() -> None:
    assert searched([LINE], ROWS, [asking(9.0, same=0)]) == (0, list(range(10)))
    assert searched([LINE], ROWS, [asking(0.0, same=0)], best=0) == (0, list(range(10)))


def test_a_scale_may_have_no_stretch_at_all() -> None:
    silent = Column(cells=[(0.0, 0.0, ALL), (0.0, 0.0, MISSING)])
    assert searched([silent], [(1,), (0,), (0,)], [asking(4.0)]) == (HINT, [1, 2])


def test_who_fits_in_the_leading_column_is_found_first() -> None:
    words = [Column(costs=[5, 1, 0]), Column(costs=[0, 4, 5])]
    rows = [(0, 0), (1, 1), (2, 2)]
    assert searched(words, rows, [asking(), asking()]) == (5, [2, 0, 1])


def counted(
    columns: list[Column], rows: list[tuple[int, ...]], counts: list[int], asked: list[Any], sequence: list[int], *,
    lead: int = 0, enough: int = FAR, **other: Any,
) -> list[int]:  # fmt: skip
    given = laid_out(columns, rows, lead) | other
    return count_prefixes(
        given["codes"], np.array(counts, np.int32)[given["order"]], lead, given["runs"], given["reach"], given["base"],
        given["scaled"], given["cells"], given["dense"], np.array(asked, np.float64), np.array(sequence), enough,
    ).tolist()  # fmt: skip


def fits(column: Column, item: int, asked: list[Any]) -> bool:
    if column.costs is not None:
        return column.costs[item] == 0
    low, high, state = (column.cells or [])[item]
    return state == SOME and low <= asked[1] and asked[0] <= high


@pytest.mark.parametrize("lead", [0, 1, 2])
@pytest.mark.parametrize("seed", range(3))
def test_who_fits_in_first_columns_is_counted_as_row_by_row(seed: int, lead: int) -> None:
    columns, rows, counts = drawn(seed)
    for asked in questions(seed)[:2]:
        for sequence in ([0, 1, 2], [2, 0], [1, 2, 0], [1], [0], [2]):
            expected = [
                sum(
                    count
                    for row, count in zip(rows, counts, strict=True)
                    if all(fits(columns[c], row[c], asked[c]) for c in sequence[:size])
                )
                for size in range(1, len(sequence) + 1)
            ]
            assert counted(columns, rows, counts, asked, sequence, lead=lead) == expected


def test_counting_ends_once_enough_fit_in_all_columns() -> None:
    asked, rows, ten = [asking(2.0, 8.0)], [(x,) for x in range(10)], [1] * 10
    assert counted([LINE], rows, ten, asked, [0]) == [7]
    assert counted([LINE], rows, ten, asked, [0], enough=7) == [7]
    assert counted([LINE], rows, ten, asked, [0], enough=3) == [4]
    assert counted([LINE], rows, ten, asked, [0], enough=0) == [1]


def test_only_items_that_may_fit_are_looked_at() -> None:
    """Where the column leads, those before the first that reaches, and after the last that begins, are passed over."""
    rows, ones = [(x,) for x in range(10)], [1] * 10
    given = laid_out([LINE], rows, 0)
    cells = given["cells"].copy()
    cells[0, 1] = 5.0  # reaches, though its reach says it does not
    assert counted([LINE], rows, ones, [asking(2.0, 4.0)], [0], cells=cells, reach=given["reach"]) == [3]
    assert counted([LINE], rows, ones, [asking(0.0, 4.0)], [0]) == [5]
    assert counted([LINE], rows, ones, [asking(9.0, 19.0)], [0]) == [1]
    assert counted([LINE], rows, ones, [asking(9.5, 19.0)], [0]) == [0]
    words = Column(costs=[0, ONE, 0])
    assert counted([words], [(0,), (1,), (2,), (2,)], [1, 2, 4, 8], [asking()], [0]) == [13]


@pytest.mark.parametrize("many", [4096, 4097])
def test_columns_of_few_and_of_many_items_are_counted_alike(many: int) -> None:
    wide = Column(cells=[point(float(x)) for x in range(many)])
    rows = [(0, 0), (0, many - 1), (1, many - 2), (1, 5), (0, 6), (0, many - 1)]
    columns, counts = [Column(costs=[0, ONE]), wide], [1, 2, 4, 8, 16, 32]
    asked = [asking(), asking(6.0, many - 1)]
    assert counted(columns, rows, counts, asked, [0, 1]) == [51, 50]
    assert counted(columns, rows, counts, asked, [1, 0]) == [54, 50]
    assert counted(columns, rows, counts, asked, [1, 0], lead=1) == [54, 50]
    assert counted(columns, rows, counts, [asking(), asking(0.0, 5.0)], [0, 1], lead=1) == [51, 1]
