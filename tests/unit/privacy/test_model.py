"""What all models share: shares of large tables, to the last bit."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from antifaz.counting.classes import SensitiveTable
from antifaz.privacy import (
    AlphaK,
    AverageRisk,
    BetaLikeness,
    KAnonymity,
    LDiversity,
    TCloseness,
)
from antifaz.privacy.model import in_order, largest_per_class, odds, per_class


def cells(classes: list[dict[int, int]], totals: list[int]) -> tuple[SensitiveTable, np.ndarray]:
    table = SensitiveTable(
        offsets=np.cumsum([0, *map(len, classes)]).astype(np.int64),
        values=np.array([value for each in classes for value in each], np.int32),
        counts=np.array([count for each in classes for count in each.values()], np.int64),
        totals=np.array(totals, np.int64),
        labels=tuple(str(i) for i in range(len(totals))),
    )
    return table, np.array([sum(each.values()) for each in classes], np.int64)


@pytest.mark.parametrize(
    ("frequent", "rare", "other"),
    [
        (1, 3, 7),
        (10**6, 3, 7 * 10**6),
        # Here a product of two counts lies between 2^53 and 2^54, and is no longer exact in floating point.
        (120_164_834, 61, 12_737_783),
        (95_802_741, 57, 17_059_972),
        (3 * 10**9, 3, 21 * 10**9),
    ],
)
def test_odds_are_rounded_once_however_large_the_table(frequent: int, rare: int, other: int) -> None:
    classes = [{0: frequent, 1: rare}, {0: 1, 1: other}]
    totals = [frequent + 1, rare + other]
    table, sizes = cells(classes, totals)
    whole = sum(totals)
    expected = [
        float(Fraction(count * whole, totals[value] * sum(each.values())))
        for each in classes
        for value, count in each.items()
    ]
    assert odds(table, sizes).tolist() == expected


def test_numbers_are_added_up_or_compared_within_their_class() -> None:
    table, _ = cells([{0: 1, 1: 2}, {1: 5}, {0: 3, 1: 1}], [4, 8])
    amounts = np.array([1.0, 4.0, 2.0, -1.0, -3.0])
    assert per_class(table, amounts).tolist() == [5.0, 2.0, -4.0]
    assert largest_per_class(table, amounts).tolist() == [4.0, 2.0, -1.0]


def test_the_cheap_are_judged_first_and_those_of_the_whole_table_last() -> None:
    models = [AverageRisk(0.5), LDiversity(2, attribute="s"), KAnonymity(2)]
    assert [model.name for model in in_order(models)] == ["k-anonymity", "l-diversity", "average-risk"]


def test_what_models_declare_is_what_they_need() -> None:
    about_values = [
        AlphaK(alpha=0.5, k=2, attribute="s"),
        LDiversity(2, attribute="s"),
        TCloseness(0.2, attribute="s"),
        BetaLikeness(1, attribute="s"),
    ]
    for model in about_values:
        assert (model.needs_sensitive, model.whole_table, model.monotone_generalization) == (True, False, True)
        assert (model.needs_tree, model.needs_values, model.sensitive()) == (False, False, ("s",))
    assert not BetaLikeness(1, attribute="s").enhanced
    assert TCloseness(0.2, attribute="s", distance="hierarchical").needs_tree
