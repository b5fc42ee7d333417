"""Full-domain generalization against brute force: the same optimum, and ties broken the same way."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.core.errors import ParameterError, PrivacyNotReached
from antifaz.methods import METHODS, Decision, FullDomain
from antifaz.methods.recoding.search import LatticeSearch
from antifaz.privacy import KAnonymity, LDiversity, PrivacyModel
from antifaz.utility import Loss
from failing import failing, like
from oracles import brute
from oracles.cases import LIMITS, Case, Rows, asked, cases, task
from oracles.counted import lattice_of
from oracles.tables import NINETEEN_K3, NINETEEN_PEOPLE, NINETEEN_TREES, SIX_PEOPLE, SIX_TREES

# -- brute force, exactly


def exact(rows: Rows, named: dict[str, brute.Tree], levels: brute.Levels, lost: set[int]) -> Fraction:
    """Return Π (1 + x), x cut to ten decimals: orders nodes as ARX's loss does, without any rounding."""
    product = Fraction(1)
    for (name, tree), level in zip(named.items(), levels, strict=True):
        share = brute.shares(tree, level, len(tree))
        kept = sum((share[row[name]] for i, row in enumerate(rows) if i not in lost), Fraction(0))
        product *= 1 + Fraction(str(brute.attribute_loss(kept + len(lost), len(rows), len(tree))))
    return product


def admissible(case: Case, ok: brute.ClassOk, limit: float) -> dict[brute.Levels, set[int]]:
    """Return every node that may be released with the rows it leaves out: not too many, and not all of them."""
    rows, named = case
    most = min(math.floor(Fraction(str(limit)) * len(rows)), len(rows) - 1)
    lost = {levels: brute.suppressed_by(rows, named, levels, ok) for levels in brute.lattice(brute.heights(named))}
    return {levels: gone for levels, gone in lost.items() if len(gone) <= most}


def decide(case: Case, models: tuple[PrivacyModel, ...], limit: float) -> Decision:
    return FullDomain(suppression=limit).decide(task(lattice_of(*case, ("s",)), models))


@settings(deadline=None, max_examples=100)
@given(cases(), asked(), LIMITS)
def test_check_03_the_optimum_is_that_of_brute_force(
    case: Case, models: tuple[tuple[PrivacyModel, ...], brute.ClassOk], limit: float
) -> None:
    rows, named = case
    known = admissible(case, models[1], limit)
    if not known:
        with failing("method.not-reached-but", PrivacyNotReached, failure=like("method.no-generalization")):
            decide(case, models[0], limit)
        return
    decision = decide(case, models[0], limit)
    best = min(known, key=lambda levels: (exact(rows, named, levels, known[levels]), sum(levels), levels))
    found = decision.table
    assert found.levels == best
    assert found.suppressed == len(known[best])
    assert found.rows == len(rows)
    assert decision.details["levels"] == dict(zip(named, best, strict=True))
    score = brute.arx_loss(rows, named, None, best, models[1])
    assert decision.details["score"] == pytest.approx(score, abs=1e-9)


@settings(deadline=None, max_examples=80)
@given(cases(), asked(), LIMITS)
def test_what_is_decided_is_what_brute_force_would_release(
    case: Case, models: tuple[tuple[PrivacyModel, ...], brute.ClassOk], limit: float
) -> None:
    rows, named = case
    try:
        decision = decide(case, models[0], limit)
    except PrivacyNotReached:
        return
    levels = tuple(decision.details["levels"].values())
    table = brute.generalize(rows, named, levels)
    lost = brute.suppressed_by(rows, named, levels, models[1])
    for column, tree, level in zip(decision.recoding.columns, named.values(), levels, strict=True):
        released = dict(zip(column.values, column.labels, strict=True))
        assert released == {value: tree[value][level] for value in {row[column.column] for row in rows}}
        assert column.keeps_type == (level == 0)
    left_out = {tuple(table[i][name] for name in named) for i in lost}
    assert set(decision.recoding.suppressed) == left_out
    assert len(decision.recoding.suppressed) == len(left_out)


@settings(deadline=None, max_examples=100)
@given(cases(), asked(), LIMITS)
def test_check_03_find_all_finds_all_and_no_others_best_first(
    case: Case, models: tuple[tuple[PrivacyModel, ...], brute.ClassOk], limit: float
) -> None:
    rows, named = case
    known = admissible(case, models[1], limit)
    allowed = math.floor(Fraction(str(limit)) * len(rows))
    search = LatticeSearch(lattice_of(rows, named, ("s",)), models[0], Loss(), allowed)
    found = search.find_all()
    assert sorted(solution.levels for solution in found) == sorted(known)
    assert {solution.levels: solution.table.suppressed for solution in found} == {
        levels: len(lost) for levels, lost in known.items()
    }
    assert all(better.order <= worse.order for better, worse in pairwise(found))
    if not limit:
        assert sorted(known) == brute.satisfying(rows, named, brute.every(models[1]))


@settings(deadline=None, max_examples=60)
@given(cases(), asked(), LIMITS, st.randoms(use_true_random=False))
def test_check_03_the_order_of_rows_and_of_models_decides_nothing(
    case: Case, models: tuple[tuple[PrivacyModel, ...], brute.ClassOk], limit: float, random: Random
) -> None:
    rows, named = case
    mixed = list(rows)
    random.shuffle(mixed)
    said = []
    for some, wanted in ((rows, models[0]), (mixed, models[0][::-1])):
        try:
            decision = decide((some, named), wanted, limit)
            said.append((decision.details["levels"], decision.details["score"], sorted(decision.table.sizes)))
        except PrivacyNotReached:
            said.append(None)
    assert said[0] == said[1]


# -- by hand


def test_check_03_ties_go_to_the_lowest_levels_in_order() -> None:
    # Both attributes are alike: generalizing either would do, at the same loss.
    rows: Rows = [{"a": a, "b": b, "s": None} for a, b in ("11", "12", "21", "22")]
    tree = {"1": ["1", "*"], "2": ["2", "*"]}
    decision = decide((rows, {"a": tree, "b": tree}), (KAnonymity(2),), 0)
    assert decision.details["levels"] == {"a": 0, "b": 1}


def test_ties_go_to_the_lowest_sum_of_levels_first() -> None:
    # Level 1 of 'a' changes nothing, so [0, 1] and [1, 1] lose the same.
    rows: Rows = [{"a": "x", "b": b, "s": None} for b in "12"]
    named = {"a": {"x": ["x", "X", "*"], "y": ["y", "Y", "*"]}, "b": {"1": ["1", "*"], "2": ["2", "*"]}}
    decision = decide((rows, named), (KAnonymity(2),), 0)
    assert decision.details["levels"] == {"a": 0, "b": 1}


def test_a_tie_is_a_tie_although_thirds_are_not_exact_in_binary() -> None:
    # Two of a's three leaves, or five of b's nine: either loses (2 − 1)/(3 − 1) = (5 − 1)/(9 − 1) = 1/2.
    rows: Rows = [{"a": a, "b": b, "s": None} for a in "xy" for b in "pq"]
    named: dict[str, brute.Tree] = {
        "a": {"x": ["x", "x", "xy", "*"], "y": ["y", "y", "xy", "*"], "z": ["z", "z", "z", "*"]},
        "b": {leaf: [leaf, "p to t" if leaf <= "t" else leaf, "*"] for leaf in "pqrstuvwx"},
    }
    decision = decide((rows, named), (KAnonymity(2),), 0)
    assert decision.details["levels"] == {"a": 0, "b": 1}
    assert decision.details["score"] == pytest.approx(1.5**0.5 - 1, abs=1e-9)


def test_six_people_with_one_left_out() -> None:
    decision = FullDomain(suppression=0.17).decide(task(lattice_of(SIX_PEOPLE, SIX_TREES), (KAnonymity(2),)))
    known = admissible((SIX_PEOPLE, SIX_TREES), brute.k_anonymous(2), 0.17)
    assert decision.table.levels in known
    assert decision.details["lattice"]["size"] == 9
    assert 1 <= decision.details["lattice"]["checked"] <= 9


def test_nineteen_people_the_best_of_the_five() -> None:
    decision = FullDomain().decide(task(lattice_of(NINETEEN_PEOPLE, NINETEEN_TREES), (KAnonymity(3),)))
    scores = {
        levels: brute.loss(NINETEEN_PEOPLE, NINETEEN_TREES, levels, brute.k_anonymous(3)) for levels in NINETEEN_K3
    }
    assert decision.table.levels == min(scores, key=lambda levels: scores[levels])


@pytest.mark.parametrize(
    ("limit", "rows", "allowed"),
    [(0.07, 100, 7), (0.29, 100, 29), (0.57, 100, 57), (0.1, 19, 1), (0.1, 9, 0), (0, 5, 0)],
)
def test_the_limit_is_the_decimal_that_was_written(limit: float, rows: int, allowed: int) -> None:
    # In binary 0.29 · 100 is less than 29. As many singles as may be left out are; with one more, all is generalized.
    tree: brute.Tree = {leaf: [leaf, "*"] for leaf in (*map(str, range(rows)), "many")}
    for singles in (allowed, allowed + 1):
        some: Rows = [{"a": str(i), "s": None} for i in range(singles)]
        some += [{"a": "many", "s": None}] * (rows - singles)
        found = decide((some, {"a": tree}), (KAnonymity(2),), limit).table
        assert (found.levels, found.suppressed) == (((0,), singles) if singles == allowed else ((1,), 0))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"suppression": 1.1}, "full-domain: suppression should be less than or equal to 1 (got 1.1)."),
        ({"suppression": -0.1}, "full-domain: suppression should be greater than or equal to 0 (got -0.1)."),
        ({"quality": "los"}, "There is no quality model 'los' (did you mean 'loss'?)."),
        ({"supression": 0.1}, "full-domain: there is no parameter 'supression' (did you mean 'suppression'?)."),
    ],
)
def test_a_bad_parameter_is_named_in_one_sentence(given: dict[str, object], said: str) -> None:
    with pytest.raises(ParameterError) as caught:
        FullDomain(**given)
    assert str(caught.value) == said


def test_it_is_found_by_its_name() -> None:
    assert METHODS["full-domain"] is FullDomain
    assert METHODS.make("full-domain", {"suppression": 0.1}).parameters()["suppression"] == 0.1


# -- when it can't be had


@settings(deadline=None, max_examples=80)
@given(cases(), st.integers(2, 14), LIMITS)
def test_the_k_that_is_called_the_nearest_can_be_reached(case: Case, k: int, limit: float) -> None:
    try:
        decide(case, (KAnonymity(k),), limit)
    except PrivacyNotReached as error:
        found = re.search(r"nearest: k = (\d+) could be reached", str(error))
        assert found, str(error)
        nearest = int(found[1])
        assert nearest < k
        assert decide(case, (KAnonymity(nearest),), limit).table.sizes.min() >= nearest
        with pytest.raises(PrivacyNotReached):
            decide(case, (KAnonymity(nearest + 1),), limit)


@settings(deadline=None, max_examples=80)
@given(cases(), asked(), LIMITS)
def test_the_suppression_that_would_do_does(
    case: Case, models: tuple[tuple[PrivacyModel, ...], brute.ClassOk], limit: float
) -> None:
    try:
        decide(case, models[0], limit)
    except PrivacyNotReached as error:
        if found := re.search(r"leaving out (\d+) records \(suppression: ([\d.]+)\) would do", str(error)):
            decision = decide(case, models[0], float(found[2]))
            assert 0 < decision.table.suppressed <= int(found[1])


def test_too_large_a_k() -> None:
    with pytest.raises(PrivacyNotReached) as caught:
        FullDomain().decide(task(lattice_of(SIX_PEOPLE, SIX_TREES), (KAnonymity(7),)))
    assert str(caught.value) == (
        "No generalization of these 6 records satisfies k-anonymity (k=7) with at most 0 of them left out; "
        "the nearest: k = 6 could be reached."
    )


@pytest.mark.parametrize(
    "model",
    [
        LDiversity(4, attribute="s"),
        LDiversity(4, attribute="s", kind="entropy"),
        LDiversity(4, attribute="s", kind="recursive", c=3),
        LDiversity(3, attribute="s", kind="recursive", c=3),
    ],
)
def test_a_diversity_that_can_not_be_had_says_what_can(model: LDiversity) -> None:
    rows: Rows = [{"a": "x", "s": s} for s in "ppppqr"]
    with pytest.raises(PrivacyNotReached) as caught:
        decide((rows, {"a": {"x": ["x", "*"]}}), (KAnonymity(2), model), 0)
    said = str(caught.value)
    assert "nearest" in said
    assert not re.search(r"\b(inf|nan|None)\b", said)
    assert "\n" not in said
    assert said.endswith(".")


def test_no_records_at_all() -> None:
    lattice = lattice_of([], {"a": {"x": ["x", "*"]}})
    with failing("method.not-reached-without-records", PrivacyNotReached):
        FullDomain().decide(task(lattice, (KAnonymity(2),)))


def test_a_release_of_nobody_is_no_release() -> None:
    rows: Rows = [{"a": "x", "s": None}, {"a": "y", "s": None}]
    named: dict[str, brute.Tree] = {"a": {"x": ["x", "*"], "y": ["y", "*"]}}
    with pytest.raises(PrivacyNotReached):
        decide((rows, named), (KAnonymity(3),), 1.0)
