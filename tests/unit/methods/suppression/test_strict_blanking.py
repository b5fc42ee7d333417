"""Blanking where a blank is a value of its own."""

from __future__ import annotations

import numpy as np

from antifaz.methods.suppression.strict_blanking import gather_rare, merge_failing


def test_where_nobody_can_spare_a_record_classes_are_joined():
    # Two classes of exactly 2 and one record: it must join one of them.
    codes, counts = np.array([[0, 0], [1, 1], [1, 2]], np.int32), np.array([2, 2, 1])
    gathered = merge_failing(gather_rare(codes, counts, 2, np.arange(2)), lambda parts: parts.sizes >= 2)
    assert sorted(gathered.sizes.tolist()) == [2, 3]
    assert sorted(gathered.labels.tolist()) == [[0, 0], [1, -1]]
