"""Judging synthetic tables with a hold-out: copies are found out, other people are not, figures are solved by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import antifaz as az
from antifaz import ParameterError, SchemaError
from antifaz.datasets import people
from antifaz.risk.attacks.membership import holdout_warnings, nearest_people_measures, try_membership
from antifaz.risk.attacks.tables import AttackTables, read_tables
from failing import failing

QI = "quasi-identifier"
ROLES = {"age": QI, "sex": QI, "postcode": QI, "education": QI, "diagnosis": "sensitive"}
ORIGINAL = people(600, seed=1).select(list(ROLES))
HOLDOUT = people(600, seed=3).select(list(ROLES))
FRESH = people(600, seed=2).select(list(ROLES))


def _tables(original: pa.Table, released: pa.Table, holdout: pa.Table) -> AttackTables:
    return read_tables(original, released, {}, holdout)


def _tried(original: pa.Table, released: pa.Table, holdout: pa.Table, number: int = 300) -> list[dict[str, Any]]:
    return try_membership(_tables(original, released, holdout), number, 1)


def test_a_raw_copy_is_found_out() -> None:
    half, twentieth = _tried(ORIGINAL, ORIGINAL.take(np.random.default_rng(5).permutation(600)), HOLDOUT)
    assert half["success"] > 0.98
    assert half["control"] < 0.02
    # A twentieth of both is a tenth of the members.
    assert twentieth["success"] == pytest.approx(0.1, abs=0.005)
    assert twentieth["control"] < 0.005
    for attack in (half, twentieth):
        assert attack["excess_interval"][0] > 0
        assert "That is a leak" in attack["reading"]
    measured = nearest_people_measures(_tables(ORIGINAL, ORIGINAL, HOLDOUT), 300, 1)
    assert measured["distance"]["original"] == {"p05": 0, "median": 0, "zero": 1}
    assert measured["closer_to_original"] > 0.98
    assert measured["beyond_chance"]


def test_a_sample_of_other_people_is_not() -> None:
    for attack in _tried(ORIGINAL, FRESH, HOLDOUT):
        assert attack["excess_interval"][0] <= 0 <= attack["excess_interval"][1], attack["name"]
        assert "no more than" in attack["reading"]
    measured = nearest_people_measures(_tables(ORIGINAL, FRESH, HOLDOUT), 300, 1)
    assert not measured["beyond_chance"]
    assert measured["distance"]["original"]["median"] == pytest.approx(
        measured["distance"]["holdout"]["median"], abs=0.01
    )


def test_few_copies_among_others_are_found_by_who_takes_few() -> None:
    mixed = pa.concat_tables([ORIGINAL.slice(0, 90), FRESH.slice(90)])
    half, twentieth = _tried(ORIGINAL, mixed, HOLDOUT, 600)
    assert twentieth["excess_interval"][0] > 0
    assert twentieth["excess"] > half["excess_interval"][0]


def test_by_chance_it_cries_wolf_as_rarely_as_its_intervals_say() -> None:
    random, alarms, closer = np.random.default_rng(7), 0, 0
    for seed in range(120):
        original, released, holdout = (
            pa.table({"a": random.normal(size=80), "b": random.normal(size=80)}) for _ in "123"
        )
        tables = _tables(original, released, holdout)
        alarms += try_membership(tables, 80, seed)[0]["excess_interval"][0] > 0
        closer += nearest_people_measures(tables, 80, seed)["beyond_chance"]
    # One side of 95 %: 3 of 120 are expected of each; 11 or more have a chance of less than 1 in 1,000.
    assert alarms <= 10
    assert closer <= 10


def test_distances_are_those_solved_by_hand() -> None:
    # The range of the original is 10, so that a gap of 1 is a tenth; the mean over two columns halves it.
    original = pa.table({"n": [0.0, 10.0, 4.0], "c": ["x", "y", "x"]})
    holdout = pa.table({"n": [1.0, 9.0, 6.0], "c": ["x", "x", "z"]})
    released = pa.table({"n": [0.0, 5.0], "c": ["x", "x"]})
    measured = nearest_people_measures(_tables(original, released, holdout), 10, 1)
    # (0, x): 0 and 0.2 in the original, 0.05 and 0.45 in the hold-out. (5, x): 0.05 and 0.25; 0.2 and 0.2.
    assert measured["distance"]["original"]["median"] == pytest.approx(0.025)
    assert measured["distance"]["original"]["zero"] == 0.5
    assert measured["distance"]["holdout"]["median"] == pytest.approx(0.125)
    assert measured["ratio"]["original"]["median"] == pytest.approx((0 + 0.05 / 0.25) / 2)
    assert measured["ratio"]["holdout"]["median"] == pytest.approx((0.05 / 0.45 + 1) / 2)
    assert measured["closer_to_original"] == 1
    # Six people, of whom two own a record: the variance is 3/2 · 8/30 / 4 = 0.1.
    low, high = measured["chance_interval"]
    assert (high - 0.5) == pytest.approx(min(1.959963984540054 * 0.1**0.5, 0.5))
    assert low + high == pytest.approx(1)


def test_who_is_equally_near_is_taken_in_part() -> None:
    # One record, the same for all: everybody is as near, so half of everybody is taken.
    same = pa.table({"c": ["x"] * 10})
    half, twentieth = _tried(same, same, same)
    assert (half["success"], half["control"]) == (0.5, 0.5)
    assert (twentieth["success"], twentieth["control"]) == (pytest.approx(0.05), pytest.approx(0.05))


@pytest.mark.parametrize("rows", [1, 2])
def test_very_small_tables(rows: int) -> None:
    table = pa.table({"n": [float(i) for i in range(rows)], "c": [None] * rows})
    measured = nearest_people_measures(_tables(table, table, table), 10, 1)
    assert measured["distance"]["original"]["zero"] == 1
    assert (measured["ratio"]["original"]["median"] is None) == (rows == 1)


def test_a_holdout_that_was_part_of_the_original_is_told() -> None:
    (warning,) = holdout_warnings(_tables(ORIGINAL, FRESH, ORIGINAL.slice(0, 200)))
    assert (warning.code, warning.values["number"], warning.values["rows"]) == ("warning.holdout-in-original", 200, 200)
    assert holdout_warnings(_tables(ORIGINAL, FRESH, HOLDOUT)) == []
    # In a table of twins, people of the hold-out look like some of them.
    narrow = [table.select(["sex", "diagnosis"]) for table in (ORIGINAL, FRESH, HOLDOUT)]
    assert holdout_warnings(_tables(*narrow)) == []


def test_assess_takes_a_holdout_and_writes_it_on_the_page(tmp_path: Any) -> None:
    page = tmp_path / "page.html"
    judged = az.assess(ORIGINAL, FRESH, ROLES, holdout=HOLDOUT, attacks=50, seed=1, html=page, language="es")
    names = [attack["name"] for attack in judged["attacks"]]
    assert names[-2:] == ["membership by the nearest half", "membership by the nearest twentieth"]
    assert judged["nearest"]["people"] == 600
    assert "¿Repite a personas del original?" in page.read_text(encoding="utf-8")
    assert "nearest" not in az.assess(ORIGINAL, FRESH, ROLES, attacks=1, seed=1)


def test_what_a_holdout_needs() -> None:
    with failing("assess.holdout-without-attacks", ParameterError):
        az.assess(ORIGINAL, FRESH, ROLES, holdout=HOLDOUT, attacks=0)
    with pytest.raises(SchemaError):
        az.assess(ORIGINAL, FRESH, ROLES, holdout=HOLDOUT.drop_columns(["age"]), attacks=5, seed=1)
    people_of_rows = {**ROLES, "age": "person"}
    with failing("assess.holdout-with-people", ParameterError):
        az.assess(ORIGINAL, FRESH, people_of_rows, holdout=HOLDOUT, attacks=5, seed=1)
