"""Some of the rows, chosen at random."""

from __future__ import annotations

import pyarrow as pa
import pytest

import antifaz as az


def _column(made, name):
    return pa.table(made).column(name).to_pylist()


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
