"""Singling out, and three attackers, by hand."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import antifaz as az
from antifaz.core.errors import ParameterError, SchemaError
from antifaz.risk.singling import class_risks

PEOPLE = pa.table({"age": [30, 30, 30, 41, 41, 52, None], "sex": ["m", "m", "f", "m", "m", "f", "f"]})


@pytest.mark.parametrize(("k", "expected"), [(1, 0), (2, 3), (3, 7), (10, 7)])
def test_who_looks_like_fewer_than_k_is_singled_out(k: int, expected: int) -> None:
    assert az.risk.singled_out(PEOPLE, ["age", "sex"], k) == expected


def test_alone_is_the_usual_meaning_and_one_column_may_be_named() -> None:
    assert az.risk.singled_out(PEOPLE, "age") == 2
    assert az.risk.singled_out(PEOPLE.slice(0, 0), ["age"], 5) == 0


def test_bad_questions_are_refused() -> None:
    with pytest.raises(SchemaError, match="'ages'"):
        az.risk.singled_out(PEOPLE, ["ages"], 2)
    with pytest.raises(ParameterError, match="k should be"):
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
