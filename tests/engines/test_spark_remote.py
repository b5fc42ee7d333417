"""Specialization while the distinct combinations stay on Spark decides what it decides with all of them at hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import antifaz as az
from antifaz.core.errors import DataError, ParameterError, PrivacyNotReached
from antifaz.counting.remote import RecodableTuples
from antifaz.engines.local.data import open_local
from antifaz.engines.spark.data import open_spark
from antifaz.methods import Decision
from antifaz.methods.specialization.remote import RemoteTask
from antifaz.pipeline.plan import make_plan
from antifaz.pipeline.prepare import prepare, start_run
from antifaz.pipeline.state import Prepared
from antifaz.utility import measure_table as utility
from failing import failing

#: PySpark leaves it to the collector to close the sockets through which it hands tables over.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")

ROLES = {
    "name": "identifier",
    "age": "quasi-identifier",
    "sex": "quasi-identifier",
    "postcode": "quasi-identifier",
    "marital_status": "quasi-identifier",
    "diagnosis": "sensitive",
}
K = az.KAnonymity(6)
DIVERSE = az.LDiversity(2, attribute="diagnosis")


HIERARCHIES = {
    "age": az.hierarchy.intervals(5, 10, 20),
    "sex": az.hierarchy.flat(),
    "postcode": az.hierarchy.masking(1),
    "marital_status": az.hierarchy.flat(),
}


def _decided(data: Any, method: az.Specialization, *models: Any, **more: Any) -> tuple[Decision, Prepared]:
    wanted = {"roles": ROLES, "hierarchies": HIERARCHIES, "seed": 7} | more
    plan = make_plan(data.schema, privacy=models, method=method, **wanted)
    prepared = prepare(start_run(plan, data))
    assert isinstance(prepared.task, RemoteTask) == (data.engine == "spark")
    return method.decide(prepared.task), prepared


def _same(frame: Any, table: pa.Table, budget: int, *asked: Any, **more: Any) -> Decision:
    """Decide on Spark with a budget and on this machine; both must say the same in everything."""
    with open_local(table) as near, open_spark(frame, tuples=budget) as far:
        (there, left), (here, right) = _decided(far, *asked, **more), _decided(near, *asked, **more)
        assert there.details == here.details
        assert there.recoding == here.recoding
        assert utility(there.table) == utility(here.table)
        assert sorted(there.table.sizes) == sorted(here.table.sizes)
        assert np.allclose(there.table.tuple_information, here.table.tuple_information)
        assert sorted(left.before.counts) == sorted(right.before.counts)
        assert left.filled.filled == right.filled.filled
    return here


@pytest.fixture(scope="module")
def crowd(table: pa.Table) -> pa.Table:
    """People of whom many are alike."""
    for name, short in (("postcode", lambda text: text[:2] + "000"), ("age", lambda age: age // 10 * 10)):
        cells = [short(cell) for cell in table.column(name).to_pylist()]
        table = table.set_column(table.column_names.index(name), name, pa.array(cells))
    return table


@pytest.fixture(scope="module")
def frame(spark: Any, crowd: pa.Table) -> Any:
    return spark.createDataFrame(crowd).repartition(3).persist()


WAYS = {
    "level, k and l": (az.Specialization(phases=2, partitions=3, k_first=30), [K, DIVERSE]),
    "subtree, k": (
        az.Specialization(cut="subtree", score="igpl", phases=2, partitions=2),
        [az.KAnonymity(25)],
    ),
    "subtree, l alone": (az.Specialization(cut="subtree", phases=2, partitions=2, ways="one"), [DIVERSE]),
    "one phase, t-closeness": (
        az.Specialization(score="loss"),
        [az.KAnonymity(3), az.TCloseness(0.5, attribute="diagnosis")],
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_what_is_decided_there_is_what_is_decided_here(frame: Any, crowd: pa.Table, way: str) -> None:
    method, models = WAYS[way]
    assert _same(frame, crowd, 1, method, *models).details["trace"]


def test_tuples_come_out_where_they_are_few(frame: Any, crowd: pa.Table) -> None:
    method, models = WAYS["level, k and l"]
    _same(frame, crowd, 60, method, *models)


def test_missing_values_and_several_sensitive_attributes(frame: Any, crowd: pa.Table) -> None:
    roles = ROLES | {"income": "sensitive", "education": "sensitive"}
    learnt = HIERARCHIES | {"age": az.hierarchy.information_gain(3, target=("education", "diagnosis"))}
    method = az.Specialization(phases=2, partitions=2, target=("diagnosis", "education"))
    more = {"roles": roles, "hierarchies": learnt, "missing": {"sex": "most-frequent"}}
    asked = (method, K, az.LDiversity(2, attribute="education"))
    assert _same(frame, crowd, 1, *asked, **more).details["trace"]


def _rows(table: pa.Table) -> list[str]:
    return sorted(repr([None if cell is None else str(cell) for cell in row.values()]) for row in table.to_pylist())


def test_the_release_and_its_evidence_are_the_same(frame: Any, crowd: pa.Table) -> None:
    wanted = {"roles": ROLES, "hierarchies": HIERARCHIES, "privacy": [K, DIVERSE], "seed": 7, "others": "release"}
    method = az.Specialization(phases=2, partitions=3)
    with open_local(crowd) as near, open_spark(frame, tuples=50) as far:
        there, here = (az.anonymize(data, method=method, **wanted) for data in (far, near))
        assert _rows(there.frame.toArrow()) == _rows(here.frame)
        for part in ("rows", "method", "privacy", "utility", "risk", "classes", "attributes", "warnings"):
            assert there.evidence[part] == here.evidence[part], part
        assert any("more than 50" in note for note in there.evidence["notes"])


def test_nothing_stays_with_the_executors(frame: Any) -> None:
    kept = frame.sparkSession.sparkContext._jsc.getPersistentRDDs
    before = kept().size()
    with open_spark(frame, tuples=1) as data:
        decision, _ = _decided(data, az.Specialization(), K, DIVERSE)
        assert decision.details["trace"] and decision.table.tuple_information
        assert kept().size() == before


def test_what_can_not_be_had_is_told_in_the_same_words(frame: Any, crowd: pa.Table) -> None:
    said = []
    with open_local(crowd) as near, open_spark(frame, tuples=1) as far:
        for data in (near, far):
            with pytest.raises(PrivacyNotReached) as caught:
                _decided(data, az.Specialization(phases=2), az.KAnonymity(601))
            said.append(str(caught.value))
    assert said[0] == said[1]


def test_who_stays_and_who_comes(frame: Any) -> None:
    columns = ["sex", "marital_status"]
    with open_spark(frame) as usual, open_spark(frame, tuples=100) as enough, open_spark(frame, tuples=3) as few:
        assert usual.remote(columns, RecodableTuples) is None
        assert enough.remote(columns, RecodableTuples) is None  # 600 rows, but few combinations
        assert few.remote(columns, RecodableTuples) is not None
        told = {"roles": ROLES, "hierarchies": HIERARCHIES, "privacy": [K], "method": az.FullDomain(), "seed": 1}
        with failing("plan.more-tuples-than-allowed", ParameterError, method="full-domain", most=3):
            prepare(start_run(make_plan(few.schema, **told), few))
    with open_spark(frame, tuples=600) as all_of_them:
        prepared = prepare(start_run(make_plan(all_of_them.schema, **told), all_of_them))
        assert not isinstance(prepared.task, RemoteTask)
    with failing("spark.tuples-below-1", ParameterError):
        open_spark(frame, tuples=0)


def test_values_that_change_meanwhile_are_refused(frame: Any) -> None:
    with open_spark(frame, tuples=1) as data:
        place = data.remote(["sex"], RecodableTuples)
        assert place is not None
        place.encode([{"neither": 0}])
        with pytest.raises(DataError, match=r"^The data changed while it was counted"):
            place.count([None])


def test_tuples_that_repeat_after_the_first_rows_come_out(spark: Any) -> None:
    rows = spark.range(60_000, numPartitions=1).selectExpr("if(id < 20000, id, -1) AS a", "'x' AS b")
    with open_spark(rows, session=spark, tuples=25_000) as data:
        assert data.remote(["a", "b"], RecodableTuples) is None


def test_tuples_that_are_clearly_too_many_are_not_all_hashed(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("pyspark.sql.functions.approx_count_distinct")
    with open_spark(spark.range(60_000), session=spark, tuples=10_000) as data:
        assert data.remote(["id"], RecodableTuples) is not None
