"""Query error and predictions."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import antifaz as az
from antifaz.core.roles import Role
from antifaz.engines.opening import open_data
from antifaz.utility.pair import TablePair, count_pair, read_pair
from antifaz.utility.predictions import logistic, predictions
from antifaz.utility.queries import query_error


def _random() -> np.random.Generator:
    return np.random.default_rng(7)


def test_a_copy_answers_every_query_right() -> None:
    table = pa.table({"x": list(range(100)), "y": ["a", "b", "c", "d"] * 25})
    found = query_error(read_pair(table, table), _random())
    assert found == {"queries": 100, "median_relative_error": 0, "mean_relative_error": 0}


def test_a_table_of_half_the_records_is_wrong_by_half() -> None:
    table = pa.table({"x": [i // 2 for i in range(200)]})
    found = query_error(read_pair(table, table.take(pa.array(range(0, 200, 2)))), _random())
    assert found["median_relative_error"] == found["mean_relative_error"] == pytest.approx(0.5)


def test_even_spreading_answers_even_data_right() -> None:
    table = pa.table({"x": list(range(100)) * 3})
    released = pa.table({"x": ["[0, 50)"] * 150 + ["[50, 99]"] * 150})
    assert query_error(read_pair(table, released), _random())["mean_relative_error"] == pytest.approx(0, abs=1e-9)


def test_nothing_can_be_asked_of_a_constant() -> None:
    table = pa.table({"x": [1, 1]})
    assert query_error(read_pair(table, table), _random())["queries"] == 0


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
