"""Domains, records and groups of them: codes, places on scales, and what groups hold, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from antifaz.core.errors import DataError
from antifaz.core.types import DataType
from antifaz.counting.frequencies import Tuples
from antifaz.counting.groups import scale_order
from antifaz.counting.records import Records, records, spread_out
from failing import failing


def rows_of(kind: DataType, *values: str | None) -> Records:
    """Return records of one quasi-identifier, a row per value, and a sensitive attribute p, q, p, q, …"""
    distinct = tuple(dict.fromkeys(values))
    codes = np.array([distinct.index(value) for value in values], np.int32)
    other = np.arange(len(values), dtype=np.int32) % 2
    counted = Tuples(
        columns=("s", "v"), values=(("p", "q"), distinct), codes=(other, codes), counts=np.ones(len(values), np.int64)
    )
    return records(counted, ["v"], ["s"], {"v": kind})


def test_records_have_a_code_a_kind_and_a_place_per_row() -> None:
    made = rows_of(DataType.DECIMAL, "2.5", "10", None, "2.5")
    (attribute,) = made.attributes
    assert (made.rows, made.copies, attribute.column, attribute.kind) == (4, False, "v", DataType.DECIMAL)
    assert attribute.codes.tolist() == [0, 1, 2, 0]
    np.testing.assert_equal(attribute.scale, [2.5, 10.0, np.nan])
    assert (attribute.range, attribute.unplaced, attribute.ladder) == (7.5, False, None)
    assert made.sensitive["s"].codes.tolist() == [0, 1, 0, 1]
    assert made.sensitive["s"].up is None
    # Nothing is taken for copies unless that is said.
    assert not Records(attributes=(), rows=0).copies


def test_categories_and_what_is_no_number_have_no_scale() -> None:
    assert rows_of(DataType.TEXT, "1", "2").attributes[0].scale is None
    assert rows_of(DataType.DECIMAL, "1", "x").attributes[0].scale is None
    assert rows_of(DataType.TEXT, "1", "2").attributes[0].range == 0.0
    assert rows_of(DataType.DECIMAL, None, None).attributes[0].range == 0.0
    assert not rows_of(DataType.TEXT, "1", None).attributes[0].unplaced
    assert not rows_of(DataType.DECIMAL, "1", None).attributes[0].unplaced


def test_what_is_infinite_has_no_place() -> None:
    attribute = rows_of(DataType.DECIMAL, "1", "inf", "3").attributes[0]
    assert attribute.unplaced
    order, known = scale_order(attribute)
    assert known == 2
    assert [attribute.domain.spellings[code] for code in order[:2]] == ["1", "3"]


def test_a_number_too_large_for_distances_is_refused() -> None:
    assert rows_of(DataType.DECIMAL, "1e300", "-1e300").attributes[0].range == 2e300
    for much in ("1.1e300", "-1.1e300"):
        with failing("column.number-beyond-1e300", DataError):
            rows_of(DataType.DECIMAL, much, "1")


def test_dates_are_days_and_a_time_without_an_offset_is_that_of_utc() -> None:
    dates = rows_of(DataType.DATE, "0001-01-01", "0001-01-02", "2000-01-01").attributes[0]
    assert dates.scale is not None
    assert dates.scale[[0, 1]].tolist() == [0.0, 1.0]
    times = rows_of(DataType.DATETIME, "0001-01-02 12:00:00", "0001-01-02T12:00:00+12:00").attributes[0]
    assert times.scale is not None
    assert sorted(times.scale.tolist()) == [1.0, 1.5]


@pytest.mark.parametrize(
    ("kind", "place", "said"),
    [
        (DataType.INTEGER, 3.0, "3"),
        (DataType.INTEGER, -2.5, "-2.5"),
        (DataType.INTEGER, float("nan"), None),
        (DataType.INTEGER, 2.0**60, str(2**60)),
        (DataType.DECIMAL, 2.0**53 - 1, str(2**53 - 1)),
        (DataType.DECIMAL, 2.0**53, repr(2.0**53)),
        (DataType.DECIMAL, -(2.0**53), repr(-(2.0**53))),
        (DataType.DATE, 1.0, "0001-01-02"),
        (DataType.DATETIME, 1.5, "0001-01-02 12:00:00"),
        (DataType.DATETIME, 1.0 + 1 / 86400, "0001-01-02 00:00:01"),
    ],
)
def test_a_place_is_spelled_as_the_column_spells(kind: DataType, place: float, said: str | None) -> None:
    values = {"date": "2000-01-01", "datetime": "2000-01-01 00:00:00"}
    spelled = rows_of(kind, values.get(kind.value, "1")).attributes[0].spell(place)
    assert (spelled or "").lstrip("0") == (said or "").lstrip("0")
    assert (spelled is None) == (said is None)


def test_counted_tuples_are_spread_out_to_one_record_each() -> None:
    counted = Tuples(
        columns=("a",), values=(("x", "y"),), codes=(np.array([0, 1], np.int32),), counts=np.array([3, 1], np.int64)
    )
    assert counted.rows == 4
    spread = spread_out(counted)
    assert spread.codes[0].tolist() == [0, 0, 0, 1]
    assert spread.counts.tolist() == [1, 1, 1, 1]
