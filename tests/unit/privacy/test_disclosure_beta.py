"""β-likeness, basic and enhanced, on tables that can be judged on paper."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.core.errors import ParameterError
from antifaz.privacy import BetaLikeness
from failing import failing
from oracles import brute
from unit.privacy.test_l_diversity import CLASSES, table


def beta(limit: float, *, enhanced: bool = False) -> BetaLikeness:
    return BetaLikeness(limit, attribute="s", enhanced=enhanced)


def test_only_gains_count() -> None:
    # p: a 6/12, b 6/12. First class: a 2/3 gains 1/3. Second: b 2/3 gains 1/3. Third: as the whole.
    found = table({"a": 2, "b": 1}, {"a": 1, "b": 2}, {"a": 3, "b": 3})
    assert beta(1 / 3).passes(found).tolist() == [True, True, True]
    assert beta(0.33).passes(found).tolist() == [False, False, True]
    assert beta(1).achieved(found) == pytest.approx(1 / 3)
    verdict = beta(0.33).judge(found)
    assert (verdict.holds, verdict.failing) == (False, 6)


def test_a_rare_value_gains_much() -> None:
    # The only gout of 100 is in a class of two: from 1/100 to 1/2, a gain of 49.
    found = table({"gout": 1, "flu": 1}, {"flu": 98})
    assert beta(49).passes(found).tolist() == [True, True]
    assert beta(48.9).passes(found).tolist() == [False, True]
    assert beta(1).achieved(found) == pytest.approx(49)


def test_enhanced_bounds_the_gain_of_frequent_values() -> None:
    # p(a) = 1/2: becoming certain is a gain of 1, and −ln ½ is 0.69.
    found = table({"a": 4}, {"b": 4})
    assert beta(1).passes(found).tolist() == [True, True]
    assert beta(9, enhanced=True).passes(found).tolist() == [False, False]
    assert beta(9, enhanced=True).achieved(found) is None  # no β would do
    # A gain of 1/3 of a half is below it, so then the enhanced is the basic one.
    mild = table({"a": 2, "b": 1}, {"a": 1, "b": 2})
    assert beta(1 / 3, enhanced=True).passes(mild).tolist() == [True, True]
    assert beta(0.3, enhanced=True).passes(mild).tolist() == [False, False]
    assert beta(1, enhanced=True).achieved(mild) == pytest.approx(1 / 3)


def test_enhanced_lets_rare_values_gain_what_beta_says() -> None:
    # p(gout) = 1/100: a gain of 4 to 1/20 is below −ln 0.01 = 4.6; a gain of 9 to 1/10 is not.
    assert beta(4, enhanced=True).passes(table({"gout": 1, "flu": 19}, {"flu": 79, "cold": 1})).all()
    found = table({"gout": 1, "flu": 9}, {"flu": 89, "cold": 1})
    assert beta(9).passes(found).tolist() == [True, True]
    assert beta(9, enhanced=True).passes(found).tolist() == [False, True]


def test_one_value_only_gains_nothing() -> None:
    found = table({"a": 2}, {"a": 5})
    for enhanced in (False, True):
        assert beta(0.001, enhanced=enhanced).passes(found).all()
        assert beta(1, enhanced=enhanced).achieved(found) == 0


def test_a_class_exactly_at_the_limit_passes() -> None:
    for n in range(2, 60):
        # a is 1/n in the whole and certain in the first class: a gain of n − 1.
        found = table({"a": 1}, {"b": n - 1})
        assert beta(n - 1).passes(found)[0]
        assert not beta((n - 1) * (1 - 1e-9)).passes(found)[0]


@pytest.mark.parametrize("rows", [1_000, 26_094])
def test_a_class_exactly_at_a_very_large_limit_passes(rows: int) -> None:
    # The verifier divides whole numbers once, and says that a gain of rows − 1 is at most rows − 1.
    assert beta(rows - 1).passes(table({"a": 1}, {"b": rows - 1}))[0]


@settings(deadline=None, max_examples=100)
@given(CLASSES, st.integers(1, 16).map(lambda n: n / 4), st.booleans())
def test_it_agrees_with_brute_force(classes: list[dict[str | None, int]], limit: float, enhanced: bool) -> None:
    members = [[{"s": value} for value, n in cells.items() for _ in range(n)] for cells in classes]
    everyone = [row for group in members for row in group]
    ok = brute.beta_like(limit, "s", enhanced=enhanced)
    found = beta(limit, enhanced=enhanced).passes(table(*classes)).tolist()
    assert found == [ok(group, everyone) for group in members]


def test_joined_classes_keep_beta_but_one_may_spoil_another() -> None:
    assert beta(1).monotone_generalization
    assert not beta(1).monotone_suppression
    assert beta(0.2).passes(table({"a": 5, "b": 5}, {"a": 9}, {"b": 9})).tolist() == [True, False, False]
    assert beta(0.2).passes(table({"a": 14, "b": 5}, {"b": 9})).tolist() == [False, False]


def test_a_table_without_records_holds() -> None:
    for enhanced in (False, True):
        verdict = beta(1, enhanced=enhanced).judge(table())
        assert (verdict.holds, verdict.achieved, verdict.failing) == (True, None, 0)


@pytest.mark.parametrize("given", [{"beta": 0}, {"beta": -1}, {"beta": math.inf}, {"beta": math.nan}, {}])
def test_a_bad_parameter_is_named_in_one_sentence(given: dict[str, object]) -> None:
    with failing(
        f"declared.parameter-{'wrong' if given else 'needed'}", ParameterError, name="beta-likeness", where="beta"
    ):
        BetaLikeness(**given)


@pytest.mark.parametrize("rows", [3 * 2**20 + 1, 3 * 2**20 + 2])
def test_the_slack_grows_with_the_limit(rows: int) -> None:
    # One of three records has a value that nobody else has: it gains (rows − 3)/3, just below a power of two. From
    # q/p, which is above it, one bit less is known.
    found = table({"a": 1, "b": 2}, {"b": rows - 3})
    assert BetaLikeness((rows - 3) / 3, attribute="s").passes(found).tolist() == [True, True]


def test_no_limit_may_be_infinite() -> None:
    with failing("declared.parameter-wrong", ParameterError, what="a finite number"):
        beta(math.inf)
