"""Datafly against a way up in plain Python, and by hand."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.core.errors import ParameterError, PrivacyNotReached
from antifaz.methods import FullDomain, Method
from antifaz.methods.recoding.datafly import Datafly
from antifaz.privacy import AverageRisk, KAnonymity, LDiversity, PrivacyModel
from antifaz.testing import check_declaration, check_method
from failing import failing, like
from oracles import brute
from oracles.cases import LIMITS, Case, Rows, asked, cases, task
from oracles.counted import lattice_of
from oracles.tables import SIX_PEOPLE, SIX_TREES

Asked = tuple[tuple[PrivacyModel, ...], brute.ClassOk]
#: Which attribute goes up next: from the case, the present levels and the attributes that still can.
Next = Callable[[Case, brute.Levels, Sequence[int]], int]

SIX: Case = (SIX_PEOPLE, SIX_TREES)


# -- for every method that goes up step by step; the tests of others use these too


def way_up(case: Case, ok: brute.ClassOk, limit: float, choose: Next) -> brute.Levels | None:
    """Go up in plain Python; None where even the top fails."""
    rows, named = case
    most = min(math.floor(Fraction(str(limit)) * len(rows)), len(rows) - 1)
    tops, levels = brute.heights(named), (0,) * len(named)
    while len(brute.suppressed_by(rows, named, levels, ok)) > most:
        left = [a for a, top in enumerate(tops) if levels[a] < top]
        if not left:
            return None
        levels = higher(levels, choose(case, levels, left))
    return levels


def higher(levels: brute.Levels, a: int) -> brute.Levels:
    return tuple(level + (i == a) for i, level in enumerate(levels))


def check_way(method: Method, case: Case, models: Asked, limit: float, choose: Next) -> None:
    """The method ends where plain Python does, and its release satisfies the models by a count of its own."""
    rows, named = case
    known = way_up(case, models[1], limit, choose)
    asked_for = task(lattice_of(rows, named, ("s",)), models[0])
    if known is None:
        with pytest.raises(PrivacyNotReached):
            method.decide(asked_for)
        return
    decision = method.decide(asked_for)
    assert decision.details["levels"] == dict(zip(named, known, strict=True))
    assert decision.details["steps"] == sum(known)
    lost = brute.suppressed_by(rows, named, known, models[1])
    assert decision.table.levels == known
    assert decision.table.suppressed == len(lost) < len(rows)
    table = brute.generalize(rows, named, known)
    assert set(decision.recoding.suppressed) == {tuple(table[i][name] for name in named) for i in lost}
    score = brute.arx_loss(rows, named, None, known, models[1])
    assert decision.details["score"] == pytest.approx(score, abs=1e-9)
    assert decision.details["score"] >= FullDomain(suppression=limit).decide(asked_for).details["score"] - 1e-9


def levels_of(method: Method, case: Case, *models: PrivacyModel, sensitive: Sequence[str] = ()) -> brute.Levels:
    return method.decide(task(lattice_of(*case, sensitive), models)).table.levels


def check_order(method: Method, case: Case, models: tuple[PrivacyModel, ...], random: object) -> None:
    """Neither rows nor models may come in an order that matters; twice is as once."""
    rows, named = case
    mixed = list(rows)
    random.shuffle(mixed)  # type: ignore[attr-defined]
    said = []
    for some, wanted in ((rows, models), (rows, models), (mixed, models[::-1])):
        try:
            decision = method.decide(task(lattice_of(some, named, ("s",)), wanted))
            said.append((decision.details, sorted(decision.recoding.suppressed, key=repr)))
        except PrivacyNotReached:
            said.append(None)
    assert said[0] == said[1] == said[2]


# -- any small table


def most_distinct(case: Case, levels: brute.Levels, left: Sequence[int]) -> int:
    rows, named = case
    table = brute.generalize(rows, named, levels)
    counts = [len({row[name] for row in table}) for name in named]
    return min(left, key=lambda a: (-counts[a], a))


@settings(deadline=None, max_examples=150)
@given(cases(), asked(), LIMITS)
def test_it_goes_up_as_plain_python_does(case: Case, models: Asked, limit: float) -> None:
    check_way(Datafly(suppression=limit), case, models, limit, most_distinct)


@settings(deadline=None, max_examples=60)
@given(cases(), asked(), LIMITS, st.randoms(use_true_random=False))
def test_the_order_of_rows_and_of_models_decides_nothing(
    case: Case, models: Asked, limit: float, random: object
) -> None:
    check_order(Datafly(suppression=limit), case, models[0], random)
    check_order(Datafly(suppression=limit), case, (*models[0], AverageRisk(threshold=0.4)), random)


@settings(deadline=None, max_examples=60)
@given(cases(), LIMITS)
def test_more_than_everybody_can_not_be_had(case: Case, limit: float) -> None:
    rows = len(case[0])
    with failing("method.not-reached-but", PrivacyNotReached, failure=like("method.no-generalization")):
        levels_of(Datafly(suppression=limit), case, KAnonymity(rows + 1))


# -- by hand


def test_six_people() -> None:
    # Values: 2 and 3, so postcodes go up; 2 and 2, so births do, twice, as the first of equals. That makes classes of 2
    # (5371*) and 4 (5370*). Births at the top alone would have done.
    decision = Datafly().decide(task(lattice_of(*SIX), (KAnonymity(2),)))
    assert decision.details["levels"] == {"fnac": 2, "cod_postal": 1}
    assert decision.details["steps"] == 3
    # Births lose 1; postcodes ((4·2 + 2·1)/3 − 2)/(6 − 2) = 1/3.
    assert decision.details["score"] == pytest.approx((2 * 4 / 3) ** 0.5 - 1, abs=1e-9)
    assert sorted(decision.table.sizes) == [2, 4]
    assert decision.recoding.suppressed == ()
    assert levels_of(FullDomain(), SIX, KAnonymity(2)) == (0, 2)


def test_six_people_of_whom_some_may_be_left_out() -> None:
    # At the bottom four stand alone; with postcodes of four digits three do.
    decision = Datafly(suppression=0.5).decide(task(lattice_of(*SIX), (KAnonymity(2),)))
    assert decision.details["levels"] == {"fnac": 0, "cod_postal": 1}
    assert decision.table.suppressed == 3
    assert set(decision.recoding.suppressed) == {("1986", "5371*"), ("1996", "5371*"), ("1996", "5370*")}
    assert levels_of(Datafly(suppression=0.67), SIX, KAnonymity(2)) == (0, 0)
    assert levels_of(Datafly(suppression=0.17), SIX, KAnonymity(2)) == (2, 1)


def test_all_models_count() -> None:
    # Six different ailments, but for the two of 1986 in 53703.
    rows: Rows = [{**row, "dolencia": "x" if row["cod_postal"] == "53703" else row["dolencia"]} for row in SIX_PEOPLE]
    models = (KAnonymity(2), LDiversity(2, attribute="dolencia"))
    assert levels_of(Datafly(suppression=0.67), (rows, SIX_TREES), *models, sensitive=("dolencia",)) == (0, 1)


def test_what_is_at_its_top_is_passed_over() -> None:
    # Missing stays missing beside 'all', so at its top 'a' has as many values as 'b'.
    rows: Rows = [{"a": a, "b": b} for a in ("x", "y", None) for b in "pq"]
    tree: brute.Tree = {"x": ["x", "all"], "y": ["y", "all"]}
    assert levels_of(Datafly(), (rows, {"a": tree, "b": {b: [b, "*"] for b in "pq"}}), KAnonymity(2)) == (1, 1)


def test_nobody_is_no_release() -> None:
    # Everybody may be left out, and at the bottom everybody would be: it goes on up until somebody stays.
    rows: Rows = [{"a": "x"}, {"a": "y"}]
    named: dict[str, brute.Tree] = {"a": {"x": ["x", "*"], "y": ["y", "*"]}}
    assert levels_of(Datafly(suppression=1), (rows, named), KAnonymity(2)) == (1,)
    with pytest.raises(PrivacyNotReached):
        levels_of(Datafly(suppression=1), (rows, named), KAnonymity(3))


@pytest.mark.parametrize("turn", [1, -1])
def test_a_figure_of_the_whole_table_is_that_of_what_is_released(turn: int) -> None:
    # Ten alike fail l-diversity. With them 3 classes hold 14 records; without them 2 classes hold 4: 2/4 is too much.
    rows: Rows = [{"a": "x", "s": "p"}] * 10 + [{"a": a, "s": s} for a in "yz" for s in "pq"]
    named: dict[str, brute.Tree] = {"a": {a: [a, "*"] for a in "xyz"}}
    models = (AverageRisk(threshold=0.3), LDiversity(2, attribute="s"))[::turn]
    assert levels_of(Datafly(suppression=0.8), (rows, named), *models, sensitive=("s",)) == (1,)


# -- when it can't be had


def test_too_large_a_k_names_the_nearest() -> None:
    with pytest.raises(PrivacyNotReached) as caught:
        levels_of(Datafly(), SIX, KAnonymity(7))
    assert str(caught.value) == (
        "No generalization of these 6 records satisfies k-anonymity (k=7) with at most 0 of them left out; "
        "the nearest: k = 6 could be reached."
    )


def test_it_does_not_claim_what_it_did_not_look_at() -> None:
    # 'a' has most values, and once it is gone nothing is diverse: three p, five q. Raising 'b' would have left x and z.
    rows: Rows = [{"a": a, "b": b, "s": s} for a, b, s in ("x1p", "x2q", "y1p", "y2q", "y2q", "y2q", "z1p", "z2q")]
    case: Case = (rows, {"a": {a: [a, "*"] for a in "xyz"}, "b": {b: [b, "*"] for b in "12"}})
    model = LDiversity(2, kind="entropy", attribute="s")
    assert levels_of(FullDomain(suppression=0.75), case, model, sensitive=("s",)) == (0, 1)
    with failing(
        "method.of-those-looked-at",
        PrivacyNotReached,
        name="datafly",
        failure=like("method.not-reached-but", failure=like("method.no-generalization")),
    ):
        levels_of(Datafly(suppression=0.75), case, model, sensitive=("s",))


def test_no_records_at_all() -> None:
    with failing("method.not-reached-without-records", PrivacyNotReached):
        levels_of(Datafly(), ([], {"a": {"x": ["x", "*"]}}), KAnonymity(2))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"suppression": 1.1}, "datafly: suppression should be less than or equal to 1 (got 1.1)."),
        ({"supression": 0.1}, "datafly: there is no parameter 'supression' (did you mean 'suppression'?)."),
    ],
)
def test_a_bad_parameter_is_named_in_one_sentence(given: dict[str, object], said: str) -> None:
    with pytest.raises(ParameterError) as caught:
        Datafly(**given)
    assert str(caught.value) == said


def test_it_is_a_method_as_others_are() -> None:
    check_declaration(Datafly)
    check_method(Datafly, [Datafly(), Datafly(suppression=0.1)])
