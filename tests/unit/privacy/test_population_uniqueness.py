"""Uniqueness in the population as a limit: by hand, at its boundaries, and in a search against brute force."""

from __future__ import annotations

from collections import Counter
from itertools import product
from math import comb
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import antifaz as az
from antifaz.core.errors import ParameterError
from antifaz.counting.classes import ClassTable
from antifaz.counting.population_uniqueness import unique_share
from antifaz.privacy import PopulationUniqueness
from antifaz.testing import check
from failing import failing


def table(*sizes: int) -> ClassTable:
    return ClassTable(sizes=np.array(sizes, np.int64))


def test_it_keeps_what_every_model_promises() -> None:
    check(PopulationUniqueness)


def test_zayatz_by_hand() -> None:
    # Classes of 1, 1 and 2 records, of ten people: h(j) = C(j, 1)·C(10 − j, 3)/C(10, 4).
    h = {j: comb(j, 1) * comb(10 - j, 3) / comb(10, 4) for j in (1, 2)}
    share = 2 * h[1] / (2 * h[1] + h[2]) * 2 / 4
    model = PopulationUniqueness(0.4, population_size=10, estimator="zayatz")
    assert model.achieved(table(1, 1, 2)) == pytest.approx(share, rel=1e-12)
    assert share == pytest.approx(0.3)
    assert model.passes(table(1, 1, 2)).tolist() == [True] * 3
    assert PopulationUniqueness(0.29, population_size=10, estimator="zayatz").judge(table(1, 1, 2)).failing == 4


@pytest.mark.parametrize("estimator", ["dankar", "zayatz", "snb"])
def test_the_whole_population_is_as_unique_as_it_is(estimator: str) -> None:
    people = table(1, 1, 2, 6)
    assert PopulationUniqueness(0.2, population_size=10, estimator=estimator).judge(people).holds
    assert not PopulationUniqueness(0.19, population_size=10, estimator=estimator).judge(people).holds


@pytest.mark.parametrize("estimator", ["dankar", "pitman", "zayatz", "snb"])
def test_where_nobody_is_alone_any_limit_holds(estimator: str) -> None:
    model = PopulationUniqueness(0, population_size=1000, estimator=estimator)
    assert model.judge(table(2, 3, 5)).holds
    assert model.achieved(table(2, 3, 5)) == 0
    assert model.judge(table()).achieved is None
    assert not model.judge(table(1, 3, 5)).holds


@pytest.mark.parametrize("estimator", ["dankar", "pitman", "zayatz", "snb"])
def test_one_record_may_be_the_only_one(estimator: str) -> None:
    assert PopulationUniqueness(0.9, country="ES", estimator=estimator).achieved(table(1)) == 1


@pytest.mark.parametrize("estimator", ["pitman", "snb"])
def test_where_a_model_does_not_fit_everybody_who_is_alone_counts(estimator: str) -> None:
    # All alone: no model is the likeliest.
    alone, model = table(*[1] * 10), PopulationUniqueness(0.5, population_size=1000, estimator=estimator)
    assert model.achieved(alone) == 1
    assert not model.judge(alone).holds


def test_records_that_are_alone_are_left_out_where_too_many_are() -> None:
    strict = PopulationUniqueness(0.01, population_size=10, estimator="zayatz")
    everybody = np.ones(3, np.bool_)
    assert strict.keep(table(1, 1, 2), everybody).tolist() == [False, False, True]
    assert PopulationUniqueness(0.4, population_size=10, estimator="zayatz").keep(table(1, 1, 2), everybody).all()
    # Only those that are kept are estimated: of the others one is alone.
    assert strict.keep(table(1, 4, 2), np.array([False, True, True])).tolist() == [False, True, True]
    assert strict.keep(table(1), np.array([False])).tolist() == [False]


def test_it_is_not_monotone() -> None:
    # The same ten are alone, but fewer classes of two tell that there are such: more of the ten seem to be unique.
    model = PopulationUniqueness(0.5, population_size=10_000, estimator="zayatz")
    before, after = model.achieved(table(*[1] * 10, *[2] * 20)), model.achieved(table(*[1] * 10, *[4] * 10))
    assert before is not None
    assert after is not None
    assert before < after
    assert not model.monotone_generalization
    assert not model.monotone_suppression
    assert model.whole_table


def test_a_country_is_its_number_of_people() -> None:
    spain = PopulationUniqueness(0.1, country="es")
    assert (spain.country, spain.people) == ("ES", 47_559_000)
    sizes = table(*[1] * 30, *[2] * 20, 5, 9, 14)
    assert spain.achieved(sizes) == PopulationUniqueness(0.1, population_size=47_559_000).achieved(sizes)
    (verdict,) = az.verify(pa.table({"v": ["a", "b", "b"]}), ["v"], spain)
    assert verdict.parameters["population_size"] == 47_559_000


@pytest.mark.parametrize("given", [{}, {"population_size": 10, "country": "ES"}])
def test_the_population_is_told_once(given: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match="one of 'population_size' and 'country'"):
        PopulationUniqueness(0.1, **given)


def test_what_can_not_be_is_refused() -> None:
    with pytest.raises(ParameterError, match="ISO code"):
        PopulationUniqueness(0.1, country="Spain")
    with pytest.raises(ParameterError, match="threshold"):
        PopulationUniqueness(1.1, country="ES")
    with pytest.raises(ParameterError, match="estimator"):
        PopulationUniqueness(0.1, country="ES", estimator="chao")
    with failing("risk.population-below-records", ParameterError):
        PopulationUniqueness(0.1, population_size=5).passes(table(3, 3))
    with failing("risk.population-below-records", ParameterError):
        az.verify(pa.table({"v": ["a", "b", "b"]}), ["v"], PopulationUniqueness(0.1, population_size=2))


LADDERS = {"age": az.hierarchy.intervals(5, 20), "sex": az.hierarchy.flat(), "education": az.hierarchy.flat()}
ROLES = dict.fromkeys(LADDERS, "quasi-identifier")


@pytest.mark.parametrize(("threshold", "estimator"), [(0.02, "dankar"), (0.01, "zayatz"), (0.002, "snb")])
def test_the_search_finds_the_best_of_all(threshold: float, estimator: Any) -> None:
    # All sixteen combinations of levels, each released alone, by the same table.
    people = az.datasets.people(400, seed=3).select(list(LADDERS))
    settings: dict[str, Any] = {"roles": ROLES, "hierarchies": LADDERS, "seed": 1}
    settings["privacy"] = PopulationUniqueness(threshold, population_size=2_000, estimator=estimator)
    losses = {}
    for levels in product(range(4), range(2), range(2)):
        only = az.FullDomain(levels=dict(zip(LADDERS, levels, strict=True)))
        release = az.anonymize(people, **{**settings, "privacy": az.KAnonymity(1), "method": only})
        sizes = Counter(map(tuple, zip(*release.frame.to_pydict().values(), strict=True))).values()
        if unique_share(np.array([*sizes]), 2_000, estimator) <= threshold:
            losses[levels] = release.evidence["utility"]["loss"]
    assert 0 < len(losses) < 16
    best = az.anonymize(people, method=az.FullDomain(), **settings)
    assert best.evidence["privacy"][0]["holds"]
    assert best.evidence["utility"]["loss"] == pytest.approx(min(losses.values()))


@pytest.mark.parametrize("method", [az.FullDomain(suppression=0.1), az.Mondrian(), az.Datafly()])
def test_releases_hold_it(method: Any) -> None:
    people = az.datasets.people(300, seed=5).select(list(LADDERS))
    model = PopulationUniqueness(0.01, population_size=5_000)
    release = az.anonymize(
        people, roles=ROLES, hierarchies=LADDERS, privacy=[az.KAnonymity(1), model], method=method, seed=1
    )
    (verdict,) = az.verify(release.frame, list(LADDERS), model)
    assert verdict.holds
    assert verdict.achieved <= 0.01
