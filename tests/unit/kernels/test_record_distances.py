"""Nearest records and people, against SciPy's distances and a table solved by hand."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist

from antifaz.kernels.record_distances import ALL, BLANK, SOME, nearest_people, nearest_records

NAN = np.nan


def _numbers(points: np.ndarray) -> tuple[np.ndarray, tuple[np.ndarray, ...]]:
    """Records of numbers as the kernels take them: every number is a label of its own."""
    rows, columns = points.shape
    codes = np.tile(np.arange(rows, dtype=np.int32)[:, None], (1, columns))
    labels = np.concatenate([np.stack([p, p, np.full(rows, float(SOME))], axis=1) for p in points.T])
    base = np.arange(columns + 1, dtype=np.int64) * rows
    return codes, (np.ones(columns, np.bool_), base, labels, np.zeros(rows * columns + 1, np.int64), np.zeros(0, int))


def test_numbers_are_as_far_as_scipy_says() -> None:
    random = np.random.default_rng(1)
    people, records = random.integers(0, 40, (60, 3)) / 40, random.integers(0, 40, (50, 3)) / 40
    far = cdist(people, records, "cityblock")
    codes, form = _numbers(records)
    assert np.allclose(nearest_records(people, codes, *form), np.sort(far, axis=1)[:, :2])
    nearest, owned = nearest_people(people, codes, *form)
    assert np.allclose(nearest, np.sort(far.T, axis=1)[:, :2])
    # Sums of fortieths are equal up to rounding, so ties are told with a margin.
    ties = np.isclose(far, far.min(axis=0))
    assert np.isclose(owned.sum(), 50)
    assert np.all((owned > 0) <= ties.any(axis=1))


def test_ties_share_a_record_and_twins_are_second() -> None:
    codes, form = _numbers(np.array([[0.0], [1.0]]))
    nearest, owned = nearest_people(np.array([[0.0], [0.0], [1.0]]), codes, *form)
    assert owned.tolist() == [0.5, 0.5, 1.0]
    assert nearest.tolist() == [[0.0, 0.0], [0.0, 1.0]]


def test_one_record_has_no_second() -> None:
    codes, form = _numbers(np.array([[0.25]]))
    assert nearest_records(np.array([[0.0]]), codes, *form).tolist() == [[0.25, np.inf]]


def test_what_each_kind_of_cell_costs() -> None:
    # Labels of a column on a scale: the stretch from 0.2 to 0.4, a blank, a star. Of categories: {0, 2}, missing, star.
    labels = np.array([[0.2, 0.4, SOME], [NAN, NAN, BLANK], [NAN, NAN, ALL]] * 2, float)
    covers, members = np.array([0, 0, 0, 0, 2, 3, 3]), np.array([0, 2, 3])
    scaled, base = np.array([True, False]), np.array([0, 3, 6])
    people = [(0.1, 0), (0.3, 1), (0.9, 2), (NAN, 3)]
    records = [(0, 0), (1, 1), (2, 2)]
    expected = [[0.1, 2, 0], [1, 2, 0], [0.5, 2, 0], [2, 0, 0]]
    for person, row in zip(people, expected, strict=True):
        for record, far in zip(records, row, strict=True):
            one = np.array([record], np.int32)
            found = nearest_records(np.array([person]), one, scaled, base, labels, covers, members)
            assert np.isclose(found[0, 0], far), (person, record)
