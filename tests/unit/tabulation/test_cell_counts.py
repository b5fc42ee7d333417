import numpy as np
import pyarrow as pa
import pytest
from tests.failing import failing

import antifaz as az
from antifaz.hierarchies import flat, parse
from antifaz.tabulation.cell_counts import count_cells
from antifaz.tabulation.contributions import contributions

VISITS = pa.table(
    {
        "who": ["p1", "P1 ", "p2", "p3", "p3", None],
        "ward": ["a", "a", "a", "a", "b", "b"],
        "cost": [1.5, 2.25, 10.0, 0.0, None, 4.0],
    }
)


def cells(table, largest=0, secret=None, dimensions=None, **asked):
    with az.open(table) as data:
        chosen = dimensions or {"ward": flat()}
        found = count_cells(contributions(data, chosen, secret=secret, **asked), largest)
    return found, dict(zip(found.labels(), range(found.size), strict=True))


def test_records_are_counted():
    found, at = cells(VISITS)
    assert [found.values[at[label,]] for label in "*ab"] == [6, 4, 2]
    assert found.additive


def test_people_are_counted_once_in_each_cell():
    found, at = cells(VISITS, person=("who",))
    # Somebody without a key is one person; p3 is in both wards, so the total is less than the sum of its parts.
    assert [found.values[at[label,]] for label in "*ab"] == [4, 3, 2]
    assert not found.additive


def test_amounts_are_added_up_exactly_and_by_person():
    found, at = cells(VISITS, largest=2, measure="cost", person=("who",))
    assert found.decimals == 2
    assert [found.values[at[label,]] for label in "*ab"] == [1775, 1375, 400]
    assert found.largest[at["a",]].tolist() == [1000, 375]
    # Who has no amount does not contribute.
    assert [found.contributors[at[label,]] for label in "*ab"] == [4, 3, 1]
    assert found.additive


def test_equal_amounts_of_records_are_so_many_contributions():
    found, at = cells(pa.table({"ward": ["a"] * 3, "cost": [5, 5, 1]}), largest=4, measure="cost")
    assert found.largest[at["a",]].tolist() == [5, 5, 1, 0]


def test_a_tenth_is_a_tenth():
    found, at = cells(pa.table({"ward": ["a"] * 10, "cost": [0.1] * 10}), measure="cost")
    assert (found.decimals, found.values[at["a",]]) == (1, 10)


def test_every_level_of_a_hierarchy_is_counted_as_brute_force_counts_it():
    rng = np.random.default_rng(1)
    table = pa.table({"age": rng.integers(0, 60, 200), "sex": rng.choice(["m", "w"], 200)})
    found, at = cells(table, dimensions={"age": parse({"intervals": [10, 20]}), "sex": flat()})
    rows = table.to_pylist()
    assert found.values[at["[20, 40)", "w"]] == sum(20 <= row["age"] < 40 and row["sex"] == "w" for row in rows)
    assert found.values[at["[30, 40)", "*"]] == sum(30 <= row["age"] < 40 for row in rows)
    assert found.values[0] == 200
    assert found.additive


def test_the_key_of_a_cell_is_that_of_its_people_whatever_the_table():
    secret = bytes(range(64))
    by_ward, at = cells(VISITS, secret=secret, person=("who",))
    renamed = VISITS.append_column("sex", pa.array(["m"] * 6))
    by_sex, other = cells(renamed, secret=secret, person=("who",), dimensions={"sex": flat()})
    assert by_ward.keys[at["*",]] == by_sex.keys[other["m",]]
    assert by_ward.keys[at["a",]] != by_ward.keys[at["*",]]
    assert cells(VISITS, secret=bytes(64), person=("who",))[0].keys[0] != by_ward.keys[0]


def test_an_empty_table_has_one_empty_cell():
    found, _ = cells(pa.table({"ward": pa.array([], pa.string())}))
    assert found.values.tolist() == [0]


@pytest.mark.parametrize(
    ("amounts", "code"),
    [([1, -1], "tabulation.amount-negative"), ([1.0, float("inf")], "tabulation.amount-not-finite"),
     ([2**51, 1], "tabulation.sum-too-large"), (["x", "y"], "tabulation.measure-not-a-number")],
)  # fmt: skip
def test_amounts_that_no_rule_covers_are_refused(amounts, code):
    with failing(code, column="cost"):
        cells(pa.table({"ward": ["a", "b"], "cost": amounts}), measure="cost")


def test_amounts_with_many_decimals_are_rounded_and_that_is_said():
    release = az.tabulate(pa.table({"ward": ["a"] * 3, "cost": [1 / 3] * 3}), ["ward"], measure="cost",
                          rules=az.Threshold(2))  # fmt: skip
    assert release.frame.to_pylist()[0]["cost"] == 0.999999
    assert [note.code for note in release.evidence["notes"]] == ["tabulation.amounts-rounded"]


def test_a_table_that_is_too_large_is_refused():
    numbers = [str(i) for i in range(1100)]
    with failing("tabulation.too-many-cells", cells=1101**2):
        cells(pa.table({"a": numbers, "b": numbers}), dimensions={"a": flat(), "b": flat()})
