"""What became of the records at levels of hierarchies, all at the same or each group at its own."""

from __future__ import annotations

import numpy as np
import pytest

from antifaz.core.errors import ParameterError
from antifaz.counting.generalization import Generalization, LevelGroup, LocalGeneralization, part_of, tuples_within
from failing import failing
from oracles.counted import frequencies_of, lattice_of
from unit.counting.test_targets import ROWS

TREES = {
    "a": {"1": ["1", "12", "*"], "2": ["2", "12", "*"], "3": ["3", "3-", "*"]},
    "b": {"x": ["x", "*"], "y": ["y", "*"]},
}


def test_some_tuples_of_a_table_still_know_the_whole() -> None:
    frequencies = frequencies_of(ROWS, ["a", "b"], ["s"])
    some = part_of(frequencies, np.array([2, 0]))
    assert some.counts.tolist() == frequencies.counts[[2, 0]].tolist()
    cells = some.cells["s"]
    assert sorted(zip(cells.tuples.tolist(), cells.values.tolist(), cells.counts.tolist(), strict=True)) == [
        (0, 1, 2), (1, 0, 3),
    ]  # fmt: skip
    assert cells.totals.tolist() == [3, 3]
    assert frequencies.cells["s"].totals.tolist() == [3, 3]


def test_tuples_are_within_the_classes_that_are_kept() -> None:
    lattice = lattice_of(ROWS, TREES, ["s"])
    labels = lattice.codes((1, 0), np.arange(2))[0]
    kept = np.array([lattice.ladders[0].labels[1][code] == "12" for code in labels])
    within = tuples_within(lattice, (1, 0), kept)
    assert within.tolist() == [True, True, False]
    assert tuples_within(lattice, (1, 0), ~kept).tolist() == [False, False, True]
    alone = lattice_of([{"a": row["a"], "s": row["s"]} for row in ROWS], {"a": TREES["a"]}, ["s"])
    assert tuples_within(alone, (0,), np.array([False, True, False])).tolist() == [False, True, False]


def generalization() -> LocalGeneralization:
    """Return tuples 1 and 2 released at 12 and x, and tuple 3 at * and *."""
    lattice = lattice_of(ROWS, TREES, ["s"])
    return LocalGeneralization(lattice, [LevelGroup((1, 0), np.array([0, 1])), LevelGroup((2, 1), np.array([2]))])


def test_a_patchwork_has_the_classes_that_a_reader_sees() -> None:
    found = generalization()
    assert (found.rows, sorted(found.sizes.tolist()), found.suppressed) == (6, [2, 4], 0)
    assert found.mean_levels == ((4 * 1 + 2 * 2) / 6, 2 / 6)
    assert [[(level, counts.tolist()) for level, counts in found.records_by_level(a)] for a in (0, 1)] == [
        [(1, [4, 0]), (2, [2])], [(0, [4, 0]), (1, [2])],
    ]  # fmt: skip
    assert found.sums(lambda ladder, level: np.full(ladder.size(level), level + 1.0)) == [4 * 2 + 2 * 3, 4 * 1 + 2 * 2]
    by_size = dict(zip(found.sizes.tolist(), found.volumes.tolist(), strict=True))
    # 12 stands for two leaves, x for one; the stars for three and two.
    assert by_size == {4: 2.0, 2: 6.0}
    assert dict(zip(found.sizes.tolist(), found.majorities("s").tolist(), strict=True)) == {4: 3, 2: 2}
    # It has no class that is not kept.
    assert found.kept.tolist() == [True, True]
    assert found.lattice.rows == 6
    with failing("measure.needs-one-level-per-attribute", ParameterError):
        _ = found.marginals


def test_a_patchwork_shows_judges_its_classes() -> None:
    table = generalization().class_table()
    held = table.sensitive["s"]
    cells = {
        int(table.sizes[c]): dict(
            zip(held.values[held.classes == c].tolist(), held.counts[held.classes == c].tolist(), strict=True)
        )
        for c in range(2)
    }
    assert cells == {4: {0: 3, 1: 1}, 2: {1: 2}}
    assert sorted(np.diff(held.offsets).tolist()) == [1, 2]
    assert held.offsets.size == 3
    assert held.totals.tolist() == [3, 3]


def test_groups_with_the_same_labels_are_one_class_and_what_is_in_none_is_left_out() -> None:
    lattice = lattice_of(ROWS, TREES, ["s"])
    found = LocalGeneralization(lattice, [LevelGroup((2, 0), np.array([0])), LevelGroup((2, 0), np.array([1]))])
    assert (found.sizes.tolist(), found.suppressed) == ([4], 2)
    assert found.class_table().sensitive["s"].counts.tolist() == [3, 1]
    assert [codes.tolist() for codes in found.codes] == [[0, 1], [0, 0]]


def test_a_patchwork_of_nobody_has_no_classes() -> None:
    found = LocalGeneralization(lattice_of(ROWS, TREES, ["s"]), [LevelGroup((1, 0), np.zeros(0, np.int64))])
    assert (found.sizes.size, found.suppressed, found.majorities("s").size) == (0, 6, 0)


def test_a_generalization_counts_what_is_kept() -> None:
    lattice = lattice_of(ROWS, TREES, ["s"])
    sizes = lattice.sizes((1, 0))
    found = Generalization(lattice, (1, 0), sizes > 2)
    assert (found.sizes.tolist(), found.suppressed, found.rows, found.mean_levels) == ([4], 2, 6, (1, 0))
    assert [counts.tolist() for counts in found.marginals] == [[4, 0], [4, 0]]
    assert [counts.tolist() for counts in found.originals] == [[3, 1, 2], [4, 2]]
    assert found.sums(lambda ladder, level: np.full(ladder.size(level), level + 1.0)) == [8.0, 4.0]
    assert [(level, counts.tolist()) for level, counts in found.records_by_level(0)] == [(1, [4, 0])]
    assert found.volumes.tolist() == [2.0]
    assert found.majorities("s").tolist() == [3]
    assert found.tuple_information == pytest.approx(3 * np.log2(3) + 2)
    everyone = Generalization(lattice, (1, 0), np.ones(2, np.bool_))
    assert [counts.tolist() for counts in everyone.marginals] == [[4, 2], [4, 2]]
