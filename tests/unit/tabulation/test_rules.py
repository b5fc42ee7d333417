"""The rules on cells solved by hand; both halves, that of the suppressor and that of the auditor, must say the same."""

import numpy as np
import pyarrow as pa
import pytest
from tests.failing import failing

import antifaz as az
from antifaz.hierarchies import flat
from antifaz.tabulation.audit import _needs
from antifaz.tabulation.audit_cells import CellTruth, TableTruth
from antifaz.tabulation.cell_counts import count_cells
from antifaz.tabulation.contributions import contributions


def table_of(cells, sums=True):
    rows = [(label, amount) for label, amounts in cells.items() for amount in amounts]
    frame = pa.table({"cell": [row[0] for row in rows], "amount": [row[1] for row in rows]})
    with az.open(frame) as data:
        return count_cells(contributions(data, {"cell": flat()}, measure="amount" if sums else None), 3)


def both(rule, cells, sums=True):
    """Return the needs of cells, as both halves find them: None where one is not sensitive."""
    table = table_of(cells, sums)
    found, truth = rule.needs(table), TableTruth(trees=({},), totals=("*",), counts=not sums, decimals=0, cells={})
    needs = {}
    for place, (label,) in enumerate(table.labels()):
        if label == "*":
            continue
        own = tuple(float(part[place]) for part in (found.lower, found.upper, found.width))
        needs[label] = own if found.sensitive[place] else None
        amounts = cells[label]
        cell = CellTruth(contributors=len(amounts), total=sum(amounts), entries=[(amount, 1) for amount in amounts])
        again = _needs(cell, [{**rule.parameters(), "name": rule.name}], truth)
        assert again == (None if needs[label] is None else pytest.approx(own))
    return needs


def needs(rule, amounts, sums=True):
    return both(rule, {"a": amounts}, sums)["a"]


def test_fewer_than_k_contributors_are_sensitive():
    assert needs(az.Threshold(3), [7, 7], sums=False) == (0, 0, 2)
    assert needs(az.Threshold(3), [7, 7, 7], sums=False) is None
    assert needs(az.Threshold(3), [70, 30]) == (10, 10, 0)
    assert needs(az.Threshold(3, within=0.5), [70, 30]) == (50, 50, 0)


def test_an_empty_cell_is_sensitive_only_where_that_is_asked():
    frame = pa.table({"a": ["x", "y"] * 3, "b": ["u", "v"] * 3})
    with az.open(frame) as data:
        table = count_cells(contributions(data, {"a": flat(), "b": flat()}))
    assert not az.Threshold(3).needs(table).sensitive.any()
    assert az.Threshold(3, zeros=True).needs(table).sensitive.sum() == 2


def test_dominance_at_and_over_its_limit():
    # 75 of 100 is exactly 75 %, which is not more.
    assert needs(az.Dominance(n=1, k=75), [75, 20, 5]) is None
    assert needs(az.Dominance(n=1, k=75), [76, 20, 4]) == pytest.approx((4 / 3, 4 / 3, 0))  # 76 / 0.75 - 100
    assert needs(az.Dominance(n=2, k=85), [60, 30, 10]) == pytest.approx((100 / 17, 100 / 17, 0))  # 90 / 0.85 - 100


def test_p_percent_at_and_under_its_limit():
    # The rest is 10: exactly 10 % of 100.
    assert needs(az.PPercent(10), [100, 50, 10]) is None
    assert needs(az.PPercent(10), [100, 50, 9]) == pytest.approx((1, 1, 0))
    assert needs(az.PPercent(10), [100]) == pytest.approx((10, 10, 0))


def test_both_halves_agree_on_random_cells():
    rng = np.random.default_rng(5)
    cells = {str(i): (rng.lognormal(3, 1.5, rng.integers(1, 6)) + 1).astype(int).tolist() for i in range(60)}
    for rule in (az.Threshold(3), az.Dominance(n=1, k=60), az.Dominance(n=3, k=80.5), az.PPercent(15)):
        assert {need is None for need in both(rule, cells).values()} == {True, False}


@pytest.mark.parametrize("rule", [az.Dominance(k=75), az.PPercent(10)])
def test_rules_on_amounts_need_amounts(rule):
    with failing("tabulation.rule-needs-sums", rule=rule.name):
        rule.needs(table_of({"a": [1]}, sums=False))
