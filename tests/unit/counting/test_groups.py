"""What is known of records that are released in groups."""

from __future__ import annotations

import numpy as np

from antifaz.core.types import DataType
from antifaz.counting.groups import GroupedTable
from unit.counting.test_records import rows_of

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
