"""What is known of a grouping of which no record is held any more."""

from __future__ import annotations

import numpy as np

from antifaz.counting.piecewise import OutOfCoreTable, Tally


def test_a_grouping_decided_part_by_part_knows_sizes_only() -> None:
    pieces = OutOfCoreTable(rows=9, class_sizes=np.array([3, 4], np.int64), attributes=1, penalties=0.0)
    # There may be millions: they are not written out.
    assert "class_sizes" not in repr(pieces)
    assert (pieces.count, pieces.suppressed, pieces.ladders, pieces.levels) == (2, 2, (), ())
    assert pieces.class_table().sizes.tolist() == [3, 4]
    assert pieces.class_table().sensitive == {}


def test_sizes_are_tallied() -> None:
    tally = Tally.of(np.array([3, 1, 3, 2], np.int64))
    assert (tally.sizes.tolist(), tally.times.tolist()) == ([1, 2, 3], [1, 1, 2])
    assert (tally.classes, tally.records) == (4, 9)
    assert [tally.below(k) for k in (1, 2, 3, 4)] == [0, 1, 3, 9]
