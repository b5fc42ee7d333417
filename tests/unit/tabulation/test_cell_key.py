import numpy as np
import pyarrow as pa
import pytest
from scipy.optimize import minimize
from tests.failing import failing

import antifaz as az
from antifaz.tabulation.cell_key import noise_distribution

KEY = bytes(range(64))
PEOPLE = az.datasets.people(400, seed=2).select(["id_number", "sex", "education", "marital_status"])


def counts(release, *names):
    return {tuple(row[name] for name in names): row["count"] for row in release.frame.to_pylist()}


def noised(dimensions, **parameters):
    return az.tabulate(PEOPLE, dimensions, person="id_number", protection=az.CellKeyNoise(key=KEY, **parameters))


@pytest.mark.parametrize(("count", "smallest"), [(1, 0), (2, 0), (3, 2), (9, 2), (40, 0)])
def test_the_noise_has_mean_zero_the_variance_asked_for_and_most_entropy(count, smallest):
    support, chances = noise_distribution(count, 5, 4.0, smallest)
    assert chances.sum() == pytest.approx(1)
    assert chances @ support == pytest.approx(0, abs=1e-6)
    assert all(count + v == 0 or count + v > smallest for v in support)
    rules = [{"type": "eq", "fun": lambda p: p.sum() - 1}, {"type": "eq", "fun": lambda p: p @ support},
             {"type": "eq", "fun": lambda p: p @ support**2 - chances @ support**2}]  # fmt: skip
    start = np.full(support.size, 1 / support.size)
    best = minimize(lambda p: np.sum(p * np.log(p + 1e-300)), start, bounds=[(0, 1)] * support.size, constraints=rules)
    assert -best.fun == pytest.approx(-np.sum(chances * np.log(chances + 1e-300)), abs=1e-3)
    if count > 7:
        assert chances @ support**2 == pytest.approx(4.0)


def test_a_variance_that_can_not_be_had_becomes_the_nearest():
    support, chances = noise_distribution(1, 5, 1000.0, 0)
    # From 1 one can fall by 1 only: most variance is -1 with 5/6 and +5 with 1/6.
    assert dict(zip(support.tolist(), chances.round(6).tolist(), strict=True))[5] == pytest.approx(1 / 6, abs=1e-5)


def test_the_same_people_get_the_same_noise_in_every_table():
    one, other = noised(["sex"]), noised(["sex", "education"])
    by_both = counts(other, "sex", "education")
    assert counts(one, "sex") == {(sex,): by_both[sex, "*"] for sex in ("*", "female", "male")}
    assert counts(noised(["sex"]), "sex") == counts(one, "sex")
    renamed = az.CellKeyNoise(key=bytes(reversed(KEY)))
    other_key = az.tabulate(PEOPLE, ["sex", "education"], person="id_number", protection=renamed)
    assert counts(other_key, "sex", "education") != by_both


def test_small_counts_are_never_published_and_empty_cells_stay_empty():
    release = noised(["marital_status", "education"], smallest=2, variance=5.0)
    found = counts(release, "marital_status", "education")
    assert not any(0 < count <= 2 for count in found.values())
    assert release.evidence["protection"]["changed"] > 10
    assert "key" not in release.evidence["protection"]


def test_what_it_needs_is_said():
    with failing("tabulation.protection-needs-person"):
        az.tabulate(PEOPLE, ["sex"], protection=az.CellKeyNoise(key=KEY))
    with failing("tabulation.key-needed"):
        az.tabulate(PEOPLE, ["sex"], person="id_number", protection=az.CellKeyNoise())
    with failing("tabulation.protection-of-counts-only"):
        table = pa.table({"who": [1], "sex": ["m"], "cost": [1]})
        az.tabulate(table, ["sex"], measure="cost", person="who", protection=az.CellKeyNoise(key=KEY))
    with failing("tabulation.noise-too-small"):
        noised(["sex"], noise=2, smallest=3)
