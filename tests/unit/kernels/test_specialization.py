"""Partitions that are refined: by hand."""

from __future__ import annotations

import numpy as np

from antifaz.kernels.specialization import _divide, assign_partitions, split, survey, weigh


def ints(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


#: Five tuples of two attributes. Attribute 0: all codes at node 0, below it codes 0 and 1 at node 1, code 2 at node 2.
#: Attribute 1: all at node 3, and nothing below.
CODES = np.array([[0, 2, 1, 2, 0], [0, 0, 0, 0, 0]], np.int32)
AT = np.array([[0, 0, 0], [3, 3, 3]], np.int32)
BELOW = np.array([[1, 1, 2], [3, 3, 3]], np.int32)
COUNTS = ints(1, 2, 4, 8, 16)


def test_a_class_is_weighed_by_its_smallest_part_one_step_down() -> None:
    held, lowest, room = np.full((3, 2), -9, np.int32), np.full((3, 2), -9), np.zeros(4, np.int64)
    # Class 0 is tuples 4, 1, 3; class 1 is not asked about; class 2 is tuples 2, 0.
    order, begin, end = ints(4, 1, 3, 2, 0), ints(0, 0, 3), ints(3, 0, 5)
    weigh(ints(0, 2), order, begin, end, COUNTS, CODES, AT, BELOW, room, held, lowest)
    assert held.tolist() == [[0, 3], [-9, -9], [0, 3]]
    assert lowest.tolist() == [[10, 26], [-9, -9], [5, 5]]
    # A part may be a single record.
    weigh(ints(0), ints(0, 1), ints(0), ints(2), COUNTS, CODES, AT, BELOW, room, held, lowest)
    assert lowest[0].tolist() == [1, 3]
    assert room.tolist() == [0, 0, 0, 0]


def test_a_stretch_is_divided_by_node_and_parts_come_in_the_order_of_their_first() -> None:
    stretch, room, scratch = ints(1, 0, 3, 2, 4), np.zeros(4, np.int64), np.zeros(5, np.int64)
    assert _divide(stretch, BELOW[0], CODES[0], room, np.zeros(4, np.int64), scratch) == 2
    assert stretch.tolist() == [1, 3, 0, 2, 4]
    assert scratch[:2].tolist() == [2, 5]
    assert room.tolist() == [0, 0, 0, 0]


def _split(order: list[int], begin: list[int], end: list[int], sizes: list[int], held: list[list[int]]) -> list[object]:
    """Split the first two classes at node 0; return what was found, and the lists that changed."""
    room = [0, 0]  # for classes that are made
    lists = ints(*order), ints(*begin, *room), ints(*end, *room), ints(*sizes, *room)
    work = np.zeros(4, np.int64), np.zeros(4, np.int64), np.zeros(5, np.int64)
    touched = np.full(4, -9)
    chosen = np.array([True, False, False, False])
    nodes = np.array([*held, [0, 0], [0, 0]], np.int32)
    found = split(0, chosen, 2, *lists, COUNTS, CODES, BELOW, nodes, *work, touched)
    return [found, lists[0].tolist(), *(part[:3].tolist() for part in lists[1:]), touched[:2].tolist()]


def test_classes_that_hold_a_chosen_node_are_split_and_the_others_stay() -> None:
    found = _split([4, 1, 3, 2, 0], [0, 3], [3, 5], [26, 5], [[0, 3], [1, 3]])
    assert found == [(3, 2), [4, 1, 3, 2, 0], [0, 3, 1], [1, 5, 3], [16, 5, 10], [0, 2]]


def test_a_class_further_on_is_split_within_its_own_stretch() -> None:
    found = _split([0, 1, 2, 3, 4], [0, 1], [1, 5], [1, 30], [[1, 3], [0, 3]])
    assert found == [(3, 2), [0, 1, 3, 2, 4], [0, 1, 3], [1, 3, 5], [1, 10, 20], [1, 2]]


def test_a_node_is_as_good_as_the_worst_of_its_classes() -> None:
    held = np.array([[0, 2], [1, 2], [0, 2], [1, 3]], np.int32)
    lowest, sizes = np.array([[5, 7], [2, 3], [4, 9], [0, 0]]), ints(10, 20, 9, 1)
    parts, wholes = np.full(4, 99), np.full(4, 99)
    survey(3, held, lowest, sizes, parts, wholes)
    assert parts.tolist() == [4, 2, 3, 99]
    assert wholes.tolist() == [9, 20, 9, 99]


def test_records_are_dealt_out_by_splitmix_of_their_hash() -> None:
    counts, hashes = ints(3, 0, 40), np.array([0, 5, 2**63 + 1], np.uint64)
    out = np.zeros((3, 5), np.int64)
    assign_partitions(hashes, counts, out)
    expected = np.zeros((3, 5), np.int64)
    for i, (hashed, count) in enumerate(zip(hashes.tolist(), counts.tolist(), strict=True)):
        for j in range(count):
            mixed = (hashed + j * 0x9E3779B97F4A7C15) % 2**64
            mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 % 2**64
            mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB % 2**64
            expected[i, (mixed ^ mixed >> 31) % 5] += 1
    assert out.tolist() == expected.tolist()
