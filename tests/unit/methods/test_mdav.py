"""Microaggregation against its definition in plain Python, and by hand."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from statistics import median, multimode
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import antifaz
from antifaz.core.errors import DataError, ParameterError, PrivacyNotReached, SchemaError
from antifaz.kernels import microaggregation as kernels
from antifaz.methods.clustering.mdav import Mdav
from antifaz.methods.microaggregation import group_numbers
from antifaz.methods.operations.perturb import microaggregate
from antifaz.privacy import KAnonymity, LDiversity
from antifaz.testing import check_declaration

METHODS = ("mdav", "single", "pca")
FEW = settings(deadline=None, max_examples=60)


def matrices(columns: int | None = None) -> st.SearchStrategy[np.ndarray]:
    """Small whole numbers, so that distances tie often."""
    width = st.integers(1, 3) if columns is None else st.just(columns)
    shape = st.tuples(st.integers(1, 40), width)
    return hnp.arrays(np.float64, shape, elements=st.integers(-4, 4).map(float))


def mdav_in_python(values: np.ndarray, k: int) -> list[set[int]]:
    """The definition, word by word."""
    # Along memory, as in the code: another order of adding up could part columns that vary alike.
    spread = np.ascontiguousarray(values.T).var(axis=1)
    constant = values.max(axis=0) == values.min(axis=0)
    weights = np.where(constant, 0.0, 1.0 / np.where(constant, 1.0, spread))

    def far(a: np.ndarray, b: np.ndarray) -> float:
        total = 0.0
        for weight, x, y in zip(weights, a, b, strict=True):
            total += weight * (x - y) * (x - y)
        return total

    def nearest(seed: np.ndarray, among: list[int], first: int | None) -> list[int]:
        return sorted(among, key=lambda i: (i != first, far(values[i], seed), -i))[:k]

    left, groups = list(range(len(values))), []
    while len(left) >= 2 * k:
        many = len(left)
        centre = sum(values[i] for i in left) / many
        seed = max(left, key=lambda i: (far(values[i], centre), -i))
        other = max(left, key=lambda i: (far(values[i], values[seed]), -i))
        for point, first in [(seed, seed), (other, None)][: 2 if many >= 3 * k else 1]:
            groups.append(set(nearest(values[point], left, first)))
            left = [i for i in left if i not in groups[-1]]
    return [*groups, set(left)]


def members(groups: np.ndarray) -> list[set[int]]:
    return [set(np.flatnonzero(groups == g)) for g in range(int(groups.max()) + 1)]


# -- the groups


@FEW
@given(matrices(), st.integers(2, 5))
def test_mdav_follows_its_definition(values: np.ndarray, k: int) -> None:
    values = np.column_stack([values, values[:, 0] ** 2])
    if len(values) >= 2 * k:
        assert members(group_numbers(values, k, "mdav")) == mdav_in_python(values, k)


@pytest.mark.parametrize("k", [3, 70])
def test_the_nearest_are_those_of_a_full_sort(k: int) -> None:
    assert 3 <= kernels.FEW < 70  # one on either side
    random = np.random.default_rng(3)
    for _ in range(20):
        distances = random.integers(0, 40, 200).astype(np.float64)
        chosen = np.empty(k, np.int64)
        kernels._nearest(distances, 200, chosen)
        assert set(chosen) == set(np.lexsort((-np.arange(200), distances))[:k])


def test_mdav_with_many_in_a_group_follows_its_definition() -> None:
    values = np.random.default_rng(4).integers(0, 12, (300, 2)).astype(np.float64)
    assert members(group_numbers(values, 70, "mdav")) == mdav_in_python(values, 70)


@FEW
@given(matrices(), st.integers(1, 6), st.sampled_from(METHODS))
def test_groups_have_k_to_2k_less_one_rows(values: np.ndarray, k: int, method: Any) -> None:
    if k > len(values):
        return
    groups = group_numbers(values, k, method)
    sizes = np.bincount(groups)
    assert sizes.min() >= k
    assert sizes.max() <= max(2 * k - 1, 1)
    np.testing.assert_array_equal(groups, group_numbers(values, k, method))


@FEW
@given(st.lists(st.integers(-30, 30), min_size=1, max_size=14), st.integers(1, 4))
def test_optimal_loses_as_little_as_the_best_of_all_partitions(numbers: list[int], k: int) -> None:
    if k > len(numbers):
        return
    values = np.array(numbers, np.float64)
    groups = group_numbers(values[:, None], k, "optimal")
    sizes = np.bincount(groups)
    assert k <= sizes.min()
    assert sizes.max() <= max(2 * k - 1, 1)
    lost = sum(_squares(values[groups == g].tolist()) for g in range(sizes.size))
    assert lost == pytest.approx(_least(sorted(values.tolist()), k), abs=1e-9)
    assert lost <= _loss(values, group_numbers(values[:, None], k, "mdav")) + 1e-9


def _squares(part: list[float]) -> float:
    middle = sum(part) / len(part)
    return sum((x - middle) ** 2 for x in part)


def _least(ordered: list[float], k: int) -> float:
    """Try every partition of the sorted values into runs of at least k."""
    if not ordered:
        return 0.0
    return min(
        (
            _squares(ordered[:size]) + _least(ordered[size:], k)
            for size in range(k, len(ordered) + 1)
            if size == len(ordered) or len(ordered) - size >= k
        ),
        default=float("inf"),
    )


def _loss(values: np.ndarray, groups: np.ndarray) -> float:
    return sum(_squares(values[groups == g].tolist()) for g in range(int(groups.max()) + 1))


def test_optimal_by_hand() -> None:
    frame = pa.table({"x": [10, 1, 2, 11, 3, 12, 30]})
    released = microaggregate(frame, columns="x", k=3, method="optimal")
    # {1, 2, 3}, {10, 11, 12, 30}: no other cut leaves three on both sides and loses less.
    assert released["x"].to_pylist() == [15.75, 2, 2, 15.75, 2, 15.75, 15.75]


def test_the_remainder_joins_the_greatest_values() -> None:
    frame = pa.table({"x": [7, 1, 2, 3, 4, 5, 6]})
    assert microaggregate(frame, columns="x", k=3)["x"].to_pylist() == [5.5, 2, 2, 2, 5.5, 5.5, 5.5]


def test_single_sorts_by_the_first_column_named() -> None:
    frame = pa.table({"x": [1, 2, 3, 4], "y": [1, 9, 2, 8]})
    assert microaggregate(frame, columns=["y", "x"], k=2, method="single")["x"].to_pylist() == [2, 3, 2, 3]
    assert microaggregate(frame, columns=["x", "y"], k=2, method="single")["x"].to_pylist() == [1.5, 1.5, 3.5, 3.5]


# Powers of two, because any other factor would round, and rounding parts distances that tie.
@pytest.mark.parametrize("scale", [2.0**-1000, 0.5, 2.0**1010])
def test_the_unit_of_a_column_does_not_matter(scale: float) -> None:
    values = np.random.default_rng(5).integers(-100, 100, (60, 3)).astype(np.float64)
    units = values * np.array([scale, 1.0, 2.0**40])
    for method in METHODS:
        assert members(group_numbers(units, 4, method)) == members(group_numbers(values, 4, method))  # type: ignore[arg-type]


def test_the_component_has_the_sign_of_its_first_greatest_loading() -> None:
    # Of two columns that fall together both loadings are of one size: the first column's rises.
    values = np.array([[1.0, -1.0], [2.0, -2.0], [3.0, -3.0], [4.0, -4.0], [5.0, -5.0]])
    assert group_numbers(values, 2, "pca").tolist() == [0, 0, 1, 1, 1]
    assert group_numbers(-values, 2, "pca").tolist() == [1, 1, 1, 0, 0]


# -- the function


@FEW
@given(matrices(), st.integers(1, 5), st.sampled_from([*METHODS, "onedims"]))
def test_sums_are_kept_and_the_frame_is_not_changed(values: np.ndarray, k: int, method: Any) -> None:
    if k > len(values):
        return
    frame = pa.table({f"c{i}": column / 7 for i, column in enumerate(values.T)} | {"row": np.arange(len(values))})
    before = frame.to_pydict()
    names = frame.column_names[:-1]
    released = microaggregate(frame, columns=names, k=k, method=method)
    assert frame.to_pydict() == before
    assert released["row"].equals(frame["row"])
    assert released.equals(microaggregate(frame, columns=names, k=k, method=method, seed=1))
    for name in names:
        assert sum(released[name].to_pylist()) == pytest.approx(sum(frame[name].to_pylist()), abs=1e-9)
        assert min(Counter(released[name].to_pylist()).values()) >= k
    if method != "onedims":
        assert min(Counter(zip(*(released[name].to_pylist() for name in names), strict=True)).values()) >= k


@FEW
@given(matrices(2), st.integers(1, 6))
def test_medians_and_modes_are_those_of_the_groups(values: np.ndarray, k: int) -> None:
    if k > len(values):
        return
    frame = pa.table({"a": values[:, 0], "b": values[:, 1]})
    groups = group_numbers(values, k, "mdav")
    middle = microaggregate(frame, columns=["a", "b"], k=k, aggregate="median")
    often = microaggregate(frame, columns=["a", "b"], k=k, aggregate="mode")
    for c, name in enumerate("ab"):
        for row, group in enumerate(groups):
            part = values[groups == group, c].tolist()
            modes = multimode(part)
            assert middle[name][row].as_py() == median(part)
            assert often[name][row].as_py() == (modes[0] if len(modes) == 1 else median(part))


def _columns() -> dict[str, list[Any]]:
    return {"name": ["a", "b", "c", "d"], "age": [20, 21, 40, 44], "pay": [1.0, 2.0, 5.0, 6.5]}


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize("keep_type", [False, True])
def test_a_frame_comes_back_as_its_kind(make: Any, keep_type: bool) -> None:
    frame = make(_columns())
    released = microaggregate(frame, columns=["age", "pay"], k=2, keep_type=keep_type)
    assert type(released) is type(frame)
    found = {name: list(map(str if name == "name" else float, released[name].to_numpy())) for name in _columns()}
    ages = [20, 20, 42, 42] if keep_type else [20.5, 20.5, 42, 42]
    assert found == {"name": ["a", "b", "c", "d"], "age": ages, "pay": [1.5, 1.5, 5.75, 5.75]}
    if keep_type:
        assert released["age"].to_numpy().dtype == np.int64


def test_pandas_types_of_other_columns_are_kept() -> None:
    frame = pd.DataFrame({"n": pd.array([1, 2, 4, 5], "Int64"), "m": pd.array([1, None, 3, 4], "Int64")})
    frame["c"] = pd.Categorical(list("xyxy"))
    released = microaggregate(frame, columns="n", k=2)
    assert [str(kind) for kind in released.dtypes] == ["float64", "Int64", "category"]
    assert released["n"].tolist() == [1.5, 1.5, 4.5, 4.5]
    assert str(microaggregate(frame, columns="n", k=2, keep_type=True)["n"].dtype) == "Int64"
    assert str(frame["n"].dtype) == "Int64"


def test_types_that_can_be_kept() -> None:
    frame = pa.table(
        {
            "small": pa.array([1, 2, 100, 101], pa.uint8()),
            "price": pa.array([Decimal(x) for x in ("1.25", "3.50", "8.00", "9.00")], pa.decimal128(6, 2)),
            "short": pa.array([1, 2, 3, 4], pa.float32()),
        }
    )
    kept = microaggregate(frame, columns=frame.column_names, k=2, keep_type=True)
    assert kept.schema.equals(frame.schema)
    assert kept["small"].to_pylist() == [2, 2, 100, 100]
    assert kept["price"].to_pylist() == [Decimal("2.38"), Decimal("2.38"), Decimal("8.50"), Decimal("8.50")]


def test_fewer_than_2k_records_are_one_group_and_constant_columns_have_no_say() -> None:
    frame = pa.table({"x": [1.0, 2.0, 6.0], "same": [0.1, 0.1, 0.1]})
    for method in (*METHODS, "onedims"):
        released = microaggregate(frame, columns=["x", "same"], k=2, method=method)  # type: ignore[arg-type]
        assert released["x"].to_pylist() == [3.0] * 3
        assert released["same"].to_pylist() == [0.1] * 3
    many = np.random.default_rng(6).normal(size=(50, 2))
    wider = np.column_stack([many, np.full(50, 0.1)])
    assert members(group_numbers(wider, 4, "mdav")) == members(group_numbers(many, 4, "mdav"))
    assert np.bincount(group_numbers(np.full((50, 2), 0.1), 4, "mdav")).min() >= 4


def test_very_large_numbers_have_averages() -> None:
    frame = pa.table({"x": [1.7e308, 1.6e308, -1.7e308, -1.6e308]})
    released = microaggregate(frame, columns="x", k=2)["x"].to_pylist()
    assert released == pytest.approx([1.65e308, 1.65e308, -1.65e308, -1.65e308])
    assert microaggregate(frame, columns="x", k=4)["x"].to_pylist() == [0.0] * 4


@pytest.mark.parametrize(
    ("given_", "error", "words"),
    [
        ({"columns": "word"}, SchemaError, "'word' is not numbers"),
        ({"columns": "flag"}, SchemaError, "'flag' is not numbers but bool"),
        ({"columns": "agee"}, SchemaError, "did you mean 'age'"),
        ({"columns": "gap"}, DataError, "'gap' has 2 missing values"),
        ({"columns": "odd"}, DataError, "'odd' has 2 values that are infinite"),
        ({"columns": "huge"}, DataError, r"'huge' has whole numbers beyond 2\^53"),
        ({"columns": []}, ParameterError, "at least one column"),
        ({"columns": ["age", "age"]}, ParameterError, "twice"),
        ({"k": 0}, ParameterError, "at least 1"),
        ({"k": True}, ParameterError, "whole number"),
        ({"k": 1.5}, ParameterError, "whole number"),
        ({"k": 5}, ParameterError, "k = 5 is more than the 4 records"),
        ({"method": "mdaf"}, ParameterError, "did you mean 'mdav'"),
        ({"aggregate": "men"}, ParameterError, "did you mean 'mean'"),
        ({"columns": ["age", "pay"], "method": "optimal"}, ParameterError, "'optimal' is for one column"),
    ],
)
def test_what_can_not_be_done_is_said_in_a_sentence(given_: dict[str, Any], error: Any, words: str) -> None:
    frame = pa.table(
        {
            "age": [20, 30, 40, 50],
            "pay": [1.0, 2.0, 3.0, 4.0],
            "word": ["a", "b", "c", "d"],
            "flag": [True, False, True, False],
            "gap": [1, None, 3, None],
            "odd": [1.0, float("inf"), float("nan"), 2.0],
            "huge": [2**60 + 1, 1, 2, 3],
        }
    )
    with pytest.raises(error, match=words):
        microaggregate(frame, **({"columns": "age", "k": 2} | given_))


# -- the method


def test_the_declaration_is_complete() -> None:
    check_declaration(Mdav)
    assert Mdav().release == "mean"


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("keep_type", [False, True])
def test_salaries_are_released_in_groups_of_k(method: str, keep_type: bool) -> None:
    people = antifaz.datasets.salaries(600, seed=1)
    people = people.append_column("row", pa.array(range(600)))
    release = antifaz.anonymize(
        people,
        roles={"age": "quasi-identifier", "salary": "quasi-identifier"},
        privacy=KAnonymity(5),
        method=Mdav(method=method, keep_type=keep_type),
        seed=1,
    )
    rows = release.frame.sort_by("row")
    assert rows.num_rows == 600
    alike = Counter(zip(rows["age"].to_pylist(), rows["salary"].to_pylist(), strict=True))
    assert min(alike.values()) >= 5
    known = microaggregate(people, columns=["age", "salary"], k=5, method=method)  # type: ignore[arg-type]
    for name in ("age", "salary"):
        found = np.array(rows[name].to_pylist(), np.float64)
        np.testing.assert_allclose(found, known[name].to_numpy(), rtol=1e-9, atol=0.5 if keep_type else 1e-9)


def test_optimal_and_other_releases_go_through_the_gate() -> None:
    people = antifaz.datasets.salaries(300, seed=2).select(["salary"])
    for method in (Mdav(method="optimal"), Mdav(release="interval"), Mdav(release="median")):
        release = antifaz.anonymize(
            people, roles={"salary": "quasi-identifier"}, privacy=KAnonymity(4), method=method, seed=1
        )
        assert min(Counter(release.frame["salary"].to_pylist()).values()) >= 4


@pytest.mark.parametrize(
    ("method", "qis", "privacy", "error", "words"),
    [
        (Mdav(), ["age", "city"], KAnonymity(2), ParameterError, "'city' is text"),
        (Mdav(), ["gap"], KAnonymity(2), DataError, "'gap' has 1 values that are missing"),
        (Mdav(method="optimal"), ["age", "pay"], KAnonymity(2), ParameterError, "there are 2"),
        (Mdav(), ["age"], KAnonymity(7), PrivacyNotReached, "k = 7"),
        (Mdav(), ["age"], [KAnonymity(2), LDiversity(2, attribute="city")], PrivacyNotReached, "diversity"),
    ],
)
def test_the_method_says_what_it_can_not_do(method: Mdav, qis: list[str], privacy: Any, error: Any, words: str) -> None:
    frame = pa.table({"age": [1, 2, 30, 40], "pay": [1, 2, 3, 5], "city": ["a", "a", "b", "b"], "gap": [1, 2, None, 4]})
    roles = dict.fromkeys(qis, "quasi-identifier")
    if not isinstance(privacy, KAnonymity):
        roles["city"] = "sensitive"
    with pytest.raises(error, match=words):
        antifaz.anonymize(frame, roles=roles, privacy=privacy, method=method, seed=1)
