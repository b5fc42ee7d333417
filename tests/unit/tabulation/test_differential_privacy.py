"""Differentially private tables: what OpenDP proves, what is published, and an attack from outside."""

import math
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import binomtest
from tests.failing import failing

import antifaz as az
from antifaz.core.errors import CheckFailed
from antifaz.tabulation.audit import audit
from antifaz.tabulation.audit_cells import TableTruth
from antifaz.tabulation.audit_reading import ReadCell
from antifaz.tabulation.contributions import contributions
from antifaz.tabulation.differential_privacy import limit_cells
from antifaz.testing import check

pytest.importorskip("opendp")

TABLE = pa.table({"a": ["x"] * 300 + ["y"] * 200 + ["z"], "b": (["u", "v"] * 250) + ["w"]})


def cells_of(release):
    return {tuple(row.values())[:-2]: row["count"] for row in release.frame.to_pylist()}


@pytest.mark.parametrize("kind", [az.LaplaceNoise, az.GaussianNoise])
def test_it_declares_itself(kind):
    check(kind)


@pytest.mark.parametrize(("epsilon", "cells"), [(1, 1), (0.5, 3), (2, 10)])
def test_the_noise_and_the_threshold_are_those_of_the_formula(epsilon, cells):
    # Laplace noise of scale cells/ε; one cell of a person's own is seen with P(1 + noise ≥ threshold) ≤ δ, of all
    # cells together: 1 - (1 - p)^cells. The discrete Laplace has P(noise ≥ t) = e^(-t/s) / (1 + e^(-1/s)).
    _, details = az.LaplaceNoise(epsilon, delta=1e-6, cells=cells).measurement(cells)
    assert details["scale"] == pytest.approx(cells / epsilon, rel=1e-9)

    def seen(threshold):
        s = details["scale"]
        alone = math.exp(-(threshold - 1) / s) / (1 + math.exp(-1 / s))
        return -math.expm1(cells * math.log1p(-alone))

    assert seen(details["threshold"] + 1) <= 1e-6 < seen(details["threshold"] - 1)
    assert details["proven"]["epsilon"] <= epsilon
    assert details["proven"]["delta"] <= 1e-6


@pytest.mark.parametrize("cells", [1, 2, 10])
def test_gaussian_noise_keeps_epsilon_and_delta(cells):
    _, details = az.GaussianNoise(1, delta=1e-6, cells=cells).measurement(cells)
    assert 0.99 < details["proven"]["epsilon"] <= 1
    assert details["proven"]["delta"] <= 1e-6
    # Known bound of zCDP: ρ + 2 √(ρ ln(1/δ)) with ρ = cells/(2 σ²) is no less than what is proven here.
    rho = cells / (2 * details["scale"] ** 2)
    assert rho + 2 * math.sqrt(rho * math.log(2 / 1e-6)) > 0.99


def test_a_value_of_one_record_is_not_told_and_totals_add_up():
    release = az.tabulate(TABLE, ["a", "b"], protection=az.LaplaceNoise(1, delta=1e-9))
    cells = cells_of(release)
    assert not any("z" in labels or "w" in labels for labels in cells)
    assert cells["x", "*"] == cells["x", "u"] + cells["x", "v"]
    assert cells["*", "*"] == cells["x", "*"] + cells["y", "*"]
    assert abs(cells["x", "u"] - 150) < 40
    assert release.evidence["protection"]["unit"] == "records"


def test_nothing_but_the_total_is_left_of_small_counts():
    release = az.tabulate(TABLE.slice(0, 2), ["a"], protection=az.LaplaceNoise(1, delta=1e-12))
    assert cells_of(release) == {("*",): 0}


def test_a_missing_value_is_a_value():
    table = pa.table({"a": pa.array([None] * 500 + ["x"] * 500)})
    assert set(cells_of(az.tabulate(table, ["a"], protection=az.LaplaceNoise(1)))) == {("*",), (None,), ("x",)}


def test_each_person_counts_in_so_many_cells():
    rows = pa.table({"who": [i // 3 for i in range(900)], "a": [f"v{i % 3}" for i in range(900)]})
    with az.open(rows) as data:
        found = contributions(data, {"a": az.hierarchy.flat()}, person=("who",))
    for most in (1, 2, 3, 5):
        limited = limit_cells(found, most, np.random.default_rng(1))
        assert set(Counter(limited.persons.tolist()).values()) == {min(most, 3)}
    one = limit_cells(found, 1, np.random.default_rng(1))
    share = np.bincount(one.codes[0])
    assert binomtest(int(share[0]), 300, 1 / 3).pvalue > 1e-4
    assert limit_cells(found, None, np.random.default_rng(1)) is found


def test_with_a_person_key_the_promise_is_for_people():
    rows = pa.table({"who": [i // 3 for i in range(900)], "a": [f"v{i % 3}" for i in range(900)]})
    release = az.tabulate(rows, ["a"], person="who", protection=az.LaplaceNoise(1, cells=3))
    told = release.evidence["protection"]
    assert (told["unit"], told["cells"], told["scale"]) == ("people", 3, 3)
    assert abs(cells_of(release)["*",] - 900) < 100


def contradicts(make, epsilon, delta, runs=1000):
    """Say whether how often counts from 31 on are seen of 31 and of 30 records contradicts the promise."""
    high, low = (sum(make({"x": many})["x"] >= 31 for _ in range(runs)) for many in (31, 30))
    least = binomtest(high, runs).proportion_ci(0.999999).low
    return least > math.exp(epsilon) * binomtest(low, runs).proportion_ci(0.999999).high + delta


@pytest.mark.parametrize("kind", [az.LaplaceNoise, az.GaussianNoise])
def test_what_is_seen_of_two_neighbours_does_not_contradict_the_promise_and_with_too_little_noise_it_does(kind):
    enough, _ = kind(1, delta=1e-3).measurement(1)
    too_little, _ = kind(8, delta=1e-3).measurement(1)
    assert not contradicts(enough, 1, 1e-3)
    assert contradicts(too_little, 1, 1e-3)


def test_noise_has_the_spread_that_was_declared():
    make, details = az.LaplaceNoise(0.5).measurement(1)
    noise = np.array([make({"x": 10_000})["x"] - 10_000 for _ in range(1000)])
    assert abs(noise.mean()) < 0.7
    assert np.abs(noise).mean() == pytest.approx(details["scale"], rel=0.25)


# -- what is refused


def test_hierarchies_rules_and_sums_are_refused():
    noise = az.LaplaceNoise(1)
    with failing("tabulation.private-without-hierarchies"):
        az.tabulate(TABLE, {"a": {"groups": {"xy": ["x", "y"], "zz": ["z"]}}}, protection=noise)
    with failing("tabulation.private-without-rules"):
        az.tabulate(TABLE, ["a"], rules=az.Threshold(3), protection=noise)
    with failing("tabulation.protection-of-counts-only"):
        az.tabulate(TABLE.append_column("n", pa.array([1] * 501)), ["a"], measure="n", protection=noise)


def test_the_auditor_catches_a_cell_below_the_threshold_and_a_total_that_does_not_add_up():
    truth = TableTruth(trees=({"x": "*"},), totals=("*",), counts=True, decimals=0, cells={})
    asked = {"name": "laplace", "threshold": 10}
    audit({("*",): ReadCell(12), ("x",): ReadCell(12)}, truth, [], asked)
    for wrong in ({("*",): 9, ("x",): 9}, {("*",): 13, ("x",): 12}, {("x",): 12}, {("*",): 12, ("y",): 12}):
        with pytest.raises(CheckFailed):
            audit({labels: ReadCell(value) for labels, value in wrong.items()}, truth, [], asked)


# -- the budget


def test_tables_spend_the_budget_of_their_data_set(tmp_path):
    ledger = az.Ledger(tmp_path / "ledger.sqlite")
    ledger.set_budget("people", epsilon=1, delta=1e-5)
    release = az.tabulate(TABLE, ["a"], protection=az.LaplaceNoise(0.6))
    release.save(tmp_path / "one", ledger=ledger, dataset="people", to="the press")
    assert release.evidence["ledger"]["budget"]["within"]
    with failing("ledger.budget-exceeded", az.LedgerRefused, left_epsilon=pytest.approx(0.4)):
        release.save(tmp_path / "two", ledger=ledger, dataset="people", to="the press")
    assert not (tmp_path / "two").exists()
    assert [(each["recipients"][0]["recipient"], each["k"]) for each in ledger.releases()] == [("the press", None)]
    rounded = az.tabulate(TABLE, ["a"], protection=az.CellRounding(base=5), rules=az.Threshold(3))
    rounded.save(tmp_path / "three", ledger=ledger, dataset="people", to="the press")
    assert "budget" not in rounded.evidence["ledger"] and len(ledger.releases()) == 2
