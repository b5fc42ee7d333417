"""Mondrian part by part gives the very classes and labels of Mondrian in memory, however little may be held."""

from __future__ import annotations

import hashlib
from datetime import date, timedelta

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import antifaz as az
from antifaz.counting.remote import BoxedTuples
from antifaz.engines.local.data import open_local
from antifaz.methods.clustering.out_of_core import OutOfCoreTask
from antifaz.pipeline.plan import make_plan
from antifaz.pipeline.prepare import count_out_of_core, prepare, start_run
from antifaz.utility import measure_table as utility

#: More than any of these tables needs, so that the budget itself changes nothing: `fit` is what is tried.
PLENTY = "4GB"
JOBS = ["baker", "cook", "clerk", "judge", "nurse", "smith"]
#: Not in the order of the names, so that the hierarchy's order is seen to count.
KINDS = {"food": ("baker", "smith"), "office": ("clerk", "nurse"), "other": ("cook", "judge")}
TREE = az.hierarchy.table([(job, kind, "*") for kind, jobs in KINDS.items() for job in jobs])


@st.composite
def tables(draw):
    """A few records with ties, missing values, numbers, dates and categories."""
    rows = draw(st.integers(2, 60))

    def column(values, kind):
        holes = st.one_of(st.none(), values) if draw(st.booleans()) else values
        return pa.array(draw(st.lists(holes, min_size=rows, max_size=rows)), kind)

    tenths = st.integers(-20, 20).map(lambda number: number / 10)
    days = st.integers(0, 40).map(lambda number: date(2020, 2, 20) + timedelta(days=number))
    return pa.table(
        {
            "age": column(st.integers(0, draw(st.sampled_from([3, 90]))), pa.int64()),
            "height": column(tenths, pa.float64()),
            "born": column(days, pa.date32()),
            "job": column(st.sampled_from(JOBS), pa.string()),
        }
    )


def decided(table, k, fit, hierarchies, **how):
    """Return a hash of the sorted released rows, what was decided, and what was measured."""
    with open_local(table, memory=PLENTY) as data:
        plan = make_plan(
            data.schema,
            roles=dict.fromkeys(table.column_names, "quasi-identifier"),
            hierarchies=hierarchies,
            privacy=[az.KAnonymity(k)],
            method=az.Mondrian(**how),
            seed=1,
        )
        if fit is None:
            task = prepare(start_run(plan, data)).task
            assert not isinstance(task, OutOfCoreTask)
        else:
            boxes = data.remote(plan.quasi_identifiers, BoxedTuples)
            task = count_out_of_core(start_run(plan, data), boxes, fit).task
        decision = plan.method.decide(task)
        rows = data.apply(decision.recoding, key=1).collect()
    digest = hashlib.sha256("\n".join(sorted(map(repr, rows.to_pylist()))).encode()).hexdigest()
    sizes = sorted(decision.table.sizes.tolist())
    details = {key: value for key, value in decision.details.items() if key != "held_at_a_time"}
    return (rows.schema, digest, sizes, details, decision.recoding.released_labels()), utility(decision.table)


@settings(max_examples=16, deadline=None)
@given(
    table=tables(),
    k=st.integers(1, 6),
    fit=st.integers(1, 40),
    split=st.sampled_from(["median", "distribution"]),
    release=st.sampled_from(["interval", "mode", "median", "mean"]),
    treed=st.booleans(),
    others=st.sampled_from([{}, {"age": "mode"}, {"age": "interval", "born": "median"}]),
    rounded=st.booleans(),
)
def test_any_table_is_released_as_in_memory(table, k, fit, split, release, treed, others, rounded):
    if k > table.num_rows:
        k = table.num_rows
    hierarchies = {"job": TREE} if treed else {}
    how = {"split": split, "release": release, "release_columns": others, "round_ends": rounded}
    whole, measured = decided(table, k, None, hierarchies, **how)
    parts, figures = decided(table, k, fit, hierarchies, **how)
    assert parts == whole
    for name in ("loss", "gcp", "discernibility", "average_class_size"):
        assert figures[name] == pytest.approx(measured[name], abs=1e-12)
    if not any(column.null_count for column in table.columns):
        assert figures["ks"] == pytest.approx(measured["ks"])


@pytest.mark.parametrize("split", ["median", "distribution"])
@pytest.mark.parametrize("fit", [40, 300, 5_000])
def test_made_up_people_are_released_as_in_memory(split, fit):
    people = az.datasets.people(1_000, seed=7).select(["age", "income", "sex", "postcode"])
    whole, measured = decided(people, 5, None, {}, split=split, release="mode")
    parts, figures = decided(people, 5, fit, {}, split=split, release="mode")
    assert parts == whole
    assert figures["loss"] == pytest.approx(measured["loss"])
    assert figures["ks"] == pytest.approx(measured["ks"])


def test_a_value_that_is_too_frequent_to_be_held_is_a_part_of_its_own():
    table = pa.table({"a": [1] * 500 + list(range(2, 52)) * 2, "b": list(range(10)) * 60})
    for split in ("median", "distribution"):
        whole, _ = decided(table, 3, None, {}, split=split, release="interval")
        assert decided(table, 3, 20, {}, split=split, release="interval")[0] == whole


def test_infinite_numbers_keep_their_own_labels():
    table = pa.table({"a": [1.0, 2.0, float("inf"), float("-inf"), None, float("inf"), 3.0, 4.0] * 5})
    for split in ("median", "distribution"):
        whole, _ = decided(table, 2, None, {}, split=split, release="mode")
        assert decided(table, 2, 3, {}, split=split, release="mode")[0] == whole


@pytest.mark.parametrize("split", ["median", "distribution"])
def test_a_cut_that_leaves_just_k_on_both_sides_is_made(split):
    table = pa.table({"a": [1, 2, 2, 1], "b": [5, 5, 5, 5]})
    found, _ = decided(table, 2, 1, {}, split=split, release="interval")
    assert found[2] == [2, 2]
    assert found[4] == {"a": frozenset({"1", "2"}), "b": frozenset({"5"})}
