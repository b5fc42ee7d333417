"""Rounding to multiples of a base."""

from __future__ import annotations

import pyarrow as pa

import antifaz as az
from failing import failing
from unit.methods.operations.test_frame_functions import PEOPLE


def _column(made, name):
    return pa.table(made).column(name).to_pylist()


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
    with failing("round.base-not-whole", az.ParameterError):
        az.mask.round(PEOPLE, "age", base=0.5)
    with failing("round.column-not-numbers", az.SchemaError, column="name", type="text"):
        az.mask.round(PEOPLE, "name", base=5)
