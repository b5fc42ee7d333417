"""Noise: its moments against theory, its bounds, its edges.

Bounds are five standard errors of what is measured, and seeds are fixed: what passes once passes always.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

import antifaz as az
from antifaz.core.errors import DataError, ParameterError
from failing import failing

N = 4_000
SEEDS = range(12)


def salaries(n: int = N) -> np.ndarray:
    return np.random.default_rng(7).lognormal(10, 0.5, n)


def correlated(n: int = N) -> np.ndarray:
    mix = np.array([[1.0, 0.0, 0.0], [0.8, 0.6, 0.0], [-0.5, 0.3, 0.4]])
    return np.random.default_rng(8).normal(size=(n, 3)) @ mix.T * [1.0, 1000.0, 1e-3] + [5.0, 7.0, 0.0]


def table(values: np.ndarray) -> pa.Table:
    return pa.table({f"x{i}": column for i, column in enumerate(values.T)})


def matrix(frame: pa.Table) -> np.ndarray:
    return np.column_stack([frame[name].to_numpy() for name in frame.column_names])


# -- additive


@pytest.mark.parametrize("p", [0.05, 0.2, 1.5])
def test_additive_noise_has_mean_0_and_p_standard_deviations(p: float) -> None:
    x = salaries()
    frame = pa.table({"x": x})
    sd = np.sqrt(((x - x.mean()) ** 2).sum() / (N - 1))
    for seed in SEEDS:
        noise = az.perturb.additive_noise(frame, columns="x", p=p, seed=seed)["x"].to_numpy() - x
        assert abs(noise.mean()) < 5 * p * sd / np.sqrt(N)
        assert abs(noise.std(ddof=1) / (p * sd) - 1) < 5 / np.sqrt(2 * N)
        assert stats.kstest(noise / (p * sd), "norm").pvalue > 1e-6
        assert abs(np.corrcoef(noise, x)[0, 1]) < 5 / np.sqrt(N)


def test_columns_get_noise_of_their_own() -> None:
    x = np.arange(N, dtype=float)
    frame = pa.table({"a": x, "b": x})
    together = az.perturb.additive_noise(frame, columns=["a", "b"], seed=1)
    apart = [az.perturb.additive_noise(frame, columns=name, seed=1)[name].to_numpy() for name in "ab"]
    noise = [together["a"].to_numpy() - x, together["b"].to_numpy() - x]
    assert abs(np.corrcoef(noise)[0, 1]) < 5 / np.sqrt(N)
    # The same values and the same seed are the same call.
    np.testing.assert_array_equal(apart[0], apart[1])


def test_noise_can_not_be_taken_off_by_who_guesses_the_seed() -> None:
    x = salaries()
    other = x.copy()
    other[0] += 1.0
    noise = [
        az.perturb.additive_noise(pa.table({"x": values}), columns="x", seed=1)["x"].to_numpy() - values
        for values in (x, other)
    ]
    assert abs(np.corrcoef(noise)[0, 1]) < 5 / np.sqrt(N)
    known = np.random.default_rng(1).standard_normal(N)
    assert abs(np.corrcoef(noise[0], known)[0, 1]) < 5 / np.sqrt(N)


def test_without_a_seed_every_call_is_another() -> None:
    frame = pa.table({"x": salaries(50)})
    assert not az.perturb.additive_noise(frame, columns="x").equals(az.perturb.additive_noise(frame, columns="x"))


def test_no_noise_is_no_change() -> None:
    frame = pa.table({"x": salaries(50)})
    assert az.perturb.additive_noise(frame, columns="x", p=0, seed=1).equals(frame)


# -- correlated


def test_correlated_noise_has_p_squared_times_the_covariance() -> None:
    x = correlated()
    units = x.std(axis=0, ddof=1)
    expected = 0.25 * np.corrcoef(x.T)
    for seed in SEEDS:
        made = matrix(az.perturb.correlated_noise(table(x), columns=["x0", "x1", "x2"], p=0.5, seed=seed))
        noise = (made - x) / units
        # Var of a sample covariance is (s_ij² + s_ii·s_jj) / (n - 1), at most 2·(p²)² / (n - 1) here.
        assert np.abs(np.cov(noise.T) - expected).max() < 5 * 0.25 * np.sqrt(2 / (N - 1))
        assert np.abs(noise.mean(axis=0)).max() < 5 * 0.5 / np.sqrt(N)


@pytest.mark.parametrize("p", [0.1, 1.0])
def test_restored_means_and_covariances_are_those_of_the_data(p: float) -> None:
    x = correlated(300)
    units = x.std(axis=0, ddof=1)
    for seed in SEEDS:
        made = matrix(az.perturb.correlated_noise(table(x), columns=["x2", "x0", "x1"], p=p, restore=True, seed=seed))
        np.testing.assert_allclose(made.mean(axis=0), x.mean(axis=0), rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(np.cov((made / units).T), np.cov((x / units).T), rtol=0, atol=1e-10)
        # It was changed, and is still the data: the noise is p of it before restoring.
        agree = [np.corrcoef(made[:, j], x[:, j])[0, 1] for j in range(3)]
        np.testing.assert_allclose(agree, 1 / np.sqrt(1 + p * p), atol=5 / np.sqrt(300))


@pytest.mark.parametrize("restore", [False, True])
def test_columns_that_follow_from_others_still_do(restore: bool) -> None:
    x = correlated(200)[:, :2]
    wide = np.column_stack([x, x[:, 0] * 2 + 1, np.full(200, 0.1)])
    made = matrix(az.perturb.correlated_noise(table(wide), columns=["x0", "x1", "x2", "x3"], restore=restore, seed=3))
    np.testing.assert_allclose(made[:, 2], made[:, 0] * 2 + 1, rtol=1e-9)
    assert (made[:, 3] == 0.1).all()
    assert (made[:, 0] != x[:, 0]).all()


def test_with_fewer_rows_than_columns_moments_are_restored_too() -> None:
    x = np.random.default_rng(3).normal(size=(4, 6))
    made = matrix(az.perturb.correlated_noise(table(x), columns=[f"x{i}" for i in range(6)], restore=True, seed=1))
    np.testing.assert_allclose(np.cov(made.T), np.cov(x.T), atol=1e-9)
    np.testing.assert_allclose(made.mean(axis=0), x.mean(axis=0), atol=1e-12)


def test_correlated_noise_of_rows_with_gaps() -> None:
    x = correlated()
    frame = table(x)
    gaps = np.arange(N) % 5 == 0
    frame = frame.set_column(0, "x0", pa.array(x[:, 0], mask=gaps))
    made = az.perturb.correlated_noise(frame, columns=["x0", "x1"], seed=1)
    assert (made["x0"].is_null().to_numpy() == gaps).all()
    assert made["x1"].null_count == 0
    noise = made["x1"].to_numpy() - x[:, 1]
    assert (noise != 0).all()
    assert abs(noise.std() / (0.2 * x[~gaps, 1].std()) - 1) < 5 / np.sqrt(2 * N)
    both = np.corrcoef(noise[~gaps], made["x0"].drop_null().to_numpy() - x[~gaps, 0])[0, 1]
    assert abs(both - np.corrcoef(x[~gaps].T)[0, 1]) < 5 / np.sqrt(0.8 * N)
    with failing("operation.column-missing-values", DataError, who="correlated-noise", name="x0", count=800):
        az.perturb.correlated_noise(frame, columns=["x0", "x1"], restore=True, seed=1)
    never = pa.table({"a": [1.0, None, 3.0, None], "b": [None, 2.0, None, 4.0]})
    with failing("operation.too-few-rows-to-correlate", DataError):
        az.perturb.correlated_noise(never, columns=["a", "b"], seed=1)


# -- multiplicative


def truncated_sd(p: float) -> float:
    """The standard deviation of N(1, p²) cut to (0, 2), from SciPy."""
    return float(stats.truncnorm(-1 / p, 1 / p, loc=1, scale=p).std())


@pytest.mark.parametrize(("kind", "p"), [("normal", 0.1), ("normal", 0.9), ("lognormal", 0.1), ("lognormal", 0.9)])
def test_factors_have_mean_1_and_standard_deviation_p(kind: str, p: float) -> None:
    x = salaries()
    for seed in SEEDS:
        made = az.perturb.multiplicative_noise(pa.table({"x": x}), columns="x", kind=kind, p=p, seed=seed)
        factors = made["x"].to_numpy() / x
        assert (factors > 0).all()
        assert abs(factors.mean() - 1) < 5 * p / np.sqrt(N)
        if kind == "normal":
            assert (factors < 2).all()
            assert stats.kstest(factors, stats.truncnorm(-1 / p, 1 / p, loc=1, scale=p).cdf).pvalue > 1e-6
            assert abs(factors.std() / truncated_sd(p) - 1) < 5 / np.sqrt(2 * N)
        else:
            s = np.sqrt(np.log1p(p * p))
            assert stats.kstest(np.log(factors), stats.norm(-s * s / 2, s).cdf).pvalue > 1e-6


def test_zero_and_signs_stay_under_factors() -> None:
    frame = pa.table({"x": [0.0, -3.0, 4.0] * 100})
    made = az.perturb.multiplicative_noise(frame, columns="x", p=1, seed=1)["x"].to_numpy()
    np.testing.assert_array_equal(np.sign(made), [0, -1, 1] * 100)


def test_normal_factors_have_a_widest_and_log_normal_ones_have_none() -> None:
    frame = pa.table({"x": [1.0, 2.0]})
    with failing(
        "declared.parameter-wrong",
        ParameterError,
        where="p",
        what="at most 1 where the factor is normal; take kind='lognormal' for more",
    ):
        az.perturb.multiplicative_noise(frame, columns="x", p=1.5)
    assert az.perturb.multiplicative_noise(frame, columns="x", p=1.5, kind="lognormal").num_rows == 2


# -- bounds and types


NOISES: list[tuple[str, dict[str, Any]]] = [
    ("additive_noise", {"p": 2.0}),
    ("correlated_noise", {"p": 2.0}),
    ("correlated_noise", {"p": 2.0, "restore": True}),
    ("multiplicative_noise", {"p": 0.9}),
    ("multiplicative_noise", {"p": 3.0, "kind": "lognormal"}),
]


@pytest.mark.parametrize(("name", "given"), NOISES)
@pytest.mark.parametrize("bounds", [{"low": 0}, {"high": 50.5}, {"low": 0.5, "high": 70.2}])
@pytest.mark.parametrize("at_bounds", ["reflect", "clip"])
@pytest.mark.parametrize("keep_type", [True, False])
def test_bounds_hold(name: str, given: dict[str, Any], bounds: dict[str, Any], at_bounds: str, keep_type: bool) -> None:
    frame = az.datasets.salaries(500, seed=3).select(["age"])
    made = getattr(az.perturb, name)(
        frame, columns="age", seed=2, keep_type=keep_type, at_bounds=at_bounds, **bounds, **given
    )
    assert made.schema.types == [pa.int64() if keep_type else pa.float64()]
    values = made["age"].to_numpy()
    low, high = bounds.get("low", -np.inf), bounds.get("high", np.inf)
    assert low <= values.min()
    assert values.max() <= high
    on = np.isin(values, [low, high]).mean()
    if not keep_type:
        assert (on > 0.02) if at_bounds == "clip" and name == "additive_noise" else True
        assert on == 0 or at_bounds == "clip" or name == "multiplicative_noise"


def test_reflection_by_hand() -> None:
    from antifaz.methods.operations.noise import within

    given = np.array([-3.0, 0.0, 4.0, 10.0, 12.0, 23.0, -21.0])
    np.testing.assert_array_equal(within(given, 0, 10, True), [3, 0, 4, 10, 8, 3, 1])
    np.testing.assert_array_equal(within(given, 0, np.inf, True), [3, 0, 4, 10, 12, 23, 21])
    np.testing.assert_array_equal(within(given, -np.inf, 10, True), [-3, 0, 4, 10, 8, -3, -21])
    np.testing.assert_array_equal(within(given, 0, 10, False), [0, 0, 4, 10, 10, 10, 0])


def test_bounds_without_a_whole_number_between_them() -> None:
    frame = pa.table({"age": [1, 2, 3]})
    with failing("operation.no-number-from-low-to-high", ParameterError, column="age"):
        az.perturb.additive_noise(frame, columns="age", low=1.2, high=1.8, keep_type=True)
    made = az.perturb.additive_noise(frame, columns="age", low=1.2, high=1.8)["age"].to_numpy()
    assert ((made >= 1.2) & (made <= 1.8)).all()


def test_whole_numbers_are_the_rounded_ones() -> None:
    frame = az.datasets.salaries(300, seed=3).select(["age"])
    loose = az.perturb.additive_noise(frame, columns="age", seed=5)["age"].to_numpy()
    whole = az.perturb.additive_noise(frame, columns="age", seed=5, keep_type=True)["age"].to_numpy()
    np.testing.assert_array_equal(whole, np.rint(loose))


def test_a_type_too_narrow_is_said() -> None:
    frame = pa.table({"age": pa.array([0, 1, 2, 250, 255], pa.uint8())})
    with failing("operation.result-beyond-type", DataError, column="age", kind="uint8"):
        az.perturb.additive_noise(frame, columns="age", p=2, seed=1, keep_type=True)
    made = az.perturb.additive_noise(frame, columns="age", p=2, seed=1, keep_type=True, low=0, high=255)
    assert made.schema.equals(frame.schema)


def test_numbers_of_any_size_get_noise() -> None:
    small = pa.table({"x": [1e-300, 2e-300, 4e-300]})
    made = az.perturb.additive_noise(small, columns="x", p=0.2, seed=1)["x"].to_numpy()
    assert (np.abs(made / small["x"].to_numpy() - 1) > 0).all()
    assert np.abs(made).max() < 1e-299
    large = pa.table({"x": [1e200, -1e200, 3e200]})
    noise = az.perturb.additive_noise(large, columns="x", p=0.2, seed=1)["x"].to_numpy() - large["x"].to_numpy()
    assert 1e198 < np.abs(noise).max() < 2e200
    beyond = pa.table({"x": [1.7e308, -1.7e308, 1.6e308]})
    with failing("operation.result-not-finite", DataError):
        az.perturb.additive_noise(beyond, columns="x", p=5, seed=1)
    with failing("operation.result-not-finite", DataError):
        az.perturb.correlated_noise(beyond, columns="x", p=5, seed=1)
