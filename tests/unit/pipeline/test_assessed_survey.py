"""The risk of a survey in two tables that somebody else made."""

from __future__ import annotations

import pyarrow as pa
import pytest

import antifaz as az
from antifaz.core.errors import SchemaError
from failing import failing

BEFORE = pa.table(
    {
        "age": [31, 32, 31, 45, 45, 45],
        "sex": ["f", "f", "m", "m", "m", "f"],
        "w": [10, 20, 5, 5, 8, 2],
        "h": [1, 1, 2, 2, 3, 3],
    }
)
AFTER = BEFORE.set_column(0, "age", pa.array(["[30, 40)"] * 3 + ["[40, 50)"] * 3))
ROLES = {"age": "quasi-identifier", "sex": "quasi-identifier", "w": "insensitive", "h": "identifier"}


def test_both_tables_are_weighed() -> None:
    found = az.assess(BEFORE, AFTER, ROLES, weight="w", household="h", attacks=0)["survey"]
    for side, table in (("before", BEFORE), ("after", AFTER)):
        risk = az.risk.individual_risk(table, ["age", "sex"], weights="w", household="h")
        assert found[side]["expected"] == pytest.approx(risk.expected)
        assert found[side]["household_share"] == pytest.approx(risk.household_share)
    assert found["after"]["expected"] < found["before"]["expected"]
    assert found["population"] == 50
    assert found["households"]["number"] == 3


def test_a_release_without_these_columns_is_taken_for_the_population() -> None:
    found = az.assess(BEFORE, AFTER.drop(["w", "h"]), ROLES, weight="w", household="h", attacks=0)["survey"]
    assert found["after"]["expected"] == pytest.approx(4)
    assert "household_share" not in found["after"]
    assert "population" not in found


def test_columns_that_are_not_there_are_refused() -> None:
    with failing("column.unknown", SchemaError):
        az.assess(BEFORE, AFTER, ROLES, weight="v", attacks=0)
    assert "survey" not in az.assess(BEFORE, AFTER, ROLES, attacks=0)
