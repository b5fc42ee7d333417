"""Domains, records and groups of them: codes, places on scales, and what groups hold, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from antifaz.core.errors import DataError
from antifaz.core.types import DataType
from antifaz.counting.domains import qi_domain, sensitive_domain
from antifaz.counting.frequencies import Tuples
from antifaz.counting.groups import GroupedTable, scale_order
from antifaz.counting.records import Records, records, spread_out


def test_numbers_are_coded_by_value_and_missing_last() -> None:
    domain = qi_domain("n", ("10", None, "9", "-1"), DataType.INTEGER)
    assert domain.spellings == ("-1", "9", "10")
    assert domain.codes.tolist() == [2, 3, 1, 0]
    assert (domain.size, domain.has_missing, domain.labels) == (4, True, ("-1", "9", "10", None))
    assert domain.respelled == 0


def test_text_is_coded_by_text_and_what_is_no_finite_number_is_text() -> None:
    assert qi_domain("t", ("b", "a"), DataType.TEXT).codes.tolist() == [1, 0]
    assert sensitive_domain("s", ("10", "9")).spellings == ("9", "10")
    assert sensitive_domain("s", ("10", "9", "x")).spellings == ("10", "9", "x")
    assert sensitive_domain("s", ("10", "9", "Infinity")).spellings[0] == "10"
    # Python would take an underscore for part of a number; the policy, and so the verifier, does not.
    assert sensitive_domain("s", ("9", "10", "1_000")).spellings == ("10", "1_000", "9")
    beyond = "1e99999999999999999999"
    assert sensitive_domain("s", ("9", beyond, "10")).spellings == ("10", beyond, "9")
    domain = qi_domain("t", ("b", "a"), DataType.TEXT)
    assert (domain.size, domain.has_missing, domain.labels) == (2, False, ("a", "b"))


def test_spellings_of_one_sense_share_a_code_and_are_respelled() -> None:
    domain = sensitive_domain("s", ("Flu", "flu ", None, "cold", ""))
    assert domain.spellings == ("cold", "flu")
    assert domain.codes.tolist() == [1, 1, 2, 0, 2]
    assert domain.respelled == 3


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
        with pytest.raises(DataError, match="beyond 1e300"):
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


#: Six rows, the last left out: group 0 is 5, 1 and 5; group 1 is 3 and a missing one.
ROWS = rows_of(DataType.INTEGER, "5", "3", "1", None, "5", "9")
GROUPS = np.array([0, 1, 0, 1, 0, -1], np.int64)


def test_groups_know_their_sizes_and_who_is_left_out() -> None:
    groups = GroupedTable(ROWS, GROUPS)
    assert (groups.rows, groups.count, groups.sizes.tolist(), groups.suppressed) == (6, 2, [3, 2], 1)
    assert (groups.ladders, groups.levels, groups.points) == ((), (), ())
    nobody = GroupedTable(ROWS, np.full(6, -1))
    assert (nobody.count, nobody.sizes.tolist(), nobody.suppressed) == (0, [], 6)
    assert GroupedTable(rows_of(DataType.INTEGER), GROUPS[:0]).count == 0


def test_groups_know_their_ends_members_and_pairs() -> None:
    groups = GroupedTable(ROWS, GROUPS)
    low, high = groups.spans(0)
    assert (low.tolist(), high.tolist()) == ([1.0, 3.0], [5.0, 3.0])
    assert groups.ends(0).some_unknown.tolist() == [False, True]
    # Codes are those of 1, 3, 5, 9 and missing.
    members = groups.members(0)
    assert (members.offsets.tolist(), members.codes.tolist(), members.counts.tolist()) == (
        [0, 2, 4], [0, 2, 1, 4], [1, 2, 1, 1],
    )  # fmt: skip
    # What has no place comes last, though its code is the first.
    endless = GroupedTable(rows_of(DataType.DECIMAL, "-inf", "5", "1"), np.zeros(3, np.int64))
    assert endless.members(0).codes.tolist() == [1, 2, 0]
    assert [part.tolist() for part in groups.pairs(0)] == [[0, 0, 1, 1], [0, 2, 1, 4], [1, 2, 1, 1]]


def test_a_group_without_a_number_has_no_ends() -> None:
    groups = GroupedTable(rows_of(DataType.INTEGER, "5", None, "7"), np.array([0, 1, 0]))
    low, high = groups.spans(0)
    np.testing.assert_equal((low, high), ([5.0, np.nan], [7.0, np.nan]))
    assert (groups.ends(0).low.tolist(), groups.ends(0).high.tolist()) == ([0, 2], [1, -1])
    low, high = GroupedTable(rows_of(DataType.TEXT, "a", "b"), np.array([0, 1])).spans(0)
    np.testing.assert_equal((low, high), ([np.nan, np.nan], [np.nan, np.nan]))


def test_judges_see_the_groups_and_the_whole_table_with_those_left_out() -> None:
    table = GroupedTable(ROWS, GROUPS).class_table()
    assert (table.sizes.tolist(), table.rows) == ([3, 2], 5)
    held = table.sensitive["s"]
    # Rows are p, q, p, q, p, q.
    assert (held.offsets.tolist(), held.values.tolist(), held.counts.tolist()) == ([0, 1, 2], [0, 1], [3, 2])
    assert (held.totals.tolist(), held.labels, held.classes.tolist()) == ([3, 3], ("p", "q"), [0, 1])
