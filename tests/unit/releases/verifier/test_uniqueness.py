"""The estimates of the verifier: against the other way, against brute force, and against ARX."""

from __future__ import annotations

import json
import math
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from antifaz.core.arrays import Ints
from antifaz.core.errors import ParameterError
from antifaz.core.verdicts import Verdict
from antifaz.counting.population_uniqueness import unique_share
from antifaz.releases.verifier.models import verify
from failing import failing

GOLDEN = Path(__file__).resolve().parents[5] / "shared" / "golden" / "arx_adult_risk.json"
ESTIMATORS = ("dankar", "pitman", "zayatz", "snb")


def judged(sizes: Any, people: float, estimator: str, threshold: float = 1.0) -> Verdict:
    sizes = np.asarray(sizes, np.int64)
    counted: Any = SimpleNamespace(rows=int(sizes.sum()), sizes=sizes, cells={}, classes=None)
    asked = {"model": "population-uniqueness", "threshold": threshold, "population_size": people}
    return verify(counted, [{**asked, "estimator": estimator}])[0]


def samples() -> list[tuple[Ints, int]]:
    """Samples of very different tables and populations, drawn at random."""
    random = np.random.default_rng(0)
    made = []
    for trial in range(24):
        kinds = (
            lambda: random.integers(1, 8, int(random.integers(2, 300))),
            lambda: np.minimum(random.zipf(1.3 + 2 * random.random(), int(random.integers(2, 1_000))), 100_000),
            lambda: np.append(np.ones(int(random.integers(1, 500)), np.int64), random.integers(1, 30, 50)),
            lambda: random.binomial(1 + random.negative_binomial(0.2 + 2 * random.random(), 0.2, 2_000), 0.3),
        )
        sizes = kinds[trial % 4]()
        sizes = sizes[sizes > 0]
        made.append((sizes, int(sizes.sum() * math.exp(random.random() * (8 if trial % 3 else 0.5)))))
    return made


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_two_ways_lead_to_one_estimate(estimator: Any) -> None:
    for sizes, people in samples():
        found = judged(sizes, people, estimator).achieved
        assert found == pytest.approx(unique_share(sizes, people, estimator), rel=1e-10, abs=1e-300)


@pytest.mark.skipif(not GOLDEN.exists(), reason="needs the results of other programs")
@pytest.mark.parametrize("side", ["input", "output"])
def test_arx_estimates_the_same(side: str) -> None:
    said = json.loads(GOLDEN.read_text())[0][side]
    histogram = np.array(said["classes"]["histogram_size_count"], np.int64).reshape(-1, 2)
    sizes, people = np.repeat(histogram[:, 0], histogram[:, 1]), said["population"]["size"]
    for name in ("zayatz", "pitman", "dankar"):
        wanted = said["population"][name]
        # ARX stops its search for the likeliest parameters a little earlier.
        assert judged(sizes, people, name).achieved == pytest.approx(wanted, rel=1e-12 if name == "zayatz" else 1e-6)


def test_pitman_s_estimate_is_that_of_the_greatest_likelihood() -> None:
    # Term by term, on a grid that closes in: P = Π (θ + l·α) / Π (θ + i) · Π over classes of Π (i − α).
    sizes, people = [1] * 30 + [2] * 8 + [3, 3, 5, 11], 5_000
    n, u = sum(sizes), len(sizes)

    def likelihood(alpha: float, theta: float) -> float:
        total = sum(math.log(theta + part * alpha) for part in range(1, u))
        total -= sum(math.log(theta + i) for i in range(1, n))
        return total + sum(math.log(i - alpha) for size in sizes for i in range(1, size))

    alpha, theta, width = 0.5, 20.0, 1.0
    for _ in range(60):
        around = [
            (likelihood(a, t), a, t)
            for a in (alpha - 0.2 * width, alpha, alpha + 0.2 * width)
            for t in (theta * math.exp(-width), theta, theta * math.exp(width))
            if 0 < a < 1
        ]
        best = max(around)
        width = width * 0.7 if best[1:] == (alpha, theta) else width
        _, alpha, theta = best
    share = math.exp(math.lgamma(theta + 1) - math.lgamma(theta + alpha)) * people ** (alpha - 1)
    assert judged(sizes, people, "pitman").achieved == pytest.approx(share, rel=1e-3)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_limit_is_reached_exactly(estimator: str) -> None:
    sizes, people = [1] * 30 + [2] * 8 + [3, 3, 5, 11], 5_000
    share = judged(sizes, people, estimator).achieved
    assert judged(sizes, people, estimator, share).holds
    below = judged(sizes, people, estimator, share * (1 - 1e-6))
    assert (below.holds, below.failing) == (False, sum(sizes))


def test_more_people_make_fewer_of_them_unique() -> None:
    sizes = [1] * 30 + [2] * 8 + [3, 3, 5, 11]
    for estimator in ("pitman", "zayatz"):
        shares = [judged(sizes, people, estimator).achieved for people in (100, 1_000, 10_000, 1_000_000)]
        assert all(more >= fewer for more, fewer in pairwise(shares)), estimator


def test_what_is_missing_or_wrong_is_refused() -> None:
    with failing("risk.population-below-records", ParameterError):
        judged([1, 2], 2, "dankar")
    with failing("verifier.not-one-of", ParameterError):
        judged([1, 2], 10, "chao")
    counted: Any = SimpleNamespace(rows=3, sizes=np.array([1, 2]), cells={}, classes=None)
    asked = {"model": "population-uniqueness", "threshold": 0.5, "estimator": "dankar"}
    with failing("verifier.not-a-number", ParameterError):
        verify(counted, [asked])
    with failing("risk.unknown-region", ParameterError):
        verify(counted, [{**asked, "country": "XX"}])
