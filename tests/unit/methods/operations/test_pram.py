"""PRAM: the matrices against theory and by hand, the draws against the matrices."""

from __future__ import annotations

import datetime
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import antifaz as az
from antifaz.core.errors import ParameterError, SchemaError
from failing import Like, failing, like, near

N = 6_000
SEEDS = range(8)
COLOURS = ["red"] * 6 + ["blue"] * 3 + ["green"]


def colours(n: int = N) -> pa.Table:
    codes = np.random.default_rng(4).permutation(np.arange(n) % 10)
    return pa.table({"colour": [COLOURS[code] for code in codes], "town": ["a" if c % 2 else "b" for c in codes]})


def found(before: pa.Table, after: pa.Table, name: str = "colour") -> dict[str, dict[str, float]]:
    pairs = Counter(zip(before[name].to_pylist(), after[name].to_pylist(), strict=True))
    totals = Counter(before[name].to_pylist())
    rows: dict[str, dict[str, float]] = {}
    for (old, new), times in pairs.items():
        rows.setdefault(old, {})[new] = times / totals[old]
    return rows


def as_drawn(before: pa.Table, after: pa.Table, matrix: dict[str, dict[str, float]]) -> None:
    """Each share that was drawn is within five standard errors of its probability, and nothing impossible was."""
    totals = Counter(before["colour"].to_pylist())
    for old, row in found(before, after).items():
        assert set(row) <= set(matrix[old])
        for new, chance in matrix[old].items():
            error = np.sqrt(chance * (1 - chance) / totals[old])
            assert abs(row.get(new, 0.0) - chance) <= 5 * error + 1e-12


GIVEN = {"red": {"red": 0.7, "blue": 0.3}, "blue": {"blue": 0.5, "green": 0.5}, "green": {"red": 1}}


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"keep": 0.3},
        {"keep": 0.5, "invariant": False},
        {"matrix": GIVEN},
        {"matrix": GIVEN, "invariant": True},
    ],
)
def test_values_change_as_the_matrix_says(given: dict[str, Any]) -> None:
    frame = colours()
    matrix = az.perturb.pram_matrix(frame, "colour", **given)["colour"]
    for row in matrix.values():
        assert sum(row.values()) == pytest.approx(1)
    for seed in SEEDS:
        as_drawn(frame, az.perturb.pram(frame, columns="colour", seed=seed, **given), matrix)


def test_the_matrices_by_hand() -> None:
    frame = colours()

    def matrix(**given: Any) -> Any:
        return az.perturb.pram_matrix(frame, ["colour"], **given)["colour"]

    assert matrix(keep=0.8)["red"] == pytest.approx({"red": 0.92, "blue": 0.06, "green": 0.02})
    assert matrix(keep=0.8)["green"] == pytest.approx({"red": 0.12, "blue": 0.06, "green": 0.82})
    assert matrix(keep=0.8, invariant=False)["red"] == pytest.approx({"red": 0.8, "blue": 0.1, "green": 0.1})
    assert matrix(matrix=GIVEN) == GIVEN
    # Red is 0.6, blue 0.3, green 0.1. After P: red .42 + .1, blue .18 + .15, green .15.
    # Back from red: red .42/.52, green .1/.52; from blue: red .18/.33, blue .15/.33; from green: blue.
    # So green → red → red .42/.52 or green .1/.52.
    again = matrix(matrix=GIVEN, invariant=True)
    assert again["green"] == pytest.approx({"red": 0.42 / 0.52, "green": 0.1 / 0.52})
    assert again["blue"] == pytest.approx({"red": 0.5 * 0.18 / 0.33, "blue": 0.5 * 0.15 / 0.33 + 0.5})


@pytest.mark.parametrize("given", [{}, {"keep": 0.1}, {"matrix": GIVEN, "invariant": True}])
@pytest.mark.parametrize("strata", [(), "town"])
def test_invariant_matrices_keep_the_frequencies(given: dict[str, Any], strata: Any) -> None:
    frame = colours()
    shown = az.perturb.pram_matrix(frame, "colour", strata=strata, **given)["colour"]
    for stratum, matrix in shown.items() if strata else [((), shown)]:
        part = frame.filter(pa.compute.equal(frame["town"], stratum[0])) if strata else frame
        before = Counter(part["colour"].to_pylist())
        for colour, times in before.items():
            assert sum(before[old] * matrix[old].get(colour, 0.0) for old in before) == pytest.approx(times)
    counts = [
        Counter(az.perturb.pram(frame, columns="colour", seed=seed, strata=strata, **given)["colour"].to_pylist())
        for seed in range(30)
    ]
    for colour, times in Counter(frame["colour"].to_pylist()).items():
        mean = np.mean([count[colour] for count in counts])
        # A sum of n independent draws has at most the variance of a binomial one of the same mean.
        assert abs(mean - times) < 5 * np.sqrt(times / 30)


def test_values_stay_in_their_stratum() -> None:
    frame = pa.table(
        {"region": [1, 1, 2, 2, None, None] * 200, "job": ["a", "b", "c", "d", "e", "f"] * 200, "sex": ["m"] * 1200}
    )
    for given in ({"keep": 0.1}, {"keep": 0.1, "invariant": False}):
        made = az.perturb.pram(frame, columns="job", strata=["region", "sex"], seed=1, **given)
        for region, jobs in ((1, "ab"), (2, "cd"), (None, "ef")):
            rows = [
                new
                for new, old in zip(made["job"].to_pylist(), frame["region"].to_pylist(), strict=True)
                if old == region
            ]
            assert set(rows) == set(jobs)
    shown = az.perturb.pram_matrix(frame, "job", strata=["region", "sex"], keep=0.5)["job"]
    assert shown[(1, "m")] == {"a": {"a": 0.75, "b": 0.25}, "b": {"a": 0.25, "b": 0.75}}
    assert set(shown) == {(1, "m"), (2, "m"), (None, "m")}


def test_missing_stays_missing_and_one_category_stays() -> None:
    frame = pa.table({"x": ["a", None, "b", None] * 50, "same": ["z"] * 200, "none": pa.nulls(200, pa.string())})
    for given in (
        {"keep": 0.0},
        {"keep": 0.0, "invariant": False},
        {"matrix": {"a": {"b": 1}, "b": {"a": 1}, "z": {"z": 1}}},
    ):
        made = az.perturb.pram(frame, columns=["x", "same", "none"], seed=1, **given)
        assert made["x"].is_null().equals(frame["x"].is_null())
        assert made["same"].equals(frame["same"])
        assert made["none"].null_count == 200
    assert made["x"].to_pylist() == ["b", None, "a", None] * 50
    assert az.perturb.pram(frame.slice(0, 0), columns="x", seed=1).num_rows == 0
    assert az.perturb.pram(frame.slice(0, 1), columns="x", keep=0, seed=1)["x"].to_pylist() == ["a"]


def test_any_type_comes_back_as_it_was() -> None:
    day = datetime.date(2020, 1, 1)
    frame = pa.table(
        {
            "code": pa.array([1, 2, 3, 2], pa.int8()),
            "flag": [True, False, True, True],
            "day": [day, day.replace(year=2021), day, day],
            "word": pa.array(["a", "b", "a", "c"]).dictionary_encode(),
        }
    )
    made = az.perturb.pram(frame, columns=frame.column_names, keep=0.2, seed=2)
    assert made.schema.equals(frame.schema)
    for name in frame.column_names:
        assert set(made[name].to_pylist()) <= set(frame[name].to_pylist())
    flip = az.perturb.pram(frame, columns="flag", matrix={True: {False: 1.0}, False: {True: 1.0}}, seed=1)
    assert flip["flag"].to_pylist() == [False, True, False, False]
    more = az.perturb.pram(frame, columns="code", matrix={i: {9: 1.0} for i in (1, 2, 3)}, seed=1)
    assert more["code"].to_pylist() == [9] * 4
    assert more.schema.equals(frame.schema)
    word = az.perturb.pram(frame, columns="word", matrix={i: {"new": 1.0} for i in "abc"}, seed=1)
    assert word["word"].to_pylist() == ["new"] * 4


def test_pandas_categories_keep_their_order_and_polars_is_polars() -> None:
    sizes = pd.Categorical(["l", "s", "m", "s"] * 20, categories=["s", "m", "l", "xl"], ordered=True)
    made = az.perturb.pram(pd.DataFrame({"size": sizes}), columns="size", keep=0.3, seed=1)
    assert made["size"].dtype == sizes.dtype
    assert set(made["size"]) == {"s", "m", "l"}
    for kind in (pl.String, pl.Categorical, pl.Enum(["xl", "l", "m", "s"])):
        frame = pl.DataFrame({"size": pl.Series(list(sizes), dtype=kind)})
        again = az.perturb.pram(frame, columns="size", keep=0.3, seed=1)
        assert isinstance(again, pl.DataFrame)
        assert set(again["size"]) == {"s", "m", "l"}
        assert again.schema == frame.schema


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        (
            {"keep": 1.1},
            ParameterError,
            like("declared.parameter-wrong", name="pram", where="keep", what="less than or equal to 1"),
        ),
        (
            {"keep": -0.1},
            ParameterError,
            like("declared.parameter-wrong", name="pram", where="keep", what="greater than or equal to 0"),
        ),
        (
            {"matrix": {"red": {"red": 0.5}}},
            ParameterError,
            like("pram.matrix-not-stochastic", place=1, count=1, total=0.5),
        ),
        ({"matrix": {"red": {"red": 1.5, "blue": -0.5}}}, ParameterError, "pram.matrix-holds-no-probabilities"),
        ({"matrix": {"red": {"red": "x"}}}, ParameterError, "pram.matrix-holds-no-probabilities"),
        ({"matrix": {"red": {"red": float("nan")}}}, ParameterError, "pram.matrix-holds-no-probabilities"),
        ({"matrix": {}}, ParameterError, "pram.matrix-not-a-mapping"),
        ({"matrix": [[1, 0], [0, 1]]}, ParameterError, "pram.matrix-not-a-mapping"),
        (
            {"matrix": {"red": {"red": 1}}},
            ParameterError,
            like("pram.matrix-lacks-rows", count=2, labels=3, read="colour"),
        ),
        ({"strata": "twon"}, SchemaError, like("column.unknown", hint=near("town"))),
        (
            {"strata": "colour"},
            ParameterError,
            like("operation.column-in-two-parameters", column="colour", role="strata"),
        ),
        (
            {"columns": "list"},
            SchemaError,
            like("operation.column-not-categories", name="list", type="list<item: int64>"),
        ),
        (
            {"columns": "code", "matrix": {"1": {"x": 1}}},
            ParameterError,
            like("operation.matrix-beyond-type", type="int64", name="code"),
        ),
    ],
)
def test_what_can_not_be_done_is_said_in_a_sentence(given: dict[str, Any], error: Any, words: str | Like) -> None:
    frame = colours(20).append_column("list", pa.array([[1]] * 20)).append_column("code", pa.array([1] * 20))
    with failing(words, error) as raised:
        az.perturb.pram(frame, **({"columns": "colour"} | given))
    assert "\n" not in str(raised.value)
