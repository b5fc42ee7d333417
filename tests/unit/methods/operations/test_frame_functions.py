"""Masking of frames: what each operation makes of cells that can be worked out by hand."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import antifaz as az
from antifaz.methods.operations.mask import OPERATIONS

PEOPLE = pa.table(
    {
        "name": ["Ana", "Björn", None, "Ana"],
        "age": pa.array([34, 95, 61, None], pa.int16()),
        "income": [1234.5, 250.0, None, 99_999.0],
        "born": pa.array([dt.date(1990, 1, 31), dt.date(1929, 12, 1), None, dt.date(2000, 2, 29)]),
    }
)


def _column(made, name):
    return pa.table(made).column(name).to_pylist()


@pytest.mark.parametrize(
    ("frame", "kind"),
    [(PEOPLE, pa.Table), (PEOPLE.to_pandas(), pd.DataFrame), (pl.from_arrow(PEOPLE), pl.DataFrame)],
)
def test_a_frame_of_the_same_kind_comes_out_and_the_one_that_came_in_stays(frame, kind):
    made = az.mask.suppress(frame, "name", by="*")
    assert isinstance(made, kind)
    assert _column(made, "name") == ["*"] * 4
    assert _column(frame, "name") == ["Ana", "Björn", None, "Ana"]
    assert list(pa.table(made).column_names) == PEOPLE.column_names


def test_a_whole_column_becomes_missing_and_keeps_its_type():
    made = az.mask.suppress(PEOPLE, ["age"])
    assert made.column("age").type == pa.int16()
    assert _column(made, "age") == [None] * 4


@pytest.mark.parametrize(
    ("where", "kept"),
    [
        ({"column": "age", "above": 61}, ["Ana", None, None, "Ana"]),
        ({"column": "age", "below": 61}, [None, "Björn", None, "Ana"]),
        ({"column": "age", "missing": True}, ["Ana", "Björn", None, None]),
        ({"column": "age", "in": [34, 95]}, [None, None, None, "Ana"]),
        ({"column": "born", "below": "1930-01-01"}, ["Ana", None, None, "Ana"]),
        ({"column": "age", "above": 30, "below": 40}, [None, "Björn", None, "Ana"]),
        ({"equals": "Ana"}, [None, "Björn", None, None]),
    ],
)
def test_cells_go_by_a_condition(where, kept):
    assert _column(az.mask.suppress(PEOPLE, "name", where=where), "name") == kept


def test_a_table_substitutes_and_says_how_many_it_does_not_name():
    made = az.mask.substitute(PEOPLE, "name", table={"Ana": "Eva", "Björn": "Olaf"})
    assert _column(made, "name") == ["Eva", "Olaf", None, "Eva"]
    assert _column(az.mask.substitute(PEOPLE, "name", table={"Ana": "E"}, others="missing"), "name")[1] is None
    with pytest.raises(az.DataError, match=r"does not name 1 or more of the values of column 'name'") as refused:
        az.mask.substitute(PEOPLE, "name", table={"Ana": "Eva"})
    assert "Björn" not in str(refused.value)


def test_numbers_substituted_by_numbers_stay_numbers():
    made = az.mask.substitute(PEOPLE, "age", table={"34": 30, "95": 90, "61": 60})
    assert made.column("age").type == pa.int16()
    assert _column(made, "age") == [30, 90, 60, None]


def test_a_table_may_be_a_file(tmp_path):
    path = tmp_path / "names.csv"
    path.write_text("old,new\nAna,Eva\nBjörn,\n", encoding="utf-8")
    assert _column(az.mask.substitute(PEOPLE, "name", table=str(path)), "name") == ["Eva", None, None, "Eva"]
    path.write_text("old,new\nAna,Eva\nAna,Ida\n", encoding="utf-8")
    with pytest.raises(az.ParameterError, match=r"row 3 of the table 'names\.csv' names a value a second time"):
        az.mask.substitute(PEOPLE, "name", table=str(path))


@pytest.mark.parametrize(
    ("options", "made"),
    [
        ({}, ["***", "*****", None, "***"]),
        ({"first": 1}, ["A**", "B****", None, "A**"]),
        ({"last": 2, "character": "x"}, ["xna", "xxxrn", None, "xna"]),
        ({"first": 2, "last": 1}, ["***", "Bj**n", None, "***"]),  # what would be shown whole is covered whole
        ({"first": 1, "length": False}, ["A***", "B***", None, "A***"]),
        ({"first": 9, "length": False}, ["***", "***", None, "***"]),
    ],
)
def test_characters_are_covered(options, made):
    assert _column(az.mask.mask(PEOPLE, "name", **options), "name") == made


def test_rounding_keeps_types_and_goes_to_the_even_multiple():
    made = az.mask.round(az.mask.round(PEOPLE, "age", base=10), "income", digits=-2)
    assert made.column("age").type == pa.int16()
    assert _column(made, "age") == [30, 100, 60, None]  # 95 lies between 9 and 10 tens; 10 is even
    assert _column(made, "income") == [1200.0, 200.0, None, 100_000.0]
    text = pa.table({"x": ["0.125", "-7.5", " 12 ", None, "2.675"]})
    assert _column(az.mask.round(text, "x", digits=2), "x") == ["0.12", "-7.50", "12.00", None, "2.68"]
    assert _column(az.mask.round(pa.table({"x": ["15", "25", "-4"]}), "x", base=10), "x") == ["20", "20", "0"]
    assert _column(az.mask.round(pa.table({"x": [0.3, 0.74]}), "x", base=0.1), "x") == [0.3, 0.7]
    assert _column(az.mask.round(pa.table({"x": [0.3, 0.9]}), "x", base=0.25), "x") == [0.25, 1.0]


def test_whole_numbers_are_not_rounded_to_fractions():
    with pytest.raises(az.ParameterError, match="base should be a whole number"):
        az.mask.round(PEOPLE, "age", base=0.5)
    with pytest.raises(az.SchemaError, match="column 'name' is not numbers but text"):
        az.mask.round(PEOPLE, "name", base=5)


def test_what_lies_beyond_a_bound_becomes_the_bound_a_value_or_a_label():
    assert _column(az.mask.top_code(PEOPLE, "age", at=60), "age") == [34, 60, 60, None]
    assert _column(az.mask.top_code(PEOPLE, "age", at=60, value=99), "age") == [34, 99, 99, None]
    assert _column(az.mask.top_code(PEOPLE, "age", at=60, value="60+"), "age") == ["34", "60+", "60+", None]
    assert _column(az.mask.bottom_code(PEOPLE, "age", at=61), "age") == [61, 95, 61, None]
    assert _column(az.mask.top_code(PEOPLE, "age", at=60.5), "age") == [34, 60, 60, None]
    old = az.mask.bottom_code(PEOPLE, "born", at="1990-01-01")
    assert _column(old, "born") == [dt.date(1990, 1, 31), dt.date(1990, 1, 1), None, dt.date(2000, 2, 29)]
    text = pa.table({"x": ["7", "1000000000000000001", " 12"]})
    assert _column(az.mask.top_code(text, "x", at=1_000_000_000_000_000_000), "x")[1] == "1000000000000000000"


@pytest.mark.parametrize("percentile", [0, 1, 12.5, 50, 95, 99.9, 100])
@pytest.mark.parametrize("kind", ["int64", "float64", "text"])
def test_percentiles_are_numpys(percentile, kind):
    values = np.random.default_rng(2).integers(0, 500, 997)
    bound = int(np.percentile(values, percentile, method="inverted_cdf"))
    column = pa.array(values).cast(pa.string() if kind == "text" else kind)
    made = az.mask.top_code(pa.table({"x": column}), "x", percentile=percentile)
    assert [int(value) for value in _column(made, "x")] == np.minimum(values, bound).tolist()


def test_a_sample_has_as_many_rows_as_asked_and_is_the_same_for_the_same_seed():
    table = pa.table({"x": range(1000)})
    once, again, other = (_column(az.mask.sample(table, share=0.1, seed=seed), "x") for seed in (1, 1, 2))
    assert len(once) == 100
    assert once == again == sorted(once)
    assert once != other
    assert len(_column(az.mask.sample(table, number=7), "x")) == 7
    with pytest.raises(az.ParameterError, match=r"1,001 rows are wanted of a table that has 1,000"):
        az.mask.sample(table, number=1001)
    with pytest.raises(az.ParameterError, match="one of two"):
        az.mask.sample(table)


def test_an_empty_table_stays_empty(tmp_path):
    key = az.mask.new_key(tmp_path / "k")
    empty = PEOPLE.slice(0, 0)
    for made in (
        az.mask.pseudonymize(empty, "name", key=key), az.mask.encrypt(empty, "name", key=key),
        az.mask.mask(empty, "name"), az.mask.round(empty, "age", base=5), az.mask.top_code(empty, "age", percentile=9),
        az.mask.shift_dates(empty, "born", person="name"), az.mask.substitute(empty, "name", made=True, seed=1),
    ):  # fmt: skip
        assert made.num_rows == 0
        assert made.column_names == PEOPLE.column_names


def test_dictionaries_and_several_chunks_are_worked_on_as_their_values(tmp_path):
    chunks = pa.chunked_array([["a", "b"], ["b", None]])
    key = az.mask.new_key(tmp_path / "k")
    plain = az.mask.pseudonymize(pa.table({"x": chunks.combine_chunks()}), "x", key=key)
    for column in (chunks, chunks.dictionary_encode()):
        assert az.mask.pseudonymize(pa.table({"x": column}), "x", key=key).equals(plain)
        assert _column(az.mask.mask(pa.table({"x": column}), "x"), "x") == ["*", "*", "*", None]


def test_every_operation_has_its_function_with_its_words():
    for operation in OPERATIONS:
        function = getattr(az.mask, operation.name.replace("-", "_"))
        assert function.__doc__.startswith(operation.summary)
        assert all(name in function.__doc__ for name in operation.model_fields)


def test_a_wrong_name_is_answered_with_the_nearest():
    with pytest.raises(az.SchemaError, match="did you mean 'name'"):
        az.mask.mask(PEOPLE, "nam")
    with pytest.raises(az.ParameterError, match=r"there is no parameter 'frist'.*'first'"):
        az.mask.mask(PEOPLE, "name", frist=1)
    with pytest.raises(az.ParameterError, match="at least one column"):
        az.mask.mask(PEOPLE, [])
