"""Which released row was made from which original one: found in the order, told by a key, or not known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

import antifaz as az
from antifaz.core.errors import DataError, SchemaError
from failing import failing, like

ROLES = {"age": "quasi-identifier", "sex": "quasi-identifier"}
ROWS = 300


def people() -> pa.Table:
    """Incomes rise with age, so that tables sorted by age look alike in both."""
    random = np.random.default_rng(1)
    ages = random.integers(18, 90, ROWS)
    return pa.table(
        {
            "id": [f"n{i:03d}" for i in random.permutation(ROWS)],
            "age": ages,
            "sex": random.choice(["f", "m"], ROWS),
            "income": 1000.0 * ages + random.normal(0, 5000, ROWS),
        }
    )


def noisy() -> pa.Table:
    return az.perturb.additive_noise(people(), ["income"], p=0.2, seed=1)


def judged(before: Any, after: Any, **more: Any) -> Any:
    return az.assess(before, after, ROLES, attacks=0, seed=1, **more)["perturbation"]


def by_hand(before: pa.Table, after: pa.Table) -> tuple[float, float]:
    one, other = (side["income"].to_numpy() for side in (before, after))
    errors = np.abs(one - other)
    return errors.sum() / (np.sqrt(2) * one.std(ddof=1)), np.mean(errors <= 0.2 * other.std(ddof=1))


def test_rows_in_the_same_order_are_found_and_measured() -> None:
    found = judged(people(), noisy())
    assert found["paired_by"] == "order" and found["note"].code == "note.rows-paired-in-order"
    il1s, within = by_hand(people(), noisy())
    assert found["columns"]["income"]["il1s"] == pytest.approx(il1s)
    assert found["columns"]["income"]["interval_risk"] == pytest.approx(within)
    assert found["columns"]["age"]["changed"] == found["columns"]["age"]["il1s"] == 0
    # Nearest by both columns, in standard deviations of the original; ties are shared.
    sides = [np.column_stack([side[name].to_numpy() for name in ("age", "income")]) for side in (people(), noisy())]
    one, other = (side / sides[0].std(axis=0, ddof=1) for side in sides)
    gaps = np.linalg.norm(other[:, None] - one[None], axis=2)
    nearest = np.isclose(gaps, gaps.min(axis=1, keepdims=True), atol=1e-9)
    share = np.mean(np.diag(nearest) / nearest.sum(axis=1))
    assert found["together"]["linkage"]["share"] == pytest.approx(share)
    assert sum(found["columns"]["income"]["histogram"]["before"]) == ROWS
    assert found["columns"]["income"]["errors"] == sorted(found["columns"]["income"]["errors"])


@pytest.mark.parametrize("way", ["mixed", "both sorted", "few", "said"])
def test_where_the_order_tells_nothing_nothing_is_measured(way: str) -> None:
    before, after = people().drop_columns("id"), noisy().drop_columns("id")
    random = np.random.default_rng(2)
    if way == "mixed":
        after = after.take(random.permutation(ROWS))
    elif way == "both sorted":
        before, after = (side.take(random.permutation(ROWS)).sort_by("age") for side in (before, after))
    elif way == "few":
        before, after = before.slice(0, 20), after.slice(0, 20)
    found = judged(before, after, same_order=False if way == "said" else None)
    assert found == {"paired_by": None, "note": like("note.rows-not-paired")}


def test_what_is_said_of_the_order_counts() -> None:
    found = judged(people().slice(0, 20), noisy().slice(0, 20), same_order=True)
    assert found["paired_by"] == "order" and found["rows"] == 20
    with failing("pair.rows-differ", DataError, what="assess", before=ROWS, after=20):
        judged(people(), noisy().slice(0, 20), same_order=True)


def test_a_key_finds_the_rows_in_any_order(tmp_path: Any) -> None:
    before, after = people(), noisy().take(np.random.default_rng(3).permutation(ROWS)).slice(0, 280)
    found = judged(before, after, key="id")
    assert found["paired_by"] == "key" and found["rows"] == 280
    back = before.join(after.select(["id", "income"]), "id", right_suffix="_released", join_type="inner")
    il1s, _ = by_hand(back, back.drop_columns("income").rename_columns({"income_released": "income"}))
    assert found["columns"]["income"]["il1s"] == pytest.approx(il1s)
    for name, table in (("before", before), ("after", after)):
        pa.csv.write_csv(table, tmp_path / f"{name}.csv")
    compared = az.compare(tmp_path / "before.csv", str(tmp_path / "after.csv"), key="id")
    assert compared["columns"]["income"]["il1s"] == pytest.approx(il1s, rel=1e-6)
    assert az.compare(before, after, "income", key="id")["rows"] == 280


def test_a_key_that_can_not_tell_is_said() -> None:
    before, after = people(), noisy()
    with failing("pairing.key-repeats", DataError, key="sex", side=like("pair.original"), repeats=ROWS - 2):
        az.compare(before, after, key="sex")
    other = after.set_column(0, "id", pa.array([f"x{i}" for i in range(ROWS)]))
    with failing("pairing.key-matches-nothing", DataError, key="id"):
        az.compare(before, other, key="id")
    with failing("column.unknown", SchemaError, name="idd"):
        az.compare(before, after, key="idd")


def test_numbers_that_moved_are_not_called_exact() -> None:
    before, after = people(), az.perturb.additive_noise(people(), ["age", "income"], p=0.2, seed=1)
    for order in (None, False):
        found = az.assess(before, after, ROLES, attacks=0, seed=1, same_order=order)
        column = found["utility"]["columns"]["age"]
        assert column["gcp"] is column["loss"] is column["entropy"] is None
        # What is left are the labels of sex, which are exact.
        assert found["utility"]["gcp"] == 0 and found["utility"]["columns"]["sex"]["gcp"] == 0
        code = "warning.numbers-moved" if order is None else "warning.numbers-unknown"
        assert [warning.code for warning in found["warnings"]] == [code]
        assert found["warnings"][0].values["names"] == ["age", "income"]
    alone = az.assess(before, after, {"age": "quasi-identifier"}, attacks=0, seed=1)
    assert alone["utility"]["loss"] is alone["utility"]["gcp"] is None
