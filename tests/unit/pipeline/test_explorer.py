"""The explorer answers from counts what a run would do, and what moving one level would."""

from collections import Counter

import pyarrow as pa
import pytest

import antifaz as az
from antifaz.engines.registry import open_data
from antifaz.pipeline.explorer import Explorer
from antifaz.pipeline.plan import make_plan
from failing import failing

COLUMNS = ("age", "sex", "postcode")
TREES = {"age": {"intervals": [10, 40]}, "sex": {"flat": True}, "postcode": {"masking": 2}}
ROLES = dict.fromkeys(COLUMNS, "quasi-identifier") | {"diagnosis": "sensitive"}


def explorer(table, models=None, method=None, **more):
    data = open_data(table)
    asked = {"roles": ROLES, "hierarchies": TREES, "privacy": models or [az.KAnonymity(5)], "seed": 1} | more
    return Explorer(make_plan(data.schema, method=method or az.FullDomain(), **asked), data)


@pytest.fixture(scope="module")
def people():
    return az.datasets.people(400, seed=3).select([*COLUMNS, "diagnosis"])


@pytest.fixture(scope="module")
def counted(people):
    return explorer(people)


@pytest.mark.parametrize(("k", "share"), [(2, 0.0), (5, 0.05), (9, 0.2), (40, 0.0)])
def test_the_best_is_what_a_run_releases(people, counted, k, share):
    found = counted.evaluate(k, share)
    method = az.FullDomain(suppression=share)
    release = az.anonymize(people, roles=ROLES, hierarchies=TREES, privacy=az.KAnonymity(k), method=method, seed=1)
    evidence = release.evidence
    assert found["levels"] == evidence["method"]["levels"] and found["holds"] and found["gap"] == 0
    assert found["loss"] == pytest.approx(evidence["utility"]["loss"])
    sizes = Counter(zip(*(release.frame.column(name).to_pylist() for name in COLUMNS), strict=True))
    assert (found["smallest"], found["classes"]) == (min(sizes.values()), len(sizes))
    assert found["suppressed"] == 400 - sum(sizes.values()) <= found["allowed"]


def test_a_level_moved_by_hand_is_counted_as_brute_force_does(people, counted):
    at = {"age": 1, "sex": 0, "postcode": 1}
    found = counted.evaluate(3, 0.1, levels=at)
    assert (found["levels"], found["chosen"]) == (at, "hand")
    rows = [
        (age // 10, sex, code[:3])
        for age, sex, code in zip(*(people.column(name).to_pylist() for name in COLUMNS), strict=True)
    ]
    sizes = Counter(rows)
    out = sum(size for size in sizes.values() if size < 3)
    assert found["suppressed"] == out and found["holds"] == (out <= 40)
    # What the other levels of one column would do is what choosing them does.
    for level, way in enumerate(found["columns"]["age"]["levels"]):
        moved = counted.evaluate(3, 0.1, levels=at | {"age": level})
        assert {key: moved[key] for key in ("holds", "suppressed", "loss")} == way


def test_the_same_people_before_and_after(people, counted):
    about, found = counted.describe(), counted.evaluate(3, 0.5, levels={"age": 1, "sex": 0, "postcode": 1})
    there = set(zip(*(map(str, people.column(name).to_pylist()) for name in COLUMNS), strict=True))
    for age, sex, code, new_age, new_sex, new_code, among in zip(
        *about["before"], *found["after"], found["among"], strict=True
    ):
        assert (age, sex, code) in there
        low = int(age) // 10 * 10
        assert (new_age, new_sex, new_code) == (f"[{low}, {low + 10})", sex, f"{code[:3]}**")
        assert among is None or among >= 3
    assert len(about["counts"]) == 40 and None in found["among"]


def test_what_can_not_be_reached_says_what_could(counted):
    found = counted.evaluate(401)
    assert not found["holds"] and found["smallest"] == 0 and found["risk"] is None
    assert found["problem"].code == "method.no-generalization" or "400" in str(found["problem"])


def test_other_models_must_hold_too_and_k_is_added_where_none_is_asked(people):
    models = [az.LDiversity(3, attribute="diagnosis")]
    diverse = explorer(people, models)
    assert diverse.describe()["models"] == ["l-diversity"] and diverse.describe()["asked"]["k"] == 2
    expected = az.candidates(people, roles=ROLES, hierarchies=TREES, privacy=[az.KAnonymity(4), *models], seed=1)[0]
    assert diverse.evaluate(4)["levels"] == expected.levels


def test_weights_move_the_choice(counted, people):
    weighted = az.FullDomain(weights={"age": 0.0, "postcode": 50.0})
    expected = az.candidates(people, roles=ROLES, hierarchies=TREES, privacy=az.KAnonymity(3), method=weighted)[0]
    assert (
        counted.evaluate(3, weights={"age": 0.0, "postcode": 50.0})["levels"]
        == expected.levels
        != counted.evaluate(3)["levels"]
    )


def test_missing_values_one_row_and_no_rows():
    table = pa.table({"age": [30, None, 30, None], "sex": ["a"] * 4, "postcode": ["08001"] * 4, "diagnosis": ["x"] * 4})
    found = explorer(table).evaluate(2)
    assert (found["levels"], found["smallest"]) == ({"age": 0, "sex": 0, "postcode": 0}, 2)
    assert not explorer(table.slice(0, 1)).evaluate(2)["holds"]
    assert not explorer(table.slice(0, 0)).evaluate(2)["holds"]


def test_what_is_wrong_is_said(people, counted):
    with failing("explorer.no-such-column", az.ParameterError):
        counted.evaluate(3, levels={"agee": 1})
    with failing("explorer.hardened", az.ParameterError):
        explorer(people, hardened=True)
    roles = ROLES | {"diagnosis": "person"}
    with failing("explorer.leaves-out-people", az.ParameterError):
        explorer(people, roles=roles, leave_out="people")
    # With rows left out, people are counted.
    assert explorer(people, roles=roles).evaluate(3)["smallest"] >= 3
    with failing("plan.candidates-need-full-domain", az.ParameterError):
        explorer(people, method=az.Mondrian())
