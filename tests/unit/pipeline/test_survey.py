"""The risk of a survey in the evidence: counted in the released file, by weights and households that it may lack."""

from __future__ import annotations

import csv
import json
import math
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
import yaml

import antifaz as az
from antifaz.core.errors import DataError, SchemaError
from antifaz.pipeline.survey import count_households
from antifaz.projects import actions
from failing import failing

QIS = ["region", "sex", "age"]


def survey(households: int = 150, seed: int = 2) -> pa.Table:
    """People of made-up households, with weights that differ by region."""
    random = np.random.default_rng(seed)
    of = np.repeat(np.arange(households), random.integers(1, 5, households))
    region = random.choice(["north", "south", "eastern isles"], households, p=[0.6, 0.35, 0.05])
    weights = {"north": 120.5, "south": 60.25, "eastern isles": 4.0}
    return pa.table(
        {
            "region": region[of],
            "sex": random.choice(["f", "m"], of.size),
            "age": random.integers(0, 9, of.size) * 10,
            "income": random.lognormal(10, 1, of.size).round(2),
            "home": [f"h{home}" for home in of],
            "weight": [weights[own] for own in region[of]],
        }
    )


ROLES = dict.fromkeys(QIS, "quasi-identifier") | {"income": "sensitive", "home": "identifier", "weight": "insensitive"}


def by_hand(rows: list[tuple[Any, ...]], weights: list[float], homes: list[Any]) -> tuple[float, float, int]:
    """Expected right matches, of records and of households, and records alone; by the formulas, record by record."""
    counts, people = Counter(rows), defaultdict(float)
    for row, weight in zip(rows, weights, strict=True):
        people[row] += weight
    risks, safe = [], defaultdict(lambda: 1.0)
    for row, home in zip(rows, homes, strict=True):
        f, p = counts[row], counts[row] / people[row]
        if f == 1:
            risk = p / (1 - p) * math.log(1 / p)
        elif f == 2:
            risk = p / (1 - p) - (p / (1 - p)) ** 2 * math.log(1 / p)
        else:
            risk = p / (f - (1 - p))
        risks.append(risk)
        safe[home] *= 1 - risk
    return sum(risks), sum(1 - safe[home] for home in homes), sum(counts[row] == 1 for row in rows)


def rows_of(table: pa.Table) -> list[tuple[Any, ...]]:
    return list(zip(*(map(str, table[name].to_pylist()) for name in QIS), strict=True))


def project(tmp_path: Path, **changes: Any) -> Path:
    pa.csv.write_csv(survey(), tmp_path / "survey.csv")
    told = {
        "antifaz": 1,
        "source": {"path": "survey.csv"},
        "attributes": {name: {"role": role} for name, role in ROLES.items()},
        "survey": {"weight": "weight", "household": "home"},
        "privacy": [{"model": "k-anonymity", "k": 3}],
        "method": {"name": "local-suppression"},
        "report": {"attacks": 0},
        "seed": 1,
    }
    told |= changes
    (tmp_path / "project.yaml").write_text(yaml.safe_dump(told), encoding="utf-8")
    return tmp_path / "project.yaml"


def test_before_is_what_the_formulas_say_of_the_data(tmp_path: Path) -> None:
    evidence = actions.run(project(tmp_path), ledger=False)
    table = survey()
    expected, together, alone = by_hand(rows_of(table), table["weight"].to_pylist(), table["home"].to_pylist())
    before = evidence["survey"]["before"]
    assert before["expected"] == pytest.approx(expected, rel=1e-12)
    assert before["household_expected"] == pytest.approx(together, rel=1e-12)
    assert before["uniques"] == alone > 0
    assert before["share"] == pytest.approx(expected / table.num_rows)


def test_after_is_what_they_say_of_the_written_file(tmp_path: Path) -> None:
    # The weight and the household are released, so that whoever has the file can do the same.
    attributes = {name: {"role": role} for name, role in ROLES.items()} | {"home": {"role": "insensitive"}}
    evidence = actions.run(project(tmp_path, attributes=attributes), ledger=False)
    with (tmp_path / "out" / evidence["released"]["file"]).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    keys = [tuple(row[name] for name in QIS) for row in rows]
    expected, together, alone = by_hand(keys, [float(row["weight"]) for row in rows], [row["home"] for row in rows])
    after = evidence["survey"]["after"]
    assert after["expected"] == pytest.approx(expected, rel=1e-12)
    assert after["household_expected"] == pytest.approx(together, rel=1e-12)
    assert (after["uniques"], after["records"]) == (alone, len(rows))
    assert evidence["survey"]["population"] == pytest.approx(sum(float(row["weight"]) for row in rows))
    homes = defaultdict(list)
    for key, row in zip(keys, rows, strict=True):
        homes[row["home"]].append(key)
    alike = Counter(tuple(sorted(members)) for members in homes.values())
    single = [members for members in homes.values() if alike[tuple(sorted(members))] == 1]
    assert evidence["survey"]["households"] == {
        "number": len(homes),
        "alone": len(single),
        "records": sum(map(len, single)),
    }


def test_what_is_not_released_is_still_that_of_the_same_rows(tmp_path: Path) -> None:
    # Weights and households are removed; the rows are in another order, and the figures are the same.
    seen, hidden = tmp_path / "seen", tmp_path / "hidden"
    for folder in (seen, hidden):
        folder.mkdir()
    attributes = {name: {"role": role} for name, role in ROLES.items()}
    shown = actions.run(project(seen, attributes=attributes | {"home": {"role": "insensitive"}}), ledger=False)
    removed = actions.run(project(hidden, attributes=attributes | {"weight": {"role": "identifier"}}), ledger=False)
    assert "home" not in removed["released"]["columns"]
    assert "households" not in removed["survey"]
    for side in ("before", "after"):
        assert removed["survey"][side]["expected"] == pytest.approx(shown["survey"][side]["expected"])
        assert removed["survey"][side]["household_expected"] == pytest.approx(
            shown["survey"][side]["household_expected"]
        )


def test_in_memory_it_is_the_same_as_on_disk(tmp_path: Path) -> None:
    run = actions.run(project(tmp_path), ledger=False)["survey"]
    release = az.anonymize(
        survey(), roles=ROLES, privacy=az.KAnonymity(3), method=az.LocalSuppression(), seed=1, weight="weight",
        household="home",
    )  # fmt: skip
    found = release.evidence["survey"]
    assert found["before"]["expected"] == pytest.approx(run["before"]["expected"])
    assert found["after"]["records"] == survey().num_rows


@pytest.mark.parametrize(("given", "weighed", "together"), [("weight", True, False), ("household", False, True)])
def test_one_of_the_two_is_enough(given: str, weighed: bool, together: bool) -> None:
    release = az.anonymize(
        survey(), roles=ROLES, privacy=az.KAnonymity(3), method=az.LocalSuppression(), seed=1,
        **{given: "weight" if weighed else "home"},
    )  # fmt: skip
    found = release.evidence["survey"]
    assert ("population" in found, "household_share" in found["after"]) == (weighed, together)
    if not weighed:
        # The table is the population: one over the class, of whom there is one each.
        assert found["before"]["expected"] == pytest.approx(len(set(rows_of(survey()))))


def test_without_a_survey_nothing_is_said(tmp_path: Path) -> None:
    assert "survey" not in actions.run(project(tmp_path, survey={}), ledger=False)


def test_weights_that_single_people_out_are_found(tmp_path: Path) -> None:
    table = survey()
    own = pa.array(np.random.default_rng(1).random(table.num_rows) * 50 + 1)
    made = table.set_column(table.schema.get_field_index("weight"), "weight", own)
    path = project(tmp_path)
    pa.csv.write_csv(made, tmp_path / "survey.csv")
    findings = {each["code"]: each for each in actions.run(path, ledger=False)["verdict"]["findings"]}
    found = findings["weight-singles-out"]
    assert (found["weight"], found["columns"], found["measured"]["alone"]) == ("no", ["weight"], table.num_rows)
    assert "column-singles-out" not in findings
    # What it says helps: averages of the weights.
    told = yaml.safe_load(path.read_text(encoding="utf-8"))
    told["attributes"]["weight"] |= found["remedy"]["change"]["attributes"]["weight"]
    path.write_text(yaml.safe_dump(told), encoding="utf-8")
    again = actions.run(path, ledger=False, out=tmp_path / "again")
    assert again["survey"]["population"] == pytest.approx(pa.compute.sum(own).as_py())
    assert [each["weight"] for each in again["verdict"]["findings"] if each["code"] == "weight-singles-out"] in (
        [],
        ["with care"],
    )


def test_households_that_single_people_out_are_found_and_removed(tmp_path: Path) -> None:
    attributes = {name: {"role": role} for name, role in ROLES.items()} | {"home": {"role": "insensitive"}}
    evidence = actions.run(project(tmp_path, attributes=attributes), ledger=False)
    (found,) = [each for each in evidence["verdict"]["findings"] if each["code"] == "household-singles-out"]
    assert (found["weight"], found["columns"]) == ("no", ["home"])
    assert found["remedy"]["change"] == {"attributes": {"home": {"role": "identifier"}}}
    assert "home" in found["words"]
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "Household risk" in page
    assert json.loads((tmp_path / "out" / "evidence.json").read_text(encoding="utf-8"))["survey"] == evidence["survey"]


def test_households_are_counted_by_all_of_their_members() -> None:
    table = pa.table({"q": ["a", "b", "b", "a", "a", "c", "c"], "h": [1, 1, 2, 2, 3, 4, None]})
    # 1 and 2 have the same members; 3 and 4 have none like theirs, and the last is of no household.
    found = count_households(table, ["q"], "h")
    assert (found.number, found.alone, found.records) == (4, 2, 2)


def test_columns_that_are_not_there_and_weights_that_are_none_are_refused() -> None:
    asked = {"roles": ROLES, "privacy": az.KAnonymity(3), "method": az.LocalSuppression()}
    for given in ("weight", "household"):
        with failing("column.unknown", SchemaError, name="wieght"):
            az.anonymize(survey(), **asked, **{given: "wieght"})
    with failing("risk.weights-not-numbers", DataError):
        _ = az.anonymize(survey(), **asked, weight="region").evidence


@pytest.mark.parametrize("language", ["es", "ca"])
def test_the_report_says_it_in_other_languages(tmp_path: Path, language: str) -> None:
    actions.run(project(tmp_path, report={"attacks": 0, "language": language}), ledger=False)
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert {"es": "Riesgo de los hogares", "ca": "Risc de les llars"}[language] in page


def test_where_it_is_not_measured_that_is_said(tmp_path: Path) -> None:
    attributes = {name: {"role": "insensitive"} for name in survey().column_names}
    light = {"kind": "light", "attributes": attributes, "method": {"name": "full-domain"}}
    path = project(tmp_path, **light)
    told = yaml.safe_load(path.read_text(encoding="utf-8"))
    del told["privacy"]
    path.write_text(yaml.safe_dump(told), encoding="utf-8")
    evidence = actions.run(path, ledger=False)
    assert "survey" not in evidence
    assert "note.survey-not-measured" in [each["code"] for each in evidence["messages"]["notes"]]


def test_a_model_that_would_take_long_is_left_out() -> None:
    own = pa.array([f"r{i}" for i in range(survey().num_rows)])
    wide, roles = (
        survey().append_column("one", own).append_column("two", own),
        ROLES | dict.fromkeys(QIS, "insensitive"),
    )
    roles |= {"one": "quasi-identifier", "two": "quasi-identifier"}
    few = az.assess(survey(), survey(), ROLES, weight="weight", attacks=0)["survey"]["before"]
    assert few["log_linear"]["uniques_expected"] > 0
    assert "log_linear" in az.assess(wide, wide, roles, weight="weight", attacks=0)["survey"]["before"]
    more = roles | {"income": "quasi-identifier"}
    many = az.assess(wide, wide, more, weight="weight", attacks=0)["survey"]["before"]
    assert many["uniques"] == wide.num_rows
    assert "log_linear" not in many


def test_one_of_several_tables_is_a_survey(tmp_path: Path) -> None:
    path = project(tmp_path)
    alone = yaml.safe_load(path.read_text())
    (tmp_path / "towns.csv").write_text("town,people\na,1\na,2\nb,3\nb,4\n")
    own = {key: alone.pop(key) for key in ("source", "attributes", "survey", "privacy", "method")}
    towns = {
        "source": {"path": "towns.csv"},
        "attributes": {"town": {"role": "quasi-identifier"}, "people": {"role": "insensitive"}},
        "privacy": [{"model": "k-anonymity", "k": 2}],
        "method": {"name": "local-suppression"},
    }
    path.write_text(yaml.safe_dump(alone | {"tables": {"people": own, "towns": towns}}))
    evidence = actions.run(path, ledger=False)
    measured = evidence["tables"]["people"]["survey"]
    assert (measured["weight"], measured["household"]) == ("weight", "home")
    assert measured["before"]["household_share"] > measured["after"]["household_share"]
    assert "survey" not in evidence["tables"]["towns"]


def test_perturbations_stay_within_the_strata_of_the_survey_unless_they_say_otherwise(tmp_path: Path) -> None:
    path = project(tmp_path)
    given = yaml.safe_load(path.read_text())
    given["survey"]["strata"] = ["region", "sex"]
    swap = {"name": "rank-swap", "p": 0.5}
    given["attributes"]["age"]["operation"] = swap
    given["perturbation"] = [
        {**swap, "columns": ["weight"]},
        {**swap, "columns": ["weight"], "strata": []},
        {"name": "pram", "columns": ["sex"]},
        {"name": "rounding", "columns": ["weight"], "base": 2},
    ]
    path.write_text(yaml.safe_dump(given))
    evidence = actions.run(path, ledger=False)
    strata = [step["parameters"].get("strata") for step in evidence["perturbation"]]
    assert strata == [["region", "sex"], ["region", "sex"], None, ["region"], None]


# -- two tables that somebody else made

BEFORE = pa.table(
    {
        "age": [31, 32, 31, 45, 45, 45],
        "sex": ["f", "f", "m", "m", "m", "f"],
        "w": [10, 20, 5, 5, 8, 2],
        "h": [1, 1, 2, 2, 3, 3],
    }
)
AFTER = BEFORE.set_column(0, "age", pa.array(["[30, 40)"] * 3 + ["[40, 50)"] * 3))
PAIR_ROLES = {"age": "quasi-identifier", "sex": "quasi-identifier", "w": "insensitive", "h": "identifier"}


def test_both_tables_are_weighed() -> None:
    found = az.assess(BEFORE, AFTER, PAIR_ROLES, weight="w", household="h", attacks=0)["survey"]
    for side, table in (("before", BEFORE), ("after", AFTER)):
        risk = az.risk.individual_risk(table, ["age", "sex"], weights="w", household="h")
        assert found[side]["expected"] == pytest.approx(risk.expected)
        assert found[side]["household_share"] == pytest.approx(risk.household_share)
    assert found["after"]["expected"] < found["before"]["expected"]
    assert found["population"] == 50
    assert found["households"]["number"] == 3


def test_a_release_without_these_columns_is_taken_for_the_population() -> None:
    found = az.assess(BEFORE, AFTER.drop(["w", "h"]), PAIR_ROLES, weight="w", household="h", attacks=0)["survey"]
    assert found["after"]["expected"] == pytest.approx(4)
    assert "household_share" not in found["after"]
    assert "population" not in found


def test_columns_that_are_not_there_are_refused() -> None:
    with failing("column.unknown", SchemaError):
        az.assess(BEFORE, AFTER, PAIR_ROLES, weight="v", attacks=0)
    assert "survey" not in az.assess(BEFORE, AFTER, PAIR_ROLES, attacks=0)
