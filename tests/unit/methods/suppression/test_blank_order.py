"""Which columns are blanked first."""

from __future__ import annotations

from antifaz.methods.suppression.blank_order import sets_in_order


def test_sets_come_smaller_first_and_by_the_column_kept_longest():
    assert sets_in_order(3, 100) == [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)]
    assert sets_in_order(3, 2) == [(0,), (1,), (0, 1, 2)]
