"""Columns that may be weights and households, by their names and values."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pytest
import yaml

import antifaz as az
from antifaz.projects import actions
from antifaz.proposals.survey import survey_columns

ROWS = 300


def columns(**named: list[object]) -> dict[str, str]:
    with az.open(pa.table(named)) as data:
        return survey_columns(data.profile())


WEIGHTS = [1.5 + i % 7 for i in range(ROWS)]
HOMES = [i // 3 for i in range(ROWS)]


@pytest.mark.parametrize("name", ["sampling_weight", "hh_weights", "pspwght", "peso_muestral", "factorExpansion"])
def test_sampling_weights_are_known_by_their_names(name: str) -> None:
    assert columns(**{name: WEIGHTS}) == {"weight": name}


@pytest.mark.parametrize(
    "name", ["household_weights", "pondera", "peso_campionario", "Factor de expansión", "poids de sondage", "fnlwgt"]
)
def test_a_weight_is_no_quasi_identifier(name: str) -> None:
    def proposed(weights: list[float]) -> tuple[str, str]:
        proposal = az.propose.roles(pa.table({name: weights, "age": [20 + i % 50 for i in range(ROWS)]}))[name]
        return str(proposal.value), proposal.reason.code

    assert proposed(WEIGHTS) == ("insensitive", "reason.survey-weight")
    # A weight of one's own is as good as a name.
    assert proposed([1000.25 + 3 * i for i in range(ROWS)]) == ("sensitive", "reason.survey-weight-exact")


@pytest.mark.parametrize("name", ["weight", "peso", "Gewicht", "weight_kg"])
def test_the_weight_of_a_body_stays_a_quasi_identifier(name: str) -> None:
    table = pa.table({name: [50 + i % 40 for i in range(ROWS)], "age": [20 + i % 50 for i in range(ROWS)]})
    assert az.propose.roles(table)[name].value == "quasi-identifier"


@pytest.mark.parametrize("name", ["weight", "weight_kg", "peso", "birth_weight"])
def test_the_weight_of_a_body_is_none(name: str) -> None:
    assert columns(**{name: WEIGHTS}) == {}


@pytest.mark.parametrize("name", ["hid", "household_id", "id_hogar", "hhid"])
def test_households_have_a_few_members(name: str) -> None:
    assert columns(**{name: HOMES}) == {"household": name}
    assert columns(**{name: list(range(ROWS))}) == {}
    assert columns(**{name: [i % 2 for i in range(ROWS)]}) == {}


def test_text_and_missing_values_are_no_weights() -> None:
    assert columns(survey_weight=["heavy"] * ROWS) == {}
    assert columns(survey_weight=[None, *WEIGHTS[1:]]) == {}
    assert columns(household_size=HOMES) == {}


def test_init_offers_the_line_and_a_run_takes_it(tmp_path: Path) -> None:
    people = az.datasets.people(ROWS, seed=1).select(["age", "sex"])
    table = people.append_column("hid", pa.array(HOMES)).append_column("survey_weight", pa.array(WEIGHTS))
    pa.csv.write_csv(table, tmp_path / "survey.csv")
    project = tmp_path / "project.yaml"
    actions.init(tmp_path / "survey.csv", project)
    text = project.read_text(encoding="utf-8")
    line = "survey: {household: hid, weight: survey_weight}"
    assert f"# {line}\n" in text
    assert "survey" not in yaml.safe_load(text)
    project.write_text(text.replace(f"# {line}", line).replace("decide", "insensitive"), encoding="utf-8")
    assert actions.run(project, ledger=False)["survey"]["weight"] == "survey_weight"
