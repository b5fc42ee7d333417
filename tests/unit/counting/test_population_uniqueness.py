"""Population uniqueness: by hand, by brute force, and on populations that were made by the models."""

from __future__ import annotations

from collections import Counter
from math import comb

import numpy as np
import pytest
from scipy.stats import binom, nbinom

import antifaz as az
from antifaz.core.errors import ParameterError
from antifaz.counting.population_uniqueness import Sizes, fit_snb, population_uniqueness, snb
from failing import failing


def test_zayatz_by_hand() -> None:
    # Classes of 1, 1 and 2 records, of ten people: h(j) = C(j, 1)·C(10 − j, 3)/C(10, 4).
    h = {j: comb(j, 1) * comb(10 - j, 3) / comb(10, 4) for j in (1, 2)}
    conditional = 2 * h[1] / (2 * h[1] + 1 * h[2])
    assert population_uniqueness(np.array([1, 1, 2]), 10)["zayatz"] == pytest.approx(conditional * 2 / 4, rel=1e-12)


def test_the_whole_population_is_as_unique_as_it_is() -> None:
    found = population_uniqueness(np.array([1, 1, 2, 6]), 10)
    assert found["zayatz"] == pytest.approx(0.2)
    assert found["snb"] == pytest.approx(0.2)


def test_snb_finds_the_population_that_it_describes() -> None:
    random = np.random.default_rng(1)
    people = 1 + random.negative_binomial(2, 0.3, 50_000)
    sample = random.binomial(people, 0.2)
    found = population_uniqueness(sample[sample > 0], int(people.sum()))
    assert found["snb"] == pytest.approx((people == 1).sum() / people.sum(), rel=0.15)
    assert found["dankar_model"] == "snb"
    assert found["dankar"] == found["snb"] < found["zayatz"]


def test_snb_expects_what_was_counted() -> None:
    # The model written out with SciPy's distributions: sizes of classes, and who of them is in a sample of 20 %.
    random = np.random.default_rng(2)
    people = 1 + random.negative_binomial(1.5, 0.25, 20_000)
    sample = random.binomial(people, 0.2)
    sizes, classes = np.unique(sample[sample > 0], return_counts=True)
    known = Sizes(size=sizes * 1.0, classes=classes * 1.0, population=float(people.sum()))
    fitted = fit_snb(known)
    assert fitted is not None
    alpha, more = fitted
    f, size = known.fraction, np.arange(1, 400)
    share = nbinom.pmf(size - 1, alpha, alpha / (alpha + more))
    everybody = known.population / np.dot(share, size)  # classes of the population
    assert everybody * np.dot(share, 1 - binom.pmf(0, size, f)) == pytest.approx(classes.sum(), rel=1e-6)
    assert everybody * np.dot(share, binom.pmf(1, size, f)) == pytest.approx(known.alone, rel=1e-6)
    assert snb(known) == pytest.approx(everybody * share[0] / known.population, rel=1e-6)


def test_pitman_finds_the_population_that_it_describes() -> None:
    # The process itself: the next person is of a new class with chance (θ + α·classes)/(θ + n).
    random, theta, alpha, size = np.random.default_rng(3), 20.0, 0.6, 20_000
    classes: list[int] = []
    belongs = np.empty(size, np.int64)
    for n, draw in enumerate(random.random(size) * (theta + np.arange(size))):
        if draw < theta + alpha * len(classes):
            belongs[n] = len(classes)
            classes.append(1)
            continue
        # In a class of size m with m − α: a random person's class, given up with chance α/m.
        while True:
            chosen = belongs[random.integers(n)]
            if random.random() < 1 - alpha / classes[chosen]:
                break
        belongs[n] = chosen
        classes[chosen] += 1
    sample = np.bincount(random.choice(belongs, 1_500, replace=False))
    found = population_uniqueness(sample[sample > 0], size)
    assert found["pitman"] == pytest.approx(classes.count(1) / size, rel=0.15)
    assert found["dankar_model"] == "pitman"


def test_where_nobody_is_alone_nobody_is_in_the_population() -> None:
    found = population_uniqueness(np.array([2, 3, 5]), 1000)
    assert found == {"size": 1000, "pitman": 0, "zayatz": 0, "snb": 0, "dankar": 0, "dankar_model": None}


def test_models_that_do_not_fit_say_so() -> None:
    # All alone: there is no most likely model, and the rule falls back.
    found = population_uniqueness(np.ones(10, np.int64), 1000)
    assert found["pitman"] is None
    assert found["snb"] is None
    assert found["dankar_model"] == "zayatz"
    assert found["dankar"] == found["zayatz"] == 1


def test_a_population_is_not_smaller_than_its_sample() -> None:
    with failing("risk.population-below-records", ParameterError):
        population_uniqueness(np.array([5, 5]), 9)


def test_a_search_that_steps_too_far_goes_on_from_another_start() -> None:
    # 2,000 of 47,559,000 people in the classes of three columns: the first step of the search made α vanish.
    people = az.datasets.people(2000, seed=1).select(["age", "sex", "education"])
    sizes = np.array(list(Counter(zip(*(column.to_pylist() for column in people.columns), strict=True)).values()))
    found = population_uniqueness(sizes, 47_559_000)
    # About a thousand classes for 47 million people: nobody is alone. Pitman's model does not fit such a table.
    assert found["pitman"] is None
    assert found["dankar"] == found["snb"] == pytest.approx(0, abs=1e-6)
