"""Sums over the classes of a generalized table."""

from __future__ import annotations

import numpy as np

from antifaz.kernels.classes import kept_marginals, order_cells


def test_kept_records_are_counted_per_attribute_and_code() -> None:
    # Two attributes in two words: two bits from bit 4 of word 0, two bits from bit 0 of word 1.
    keys = np.array([[0 << 4 | 1, 2], [3 << 4, 1], [2 << 4, 1], [3 << 4, 2]], np.uint64)
    out = np.zeros(7, np.int64)
    kept_marginals(
        keys, np.array([1, 2, 4, 8]), np.array([True, True, False, True]), np.array([0, 1]),
        np.array([4, 0], np.uint64), np.array([3, 3], np.uint64), np.array([0, 4]), out,
    )  # fmt: skip
    assert out.tolist() == [1, 0, 0, 10, 0, 2, 9]


def test_cells_of_one_class_come_to_stand_together_in_their_order() -> None:
    out = np.full(5, -9, np.int64)
    offsets = np.array([0, 2, 2, 5], np.int64)
    order_cells(np.array([2, 0, 2, 0, 2]), offsets, out)
    assert out.tolist() == [1, 3, 0, 2, 4]
    assert offsets.tolist() == [0, 2, 2, 5]
