"""Judging a pair of tables in which a person has several rows: people are counted, or it is said that they are not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import antifaz as az

ROLES = {"patient": "person", "age": "quasi-identifier"}
#: By hand: of 30 are A and B, of 40 C and D; A has three rows there, and C two and one of 50.
VISITS = pa.table(
    {
        "patient": ["A", "a ", "A", "B", "C", "C", "D", "C"],
        "age": [30, 30, 30, 30, 40, 40, 40, 50],
    }
)


def _released(patient: list[str | None] | None, ages: list[str]) -> pa.Table:
    return pa.table(({} if patient is None else {"patient": patient}) | {"age": ages})


def _judged(after: pa.Table, **more: Any) -> dict[str, Any]:
    return az.assess(VISITS, after, ROLES, **{"attacks": 0, "seed": 1, "k": 3, **more})


def test_people_are_counted_in_both_tables() -> None:
    found = _judged(_released(VISITS["patient"].to_pylist(), ["[30, 40)"] * 4 + ["[40, 60)"] * 4))
    assert found["people"] == {"key": ["patient"], "original": 4, "released": 4}
    risk = found["risk"]
    # Two people in each class, and C in two of them; four rows look alike in both classes of the release.
    assert (risk["singled_out_before"], risk["singled_out_after"]) == (4, 4)
    assert (risk["before"]["smallest_class"], risk["after"]["smallest_class"]) == (1, 2)
    assert (risk["prosecutor"], risk["marketer"]) == (0.5, 0.5)
    by_rows = az.assess(VISITS, VISITS.select(["age"]), {"age": "quasi-identifier"}, attacks=0, seed=1, k=3)
    assert by_rows["risk"]["singled_out_before"] == 1 and "people" not in by_rows


def test_rows_of_stars_are_of_nobody() -> None:
    found = _judged(_released(VISITS["patient"].to_pylist(), ["*"] * 3 + ["[30, 60)"] * 5))
    assert found["people"]["released"] == 3  # A has no other row
    assert found["risk"]["after"]["smallest_class"] == 3 and found["risk"]["singled_out_after"] == 0


def test_a_release_without_the_key_is_said_to_be_counted_by_rows() -> None:
    found = _judged(_released(None, ["[30, 60)"] * 8))
    assert [warning.code for warning in found["warnings"]] == ["warning.released-people-not-counted"]
    assert found["people"]["released"] is None
    assert found["risk"]["singled_out_before"] == 4 and found["risk"]["after"]["smallest_class"] == 8


def test_pseudonyms_count_people_and_attackers_take_a_row_for_a_person() -> None:
    names = ["x", "x", "x", "y", "z", "z", "w", "z"]
    found = _judged(_released(names, ["[30, 60)"] * 8))
    codes = [warning.code for warning in found["warnings"]]
    assert codes == ["warning.identifier-released", "warning.person-keys-differ"]
    assert found["people"]["released"] == 4 and found["risk"]["after"]["smallest_class"] == 4


def test_where_everybody_has_one_row_people_are_rows() -> None:
    random = np.random.default_rng(1)
    ages = random.integers(20, 60, 200)
    before = pa.table({"patient": [f"P{i}" for i in range(200)], "age": ages, "sex": random.choice(["f", "m"], 200)})
    after = before.set_column(1, "age", pa.array([f"[{a - a % 10}, {a - a % 10 + 10})" for a in ages]))
    roles = {"age": "quasi-identifier", "sex": "quasi-identifier"}
    asked: dict[str, Any] = {"attacks": 0, "seed": 1, "k": 25, "population": before}
    rows = az.assess(before, after, roles | {"patient": "identifier"}, **asked)
    people = az.assess(before, after, roles | {"patient": "person"}, **asked)
    assert rows["risk"] == people["risk"]


def test_linkage_succeeds_at_any_row_of_the_person() -> None:
    """Ten people of one age have twelve rows each: a row is guessed with 1/120, a person with 1/10."""
    keys = [f"P{i % 10}" for i in range(120)]
    before = pa.table({"patient": keys, "age": [40] * 120})
    chances = []
    for role in ("identifier", "person"):
        found = az.assess(before, before, {"age": "quasi-identifier", "patient": role}, attacks=20, seed=1)
        chances.append(next(each["chance"] for each in found["attacks"] if each["name"] == "linkage"))
    assert chances == [pytest.approx(1 / 120), pytest.approx(1 / 10)]
