"""Students and salaries: same bytes for the same seed, moments as promised."""

from __future__ import annotations

import numpy as np
import pytest

from antifaz.core.errors import ParameterError
from antifaz.datasets import salaries, students
from antifaz.datasets.draws import SLOTS, Draws, log_normal, normal, weighted


def test_students() -> None:
    table = students()
    assert table.column_names == ["id", "participation", "exam", "practice", "year", "professor"]
    assert table.num_rows == len(set(table["id"].to_pylist())) == 500
    assert set(table["year"].to_pylist()) == set(range(2018, 2023))
    assert set(table["professor"].to_pylist()) == {f"P{i:02d}" for i in range(10)}
    for column in ("participation", "exam", "practice"):
        marks = table[column].to_numpy()
        assert marks.dtype == np.int64
        assert marks.min() >= 0 and marks.max() <= 10
        assert abs(marks.mean() - 6) < 0.3
        assert abs(marks.std() - 2) < 0.2


def test_salaries_have_the_known_moments() -> None:
    table = salaries()
    assert table.column_names == ["age", "salary"]
    assert table.num_rows == 148_651
    pay, age = table["salary"].to_numpy(), table["age"].to_numpy()
    assert pay.min() >= 0 and age.min() >= 0
    assert pay.mean() == pytest.approx(74_759, rel=0.01)
    assert pay.std() == pytest.approx(50_476, rel=0.01)
    assert age.mean() == pytest.approx(29.7, abs=0.3)
    assert age.std() == pytest.approx(14.5, abs=0.3)
    assert len(np.unique(pay)) > 0.3 * len(pay)


@pytest.mark.parametrize("make", [students, salaries])
def test_seeds(make) -> None:  # type: ignore[no-untyped-def]
    assert make(300, seed=4).equals(make(300, seed=4))
    assert not make(300, seed=4).equals(make(300, seed=5))
    assert make(0).num_rows == 0
    with pytest.raises(ParameterError):
        make(-1)


def test_draws_are_what_they_say() -> None:
    draws = Draws(1, 2)
    below = draws.below(60_000, 6)
    assert np.bincount(below).min() > 9_500 and len(np.bincount(below)) == 6
    table = weighted([1, 0, 3])
    assert len(table) == SLOTS
    assert np.bincount(table).tolist() == [SLOTS // 4, 0, 3 * SLOTS // 4]
    assert normal().mean() == pytest.approx(0, abs=1e-12)
    assert normal().std() == pytest.approx(1, abs=1e-3)
    assert np.median(log_normal(0.5)) == pytest.approx(1, abs=1e-3)
    picked = draws.pick_by(np.array([0, 1, 1, 0]), np.stack([weighted([1]), weighted([0, 1])]))
    assert picked.tolist() == [0, 1, 1, 0]
