"""What each purpose costs, before anything is released: the figures and the row that a run for it has."""

import pyarrow as pa
import pytest

import antifaz as az
from antifaz.datasets import people
from antifaz.pipeline.plan import make_plan
from antifaz.pipeline.purposes import PURPOSES, compare_purposes

ROLES = {"age": "quasi-identifier", "sex": "quasi-identifier", "income": "quasi-identifier", "diagnosis": "sensitive"}
HIERARCHIES = {
    "age": az.hierarchy.intervals(5, 10, 20, 40), "income": az.hierarchy.intervals(5000, 20000, 80000),
    "sex": az.hierarchy.masking(1),
}  # fmt: skip


def table(rows=400):
    return people(rows, seed=5).select(list(ROLES))


def compared(frame, k=4):
    data = az.open(frame)
    asked = {"hierarchies": HIERARCHIES, "privacy": [az.KAnonymity(k)], "method": az.Auto(), "seed": 1}
    plan = make_plan(data.schema, roles=ROLES, **asked)
    return compare_purposes(plan, data)


def test_figures_and_row_are_those_of_a_run_for_that_purpose():
    frame = table()
    found = compared(frame)
    assert ([one["purpose"] for one in found["purposes"]], found["rows"]) == (list(PURPOSES), 400)
    for one in found["purposes"]:
        method = az.Auto(purpose=one["purpose"])
        asked = {"hierarchies": HIERARCHIES, "privacy": [az.KAnonymity(4)], "method": method, "seed": 1}
        release = az.anonymize(frame, roles=ROLES, **asked)
        assert release.evidence["method"]["chosen"] == one["method"], one["purpose"]
        assert release.frame.num_rows == 400 - one["left_out"]
        columns = [release.frame.column(name).cast(pa.string()).to_pylist() for name in found["columns"]]
        assert list(zip(*columns, strict=True)).count(tuple(one["sample"])) >= 4


@pytest.mark.parametrize("k", [5, 300])
def test_one_record_is_shown_for_all_purposes_and_what_can_not_be_reached_is_said(k):
    frame = table(200)
    found = compared(frame, k)
    for one in found["purposes"]:
        if k > 200:
            assert (one["sample"], bool(one["problem"])) == (None, True)
        else:
            assert len(one["sample"]) == len(found["columns"]) and 0 <= one["loss"] <= 1
    assert bool(found["messages"]["others"]) == (k > 200)
