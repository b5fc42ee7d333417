"""Kernels of a few lines each: sums over classes, keys with blanks, boxes, swapped ranks."""

from __future__ import annotations

import numpy as np
import pytest

from antifaz.kernels.boxes import add_margins, box_of
from antifaz.kernels.classes import kept_marginals, order_cells
from antifaz.kernels.hilbert import hilbert_keys
from antifaz.kernels.keys import count_matching
from antifaz.kernels.swapping import swap_ranks


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


def matching(codes: list[list[int]], counts: list[int]) -> tuple[list[int], list[float]]:
    given, own = np.array(codes, np.int32), np.array(counts, np.int64)
    found, weighed = own.copy(), own * 0.5
    blank = np.flatnonzero((given < 0).any(axis=1))
    count_matching(given, blank, own, own * 0.5, found, weighed)
    return found.tolist(), weighed.tolist()


def test_a_blank_matches_anything_both_ways() -> None:
    found, weighed = matching([[0, 0], [0, 1], [-1, 1], [1, -1]], [1, 2, 4, 8])
    # (-, 1) matches (0, 1) and (1, -); (1, -) matches (-, 1) only.
    assert found == [1, 2 + 4, 4 + 2 + 8, 8 + 4]
    assert weighed == [0.5, 3.0, 7.0, 6.0]


def test_a_key_of_blanks_matches_all_and_code_zero_is_no_blank() -> None:
    assert matching([[-1, -1], [0, 5], [5, 0]], [1, 2, 4])[0] == [7, 3, 5]
    assert matching([[0, -1], [1, -1], [0, 7]], [1, 2, 4])[0] == [5, 2, 5]
    assert matching([[-1, 3], [-1, 4]], [1, 2])[0] == [1, 2]


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


def swapped(width: int, draws: list[float], n: int) -> list[int]:
    partners = np.arange(n)
    swap_ranks(width, np.array(draws), partners)
    return partners.tolist()


def test_ranks_are_paired_as_drawn_among_those_at_most_so_far_ahead() -> None:
    assert swapped(1, [0.0, 0.0], 4) == [1, 0, 3, 2]
    assert swapped(1, [0.9, 0.9], 5) == [1, 0, 3, 2, 4]
    # 0 draws the last of 1, 2; then 1 draws of what is left of 2, 3: 3.
    assert swapped(2, [0.99, 0.0], 4) == [2, 3, 0, 1]
    assert swapped(3, [0.34, 0.0], 4) == [2, 3, 0, 1]
    # Every pair takes the next draw: 0 the first of all, 2 the second of 5, 4, 3, and 3 what is left.
    assert swapped(5, [0.0, 0.4, 0.99], 6) == [1, 0, 4, 5, 2, 3]
    # A draw that rounds up to the whole pool takes the last.
    assert swapped(3, [1.0, 0.0], 4) == [3, 2, 1, 0]


def test_pairs_are_mutual_and_near() -> None:
    random = np.random.default_rng(5)
    for width in (1, 2, 5):
        partners = np.array(swapped(width, random.random(20).tolist(), 40))
        assert partners[partners].tolist() == list(range(40))
        assert np.abs(partners - np.arange(40)).max() <= width
        assert (partners == np.arange(40)).sum() <= 1


@pytest.mark.parametrize(("axes", "bits"), [(2, 3), (3, 2), (1, 4), (4, 1)])
def test_neighbours_on_the_curve_are_neighbours_in_space_and_no_cell_is_left_out(axes: int, bits: int) -> None:
    cells = np.indices((2**bits,) * axes).reshape(axes, -1).T.astype(np.uint32)
    keys = hilbert_keys(cells, bits)
    assert keys.shape[1] == 1
    places = keys[:, 0] >> np.uint64(64 - axes * bits)
    assert sorted(places.tolist()) == list(range(2 ** (axes * bits)))
    along = cells[np.argsort(places)].astype(int)
    assert (np.abs(np.diff(along, axis=0)).sum(axis=1) == 1).all()
    assert along[0].tolist() == [0] * axes


def test_a_place_beyond_64_bits_goes_on_in_the_next_word() -> None:
    keys = hilbert_keys(np.array([[0, 0, 0], [2**22 - 1, 0, 0], [5, 9, 70000]], np.uint32), 22)
    assert keys.shape == (3, 2)
    assert keys[0].tolist() == [0, 0]
    # The corner along the first axis is the curve's last cell: 66 ones.
    assert keys[1].tolist() == [2**64 - 1, 3 << 62]
    assert hilbert_keys(np.array([[1, 0]], np.uint32), 31).shape == (1, 1)
    # Exactly 64 bits are one word.
    assert hilbert_keys(np.array([[2**16 - 1, 0, 0, 0]], np.uint32), 16).tolist() == [[2**64 - 1]]
