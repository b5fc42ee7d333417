"""Individual risk against its formula, and what follows for households and thresholds."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest

import antifaz as az


def test_risks_follow_the_formula():
    # f = 1 of 10: p = 0.1. f = 2 of 4: p = 0.5. f = 3 of 12: p = 0.25.
    table = pa.table({"x": [1, 2, 2, 3, 3, 3], "w": [10, 1, 3, 2, 4, 6], "h": ["p", "p", "q", "q", "q", None]})
    found = az.risk.individual_risk(table, "x", weights="w", household="h")
    one, two, three = math.log(10) / 9, 1 - math.log(2), 0.25 / 2.25
    assert found.risks == pytest.approx([one, two, two, three, three, three], rel=1e-12)
    p, q = 1 - (1 - one) * (1 - two), 1 - (1 - two) * (1 - three) ** 2
    assert found.household == pytest.approx([p, p, q, q, q, three], rel=1e-12)
    assert found.expected == pytest.approx(one + 2 * two + 3 * three)
    assert found.share == pytest.approx(found.expected / 6)
    assert found.household_share == pytest.approx((2 * p + 3 * q + three) / 6)


@pytest.mark.parametrize("f", [1, 2, 3, 10, 51, 400])
@pytest.mark.parametrize("p", [0.01, 0.3, 0.995, 0.9999999])
def test_the_exact_risk_is_the_mean_over_all_numbers_of_people(f, p):
    # People beyond the f of the table: negative binomial.
    beyond = np.arange(200_000)
    logs = [math.lgamma(f + n) - math.lgamma(f) - math.lgamma(n + 1) for n in range(20_000 if p > 0.2 else 200_000)]
    chance = np.exp(np.array(logs) + f * math.log(p) + beyond[: len(logs)] * math.log1p(-p))
    table = pa.table({"x": [0] * f, "w": [1 / p] * f})
    found = az.risk.individual_risk(table, "x", weights="w", method="exact").risks[0]
    assert found == pytest.approx(float((chance / (f + beyond[: len(logs)])).sum()), rel=1e-7)


def test_a_person_found_for_certain_gives_the_household_away():
    found = az.risk.individual_risk(pa.table({"x": [1, 2, 2], "h": [7, 7, 8]}), "x", household="h")
    assert found.household.tolist() == pytest.approx([1, 1, 0.5])
    assert found.risks.tolist() == [1, 0.5, 0.5]


def test_who_stands_out_and_how_far_risks_must_come_down():
    found = az.risk.individual_risk(pa.table({"x": [0] * 97 + [1, 2, 2]}), "x")
    assert found.at_risk == 3
    # The most people are at 1/97; with all brought down to it the global risk is that.
    assert found.threshold(0.011) == pytest.approx(1 / 97)
    assert found.threshold(0.03) == pytest.approx(0.5)
    assert found.threshold(0.5) is None
