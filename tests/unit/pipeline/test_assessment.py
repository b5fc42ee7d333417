"""Judging a pair of tables: against a run's own evidence, in any order, with what was planted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import antifaz as az
from antifaz.core.errors import InputError, ParameterError, SchemaError
from antifaz.pipeline.assessment import population_size_of
from failing import failing

ROLES = {"age": "quasi-identifier", "sex": "quasi-identifier", "illness": "sensitive"}


def _people(rows: int = 400) -> pa.Table:
    random = np.random.default_rng(1)
    return pa.table(
        {
            "age": random.integers(18, 90, rows),
            "sex": random.choice(["f", "m"], rows),
            "illness": random.choice(["ache", "cold", "flu", "gout"], rows),
        }
    )


def _judged(before: Any, after: Any, **more: Any) -> dict[str, Any]:
    return az.assess(before, after, ROLES, **{"attacks": 0, "seed": 1, **more})


def _alike(found: Any, said: Any) -> None:
    for key in ("loss", "gcp", "discernibility", "average_class_size"):
        assert found["utility"][key] == pytest.approx(said["utility"][key], rel=1e-9), key
    for name, p in said["utility"]["ks"].items():
        assert found["utility"]["ks"][name] == pytest.approx(p, rel=1e-9)
    assert found["rows"]["suppressed"] == said["rows"]["suppressed"]
    for key in ("singled_out_before", "singled_out_after", "prosecutor", "marketer"):
        assert found["risk"][key] == pytest.approx(said["risk"][key]), key


def test_a_full_domain_release_measures_what_its_evidence_says() -> None:
    trees = {"age": az.hierarchy.intervals(5, 10, 20, 40), "sex": az.hierarchy.flat()}
    people = _people()
    release = az.anonymize(
        people, roles=ROLES, hierarchies=trees, privacy=az.KAnonymity(5), method=az.FullDomain(suppression=0.1), seed=1
    )
    found = _judged(people, release.frame, hierarchies=trees, k=5)
    _alike(found, release.evidence)
    assert found["utility"]["precision"] == pytest.approx(release.evidence["utility"]["precision"])
    assert found["utility"]["height"] == release.evidence["utility"]["height"]
    assert found["warnings"] == []
    # Without the hierarchies intervals are understood all the same.
    assert _judged(people, release.frame)["utility"]["gcp"] == pytest.approx(release.evidence["utility"]["gcp"])


def test_a_mondrian_release_measures_what_its_evidence_says() -> None:
    people = _people()
    release = az.anonymize(people, roles=ROLES, privacy=az.KAnonymity(5), method=az.Mondrian(), seed=1)
    found = _judged(people, release.frame, k=5)
    for key in ("gcp", "discernibility", "average_class_size"):
        assert found["utility"][key] == pytest.approx(release.evidence["utility"][key], rel=1e-9), key
    assert found["risk"]["prosecutor"] == release.evidence["risk"]["prosecutor"]
    assert found["warnings"] == []


def test_the_order_of_rows_and_columns_changes_nothing() -> None:
    before = _people()
    after = pa.table(
        {
            **{n: before[n] for n in before.column_names},
            "age": [f"[{a - a % 10}, {a - a % 10 + 10})" for a in before["age"].to_pylist()],
        }
    )
    order = np.random.default_rng(2).permutation(before.num_rows)
    one = _judged(before, after)
    other = _judged(before.take(order), after.take(order[::-1]).select(["illness", "sex", "age"]))
    for found in (one, other):
        found.pop("seconds")
    assert json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def test_check_05_planted_homogeneity_is_found() -> None:
    ages = [20] * 10 + [30] * 10 + [40] * 10
    ill = ["flu"] * 10 + ["flu", "cold"] * 5 + ["flu", "cold", "gout", "ache", "flu"] * 2
    table = pa.table({"age": ages, "sex": ["f"] * 30, "illness": ill})
    found = _judged(table, table)["risk"]["disclosure"]["illness"]
    assert found["homogeneity"] == {"records": pytest.approx(1 / 3), "classes": 1}
    assert found["background_knowledge"][0] == {
        "exclusions": 1, "records": pytest.approx(2 / 3), "confidence": 1.0,
    }  # fmt: skip


def test_the_document_is_that_of_the_contract_and_plain() -> None:
    people = _people(60)
    found = _judged(people, people, attacks=20, population_size=1000)
    assert {"utility", "risk", "attacks"} <= found.keys()
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert all({"name", "success", "control", "chance", "interval"} <= told.keys() for told in found["attacks"])
    assert found["attacks"]


def test_a_population_is_counted_below_the_released_labels() -> None:
    before = pa.table({"age": [20, 30], "sex": ["f", "m"], "illness": ["flu", "cold"]})
    after = pa.table({"age": ["[20, 30)", "[30, 40)"], "sex": ["f", "m"], "illness": ["flu", "cold"]})
    people = pa.table({"age": [20, 22, 25, 29, 31, 30, 30], "sex": ["f"] * 5 + ["m"] * 2})
    found = _judged(before, after, population=people)["risk"]["after"]
    assert found["journalist"] == {
        "highest": 0.5, "average": pytest.approx((1 / 4 + 1 / 2) / 2), "at_risk": 1, "basis": "population",
    }  # fmt: skip
    assert found["prosecutor"]["highest"] == 1


def test_an_identifier_that_was_released_and_a_column_that_was_not_are_told() -> None:
    before = _people(40).append_column("name", pa.array([f"n{i}" for i in range(40)]))
    after = before.drop_columns("sex")
    found = az.assess(before, after, {**ROLES, "name": "identifier"}, attacks=5, seed=1)
    assert "The identifier 'name' is a column of the release; look at what it holds." in found["warnings"]
    assert "Column 'sex' is not in the release." in found["warnings"]
    assert found["utility"]["columns"]["sex"]["gcp"] == 1


def test_warnings_name_the_column_and_never_a_cell() -> None:
    before = _people(40)
    after = before.set_column(1, "sex", pa.array(["secretword"] * 40))
    found = _judged(before, after)
    assert len(found["warnings"]) == 1
    assert "'sex'" in found["warnings"][0]
    assert "secretword" not in json.dumps(found)


def test_a_page_is_written_without_values(tmp_path: Path) -> None:
    people = _people(60)
    _judged(people, people, html=tmp_path / "page.html", attacks=10)
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Can people be found?" in text
    assert "What attackers achieve" in text
    assert "gout" not in text
    with failing("file.not-writable", InputError):
        _judged(people, people, html=tmp_path)


def test_a_hostile_name_of_a_column_can_not_call_anything(tmp_path: Path) -> None:
    bad = "<script>x</script>"
    table = pa.table({bad: [1, 2, 2], "s": ["a", "b", "b"]})
    az.assess(table, table, {bad: "quasi-identifier", "s": "sensitive"}, attacks=0, seed=1, html=tmp_path / "p.html")
    assert "<script>" not in (tmp_path / "p.html").read_text(encoding="utf-8")


def test_bad_questions_are_refused() -> None:
    people = _people(20)
    with failing("assess.no-quasi-identifiers", SchemaError):
        az.assess(people, people, {"illness": "sensitive"})
    with failing("column.unknown", SchemaError, name="agee"):
        az.assess(people, people, {"agee": "quasi-identifier"})
    with failing("assess.threshold-out-of-bounds", ParameterError):
        _judged(people, people, threshold=2)
    with failing("assess.k-below-1", ParameterError):
        _judged(people, people, k=0)
    with failing("utility.no-column-to-compare", ParameterError):
        _judged(people, pa.table({"other": [1]}))


def test_empty_tables_have_no_risk_and_no_utility_to_lose() -> None:
    none = _people(5).slice(0, 0)
    found = _judged(none, none)
    assert found["risk"]["prosecutor"] == 0
    assert found["utility"]["gcp"] == 0
    everything_gone = _judged(_people(5), none)
    assert everything_gone["utility"]["gcp"] == 1
    assert everything_gone["rows"]["suppressed"] == 5


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
