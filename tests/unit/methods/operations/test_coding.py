"""Top and bottom coding."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest

import antifaz as az
from unit.methods.operations.test_frame_functions import PEOPLE


def _column(made, name):
    return pa.table(made).column(name).to_pylist()


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
