"""What is sent to executors leaves their workers with little to look through between tasks."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest

from antifaz.engines.spark import frames
from antifaz.engines.spark.session import SessionUse, use_session


def _set_aside(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for _ in batches:
        yield pa.RecordBatch.from_pydict({"n": pa.array([gc.get_freeze_count()], pa.int64())})


def _total(table: pa.Table) -> pa.Table:
    return pa.table({"part": table.column("part").slice(0, 1), "n": pa.array([table.num_rows], pa.int64())})


@pytest.fixture
def frame(spark: Any) -> Any:
    return spark.range(10, numPartitions=1).selectExpr("CAST(id % 3 AS int) AS part")


def test_what_was_imported_is_not_looked_through_again(frame: Any) -> None:
    # Each worker may be asked for the first time once; the second time it has set something aside.
    told = [frames.map_batches(frame, _set_aside, "n bigint").collect()[0]["n"] for _ in range(4)]
    assert told[-1] > 10_000


def test_groups_come_back_whole(frame: Any) -> None:
    rows = frames.map_groups(frame, "part", _total, "part int, n bigint").collect()
    assert sorted(tuple(row) for row in rows) == [(0, 4), (1, 3), (2, 3)]


def test_nothing_is_set_aside_twice() -> None:
    try:
        frames._known_modules = 0
        frames.set_aside()
        frozen = gc.get_freeze_count()
        assert frozen > 0
        kept = [[i] for i in range(1000)]
        frames.set_aside()
        # Some that were set aside may be gone meanwhile; none may have come.
        assert gc.get_freeze_count() <= frozen, f"{len(kept)} lists that nothing imported were set aside"
    finally:
        gc.unfreeze()


def test_a_kept_frame_has_no_more_partitions_than_it_needs(spark: Any) -> None:
    """On a cluster, where shuffles have 200 partitions, every job on a kept frame had as many tasks."""
    before = {name: spark.conf.get(name) for name in ("spark.sql.adaptive.enabled", "spark.sql.shuffle.partitions")}
    try:
        spark.conf.set("spark.sql.adaptive.enabled", "true")
        spark.conf.set("spark.sql.shuffle.partitions", "20")
        with frames.persisted(spark.range(100).groupBy("id").count()) as kept:
            assert kept.count() == 100
            assert kept.rdd.getNumPartitions() < 20
    finally:
        for name, value in before.items():
            spark.conf.set(name, value)


def test_a_session_of_ours_shuffles_to_as_many_parts_as_tasks_run(spark: Any) -> None:
    name, ours = "spark.sql.shuffle.partitions", use_session(spark)
    before = spark.conf.get(name)
    try:
        spark.conf.set(name, "200")
        SessionUse(spark, None).fit_partitions()
        assert spark.conf.get(name) == "200"  # of somebody else it stays
        ours.fit_partitions()
        assert spark.conf.get(name) == "4"
    finally:
        spark.conf.set(name, before)
        ours.release()
