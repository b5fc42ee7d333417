"""Bottom-up generalization against a way up in plain Python, and by hand."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.core.errors import ParameterError, PrivacyNotReached
from antifaz.methods import FullDomain
from antifaz.methods.recoding.bottom_up import BottomUp
from antifaz.privacy import KAnonymity
from antifaz.testing import check_declaration, check_method
from antifaz.testing.examples import SENSITIVE
from failing import failing, like
from oracles import brute
from oracles.cases import LIMITS, Case, Rows, asked, cases, task
from oracles.counted import lattice_of
from oracles.tables import SIX_PEOPLE, SIX_TREES
from unit.methods.recoding.test_datafly import SIX, Asked, Next, check_order, check_way, higher, levels_of

TARGETS = st.sampled_from([None, "s"])
Information = Callable[[Case, brute.Levels, int], float]


# -- the same in plain Python


def loss_lost(case: Case, levels: brute.Levels, a: int) -> float:
    def scored(at: brute.Levels) -> float:
        return brute.loss(*case, at, brute.k_anonymous(1))

    return scored(higher(levels, a)) - scored(levels)


def bits_lost(case: Case, levels: brute.Levels, a: int) -> float:
    """I(G) as the paper has it: for each merged value its entropy, less that of its children by their shares."""
    rows, named = case
    tree = list(named.values())[a]
    name = list(named)[a]
    families: dict[str, dict[str, list[str | None]]] = {}
    for row in rows:
        path = tree[row[name]]
        children = families.setdefault(path[levels[a] + 1], {})
        children.setdefault(path[levels[a]], []).append(row["s"])
    total = 0.0
    for children in families.values():
        merged = [value for child in children.values() for value in child]
        gain = entropy(merged) - sum(len(child) / len(merged) * entropy(child) for child in children.values())
        total += len(merged) / len(rows) * gain
    return total


def entropy(values: Sequence[str | None]) -> float:
    return -sum(n / len(values) * math.log2(n / len(values)) for n in Counter(values).values())


def smallest(case: Case, levels: brute.Levels) -> int:
    return min(map(len, brute.classes(brute.generalize(*case, levels), list(case[1]))))


def cheapest(lost: Information) -> Next:
    def choose(case: Case, levels: brute.Levels, left: Sequence[int]) -> int:
        ratios = {}
        for a in left:
            gain = smallest(case, higher(levels, a)) - smallest(case, levels)
            ratios[a] = lost(case, levels, a) / gain if gain else lost(case, levels, a)
        return next(a for a in left if ratios[a] <= min(ratios.values()) + 1e-9)

    return choose


WAYS = {None: cheapest(loss_lost), "s": cheapest(bits_lost)}


@settings(deadline=None, max_examples=200)
@given(cases(), asked(), LIMITS, TARGETS)
def test_it_goes_up_as_plain_python_does(case: Case, models: Asked, limit: float, target: str | None) -> None:
    check_way(BottomUp(suppression=limit, target=target), case, models, limit, WAYS[target])


@settings(deadline=None, max_examples=60)
@given(cases(), asked(), LIMITS, TARGETS, st.randoms(use_true_random=False))
def test_the_order_of_rows_and_of_models_decides_nothing(
    case: Case, models: Asked, limit: float, target: str | None, random: object
) -> None:
    check_order(BottomUp(suppression=limit, target=target), case, models[0], random)


@settings(deadline=None, max_examples=60)
@given(cases(), LIMITS, TARGETS)
def test_more_than_everybody_can_not_be_had(case: Case, limit: float, target: str | None) -> None:
    method = BottomUp(suppression=limit, target=target)
    with failing("method.not-reached-but", PrivacyNotReached, failure=like("method.no-generalization")):
        levels_of(method, case, KAnonymity(len(case[0]) + 1), sensitive=("s",))


# -- by hand


def test_six_people_by_loss() -> None:
    # 198* and 199* lose nothing. Then 19** would lose 0.414 for a gain of 1 and four digits of the postcode 0.155
    # for none; then 19** would lose 0.478 and three digits 0.260, both for a gain of 1. All are in classes of 2 and 4.
    decision = BottomUp().decide(task(lattice_of(*SIX), (KAnonymity(2),)))
    assert decision.details["levels"] == {"fnac": 1, "cod_postal": 2}
    assert decision.details["steps"] == 3
    assert decision.details["score"] == pytest.approx(2**0.5 - 1, abs=1e-9)
    assert sorted(decision.table.sizes) == [2, 4]


def test_six_people_by_what_predicts_their_sex() -> None:
    # M: 1986 three times of four, never in 1996. Postcodes: 53715 one of two, 53703 both, 53706 none.
    # 198*/199* loses nothing. Then 19**: all are M or F by halves, 1 − 4/6 · 0.811 = 0.459 bits for a gain of 1.
    # 5370*: 4/6 · (1 − 0) = 0.667 bits for none. So births go to the top, and that will do.
    method = BottomUp(target="sexo")
    assert levels_of(method, SIX, KAnonymity(2), sensitive=("sexo",)) == (2, 0)
    assert method.needs() == ("sexo",)
    assert BottomUp().needs() == ()


def test_six_people_of_whom_some_may_be_left_out() -> None:
    decision = BottomUp(suppression=0.67).decide(task(lattice_of(*SIX), (KAnonymity(2),)))
    assert decision.details["levels"] == {"fnac": 0, "cod_postal": 0}
    assert decision.table.suppressed == 4
    assert decision.details["score"] == pytest.approx(brute.loss(*SIX, (0, 0), brute.k_anonymous(2)), abs=1e-9)


def test_a_target_spares_what_predicts_it() -> None:
    rows: Rows = [{"a": a, "b": b, "s": a} for a in "xy" for b in "12"]
    case: Case = (rows, {"a": {a: [a, "*"] for a in "xy"}, "b": {b: [b, "*"] for b in "12"}})
    assert levels_of(BottomUp(), case, KAnonymity(2)) == (1, 0)
    assert levels_of(BottomUp(target="s"), case, KAnonymity(2), sensitive=("s",)) == (0, 1)


def test_a_gain_makes_up_for_a_loss() -> None:
    # To the top of 'a': 0.954 bits, and the smallest class goes from 1 to 4, so 0.318 bits per record gained.
    # To the top of 'b': 0.954 − 0.811/2 = 0.549 bits, and nothing gained.
    rows: Rows = [{"a": f"{b}{i}", "b": b, "s": s} for b, s in ("pu", "qv") for i in range(4)]
    rows[0]["s"] = "v"
    leaves = [str(row["a"]) for row in rows]
    case: Case = (rows, {"a": {leaf: [leaf, "*"] for leaf in leaves}, "b": {b: [b, "*"] for b in "pq"}})
    assert bits_lost(case, (0, 0), 0) == pytest.approx(0.954, abs=1e-3)
    assert bits_lost(case, (0, 0), 1) == pytest.approx(0.549, abs=1e-3)
    assert levels_of(BottomUp(target="s"), case, KAnonymity(4), sensitive=("s",)) == (1, 0)


def test_a_tie_is_a_tie_although_thirds_are_not_exact_in_binary() -> None:
    # Two of a's three leaves, or five of b's nine: either loses (2 − 1)/(3 − 1) = (5 − 1)/(9 − 1) = 1/2.
    rows: Rows = [{"a": a, "b": b} for a in "xy" for b in "pq"]
    three: brute.Tree = {"x": ["x", "xy", "*"], "y": ["y", "xy", "*"], "z": ["z", "z", "*"]}
    nine: brute.Tree = {leaf: [leaf, "p to t" if leaf <= "t" else leaf, "*"] for leaf in "pqrstuvwx"}
    assert levels_of(BottomUp(), (rows, {"a": three, "b": nine}), KAnonymity(2)) == (1, 0)
    turned: Rows = [{"b": row["b"], "a": row["a"]} for row in rows]
    assert levels_of(BottomUp(), (turned, {"b": nine, "a": three}), KAnonymity(2)) == (1, 0)


def test_it_is_greedy() -> None:
    # The optimum raises neither more nor less than it must; the steps here raise births for nothing on the way.
    assert levels_of(FullDomain(), SIX, KAnonymity(2)) == (0, 2)
    assert levels_of(BottomUp(), SIX, KAnonymity(2)) == (1, 2)


# -- when it can't be had


def test_a_target_that_was_not_counted() -> None:
    with pytest.raises(ParameterError) as caught:
        levels_of(BottomUp(target="sex"), SIX, KAnonymity(2), sensitive=("sexo",))
    assert str(caught.value) == "bottom-up: the target 'sex' was not counted (did you mean 'sexo'?)."
    with failing("method.target-not-counted", ParameterError):
        levels_of(BottomUp(target="sexo"), SIX, KAnonymity(2))


@pytest.mark.parametrize("target", [None, "sexo"])
def test_too_large_a_k_names_the_nearest(target: str | None) -> None:
    with pytest.raises(PrivacyNotReached) as caught:
        levels_of(BottomUp(target=target), (SIX_PEOPLE, SIX_TREES), KAnonymity(7), sensitive=("sexo",))
    assert str(caught.value) == (
        "No generalization of these 6 records satisfies k-anonymity (k=7) with at most 0 of them left out; "
        "the nearest: k = 6 could be reached."
    )


@pytest.mark.parametrize("target", [None, "s"])
def test_no_records_at_all(target: str | None) -> None:
    with failing("method.not-reached-without-records", PrivacyNotReached):
        levels_of(BottomUp(target=target), ([], {"a": {"x": ["x", "*"]}}), KAnonymity(2), sensitive=("s",))


def test_it_is_a_method_as_others_are() -> None:
    check_declaration(BottomUp)
    check_method(BottomUp, [BottomUp(), BottomUp(target=SENSITIVE, suppression=0.1)])
