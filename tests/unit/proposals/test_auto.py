"""Auto takes what trying by hand would take, says what it tried, and does not depend on the clock."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import antifaz as az
from antifaz.engines.registry import open_data
from antifaz.methods import METHODS
from antifaz.pipeline.plan import make_plan
from antifaz.pipeline.prepare import make_task, start_run
from antifaz.proposals.auto import AutoOnCounts, guessed
from failing import failing

ROLES = {
    "age": "quasi-identifier",
    "sex": "quasi-identifier",
    "education": "quasi-identifier",
    "diagnosis": "sensitive",
}
PRIVACY = [az.KAnonymity(5), az.LDiversity(2, attribute="diagnosis")]


def people(rows: int = 600) -> pa.Table:
    return az.datasets.people(rows, seed=3).select(list(ROLES))


def trees(table: pa.Table) -> dict[str, Any]:
    return {name: az.propose.hierarchy(table, name).details for name in table.column_names[:3]}


def released(method: Any, table: pa.Table | None = None, **more: Any) -> az.Release:
    table = people() if table is None else table
    given = {"roles": ROLES, "hierarchies": trees(table), "privacy": PRIVACY, "seed": 1} | more
    return az.anonymize(table, method=method, **given)


@pytest.mark.parametrize("purpose", ["analyse", "read", "numbers"])
def test_what_is_chosen_is_what_trying_by_hand_finds(purpose: str) -> None:
    told = released(az.Auto(purpose=purpose)).evidence
    by_hand = []
    for one in told["method"]["tried"]:
        method = METHODS.make(one["name"], one["settings"])
        alone = released(method).evidence
        assert one["loss"] == alone["utility"]["loss"]
        assert one["left_out"] == alone["rows"]["suppressed"]
        by_hand.append(alone["utility"]["loss"])
    assert told["utility"]["loss"] == min(by_hand)
    assert len(by_hand) >= 3
    assert told["method"]["name"] == "auto" and told["method"]["purpose"] == purpose
    assert told["method"]["chosen"] in told["method"]["reason"]


def test_tables_to_read_have_one_level_per_column() -> None:
    told = released(az.Auto(purpose="read")).evidence["method"]
    assert {one["name"] for one in told["tried"]} == {"full-domain"}
    assert [one["settings"]["suppression"] for one in told["tried"]] == [0.02, 0.05, 0.1]
    assert set(told["levels"]) == {"age", "sex", "education"}


def test_numbers_stay_numbers() -> None:
    frame = released(az.Auto(purpose="numbers")).frame
    assert all(float(value) == round(float(value)) for value in frame.column("age").to_pylist())


def test_the_same_seed_gives_the_same_rows() -> None:
    one, again = released(az.Auto()), released(az.Auto())
    assert one.frame.equals(again.frame)
    assert one.evidence["method"]["tried"] == again.evidence["method"]["tried"]


def test_a_small_budget_tries_what_takes_no_time() -> None:
    quick = released(az.Auto(seconds=0.001)).evidence["method"]
    assert {one["name"] for one in quick["tried"]} == {"full-domain"}
    # What is tried follows from the table: 600 records of 3 columns are 0.06 s of Mondrian's.
    some = released(az.Auto(seconds=0.1)).evidence["method"]
    assert {one["name"] for one in some["tried"]} == {"full-domain", "mondrian", "local-suppression"}


def test_without_hierarchies_the_methods_that_need_none_are_tried() -> None:
    told = released(az.Auto(), hierarchies={}).evidence["method"]
    assert "full-domain" not in {one["name"] for one in told["tried"]}
    with failing("method.none-fits"):
        released(az.Auto(purpose="read"), hierarchies={})


def test_with_a_target_the_best_guess_counts() -> None:
    # The illness follows from the age alone; sex and education are noise.
    table = people(900)
    ages = np.array(table.column("age").to_pylist())
    table = table.set_column(3, "diagnosis", pa.array(np.where(ages < 45, "flu", "gout")))
    told = released(az.Auto(target="diagnosis"), table, privacy=[az.KAnonymity(5)]).evidence["method"]
    tried = [one for one in told["tried"] if "accuracy" in one]
    chosen = max(tried, key=lambda one: (round(one["accuracy"], 6), -one["loss"]))
    assert (told["chosen"], told["settings"]) == (chosen["name"], chosen["settings"])
    assert chosen["accuracy"] > 0.9 and "'diagnosis'" in told["reason"]


def test_a_guess_is_the_majority_of_the_others_of_the_class() -> None:
    # Three classes: 3 flu 1 gout (flu right, gout wrong), 2 and 2 (all wrong: of the others the other value leads),
    # 2 of one kind (right).
    table = pa.table({"a": ["x"] * 4 + ["y"] * 4 + ["z"] * 2, "illness": list("fffg" + "ffgg" + "ff")})
    roles = {"a": "quasi-identifier", "illness": "sensitive"}
    with open_data(table) as data:
        plan = make_plan(
            data.schema, roles=roles, hierarchies={"a": az.hierarchy.flat()}, privacy=[az.KAnonymity(2)], seed=1,
            method=az.Auto(target="illness"),
        )  # fmt: skip
        decision = az.FullDomain().decide(make_task(plan, data))
    assert guessed(decision.table, "illness") == pytest.approx(5 / 10)


def test_what_nothing_reaches_is_said_with_the_nearest() -> None:
    with failing("method.none-reaches", az.PrivacyNotReached):
        released(az.Auto(), people(4))


def test_rows_that_stay_away_are_decided_on_counts() -> None:
    table = people()
    with open_data(table) as data:
        plan = make_plan(
            data.schema, roles=ROLES, hierarchies=trees(table), privacy=PRIVACY, method=az.Auto(), seed=1,
            missing={"age": "most-frequent"},
        )  # fmt: skip
        assert isinstance(plan.method, AutoOnCounts)
        assert start_run(plan, data).plan.method.needs_rows is False
        tried = plan.method.decide(make_task(plan, data)).details["tried"]
    assert {one["name"] for one in tried} == {"full-domain"}


def test_candidates_and_levels_are_those_of_full_domain() -> None:
    table = people()
    found = az.candidates(table, roles=ROLES, hierarchies=trees(table), privacy=PRIVACY, method=az.Auto(), seed=1)
    assert len(found) and found[0].apply().levels == found[0].levels
