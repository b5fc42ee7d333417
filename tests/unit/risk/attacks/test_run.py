"""Simulated attackers: hand-solved tables, a raw copy, a fresh sample, and all pairs written out."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from antifaz import DataError, ParameterError, SchemaError
from antifaz.datasets import people
from antifaz.risk.attacks import Attacker, run_attacks, wilson
from antifaz.risk.attacks.knowledge import all_of, targets
from antifaz.risk.attacks.linkage import SearchIndexes, link
from antifaz.risk.attacks.run import excess
from antifaz.risk.attacks.tables import read_tables
from failing import failing, like, near

QI, SENSITIVE = "quasi-identifier", "sensitive"
ROLES = {"age": QI, "sex": QI, "postcode": QI, "diagnosis": SENSITIVE}
PEOPLE = people(600, seed=1).select(list(ROLES))
OTHERS = people(600, seed=3).select(list(ROLES))
FRESH = people(600, seed=2).select(list(ROLES))
COPY = PEOPLE.take(np.random.default_rng(5).permutation(600))


def attacked(original: pa.Table, released: pa.Table, roles: dict[str, str], **more: Any) -> dict[str, dict[str, Any]]:
    found = run_attacks(original, released, roles, seed=more.pop("seed", 1), **more)
    return {attack["name"]: attack for attack in found}


# --- The two that must come out right: a raw copy, and a sample of other people.


@pytest.mark.parametrize("control", [None, OTHERS])
def test_check_08_a_raw_copy_is_found_out(control: pa.Table | None) -> None:
    found = attacked(PEOPLE, COPY, ROLES, control=control, attacks=300)
    assert found["linkage"]["success"] > 0.95
    assert found["linkage"]["control"] < 0.02
    assert found["inference of diagnosis"]["success"] > 0.95
    assert found["inference of diagnosis"]["control"] < 0.3
    assert found["singling out by several columns"]["success"] == 1
    for attack in found.values():
        assert attack["excess_interval"][0] > 0.1, attack["name"]
        assert "That is a leak" in attack["reading"]


@pytest.mark.parametrize("control", [None, OTHERS])
def test_check_08_a_sample_of_other_people_is_not(control: pa.Table | None) -> None:
    found = attacked(PEOPLE, FRESH, ROLES, control=control, attacks=300)
    for attack in found.values():
        assert attack["excess_interval"][0] <= 0, attack["name"]
        assert "no more than" in attack["reading"]
    assert found["linkage"]["success"] < 0.2
    # Who guesses the most frequent value is right as often.
    assert abs(found["inference of diagnosis"]["success"] - found["inference of diagnosis"]["chance"]) < 0.1


def test_numbers_with_a_little_noise_are_found_out_and_with_much_are_not() -> None:
    random = np.random.default_rng(4)
    before = pa.table({"x": random.normal(size=400), "y": random.normal(size=400)})

    def noisy(sd: float) -> pa.Table:
        moved = {name: np.asarray(before[name]) + random.normal(0, sd, 400) for name in ("x", "y")}
        return pa.table(moved).take(random.permutation(400))

    little, much = (attacked(before, noisy(sd), {"x": QI, "y": QI})["linkage"] for sd in (0.003, 3.0))
    assert little["success"] > 0.9
    assert little["excess_interval"][0] > 0.5
    assert much["success"] < 0.3
    assert much["excess_interval"][0] <= 0


# --- Solved by hand.


def test_twins_share_their_success() -> None:
    before = pa.table({"age": [30, 30, 40, 50], "sex": ["m", "m", "f", "f"], "town": ["a", "b", "c", "d"]})
    after = before.take([2, 0, 3, 1])
    found = attacked(before, after, {"age": QI, "sex": QI})["linkage"]
    # Two of one half each, two surely.
    assert (found["success"], found["chance"], found["number"]) == (0.75, 0.25, 4)
    assert attacked(before, after, {"age": QI, "sex": QI, "town": QI})["linkage"]["success"] == 1


@pytest.mark.parametrize("wards", [["x"] * 5, ["v", "w", "x", "y", "z"]])
def test_check_09_a_class_hides_its_members(wards: list[str]) -> None:
    before = pa.table({"age": [31, 32, 33, 41, 42], "post": ["08001", "08002", "08003", "28001", "28002"], "w": wards})
    after = pa.table(
        {"age": ["[30, 40)"] * 3 + ["40-49"] * 2, "post": ["0800*"] * 3 + ["{28001, 28002}"] * 2, "w": wards}
    )
    found = attacked(before, after, {"age": QI, "post": QI})
    # One third of three, one half of two: 2 of 5.
    assert found["linkage"]["success"] == pytest.approx(2 / 5)
    assert found["singling out by several columns"]["success"] == 0


def test_a_suppressed_record_fits_all_but_is_the_last_choice() -> None:
    before = pa.table({"age": [30, 40, 50], "sex": ["m", "f", "f"]})
    after = pa.table({"age": ["30", "40", None], "sex": ["m", "f", "*"]})
    # The third finds only the suppressed record, which is by all that can be seen anybody's: one of three.
    found = attacked(before, after, {"age": QI, "sex": QI})["linkage"]
    assert found["success"] == pytest.approx((1 + 1 + 1 / 3) / 3)


def test_the_nearest_record_is_taken_where_none_fits() -> None:
    before = pa.table({"x": [0.0, 10.0, 20.0, 30.0]})
    found = attacked(before, pa.table({"x": [19.0, 1.0, 34.0, 11.0]}), {"x": QI})["linkage"]
    assert found["success"] == 1
    # 16 is nearer to 20 than to 10, so the second's record looks like the third's, and 19 is nearest to 20 only.
    found = attacked(before, pa.table({"x": [1.0, 16.0, 19.0, 34.0]}), {"x": QI})["linkage"]
    assert found["success"] == 0.75


def test_check_09_a_homogeneous_class_gives_its_value_away() -> None:
    before = pa.table({"age": [21, 22, 23, 31, 32, 33, 34], "d": ["flu", "flu", "flu", "flu", "hiv", "hiv", "cold"]})
    after = before.set_column(0, "age", [["[20, 30)"] * 3 + ["[30, 40)"] * 4])
    found = attacked(before, after, {"age": QI, "d": SENSITIVE})["inference of d"]
    # All of the first class, and the two of four whose value is the most frequent.
    assert found["success"] == pytest.approx(5 / 7)
    assert found["chance"] == pytest.approx(4 / 7)
    only = attacked(before.slice(0, 3), after.slice(0, 3), {"age": QI, "d": SENSITIVE})["inference of d"]
    assert only["success"] == 1


def test_several_most_frequent_values_are_taken_by_lot_and_a_coarse_one_is_half_right() -> None:
    before = pa.table({"age": [21, 22, 31, 31], "d": ["flu", "hiv", "flu", "hiv"]})
    after = pa.table({"age": ["20-29", "20-29", "31", "31"], "d": ["flu", "hiv", "{flu, hiv}", "{flu, hiv}"]})
    assert attacked(before, after, {"age": QI, "d": SENSITIVE})["inference of d"]["success"] == 0.5


def test_numbers_are_guessed_within_a_tenth_of_a_standard_deviation() -> None:
    income = np.arange(30) * 100.0  # standard deviation 865.5, so the margin is 86.6
    before = pa.table({"town": [str(i // 3) for i in range(30)], "income": income})
    found = attacked(before, before, {"town": QI, "income": SENSITIVE})["inference of income"]
    # The median of three is right for the one in the middle; a constant is within the margin of two neighbours.
    assert found["success"] == pytest.approx(1 / 3)
    assert found["chance"] == pytest.approx(2 / 30)


def test_singling_out_by_one_column_finds_rare_and_extreme_values() -> None:
    before = pa.table({"age": [30] * 5 + [31] * 4 + [99], "town": ["a"] * 9 + ["b"]})
    found = attacked(before, before, {"age": QI, "town": QI})["singling out by one column"]
    # Alone are 99 and b; at least 99 is one person, at most 30 are five.
    assert (found["number"], found["success"]) == (4, 0.75)
    # One of ten records: 10 · 0.1 · 0.9^9; five of ten: 10 · 0.5^10.
    assert found["chance"] == pytest.approx((3 * 0.9**9 + 10 * 0.5**10) / 4)


def test_what_the_sensitive_columns_add_is_told_apart() -> None:
    before = pa.table({"age": [31, 32, 33, 34], "d": ["p", "q", "r", "s"]})
    after = before.set_column(0, "age", [["30-39"] * 4])
    found = attacked(before, after, {"age": QI, "d": SENSITIVE})
    assert found["singling out by one column"]["success"] == 0
    assert found["singling out by any columns"]["success"] == 1


# --- Against all pairs written out.


# --- Draws, intervals, attackers, errors.


def test_check_08_the_same_seed_gives_the_same_and_other_attackers_change_nothing() -> None:
    more = [Attacker(name="neighbour", knows=["age"], of=20)]
    once = run_attacks(PEOPLE, FRESH, ROLES, attacks=40, seed=7)
    again = run_attacks(PEOPLE, FRESH, ROLES, attacks=40, seed=7, attackers=more)
    assert again[: len(once)] == once
    assert [one["name"] for one in again[len(once) :]] == ["linkage: neighbour"]
    other = run_attacks(PEOPLE, FRESH, ROLES, attacks=40, seed=8)
    assert [one["success"] for one in other] != [one["success"] for one in once]
    assert json.loads(json.dumps(again)) == again
    unseeded = run_attacks(PEOPLE, FRESH, ROLES, attacks=40)
    assert run_attacks(PEOPLE, FRESH, ROLES, attacks=40, seed=unseeded[0]["seed"]) == unseeded


def test_check_08_intervals_cover_the_truth_about_as_often_as_they_say() -> None:
    # Half of the people are alone, the others are twins: three quarters are found.
    ages = np.concatenate([np.arange(150), np.repeat(np.arange(1000, 1075), 2)])
    table = pa.table({"age": ages})
    tables = read_tables(table, table, {"age": QI})
    stores, found = SearchIndexes(tables), []
    for seed in range(60):
        random = np.random.default_rng(seed)
        found.append(float(np.mean(link(stores, all_of(tables), targets(tables, 60, random), random))))
    # Nobody is drawn twice and half successes vary less, so it should be no fewer than 95 of 100.
    assert sum(low <= 0.75 <= high for low, high in (wilson(share, 60) for share in found)) >= 57
    assert np.mean(found) == pytest.approx(0.75, abs=0.02)


def test_what_can_not_be_attacked_is_refused_in_a_sentence() -> None:
    def run(**more: Any) -> None:
        run_attacks(**{"original": PEOPLE, "released": COPY, "roles": ROLES, "seed": 1, "attacks": 5, **more})

    with failing("attack.no-common-column", SchemaError):
        run(released=pa.table({"z": [1]}))
    with failing("attack.table-without-rows", DataError, side=like("pair.released")):
        run(released=COPY.slice(0, 0))
    with failing("attack.unknown-role", SchemaError, given="sensitiv", hint=near("sensitive")):
        run(roles={"age": "sensitiv"})
    with failing("attack.attempts-below-1", ParameterError):
        run(attacks=0)
    with failing("attack.column-not-in-both-tables", SchemaError, name="agee", hint=near("age")):
        run(attackers=[Attacker(name="x", knows=["agee"])])
    with failing("attacker.knows-attribute-already", ParameterError):
        run(attackers=[Attacker(name="x", knows=["age"], goal="sensitive attribute", attribute="age")])
    with failing("attacker.exactly-of-text", ParameterError):
        run(attackers=[Attacker(name="x", knows=["sex"], exactly={"sex": 0.5})])


def test_odd_tables_do_not_stop_it() -> None:
    empty = pa.table({"{a}": pa.array([None, None], pa.string()), "b": pa.array([None, 1.0])})
    found = attacked(empty, empty, {"{a}": QI, "b": QI})
    assert found["linkage"]["success"] == 1
    assert "{a} and b" in found["linkage"]["reading"]
    one = pa.table({"a": ["x"]})
    assert attacked(one, one, {"a": QI})["linkage"]["success"] == 1
    # A word that nobody had before is a value like any other where most are known, and else covers anything.
    new = attacked(pa.table({"a": ["x", "y", "z"]}), pa.table({"a": ["x", "y", "w"]}), {"a": QI})["linkage"]
    assert new["success"] == pytest.approx((1 + 1 + 1 / 3 * 1 / 3) / 3)
    unknown = attacked(pa.table({"a": ["x", "y"]}), pa.table({"a": ["word", "word"]}), {"a": QI})["linkage"]
    assert unknown["labels_not_understood"] == ["a"]
    assert unknown["success"] == 0.5


@pytest.mark.parametrize(
    ("right", "of", "low", "high"),
    # R. Newcombe, Statistics in Medicine 17, 1998, table I, method 3.
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_intervals_are_wilsons(right: int, of: int, low: float, high: float) -> None:
    assert wilson(right / of, of) == pytest.approx((low, high), abs=5e-5)
    assert wilson(0.0, 0) == (0, 1)


def test_the_excess_is_newcombes_difference_over_what_is_left() -> None:
    # The same author's 56/70 − 48/80: 0.2, from 0.0524 to 0.3339.
    share, ends = excess(56 / 70, 70, 48 / 80, 80)
    assert share == pytest.approx(0.5)
    assert ends == pytest.approx((0.0524 / 0.4, 0.3339 / 0.4), abs=2e-4)
    assert excess(1, 10, 1, 10)[0] == 0


# --- People with several rows.


def test_a_condition_that_only_one_person_meets_singles_out_whoever_has_many_rows() -> None:
    """By hand: five rows each of A (30), B and C (both 40); linkage finds A's rows, and B's in one of two."""
    table = pa.table({"age": [30] * 5 + [40] * 10})
    whose = np.repeat([0, 1, 2], 5)
    found = attacked(table, table, {"age": QI}, persons=(whose, whose))
    assert found["linkage"]["number"] == 3
    assert found["linkage"]["success"] == pytest.approx((1 + 0.5 + 0.5) / 3, abs=0.25)
    assert found["linkage"]["chance"] == pytest.approx(1 / 3)
    # Fifteen rows of three people: 30 (and 30 or less) is A alone, 40 (or more) are two people.
    assert 0 < found["singling out by one column"]["success"] < 1
    alone = attacked(table.slice(0, 10), table.slice(0, 10), {"age": QI}, persons=(whose[:10], whose[:10]))
    assert alone["singling out by one column"]["success"] == alone["linkage"]["success"] == 1
    assert attacked(table.slice(0, 10), table.slice(0, 10), {"age": QI})["linkage"]["success"] < 0.5
