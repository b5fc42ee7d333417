"""What all perturbations promise: kinds of frames, seeds, missing values, bad input, declarations."""

from __future__ import annotations

import inspect
import json
from decimal import Decimal
from typing import Any

import jsonschema
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import antifaz as az
from antifaz.core.errors import AntifazError, DataError, ParameterError, SchemaError
from antifaz.core.randomness import generator
from antifaz.methods.operations.perturb import PERTURBATIONS
from antifaz.testing import check_declaration, examples
from failing import Like, failing, like, near

#: Every function with what it needs.
ALL: dict[str, dict[str, Any]] = {
    "additive_noise": {},
    "correlated_noise": {},
    "multiplicative_noise": {},
    "rank_swap": {},
    "rank_swap_blocks": {},
    "record_swap": {"rate": 1.0},
    "microaggregate": {"k": 3},
    "pram": {},
    "shuffle": {},
    "rounding": {"base": 7},
}
NOISY = ("additive_noise", "correlated_noise", "multiplicative_noise", "rounding")
MOVING = ("rank_swap", "rank_swap_blocks", "shuffle")
RANDOM = [name for name in ALL if name != "microaggregate"]


def perturbed(name: str, frame: Any, columns: Any = "age", **given: Any) -> Any:
    return getattr(az.perturb, name)(frame, columns=columns, **({"seed": 1} | ALL[name] | given))


def columns(rows: int = 60) -> dict[str, list[Any]]:
    people = az.datasets.salaries(rows, seed=2).to_pydict()
    return {"name": [f"n{i}" for i in range(rows)], **people}


# -- declarations


@pytest.mark.parametrize("kind", list(PERTURBATIONS), ids=lambda kind: kind.name)
def test_every_declaration_is_complete(kind: Any) -> None:
    check_declaration(kind)
    assert kind.formula and kind.source
    for instance in examples(kind):
        jsonschema.validate(json.loads(json.dumps(instance.parameters())), kind.model_json_schema())


def test_names_are_those_of_project_files() -> None:
    assert PERTURBATIONS.names == tuple(name.replace("_", "-") for name in ALL)


@pytest.mark.parametrize("name", ALL)
def test_a_function_says_its_parameters(name: str) -> None:
    function = getattr(az.perturb, name)
    kind = PERTURBATIONS[name.replace("_", "-")]
    shown = inspect.signature(function).parameters
    assert set(shown) == {"frame", "columns", "seed", *kind.model_fields}
    for parameter, field in kind.model_fields.items():
        assert shown[parameter].default == (inspect.Parameter.empty if field.is_required() else field.default)
        assert f"    {parameter}: " in function.__doc__
    assert function.__name__ == name


@pytest.mark.parametrize("name", ALL)
def test_the_verb_does_what_the_function_does(name: str) -> None:
    frame = pa.table(columns())
    operation = PERTURBATIONS.make(name.replace("_", "-"), ALL[name])
    made = operation.apply(frame, ["age"], generator(5))
    assert made.equals(operation.apply(frame, ["age"], generator(5)))
    assert made.column_names == frame.column_names
    assert not made["age"].equals(frame["age"])
    assert made.drop_columns(["age"]).equals(frame.drop_columns(["age"]))


# -- frames


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_frame_comes_back_as_its_kind_with_the_same_numbers(name: str, make: Any) -> None:
    frame = make(columns())
    before = frame.copy() if make is pd.DataFrame else frame
    made = perturbed(name, frame, ["age", "salary"])
    assert type(made) is type(frame)
    assert list(made["name"].to_numpy()) == columns()["name"]
    reference = perturbed(name, pa.table(columns()), ["age", "salary"])
    for column in ("age", "salary"):
        np.testing.assert_array_equal(np.asarray(made[column].to_numpy()), reference[column].to_numpy())
    assert (before == frame).all().all() if make is pd.DataFrame else before is frame


@pytest.mark.parametrize("name", RANDOM)
def test_a_seed_repeats_a_run_to_the_byte_and_another_does_not(name: str) -> None:
    frame = pa.table(columns(200))
    chunked = pa.concat_tables([frame.slice(0, 77), frame.slice(77)])
    made = perturbed(name, frame, ["age", "salary"], seed=3)
    assert made.equals(perturbed(name, frame, ["age", "salary"], seed=3))
    assert made["salary"].to_pylist() == perturbed(name, chunked, ["age", "salary"], seed=3)["salary"].to_pylist()
    assert not made.equals(perturbed(name, frame, ["age", "salary"], seed=4))
    assert not made.equals(perturbed(name, frame, ["age", "salary"], seed=None))


def test_pandas_types_are_kept_where_asked() -> None:
    frame = pd.DataFrame({"n": pd.array([1, 2, None, 5], "Int64"), "m": pd.array([1, None, 3, 4], "Int64")})
    for name in NOISY:
        loose = perturbed(name, frame, "n")
        assert [str(kind) for kind in loose.dtypes] == ["float64", "Int64"]
        kept = perturbed(name, frame, "n", keep_type=True)
        assert [str(kind) for kind in kept.dtypes] == ["Int64", "Int64"]
        assert kept["n"].isna().tolist() == loose["n"].isna().tolist() == [False, False, True, False]
    for name in ("rank_swap", "rank_swap_blocks", "pram"):
        assert [str(kind) for kind in perturbed(name, frame, "n").dtypes] == ["Int64", "Int64"]


@pytest.mark.parametrize("name", [*NOISY, "microaggregate"])
def test_types_that_can_be_kept(name: str) -> None:
    price = [Decimal(x) for x in ("1.25", "3.50", "8.00", "9.00")]
    frame = pa.table(
        {
            "small": pa.array([20, 30, 100, 110], pa.int16()),
            "price": pa.array(price, pa.decimal128(6, 2)),
            "short": pa.array([1, 2, 3, 4], pa.float32()),
            "half": pa.array(np.array([1, 2, 3, 4], np.float16)),
        }
    )
    kept = perturbed(name, frame, frame.column_names, keep_type=True)
    assert kept.schema.equals(frame.schema)
    loose = perturbed(name, frame, frame.column_names)
    assert set(loose.schema.types) == {pa.float64()}
    for column in frame.column_names:
        np.testing.assert_allclose([float(x) for x in kept[column].to_pylist()], loose[column].to_numpy(), atol=0.51)


# -- edges


@pytest.mark.parametrize("name", [*NOISY, *MOVING, "pram"])
@pytest.mark.parametrize("rows", [0, 1])
def test_no_row_and_one_row(name: str, rows: int) -> None:
    frame = pa.table({"age": pa.array([35][:rows], pa.int64()), "x": pa.array([1.5][:rows], pa.float64())})
    made = perturbed(name, frame, ["age", "x"])
    assert made.num_rows == rows
    if name not in ("multiplicative_noise", "rounding"):
        assert made["age"].to_pylist() == [35][:rows]


@pytest.mark.parametrize("name", ALL)
def test_constant_columns(name: str) -> None:
    frame = pa.table({"same": [0.1] * 9, "other": list(range(9))})
    made = perturbed(name, frame, ["same", "other"])["same"].to_numpy()
    if name == "multiplicative_noise":
        assert (made != 0.1).all()
    elif name == "rounding":
        assert set(made) <= {0.0, 7.0}
    else:
        assert (made == 0.1).all()


@pytest.mark.parametrize("name", [*NOISY, "rank_swap", "rank_swap_blocks"])
def test_missing_values_stay_in_their_rows(name: str) -> None:
    values = [None if i % 4 == 0 else float(i) for i in range(40)]
    frame = pa.table({"age": values, "none": pa.nulls(40, pa.float64())})
    made = perturbed(name, frame, "age")
    assert made["age"].is_null().to_pylist() == [x is None for x in values]
    assert made["age"].to_pylist() != values
    assert perturbed(name, frame, "none" if name != "correlated_noise" else "age")["none"].null_count == 40


def test_noise_of_a_column_with_gaps_is_that_of_what_is_there() -> None:
    values = np.random.default_rng(1).normal(50, 10, 4_000)
    gaps = np.arange(4_000) % 2 == 0
    frame = pa.table({"x": pa.array(values, mask=gaps)})
    noise = perturbed("additive_noise", frame, "x")["x"].drop_null().to_numpy() - values[~gaps]
    assert abs(noise.std() / (0.2 * values[~gaps].std()) - 1) < 5 / np.sqrt(4_000)


# -- bad input


FRAME = pa.table(
    {
        "age": [20, 30, 40, 50],
        "word": ["a", "b", "c", "d"],
        "flag": [True, False, True, False],
        "odd": [1.0, float("inf"), float("nan"), 2.0],
        "huge": [2**60 + 1, 1, 2, 3],
    }
)


@pytest.mark.parametrize("name", ["additive_noise", "correlated_noise", "multiplicative_noise", "rank_swap"])
def test_a_share_below_0_or_not_a_number_is_refused(name: str) -> None:
    for p in (-0.1, float("nan"), float("inf"), "much", None):
        with failing("declared.parameter-wrong", ParameterError, name=name.replace("_", "-"), where="p") as raised:
            perturbed(name, FRAME, p=p)
        assert "\n" not in str(raised.value)


@pytest.mark.parametrize("name", ["rank_swap", "rank_swap_blocks"])
def test_a_range_beyond_all_ranks_is_refused(name: str) -> None:
    for p, bound in ((1.01, "less than or equal to 1"), (20, "less than or equal to 1"), (0, "greater than 0")):
        with failing("declared.parameter-wrong", ParameterError, where="p", what=bound):
            perturbed(name, FRAME, p=p)


@pytest.mark.parametrize("name", [name for name in ALL if name not in ("pram", "record_swap")])
@pytest.mark.parametrize(
    ("column", "error", "words"),
    [
        ("word", SchemaError, like("operation.column-not-numbers", name="word", type="string")),
        ("flag", SchemaError, like("operation.column-not-numbers", name="flag", type="bool")),
        ("agee", SchemaError, like("column.unknown", name="agee", hint=near("age"))),
        ("odd", DataError, like("operation.column-has-infinite-values", name="odd", count=2)),
    ],
)
def test_columns_that_are_not_numbers(name: str, column: str, error: type[AntifazError], words: str | Like) -> None:
    with failing(words, error) as raised:
        perturbed(name, FRAME, ["age", column])
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("name", NOISY)
def test_whole_numbers_that_no_float_holds_are_refused(name: str) -> None:
    with failing("operation.whole-numbers-beyond-2-53", DataError, name="huge") as raised:
        perturbed(name, FRAME, "huge")
    assert str(2**60 + 1) not in str(raised.value)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"columns": []}, "columns.none-named"),
        ({"columns": ["age", "age"]}, "columns.one-twice"),
        ({"columns": None}, "columns.not-names"),
        ({"seed": -1}, "parameter.seed-not-a-whole-number"),
        ({"seed": 1.5}, "parameter.seed-not-a-whole-number"),
        ({"seed": True}, "parameter.seed-not-a-whole-number"),
        ({"keep_typo": True}, like("declared.unknown-parameter", name="keep_typo")),
    ],
)
def test_what_was_asked_wrongly(name: str, given: dict[str, Any], words: str | Like) -> None:
    with failing(words, ParameterError):
        perturbed(name, FRAME, **({"columns": "age"} | given))


def test_bounds_the_wrong_way_round_and_what_is_no_table() -> None:
    with failing("declared.parameter-wrong", ParameterError, name="additive-noise", where="high", what="above low"):
        perturbed("additive_noise", FRAME, low=5, high=1)
    with failing("frame.not-a-table", DataError):
        perturbed("additive_noise", [1, 2, 3])


# -- rounding


def test_random_rounding_keeps_means_and_gives_multiples() -> None:
    x = np.random.default_rng(2).uniform(-50, 50, 5_000)
    for base in (5, 0.1, 0.25, 3.7):
        made = perturbed("rounding", pa.table({"x": x}), "x", base=base)["x"].to_numpy()
        np.testing.assert_allclose(made / base, np.rint(made / base), atol=1e-9)
        assert np.abs(made - x).max() < base
        # The error of one value has at most the variance base² / 4.
        assert abs((made - x).mean()) < 5 * base / 2 / np.sqrt(5_000)
    assert set(perturbed("rounding", pa.table({"x": [0.3, -7.0, 2e17]}), "x", base=0.1)["x"].to_pylist()) == {
        0.3,
        -7.0,
        2e17,
    }


def test_the_nearer_multiple_is_the_likelier_one() -> None:
    made = perturbed("rounding", pa.table({"x": [11.5] * 5_000}), "x", base=5)["x"].to_numpy()
    assert set(made) == {10.0, 15.0}
    assert abs((made == 15).mean() - 0.3) < 5 * np.sqrt(0.3 * 0.7 / 5_000)


def test_rounding_that_is_not_random_takes_the_nearest() -> None:
    frame = pa.table({"x": [1, 2, 3, 7, 8, 12, None]})
    made = perturbed("rounding", frame, "x", base=5, random=False, keep_type=True)
    assert made["x"].to_pylist() == [0, 0, 5, 5, 10, 10, None]
    assert made.schema.equals(frame.schema)
    narrow = pa.table({"x": pa.array([127], pa.int8())})
    with failing("operation.result-beyond-type", DataError, kind="int8"):
        perturbed("rounding", narrow, "x", base=10, random=False, keep_type=True)
