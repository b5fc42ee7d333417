"""The budget of differential privacy: what releases spend together, and the limit."""

import sqlite3

import pytest
from tests.failing import failing

import antifaz as az
from antifaz.ledger.budget import PrivacyBudget, PrivacySpent
from antifaz.ledger.database import VERSION

PEOPLE = az.datasets.people(1500, seed=1).select(["sex"])


def handed_out(ledger, folder, epsilon, to="somebody", dataset="people"):
    release = az.anonymize(
        PEOPLE,
        roles={"sex": "quasi-identifier"},
        hierarchies={"sex": az.hierarchy.flat()},
        privacy=az.DifferentialPrivacy(epsilon, delta=1e-6),
        method=az.FullDomain(levels={"sex": 0}),
    )
    release.save(folder, ledger=ledger.new_check(dataset=dataset, to=to), attacks=0)
    return release


def test_releases_add_up_and_one_beyond_the_limit_is_refused_with_what_is_left(tmp_path):
    ledger = az.Ledger(tmp_path / "ledger.sqlite")
    ledger.set_budget("people", epsilon=1, delta=1e-5)
    handed_out(ledger, tmp_path / "one", 0.7)
    refused = {
        "epsilon": 0.5,
        "left_epsilon": pytest.approx(0.3),
        "left_delta": pytest.approx(9e-6),
        "dataset": "people",
    }
    with failing("ledger.budget-exceeded", az.LedgerRefused, **refused):
        handed_out(ledger, tmp_path / "two", 0.5)
    assert not (tmp_path / "two").exists()
    handed_out(ledger, tmp_path / "three", 0.3)
    (budget,) = ledger.budgets()
    assert budget["spent"] == {"epsilon": pytest.approx(1), "delta": pytest.approx(2e-6)}
    assert (budget["releases"], budget["left"]["epsilon"]) == (2, pytest.approx(0, abs=1e-12))
    # Another data set has a budget of its own, and without a limit nothing is refused.
    handed_out(ledger, tmp_path / "four", 2, dataset="others")
    assert [each["limit"] is None for each in ledger.budgets()] == [True, False]


def test_a_draft_spends_nothing_until_it_is_handed_out_and_a_second_recipient_nothing_more(tmp_path):
    ledger = az.Ledger(tmp_path / "ledger.sqlite")
    ledger.set_budget("people", epsilon=1, delta=1e-5)
    for name in ("one", "two"):
        handed_out(ledger, tmp_path / name, 0.8, to=None)
    assert ledger.budgets()[0]["releases"] == 0
    for to in ("the board", "the press"):
        evidence = az.hand_out(tmp_path / "one", to=to, ledger=ledger)
        assert evidence["ledger"]["budget"]["together"]["epsilon"] == pytest.approx(0.8)
    with failing("ledger.budget-exceeded", az.LedgerRefused):
        az.hand_out(tmp_path / "two", to="the press", ledger=ledger)
    release = ledger.releases()[0]["release"]
    ledger.forget(release, "it never left")
    assert ledger.budgets()[0]["spent"]["epsilon"] == 0


def test_a_sum_of_decimal_fractions_fits_its_limit():
    budget = PrivacyBudget(
        dataset="", spent=PrivacySpent(epsilon=0.1 + 0.1, delta=0), releases=2, limit=PrivacySpent(epsilon=0.3, delta=0)
    )
    assert budget.allows(PrivacySpent(epsilon=0.1, delta=0))
    assert not budget.allows(PrivacySpent(epsilon=0.1001, delta=0))
    assert not budget.allows(PrivacySpent(epsilon=0.1, delta=1e-9))


@pytest.mark.parametrize(("epsilon", "delta"), [(0, 0), (-1, 0), (float("inf"), 0), (float("nan"), 0), (1, 1)])
def test_what_is_no_budget_is_refused(tmp_path, epsilon, delta):
    with failing("ledger.budget-not-a-budget"):
        az.Ledger(tmp_path / "ledger.sqlite").set_budget("people", epsilon=epsilon, delta=delta)


def test_a_ledger_of_the_version_before_gets_budgets(tmp_path):
    ledger = az.Ledger(tmp_path / "ledger.sqlite")
    assert ledger.budgets() == []
    with sqlite3.connect(tmp_path / "ledger.sqlite") as database:
        database.execute("DROP TABLE antifaz_budget")
        database.execute("UPDATE antifaz_ledger SET version = 2")
    database.close()
    assert az.Ledger(tmp_path / "ledger.sqlite").set_budget("a", epsilon=1, delta=0)["left"]["epsilon"] == 1
    assert VERSION == 3
