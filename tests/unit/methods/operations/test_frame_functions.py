"""Masking of frames: what each operation makes of cells that can be worked out by hand."""

from __future__ import annotations

import datetime as dt

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import antifaz as az
from antifaz.methods.operations.mask import OPERATIONS
from failing import failing, near

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
    with failing("column.unknown", az.SchemaError, hint=near("name")):
        az.mask.mask(PEOPLE, "nam")
    with failing("declared.unknown-parameter", az.ParameterError, name="frist", hint=near("first")):
        az.mask.mask(PEOPLE, "name", frist=1)
    with failing("columns.none-named", az.ParameterError):
        az.mask.mask(PEOPLE, [])
