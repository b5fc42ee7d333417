"""Tables of counts and sums against brute force, tables solved by hand, and what sdcTable prints."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from tests.oracles.cell_tables import consistent, every_table, patterns, table_of

import antifaz as az
from antifaz.tabulation.audit_intervals import intervals
from antifaz.tabulation.rules import Needs, Threshold
from antifaz.tabulation.suppression import CellSuppression
from antifaz.tabulation.suppression_search import SuppressionSearch

#: Investment by activity and region: the example of M. Fischetti and J. J. Salazar, JASA 95, 2000.
INVESTMENT = dict(zip(product(("I", "II", "III"), "ABC"), (20, 50, 10, 8, 19, 22, 17, 32, 12), strict=True))
TREE = {"d0": {"groups": [{"x": ["a", "b"], "y": ["c"]}], "suppression": True}}
#: The contributions by region and gender of the data that sdcTable's documentation uses (its microdata1).
MICRODATA = {
    ("A", "female"): [11, 9],
    ("A", "male"): [18, 15, 13, 13, 12, 11, 10, 10, 10, 9, 9, 9, 8, 7, 7, 6, 6, 5],
    ("B", "female"): [18, 16, 14, 14, 13, 13, 12, 12, 11, 10, 10, 9, 9, 8, 8, 8, 7, 7, 5],
    ("B", "male"): [15, 14, 14, 12, 11, 10, 10, 10, 9, 8, 8, 7, 7, 5],
    ("C", "female"): [19, 12, 12, 11, 10, 9, 9, 9, 8, 7],
    ("C", "male"): [18, 12, 12, 11, 11, 11, 10, 9, 6, 6, 6, 6],
    ("D", "female"): [18, 16, 14, 14, 11, 11, 11, 10, 10, 9, 9, 7, 6, 6],
    ("D", "male"): [280, 11, 10, 9, 9, 9, 8, 8, 8, 7, 7],
}


def investment():
    table = table_of(INVESTMENT, sums=True)
    # The paper says nothing of contributors: nobody is alone in a cell.
    table = replace(table, contributors=table.contributors * 5)
    return table, {labels: place for place, labels in enumerate(table.labels())}


def attacked(table, hidden, whole=False, most=1000.0):
    known = {i: (0.0, most) if hidden[i] else (float(v),) * 2 for i, v in enumerate(table.values)}
    relations = [(total, parts.tolist()) for total, parts in table.relations()]
    return intervals(known, relations, np.flatnonzero(hidden).tolist(), whole=whole)


def test_the_attack_on_the_example_of_fischetti_and_salazar_is_the_one_solved_by_hand():
    table, at = investment()
    hidden = np.zeros(table.size, bool)
    for labels in (("II", "A"), ("II", "C"), ("III", "A"), ("III", "C")):
        hidden[at[labels]] = True
    # II: A + C = 30, III: A + C = 29, A: II + III = 25, C: II + III = 34; so (II, C) = 30 - (II, A), 0 ≤ (II, A) ≤ 25.
    found = attacked(table, hidden)
    assert found[at["II", "C"]] == pytest.approx((5, 30))
    assert found[at["II", "A"]] == pytest.approx((0, 25))
    assert found[at["III", "A"]] == pytest.approx((0, 25))
    assert found[at["III", "C"]] == pytest.approx((4, 29))


def test_the_cells_that_protect_the_example_of_fischetti_and_salazar_are_the_cheapest():
    table, at = investment()
    needs = Needs.nothing(table.size)
    cell = at["II", "C"]
    needs.sensitive[cell] = True
    lower, upper = np.zeros(table.size), np.zeros(table.size)
    lower[cell], upper[cell] = 5.0, 8.0
    needs = Needs(sensitive=needs.sensitive, lower=lower, upper=upper, width=np.zeros(table.size))
    hidden, gap = SuppressionSearch(table, needs, table.values.astype(float)).solve(60)
    # Rectangles with (II, C): rows I or III, columns A or B, or a total. What (II, C) can rise by is what its partners
    # in row and column have: (II, A) has 8, and (III, C) 12, (I, C) 10. With III it costs 8 + 12 + 17 = 37, with I
    # 8 + 10 + 20 = 38; with column B 19 + 10 + 50 and 19 + 12 + 32 are more.
    assert gap == 0
    assert {labels for labels, i in at.items() if hidden[i]} == {("II", "C"), ("II", "A"), ("III", "C"), ("III", "A")}
    low, high = attacked(table, hidden)[cell]
    assert low <= 22 - 5
    assert high >= 22 + 8


_FLAT, _CUBE = list(product("abc", "mw")), list(product("ab", "mw", "12"))
SMALL = [
    pytest.param(dict(zip(_FLAT, (1, 3, 3, 3, 3, 3), strict=True)), None, id="one sensitive cell"),
    pytest.param(dict(zip(_FLAT, (1, 4, 0, 3, 3, 2), strict=True)), None, id="two, and an empty one"),
    pytest.param(dict(zip(_FLAT, (1, 2, 3, 3, 3, 3), strict=True)), None, id="two in one row"),
    pytest.param(dict(zip(_FLAT, (1, 3, 3, 3, 3, 3), strict=True)), TREE, id="subtotals"),
    pytest.param(dict(zip(_CUBE, (1, 1, 1, 1, 1, 0, 1, 1), strict=True)), None, id="three dimensions"),
]


@pytest.mark.parametrize(("cells", "hierarchies"), SMALL)
def test_no_other_set_of_hidden_cells_costs_less_and_holds(cells, hierarchies):
    table = table_of({labels: count for labels, count in cells.items() if count}, hierarchies)
    needs = Threshold(3).needs(table)
    costs = table.values + 0.001
    hidden, gap = SuppressionSearch(table, needs, costs).solve(60)
    assert gap == 0
    # A sensitive cell must be able to move by 2, and so must what moves with it.
    every = every_table(table, table.values + 2)

    def holds(pattern):
        found = consistent(every, table.values, ~pattern)[needs.sensitive]
        return (found.max(axis=1) - found.min(axis=1) >= 2).all()

    assert needs.sensitive.any()
    assert holds(hidden)
    cheaper = patterns(table, needs.sensitive, costs, float(costs[hidden].sum()) - 1e-6)
    assert not any(holds(pattern) for pattern in cheaper)


@pytest.mark.parametrize(("cells", "hierarchies"), SMALL)
def test_the_attack_finds_the_ends_that_a_list_of_all_tables_has(cells, hierarchies):
    table = table_of({labels: count for labels, count in cells.items() if count}, hierarchies)
    rng = np.random.default_rng(3)
    # The totals of the first dimension stay, so that no leaf is larger than its total.
    inner = table.size // table.shape[0]
    top = np.arange(table.size) < inner
    every = every_table(table, table.values[np.arange(table.size) % inner])
    for _ in range(4):
        hidden = (rng.random(table.size) < 0.6) & (table.values > 0) & ~top
        listed = consistent(every, table.values, ~hidden)
        for cell, interval in attacked(table, hidden, whole=True).items():
            assert interval == (listed[cell].min(), listed[cell].max())


def test_greedy_completion_holds_too_and_says_how_far_it_may_be_from_the_best():
    table = table_of(INVESTMENT)
    needs = Threshold(11).needs(table)
    costs = CellSuppression()._costs(table)
    greedy, gap = SuppressionSearch(table, needs, costs).solve(0)
    best, _ = SuppressionSearch(table, needs, costs).solve(60)
    assert costs[best].sum() <= costs[greedy].sum()
    assert costs[best].sum() >= costs[greedy].sum() * (1 - gap) - 1e-9
    found = attacked(table, greedy, whole=True)
    assert all(found[cell][1] - found[cell][0] >= 10 for cell in np.flatnonzero(needs.sensitive))


def microdata():
    rows = [(region, gender, value) for (region, gender), values in MICRODATA.items() for value in values]
    return pa.table(dict(zip(("region", "gender", "val"), map(list, zip(*rows, strict=True)), strict=True)))


def sensitive(table, rule):
    return {labels for labels, own in zip(table.labels(), rule.needs(table).sensitive, strict=True) if own}


def test_the_rules_find_what_sdctable_prints():
    from antifaz.hierarchies import flat
    from antifaz.tabulation.cell_counts import count_cells
    from antifaz.tabulation.contributions import contributions

    with az.open(microdata()) as data:
        counts = count_cells(contributions(data, {"region": flat(), "gender": flat()}))
        sums = count_cells(contributions(data, {"region": flat(), "gender": flat()}, measure="val"), 2)
    assert sensitive(counts, az.Threshold(3)) == {("A", "female")}  # freq, maxN = 2
    assert sensitive(sums, az.PPercent(30)) == {("A", "female"), ("D", "male")}  # p, p = 30


def test_the_cheapest_rectangle_hides_the_sensitive_cell_of_sdctables_data():
    release = az.tabulate(microdata(), ["region", "gender"], rules=az.Threshold(3))
    rows = release.frame.to_pylist()
    hidden = {(row["region"], row["gender"]) for row in rows if row["status"] == "suppressed"}
    # The other row is B with 33 people, C with 22 or D with 25.
    assert hidden == {("A", "female"), ("A", "male"), ("C", "female"), ("C", "male")}
    found = {(row["region"], row["gender"]): (row["low"], row["high"]) for row in release.intervals.to_pylist()}
    assert found["A", "female"] == (0, 12)  # 2 + t, where C female is 10 - t and A female not negative
    assert found["C", "male"] == (10, 22)


def test_intervals_are_open_where_no_total_is_shown():
    known = {"all": (0.0, 50.0), "a": (3.0, 3.0), "b": (0.0, 50.0)}
    found = intervals(known, [("all", ["a", "b"])], ["all", "b"], whole=True)
    assert found == {"all": (3, 50), "b": (0, 47)}
    assert not any(math.isinf(end) for ends in found.values() for end in ends)


#: Two firms stand alone in their cells of the first row; hidden by themselves, each would find the other exactly.
ALONE = {("I", "A"): [40], ("I", "B"): [60], ("I", "C"): [30] * 9, ("II", "A"): [20] * 9, ("II", "B"): [25] * 9,
         ("II", "C"): [35] * 9, ("III", "A"): [15] * 9, ("III", "B"): [18] * 9, ("III", "C"): [22] * 9}  # fmt: skip


@pytest.mark.parametrize("seconds", [60, 0])
def test_an_only_contributor_does_not_find_the_other_one(seconds):
    rows = [(*labels, amount) for labels, amounts in ALONE.items() for amount in amounts]
    frame = pa.table(dict(zip(("activity", "region", "turnover"), map(list, zip(*rows, strict=True)), strict=True)))
    release = az.tabulate(
        frame, ["activity", "region"], measure="turnover", rules=az.Threshold(3),
        protection=az.CellSuppression(seconds=seconds),
    )  # fmt: skip
    shown = {(row["activity"], row["region"]): row["turnover"] for row in release.frame.to_pylist()}
    first = {region: shown["I", region] for region in "ABC*"}
    assert first["A"] is None
    assert first["B"] is None
    assert None in (first["C"], first["*"])
