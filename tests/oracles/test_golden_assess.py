"""Releases of other programs, assessed to the figures that those report of them."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import antifaz as az
from antifaz.counting.population_uniqueness import Sizes, fit_snb
from antifaz.hierarchies import File
from antifaz.utility.loss import lost_detail

SHARED = Path(__file__).resolve().parents[3] / "shared"
ADULT, GOLDEN = SHARED / "data" / "adult-arx", SHARED / "golden"
OUTPUT = GOLDEN / "arx_output_adult8_k5_s0.02.csv"
QIS = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation")
US = 317_238_626

pytestmark = pytest.mark.skipif(
    not (ADULT.is_dir() and OUTPUT.is_file()), reason="the results of others are not beside this repository"
)


@cache
def _assessed(people: int | None = US) -> dict[str, Any]:
    """ARX's own release of Adult, judged from the two tables."""
    trees = {name: File(path=str(ADULT / f"adult_hierarchy_{name}.csv"), delimiter=";") for name in QIS}
    roles = {**dict.fromkeys(QIS, "quasi-identifier"), "salary-class": "sensitive"}
    with az.open(ADULT / "adult.csv", delimiter=";") as before, az.open(OUTPUT, delimiter=";") as after:
        return az.assess(
            before, after, roles, hierarchies=trees, threshold=0.2, population_size=people, attacks=0, seed=1
        )


@cache
def _case() -> dict[str, Any]:
    cases = json.loads((GOLDEN / "arx_adult.json").read_text(encoding="utf-8"))["cases"]
    return next(case for case in cases if case["id"] == "adult8-k5-s0.02-loss")


@cache
def _risk() -> dict[str, Any]:
    cases = json.loads((GOLDEN / "arx_adult_risk.json").read_text(encoding="utf-8"))
    return next(case for case in cases if case["params"]["supp"] == "0.02")


def test_every_label_is_understood() -> None:
    assert _assessed()["warnings"] == []
    assert _assessed()["rows"] == {"original": 30162, "released": 30162, "suppressed": 552}


def test_quality_is_what_arx_reports() -> None:
    utility, case = _assessed()["utility"], _case()
    statistics = case["quality_statistics"]
    assert utility["loss"] == pytest.approx(case["score"], abs=1e-12)
    assert utility["levels"] == sum(case["optimum"])
    assert utility["discernibility"] == case["discernibility_raw"]
    assert utility["average_class_size"] == pytest.approx(case["classes"]["avg"], rel=1e-12)
    assert utility["precision"] == pytest.approx(statistics["generalization_intensity"], rel=1e-12)
    for name, lost in zip(case["quasi_identifiers"], case["score_per_attribute"], strict=True):
        found, said = utility["columns"][name], statistics["per_attribute"][name]
        assert found["loss"] == pytest.approx(lost, abs=1e-10)
        assert 1 - found["loss"] == pytest.approx(said["granularity"], abs=1e-9)
        assert 1 - found["climb"] == pytest.approx(said["generalization_intensity"], rel=1e-12, abs=1e-12)
        assert found["non_uniform_entropy"] == pytest.approx(said["non_uniform_entropy"], rel=1e-11)
        assert found["suppressed"] == pytest.approx(said["missings"], rel=1e-12)


@pytest.mark.parametrize(("side", "theirs"), [("before", "input"), ("after", "output")])
def test_risk_is_what_arx_reports(side: str, theirs: str) -> None:
    found, said = _assessed()["risk"][side], _risk()[theirs]
    assert found["prosecutor"]["highest"] == pytest.approx(said["prosecutor"]["highest"], rel=1e-12)
    assert found["prosecutor"]["average"] == pytest.approx(said["prosecutor"]["success_rate"], rel=1e-12)
    assert found["prosecutor"]["at_risk"] == pytest.approx(said["prosecutor"]["records_at_risk"], rel=1e-12)
    assert found["classes"] == said["classes"]["num"]
    assert found["records"] == said["classes"]["records"]
    assert found["sample_uniqueness"]["records"] == said["sample"]["num_unique"]
    assert found["sample_uniqueness"]["share"] == pytest.approx(said["sample"]["fraction_unique"], rel=1e-12)
    unique, population = found["population_uniqueness"], said["population"]
    assert unique["zayatz"] == pytest.approx(population["zayatz"], rel=1e-12)
    # ARX stops its search for the likeliest parameters a little earlier.
    assert unique["pitman"] == pytest.approx(population["pitman"], rel=1e-6)
    assert unique["dankar"] == pytest.approx(population["dankar"], rel=1e-6)
    assert (unique["dankar_model"] or "dankar") == population["dankar_model"].lower()


@pytest.mark.parametrize(("side", "theirs"), [("before", "input"), ("after", "output")])
def test_the_journalist_of_arx_takes_the_table_for_the_population(side: str, theirs: str) -> None:
    # ARX uses the size of a population for uniqueness only. Without a table of all people its journalist is its
    # prosecutor; so is ours where no size is told, and where one is, ours uses it.
    found, said = _assessed(None)["risk"][side], _risk()[theirs]
    assert found["journalist"]["basis"] == "table"
    assert found["journalist"]["highest"] == pytest.approx(said["journalist"]["highest"], rel=1e-12)
    assert found["journalist"]["average"] == pytest.approx(said["journalist"]["success_rate"], rel=1e-12)
    assert found["journalist"]["at_risk"] == pytest.approx(said["journalist"]["records_at_risk"], rel=1e-12)
    assert found["marketer"]["average"] == pytest.approx(said["marketer"]["success_rate"], rel=1e-12)
    told = _assessed()["risk"][side]["journalist"]
    assert told["basis"] == "estimated"
    assert told["highest"] < found["journalist"]["highest"]


def test_where_arx_has_no_snb_there_is_one() -> None:
    # ARX writes 0 for "no estimate": 14,021 people are alone in the sample, and its search ended without a solution.
    said, found = _risk()["input"], _assessed()["risk"]["before"]
    assert (said["sample"]["num_unique"], said["population"]["snb"]) == (14021, 0)
    # The model has one: classes and records alone, by its generating function, are as many as ARX itself counted.
    histogram = np.array(said["classes"]["histogram_size_count"], np.float64).reshape(-1, 2)
    known = Sizes(size=histogram[:, 0], classes=histogram[:, 1], population=float(US))
    alpha, more = fit_snb(known) or (0.0, 0.0)
    f, p = known.fraction, alpha / (alpha + more)
    people = US / (1 + more)
    nobody = (p / (1 - (1 - p) * (1 - f))) ** alpha
    assert people * (1 - (1 - f) * nobody) == pytest.approx(18109, rel=1e-6)
    alone = f * nobody + (1 - f) * nobody * alpha * (1 - p) * f / (1 - (1 - p) * (1 - f))
    assert people * alone == pytest.approx(14021, rel=1e-6)
    assert found["population_uniqueness"]["snb"] == pytest.approx(people * p**alpha / US, rel=1e-9)
    # Dankar's rule asks it only of samples above a tenth, so what either recommends is the same.
    assert found["population_uniqueness"]["dankar_model"] == "pitman"
    # Where nobody is alone both say 0.
    assert _risk()["output"]["population"]["snb"] == _assessed()["risk"]["after"]["population_uniqueness"]["snb"] == 0


def test_distinction_and_separation_are_arx_s() -> None:
    with az.open(ADULT / "adult.csv", delimiter=";") as data:
        counts = az.propose.quasi_identifiers(data, QIS[:6]).details["counts"]
    ours = {frozenset(one["columns"]): one for one in counts}
    theirs = {frozenset(one["attributes"]): one for one in _risk()["input"]["attribute_risks"]}
    compared = [names for names in ours if names in theirs]
    assert len(compared) == 63  # every combination of six columns
    for names in compared:
        assert ours[names]["distinction"] == pytest.approx(theirs[names]["distinction"], rel=1e-12)
        assert ours[names]["separation"] == pytest.approx(theirs[names]["separation"], rel=1e-9)


def test_without_hierarchies_words_are_told_and_nothing_else_changes() -> None:
    with az.open(ADULT / "adult.csv", delimiter=";") as before, az.open(OUTPUT, delimiter=";") as after:
        found = lost_detail(before, after, ["sex", "age", "race"])
    assert found["columns"]["sex"]["loss"] == pytest.approx(_case()["score_per_attribute"][0], abs=1e-10)
    # Four of five labels of age are read as they are written, though ARX's file means 1 to 20 by 0-19.
    assert 0.2 < found["columns"]["age"]["gcp"] < 0.3


MEASURES = GOLDEN / "measures"


def _entries() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for name in ("values_small.json", "values_big.json"):
        if (MEASURES / name).is_file():
            found |= json.loads((MEASURES / name).read_text(encoding="utf-8"))["tables"]
    return found


ENTRIES = _entries()


@pytest.mark.parametrize("name", ENTRIES)
def test_risk_of_recorded_tables(name: str) -> None:
    entry = ENTRIES[name]
    file, values = MEASURES / entry["file"], entry["independent"]
    roles = {**dict.fromkeys(entry["qi"], "quasi-identifier"), **dict.fromkeys(entry["sa"], "sensitive")}
    found = az.assess(file, file, roles, attacks=0, seed=1)["risk"]
    after = found["after"]
    assert (after["smallest_class"], after["classes"]) == (values["k"], values["classes"])
    assert after["largest_class"] == values["max_class"]
    assert found["prosecutor"] == pytest.approx(values["rir_max"], rel=1e-9)
    assert found["marketer"] == pytest.approx(values["rir_avg_over_records"], rel=1e-9)
    for attribute in entry["sa"]:
        told, said = found["disclosure"][attribute], values[f"sa:{attribute}"]
        assert told["distinct"] == said["distinct_values"]
        assert told["least_distinct"] == said["l_distinct"]
        assert told["confidence"] == pytest.approx(said["alpha"], rel=1e-9)
        assert told["skewness"]["largest"] == pytest.approx(said["t_equal_distance"], rel=1e-9)
        if "t_ordered_emd" in said:
            assert told["ordered_distance"] == pytest.approx(said["t_ordered_emd"], rel=1e-9)
