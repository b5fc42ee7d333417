"""Aggregates, weights and the balance between generalizing and leaving out."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from antifaz.core.errors import ParameterError
from antifaz.counting.generalization import Generalization
from antifaz.methods import FullDomain
from antifaz.privacy import KAnonymity
from antifaz.utility import BUILTIN, Entropy, GlobalCertaintyPenalty, Loss, NormalizedEntropy, Precision
from antifaz.utility.quality import AttributeQuality
from failing import failing, near
from oracles.cases import task
from oracles.counted import lattice_of
from oracles.tables import SIX_PEOPLE, SIX_TREES
from unit.utility.test_measures import six

#: [1, 1] of the six people with k = 2: three of them are left out; see test_measures. Year 1/2, postcode 3/4.
YEAR, POSTCODE = 0.5, 0.75
PER_ATTRIBUTE = [quality for quality in BUILTIN if issubclass(quality, AttributeQuality)]


def loss(**given: Any) -> Any:
    return Loss(**given).score(six((1, 1), k=2))


def test_aggregates_by_hand() -> None:
    assert loss(aggregate="sum") == pytest.approx(YEAR + POSTCODE)
    assert loss(aggregate="mean") == pytest.approx((YEAR + POSTCODE) / 2)
    assert loss(aggregate="geometric-mean") == pytest.approx(math.sqrt((1 + YEAR) * (1 + POSTCODE)) - 1)
    assert loss(aggregate="maximum") == pytest.approx(POSTCODE)
    assert loss(aggregate="rank") == pytest.approx((POSTCODE, YEAR))
    assert loss() == loss(aggregate="geometric-mean")
    assert Precision().aggregate == GlobalCertaintyPenalty().aggregate == "mean"
    assert Entropy().aggregate == NormalizedEntropy().aggregate == "sum"


def test_ranks_compare_the_worst_first() -> None:
    # With the year at its top, the postcode decides.
    ranks = [Loss(aggregate="rank").score(six(levels)) for levels in ((0, 1), (2, 0), (2, 1), (2, 2))]
    assert ranks == sorted(ranks)
    assert ranks[1] == pytest.approx((1, 0))
    assert ranks[2] == pytest.approx((1, 1 / 3))


def test_weights_by_hand() -> None:
    year, postcode = SIX_TREES
    assert loss(aggregate="sum", weights={year: 2}) == pytest.approx(2 * YEAR + POSTCODE)
    assert loss(aggregate="sum", weights={year: 0}) == pytest.approx(POSTCODE)
    assert loss(aggregate="mean", weights={postcode: 0.5}) == pytest.approx((YEAR + POSTCODE / 2) / 2)
    assert loss(weights={year: 3}) == pytest.approx(math.sqrt((1 + 3 * YEAR) * (1 + POSTCODE)) - 1)
    assert loss(aggregate="rank", weights={year: 2}) == pytest.approx((2 * YEAR, POSTCODE))


def test_a_weight_decides_what_is_generalized() -> None:
    # [0, 2] and [2, 0] lose the same; see test_documents.
    year, postcode = SIX_TREES
    for heavy, levels in ((year, (0, 2)), (postcode, (2, 0))):
        decision = FullDomain(weights={heavy: 5}).decide(task(lattice_of(SIX_PEOPLE, SIX_TREES), (KAnonymity(2),)))
        assert decision.table.levels == levels


def test_below_a_half_leaving_out_costs_less() -> None:
    # Year: 3 at 1/2 and 3 left out; each of these weighs 2 · 0.25. (1.5 + 1.5 − 3)/3 = 0.
    assert loss(aggregate="maximum", balance=0.25) == pytest.approx((3 * 2 / 3 + 3 / 2 - 2) / 4)
    # Nobody left out: nothing changes.
    for balance in (0.0, 0.25, 0.5):
        assert Loss(balance=balance).score(six((1, 1))) == pytest.approx(Loss().score(six((1, 1))))


def test_above_a_half_generalizing_costs_less() -> None:
    # Postcode at its top, everybody kept: shares weigh 2 − 2 · 0.75 = 1/2. (6/2 − 1)/(6 − 1) = 0.4.
    table = six((0, 2))
    assert Loss(balance=0.75, aggregate="maximum").score(table) == pytest.approx(0.4)
    assert Loss(balance=1, aggregate="sum").score(table) == 0
    assert Loss(balance=1, aggregate="sum").score(six((1, 1), k=2)) == pytest.approx(2 * 3 / 6)


@pytest.mark.parametrize("quality", PER_ATTRIBUTE)
def test_the_sides_of_the_balance(quality: type[AttributeQuality]) -> None:
    kept, out = six((1, 1)), six((0, 0), k=2)
    plain = quality(aggregate="sum")
    # Where nobody is left out only the weight of generalizing counts, where nothing is generalized only the other.
    for balance in (0.0, 0.2, 0.5, 0.8, 1.0):
        some = quality(aggregate="sum", balance=balance)
        assert (some.suppressed_weight, some.generalized_weight) == pytest.approx(
            (min(1, 2 * balance), min(1, 2 - 2 * balance))
        )
        if quality is not Loss:  # of a loss the share that an untouched value has anyway is taken off
            assert some.score(kept) == pytest.approx(plain.score(kept) * some.generalized_weight)
        if balance <= 0.5 and quality is not Loss:
            assert some.score(out) == pytest.approx(plain.score(out) * some.suppressed_weight)


def test_balance_decides_between_leaving_out_and_generalizing() -> None:
    # Ten alike and one apart: with leaving out nearly free it goes, with generalizing nearly free nobody does.
    rows: list[dict[str, str | None]] = [{"q": "a"}] * 10 + [{"q": "b"}]
    tree = {"a": ["a", "*"], "b": ["b", "*"]}
    for balance, level in ((0.1, 0), (0.99, 1)):
        method = FullDomain(suppression=1, balance=balance)
        assert method.decide(task(lattice_of(rows, {"q": tree}), (KAnonymity(2),))).table.levels == (level,)


def test_no_attribute_matters() -> None:
    lattice = lattice_of(SIX_PEOPLE, SIX_TREES)
    table = Generalization(lattice, (2, 2), np.ones(1, np.bool_))
    for quality in PER_ATTRIBUTE:
        assert quality(weights=dict.fromkeys(SIX_TREES, 0.0)).score(table) == 0


@pytest.mark.parametrize("quality", [quality.name for quality in BUILTIN if not quality.per_attribute])
@pytest.mark.parametrize("given", [{"balance": 0.2}, {"aggregate": "sum"}, {"weights": {"fnac": 2.0}}])
def test_what_means_nothing_to_a_quality_is_refused(quality: str, given: dict[str, Any]) -> None:
    target = {"target": "s"} if quality == "classification" else {}
    (word,) = given
    with failing("method.quality-has-no-parameter", ParameterError, name="full-domain", quality=quality, key=word):
        FullDomain(quality=quality, **target, **given)


def test_a_target_is_for_classification_only() -> None:
    with failing("method.quality-has-no-parameter", ParameterError, name="full-domain", quality="loss", key="target"):
        FullDomain(target="s")


@pytest.mark.parametrize("weight", [-1.0, math.inf, math.nan])
def test_a_weight_is_a_number_from_zero_up(weight: float) -> None:
    with failing("method.weight-negative", ParameterError, name="full-domain", column="fnac"):
        FullDomain(weights={"fnac": weight})


def test_a_weight_of_another_column_is_refused() -> None:
    with failing("method.names-no-quasi-identifier", ParameterError, word="weights", column="fnacs", hint=near("fnac")):
        FullDomain(weights={"fnacs": 1.0}).decide(task(lattice_of(SIX_PEOPLE, SIX_TREES), (KAnonymity(2),)))


@pytest.mark.parametrize("given", [{"balance": -0.1}, {"balance": 1.1}, {"aggregate": "median"}])
def test_a_bad_parameter_is_named(given: dict[str, Any]) -> None:
    (word,) = given
    with failing("declared.parameter-wrong", ParameterError, name="full-domain", where=word):
        FullDomain(**given)
