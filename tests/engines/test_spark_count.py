"""Spark counts under the same texts as one machine, whatever the types and the partitions."""

from __future__ import annotations

import datetime
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import antifaz.engines.spark.count as counting
from antifaz.core.errors import DataError
from antifaz.engines.local.data import open_local
from antifaz.engines.spark.count import SPELLERS
from antifaz.engines.spark.data import open_spark
from antifaz.engines.spark.frames import driver_memory
from failing import failing

#: PySpark leaves it to the collector to close the sockets through which it hands tables over.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")


def _tuples(found: Any) -> Counter[tuple[str | None, ...]]:
    texts = [[values[c] for c in codes] for values, codes in zip(found.values, found.codes, strict=True)]
    return Counter(dict(zip(zip(*texts, strict=True), found.counts.tolist(), strict=True)))


def _typed() -> pa.Table:
    moments = [datetime.datetime(2020, 1, 1, 10, 0, 0, 500_000), datetime.datetime(1969, 12, 31, 23, 59, 59), None]
    return pa.table(
        {
            "int": pa.array([1, -5, None], pa.int32()),
            "long": pa.array([2**60, 0, None]),
            "double": pa.array([0.1, -0.0, float("nan")]),
            "large": pa.array([1e7, 1e16, 1e-5]),
            "float": pa.array([0.1, 1234567.0, 1e-4], pa.float32()),
            "decimal": pa.array([Decimal("1.10"), Decimal("0.00"), None], pa.decimal128(20, 2)),
            "small": pa.array([Decimal("1E-10"), Decimal("0"), None], pa.decimal128(20, 12)),
            "truth": pa.array([True, False, None]),
            "day": pa.array([datetime.date(2020, 2, 29), datetime.date(1582, 10, 20), None]),
            "moment": pa.array(moments, pa.timestamp("us", tz="UTC")),
            "local moment": pa.array(moments, pa.timestamp("us")),
            "text": pa.array(["é", "", None]),
        }
    )


@given(st.floats(), st.floats(width=32))
# Two texts of eight digits are equally near.
@example(0.5, 1048576.25)
@example(1e300, 199594.875)
def test_numbers_are_spelled_as_on_one_machine(wide: float, narrow: float) -> None:
    [said] = duckdb.execute(
        "SELECT CAST($1::DOUBLE + 0.0 AS VARCHAR), CAST($2::FLOAT + 0.0 AS VARCHAR)", [wide, narrow]
    ).fetchall()
    # Spark keeps no sign of a NaN; the local engine shows it.
    unsigned = tuple("nan" if text == "-nan" else text for text in said)
    assert unsigned == (SPELLERS["float"](wide), SPELLERS["single"](narrow))


def test_every_type_is_counted_under_the_same_text(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pq.write_table(_typed(), tmp_path / "t.parquet")
    zone = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "Europe/Madrid")  # a session that is handed in has any zone
    try:
        with open_local(tmp_path / "t.parquet") as here, open_spark(tmp_path / "t.parquet", session=spark) as there:
            assert [(c.name, c.type) for c in there.schema] == [(c.name, c.type) for c in here.schema]
            for name in here.schema.names:
                assert _tuples(there.count([name])) == _tuples(here.count([name])), name
            whole = _tuples(here.count(here.schema.names))
            assert _tuples(there.count(here.schema.names)) == whole
            monkeypatch.setattr(counting, "FEW", 0)  # as numbers, which large tables are counted by
            assert _tuples(there.count(here.schema.names)) == whole
    finally:
        spark.conf.set("spark.sql.session.timeZone", zone)


def test_check_18_a_frame_is_counted_in_any_number_of_parts(spark: Any, table: pa.Table, tmp_path: Path) -> None:
    pyarrow.csv.write_csv(table, tmp_path / "t.csv")
    names = ["age", "sex", "postcode"]
    with open_local(tmp_path / "t.csv") as here, open_spark(tmp_path / "t.csv", session=spark) as there:
        expected = here.count(names)
        digests = {there.digest()}
        for parts in (1, 7):
            with open_spark(there.frame.repartition(parts), session=spark) as again:
                assert again.kind == "spark" and again.rows == 600
                found = again.count(names)
                assert found.values == expected.values
                assert _tuples(found) == _tuples(expected)
                digests.add(again.digest())
        assert len(digests) == 1
        with open_spark(there.frame.limit(599), session=spark) as fewer:
            assert fewer.digest() not in digests
        assert there.count([]).rows == 600
        kept = there.records(names)
        assert kept.values == here.records(names).values
        assert all(np.array_equal(a, b) for a, b in zip(kept.codes, here.records(names).codes, strict=True))
    assert spark.range(1).count() == 1  # a session that was handed in goes on


def test_rows_that_are_too_many_stay(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "MOST_CELLS", 10)
    with open_spark(spark.range(11), session=spark) as data, failing("spark.too-many-rows-to-fetch", DataError):
        data.records(["id"])


@pytest.mark.parametrize("cells", [0, 50_000_000])
def test_tuples_of_many_rows(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cells: int) -> None:
    """Counted by packed codes, in one long or in two; or brought as rows where they hardly repeat."""
    monkeypatch.setattr(counting, "FEW", 0)
    monkeypatch.setattr(counting, "MOST_CELLS", cells)
    brought, bring = [], counting.records
    monkeypatch.setattr(counting, "records", lambda data, names: brought.append(len(names)) or bring(data, names))
    random = np.random.default_rng(1)
    words = np.array(["", "a", "A", " a", "é", "e\u0301", None], object)
    columns = {f"w{i}": pa.array(random.choice(words, 300), pa.string()) for i in range(3)}
    columns["n"] = pa.array(random.integers(0, 2**40, 300), mask=random.random(300) < 0.1)
    table = pa.table(columns)
    pq.write_table(table, tmp_path / "t.parquet")
    for names in (["w0"], ["w0", "w1", "w2"], ["w0", "n", "w2"], ["n", "w1"]):
        with open_local(table) as here, open_spark(tmp_path / "t.parquet", session=spark) as there:
            expected, found = here.count(names), there.count(names)
            assert (found.values, found.columns) == (expected.values, expected.columns)
            assert found.counts.size == expected.counts.size
            assert _tuples(found) == _tuples(expected)
    wide = pa.table({f"n{i}": pa.array(random.permutation(300)) for i in range(9)})  # 81 bits
    with open_spark(spark.createDataFrame(wide), session=spark) as data:
        assert _tuples(data.count(wide.column_names)) == Counter(
            tuple(str(cell) for cell in row.values()) for row in wide.to_pylist()
        )
    assert brought == ([3, 3, 2, 9] if cells else [])


def test_tuples_that_are_too_many_for_the_driver(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "FEW", 0)
    monkeypatch.setattr("antifaz.engines.spark.frames.driver_memory", lambda session: 8000)
    frame = spark.range(200).selectExpr("id % 20 AS a", "id % 10 AS b", "id DIV 20 AS c")
    with open_spark(frame, session=spark) as data:
        assert data.count(["a", "b"]).counts.size == 20
        with failing("spark.too-many-combinations-for-driver", DataError, columns=3, tuples=200):
            data.count(["a", "b", "c"])
    with (
        open_spark(spark.range(200), session=spark) as data,
        failing("spark.column-has-too-many-values", DataError, most=40),
    ):
        data.count(["id"])


def test_driver_memory(spark: Any) -> None:
    assert driver_memory(spark) == 1907 << 20  # of 2GB, whole mebibytes


def test_profile_is_that_of_one_machine(spark: Any, table: pa.Table, tmp_path: Path) -> None:
    dated = table.append_column("seen", pa.array([f"20{i % 20:02d}-0{i % 9 + 1}-11 10:00" for i in range(600)]))
    pyarrow.csv.write_csv(dated, tmp_path / "t.csv")
    pq.write_table(table, tmp_path / "t.parquet")
    for name in ("t.csv", "t.parquet"):
        with open_local(tmp_path / name) as here, open_spark(tmp_path / name, session=spark) as there:
            assert there.profile() == here.profile()


def test_check_34_errors_quote_no_cell(spark: Any) -> None:
    frame = spark.range(3).selectExpr("cast(concat('secret', id) as int) AS a")
    with pytest.raises(DataError) as caught:
        open_spark(frame, session=spark).count(["a"])
    text = repr(caught.value) + repr(caught.value.__context__) + str(caught.value.__context__)
    assert "secret" not in text
    assert "CAST_INVALID_INPUT" in str(caught.value)


def test_rows_are_told_apart_that_python_can_not_hold_or_compare(spark: Any) -> None:
    """A day of the year 12000 broke off the count; every NaN was taken for another value."""
    asked = "SELECT make_date(12000, 1, 1) AS `a.b`, double('nan') AS real, nullif(id % 2, 1) AS even FROM range(1000)"
    assert counting.look_at_first(spark.sql(asked)) == (2, 1000)
    assert counting.look_at_some(spark.sql(asked), 1000) == (2, 1000)


def test_a_digest_that_was_made_early_is_taken_once(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[bytes] = []
    digest = counting.digest
    monkeypatch.setattr(counting, "digest", lambda data: made.append(digest(data)) or made[-1])
    with open_spark(spark.range(100), session=spark) as data:
        data.expect_digest()
        data.fetched()
        assert data.digest() == made[0]
        data.fetched()  # of a later count, of which nobody asks for a digest
        assert (data.digest(), len(made)) == (made[1], 2)
        data.expect_digest()
        data.fetched()
        data.expect_digest()  # the run before broke off
        data.fetched()
        assert (data.digest(), len(set(made))) == (made[0], 1)
