"""Microaggregation of frames."""

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

from antifaz.core.errors import DataError, ParameterError, SchemaError
from antifaz.counting.microaggregation import group_numbers
from antifaz.methods.operations.perturb import microaggregate
from failing import Like, failing, like, near
from unit.methods.clustering.test_mdav import METHODS

FEW = settings(deadline=None, max_examples=60)


def matrices(columns: int | None = None) -> st.SearchStrategy[np.ndarray]:
    """Small whole numbers, so that distances tie often."""
    width = st.integers(1, 3) if columns is None else st.just(columns)
    shape = st.tuples(st.integers(1, 40), width)
    return hnp.arrays(np.float64, shape, elements=st.integers(-4, 4).map(float))


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


def test_very_large_numbers_have_averages() -> None:
    frame = pa.table({"x": [1.7e308, 1.6e308, -1.7e308, -1.6e308]})
    released = microaggregate(frame, columns="x", k=2)["x"].to_pylist()
    assert released == pytest.approx([1.65e308, 1.65e308, -1.65e308, -1.65e308])
    assert microaggregate(frame, columns="x", k=4)["x"].to_pylist() == [0.0] * 4


@pytest.mark.parametrize(
    ("given_", "error", "words"),
    [
        ({"columns": "word"}, SchemaError, like("operation.column-not-numbers", name="word")),
        ({"columns": "flag"}, SchemaError, like("operation.column-not-numbers", name="flag", type="bool")),
        ({"columns": "agee"}, SchemaError, like("column.unknown", hint=near("age"))),
        ({"columns": "gap"}, DataError, like("operation.column-missing-values", name="gap", count=2)),
        ({"columns": "odd"}, DataError, like("operation.column-has-infinite-values", name="odd", count=2)),
        ({"columns": "huge"}, DataError, like("operation.whole-numbers-beyond-2-53", name="huge")),
        ({"columns": []}, ParameterError, "columns.none-named"),
        ({"columns": ["age", "age"]}, ParameterError, "columns.one-twice"),
        ({"k": 0}, ParameterError, like("declared.parameter-wrong", what="a whole number of at least 1")),
        ({"k": True}, ParameterError, like("declared.parameter-wrong", what="a whole number of at least 1")),
        ({"k": 1.5}, ParameterError, like("declared.parameter-wrong", what="a whole number of at least 1")),
        ({"k": 5}, ParameterError, like("operation.k-above-records", k=5, rows=4)),
        (
            {"method": "mdaf"},
            ParameterError,
            like("declared.parameter-wrong", what="one of mdav, optimal, single, pca, onedims (did you mean 'mdav'?)"),
        ),
        (
            {"aggregate": "men"},
            ParameterError,
            like("declared.parameter-wrong", what="one of mean, median, mode (did you mean 'mean'?)"),
        ),
        ({"columns": ["age", "pay"], "method": "optimal"}, ParameterError, "operation.optimal-needs-one-column"),
    ],
)
def test_what_can_not_be_done_is_said_in_a_sentence(given_: dict[str, Any], error: Any, words: str | Like) -> None:
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
    with failing(words, error):
        microaggregate(frame, **({"columns": "age", "k": 2} | given_))
