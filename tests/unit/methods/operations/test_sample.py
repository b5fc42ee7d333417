"""Some of the rows, chosen at random."""

from __future__ import annotations

import pyarrow as pa

import antifaz as az
from failing import failing


def _column(made, name):
    return pa.table(made).column(name).to_pylist()


def test_a_sample_has_as_many_rows_as_asked_and_is_the_same_for_the_same_seed():
    table = pa.table({"x": range(1000)})
    once, again, other = (_column(az.mask.sample(table, share=0.1, seed=seed), "x") for seed in (1, 1, 2))
    assert len(once) == 100
    assert once == again == sorted(once)
    assert once != other
    assert len(_column(az.mask.sample(table, number=7), "x")) == 7
    with failing("sample.more-rows-than-there-are", az.ParameterError, number=1001, rows=1000):
        az.mask.sample(table, number=1001)
    with failing("declared.parameter-wrong", az.ParameterError, what="one of two: 'share' or 'number'"):
        az.mask.sample(table)
