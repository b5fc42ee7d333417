"""What a classifier still learns from a release."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import antifaz as az
from antifaz.core.roles import Role
from antifaz.engines.registry import open_data
from antifaz.utility.pair import TablePair, count_pair
from antifaz.utility.predictions import logistic, predictions


def _random() -> np.random.Generator:
    return np.random.default_rng(7)


def _pair(before: pa.Table, after: pa.Table) -> TablePair:
    roles = {**dict.fromkeys(before.column_names, Role.QUASI_IDENTIFIER), "ill": Role.SENSITIVE}
    with open_data(before) as one, open_data(after) as other:
        return count_pair(one, other, roles, {})


def test_a_classifier_learns_what_the_release_still_tells() -> None:
    x = [i % 10 for i in range(2000)]
    before = pa.table({"x": x, "ill": ["yes" if i >= 6 else "no" for i in x]})
    found = predictions(_pair(before, before), _random())["ill"]
    assert found["logistic"] == {"original": 1, "released": 1}
    assert found["chance"] == pytest.approx(0.6, abs=0.05)
    # Wide intervals still tell the halves apart, of which one value of ten is on the wrong side.
    halves = pa.table({"x": ["[0, 4]" if i < 5 else "[5, 9]" for i in x], "ill": before["ill"]})
    assert predictions(_pair(before, halves), _random())["ill"]["logistic"]["released"] == pytest.approx(0.9, abs=0.03)
    nothing = pa.table({"x": ["*"] * 1999 + ["3"], "ill": before["ill"]})
    assert predictions(_pair(before, nothing), _random())["ill"]["logistic"]["released"] < 0.75


def test_what_groups_do_not_tell_is_not_made_up() -> None:
    # Who is ill has nothing to do with three ages, of which groups of five are told as intervals: whoever learns from
    # these should know no more than that most are healthy, and do no worse than who says so of everybody.
    random = _random()
    ages = random.integers(0, 100, (1000, 3))
    ill = pa.array(np.where(random.random(1000) < 0.2, "yes", "no"))
    groups = np.argsort(ages[:, 0], kind="stable").reshape(-1, 5)
    told = np.empty((1000, 3), object)
    for group in groups:
        told[group] = [f"[{own.min()}, {own.max()}]" for own in ages[group].T]
    before = pa.table({"a": ages[:, 0], "b": ages[:, 1], "c": ages[:, 2], "ill": ill})
    after = pa.table({"a": list(told[:, 0]), "b": list(told[:, 1]), "c": list(told[:, 2]), "ill": ill})
    found = predictions(_pair(before, after), _random())["ill"]
    assert found["logistic"]["released"] >= found["chance"] - 0.03


def test_one_value_can_not_be_predicted() -> None:
    table = pa.table({"x": [1, 2], "ill": ["no", "no"]})
    assert predictions(_pair(table, table), _random()) == {}


def test_the_regression_finds_the_likeliest_class() -> None:
    features = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 1.0], [1.0, 0.0]])
    guess = logistic(features, np.array([0, 2, 2, 1]), np.array([3.0, 1.0, 1.0, 1.0]), 3, features[:2])
    assert guess.tolist() == [0, 2]


def test_a_tree_learns_what_a_straight_line_can_not() -> None:
    # Ill are those of whom exactly one of two things is true: neither alone says anything.
    pytest.importorskip("sklearn")
    pairs = [("y", "y"), ("y", "n"), ("n", "y"), ("n", "n")] * 100
    x, y = [one for one, _ in pairs], [other for _, other in pairs]
    before = pa.table({"x": x, "y": y, "ill": ["yes" if one != other else "no" for one, other in pairs]})
    found = predictions(_pair(before, before), _random())["ill"]
    assert found["tree"] == {"original": 1, "released": 1}
    assert max(found["logistic"].values()) < 0.65
    # With one of the two left out nothing is left to be learned.
    half = before.set_column(1, "y", pa.array(["*"] * 400))
    found = predictions(_pair(before, half), _random())["ill"]
    assert found["tree"]["original"] == 1
    assert abs(found["tree"]["released"] - found["chance"]) < 0.1


def test_without_the_package_the_tree_is_missing_and_a_sentence_names_the_extra(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("antifaz.utility.predictions.find_spec", lambda _: None)
    table = pa.table({"x": ["a", "b"] * 50, "ill": ["yes", "no"] * 50})
    found = az.assess(table, table, {"x": "quasi-identifier", "ill": "sensitive"}, attacks=0, seed=1)
    assert list(found["utility"]["predictions"]["ill"]) == ["chance", "logistic"]
    assert [warning for warning in found["warnings"] if "antifaz[ml]" in warning]
    monkeypatch.undo()
    found = az.assess(table, table, {"x": "quasi-identifier", "ill": "sensitive"}, attacks=0, seed=1)
    assert not [warning for warning in found["warnings"] if "antifaz[ml]" in warning]
