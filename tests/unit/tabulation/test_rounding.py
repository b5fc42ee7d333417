import numpy as np
import pyarrow as pa
import pytest
from tests.failing import failing

import antifaz as az
from antifaz.hierarchies import flat
from antifaz.tabulation.cell_counts import count_cells
from antifaz.tabulation.contributions import contributions
from antifaz.tabulation.protection import ProtectionTask
from antifaz.tabulation.rules import Needs


def counts(release):
    return {(row["a"], row["b"]): row["count"] for row in release.frame.to_pylist()}


def people(cells):
    rows = [key for key, count in cells.items() for _ in range(count)]
    return pa.table({"a": [row[0] for row in rows], "b": [row[1] for row in rows]})


CELLS = {("x", "u"): 7, ("x", "v"): 11, ("y", "u"): 3, ("y", "v"): 10, ("z", "u"): 8, ("z", "v"): 6}


def rounded(kind, seed=1, base=5, rules=()):
    return az.tabulate(people(CELLS), ["a", "b"], protection=az.CellRounding(base, kind=kind), seed=seed, rules=rules)


def test_nearest_rounds_each_cell_and_halves_up():
    found = counts(rounded("nearest", base=2))
    assert (found["x", "u"], found["y", "v"], found["y", "u"], found["*", "*"]) == (8, 10, 4, 46)


def test_controlled_rounding_adds_up_and_is_less_than_a_base_away():
    release = rounded("controlled")
    found = counts(release)
    truth = counts(az.tabulate(people(CELLS), ["a", "b"], rules=az.Threshold(2)))
    assert release.evidence["protection"]["adds_up"]
    assert release.evidence["protection"]["steps"] == 0
    assert all(value % 5 == 0 and abs(value - truth[key]) < 5 for key, value in found.items())
    for a in "xyz*":
        assert found[a, "*"] == found[a, "u"] + found[a, "v"]
    for b in "uv*":
        assert found["*", b] == sum(found[a, b] for a in "xyz")


def test_random_rounding_is_right_on_average_and_repeats_by_its_seed():
    with az.open(people(CELLS)) as data:
        table = count_cells(contributions(data, {"a": flat(), "b": flat()}))
    task = ProtectionTask(table=table, needs=Needs.nothing(table.size), random=np.random.default_rng(1))
    drawn = np.array([az.CellRounding(5, kind="random").protect(task).values for _ in range(1000)])
    # A thousand draws of steps of 5, which deviate by 2.5 at most: their mean deviates by 0.08.
    assert drawn.mean(axis=0) == pytest.approx(table.values, abs=0.4)
    assert set(drawn[:, list(table.labels()).index(("y", "u"))]) == {0, 5}
    assert counts(rounded("random", 7)) == counts(rounded("random", 7))


def test_a_base_too_small_for_the_rule_is_refused_by_the_auditor():
    with failing("tabulation.audit-cells-found", az.CheckFailed, cells=1, sensitive=1):
        rounded("nearest", base=3, rules=az.Threshold(5))
    assert rounded("controlled", base=10, rules=az.Threshold(5)).evidence["audit"]["holds"]


def test_sums_are_rounded_in_units_of_the_measure():
    frame = pa.table({"a": ["x", "x", "y"], "cost": [1.25, 2.5, 9.5]})
    release = az.tabulate(frame, ["a"], measure="cost", protection=az.CellRounding(2))
    assert [row["cost"] for row in release.frame.to_pylist()] in (
        [14.0, 4.0, 10.0],
        [12.0, 4.0, 8.0],
        [12.0, 2.0, 10.0],
    )


def test_controlled_rounding_needs_totals_that_add_up():
    visits = pa.table({"who": [1, 1, 2], "ward": ["a", "b", "b"]})
    with failing("tabulation.not-additive"):
        az.tabulate(visits, ["ward"], person="who", protection=az.CellRounding(3))
    kept = az.tabulate(visits, ["ward"], person="who", protection=az.CellRounding(3, kind="nearest"))
    assert [note.code for note in kept.evidence["notes"]] == ["tabulation.people-in-several-cells"]
