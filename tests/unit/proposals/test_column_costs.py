"""What each quasi-identifier costs the others."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import antifaz as az
from antifaz.core.errors import InputError
from failing import failing


def table(rows: int = 600) -> pa.Table:
    random = np.random.default_rng(4)
    return pa.table(
        {
            "many": random.permutation(rows),
            "some": random.integers(0, 40, rows),
            "one": np.zeros(rows, np.int64),
            "few": random.choice(["a", "b", "c"], rows),
        }
    )


def test_the_column_with_most_values_costs_most_and_a_constant_nothing() -> None:
    found = az.propose.columns(table(), ["many", "some", "one", "few"], 5)
    costs = {own.details["column"]: own.details["others"] - own.details["without"] for own in found}
    assert found[0].details["column"] == "many"
    assert costs["many"] > 0.02
    assert abs(costs["one"]) < 1e-12
    assert {own.details["column"]: own.value for own in found}["one"] == "keep"


def test_without_a_column_the_others_lose_what_they_lose_alone() -> None:
    data = table()
    found = az.propose.columns(data, ["some", "few"], 5)
    alone = az.anonymize(
        data.select(["few"]),
        roles={"few": "quasi-identifier"},
        privacy=[az.KAnonymity(5)],
        method=az.Mondrian(),
        seed=1,
    ).evidence["utility"]["gcp"]
    assert next(own for own in found if own.details["column"] == "some").details["without"] == pytest.approx(alone)


def test_coarsening_lies_between_and_the_order_of_rows_does_not_matter() -> None:
    data = table()
    found = az.propose.columns(data, ["many", "some", "few"], 5)
    first = found[0].details
    assert first["without"] <= first["coarsened"] + 0.02
    assert first["coarsened"] < first["others"]
    other = az.propose.columns(data.take(np.random.default_rng(1).permutation(600)), ["many", "some", "few"], 5)
    assert [own.details for own in other] == [own.details for own in found]


def test_one_column_has_no_others() -> None:
    with failing("proposal.costs-need-two-columns", InputError):
        az.propose.columns(table(), ["many"], 5)
