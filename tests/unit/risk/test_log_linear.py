"""The log-linear model of risk against a textbook's fit, Newton's method, brute force and known populations."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

import antifaz as az
from antifaz.core.errors import DataError, ParameterError
from antifaz.risk.log_linear import MOST_CELLS, fit_log_linear, mean_reciprocal
from failing import failing

#: Alcohol, cigarettes, marijuana of 2,276 students; A. Agresti, Categorical data analysis, 2nd edition, table 8.3.
STUDENTS = np.array([[[911, 538], [44, 456]], [[3, 43], [2, 279]]], np.float64)
#: The fit with all pairs together, from table 8.4 of the same.
FITTED = [[[910.4, 538.6], [44.6, 455.4]], [[3.6, 42.4], [1.4, 279.6]]]


def test_all_pairs_are_fitted_as_in_the_textbook() -> None:
    assert fit_log_linear(STUDENTS, 2, 1e-9) == pytest.approx(np.array(FITTED), abs=0.05)


def test_independent_columns_are_fitted_by_their_products() -> None:
    n = STUDENTS.sum()
    margins = [STUDENTS.sum(axis=tuple(a for a in range(3) if a != axis)) / n for axis in range(3)]
    assert fit_log_linear(STUDENTS, 1, 1e-9) == pytest.approx(n * np.einsum("i,j,k->ijk", *margins))
    assert fit_log_linear(STUDENTS, 3, 1e-9) == pytest.approx(STUDENTS)


def newton(counted: NDArray[np.float64], interactions: int) -> NDArray[np.float64]:
    """Poisson regression on dummy variables of all cells, by Newton's method: nothing of margins."""
    cells = np.array(list(np.ndindex(*counted.shape)))
    columns = [np.ones(len(cells))]
    single = [[(cells[:, a] == v).astype(float) for v in range(1, size)] for a, size in enumerate(counted.shape)]
    for a, own in enumerate(single):
        columns += own
        if interactions == 2:
            columns += [x * y for other in single[:a] for x in own for y in other]
    design, counts = np.stack(columns, axis=1), counted.reshape(-1)
    beta = np.zeros(design.shape[1])
    beta[0] = math.log(counts.mean())
    for _ in range(60):
        mean = np.exp(design @ beta)
        beta += np.linalg.solve(design.T @ (mean[:, None] * design), design.T @ (counts - mean))
    return np.exp(design @ beta).reshape(counted.shape)


@pytest.mark.parametrize("interactions", [1, 2])
@pytest.mark.parametrize("shape", [(2, 3), (3, 2, 4), (2, 2, 3, 2)])
def test_the_fit_is_that_of_poisson_regression(shape: tuple[int, ...], interactions: int) -> None:
    counted = np.random.default_rng(1).integers(1, 40, shape).astype(np.float64)
    assert fit_log_linear(counted, interactions, 1e-10) == pytest.approx(newton(counted, interactions), rel=1e-6)


@pytest.mark.parametrize(("f", "mean"), [(1, 3.0), (1, 0.0), (2, 0.5), (5, 400.0), (107, 1e4), (3, 1e-9), (176, 17e3)])
def test_the_mean_of_one_over_people_is_that_of_all_numbers_of_people(f: int, mean: float) -> None:
    total, chance = 0.0, math.exp(-mean) if mean < 700 else 0.0
    for more in range(int(mean + 50 * math.sqrt(mean) + 50)):
        if mean >= 700:
            chance = math.exp(more * math.log(mean) - mean - math.lgamma(more + 1))
        total += chance / (f + more)
        chance *= mean / (more + 1)
    assert mean_reciprocal(np.array([f]), np.array([mean]))[0] == pytest.approx(total, rel=1e-9)


def test_risks_follow_from_the_fit() -> None:
    # Saturated: 3 and 1 records of weights 10 and 4; the second key has 4 people, 3 of them not in the table.
    table = pa.table({"x": ["a", "a", "a", "b"], "w": [10.0, 10.0, 10.0, 4.0]})
    found = az.risk.log_linear_risk(table, "x", weights="w", interactions=1)
    assert found.alone == pytest.approx([0, 0, 0, math.exp(-3)])
    assert found.risks[3] == pytest.approx((1 - math.exp(-3)) / 3)
    assert found.people == pytest.approx([30, 30, 30, 4])
    assert (found.uniques, found.cells) == (1, 2)
    assert found.population_uniques == pytest.approx(math.exp(-3))
    assert found.unique_matches == pytest.approx(found.risks[3])
    assert found.expected == pytest.approx(found.risks.sum()) == pytest.approx(4 * found.share)


def test_weights_that_are_all_alike_are_a_fraction() -> None:
    table = az.datasets.people(500, seed=1).select(["age", "sex"])
    weighed = az.risk.log_linear_risk(table, ["age", "sex"], weights=np.full(500, 20.0), interactions=1)
    sampled = az.risk.log_linear_risk(table, ["age", "sex"], fraction=0.05, interactions=1)
    assert weighed.risks == pytest.approx(sampled.risks)
    assert weighed.alone == pytest.approx(sampled.alone)


def test_a_whole_population_is_what_it_is() -> None:
    table = pa.table({"x": [1, 1, 2, None], "y": ["a", "a", "b", "ñ"]})
    found = az.risk.log_linear_risk(table, ["x", "y"], fraction=1)
    assert found.alone.tolist() == [0, 0, 1, 1]
    assert found.risks.tolist() == [0.5, 0.5, 1, 1]


def population(seed: int, people: int = 60_000) -> dict[str, NDArray[np.int64]]:
    """People whose columns go together two by two, and in no other way: what the model takes for given."""
    random = np.random.default_rng(seed)
    shape = (8, 12, 9, 10)
    effects = [random.normal(0, 1.3, size) for size in shape]
    log = sum(effect.reshape([-1 if a == b else 1 for b in range(4)]) for a, effect in enumerate(effects))
    for a in range(4):
        for b in range(a):
            pair = random.normal(0, 0.5, (shape[b], shape[a]))
            log = log + pair.reshape([shape[c] if c in (a, b) else 1 for c in range(4)])
    chances = np.exp(log).reshape(-1)
    cells = random.choice(chances.size, people, p=chances / chances.sum())
    return dict(zip("pqrs", np.unravel_index(cells, shape), strict=True))


@pytest.mark.parametrize("unequal", [False, True])
def test_in_known_populations_it_finds_how_many_are_alone_and_matched(unequal: bool) -> None:
    true, estimated = np.zeros(2), np.zeros(2)
    for seed in range(4):
        people = population(seed)
        whole = np.stack(list(people.values()))
        _, key = np.unique(whole, axis=1, return_inverse=True)
        key = key.reshape(-1)
        chance = np.where(people["p"] > 3, 3.0, 1.0) if unequal else np.ones(key.size)
        chance *= 9_000 / chance.sum()
        drawn = np.random.default_rng(seed + 100).random(key.size) < chance
        table = pa.table({name: values[drawn] for name, values in people.items()})
        found = az.risk.log_linear_risk(table, list("pqrs"), weights=1 / chance[drawn])
        like_it = np.bincount(key)[key[drawn]]
        alone = np.bincount(key[drawn], minlength=key.max() + 1)[key[drawn]] == 1
        assert found.uniques == alone.sum()
        if not unequal:
            assert found.uniques_expected == pytest.approx(alone.sum(), rel=0.1)
        true += [(alone & (like_it == 1)).sum(), (1 / like_it[alone]).sum()]
        estimated += [found.population_uniques, found.unique_matches]
    # Added up over four samples: of so few who are alone in the population, one sample has a handful more or less.
    assert estimated[1] == pytest.approx(true[1], rel=0.06)
    assert estimated[0] == pytest.approx(true[0], rel=0.12)


def test_without_records_there_is_no_risk() -> None:
    found = az.risk.log_linear_risk(pa.table({"x": pa.array([], pa.int64())}), "x", fraction=0.1, interactions=1)
    assert (found.uniques, found.population_uniques, found.share) == (0, 0.0, 0.0)


def test_what_can_not_be_fitted_is_said_in_a_sentence() -> None:
    table = pa.table({"x": [1, 2, 3], "y": [1, 1, 2], "w": [1.0, 0.5, 2.0]})
    with failing("log-linear.weights-or-fraction", ParameterError):
        az.risk.log_linear_risk(table, ["x", "y"])
    with failing("log-linear.weights-or-fraction", ParameterError):
        az.risk.log_linear_risk(table, ["x", "y"], weights="w", fraction=0.1)
    for fraction in (0, 1.5):
        with failing("log-linear.fraction-out-of-bounds", ParameterError):
            az.risk.log_linear_risk(table, ["x", "y"], fraction=fraction)
    for interactions in (0, 3, True):
        with failing("log-linear.interactions-out-of-bounds", ParameterError):
            az.risk.log_linear_risk(table, ["x", "y"], fraction=0.1, interactions=interactions)
    with failing("log-linear.weights-below-1", DataError, bad=1):
        az.risk.log_linear_risk(table, ["x", "y"], weights="w")
    wide = pa.table({name: list(range(130)) for name in "abc"})
    with failing("log-linear.too-many-cells", ParameterError, cells=130**3, most=MOST_CELLS):
        az.risk.log_linear_risk(wide, list("abc"), fraction=0.1)
