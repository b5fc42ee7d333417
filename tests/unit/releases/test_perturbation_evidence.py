"""What is measured of perturbed columns: nothing is lost, and nobody can be read off."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.releases.perturbation_evidence import bars, error_curve, measured

#: Values that would be recognized anywhere, one of them far from all others.
CANARIES = (98_765.4321, 7_654.321_98)


def sample(size: int = 400) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(1)
    before = random.normal(500, 100, size)
    before[:2] = CANARIES
    return before, before + random.normal(0, 20, size)


NUMBERS = st.lists(st.floats(-1e6, 1e6) | st.integers(-3, 3).map(float), min_size=10, max_size=120)


@settings(deadline=None, max_examples=150)
@given(NUMBERS, NUMBERS)
def test_no_bar_stands_for_a_few_and_none_is_lost(before: list[float], after: list[float]) -> None:
    found = bars(np.array(before), np.array(after))
    assert found is not None
    for counts, values in ((found.before, before), (found.after, after)):
        assert counts.sum() == len(values)
        assert all(count == 0 or count >= 5 for count in counts)
    assert (np.diff(found.edges) > 0).all()
    # Between edges that are not the outermost, the bars hold what lies there.
    for low, high, count in list(zip(found.edges[:-1], found.edges[1:], found.before, strict=True))[1:-1]:
        assert count == sum(low <= value < high for value in before)


def test_the_axis_does_not_tell_the_extremes() -> None:
    before, after = sample()
    found = bars(before, after)
    assert found is not None
    assert found.edges[-1] < 1_000 < min(CANARIES)
    assert found.edges[0] > 0
    assert found.before[-1] >= 5


def test_the_curve_is_made_of_means_of_sorted_errors() -> None:
    before = np.arange(20.0)
    curve = error_curve(before, before + np.array([3.0, -1.0] * 10))
    assert curve is not None
    assert curve.tolist() == [1, 1, 3, 3]
    long = error_curve(np.zeros(1_234), np.arange(1_234.0))
    assert long is not None
    assert (long.size, long[0]) == (100, pytest.approx(np.arange(12).mean(), abs=0.5))
    assert (np.diff(long) > 0).all()


def test_a_column_says_as_much_as_its_type_allows() -> None:
    before = pa.table({"x": range(50), "team": ["a", "b"] * 25, "same": [3] * 50})
    after = pa.table({"x": range(1, 51), "team": ["a", "a"] * 25, "same": [3] * 50})
    columns = {name: column.document() for name, column in measured(before, after).items()}
    assert columns["team"] == {"changed": 0.5}
    assert list(columns["x"]) == [
        "changed", "interval_risk", "mean_moved", "sd_times", "il1s", "histogram", "errors",
    ]  # fmt: skip
    # Nothing can be said in standard deviations where there is none.
    assert (columns["same"]["mean_moved"], columns["same"]["sd_times"]) == (None, None)
    assert "il1s" not in columns["same"]
    assert measured(None, None) == {}
