"""Frames of three libraries come in and go out unchanged, or are refused in words without cells."""

from __future__ import annotations

import datetime
from decimal import Decimal

import pandas as pd
import polars as pl
import pyarrow as pa

from antifaz.core.errors import DataError, SchemaError
from antifaz.core.types import DataType
from antifaz.engines.local.data import open_local
from antifaz.sources.frames import kind_of, to_kind
from failing import failing, near

CANARY = "Kanarienvogel"
DAY = datetime.date(2020, 2, 29)
MOMENT = datetime.datetime(2020, 2, 29, 23, 59, 59, 123456)
ZONED = MOMENT.replace(tzinfo=datetime.UTC)

ARROW = pa.table(
    {
        "int8": pa.array([1, None, -3], pa.int8()),
        "uint64": pa.array([2**64 - 1, None, 0], pa.uint64()),
        "int64": pa.array([9007199254740993, None, -1], pa.int64()),
        "float": pa.array([0.1, None, float("inf")], pa.float32()),
        "double": pa.array([0.1 + 0.2, None, -0.0], pa.float64()),
        "decimal": pa.array([Decimal("1.10"), None, Decimal("-2.00")], pa.decimal128(10, 2)),
        "bool": pa.array([True, None, False]),
        "string": pa.array(["x", None, "é"], pa.string()),
        "large": pa.array(["", None, "NA"], pa.large_string()),
        "view": pa.array(["short", None, "much longer than twelve bytes"], pa.string_view()),
        "dictionary": pa.array(["u", None, "u"]).dictionary_encode(),
        "date": pa.array([DAY, None, DAY], pa.date32()),
        "second": pa.array([0, None, 1], pa.timestamp("s")),
        "micro": pa.array([MOMENT, None, MOMENT], pa.timestamp("us")),
        "nano": pa.array([1_000_000_001, None, 5], pa.timestamp("ns")),
        "zoned": pa.array([ZONED, None, ZONED], pa.timestamp("us", tz="UTC")),
        "time": pa.array([datetime.time(1, 2, 3), None, datetime.time(0)], pa.time64("us")),
        "nothing": pa.array([None, None, None], pa.string()),
    }
)


def test_arrow_round_trip() -> None:
    with open_local(ARROW) as data:
        assert data.kind == "pyarrow"
        assert data.rows == 3
        assert data.to_arrow().equals(ARROW)
        types = {column.name: column.type for column in data.schema}
    assert types["int8"] is types["uint64"] is DataType.INTEGER
    assert types["double"] is types["decimal"] is DataType.DECIMAL
    assert types["bool"] is DataType.BOOLEAN
    assert types["date"] is DataType.DATE
    assert types["micro"] is types["zoned"] is types["nano"] is DataType.DATETIME
    assert types["dictionary"] is types["view"] is types["nothing"] is types["time"] is DataType.TEXT


def test_record_batch_and_chunks() -> None:
    chunked = pa.concat_tables([ARROW, ARROW.slice(1)])
    with open_local(chunked) as data:
        assert data.to_arrow().equals(chunked)
    with open_local(ARROW.to_batches()[0]) as data:
        assert data.to_arrow().equals(ARROW)


def test_polars_round_trip() -> None:
    frame = pl.DataFrame(
        {
            "a": [1, None, 3],
            "b": ["x", "", None],
            "c": pl.Series(["u", "v", "u"], dtype=pl.Categorical),
            "d": [DAY, None, DAY],
            "e": [MOMENT, None, MOMENT],
            "f": [Decimal("1.10"), None, Decimal("2.20")],
            "g": [True, False, None],
            "h": [1.5, None, 2.5],
        }
    )
    with open_local(frame) as data:
        assert data.kind == "polars"
        assert data.to_polars().equals(frame)
        assert data.to_polars().schema["a"] == frame.schema["a"]
    with open_local(frame.lazy()) as data:
        assert data.to_polars().equals(frame)


def test_pandas_round_trip() -> None:
    frame = pd.DataFrame(
        {
            "i": [1, 2, 3],
            "f": [1.0, None, 2.5],
            "n": pd.array([1, None, 9007199254740993], dtype="Int64"),
            "s": ["x", None, "007"],
            "o": pd.Series(["x", None, "NA"], dtype="object"),
            "c": pd.Categorical(["u", None, "v"]),
            "t": pd.to_datetime(["2020-01-01", None, "2020-01-02 03:04:05"], format="mixed"),
            "b": [True, False, True],
            "m": pd.array([True, None, False], dtype="boolean"),
            "p": pd.Series([1, None, 3], dtype="int64[pyarrow]"),
        }
    )
    before = frame.copy(deep=True)
    with open_local(frame) as data:
        assert data.kind == "pandas"
        pd.testing.assert_frame_equal(data.to_pandas(), frame.astype({"o": "str"}))
        assert data.schema["n"].type is DataType.INTEGER
    pd.testing.assert_frame_equal(frame, before)


def test_pandas_index_is_no_data() -> None:
    frame = pd.DataFrame({"a": [1, 2]}, index=pd.Index([CANARY, "y"], name="who"))
    with open_local(frame) as data:
        assert data.schema.names == ("a",)
        pd.testing.assert_frame_equal(data.to_pandas(), frame.reset_index(drop=True))


def test_pandas_mixed_column_is_refused() -> None:
    for values in ([1, CANARY, None], [CANARY, 2.5], [{CANARY: 1}, "x"], [True, CANARY]):
        with failing("frame.column-mixes-types", DataError, name="a") as caught:
            open_local(pd.DataFrame({"ok": [0] * len(values), "a": pd.Series(values, dtype="object")}))
        assert CANARY not in str(caught.value)


def test_refused_frames() -> None:
    twice = pd.DataFrame([[1, 2]], columns=["a", "a"])
    with failing("header.column-name-twice", DataError, columns=[1, 2]):
        open_local(twice)
    with failing("header.column-name-twice", DataError, columns=[1, 2]):
        open_local(pa.table([[1], [2]], names=["a", "a"]))
    with failing("frame.column-name-not-text", DataError, column=1, type="int"):
        open_local(pd.DataFrame([[1, 2]]))
    with failing("column.holds-no-single-values", DataError):
        open_local(pa.table({"a": [[1, 2]]}))
    with failing("column.holds-no-single-values", DataError):
        open_local(pa.table({"a": [b"x"]}))
    with failing("column.holds-no-single-values", DataError):
        open_local(pa.table({"a": pa.array([1], pa.duration("s"))}))
    with failing("header.no-columns", DataError):
        open_local(pd.DataFrame())
    with failing("frame.not-a-table", DataError, type="dict"):
        open_local({"a": [1]})


def test_empty_frames() -> None:
    for frame in (pd.DataFrame({"a": pd.Series([], dtype="str")}), pl.DataFrame({"a": []}), ARROW.slice(0, 0)):
        with open_local(frame) as data:
            assert data.rows == 0
            assert data.to_arrow().num_rows == 0


def test_missing_and_types_for_frames() -> None:
    frame = pd.DataFrame({"age": ["39", "?", "41"], "zip": ["12345", "54321", "11111"]})
    with open_local(frame, missing=["?"], types={"zip": "text"}) as data:
        assert data.schema["age"].type is DataType.INTEGER
        assert data.schema["zip"].type is DataType.TEXT
        assert data.to_arrow().column("age").to_pylist() == ["39", None, "41"]
    with failing("column.unknown", SchemaError, hint=near("age")):
        open_local(frame, types={"aeg": "integer"})


def test_changes_to_the_frame_do_not_reach_the_data() -> None:
    frame = pd.DataFrame({"a": [1, 2, 3]})
    with open_local(frame) as data:
        frame.loc[0, "a"] = 99
        assert data.to_arrow().column("a").to_pylist() == [1, 2, 3]


def test_kinds() -> None:
    table = pa.table({"a": [1]})
    assert kind_of(to_kind(table, "pandas")) == "pandas"
    assert kind_of(to_kind(table, "polars")) == "polars"
    assert kind_of(to_kind(table, "pyarrow")) == "pyarrow"
    assert to_kind(table, "path") is table
    assert kind_of(3) is None
