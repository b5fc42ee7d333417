"""Key risk, special uniques and local suppression of a survey, as sdcMicro found them."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

import antifaz as az
from antifaz.methods.suppression import suppress_locally

GOLDEN = Path(__file__).resolve().parents[3] / "shared" / "golden" / "sdc"
KEYS = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]

pytestmark = pytest.mark.skipif(not GOLDEN.is_dir(), reason="the recorded values are not beside this repository")


def _columns(name: str) -> dict[str, list[float | None]]:
    with (GOLDEN / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        names, *rows = list(csv.reader(file))
    return {
        name: [None if row[i] in ("", "NA", "NaN") else float(row[i]) for row in rows] for i, name in enumerate(names)
    }


def _numbers(name: str) -> dict[str, NDArray[np.float64]]:
    return {name: np.array(column, np.float64) for name, column in _columns(name).items()}


def _told(name: str, of: str) -> dict[str, Any]:
    told: dict[str, Any] = json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))[of]
    return told


@pytest.fixture(scope="module")
def survey() -> pa.Table:
    return pa.table(_columns("testdata"))


def _same(ours: Any, golden: Any, slack: float = 1e-9) -> None:
    np.testing.assert_allclose(ours, golden, rtol=slack, atol=slack)


def test_frequencies_risks_and_households_are_those_of_sdcmicro(survey: pa.Table) -> None:
    golden, told = _numbers("risk_testdata_w_hid"), _told("risk_global", "testdata_w_hid")
    found = az.risk.individual_risk(survey, KEYS, weights="sampling_weight", household="ori_hid")
    np.testing.assert_array_equal(found.frequencies.sample, golden["fk"])
    _same(found.frequencies.population, golden["Fk"])
    _same(found.risks, golden["risk"])
    _same(found.household, golden["hier_risk"])
    _same([found.expected, found.share], [told["global_risk_ER"], told["global_risk"]])
    _same([found.household_expected, found.household_share], [told["hier_risk_ER"], told["hier_risk"]])
    assert found.threshold(0.01) is None
    assert [found.frequencies.below(k) for k in (2, 3, 5)] == [157, told["viol_3anon"], told["viol_5anon"]]


def test_without_weights_the_table_is_the_population(survey: pa.Table) -> None:
    golden, told = _numbers("risk_testdata_now"), _told("risk_global", "testdata_now")
    found = az.risk.individual_risk(survey, KEYS)
    _same(found.risks, golden["risk"])
    _same([found.expected, found.threshold(0.01)], [told["global_risk_ER"], told["threshold_max0.01"]])


def test_the_exact_risk_is_that_of_sdcmicro_and_there_where_its_series_overflows(survey: pa.Table) -> None:
    golden = _numbers("risk_testdata_w_hid")["risk_exact"]
    found = az.risk.individual_risk(survey, KEYS, weights="sampling_weight", method="exact").risks
    known = ~np.isnan(golden)
    assert int(known.sum()) == 4404
    np.testing.assert_allclose(found[known], golden[known], rtol=1e-9)
    assert np.isfinite(found).all()


@pytest.mark.parametrize("original", [True, False])
def test_special_uniques_are_those_of_sdcmicro(survey: pa.Table, original: bool) -> None:
    golden = _numbers("suda2_testdata_7" if original else "suda2_testdata_7_origFALSE")
    told = _told("suda2", "testdata_7" if original else "testdata_7_newscore")
    found = az.risk.suda(survey, columns=KEYS, original_scores=original)
    _same(found.scores, golden["score"])
    _same(found.dis, golden["disScore"])
    for place, name in enumerate(KEYS):
        _same(found.contributions[:, place], golden[f"{name}_contribution"])
    _same(list(found.column_contributions.values()), [each["contribution"] for each in told["attribute_contributions"]])
    assert found.uniques == told["n_score_pos"]


def test_diversity_per_record_is_that_of_sdcmicro(survey: pa.Table) -> None:
    golden, told = _numbers("ldiv_testdata_1"), _told("ldiversity", "one")
    found = az.risk.l_diversity(survey, told["keyVars"], told["sensitive"], c=told["c"])
    for name, ours in (("Distinct", found.distinct), ("Entropy", found.entropy), ("Recursive", found.recursive)):
        _same(ours, golden[f"electcon_{name}_Ldiversity"])


@pytest.mark.parametrize(("k", "still_below"), [(3, 150), (5, 262)])
def test_what_sdcmicro_suppressed_is_anonymous_only_if_a_blank_matches_anything(k: int, still_below: int) -> None:
    table = pa.table(_columns(f"kanon_testdata_7_k{k}"))
    assert az.risk.frequencies(table, KEYS, missing="match").below(k) == 0
    assert az.risk.frequencies(table, KEYS).below(k) == still_below


@pytest.mark.parametrize(("k", "still_below"), [(3, 150), (5, 262)])
def test_the_gate_finds_the_same_in_the_file_that_sdcmicro_wrote(k: int, still_below: int) -> None:
    path = GOLDEN / f"kanon_testdata_7_k{k}.csv"
    match, strict = az.verify(path, KEYS, [az.KAnonymity(k, blanks="match"), az.KAnonymity(k)])
    assert (match.holds, match.achieved, match.failing) == (True, k, 0)
    assert f"{still_below} of 4,580 records look like fewer than {k}" in match.note
    assert (strict.holds, strict.failing) == (False, still_below)


@pytest.mark.parametrize("k", [3, 5])
@pytest.mark.parametrize("important_first", [False, True])
def test_no_more_cells_are_blanked_than_by_sdcmicro(survey: pa.Table, k: int, important_first: bool) -> None:
    told = _told("kanon", f"testdata_7_k{k}")
    ranked = [name for _, name in sorted(zip(told["importance"], KEYS, strict=True))]
    found = suppress_locally(survey, KEYS, k, reading="match", importance=ranked if important_first else None)
    assert found.total <= told["total"]
    assert az.risk.frequencies(found.frame, KEYS, missing="match").below(k) == 0
    assert found.below_strictly == az.risk.frequencies(found.frame, KEYS).below(k)


def test_the_strict_reading_holds_where_a_blank_is_a_value(survey: pa.Table) -> None:
    found = suppress_locally(survey, KEYS, 3, seed=1)
    assert az.risk.frequencies(found.frame, KEYS).below(3) == found.below_strictly == 0
    # Each of the 281 records below 3 loses a cell at least.
    assert 281 <= found.total <= 420


def test_a_run_reports_the_risk_of_the_survey_that_sdcmicro_finds() -> None:
    told = _told("risk_global", "testdata_w_hid")
    table = pa.table({name: _columns("testdata")[name] for name in [*KEYS, "sampling_weight", "ori_hid"]})
    roles = dict.fromkeys(KEYS, "quasi-identifier") | {"sampling_weight": "insensitive", "ori_hid": "identifier"}
    release = az.anonymize(
        table, roles=roles, privacy=az.KMap(300, weight="sampling_weight"), method=az.LocalSuppression(), seed=1,
        weight="sampling_weight", household="ori_hid",
    )  # fmt: skip
    before, after = (release.evidence["survey"][side] for side in ("before", "after"))
    assert before["uniques"] == told["n_unique"]
    assert before["expected"] == pytest.approx(told["global_risk_ER"], rel=1e-12)
    assert before["share"] == pytest.approx(told["global_risk"], rel=1e-12)
    assert before["household_expected"] == pytest.approx(told["hier_risk_ER"], rel=1e-12)
    assert before["household_share"] == pytest.approx(told["hier_risk"], rel=1e-12)
    assert after["expected"] < before["expected"]
    # All weights are 100, so 300 people are what three records stand for.
    (verdict,) = az.verify(table, KEYS, az.KMap(300, weight="sampling_weight"))
    assert verdict.failing == told["viol_3anon"]
