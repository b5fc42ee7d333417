"""Kolmogorov–Smirnov from counts, against scipy on the samples themselves."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from antifaz import ParameterError
from antifaz.core.types import DataType
from antifaz.counting.generalization import Generalization
from antifaz.utility import ks, ks_columns, ks_counts
from antifaz.utility.ks import chance
from failing import failing
from oracles.counted import lattice_of
from oracles.tables import TEN_PATIENTS, TEN_TREES

COUNTS = st.dictionaries(st.integers(-20, 20).map(float), st.integers(1, 9), min_size=1, max_size=12)


def arrays(counts: dict[float, int]) -> tuple[np.ndarray, np.ndarray]:
    return np.array(list(counts), np.float64), np.array(list(counts.values()), np.int64)


@settings(deadline=None, max_examples=150)
@given(COUNTS, COUNTS)
def test_the_same_as_scipy_finds_in_the_samples(before: dict[float, int], after: dict[float, int]) -> None:
    n, m = sum(before.values()), sum(after.values())
    assume(round(n * m / (n + m)))  # scipy has no answer for one record against one; ours is tested below
    distance, chance = ks_counts(*arrays(before), *arrays(after))
    samples = [np.repeat(*arrays(counts)) for counts in (before, after)]
    expected = stats.ks_2samp(*samples, method="asymp")
    assert distance == pytest.approx(expected.statistic, abs=1e-12)
    assert chance == pytest.approx(expected.pvalue, abs=1e-9)


def test_large_samples() -> None:
    random = np.random.default_rng(1)
    one, other = random.integers(0, 90, 30_000), random.integers(1, 90, 29_000)
    counted = [np.unique(sample, return_counts=True) for sample in (one, other)]
    found = ks_counts(*(part for values, counts in counted for part in (values.astype(np.float64), counts)))
    expected = stats.ks_2samp(one, other, method="asymp")
    assert found == (pytest.approx(expected.statistic, abs=1e-12), pytest.approx(expected.pvalue, rel=1e-6))


def test_a_release_is_compared_by_the_middle_of_what_is_under_its_labels() -> None:
    rows: list[dict[str, str | None]] = [{"edad": row["edad"]} for row in TEN_PATIENTS] * 10
    lattice = lattice_of(rows, {"edad": TEN_TREES["edad"]}, edad=DataType.INTEGER)
    released = Generalization(lattice, (1,), np.ones(3, np.bool_))
    samples = [int(str(row["edad"])) for row in rows], [24.5] * 40 + [34.5] * 30 + [45.0] * 30
    assert ks(released)["edad"] == pytest.approx(stats.ks_2samp(*samples, method="asymp").pvalue, abs=1e-9)
    some = Generalization(lattice, (1,), lattice.sizes((1,)) > 30)
    assert ks(some)["edad"] == pytest.approx(stats.ks_2samp(samples[0], [24.5] * 40, method="asymp").pvalue, abs=1e-9)


@pytest.mark.parametrize("points", [[5.0], [6.0]])
def test_one_record_against_one_has_a_p_value(points: list[float]) -> None:
    """Evidence is JSON, which has no NaN."""
    ones = np.array([1], np.int64)
    _, chance = ks_counts(np.array([5.0]), ones, np.array(points), ones)
    assert 0 <= chance <= 1


def test_nobody_left_is_as_far_as_can_be() -> None:
    none = np.zeros(0, np.float64), np.zeros(0, np.int64)
    some = np.array([5.0]), np.array([3], np.int64)
    assert ks_counts(*some, *none) == (1.0, 0.0)
    assert ks_counts(*none, *some) == (1.0, 0.0)


@settings(deadline=None, max_examples=50)
@given(COUNTS, COUNTS)
def test_two_frames_are_compared_column_by_column(before: dict[float, int], after: dict[float, int]) -> None:
    samples = [np.repeat(*arrays(counts)) for counts in (before, after)]
    tables = [pa.table({"x": [*sample, None], "t": ["a"] * (len(sample) + 1)}) for sample in samples]
    found = ks(*tables)
    assert list(found) == ["x"]
    assert found == ks_columns(*tables, columns="x")
    assert found["x"].statistic == pytest.approx(stats.ks_2samp(*samples).statistic, abs=1e-12)
    assert found["x"] == ks_counts(*arrays(before), *arrays(after))


def test_one_frame_alone_is_refused() -> None:
    with failing("ks.tables-missing", ParameterError):
        ks(pa.table({"x": [1]}))  # type: ignore[call-overload]


@pytest.mark.parametrize("size", [20_000, 60_000])
@pytest.mark.parametrize("far", [1.4, 1.49, 2.0, 4.0, 19.0, 25.0])
def test_large_samples_have_the_same_chance_as_scipy_gives_them(size: int, far: float) -> None:
    # So many records before as after, all at 0 but for those that make the distance.
    moved = round(far * (2 * size) / size**0.5)
    counts = np.array([2 * size], np.int64), np.array([2 * size - moved, moved], np.int64)
    distance, chance = ks_counts(np.zeros(1), counts[0], np.array([0.0, 1.0]), counts[1])
    assert distance == pytest.approx(moved / (2 * size))
    assert chance == pytest.approx(stats.kstwo.sf(distance, size), rel=1e-8, abs=1e-300)


@pytest.mark.parametrize("size", [1, 2, 7, 50, 139, 140, 141, 199, 1_500, 99_999, 100_001, 1_000_000])
def test_it_is_that_of_scipy(size: int) -> None:
    for far in (0.01, 0.1, 0.3, 0.5, 0.7, 1.0, 1.3, 1.48, 1.49, 1.9, 2.1, 4.0, 19.0):
        distance = min(far / size**0.5, 1.0)
        assert chance(distance, size) == pytest.approx(stats.kstwo.sf(distance, size), rel=1e-8, abs=1e-11), far


def test_two_samples_by_hand() -> None:
    # Of two places in the unit interval, both are within d of where they should be with the chance 2 (2d - 1/2)^2 …
    assert chance(0.4, 2) == pytest.approx(float(1 - 2 * Fraction(3, 10) ** 2))
    # … for d up to a half, and beyond it with the chance 1 - 2 (1 - d)^2.
    assert chance(0.7, 2) == pytest.approx(float(2 * Fraction(3, 10) ** 2))


def test_nothing_and_everything() -> None:
    assert chance(0.0, 5) == 1 and chance(1.0, 5) == pytest.approx(0, abs=1e-3)
    assert chance(0.04, 10) == 1  # no ten values lie so evenly
    assert chance(0.9, 10**9) == 0


def test_more_than_a_million() -> None:
    # The two tails overlap, which SciPy leaves out: 2 Σ (-1)^(j - 1) exp(-2 j² z²) is the limit.
    size, far = 4_000_000.0, 1.5
    j = np.arange(1, 20)
    limit = float(2 * ((-1.0) ** (j - 1) * np.exp(-2 * j**2 * far**2)).sum())
    assert chance(far / size**0.5, size) == pytest.approx(limit, abs=2e-5)
    assert chance(far / size**0.5, size) == pytest.approx(stats.kstwo.sf(far / size**0.5, size), abs=1e-7)
