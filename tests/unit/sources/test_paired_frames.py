"""Two tables side by side: the same numbers from every kind of frame, and one sentence for what does not fit."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from antifaz import DataError, InputError, ParameterError, SchemaError, risk, utility
from antifaz.sources.paired_frames import read_mixed, read_numbers, standard_deviation
from failing import failing, like

MEASURES = {
    "il1s": utility.il1s,
    "il1": utility.il1,
    "differences": utility.differences,
    "ks": utility.ks,
    "propensity": utility.propensity,
    "interval_risk": risk.interval_risk,
    "linkage": risk.linkage,
}
PAIRED = sorted(set(MEASURES) - {"ks", "propensity"})
NUMERIC = sorted(set(MEASURES) - {"linkage", "propensity"})
GOOD = {"x": [1.0, 2.0, 3.0, 4.0], "y": [10, 20, 30, 50], "t": ["a", "b", "a", "c"]}


def numbers(values: list[float]) -> pa.Table:
    return pa.table({"x": pa.array(values, pa.float64())})


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table])
def test_every_kind_of_frame_is_read_alike(make: Any) -> None:
    (x, y) = read_numbers(make(GOOD), pa.table(GOOD), None, what="test")
    assert (x.name, y.name) == ("x", "y")
    assert y.original.tolist() == y.released.tolist() == [10, 20, 30, 50]
    *_, text = read_mixed(make(GOOD), pa.table(GOOD), None, what="test")
    assert (text.original.tolist(), text.categories) == ([0, 1, 0, 2], 3)


def test_all_numbers_are_numbers() -> None:
    table = pa.table({"x": [1, 2]})
    for kind in (pa.int8(), pa.uint64(), pa.float32(), pa.decimal128(30, 2)):
        (column,) = read_numbers(table.cast(pa.schema([("x", kind)])), table, "x", what="test")
        assert column.original.tolist() == [1, 2]


def test_missing_and_not_a_number_are_the_same() -> None:
    (column,) = read_numbers(numbers([1, None, 3]), numbers([1, 2, float("nan")]), None, what="test")  # type: ignore[list-item]
    assert column.missing
    assert [side.tolist() for side in column.known()] == [[1], [1]]


def test_plain_numbers_of_pandas_are_read_like_all_others() -> None:
    frame = pd.DataFrame({"x": [1.0, float("nan"), 3.0], "n": np.array([1, 2, 3], np.int16)})
    found = read_numbers(frame, pl.DataFrame({"x": [1.0, None, 3.0], "n": [1, 2, 3]}), None, what="test")
    for column in found:
        np.testing.assert_array_equal(column.original, column.released)
    assert [column.missing for column in found] == [True, False]
    with failing("header.column-name-twice", DataError):
        read_numbers(frame.set_axis(["x", "X"], axis=1), frame, None, what="test")
    with failing("frame.column-name-not-text", DataError, column=1):
        read_numbers(frame.set_axis([1, 2], axis=1), frame, None, what="test")


def test_categories_share_their_codes_whatever_holds_them() -> None:
    before = pd.DataFrame({"t": pd.Categorical(["b", "a", None])})
    after = pl.DataFrame({"t": ["a", "b", "z"]})
    (column,) = read_mixed(before, after, "t", what="test")
    assert column.original[0] == column.released[1]
    assert column.original[1] == column.released[0]
    assert np.isnan(column.original[2])
    assert (column.categories, column.missing) == (3, True)


def test_dates_are_numbers_and_booleans_are_categories() -> None:
    days = [datetime.date(2024, 1, 1), datetime.date(2024, 1, 11)]
    table = pa.table({"day": days, "flag": [True, False], "at": [datetime.datetime(2024, 1, day) for day in (1, 2)]})
    day, flag, at = read_mixed(table, table, None, what="test")
    assert np.diff(day.original).tolist() == [10]
    assert np.diff(at.original).tolist() == [86_400_000_000]
    assert (day.categories, flag.categories) == (0, 2)


def test_another_column_of_pandas_is_not_even_looked_at() -> None:
    frame = pd.DataFrame({"x": [1.0, 2.0], "mixed": ["a", 1]})
    assert utility.il1s(frame, frame, "x") == 0


@pytest.mark.parametrize("values", [[0.1] * 7, [0.3] * 13, [1e300 / 1e200] * 3, [7.0], [], [float("nan")] * 3])
def test_equal_values_have_no_width_at_all(values: list[float]) -> None:
    assert standard_deviation(np.array(values)) == 0


@pytest.mark.parametrize("scale", [1.0, 1e-170, 1e140])
def test_the_width_is_the_sample_standard_deviation(scale: float) -> None:
    values = np.array([float("nan"), 2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]) * scale
    assert standard_deviation(values) == pytest.approx(np.sqrt(32 / 7) * scale, rel=1e-12)


@pytest.mark.parametrize("measure", MEASURES)
def test_nothing_to_measure_is_said(measure: str) -> None:
    table, call = numbers([1, 2, 3]), MEASURES[measure]
    with failing("pair.column-missing", SchemaError, side="original", name="z"):
        call(table, table, ["z"])
    with failing("pair.column-missing", SchemaError, side="released", name="x"):
        call(table, pa.table({"X": [1, 2, 3]}), "x")
    with failing("columns.one-twice", ParameterError):
        call(table, table, ["x", "x"])
    with failing("columns.none-named", ParameterError):
        call(table, table, [])
    with failing("columns.not-names", ParameterError):
        call(table, table, 5)
    with failing("pair.no-common-column", SchemaError):
        call(table, pa.table({"other": [1]}) if measure in ("ks", "propensity") else pa.table({"other": [1, 2, 3]}))
    with failing("pair.table-without-rows", DataError, before=like("pair.released")):
        call(table, table.slice(0, 0))
    with failing("frame.not-a-table", DataError):
        call(table, 5)


@pytest.mark.parametrize("measure", MEASURES)
def test_infinite_and_too_large_numbers_are_refused_without_being_quoted(measure: str) -> None:
    table, call = numbers([1, 2, 3]), MEASURES[measure]
    with failing("pair.column-infinite-values", DataError, name="x", count=2):
        call(table, numbers([1, float("inf"), float("-inf")]))
    with failing("pair.numbers-too-large", DataError) as caught:
        call(table, numbers([1, 2, 1.234e200]))
    assert "1.234" not in str(caught.value)


@pytest.mark.parametrize("measure", PAIRED)
def test_rows_must_correspond(measure: str) -> None:
    with failing("pair.rows-differ", DataError, before=3, after=2):
        MEASURES[measure](numbers([1, 2, 3]), numbers([1, 2]))


@pytest.mark.parametrize("measure", NUMERIC)
def test_what_is_not_numbers_is_refused_by_name(measure: str) -> None:
    table = pa.table({"x": [1, 2], "t": ["a", "b"]})
    with failing("pair.column-not-numbers", SchemaError, name="t", side=like("pair.original"), kind="string"):
        MEASURES[measure](table, table, ["x", "t"])


@pytest.mark.parametrize("measure", ["linkage", "propensity"])
def test_a_column_must_be_of_one_kind_in_both(measure: str) -> None:
    with failing("pair.column-types-differ", InputError, name="x", type="int64", type2="string"):
        MEASURES[measure](pa.table({"x": [1, 2]}), pa.table({"x": ["[1, 2)", "*"]}))
    with failing("pair.column-of-no-use", InputError):
        MEASURES[measure](pa.table({"x": [[1], [2]]}), pa.table({"x": [[1], [2]]}))
