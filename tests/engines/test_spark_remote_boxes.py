"""Mondrian on tuples that stay with Spark's executors: the very release that is decided in memory."""

from __future__ import annotations

import hashlib
from datetime import date, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import antifaz as az
from antifaz.core.errors import ParameterError
from antifaz.counting.remote import BoxedTuples, FetchedTuples, LabelledTuples
from antifaz.counting.tuple_batches import CountMargins, assign_boxes, finish_boxes, label_boxes
from antifaz.engines.local.data import open_local
from antifaz.engines.spark.data import open_spark
from antifaz.methods.clustering.out_of_core import OutOfCoreTask
from antifaz.pipeline.plan import make_plan
from antifaz.pipeline.prepare import prepare, start_run
from antifaz.utility import measure_table as utility
from failing import failing, like

#: PySpark leaves it to the collector to close the sockets through which it hands tables over.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")

JOBS = {"food": ("baker", "smith"), "office": ("clerk", "nurse"), "other": ("cook", "judge")}
#: Not in the order of the names, so that the hierarchy's order is seen to count.
TREE = az.hierarchy.table([(job, kind, "*") for kind, jobs in JOBS.items() for job in jobs])
COLUMNS = ("age", "height", "born", "job", "town")
ROLES = dict.fromkeys(COLUMNS, "quasi-identifier")


@pytest.fixture(scope="module")
def people() -> pa.Table:
    """Numbers, dates and categories; some are missing, some records are alike, and one value is very frequent."""
    random, rows = np.random.default_rng(5), 240

    def column(values: Any, kind: pa.DataType, share: float) -> pa.Array:
        return pa.array(values, kind, mask=random.random(rows) < share)

    ages = np.where(random.random(rows) < 0.4, 40, random.integers(18, 90, rows))
    days = [date(2020, 2, 20) + timedelta(days=int(n)) for n in random.integers(0, 9, rows)]
    jobs = [job for jobs in JOBS.values() for job in jobs]
    return pa.table(
        {
            "age": column(ages, pa.int64(), 0.0),
            "height": column(random.integers(-20, 20, rows) / 10, pa.float64(), 0.1),
            "born": column(days, pa.date32(), 0.0),
            "job": column([jobs[i] for i in random.integers(0, 6, rows)], pa.string(), 0.1),
            "town": column([("b", "é", "a a")[i] for i in random.integers(0, 3, rows)], pa.string(), 0.0),
        }
    )


@pytest.fixture(scope="module")
def frame(spark: Any, people: pa.Table) -> Any:
    return spark.createDataFrame(people)


def _hash(rows: Any) -> str:
    table = rows if isinstance(rows, pa.Table) else rows.toArrow()
    cells = sorted(repr([None if cell is None else str(cell) for cell in row.values()]) for row in table.to_pylist())
    kinds = [str(field.type).replace("large_", "") for field in table.schema]
    return hashlib.sha256("\n".join([repr(table.column_names), repr(kinds), *cells]).encode()).hexdigest()


def _decided(data: Any, k: int, models: Any = (), **how: Any) -> tuple[Any, dict[str, Any]]:
    plan = make_plan(
        data.schema, roles=ROLES, hierarchies={"job": TREE}, privacy=[az.KAnonymity(k), *models],
        method=az.Mondrian(**how), seed=1,
    )  # fmt: skip
    prepared = prepare(start_run(plan, data))
    assert isinstance(prepared.task, OutOfCoreTask) == (data.engine == "spark")
    decision = plan.method.decide(prepared.task)
    rows = data.apply(decision.recoding, key=1).collect()
    details = {key: value for key, value in decision.details.items() if key != "held_at_a_time"}
    sizes = sorted(decision.table.sizes.tolist())
    found = (_hash(rows), sizes, details, decision.recoding.released_labels())
    if data.engine == "spark":
        rows.unpersist()
    return found, utility(decision.table)


WAYS = [
    ("median", "interval", 1, 50),
    ("median", "mode", 8, 90),
    ("distribution", "interval", 8, 90),
    ("distribution", "mode", 2, 50),
]


@pytest.mark.parametrize(("split", "release", "parts", "budget"), WAYS)
def test_what_executors_finish_is_what_is_decided_in_memory(
    frame: Any, people: pa.Table, split: str, release: str, parts: int, budget: int
) -> None:
    how = {"split": split, "release": release}
    with open_local(people) as near:
        here, measured = _decided(near, 3, **how)
    with open_spark(frame.repartition(parts), tuples=budget) as far:
        there, figures = _decided(far, 3, **how)
    assert there == here
    for name in ("loss", "gcp", "discernibility", "average_class_size"):
        assert figures[name] == pytest.approx(measured[name], abs=1e-12)
    # Missing values go in labels "*", where the figures of the two ways may differ; ages are all there.
    assert figures["ks"]["age"] == pytest.approx(measured["ks"]["age"])


def test_a_release_and_its_evidence_are_the_same_and_nothing_stays(spark: Any, frame: Any, people: pa.Table) -> None:
    kept = spark.sparkContext._jsc.getPersistentRDDs
    before = kept().size()
    wanted = {"roles": ROLES, "privacy": [az.KAnonymity(4)], "method": az.Mondrian(), "seed": 1}
    with open_local(people) as near:
        here = az.anonymize(near, **wanted)
    with open_spark(frame, tuples=100) as far:
        there = az.anonymize(far, **wanted)
        assert any("up to 100 records at a time" in note for note in there.evidence["notes"])
        for part in ("rows", "privacy", "risk", "classes"):
            assert there.evidence[part] == here.evidence[part], part
        assert _hash(there.frame) == _hash(here.frame)
    there.frame.unpersist()
    assert kept().size() <= before  # the collector may have given back more meanwhile


@pytest.mark.parametrize("split", ["median", "distribution"])
def test_a_value_that_is_too_frequent_to_be_held_is_a_part_of_its_own(
    spark: Any, split: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where everything goes in many pieces: counts to the driver, labels to the executors, classes back."""
    for name, few in {"_PLACES": 30, "_WAITING": 40, "_BATCH": 10}.items():
        monkeypatch.setattr(f"antifaz.engines.spark.remote_boxes.{name}", few)
    table = pa.table({"a": [1] * 500 + list(range(2, 52)) * 2, "b": [f"{i % 10}" for i in range(600)]})
    wanted = {"roles": dict.fromkeys("ab", "quasi-identifier"), "hierarchies": {}, "privacy": [az.KAnonymity(3)]}
    found = []
    for data in (open_local(table), open_spark(spark.createDataFrame(table), tuples=20)):
        with data:
            plan = make_plan(data.schema, **wanted, method=az.Mondrian(split=split), seed=1)
            decision = plan.method.decide(prepare(start_run(plan, data)).task)
            rows = data.apply(decision.recoding, key=1).collect()
            loss = utility(decision.table)["loss"]
            found.append((_hash(rows), sorted(decision.table.sizes), pytest.approx(loss)))
    rows.unpersist()
    assert found[0] == found[1]


def test_boxes_come_out_where_they_are_asked_for(frame: Any, people: pa.Table) -> None:
    with open_spark(frame, tuples=3) as data:
        boxes = data.remote(["town", "job"], BoxedTuples)
        assert boxes is not None
        towns, jobs = ["a a", "b", "é"], [*sorted(job for jobs in JOBS.values() for job in jobs), None]
        boxes.encode([{text: i for i, text in enumerate(texts)} for texts in (towns, jobs)], [3, 6])
        (held,) = boxes.fetch([np.array([[1, 2], [6, 6]], np.int32)])
    rows = [towns.index(row["town"]) for row in people.to_pylist() if row["job"] is None]
    assert {(*places, n) for *places, n in np.column_stack([held.places, held.counts]).tolist()} == {
        (town, 6, rows.count(town)) for town in (1, 2)
    }


def test_what_parts_can_not_do_is_refused_in_a_sentence(frame: Any) -> None:
    diverse = az.LDiversity(2, attribute="town")
    roles = ROLES | {"town": "sensitive"}
    with open_spark(frame, tuples=50) as data:
        for more, obstacle in (
            ({"privacy": [diverse]}, like("plan.only-k-anonymity-by-parts", what="l-diversity")),
            ({"method": az.Mondrian(mode="relaxed")}, like("method.only-strict-by-parts")),
        ):
            wanted = {
                "roles": roles,
                "hierarchies": {},
                "privacy": [az.KAnonymity(3)],
                "method": az.Mondrian(),
                "seed": 1,
            } | more
            with failing(
                "plan.not-part-by-part", ParameterError, told=like("note.more-than-driver-memory"), obstacle=obstacle
            ):
                prepare(start_run(make_plan(data.schema, **wanted), data))


def test_records_stay_only_where_they_are_too_many(
    frame: Any, people: pa.Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_spark(frame) as usual, open_spark(frame, tuples=200) as enough:
        assert usual.remote(COLUMNS, BoxedTuples) is None
        assert enough.remote(["town", "job"], BoxedTuples) is None
        monkeypatch.setattr("antifaz.engines.spark.remote_boxes.affordable_tuples", lambda data, columns: 239)
        boxes = usual.remote(COLUMNS, BoxedTuples)
        assert boxes is not None and boxes.max_records is None
        assert boxes.memory > 0
        values = [len(column.unique()) for column in people.columns]
        assert boxes.distinct_values() == pytest.approx(values, rel=0.1, abs=1)


# -- what executors do, by brute force


def _tuples(random: np.random.Generator) -> tuple[Any, Any, list[pa.RecordBatch]]:
    places = random.integers(0, 6, (200, 3)).astype(np.int32)
    counts = random.integers(1, 5, 200)
    table = pa.table({**{f"c{a}": places[:, a] for a in range(3)}, "n": counts})
    return places, counts, table.to_batches(70)


BOXES = [
    np.array(box, np.int32) for box in ([[0, 2], [0, 5], [1, 5]], [[3, 5], [0, 3], [0, 5]], [[3, 5], [4, 4], [2, 2]])
]


def _inside(places: Any, box: Any) -> Any:
    return ((places >= box[:, 0]) & (places <= box[:, 1])).all(axis=1)


def test_places_of_boxes_are_counted() -> None:
    places, counts, batches = _tuples(np.random.default_rng(2))
    work = CountMargins(BOXES)
    at, n = (np.concatenate([np.asarray(b.column(i)) for b in work(iter(batches))]) for i in (0, 1))
    for box, margins in zip(BOXES, work.margins(at, n), strict=True):
        mine = _inside(places, box)
        for a in range(3):
            wanted = [counts[mine & (places[:, a] == place)].sum() for place in range(box[a, 0], box[a, 1] + 1)]
            assert margins[a].tolist() == wanted


def test_tuples_go_to_the_list_of_their_box_or_get_its_labels() -> None:
    places, _, batches = _tuples(np.random.default_rng(3))
    dealt = pa.Table.from_batches(assign_boxes(np.stack(BOXES), np.array([0, 0, 1], np.int32), iter(batches)))
    texts = [pa.array(own, pa.string()) for own in ("789", "111", [None] * 3)]
    labels = pa.Table.from_batches(label_boxes(np.stack(BOXES), texts, iter(batches)))
    for b, box in enumerate(BOXES):
        many = int(_inside(places, box).sum())
        mine = dealt.filter(pa.compute.field("box") == b)
        assert mine.num_rows == many
        assert set(mine.column("part").to_pylist()) == {(0, 0, 1)[b]}
        assert labels.column("l0").to_pylist().count("789"[b]) == many


def test_the_first_tuple_of_each_group_tells_of_it() -> None:
    def by_box(held: FetchedTuples, ends: Any) -> LabelledTuples:
        groups = np.repeat(np.arange(ends.size), np.diff(ends, prepend=0))
        sizes = np.bincount(groups, weights=held.counts).astype(np.int64)
        labels, released = (("x", None),), (np.array([1, 0]),)
        return LabelledTuples(
            groups=groups, sizes=sizes, labels=labels, released=released, points=(np.array([0.5, 2.0]),)
        )

    table = pa.table(
        {"part": [0] * 4, "box": [9, 4, 9, 4], "c0": pa.array([5, 6, 7, 8], pa.int32()), "n": [1, 2, 3, 4]}
    )
    assert finish_boxes(by_box, 1, table).to_pydict() == {
        "c0": [6, 8, 5, 7],
        "n": [2, 4, 1, 3],
        "l0": [None, None, "x", "x"],
        "size": [6, None, 4, None],
        "p0": [0.5, None, 2.0, None],
    }
