"""A population told by a number or by the name of a country."""

from __future__ import annotations

import pyarrow as pa
import pytest

import antifaz as az
from antifaz.pipeline.population_size import population_size_of
from failing import failing


@pytest.mark.parametrize("told", ["Spain", "españa", "Espanya", "ES", "esp", " Spanien "])
def test_a_country_is_known_by_its_names_and_codes(told: str) -> None:
    size, (note,) = population_size_of(told)
    assert size == 47_559_000
    assert (note.code, note.values["region"]) == ("warning.population-of-region", "ES")
    assert "2022" in note.values["source"]


def test_numbers_are_numbers() -> None:
    assert population_size_of(None) == (None, [])
    assert population_size_of(12.0) == (12.0, [])
    assert population_size_of("48_000_000") == (48e6, [])
    assert population_size_of("1e6") == (1e6, [])


@pytest.mark.parametrize("told", ["Atlantis", "", "12 people", "Vatican City"])
def test_what_is_not_in_the_list_is_refused(told: str) -> None:
    with failing("risk.unknown-region", az.ParameterError, name=told):
        population_size_of(told)


def test_an_assessment_says_where_its_population_is_from() -> None:
    table = pa.table({"age": list(range(30)), "sex": ["f", "m"] * 15})
    asked = {"age": "quasi-identifier", "sex": "quasi-identifier"}
    named = az.assess(table, table, asked, population_size="Andorra", attacks=0, seed=1)
    told = az.assess(table, table, asked, population_size=80_000, attacks=0, seed=1)
    assert named["risk"] == told["risk"]
    assert [note.code for note in named["warnings"] if note not in told["warnings"]] == ["warning.population-of-region"]
    assert named["risk"]["before"]["population_uniqueness"]["size"] == 80_000
