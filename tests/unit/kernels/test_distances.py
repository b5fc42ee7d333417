"""Earth mover's distances, worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from antifaz.kernels.distances import hierarchical_distances, ordered_distances

#: Three classes over four values: {0: 2}, {1: 1, 3: 3}, {0: 1, 1: 1, 2: 1, 3: 1}.
OFFSETS = np.array([0, 1, 3, 7], np.int64)
VALUES = np.array([0, 1, 3, 0, 1, 2, 3], np.int32)
COUNTS = np.array([2, 1, 3, 1, 1, 1, 1], np.int64)
EVEN = np.full(4, 0.25)


def test_ordered_values_cost_as_many_steps_as_they_are_moved() -> None:
    out = np.full(3, -9.0)
    ordered_distances(OFFSETS, VALUES, COUNTS, EVEN, out)
    # Of three steps: 3/4 + 2/4 + 1/4 carried up; 1/4 + 1/4 + 2/4 carried up from below; nothing.
    assert out.tolist() == pytest.approx([1.5 / 3, 1.0 / 3, 0.0])


def test_ordered_values_of_an_uneven_table() -> None:
    out = np.full(3, -9.0)
    ordered_distances(OFFSETS, VALUES, COUNTS, np.array([0.5, 0.25, 0.125, 0.125]), out)
    assert out.tolist() == pytest.approx([(0.5 + 0.25 + 0.125) / 3, (0.5 + 0.5 + 0.625) / 3, (0.25 + 0.25 + 0.125) / 3])


def test_of_two_values_there_is_one_step() -> None:
    out = np.full(1, -9.0)
    ordered_distances(np.array([0, 1]), np.zeros(1, np.int32), np.array([5]), np.array([0.25, 0.75]), out)
    assert out.tolist() == [0.75]


def test_one_value_is_nowhere_far_from_itself() -> None:
    out = np.full(1, -9.0)
    ordered_distances(np.array([0, 1]), np.zeros(1, np.int32), np.array([5]), np.ones(1), out)
    assert out.tolist() == [0.0]


#: A tree: values 0 and 1 under node 0, 2 and 3 under node 1, both under the root.
PARENTS, STARTS = np.array([0, 0, 1, 1, 0, 0], np.int32), np.array([0, 4, 6], np.int64)


def test_mass_pays_for_the_height_of_the_common_ancestor() -> None:
    out = np.full(3, -9.0)
    hierarchical_distances(OFFSETS, VALUES, COUNTS, EVEN, PARENTS, STARTS, out)
    # 1/4 to a sibling at 1/2 and 2/4 through the root; class {1: 1/4, 3: 3/4}: 1/4 from sibling 2, 1/4 from value 0.
    assert out.tolist() == pytest.approx([0.25 * 0.5 + 0.5, 0.25 * 0.5 + 0.25, 0.0])


def test_nodes_may_be_numbered_with_gaps() -> None:
    out = np.full(3, -9.0)
    # The same tree: values 0 and 1 under node 3, 2 and 3 under node 1, and the root is the last node.
    parents, starts = np.array([3, 3, 1, 1, 3, 3, 3, 3], np.int32), np.array([0, 4, 8], np.int64)
    hierarchical_distances(OFFSETS, VALUES, COUNTS, EVEN, parents, starts, out)
    assert out.tolist() == pytest.approx([0.25 * 0.5 + 0.5, 0.25 * 0.5 + 0.25, 0.0])


def test_mass_that_stays_below_a_node_pays_half_only() -> None:
    out = np.full(1, -9.0)
    whole = np.array([0.5, 0.0, 0.125, 0.375])
    hierarchical_distances(np.array([0, 2]), np.array([1, 2], np.int32), np.array([3, 3]), whole, PARENTS, STARTS, out)
    assert out.tolist() == pytest.approx([0.5 * 0.5 + 0.375 * 0.5])


def test_without_a_level_above_all_is_one() -> None:
    out = np.full(3, -9.0)
    hierarchical_distances(OFFSETS, VALUES, COUNTS, EVEN, np.zeros(0, np.int32), np.zeros(1, np.int64), out)
    assert out.tolist() == [0.0, 0.0, 0.0]


def test_with_a_root_only_it_is_the_mass_that_moves() -> None:
    out = np.full(3, -9.0)
    hierarchical_distances(OFFSETS, VALUES, COUNTS, EVEN, np.zeros(4, np.int32), np.array([0, 4]), out)
    assert out.tolist() == pytest.approx([0.75, 0.5, 0.0])
