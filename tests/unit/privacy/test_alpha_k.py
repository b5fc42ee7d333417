"""(α, k)-anonymity, on tables that can be judged by eye."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.core.errors import ParameterError
from antifaz.privacy import AlphaK
from oracles import brute
from unit.privacy.test_l_diversity import CLASSES, table


def alpha_k(alpha: float, k: int = 1) -> AlphaK:
    return AlphaK(alpha=alpha, k=k, attribute="s")


def test_no_value_has_more_than_its_share() -> None:
    found = table({"a": 3, "b": 1}, {"a": 1, "b": 1}, {"a": 2, "b": 2, "c": 1}, {"c": 9})
    assert alpha_k(0.75).passes(found).tolist() == [True, True, True, False]
    assert alpha_k(0.5).passes(found).tolist() == [False, True, True, False]
    assert alpha_k(0.4).passes(found).tolist() == [False, False, True, False]
    assert alpha_k(1).passes(found).tolist() == [True] * 4
    assert alpha_k(0.5).achieved(found) == 1


def test_every_class_has_k_records_too() -> None:
    found = table({"a": 1, "b": 1}, {"a": 2, "b": 2})
    assert alpha_k(0.5, 3).passes(found).tolist() == [False, True]
    assert alpha_k(0.5, 4).passes(found).tolist() == [False, True]
    verdict = alpha_k(0.5, 3).judge(found)
    assert (verdict.holds, verdict.failing, verdict.achieved) == (False, 2, 0.5)


def test_missing_is_a_value() -> None:
    assert alpha_k(0.5).passes(table({None: 3, "a": 1}, {None: 2, "a": 2})).tolist() == [False, True]


def test_a_share_is_the_decimal_that_was_written() -> None:
    for n in range(1, 100):
        found = table({"a": n, "b": 100 - n})
        assert alpha_k(max(n, 100 - n) / 100).passes(found).tolist() == [True]
        assert alpha_k((max(n, 100 - n) - 1) / 100).passes(found).tolist() == [False]


@settings(deadline=None, max_examples=100)
@given(CLASSES, st.integers(1, 20).map(lambda n: n / 20), st.integers(1, 8))
def test_it_agrees_with_brute_force(classes: list[dict[str | None, int]], alpha: float, k: int) -> None:
    ok = brute.both(brute.k_anonymous(k), brute.alpha_share(alpha, "s"))
    members = [[{"s": value} for value, n in cells.items() for _ in range(n)] for cells in classes]
    assert alpha_k(alpha, k).passes(table(*classes)).tolist() == [ok(group, group) for group in members]


def test_joined_classes_keep_alpha_but_one_may_spoil_another() -> None:
    assert alpha_k(0.5).monotone_generalization
    assert not alpha_k(0.5).monotone_suppression
    assert alpha_k(0.5).passes(table({"a": 1, "b": 1}, {"a": 8})).tolist() == [True, False]
    assert alpha_k(0.5).passes(table({"a": 9, "b": 1})).tolist() == [False]


def test_a_table_without_records_holds() -> None:
    verdict = alpha_k(0.5, 3).judge(table())
    assert (verdict.holds, verdict.achieved, verdict.failing) == (True, None, 0)
    assert alpha_k(0.5, 3).passes(table()).dtype == np.bool_


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"alpha": 0, "k": 2}, "alpha should be greater than 0"),
        ({"alpha": 1.01, "k": 2}, "alpha should be less than or equal to 1"),
        ({"alpha": 0.5, "k": 0}, "k should be greater than or equal to 1"),
        ({"alpha": 0.5}, "'k' is needed"),
        ({"k": 5}, "'alpha' is needed"),
    ],
)
def test_a_bad_parameter_is_named_in_one_sentence(given: dict[str, object], said: str) -> None:
    with pytest.raises(ParameterError) as caught:
        AlphaK(**given)
    assert str(caught.value).startswith("alpha-k: ")
    assert said in str(caught.value)
