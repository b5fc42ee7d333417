"""Which box a tuple is in, and the margins of boxes."""

from __future__ import annotations

import numpy as np

from antifaz.kernels.boxes import add_margins, box_of

#: A box from (0, 0) to (2, 1), one from (3, 0) to (5, 5), one from (0, 3) to (1, 4).
BOXES = np.array([[[0, 2], [0, 1]], [[3, 5], [0, 5]], [[0, 1], [3, 4]]], np.int32)


def test_a_tuple_is_in_the_box_between_whose_ends_it_lies_or_in_none() -> None:
    places = np.array([[2, 1], [3, 0], [5, 5], [0, 3], [0, 0], [1, 4], [0, 2], [6, 5], [3, 6], [2, 3]], np.int32)
    into = np.full(10, -9, np.int32)
    box_of(places, BOXES, into)
    assert into.tolist() == [0, 1, 1, 2, 0, 2, -1, -1, -1, -1]


def test_margins_count_the_records_of_every_place_of_a_box() -> None:
    places = np.array([[2, 1], [3, 0], [5, 5], [0, 3], [9, 9], [0, 1]], np.int32)
    which = np.array([0, 1, 1, 2, -1, 0], np.int32)
    starts = np.array([[0, 3], [5, 8], [14, 16]])
    margins = np.zeros(18, np.int64)
    add_margins(places, np.array([1, 2, 4, 8, 32, 16]), which, BOXES, starts, margins)
    assert margins.tolist() == [16, 0, 1, 0, 17, 2, 0, 4, 2, 0, 0, 0, 0, 4, 8, 0, 8, 0]
