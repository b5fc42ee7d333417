"""The losses of 500 students: the bound holds for every grouping there is, and the printed losses are below it."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest

import antifaz as az
from experiments import s4


def test_the_bound_is_below_the_best_of_all_groupings_of_small_tables() -> None:
    for seed in range(20):
        nine = az.datasets.students(9, seed)
        costs = {trio: sum(s4.group_ncp(nine, list(trio)).values()) for trio in combinations(range(9), 3)}
        best = min(s4._partitions(tuple(range(9)), costs)) * 3 / (9 * 5)
        assert s4.least_gcp(nine, 3) <= best + 1e-12


def test_the_printed_losses_are_below_what_any_grouping_loses() -> None:
    for seed in range(5):
        for fractions in (False, True):
            people = s4.students(seed, fractions)
            assert s4.least_gcp(people, 2) > 3 * 0.0052
            assert s4.least_gcp(people, 40) > 2 * 0.0509


@pytest.mark.parametrize("k", [2, 40])
def test_ours_are_above_the_bound_and_are_what_the_evidence_says(k: int) -> None:
    people = s4.students(1)
    release = az.anonymize(people, roles=s4.ROLES, privacy=az.KAnonymity(k), method=az.LGreedy(), seed=1)
    counted = s4.counted_gcp(people, release.frame)
    assert counted == pytest.approx(release.evidence["utility"]["gcp"])
    assert counted > s4.least_gcp(people, k)


def test_students_are_as_the_paper_makes_them() -> None:
    people = s4.students(1, fractions=True)
    for name in s4.MARKS:
        marks = people[name].to_numpy()
        assert 5.5 < marks.mean() < 6.5 and 1.7 < marks.std() < 2.2 and marks.min() >= 0 and marks.max() <= 10
    assert set(people["year"].to_pylist()) == set(range(2018, 2023))
    assert len(set(people["professor"].to_pylist())) == 10
    assert np.unique(people["exam"].to_numpy()).size > 400


def test_the_worked_example_comes_out_as_printed() -> None:
    rows = [line.split(" | ") for line in s4.worked_example(True).splitlines()]
    assert rows[2][1:3] == ["0.60", "0.00"] and rows[3][1:3] == ["0.20", "0.50"]


def test_a_group_of_two_spans_their_gap() -> None:
    people = pa.table(
        {"participation": [0, 10, 5], "exam": [0, 10, 5], "practice": [0, 10, 5], "year": [2018, 2022, 2020]}
        | {"professor": ["a", "b", "a"]}
    )
    assert s4.gaps(people)[0, 1] == 5 and s4.gaps(people)[0, 2] == 2 and s4.gaps(people)[1, 2] == 3
